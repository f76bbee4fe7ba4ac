package environment

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// mcpProtocol is the version that is asked for: the last one that opens with the
// initialize handshake, which every server knows. A server may answer with an
// older one.
const mcpProtocol = "2025-11-25"

// mcpEnv is an environment behind an MCP server. A server over stdio is a process
// of this environment; a server over HTTP is only connected to.
type mcpEnv struct {
	config  Config
	command command
	client  *http.Client
	// equality says which values a call did not change.
	equality value.Equality
	proc     *process
	conn     *stdioConn
	session  *mcp.ClientSession
	// tools tells for each tool of the server whether it only reads.
	tools map[string]bool

	// current is the state as last read, known that nothing was run since.
	current value.Value
	known   bool
	texts   seen
	// tooLong is set when an answer over HTTP was longer than allowed.
	tooLong *atomic.Bool
}

// seen remembers two texts with their values: the state after a reset and the last
// one. Reading the same text again costs no parsing, and the values are shared.
type seen struct {
	base, last           string
	baseValue, lastValue value.Value
	// fresh says that the next text is the state after a reset.
	fresh bool
}

func (s *seen) parse(text string) (value.Value, error) {
	v := s.lastValue
	switch {
	case text == "":
		return v, errors.New("it is empty")
	case text == s.last:
	case text == s.base:
		v = s.baseValue
	default:
		var err error
		if v, err = value.ParseString(text); err != nil {
			return v, err
		}
	}
	s.last, s.lastValue = text, v
	if s.fresh {
		s.base, s.baseValue, s.fresh = text, v, false
	}
	return v, nil
}

// Reset implements Environment.
func (e *mcpEnv) Reset(ctx context.Context, st value.Value) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.session == nil {
		if err := e.open(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Limits.Start)
	defer cancel()
	e.known, e.texts.fresh = false, true
	reset := e.config.Reset
	if reset.Resource != "" {
		_, err := e.resource(ctx, "reset", reset.Resource)
		return err
	}
	args := value.OfObject()
	if reset.Argument != "" {
		if reset.AsText {
			st = value.OfString(st.JSON())
		}
		args = args.With(reset.Argument, st)
	}
	res, err := e.tool(ctx, "reset", reset.Tool, args)
	if err != nil {
		return err
	}
	if res.IsError {
		return e.fail(faultf(Protocol, "reset", "the tool %s refused: %s", reset.Tool, quote(res.Value.Python())))
	}
	return nil
}

// open starts the server where it is a program, connects, and lists its tools.
func (e *mcpEnv) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.config.Limits.Start)
	defer cancel()
	var transport mcp.Transport
	if e.config.URL != "" {
		// Each session has its own: what is left of an old one may not speak for it.
		e.tooLong = &atomic.Bool{}
		client := *e.client
		client.Transport = cappedBodies{client.Transport, e.config.Limits.MaxReply, e.tooLong}
		transport = &mcp.StreamableClientTransport{
			Endpoint: e.config.URL, HTTPClient: &client, MaxRetries: -1,
			DisableStandaloneSSE: true,
			// The bodies themselves are bounded.
			MaxEventSize: -1,
		}
	} else {
		proc, err := e.command.start()
		if err != nil {
			return startFault(e.command.argv, err)
		}
		e.proc, e.conn = proc, &stdioConn{proc: proc, most: e.config.Limits.MaxReply}
		transport = e.conn
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: mcpProtocol})
	if err != nil {
		return e.fault(ctx, "start", err)
	}
	e.session = session
	return e.list(ctx)
}

// list learns the server's tools, and that those named in the config are there.
func (e *mcpEnv) list(ctx context.Context) error {
	e.tools = map[string]bool{}
	for t, err := range e.session.Tools(ctx, nil) {
		if err != nil {
			return e.fault(ctx, "start", err)
		}
		e.tools[t.Name] = t.Annotations != nil && t.Annotations.ReadOnlyHint
	}
	for _, r := range e.config.Reads {
		if _, ok := e.tools[r]; ok {
			e.tools[r] = true
		}
	}
	for _, p := range []struct{ key, name string }{{"reset", e.config.Reset.Tool}, {"snapshot", e.config.Snapshot.Tool}} {
		if _, ok := e.tools[p.name]; p.name != "" && !ok {
			return e.fail(faultf(ConfigFault, "start", "%s.tool: the server has no tool %q", p.key, p.name))
		}
	}
	return nil
}

// Call implements Environment.
func (e *mcpEnv) Call(ctx context.Context, name string, args value.Value) (Result, error) {
	op := "call " + name
	if e.session == nil {
		return Result{}, faultf(Crash, op, "the environment is not running: reset comes first")
	}
	reads, ok := e.tools[name]
	if !ok {
		return Result{Value: value.OfString("unknown tool " + name), IsError: true, Unknown: true, Tracked: true}, nil
	}
	limited, cancel := context.WithTimeout(ctx, e.config.Limits.Call)
	defer cancel()
	res, err := e.tool(limited, op, name, args)
	if err != nil {
		return Result{}, err
	}
	switch {
	case e.config.Track == TrackEnd:
		e.known = false
	case reads:
		res.Tracked = true
	default:
		before, known := e.current, e.known
		after, err := e.Snapshot(ctx)
		if err != nil {
			return Result{}, err
		}
		if known {
			res.Effects, res.Tracked = state.Compare(before, after, e.equality), true
		}
	}
	return res, nil
}

// fromServer reports whether an error was sent by the server, and its text; the
// library has three codes of its own for a connection that is gone.
func fromServer(ctx context.Context, err error) (string, bool) {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || ctx.Err() != nil {
		return "", false
	}
	switch wire.Code {
	case -32003, -32004, -32005:
		return "", false
	}
	return wire.Message, true
}

// tool calls a tool of the server.
func (e *mcpEnv) tool(ctx context.Context, op, name string, args value.Value) (Result, error) {
	got, err := e.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if message, ok := fromServer(ctx, err); ok {
		return Result{Value: value.OfString(message), IsError: true}, nil
	}
	if err != nil {
		return Result{}, e.fault(ctx, op, err)
	}
	result, err := e.result(got)
	if err != nil {
		return Result{}, e.fail(faultf(Protocol, op, "%v", err))
	}
	return Result{Value: content(result), IsError: got.IsError}, nil
}

// result is what a tool or a resource gave, as the server wrote it. Over HTTP the library
// has read it already: there whole floats are integers in structured content.
func (e *mcpEnv) result(got any) (value.Value, error) {
	if e.conn != nil {
		if v := e.conn.take(); !v.IsNull() {
			return v, nil
		}
	}
	text, err := json.Marshal(got)
	if err != nil {
		return value.Value{}, err
	}
	return value.Parse(text)
}

// content returns a tool's result: its text, or its structured content where there
// is no text. Text is preferred, for in it numbers keep their digits.
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

// Snapshot implements Environment.
func (e *mcpEnv) Snapshot(ctx context.Context) (value.Value, error) {
	if e.session == nil {
		return value.Value{}, faultf(Crash, "snapshot", "the environment is not running: reset comes first")
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Limits.Start)
	defer cancel()
	v, err := e.readState(ctx)
	if err != nil {
		return value.Value{}, err
	}
	if text, ok := v.Str(); ok {
		if v, err = e.texts.parse(text); err != nil {
			return value.Value{}, e.fail(faultf(Protocol, "snapshot", "the state is no JSON: %v: %s", err, quote(text)))
		}
	}
	e.current, e.known = v, true
	return v, nil
}

func (e *mcpEnv) readState(ctx context.Context) (value.Value, error) {
	if e.config.Snapshot.Resource != "" {
		return e.resource(ctx, "snapshot", e.config.Snapshot.Resource)
	}
	res, err := e.tool(ctx, "snapshot", e.config.Snapshot.Tool, value.OfObject())
	if err == nil && res.IsError {
		err = e.fail(faultf(Protocol, "snapshot", "the tool %s refused: %s", e.config.Snapshot.Tool, quote(res.Value.Python())))
	}
	return res.Value, err
}

// resource reads a resource's text.
func (e *mcpEnv) resource(ctx context.Context, op, uri string) (value.Value, error) {
	got, err := e.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		if message, ok := fromServer(ctx, err); ok {
			return value.Value{}, e.fail(faultf(Protocol, op, "resource %s: %s", uri, message))
		}
		return value.Value{}, e.fault(ctx, op, err)
	}
	result, err := e.result(got)
	if err != nil {
		return value.Value{}, e.fail(faultf(Protocol, op, "%v", err))
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

// fault turns a failed exchange into a fault, or into the context's error where
// the caller's context ended; the server is restarted at the next reset.
func (e *mcpEnv) fault(ctx context.Context, op string, err error) error {
	var f *Fault
	cause := context.Cause(ctx)
	switch {
	case e.overLong():
		f = faultf(Oversized, op, "the answer is longer than max_reply allows")
	case e.proc != nil && e.proc.overMemory.Load():
		f = faultf(Memory, op, "the process used more memory than max_memory allows")
	case errors.Is(cause, context.DeadlineExceeded):
		f = faultf(Hang, op, "no answer in time")
	case cause != nil:
		_ = e.fail(nil)
		return cause
	case e.proc != nil && lost(err):
		f = e.proc.explainEnd(op)
	case e.proc != nil:
		f = faultf(Protocol, op, "%v", err)
	default:
		f = faultf(Crash, op, "%v", err)
	}
	if e.proc != nil {
		f.Stderr = e.proc.stderr.lines()
	}
	return e.fail(f)
}

// lost reports whether the connection ended, as against an answer that is none. The
// library passes some of these errors on as text.
func lost(err error) bool {
	for _, sign := range []string{"EOF", "closed", "broken pipe", "client is closing"} {
		if strings.HasSuffix(err.Error(), sign) {
			return true
		}
	}
	return errors.Is(err, mcp.ErrConnectionClosed)
}

func (e *mcpEnv) overLong() bool {
	if e.proc != nil {
		return e.proc.tooLong.Load()
	}
	return e.tooLong != nil && e.tooLong.Load()
}

// fail drops the session, so that the next reset opens a new one, and returns err.
func (e *mcpEnv) fail(err error) error {
	e.drop()
	return err
}

func (e *mcpEnv) drop() {
	session, proc := e.session, e.proc
	e.session, e.proc, e.conn, e.known = nil, nil, nil, false
	if proc != nil {
		proc.kill()
	}
	if session != nil {
		// A server that hangs may not hold up the run: closing waits for nobody.
		go session.Close()
	}
}

// Close implements Environment.
func (e *mcpEnv) Close() error {
	if e.proc != nil {
		closeAll(e.proc.stdin)
		select {
		case <-e.proc.ended:
		case <-time.After(endGrace):
		}
	}
	e.drop()
	return nil
}
