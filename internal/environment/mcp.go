package environment

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/value"
)

// mcpProtocol is the requested version: the last one that begins with the initialize handshake,
// which every server knows. A server may answer with an older one.
const mcpProtocol = "2025-11-25"

// mcpRunner is an MCP server. A server over stdio is a process of this runner; a server
// over HTTP is only connected to.
type mcpRunner struct {
	config  Config
	command command
	client  *http.Client

	proc    *process
	conn    *stdioConn
	session *mcp.ClientSession
	texts   texts
	// tools holds for each tool of the server whether it only reads.
	tools map[string]bool
	// tooLong is set when an answer over HTTP was longer than allowed.
	tooLong *atomic.Bool
}

// start starts the server if it is a program, connects, and lists its tools.
func (r *mcpRunner) start(ctx context.Context) error {
	var transport mcp.Transport
	if r.config.URL != "" {
		// Each session has its own: an old one must not set it.
		r.tooLong = &atomic.Bool{}
		client := *r.client
		client.Transport = cappedBodies{client.Transport, r.config.Limits.MaxReply, r.tooLong}
		transport = &mcp.StreamableClientTransport{
			Endpoint: r.config.URL, HTTPClient: &client, MaxRetries: -1,
			DisableStandaloneSSE: true,
			// The bodies themselves are bounded.
			MaxEventSize: -1,
		}
	} else {
		proc, err := r.command.start()
		if err != nil {
			return startFault(r.command.argv, err)
		}
		r.proc, r.conn = proc, &stdioConn{proc: proc, most: r.config.Limits.MaxReply}
		transport, r.tooLong = r.conn, &proc.tooLong
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: mcpProtocol})
	if err != nil {
		return r.fault(ctx, "start", err)
	}
	r.session = session
	return r.list(ctx)
}

// list learns the server's tools, and that those named in the config are there.
func (r *mcpRunner) list(ctx context.Context) error {
	r.tools = map[string]bool{}
	for t, err := range r.session.Tools(ctx, nil) {
		if err != nil {
			return r.fault(ctx, "start", err)
		}
		r.tools[t.Name] = t.Annotations != nil && t.Annotations.ReadOnlyHint || slices.Contains(r.config.Reads, t.Name)
	}
	for _, p := range []struct{ key, name string }{
		{"reset", r.config.Reset.Tool}, {"snapshot", r.config.Snapshot.Tool},
	} {
		if _, ok := r.tools[p.name]; p.name != "" && !ok {
			return faultf(configFault, "start", "%s.tool: the server has no tool %q", p.key, p.name)
		}
	}
	return nil
}

func (r *mcpRunner) readOnly(name string) bool { return r.tools[name] }

func (r *mcpRunner) reset(ctx context.Context, st value.Value) error {
	r.texts.fresh = true
	reset := r.config.Reset
	if reset.Resource != "" {
		_, err := r.resource(ctx, "reset", reset.Resource)
		return err
	}
	args := value.OfObject()
	if reset.Argument != "" {
		if reset.AsText {
			st = value.OfString(st.JSON())
		}
		args = args.With(reset.Argument, st)
	}
	_, err := r.own(ctx, "reset", reset.Tool, args)
	return err
}

// own calls a tool that belongs to the environment itself: it must not fail.
func (r *mcpRunner) own(ctx context.Context, op, tool string, args value.Value) (value.Value, error) {
	res, err := r.tool(ctx, op, tool, args)
	if err == nil && res.IsError {
		err = faultf(protocol, op, "the tool %s refused: %s", tool, quote(res.Value.Python()))
	}
	return res.Value, err
}

func (r *mcpRunner) call(ctx context.Context, name string, args value.Value) (Result, error) {
	if _, ok := r.tools[name]; !ok {
		return Result{Value: value.OfString("unknown tool " + name), IsError: true, Unknown: true}, nil
	}
	return r.tool(ctx, "call "+name, name, args)
}

// tool calls a tool of the server.
func (r *mcpRunner) tool(ctx context.Context, op, name string, args value.Value) (Result, error) {
	got, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if message, ok := fromServer(ctx, err); ok {
		return Result{Value: value.OfString(message), IsError: true}, nil
	}
	if err != nil {
		return Result{}, r.fault(ctx, op, err)
	}
	result, err := r.result(got)
	if err != nil {
		return Result{}, faultf(protocol, op, "%v", err)
	}
	return Result{Value: content(result), IsError: got.IsError}, nil
}

// fromServer reports whether an error was sent by the server, and its text; the
// library has three codes of its own for a lost connection.
func fromServer(ctx context.Context, err error) (string, bool) {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || ctx.Err() != nil || slices.Contains([]int64{-32003, -32004, -32005}, wire.Code) {
		return "", false
	}
	return wire.Message, true
}

// result returns what a tool or a resource gave, as the server wrote it. Over HTTP the library
// has read it already: there whole floats are integers in structured content.
func (r *mcpRunner) result(got any) (value.Value, error) {
	if r.conn != nil {
		if v := r.conn.take(); !v.IsNull() {
			return v, nil
		}
	}
	text, err := json.Marshal(got)
	if err != nil {
		return value.Value{}, err
	}
	return value.Parse(text)
}

// content returns a tool's result: its text, or its structured content if there is no text. Text is
// preferred, because numbers in it keep their digits.
func content(result value.Value) value.Value {
	var parts []string
	for _, part := range result.Field("content").Elements() {
		if part.Field("type").Text() == "text" {
			parts = append(parts, part.Field("text").Text())
		}
	}
	structured := result.Field("structuredContent")
	if len(parts) > 0 || structured.IsNull() {
		return value.OfString(strings.Join(parts, "\n"))
	}
	return structured
}

func (r *mcpRunner) snapshot(ctx context.Context) (v value.Value, err error) {
	if uri := r.config.Snapshot.Resource; uri != "" {
		v, err = r.resource(ctx, "snapshot", uri)
	} else {
		v, err = r.own(ctx, "snapshot", r.config.Snapshot.Tool, value.OfObject())
	}
	text, isText := v.Str()
	if err != nil || !isText {
		return v, err
	}
	if v, err = r.texts.parse(text); err != nil {
		return v, faultf(protocol, "snapshot", "the state is no JSON: %v: %s", err, quote(text))
	}
	return v, nil
}

// resource reads a resource's text.
func (r *mcpRunner) resource(ctx context.Context, op, uri string) (value.Value, error) {
	got, err := r.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if message, ok := fromServer(ctx, err); ok {
		return value.Value{}, faultf(protocol, op, "resource %s: %s", uri, message)
	}
	if err != nil {
		return value.Value{}, r.fault(ctx, op, err)
	}
	result, err := r.result(got)
	if err != nil {
		return value.Value{}, faultf(protocol, op, "%v", err)
	}
	var b strings.Builder
	for _, c := range result.Field("contents").Elements() {
		b.WriteString(c.Field("text").Text())
		// What is not of base 64 is no JSON either, which is found next.
		blob, _ := base64.StdEncoding.DecodeString(c.Field("blob").Text())
		b.Write(blob)
	}
	return value.OfString(b.String()), nil
}

func (r *mcpRunner) fault(ctx context.Context, op string, err error) error {
	return explain(ctx, op, r.proc, r.tooLong.Load(), err)
}

func (r *mcpRunner) stop(atOnce bool) {
	session, proc := r.session, r.proc
	r.session, r.proc, r.conn = nil, nil, nil
	if proc != nil {
		proc.stop(atOnce)
	}
	if session != nil {
		// A server that hangs may not hold up the run: closing does not wait.
		go session.Close()
	}
}
