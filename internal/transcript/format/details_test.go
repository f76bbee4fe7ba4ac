package format

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// awsHeader returns a header of a message in an AWS event stream.
func awsHeader(name string, kind byte, text string) string {
	return string([]byte{byte(len(name))}) + name + string([]byte{kind, 0, byte(len(text))}) + text
}

// TestTypesOfAWSEvents: the header :event-type is found behind others, and headers that are cut have none.
func TestTypesOfAWSEvents(t *testing.T) {
	chunk := awsHeader(":event-type", 7, "chunk")
	for headers, want := range map[string]string{
		chunk: "chunk", awsHeader(":content-type", 7, "json") + chunk: "chunk", awsHeader("a", 7, "") + chunk: "chunk",
		awsHeader(":event-type", 7, ""): "", awsHeader(":event-type", 6, "chunk"): "", awsHeader("a", 6, "b") + chunk: "",
		chunk[:len(chunk)-1]: "", chunk[:14]: "", chunk[:5]: "", "": "", awsHeader("a", 7, "b"): "",
		awsHeader("", 7, "b") + chunk: "chunk",
	} {
		if got := awsEventType([]byte(headers)); got != want {
			t.Errorf("%q has the type %q, want %q", headers, got, want)
		}
	}
}

// awsMessage returns a message of an AWS event stream with these headers and this content.
func awsMessage(headers, content string) string {
	data := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(content)))
	data = binary.BigEndian.AppendUint32(data, uint32(len(headers)))
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
	return string(data) + headers + content + "\x00\x00\x00\x00"
}

// TestEventsOfAWS: the pieces of a reply in a stream, up to where it is cut or damaged.
func TestEventsOfAWS(t *testing.T) {
	delta := awsMessage(awsHeader(":event-type", 7, "contentBlockDelta"), `{"contentBlockIndex":0,"delta":{"text":"a"}}`)
	other := awsMessage(awsHeader(":event-type", 7, "messageStop"), `{"stopReason":"end_turn"}`)
	own := awsMessage(awsHeader(":event-type", 7, "chunk"), `{"bytes":"`+base64.StdEncoding.EncodeToString(
		[]byte(`{"type":"message_start","message":{"id":"m"}}`))+`"}`)
	const (
		text  = `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"a"}}}`
		start = `{"type":"message_start","message":{"id":"m"}}`
	)
	headersTooLong := []byte(awsMessage("", ""))
	binary.BigEndian.PutUint32(headersTooLong[4:], 1)
	binary.BigEndian.PutUint32(headersTooLong[8:], crc32.ChecksumIEEE(headersTooLong[:8]))
	for _, tt := range []struct{ data, want string }{
		{delta, text}, {delta + own, text + "\n" + start}, {other + delta, text}, {"", ""},
		{delta + own[:len(own)-1], text}, {delta + "x", text},
		{delta + strings.Replace(delta, "\x00", "\x01", 1), text},
		{awsMessage("", "") + delta, text}, {awsMessage("", `{"a"`) + delta, text},
		{string(headersTooLong) + delta, ""}, {delta + string(headersTooLong) + "x", text},
		{awsMessage(awsHeader(":event-type", 7, "chunk"), `{"bytes":"e30="}`) + own, start},
	} {
		var got []string
		for _, e := range awsEvents([]byte(tt.data)) {
			got = append(got, e.JSON())
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%q has the events %q, want %q", tt.data, got, tt.want)
		}
	}
	if !isAWSStream([]byte(awsMessage("", "")+"x")) || isAWSStream([]byte(awsMessage("", ""))) {
		t.Error("a stream is longer than the frame of a message")
	}
}

// TestBeginningsOfExports: what tells an export in protobuf, and one after its size, from a text.
func TestBeginningsOfExports(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for head, want := range map[string]bool{
		"\n\x01\x02": true, "\n\x01": false, "\v\x01\x02": false, "\n{\"a\":1}": false, "\na\tb\rc\nd e": false,
		"\n" + a(63) + "\x01": true, "\n" + a(64) + "\x01": false, "\n \t\r\n" + a(63) + "\x01": true, "\na\x1f": true,
	} {
		if got := isExport([]byte(head)); got != want {
			t.Errorf("%q begins an export: %t", head, got)
		}
	}
	for head, want := range map[string]bool{
		"\x00\x00\x00\x05\n\x01\x02\x03": true, "\x00\x00\x00\x04\n\x01\x02\x03": false, "\x00\x00\x00\x05\n\x01\x02": false,
		"\x0f\x00\x00\x05\n\x01\x02\x03": true, "\x10\x00\x00\x05\n\x01\x02\x03": false,
		"\x00\x00\x00\x05" + container.ZstdMagic: true, "\x00\x00\x00\x04" + container.ZstdMagic: false,
		"\x00\x00\x00\x11" + `{"resourceSpans`: true, "\x00\x00\x00\x10" + `{"resourceSpans`: false,
		"\x00\x00\x00\x11" + `{"messages":[]}`: false,
	} {
		if got := isSized([]byte(head)); got != want {
			t.Errorf("%q begins with a size: %t", head, got)
		}
	}
}

// TestExportsOverTheLimit: an export of exactly the limit is read, a longer one is refused before it is read.
func TestExportsOverTheLimit(t *testing.T) {
	one := `{"resourceSpans":[]}` + "\n"
	for _, tt := range []struct {
		open  func(*bufio.Reader, int) (io.Reader, error)
		file  string
		limit int
		want  string
	}{
		{openSized, string(sized([]byte(one))), len(one), `{"resourceSpans":[]} `},
		{openSized, string(sized([]byte(one))), len(one) - 1, "an export of 21 bytes is longer than the limit of 20"},
		{openSized, "\xff\xff\xff\xff", 20, "an export of 4294967295 bytes is longer than the limit of 20"},
		{openExport, one, len(one), `{"resourceSpans":[]} `},
		{openExport, one, len(one) - 1, "the export is longer than the limit of 20 bytes"},
		{openExport, "", 20, ""},
		{openExport, "\n\x05a", 20, "an export cannot be read: damaged protobuf\ndamaged protobuf"},
		{openExport, container.ZstdMagic + "xx", 20, "an export cannot be read: reserved bit set on frame header"},
		{openSized, "\x00\x00\x00\x02\n", 20, "the file ends inside of this record: it is cut short"},
		{openSized, "\x00\x00", 20, "the file ends inside of this record: it is cut short"},
	} {
		in, err := tt.open(bufio.NewReader(strings.NewReader(tt.file)), tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		got := strings.TrimSuffix(string(data), "\n")
		var broken *container.Broken
		if errors.As(err, &broken) {
			got += broken.Message
		} else if err != nil {
			got += err.Error()
		}
		if got != tt.want {
			t.Errorf("%q up to %d reads as %q, want %q", tt.file, tt.limit, got, tt.want)
		}
	}
}

// TestALogOverTheSpoolIsRefused: the piece that would make the spool too large is an error that stays.
func TestALogOverTheSpoolIsRefused(t *testing.T) {
	g := &grouper{names: map[string]int32{}, spool: container.Spool{Size: spoolFile}}
	g.add(part{text: "x", trace: "t"})
	g.add(part{text: "x", alone: true})
	g.add(part{trace: "t"})
	const want = "the log holds more than 64 GiB to be sorted by conversation: divide it"
	var broken *container.Broken
	if !errors.As(g.err, &broken) || broken.Message != want {
		t.Errorf("the error is %v", g.err)
	}
	if len(g.pieces) != 0 || len(g.ready) != 0 || g.spool.Size != spoolFile {
		t.Errorf("%d pieces and %d conversations were taken", len(g.pieces), len(g.ready))
	}
}

// TestPiecesOfABrokenLog: what was read before the damage is grouped, and the damage is told before the groups.
func TestPiecesOfABrokenLog(t *testing.T) {
	boom := errors.New("disk on fire")
	for want, err := range map[string]error{"m | [1] | EOF": &container.Broken{Message: "m"}, "[1] | EOF": io.EOF,
		"disk on fire": boom} {
		read := false
		g := &grouper{format: &format{parts: wholeFile}, limit: 100, names: map[string]int32{},
			in: func() (container.Record, error) {
				if read {
					return container.Record{}, err
				}
				read = true
				return container.Record{Text: "1"}, nil
			}}
		var got []string
		for {
			it, err := g.next()
			if err != nil {
				got = append(got, err.Error())
				break
			}
			got = append(got, it.Text+it.Problem)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%v gives %q, want %q", err, got, want)
		}
	}
}

// unended is a context that has an error and does not tell when.
type unended struct{ context.Context }

func (unended) Err() error { return context.Canceled }

// TestPoolWithoutABatch: a pool that is stopped, or whose reader was, returns the context's error.
func TestPoolWithoutABatch(t *testing.T) {
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	closed := make(chan *batch)
	close(closed)
	for _, p := range []*pool{{ctx: stopped}, {ctx: unended{context.Background()}, order: closed}} {
		p.current = &batch{}
		if out, err := p.next(); !errors.Is(err, context.Canceled) || out.conversation != nil {
			t.Errorf("the next is %+v, %v", out, err)
		}
	}
}

// endless is a file of n blanks under each name.
type endless struct {
	fstest.MapFS
	n int64
}

type endlessFile struct {
	fs.File
	io.Reader
}

func (f endlessFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.MapFS.Open(name)
	return endlessFile{f, io.LimitReader(blanks{}, e.n)}, err
}

// TestBrokenTau2Directories: what of a directory cannot be read is told, with the name of the file.
func TestBrokenTau2Directories(t *testing.T) {
	index := func(text string) fstest.MapFS { return fstest.MapFS{"results.json": {Data: []byte(text)}} }
	for want, dir := range map[string]fstest.MapFS{
		"open results.json: file does not exist":                        {},
		"open simulations: file does not exist":                         index(`{}`),
		"results.json: json: text ends early at byte 1: unexpected EOF": index(`{`),
		"results.json: json: text ends early at byte 0: unexpected EOF": index(``),
	} {
		if in, err := OpenTau2Directory(dir); in != nil || err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, dir := range []fstest.MapFS{{}, index(`{}`), {"results.json": {}, "simulations": {}},
		{"results.json/a": {}, "simulations/a.json": {}}} {
		if IsTau2Directory(dir) {
			t.Errorf("%v is taken for a directory of tau2", dir)
		}
	}
	named := fstest.MapFS{"simulations/a.json": {}, "simulations/b.json": {}, "simulations/c.txt": {},
		"simulations/d.json/e": {}}
	for index, want := range map[string]tau2Directory{
		`["a","b.json"]`: {names: []string{"a.json", "b.json"}},
		`[{"file":"simulations/a.json"},{"path":"b"}]`: {names: []string{"a.json", "b.json"}},
		`[{"filename":"b"},{"simulation_id":"a"}]`:     {names: []string{"b.json", "a.json"}},
		`["a","a","c.txt","d"]`: {names: []string{"a.json", "b.json"}, problems: []string{
			"the index names a simulation a.json (entry 1) that is missing",
			"the index names a simulation c.txt.json (entry 2) that is missing",
			"the index names a simulation d.json (entry 3) that is missing",
			"the index does not name b.json, which was read"}},
		`null`: {names: []string{"a.json", "b.json"}},
	} {
		got := tau2Directory{dir: named}
		if err := got.list(mustParse(t, index)); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([][]string{want.names, want.problems}, [][]string{got.names, got.problems}); diff != "" {
			t.Errorf("%s: %s", index, diff)
		}
	}
	file := index("")
	if data, err := readLimited(endless{file, defaultMaxConversationBytes}, "results.json"); err != nil ||
		len(data) != 67108864 {
		t.Errorf("%d bytes were read, %v", len(data), err)
	}
	if _, err := readLimited(endless{file, defaultMaxConversationBytes + 1}, "results.json"); err == nil ||
		err.Error() != "results.json is longer than the limit of 67108864 bytes" {
		t.Errorf("the error is %v", err)
	}
}

// TestActionsOfTau2: two lists of actions are the same if the parts that count are.
func TestActionsOfTau2(t *testing.T) {
	const one = `{"name":"f","arguments":{"q":7},"requestor":"user","compare_args":["q"]}`
	for other, want := range map[string]bool{
		`[` + one + `]`: true, `[]`: false, `[` + one + `,` + one + `]`: false,
		`[{"name":"f","arguments":{"q":7},"requestor":"user","compare_args":["q"],"action_id":"1"}]`: true,
		`[{"name":"g","arguments":{"q":7},"requestor":"user","compare_args":["q"]}]`:                 false,
		`[{"name":"f","arguments":{"q":8},"requestor":"user","compare_args":["q"]}]`:                 false,
		`[{"name":"f","arguments":{"q":7},"requestor":"assistant","compare_args":["q"]}]`:            false,
		`[{"name":"f","arguments":{"q":7},"requestor":"user","compare_args":[]}]`:                    false,
	} {
		if got := sameActions(mustParse(t, `[`+one+`]`), mustParse(t, other)); got != want {
			t.Errorf("%s is the same: %t", other, got)
		}
	}
	for traces, want := range map[string]bool{
		`{}`: true, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a"}]}]}]}`: true,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"},{"spanId":"a"}]}]}]}`:              false,
		`{"resourceSpans":[{},{"scopeSpans":[{},{"spans":[]},{"spans":[{"name":"a"}]}]}]}`:          false,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":""}]},{"spans":[{"spanId":"a"}]}]}]}`: false,
	} {
		if got := haveIDs(mustParse(t, traces)); got != want {
			t.Errorf("%s have ids: %t", traces, got)
		}
	}
}

// TestEventsOfAGUI: each event of the AG-UI protocol as the one of UI messages that says the same.
func TestEventsOfAGUI(t *testing.T) {
	for event, want := range map[string]string{
		`{"type":"RUN_STARTED","threadId":"t"}`:                       `{"type":"start","messageId":"t"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`: `{"type":"text-delta","id":"m","delta":"a"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}`:   `{"type":"text-delta","id":"m","delta":"a"}`,
		`{"type":"THINKING_TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`: `{"type":"reasoning-delta","id":"m",` +
			`"delta":"a"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"a"}`: `{"type":"reasoning-delta","id":"m",` +
			`"delta":"a"}`,
		`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","delta":"a"}`: `{"type":"reasoning-delta","id":"m",` +
			`"delta":"a"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"k","toolCallName":"find"}`: `{"type":"tool-input-start",` +
			`"toolCallId":"k","toolName":"find"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"k","delta":"{}"}`: `{"type":"tool-input-delta","toolCallId":"k",` +
			`"inputTextDelta":"{}"}`,
		`{"type":"TOOL_CALL_RESULT","toolCallId":"k","content":"x"}`: `{"type":"tool-output-available",` +
			`"toolCallId":"k","output":"x"}`,
		`{"type":"RUN_FINISHED","threadId":"t"}`: `{"type":"RUN_FINISHED","threadId":"t"}`,
	} {
		if got := agUI(mustParse(t, event)).JSON(); got != want {
			t.Errorf("%s becomes %s, want %s", event, got, want)
		}
	}
}

// TestSpansOfRecords: the ids, times and failures of span records in each source's form.
func TestSpansOfRecords(t *testing.T) {
	type row struct {
		read         func(value.Value) *spanRecord
		record, want string
	}
	inTrace := func(v value.Value) *spanRecord { return mlflowSpan(v, "t") }
	for _, tt := range []row{
		{otlpLog, `{"traceId":"t","spanId":"s","timeUnixNano":"5","eventName":"n"}`, "t s  n 5 "},
		{otlpLog, `{"trace_id":"t","span_id":"s","time_unix_nano":"5","event_name":"n"}`, "t s  n 5 "},
		{otlpSpan, `{"traceId":"t","spanId":"s","parentSpanId":"p","name":"n","startTimeUnixNano":"5","status":{"code":2}}`,
			"t s p n 5 error"},
		{otlpSpan, `{"status":{"code":"STATUS_CODE_ERROR","message":"gone"}}`, "     gone"},
		{otlpSpan, `{"status":{"code":1,"message":"gone"}}`, "     "},
		{jaegerSpan, `{"traceID":"t","spanID":"s","operationName":"n","startTime":5,"references":[{"refType":"CHILD_OF",` +
			`"spanID":"p"},{"refType":"FOLLOWS_FROM","spanID":"q"}],"tags":[{"key":"otel.status_code","value":"ERROR"}]}`,
			"t s p n 5 error"},
		{jaegerSpan, `{"tags":[{"key":"otel.status_code","value":"ERROR"},{"key":"otel.status_description",` +
			`"value":"gone"}]}`, "     gone"},
		{jaegerSpan, `{"tags":[{"key":"otel.status_code","value":"OK"},{"key":"otel.status_description",` +
			`"value":"gone"}]}`, "     "},
		{runSpan, `{"id":"r","name":"n","start_time":"5","error":"gone"}`, "r r  n 5 gone"},
		{inTrace, `{"span_id":"s","parent_id":"p","name":"n","start_time_unix_nano":"5","status":{"code":"STATUS_CODE_ERROR"}}`,
			"t s p n 5 error"},
		{inTrace, `{"context":{"span_id":"s"},"parent_span_id":"p","name":"n","start_time":"5","status_code":"ERROR",` +
			`"status_message":"gone"}`, "t s p n 5 gone"},
		{inTrace, `{"span_id":"s","status_code":"OK","status_message":"gone"}`, "t s    "},
		{runSpan, `{"trace_id":"t","id":"r","parent_run_id":"p","dotted_order":"1Zt.2Zq.3Zs"}`, "t r p  1Zt.2Zq.3Zs "},
		{runSpan, `{"trace_id":"t","dotted_order":"1Zt.2Zq.3Zs"}`, "t s q  1Zt.2Zq.3Zs "},
		{runSpan, `{"trace_id":"t","dotted_order":"1Zt"}`, "t t   1Zt "},
	} {
		s := tt.read(mustParse(t, tt.record))
		if got := strings.Join([]string{s.trace, s.id, s.parent, s.name, s.start, s.failure}, " "); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.record, got, tt.want)
		}
	}
	for _, key := range []string{"session_id", "thread_id", "conversation_id"} {
		run := `{"id":"r","run_type":"llm","extra":{"metadata":{"` + key + `":"s1"}},"inputs":{},"outputs":{}}`
		runSpan(mustParse(t, run)).add(func(p part) {
			if p.conversation != "s1" {
				t.Errorf("a run with %s belongs to %q", key, p.conversation)
			}
		})
	}
}

// TestAttributesOfSmolagents: what repeats a step or closes its code is removed.
func TestAttributesOfSmolagents(t *testing.T) {
	const attrs = `"a.message.role":"tool-call","a.message.content":"x","b.message.role":"tool-response",` +
		`"b.message.content":" y<end_code> ","c.message.role":"user","c.message.content":"z</code>","d.message.n":5`
	const kept = `"b.message.role":"user","b.message.content":"y","c.message.role":"user","c.message.content":"z",` +
		`"d.message.n":5}`
	for _, tt := range []struct{ scope, attrs, want string }{
		{"openinference.smolagents", `{` + attrs + `}`, `{` + kept},
		{"", `{"input.value":"[<MessageRole.USER: 'user'>]",` + attrs + `}`, `{"input.value":"[<MessageRole.USER: 'user'>]",` + kept},
		{"smolagents.other", `{` + attrs + `}`, `{` + attrs + `}`},
	} {
		s := spanRecord{scope: tt.scope, attrs: mustParse(t, tt.attrs)}
		if smolagentsSpan(&s); s.attrs.JSON() != tt.want {
			t.Errorf("%s with %s keeps %s", tt.scope, tt.attrs, s.attrs.JSON())
		}
	}
}

// TestFlatRecords: a span with plain attributes, and a log record, which belongs to its span.
func TestFlatRecords(t *testing.T) {
	for record, want := range map[string]string{
		`{"traceId":"t","spanId":"s","timeUnixNano":"5","attributes":{"event.name":"gen_ai.user.message"},` +
			`"body":{"content":"a"}}`: `t  s {"trace_id":"t","span_id":"s","start":"5",` +
			`"attributes":{"event.name":"gen_ai.user.message"},"log":true,"events":[{"name":"gen_ai.user.message",` +
			`"attributes":{"event.name":"gen_ai.user.message"},"body":{"content":"a"}}]}`,
		`{"name":"n","context":{"trace_id":"0xt","span_id":"0xs"},"parent_id":"0xp","start_time":"5","attributes":{},` +
			`"status":{"status_code":"ERROR","description":"gone"},"body":{"content":"a"}}`: `t s p {"trace_id":"t",` +
			`"span_id":"s","parent_id":"p","name":"n","start":"5","error":"gone","attributes":{}}`,
		`{"name":"n","spanContext":{"traceId":"t","spanId":"s"},"parentSpanContext":{"spanId":"p"},"startTime":[5,7],` +
			`"attributes":{},"status":{"code":2}}`: `t s p {"trace_id":"t","span_id":"s","parent_id":"p","name":"n",` +
			`"start":"5000000007","error":"error","attributes":{}}`,
	} {
		flatParts(mustParse(t, record), func(p part) {
			if got := p.trace + " " + p.id + " " + p.parent + " " + p.text; got != want {
				t.Errorf("%s\nis    %s\nwant %s", record, got, want)
			}
		})
	}
}

// TestArgumentsOfDeepEvalTools: where a tool's span has its arguments, its result and its failure.
func TestArgumentsOfDeepEvalTools(t *testing.T) {
	for record, want := range map[string]string{
		`{"name":"Function tool: f","input":{"q":7},"output":"x","toolsCalled":[{"inputParameters":{}}]}`: `f {"q":7} "x" `,
		`{"name":"f","input":{"q":7},"output":"x","toolsCalled":[{"inputParameters":{"q":8}}]}`:           `f {"q":8} "x" `,
		`{"name":"f","input":"{\"q\":7}","output":{"tool_output":{"raw_output":"x"}}}`:                    `f {"q":7} "x" `,
		`{"name":"f","input":{"kwargs":{"q":7}},"output":"x"}`:                                            `f {"q":7} "x" `,
		`{"name":"f","input":{"kwargs":5,"q":7}}`: `f {"kwargs":5,` +
			`"q":7} null `,
		`{"name":"f","input":{"args":[{"q":7}]},"output":"x"}`:                                `f {"q":7} "x" `,
		`{"name":"f","output":"x","toolsCalled":[{"inputParameters":{}}],"status":"ERRORED"}`: `f {} "x" error`,
		`{"name":"f","input":{},"output":"x","status":"ERRORED","error":"gone"}`:              `f {} "x" gone`,
		`{"name":"f","input":{},"output":"x","status":"SUCCESS","error":"gone"}`:              `f {} "x" `,
	} {
		r := telemetry{views: views{draft: &draft{Conversation: &transcript.Conversation{}}}, byID: map[string]*span{}}
		r.deepEvalTool(mustParse(t, record))
		s := r.tools[0]
		got := strings.Join([]string{s.field("name").Text(), s.attrs.Field("gen_ai.tool.call.arguments").JSON(),
			s.attrs.Field("gen_ai.tool.call.result").JSON(), s.field("error").Text()}, " ")
		if got != want {
			t.Errorf("%s is %s, want %s", record, got, want)
		}
	}
}

// TestFieldsOfGuessedCalls: the keys of a call's name, arguments, id and result that are found in a step.
func TestFieldsOfGuessedCalls(t *testing.T) {
	for step, want := range map[string]map[string]string{
		`{"action":{"tool":"f","args":{},"result":"x"},"observation":"y"}`: {"call.name": "$.action.tool",
			"call.arguments": "$.action.args", "call.result": "$.observation"},
		`{"action":{"tool":"f","args":{},"result":"x"},"observed":{"a":1}}`: {"call.name": "$.action.tool",
			"call.arguments": "$.action.args", "call.result": "$.observed"},
		`{"action":{"tool":"f","args":{},"result":"x"},"note":"y"}`: {"call.name": "$.action.tool",
			"call.arguments": "$.action.args", "call.result": "$.action.result"},
		`{"tool":"f","params":{},"id":"k","result":"x","output":"y"}`: {"call.name": "$.tool", "call.arguments": "$.params",
			"call.id": "$.id", "call.result": "$.result"},
		`{"action":"f","action_input":"{}"}`: {"call.name": "$.action", "call.arguments": "$.action_input"},
		`{"action":"f","action_input":"x"}`:  nil, `{"action":"f"}`: nil, `{"args":{}}`: nil, `{"tool":"","args":{}}`: nil,
		`{"a":[{"tool":"f","args":{}}]}`: nil,
	} {
		if diff := cmp.Diff(want, callTargets(mustParse(t, step))); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	for calls, want := range map[string]string{
		`[{"f":"a","x":"1"},{"f":"a","x":"2"}]`: "x", `[{"f":"a","x":"1"},{"f":"a","x":"1"}]`: "",
		`[{"f":"a","x":"one word"},{"f":"a","x":"two words"}]`: "", `[{"f":"a","x":1},{"f":"a","x":2}]`: "",
		`[{"f":"a","x":"1"},{"f":"a"}]`: "",
	} {
		c := candidate{keys: map[string]string{"call.name": "f"}, says: map[transcript.Role]bool{transcript.ToolRole: true},
			calls: mustParse(t, calls).Slice()}
		if c.others(); c.keys["call.id"] != want {
			t.Errorf("%s has the id %q, want %q", calls, c.keys["call.id"], want)
		}
	}
}

// TestNamesOfGuessedCalls: the first text that is a name, unless the key of a later one says so.
func TestNamesOfGuessedCalls(t *testing.T) {
	for call, want := range map[string]string{
		`{"a":"x","b":"y","how":{}}`: "a how ", `{"a":"x","name":"y","how":{}}`: "name how ",
		`{"name":"y","a":"x","how":{}}`: "name how ", `{"fn":"y","name":"x","how":{}}`: "fn how ",
		`{"a":"two words","b":"y","how":{},"with":{}}`: "b how ", `{"ref":"k","a":"x","how":"{}"}`: "a how ref",
		`{"id":5,"a":"x","how":{},"result":"y"}`: "a how id", `{"id":[],"a":"x","how":{}}`: "a how ", `{"a":"x"}`: "  ",
		`{"how":{}}`: "  ", `{"output":"x","how":{}}`: "  ", `{"name":"x","result":{}}`: "  ",
	} {
		c := candidate{keys: map[string]string{}}
		found := c.call(mustParse(t, call))
		got := c.keys["call.name"] + " " + c.keys["call.arguments"] + " " + c.keys["call.id"]
		if got != want || found != (want != "  ") || found != (len(c.calls) == 1) {
			t.Errorf("%s is a call: %t, %q, want %q", call, found, got, want)
		}
	}
}

// TestMappingsOfWholeLists: whether the list in a file is one record of a mapping or holds a record each.
func TestMappingsOfWholeLists(t *testing.T) {
	for _, tt := range []struct {
		targets map[string]string
		want    bool
	}{
		{map[string]string{"messages": "$[*]"}, true}, {map[string]string{"messages": "$.a[*]"}, false},
		{map[string]string{"messages": "$[*]", "records": "$.a[*]"}, false},
		{map[string]string{"messages": "$.a[*]", "records": "$[*]"}, true},
		{map[string]string{"messages": "$[*]", "group": "$.a"}, false}, {map[string]string{"group": "$.a"}, false},
	} {
		m, err := ParseMapping(tt.targets)
		if err != nil {
			t.Fatal(err)
		}
		bare := m.format().bare
		if got := bare != nil && bare(value.Value{}); got != tt.want {
			t.Errorf("%v: the list is one record: %t", tt.targets, got)
		}
	}
}

// TestKnownCalls: a message is known if each of its calls is, apart from calls of the server beside them.
func TestKnownCalls(t *testing.T) {
	k, j := transcript.Call{ID: "k", Name: "f"}, transcript.Call{ID: "j", Name: "f"}
	byServer := func(c transcript.Call, name string) transcript.Call {
		c.Executor, c.Name = "server", name
		return c
	}
	v := views{ids: map[string]bool{"k": true, callKey(&k): true}, results: map[string]bool{"k": true}}
	for i, tt := range []struct {
		calls []transcript.Call
		want  bool
	}{
		{[]transcript.Call{k}, true}, {[]transcript.Call{j}, false}, {[]transcript.Call{k, j}, false},
		{[]transcript.Call{j, k}, false}, {[]transcript.Call{byServer(k, "g")}, true}, {nil, false},
		{[]transcript.Call{byServer(j, "f")}, false}, {[]transcript.Call{byServer(j, "f"), k}, true},
		{[]transcript.Call{{Name: "f"}}, false},
	} {
		one := &draft{Conversation: &transcript.Conversation{Calls: tt.calls}}
		m := transcript.Message{Role: transcript.Assistant}
		for n := range tt.calls {
			m.Calls = append(m.Calls, n)
		}
		if got := v.knownCalls(one, &m); got != tt.want {
			t.Errorf("row %d is known: %t", i, got)
		}
	}
}

// TestSmallRulesOfReaders: rules of single readers that decide by a word or a kind.
func TestSmallRulesOfReaders(t *testing.T) {
	for name, want := range map[string]bool{"f": true, "a.b-c/d_1": true, "": false, "a b": false,
		strings.Repeat("a", textNameSize): true, strings.Repeat("a", textNameSize+1): false} {
		if got := isName(name); got != want {
			t.Errorf("%.20q is a name: %t", name, got)
		}
	}
	for text, want := range map[string]struct {
		n      int
		broken bool
	}{
		`{`: {1, false}, `{ `: {1, false}, `{5: 1}`: {1, false}, `{"a":1} x`: {7, false}, `{'a': None} x`: {11, false},
		`{"a":1`: {1, false}, `{"name":"f","arguments":{`: {1, true}, `{"name":"f",b} "arguments":`: {1, true},
		`{"name":"f","arguments":x} y`: {1, true}, `{ 'name': 'f', 'arguments': x}`: {1, true}, `{\"name\":1}`: {1, true}, `{"a":b} "name":`: {1, false},
		`{\"name\":\"f\",\"arguments\":{`: {1, true},
	} {
		if n, broken := brokenObject(text); n != want.n || broken != want.broken {
			t.Errorf("%q: %d of it, broken %t", text, n, broken)
		}
	}
	var names []transcript.Count
	for i := range maxNames {
		tally(&names, fmt.Sprintf("n%05d", i))
	}
	for _, name := range []string{"x", "y", "n00000", "x", otherNames} {
		tally(&names, name)
	}
	other, _ := slices.BinarySearchFunc(names, otherNames, func(c transcript.Count, name string) int {
		return strings.Compare(c.Name, name)
	})
	if len(names) != maxNames+1 || names[other] != (transcript.Count{Name: otherNames, Count: 4}) {
		t.Errorf("%d names, %v for the others", len(names), names[min(other, len(names)-1)])
	}
	many := search{listed: map[string]bool{}}
	for i := range 61 {
		many.describe(value.OfInt(int64(i)), step("$", "k"+value.OfInt(int64(i)).Text()))
		many.describe(value.OfInt(0), "$.k0")
	}
	if len(many.keys) != 60 || many.keys[0] != `$.k0: integer "0"` || many.keys[59] != `$.k59: integer "59"` {
		t.Errorf("%d places are listed: %q", len(many.keys), many.keys)
	}
	for line, want := range map[string]bool{"tool.call": true, "tool.execution_start": false,
		"tool.execution_complete": false, "tool.user_requested": false, "user.message": false, "tool.": true, "tool": false} {
		if got := otherToolLine(value.Pairs("type", line)); got != want {
			t.Errorf("%s is of another program: %t", line, got)
		}
	}
	for _, c := range "azAZ09_.-/`{@[: ,(é" {
		if got, want := inName(c), strings.ContainsRune("azAZ09_.-/", c); got != want {
			t.Errorf("%q in a name: %t", c, got)
		}
	}
	for parts, want := range map[string][2]bool{
		`[{"type":"text","text":"a"}]`:                             {true, false},
		`[{"type":"tool_result","tool_use_id":"k","content":"x"}]`: {true, true},
		`[{"type":"text","text":"a"},5]`:                           {false, false},
		`[{"a":1}]`:                                                {false, false},
		`[]`:                                                       {false, false}, `"a"`: {false, false},
		`[{"type":"tool_result","tool_use_id":"k","content":"x"},{"type":"text","text":"a"}]`: {true, false},
	} {
		for i, role := range []string{"user", "tool"} {
			if got := areParts(mustParse(t, parts), role); got != want[i] {
				t.Errorf("%s are parts of the role %s: %t", parts, role, got)
			}
		}
	}
	for text, want := range map[string]bool{`{"a":null}`: true, `{'a': None}`: true, `{a:1}`: false, `[1`: false} {
		if got := isValue(text); got != want {
			t.Errorf("%s is a value: %t", text, got)
		}
	}
	for times, want := range map[string]string{`{"a":[5,7],"b":"9"}`: "5000000007", `{"a":0,"b":"9"}`: "9",
		`{"a":"","b":8}`: "8", `{"a":"7","b":8}`: "7", `{}`: ""} {
		if got := flatTime(mustParse(t, times), "a", "b"); got != want {
			t.Errorf("the time of %s is %s", times, got)
		}
	}
	for m, want := range map[Material]string{{1, 1, 1}: "", {0, 2, 1}: "positive", {1, 0, 0}: "negative recovery",
		{}: "positive negative recovery", {3, 3, 0}: "recovery"} {
		if got := m.Missing(); got == nil || strings.Join(got, " ") != want {
			t.Errorf("%v misses %v, want %s", m, got, want)
		}
	}
}

// TestSummaryOfReferences: only a reference that lists no call is a negative case.
func TestSummaryOfReferences(t *testing.T) {
	var s Summary
	log := `{"id":"a","messages":[` + user + `],"expected_outputs":["x"]}
{"id":"b","messages":[` + user + `],"expected_calls":[]}
{"id":"c","messages":[` + user + `],"expected_calls":[{"name":"f"}]}`
	if err := s.Read(Open(context.Background(), "x.jsonl", strings.NewReader(log),
		Options{Format: native.name})); err != nil {
		t.Fatal(err)
	}
	if s.WithExpected != 3 || s.Negative != 1 || s.Expected != 1 {
		t.Errorf("%d references, %d of them negative, with %d calls", s.WithExpected, s.Negative, s.Expected)
	}
}

// TestConversationsOfHTTP: which exchanges of a recording belong together, and what of a reply counts as said.
func TestConversationsOfHTTP(t *testing.T) {
	of := func(messages string) part {
		var out part
		httpParts(mustParse(t, `{"request":{"url":"https://h/v1","body":{"messages":[`+messages+`]}},"response":{}}`),
			func(p part) { out = p })
		return out
	}
	a := func(n int) string { return strings.Repeat(`{"role":"assistant","content":"a"},`, n) }
	for i, tt := range []struct {
		a, b string
		same bool
	}{
		{`{"role":"user","content":"a","cache_control":{}}`, `{"role":"user","content":"a"}`, true},
		{`{"role":"user","content":[{"type":"text","text":"a","cache_control":{}}]}`,
			`{"role":"user","content":[{"type":"text","text":"a"}]}`, true},
		{`{"role":"user","content":"a"}`, `{"role":"user","content":"b"}`, false},
		{`{"role":"user","content":"a"}`, `{"role":"user","content":"a"},{"role":"user","content":"b"}`, true},
		{`{"role":"assistant","content":"x"},{"role":"user","content":"a"}`,
			`{"role":"assistant","content":"y"},{"role":"user","content":"a"}`, false},
		{`{"role":"system","content":"x"},{"role":"user","content":"a"}`,
			`{"role":"system","content":"y"},{"role":"user","content":"a"}`, false},
		{a(9) + `{"role":"assistant","content":"x"}`, a(9) + `{"role":"assistant","content":"y"}`, false},
		{a(10) + `{"role":"assistant","content":"x"}`, a(10) + `{"role":"assistant","content":"y"}`, true},
	} {
		if got := of(tt.a).conversation == of(tt.b).conversation; got != tt.same {
			t.Errorf("row %d: the same conversation: %t", i, got)
		}
	}
	prompt := func(input string) (conversation string) {
		httpParts(mustParse(t, `{"request":{"url":"u","body":{"input":`+input+`}},"response":{}}`),
			func(p part) { conversation = p.conversation })
		return conversation
	}
	if a := prompt(`"a"`); a != prompt(`[{"role":"user","content":"a"}]`) || a == prompt(`"b"`) {
		t.Error("a text is another conversation than the message with that text, or the same as another text")
	}
	const request = `{"request":{"url":"u","body":{"messages":[{"role":"user","content":"a"}],` +
		`"previous_response_id":"r0"}},"response":`
	const reply = `"body":{"id":"r1","choices":[{"message":{"role":"assistant","content":"x"}}]}`
	for record, want := range map[string]part{
		request + `{"status":200,` + reply + `}}`: {id: "r1", parent: "r0", says: []string{"x"}},
		request + `{"status":500,` + reply + `}}`: {parent: "r0"},
		request + `{"body":"oops"}}`:              {parent: "r0"},
		`{"request":{"url":"u","body":{"model":"m"}},"response":{` + reply + `}}`: {id: "r1", says: []string{"x"},
			alone: true},
	} {
		n := 0
		httpParts(mustParse(t, record), func(p part) {
			n++
			if p.id != want.id || p.parent != want.parent || p.alone != want.alone || len(p.says) != len(want.says) {
				t.Errorf("%s is the part %+v", record, p)
			}
		})
		if n != 1 {
			t.Errorf("%s has %d parts", record, n)
		}
	}
	embedding := `{"request":{"url":"u","body":{"input":[1,2]}},"response":{"body":{"data":[]}}}`
	httpParts(mustParse(t, embedding), func(p part) {
		t.Errorf("a request for embeddings is the part %+v", p)
	})
}

// TestBodiesOfADOT: what the bodies of a span's records say, as the attributes of a model's or a tool's call.
func TestBodiesOfADOT(t *testing.T) {
	message := func(content string) string { return `{"messages":[{"role":"user","content":` + content + `}]}` }
	for _, tt := range []struct{ in, out, want string }{
		{message(`{"content":"{\"inputs\":{\"q\":7}}"}`), message(`{"content":"{\"output\":{\"lc\":1,\"kwargs\":` +
			`{\"tool_call_id\":\"k\",\"name\":\"find\",\"content\":\"x\"}}}"}`),
			`{"gen_ai.tool.call.id":"k","gen_ai.tool.name":"find","gen_ai.operation.name":"execute_tool",` +
				`"gen_ai.tool.call.arguments":{"q":7},"gen_ai.tool.call.result":{"lc":1,"kwargs":{"tool_call_id":"k",` +
				`"name":"find","content":"x"}}}`},
		{message(`{"content":"{\"input\":{\"q\":7}}"}`), message(`{"content":"{\"output\":` +
			`{\"tool_call_id\":\"k\",\"name\":\"find\",\"content\":\"x\"}}"}`),
			`{"gen_ai.tool.call.id":"k","gen_ai.tool.name":"find","gen_ai.operation.name":"execute_tool",` +
				`"gen_ai.tool.call.arguments":{"q":7},"gen_ai.tool.call.result":{"tool_call_id":"k","name":"find","content":"x"}}`},
		{message(`{"content":"{\"q\":7}"}`), message(`{"content":"{\"output\":` +
			`{\"tool_call_id\":\"k\",\"content\":\"x\"}}"}`),
			`{"gen_ai.tool.call.id":"k","gen_ai.operation.name":"execute_tool","gen_ai.tool.call.arguments":{"q":7},` +
				`"gen_ai.tool.call.result":{"tool_call_id":"k","content":"x"}}`},
		{`{"messages":[{"role":"tool","content":{"id":"k","content":"{\"q\":7}"}}]}`, message(`{"message":"[{\"text\":` +
			`\"x\"}]"}`),
			`{"gen_ai.tool.call.id":"k","gen_ai.operation.name":"execute_tool","gen_ai.tool.call.arguments":{"q":7},` +
				`"gen_ai.tool.call.result":[{"type":"text","text":"x"}]}`},
		{message(`"a"`), message(`{"content":"__end__"}`),
			`{"gen_ai.operation.name":"state"}`},
		{message(`{"content":"{\"messages\":[]}"}`), message(`"b"`),
			`{"gen_ai.operation.name":"state"}`},
		{message(`{"content":"{\"inputs\":{}}"}`), message(`"b"`),
			`{"gen_ai.operation.name":"state"}`},
		{message(`"a"`), message(`{"content":"{\"messages\":[]}"}`),
			`{"gen_ai.operation.name":"state"}`},
		{message(`"a"`), message(`{"content":"{\"outputs\":{}}"}`),
			`{"gen_ai.operation.name":"state"}`},
		{message(`"a"`), message(`"b"`),
			`{"gen_ai.operation.name":"chat","judge.request":[{"role":"user","content":"a"}],"judge.reply":` +
				`[{"role":"user","content":"b"}]}`},
		{message(`{"content":"{\"messages\":[[{\"role\":\"user\",\"content\":\"a\"}]]}"}`), message(`{"content":` +
			`"{\"generations\":[[{\"text\":\"b\"}]]}"}`),
			`{"gen_ai.operation.name":"chat","judge.request":[{"role":"user","content":"a"}],"judge.reply":{"role":"assistant","content":"b",` +
				`"tool_calls":null}}`},
		{message(`"a"`), message(`{"content":"{\"generations\":[[{\"text\":\"b\",\"message\":{\"kwargs\":` +
			`{\"tool_calls\":[{\"id\":\"k\",\"name\":\"find\",\"args\":{}}]}}}]]}"}`),
			`{"gen_ai.operation.name":"chat","judge.request":[{"role":"user","content":"a"}],"judge.reply":` +
				`{"role":"assistant","content":"b","tool_calls":[{"id":"k","name":"find","args":{}}]}}`},
	} {
		s := spanRecord{events: []value.Value{mustParse(t, `{"body":{"input":`+tt.in+`,"output":`+tt.out+`}}`)}}
		adotSpan(&s)
		if got := s.attrs.JSON(); got != tt.want {
			t.Errorf("%s and %s say\n%s, want\n%s", tt.in, tt.out, got, tt.want)
		}
	}
}
