package environment

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// scripted is an MCP server over HTTP that answers by hand. A key of answers is a method, or a method with the name
// of a tool or the address of a resource; its value is the rest of the reply, a result unless it names an error.
type scripted struct {
	mu      sync.Mutex
	answers map[string]string
	asked   []string
	client  string
}

const (
	resetTool    = `{"name":"reset","inputSchema":{"type":"object"}}`
	snapshotTool = `{"name":"snapshot","inputSchema":{"type":"object"}}`
)

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	req, err := value.Parse(body)
	id, asks := req.Get("id")
	if err != nil || !asks {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	method, params := req.Field("method").Text(), req.Field("params")
	if info := params.Field("clientInfo"); method == "initialize" {
		s.client = info.Field("name").Text() + " " + info.Field("version").Text()
	}
	key, found := method, ""
	if name := params.Field("name").Text() + params.Field("uri").Text() + params.Field("cursor").Text(); name != "" {
		key += " " + name
	}
	if method == "tools/call" || method == "resources/read" {
		s.asked = append(s.asked, strings.TrimSpace(key+" "+params.Field("arguments").JSON()))
	}
	for _, k := range []string{key, method} {
		if found == "" {
			found = s.answers[k]
		}
	}
	if found == "" {
		found = map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}`,
			"tools/list": `{"tools":[` + resetTool + `,` + snapshotTool + `]}`,
		}[method]
	}
	if !strings.HasPrefix(found, `"error"`) {
		found = `"result":` + found
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id.JSON(), found)
}

// serve returns a runner of a config over a server with these answers, and the server.
func serve(t *testing.T, c Config, answers map[string]string) (*mcpRunner, *scripted) {
	t.Helper()
	s := &scripted{answers: answers}
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	c.Type, c.URL = mcpKind, served.URL
	if c.Reset == (Endpoint{}) {
		c.Reset.Tool = "reset"
	}
	if c.Snapshot == (Endpoint{}) {
		c.Snapshot.Tool = "snapshot"
	}
	r, ok := faultMaker(t, c).environment().runner.(*mcpRunner)
	if !ok {
		t.Fatal("no runner for MCP")
	}
	t.Cleanup(func() { r.stop(true) })
	return r, s
}

func contentOf(text string) string {
	return `{"content":[{"type":"text","text":` + value.OfString(text).JSON() + `}]}`
}

// TestMCPTools: all pages of the server's tools are known, with those that only read.
func TestMCPTools(t *testing.T) {
	r, _ := serve(t, Config{Reads: []string{"look"}}, map[string]string{
		"tools/list": `{"tools":[` + resetTool + `,{"name":"get","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}],"nextCursor":"p2"}`,
		"tools/list p2": `{"tools":[` + snapshotTool + `,{"name":"look","inputSchema":{"type":"object"}},` +
			`{"name":"write","annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}}]}`,
	})
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"get": true, "look": true, "write": false, "reset": false, "none": false} {
		if r.readOnly(name) != want {
			t.Errorf("%s only reads: %v", name, !want)
		}
	}
	res, err := r.call(t.Context(), "none", value.OfObject())
	if err != nil || !res.IsError || !res.Unknown || res.Value.Text() != "unknown tool none" {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestMCPStartFails: a server that lacks what the config names, or refuses the beginning, is told with its reason.
func TestMCPStartFails(t *testing.T) {
	for _, tt := range []struct {
		config  Config
		answers map[string]string
		want    string
	}{
		{Config{Reset: Endpoint{Tool: "renew"}}, nil, `environment start: config: reset.tool: the server has no tool "renew"`},
		{Config{Snapshot: Endpoint{Tool: "dump"}}, nil, `environment start: config: snapshot.tool: the server has no tool "dump"`},
		{Config{Reset: Endpoint{Resource: "x://r"}, Snapshot: Endpoint{Resource: "x://s"}}, nil, ""},
		{Config{}, map[string]string{"initialize": `"error":{"code":-32000,"message":"not today"}`}, "environment start: crash: "},
		{Config{}, map[string]string{"tools/list": `"error":{"code":-32000,"message":"no list"}`}, "environment start: crash: "},
	} {
		r, _ := serve(t, tt.config, tt.answers)
		err := r.start(t.Context())
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || tt.want == "" || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestMCPReset: what a server is asked to begin from a state, and what a refusal is told as.
func TestMCPReset(t *testing.T) {
	const st = `{"a":1.50}`
	for _, tt := range []struct {
		reset  Endpoint
		answer string
		asked  string
		want   string
	}{
		{Endpoint{Tool: "reset"}, contentOf("ok"), `tools/call reset {}`, ""},
		{Endpoint{Tool: "reset", Argument: "db"}, contentOf("ok"), `tools/call reset {"db":{"a":1.50}}`, ""},
		{Endpoint{Tool: "reset", Argument: "db", AsText: true}, contentOf("ok"), `tools/call reset {"db":"{\"a\":1.50}"}`, ""},
		{Endpoint{Resource: "x://r"}, `{"contents":[]}`, `resources/read x://r null`, ""},
		{Endpoint{Tool: "reset"}, `{"isError":true,"content":[{"type":"text","text":"no such state"}]}`, `tools/call reset {}`,
			`environment reset: protocol: the tool reset refused: "no such state"`},
		{Endpoint{Tool: "reset"}, `"error":{"code":-32602,"message":"bad arguments"}`, `tools/call reset {}`,
			`environment reset: protocol: the tool reset refused: "bad arguments"`},
		{Endpoint{Resource: "x://r"}, `"error":{"code":-32002,"message":"not found"}`, `resources/read x://r null`,
			`environment reset: protocol: resource x://r: not found`},
	} {
		r, s := serve(t, Config{Reset: tt.reset}, map[string]string{"tools/call reset": tt.answer, "resources/read": tt.answer})
		if err := r.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := r.reset(t.Context(), objectOf(t, st)); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff([]string{tt.asked}, s.asked); diff != "" || got != tt.want {
			t.Errorf("%+v: %s, want %s\n%s", tt.reset, got, tt.want, diff)
		}
	}
}

// TestMCPResults: the agent sees a tool's texts, or its structured content if there is no text; an error of the
// server is the tool's, one of the connection is the environment's.
func TestMCPResults(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   string
		failed bool
		fault  string
	}{
		{contentOf("fine"), `"fine"`, false, ""},
		{`{"content":[{"type":"text","text":"a"},{"type":"image","data":"eA==","mimeType":"image/png"},{"type":"text","text":"b"}]}`, `"a\nb"`, false, ""},
		{`{"content":[{"type":"text","text":"a"}],"structuredContent":{"b":1}}`, `"a"`, false, ""},
		{`{"content":[],"structuredContent":{"b":1}}`, `{"b":1}`, false, ""},
		{`{"content":[]}`, `""`, false, ""},
		{`{"isError":true,"content":[{"type":"text","text":"no"}]}`, `"no"`, true, ""},
		{`"error":{"code":-32602,"message":"bad arguments"}`, `"bad arguments"`, true, ""},
		{`"error":{"code":-32003,"message":"gone"}`, "", false, "environment call reset: crash: "},
		{`"error":{"code":-32004,"message":"gone"}`, "", false, "environment call reset: crash: "},
		{`"error":{"code":-32005,"message":"gone"}`, "", false, "environment call reset: crash: "},
		{contentOf(strings.Repeat("x", 3000)), "", false, "environment call reset: oversized: the answer is longer than max_reply allows"},
	} {
		r, s := serve(t, Config{Limits: Limits{MaxReply: 2000}}, map[string]string{"tools/call": tt.answer})
		if err := r.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.client != "judge 1" {
			t.Errorf("it calls itself %s", s.client)
		}
		res, err := r.call(t.Context(), "reset", value.OfObject())
		if tt.fault != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.fault) {
				t.Errorf("%s: %v", tt.answer, err)
			}
			continue
		}
		if err != nil || res.Value.JSON() != tt.want || res.IsError != tt.failed || res.Unknown {
			t.Errorf("%s: %s %v, %v", tt.answer, res.Value.JSON(), res.IsError, err)
		}
	}
}

// TestMCPInterrupted: an error that arrives when nobody waits any more is not the tool's.
func TestMCPInterrupted(t *testing.T) {
	r, _ := serve(t, Config{}, map[string]string{"tools/call": contentOf("fine")})
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTimeout)
	_, err := r.call(ctx, "reset", value.OfObject())
	if want := "environment call reset: hang: no answer in time"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestMCPSnapshot: the state is JSON, in the text of a tool or resource, in its bytes, or as structured content.
func TestMCPSnapshot(t *testing.T) {
	tool, resource := Endpoint{Tool: "snapshot"}, Endpoint{Resource: "x://s"}
	for _, tt := range []struct {
		of     Endpoint
		answer string
		want   string
	}{
		{tool, contentOf(`{"a":1.50}`), `{"a":1.50}`},
		{tool, `{"content":[],"structuredContent":{"a":2}}`, `{"a":2}`},
		{tool, contentOf(`{"a":`), `environment snapshot: protocol: the state is no JSON: json: text ends early at byte 5: unexpected EOF: "{\"a\":"`},
		{tool, contentOf(""), `environment snapshot: protocol: the state is no JSON: it is empty: ""`},
		{tool, `{"isError":true,"content":[{"type":"text","text":"busy"}]}`, `environment snapshot: protocol: the tool snapshot refused: "busy"`},
		{resource, `{"contents":[{"uri":"x://s","text":"{\"a\":1"},{"uri":"x://s","text":".50}"}]}`, `{"a":1.50}`},
		{resource, `{"contents":[{"uri":"x://s","blob":"eyJhIjozfQ=="}]}`, `{"a":3}`},
		{resource, `{"contents":[]}`, `environment snapshot: protocol: the state is no JSON: it is empty: ""`},
		{resource, `"error":{"code":-32002,"message":"not found"}`, `environment snapshot: protocol: resource x://s: not found`},
		{resource, `"error":{"code":-32004,"message":"gone"}`, `environment snapshot: crash: `},
	} {
		r, s := serve(t, Config{Snapshot: tt.of}, map[string]string{"tools/call": tt.answer, "resources/read": tt.answer})
		if err := r.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		v, err := r.snapshot(t.Context())
		got := v.JSON()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && !(strings.HasSuffix(tt.want, ": ") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %s, want %s", tt.answer, got, tt.want)
		}
		if asked := strings.Join(s.asked, "; "); asked != "tools/call snapshot {}" && asked != "resources/read x://s null" {
			t.Errorf("asked %s", asked)
		}
	}
}
