package environment

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/value"
)

// stdioConn connects to an MCP server that is our own process. It differs from the library's
// transport: lines have a size limit, a write gives up when its context ends, and results of tools
// and resources bypass the library, which passes over every message several times and loses digits
// of numbers.
type stdioConn struct {
	proc    *process
	most    int
	writing sync.Mutex
	mu      sync.Mutex
	// result is the last result of a tool or a resource.
	result value.Value
}

// Connect implements mcp.Transport.
func (c *stdioConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
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
			return jsonrpc.DecodeMessage(c.lighten(line))
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

// lighten stores the result of a tool or resource, and returns its message with an empty result.
// Other messages are returned unchanged.
func (c *stdioConn) lighten(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"content`)) {
		return line
	}
	msg, err := value.Parse(line)
	result, key := msg.Field("result"), "content"
	if !result.Has(key) {
		key = "contents"
	}
	if err != nil || !result.Field(key).IsList() {
		return line
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result = result
	light := result.Without("structuredContent").With(key, value.OfList())
	return value.AppendJSON(nil, msg.With("result", light), value.Format{})
}

// take returns the last result, once.
func (c *stdioConn) take() value.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	result := c.result
	c.result = value.Value{}
	return result
}

// cappedBodies bounds every answer over HTTP.
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
	resp.Body = &cappedBody{resp.Body, t.most, t.tooLong}
	return resp, nil
}

// cappedBody passes bytes through until there are more than are left.
type cappedBody struct {
	io.ReadCloser
	left    int
	tooLong *atomic.Bool
}

func (c *cappedBody) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if c.left -= n; c.left < 0 {
		c.tooLong.Store(true)
		return 0, errTooLong
	}
	return n, err
}
