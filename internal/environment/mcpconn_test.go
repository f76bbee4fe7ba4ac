package environment

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/value"
)

// rawServer answers an MCP client by hand: the handshake, a list with the tools
// reset, snapshot and peek, and what the mode says for a call. The mode "deaf"
// stops reading after the list.
func rawServer(mode string) int {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		req, err := value.Parse(line)
		if err != nil {
			return 1
		}
		result := `{}`
		switch req.Field("method").Text() {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"reset","inputSchema":{"type":"object"}},{"name":"snapshot","inputSchema":{"type":"object"}},{"name":"peek","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			result = `{"content":[],"structuredContent":{"price":1.50,"whole":2.0,"id":12345678901234567890}}`
		}
		if id, ok := req.Get("id"); ok {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id.JSON(), result)
		}
		if mode == "deaf" && req.Field("method").Text() == "tools/list" {
			time.Sleep(time.Hour)
		}
	}
}

func rawConfig(t *testing.T, mode string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Type: mcpKind, Command: []string{self, "__rawmcp", mode},
		Reset: Endpoint{Tool: "reset", Argument: "state"}, Snapshot: Endpoint{Tool: "snapshot"},
	}
}

// TestStructuredResultsKeepNumbers: a server that answers in structured content
// only is read to the digit.
func TestStructuredResultsKeepNumbers(t *testing.T) {
	env := faultMaker(t, rawConfig(t, "structured")).environment()
	defer env.Close()
	ctx := context.Background()
	if err := env.Reset(ctx, value.OfObject()); err != nil {
		t.Fatal(err)
	}
	const want = `{"price":1.50,"whole":2.0,"id":12345678901234567890}`
	res, err := env.Call(ctx, "peek", value.OfObject())
	if err != nil || res.Value.JSON() != want {
		t.Errorf("%v %s", err, res.Value.JSON())
	}
	if st, err := env.Snapshot(ctx); err != nil || st.JSON() != want {
		t.Errorf("%v %s", err, st.JSON())
	}
}

// TestDeafServer: a server that stops reading cannot hold up the run, even when the
// state is larger than a pipe holds.
func TestDeafServer(t *testing.T) {
	t.Parallel()
	c := rawConfig(t, "deaf")
	c.Limits.Start = 2 * time.Second
	env := faultMaker(t, c).environment()
	defer env.Close()
	big := value.OfObject(value.Member{Key: "x", Value: value.OfString(strings.Repeat("x", 1<<20))})
	out, err := execute(context.Background(), env, Plan{Start: big, WantCalls: []Call{}})
	if err != nil || out.Fault == nil || out.Fault.Kind != hang {
		t.Errorf("%v %+v", err, out.Fault)
	}
}

func TestLighten(t *testing.T) {
	for _, tt := range []struct{ name, line, want, kept string }{
		{"tools", `{"id":1,"result":{"content":[{"type":"text","text":"a"}],"isError":true}}`, `{"id":1,"result":{"content":[],"isError":true}}`, `{"content":[{"type":"text","text":"a"}],"isError":true}`},
		{"resources", `{"id":1,"result":{"contents":[{"uri":"u","text":"a"}]}}`, `{"id":1,"result":{"contents":[]}}`, `{"contents":[{"uri":"u","text":"a"}]}`},
		{"structured", `{"id":1,"result":{"content":[],"structuredContent":{"a":1.0}}}`, `{"id":1,"result":{"content":[]}}`, `{"content":[],"structuredContent":{"a":1.0}}`},
		{"no result", `{"content":[1]}`, `{"content":[1]}`, "null"},
		{"no JSON", `{"result":{"content":[]}`, `{"result":{"content":[]}`, "null"},
	} {
		c := &stdioConn{}
		if got := string(c.lighten([]byte(tt.line))); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
		if got := c.take().JSON(); got != tt.kept || !c.take().IsNull() {
			t.Errorf("%s: %s is kept", tt.name, got)
		}
	}
}

func FuzzLighten(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"content":[{"text":"x"}],"structuredContent":{}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		got := (&stdioConn{}).lighten(line)
		if _, err := value.Parse(line); err == nil {
			if _, err := value.Parse(got); err != nil {
				t.Fatalf("%q became %q", line, got)
			}
		}
	})
}

// TestFaultsOverHTTP: the same for a server at a URL. A session that was dropped is
// opened again.
func TestFaultsOverHTTP(t *testing.T) {
	for _, tt := range []struct {
		mode string
		want FaultKind
	}{{"hang", hang}, {"huge", oversized}, {"cut", crash}} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			var served *httptest.Server
			// A handler that hangs must not outlive the test: the server's Close waits for
			// it, and the client's cancellation may come too late to reach it.
			release := make(chan struct{})
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
				server := faultServer("huge")
				server.AddTool(&mcp.Tool{Name: "trouble", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					switch tt.mode {
					case "hang":
						select {
						case <-ctx.Done():
						case <-release:
						}
					case "cut":
						served.CloseClientConnections()
					}
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", 1<<20)}}}, nil
				})
				return server
			}, nil)
			served = httptest.NewServer(handler)
			defer served.Close()
			defer served.CloseClientConnections()
			defer close(release)
			limits := Limits{MaxReply: 200 << 10}
			if tt.mode == "hang" {
				limits.Call = 5 * time.Second // enough for the calls before it on a busy machine
			}
			env := faultMaker(t, Config{
				Type: mcpKind, URL: served.URL, Reset: Endpoint{Tool: "reset", Argument: "state"}, Snapshot: Endpoint{Tool: "snapshot"},
				Limits: limits,
			}).environment()
			defer env.Close()
			set := Call{Name: "set", Arguments: objectOf(t, `{"key":"y","value":2.50}`)}
			good := Plan{Start: objectOf(t, `{"x":1}`), Calls: []Call{set}, WantCalls: []Call{set}}
			bad := Plan{Start: good.Start, Calls: []Call{set, {Index: 1, Name: "trouble", Arguments: value.OfObject()}}, WantCalls: []Call{}}
			for i, p := range []Plan{good, bad, good} {
				out, err := execute(context.Background(), env, p)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case i == 1 && (out.Fault == nil || out.Fault.Kind != tt.want):
					t.Errorf("%+v, want %s", out.Fault, tt.want)
				case i != 1 && (out.Fault != nil || out.ExecOK == nil || !*out.ExecOK || len(out.Final) != 1):
					t.Errorf("conversation %d suffers: %+v %+v", i, out.Fault, out)
				}
			}
		})
	}
}
