package environment

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/value"
)

// stdioTransport connects to an MCP server that is a process of ours. It differs
// from the library's own in three ways: a line has a size limit and a write gives
// up with its context, large texts do not go through the library's several passes
// over every message, and structured results keep their numbers as written.
type stdioTransport struct {
	proc  *process
	most  int
	aside *aside
}

// Connect implements mcp.Transport.
func (t *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	return &stdioConn{stdioTransport: t}, nil
}

type stdioConn struct {
	*stdioTransport
	writing sync.Mutex
}

func (c *stdioConn) SessionID() string { return "" }

// Read implements mcp.Connection. Close unblocks it.
func (c *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := readLine(c.proc.out, c.most)
		if errors.Is(err, errTooLong) {
			c.proc.tooLong.Store(true)
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return jsonrpc.DecodeMessage(c.aside.lighten(line))
		}
	}
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	// A server that does not read would block the write for good.
	_ = c.proc.stdin.SetWriteDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = c.proc.stdin.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = c.proc.stdin.Write(append(line, '\n'))
	return err
}

// Close implements mcp.Connection.
func (c *stdioConn) Close() error {
	closeAll(c.proc.stdin, c.proc.stdout)
	return nil
}

// largeText is the size from which a text is put aside.
const largeText = 16 << 10

// aside holds texts that were taken out of messages, under the tokens that stand in
// their place.
type aside struct {
	mu    sync.Mutex
	texts map[string]string
	n     int
}

// put keeps a text and returns its token.
func (a *aside) put(text string) value.Value {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.texts == nil {
		a.texts = map[string]string{}
	}
	a.n++
	token := "text put aside: " + strconv.Itoa(a.n)
	a.texts[token] = text
	return value.OfString(token)
}

// take returns the text of a token, once; any other text is its own.
func (a *aside) take(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if kept, ok := a.texts[text]; ok {
		delete(a.texts, text)
		return kept
	}
	return text
}

// structured returns the JSON of a structured result that was put aside.
func (a *aside) structured(content any) (string, bool) {
	token, ok := content.(string)
	if !ok {
		return "", false
	}
	text := a.take(token)
	return text, text != token
}

// lighten takes large texts and structured results out of an answer. What is no
// answer stays as it is.
func (a *aside) lighten(line []byte) []byte {
	structured := bytes.Contains(line, []byte(`"structuredContent"`))
	if len(line) < largeText && !structured {
		return line
	}
	msg, err := value.Parse(line)
	if err != nil {
		return line
	}
	result := msg.Field("result")
	texts := 0
	for _, key := range []string{"content", "contents"} {
		list := result.Field(key)
		for i, part := range list.Elements() {
			text, ok := part.Field("text").Str()
			if ok {
				texts++
			}
			if len(text) >= largeText {
				list = list.WithAt(i, part.With("text", a.put(text)))
			}
		}
		if list.IsList() {
			result = result.With(key, list)
		}
	}
	if content, ok := result.Get("structuredContent"); ok {
		result = result.Without("structuredContent")
		// A text beside it says the same, and is what is read.
		if texts == 0 {
			result = result.With("structuredContent", a.put(content.JSON()))
		}
	}
	if result.Kind() != value.Object {
		return line
	}
	return value.AppendJSON(nil, msg.With("result", result), value.Format{})
}

// cappedBodies bounds the lines of every answer over HTTP.
type cappedBodies struct {
	next    http.RoundTripper
	most    int
	tooLong *atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (t cappedBodies) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &cappedLines{r: resp.Body, most: t.most, tooLong: t.tooLong}
	return resp, nil
}

// cappedLines passes bytes through until a line is longer than allowed.
type cappedLines struct {
	r       io.ReadCloser
	most    int
	line    int
	tooLong *atomic.Bool
}

func (c *cappedLines) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	for _, x := range b[:n] {
		c.line++
		if x == '\n' {
			c.line = 0
		}
		if c.line > c.most {
			c.tooLong.Store(true)
			return 0, errTooLong
		}
	}
	return n, err
}

func (c *cappedLines) Close() error { return c.r.Close() }
