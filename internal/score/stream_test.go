package score

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

func ptr[T any](v T) *T { return &v }

func equalValues(a, b value.Value) bool { return a.JSON() == b.JSON() }

func full() Score {
	details, _ := value.ParseString(`{"num_unrequired_calls":1,"id":12345678901234567890}`)
	return Score{
		ConversationID: "c1", CallIndex: ptr(0), CallID: "t1", Tool: "cancel_order", Place: "a.jsonl:3",
		Name: "overall", Metric: "m", Source: Judge, Judge: "qwen3:8b", RubricSHA: "ab",
		Status: Scored, Value: ptr(0.95), Passed: ptr(true), Label: "pass",
		Explanation: "a \"quote\" </script>\u202e\x00", Evidence: "e", Confidence: ptr(0.9),
		Correction: value.OfObject(), Flags: []Flag{{Code: "ungrounded", Severity: 2, Detail: "d"}, {Code: "x", Severity: 1}},
		Details: details, Purpose: "qa",
	}
}

func TestWriterLines(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, "r1")
	if err != nil {
		t.Fatal(err)
	}
	missing := Score{ConversationID: "c2", Name: "overall", Source: Judge, Status: Unscored, Error: &Failure{"truncated", "cut"}}
	for _, s := range []Score{full(), missing} {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"judge.scores/v1","run_id":"r1"}
{"conversation_id":"c1","call_index":0,"call_id":"t1","tool":"cancel_order","place":"a.jsonl:3","name":"overall","metric":"m","source":"judge","judge":"qwen3:8b","rubric_sha":"ab","status":"scored","value":0.95,"passed":true,"label":"pass","explanation":"a \"quote\" </script>` + "\u202e" + `\u0000","evidence":"e","confidence":0.9,"correction":{},"flags":[{"code":"ungrounded","severity":2,"detail":"d"},{"code":"x","severity":1}],"details":{"num_unrequired_calls":1,"id":12345678901234567890},"purpose":"qa","error":null}
{"conversation_id":"c2","call_index":null,"name":"overall","source":"judge","status":"unscored","value":null,"passed":null,"correction":null,"flags":[],"details":null,"error":{"kind":"truncated","message":"cut"}}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("stream differs (-want +got):\n%s", diff)
	}

	var got []Score
	for s, err := range Read(&out, "scores.jsonl") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	missing.Flags = []Flag{}
	if diff := cmp.Diff([]Score{full(), missing}, got, cmp.Comparer(equalValues)); diff != "" {
		t.Errorf("scores changed on the way (-wrote +read):\n%s", diff)
	}
}

func TestWriterRefusesWhatIsNoScore(t *testing.T) {
	cases := map[string]func(*Score){
		"value: NaN is not a finite number":                      func(s *Score) { s.Value = ptr(math.NaN()) },
		"value: +Inf is not a finite number":                     func(s *Score) { s.Value = ptr(math.Inf(1)) },
		"confidence: -Inf is not a finite number":                func(s *Score) { s.Confidence = ptr(math.Inf(-1)) },
		"value: is null although the status is scored":           func(s *Score) { s.Value = nil },
		"value: must be null when the status is unscored":        func(s *Score) { s.Status = Unscored },
		"passed: must be null when the status is error":          func(s *Score) { s.Status = Error; s.Value = nil },
		"flags[0].severity: must be 1 or 2":                      func(s *Score) { s.Flags = []Flag{{Code: "x", Severity: 10}} },
		"name: must not be empty":                                func(s *Score) { s.Name = "" },
		"conversation_id: must not be empty":                     func(s *Score) { s.ConversationID = "" },
		"call_index: must be 0 or more, or null":                 func(s *Score) { s.CallIndex = ptr(-1) },
		"turn: must be 1 or more for scope turn, and absent for": func(s *Score) { s.Turn = 1 },
		"turn: must be 1 or more for scope turn":                 func(s *Score) { s.Scope = ScopeTurn },
		"turn: must be 1 or more":                                func(s *Score) { s.Scope, s.Turn = ScopeTurn, -1 },
		`scope: "x" is not one of result, turn, conversation`:    func(s *Score) { s.Scope = "x" },
		`source: "x" is not one of judge, deterministic, label`:  func(s *Score) { s.Source = "x" },
		`status: "ok" is not one of scored, unscored, not_appli`: func(s *Score) { s.Status = "ok" },
	}
	for want, change := range cases {
		var out bytes.Buffer
		w, _ := NewWriter(&out, "r")
		s := full()
		change(&s)
		err := w.Write(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Write = %v, want an error with %q", err, want)
		}
		_ = w.Flush()
		if n := strings.Count(out.String(), "\n"); n != 1 {
			t.Errorf("%s: %d lines written, want the header alone", want, n)
		}
	}
}

func TestReaderNamesBadLinesAndGoesOn(t *testing.T) {
	good := `{"conversation_id":"c","call_index":null,"name":"n","source":"label","status":"scored","value":1}`
	in := strings.Join([]string{
		`{"schema":"judge.scores/v1","run_id":"r","new":1}`,
		good,
		`{"conversation_id":"c"`,
		``,
		strings.Replace(good, `"value":1`, `"value":"1"`, 1),
		strings.Replace(good, `null`, `1.5`, 1),
		`[1]`,
		`null`,
		strings.Replace(good, `"c"`, `{}`, 1),
		strings.Replace(good, `"n"`, `true`, 1),
		`{"x":"` + strings.Repeat("y", 400) + `"}`,
		strings.Replace(good, `"value":1`, `"value":1,"flags":[{"severity":"2"}]`, 1),
		strings.Replace(good, `"value":1`, `"value":1,"later":{"a":[]}`, 1) + "\r",
		`{"conversation_id":"torn`,
	}, "\n")
	var got []string
	scores := 0
	for _, err := range readUpTo(strings.NewReader(in), "s.jsonl", 300, nil) {
		var bad *LineError
		switch {
		case err == nil:
			scores++
		case errors.As(err, &bad):
			got = append(got, strings.SplitN(err.Error(), ": no JSON", 2)[0])
		default:
			t.Fatal(err)
		}
	}
	want := []string{
		"s.jsonl:3",
		"s.jsonl:5: value: cannot be string",
		"s.jsonl:6: call_index: cannot be number 1.5",
		"s.jsonl:7: must be an object, is array",
		"s.jsonl:8: conversation_id: must not be empty",
		"s.jsonl:9: conversation_id: cannot be object",
		"s.jsonl:10: name: cannot be true",
		"s.jsonl:11: line is too long: more than 300 bytes",
		"s.jsonl:12: flags.0.severity: cannot be string",
		"s.jsonl:14",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors differ (-want +got):\n%s", diff)
	}
	if scores != 2 {
		t.Errorf("%d scores read, want 2", scores)
	}
}

func TestReaderVersion(t *testing.T) {
	cases := map[string]string{
		`{"schema":"judge.scores/v2","run_id":"r"}`: `f:1: unknown schema "judge.scores/v2": made by a newer judge`,
		`{"conversation_id":"c"}`:                   `f:1: no score stream`,
		`hello`:                                     `f:1: no score stream`,
		`{"schema":"judge.scores/v1","run_id":5}`:   `f:1: `,
	}
	for in, want := range cases {
		n := 0
		for _, err := range Read(strings.NewReader(in+"\n"+string(lineOf(t, full()))), "f") {
			if n++; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Read(%q) = %v, want %q", in, err, want)
			}
		}
		if n != 1 {
			t.Errorf("Read(%q) has %d items, want the error alone", in, n)
		}
	}
	for _, err := range Read(strings.NewReader(""), "f") {
		if err == nil || !strings.HasPrefix(err.Error(), "f: empty") {
			t.Errorf("an empty file: %v", err)
		}
		return
	}
	t.Error("an empty file is no error")
}

// fullDisk has no room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestWriterOnAFullDisk: scores that are not written are an error, at the latest when the stream is flushed.
func TestWriterOnAFullDisk(t *testing.T) {
	w, err := NewWriter(fullDisk{}, "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(full()), w.Flush()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("flushed: %v", err)
	}
	s := full()
	if err := Encode(fullDisk{}, &s); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("written: %v", err)
	}
}

// TestWriterErrors: a header that does not reach the disk is an error; a score that is none is named.
func TestWriterErrors(t *testing.T) {
	if _, err := NewWriter(fullDisk{}, strings.Repeat("r", 70_000)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a long header: %v", err)
	}
	s := full()
	s.Source = "x"
	const want = `write score overall of c1: source: "x" is not one of judge, deterministic, label`
	if err := Encode(io.Discard, &s); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLeaving: whoever has read enough may leave, of a stream and of its good lines.
func TestLeaving(t *testing.T) {
	stream := `{"schema":"judge.scores/v1","run_id":"r"}` + "\n" + strings.Repeat(string(lineOf(t, full())), 3)
	seen := 0
	for range Read(strings.NewReader(stream), "s") {
		seen++
		break
	}
	for range Good(Read(strings.NewReader(stream), "s")) {
		seen++
		break
	}
	if seen != 2 {
		t.Errorf("%d scores seen", seen)
	}
}

// TestFacts: which scorers compare with what the log expects, and what their numbers mean.
func TestFacts(t *testing.T) {
	for needs, want := range map[Need]bool{NeedsExpectedCalls: true, NeedsState: true, NeedsTools: false, "": false} {
		f := Facts{Needs: needs}
		if got := f.UsesReference(); got != want {
			t.Errorf("%q: %v", needs, got)
		}
	}
	f := Facts{Meaning: Meaning{Layer: ASTLayer}, Metrics: []MetricFacts{{"a", Meaning{Layer: SchemaLayer}},
		{"b", Meaning{Layer: ExecutionLayer}}}}
	for metric, want := range map[string]Layer{"": ASTLayer, "a": SchemaLayer, "b": ExecutionLayer, "c": ASTLayer} {
		if got := f.Of(metric).Layer; got != want {
			t.Errorf("%q: %s, want %s", metric, got, want)
		}
	}
}

// TestLineSchema: the schema says what it describes, which words a score may have, and that only a scored one has a
// value.
func TestLineSchema(t *testing.T) {
	s, err := LineSchema(false)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/title":                             `"judge scores"`,
		"/description":                       `"A line of scores.jsonl: the header, or one score."`,
		"/oneOf":                             `[{"$ref":"#/$defs/header"},{"$ref":"#/$defs/Score"}]`,
		"/$defs/header/properties/schema":    `{"type":"string","enum":["judge.scores/v1"]}`,
		"/$defs/Score/properties/source":     `{"type":"string","enum":["judge","deterministic","label"]}`,
		"/$defs/Score/properties/status":     `{"type":"string","enum":["scored","unscored","not_applicable","error"]}`,
		"/$defs/Score/if":                    `{"properties":{"status":{"const":"scored"}}}`,
		"/$defs/Score/then/properties/value": `{"type":"number"}`,
		"/$defs/Score/else/properties":       `{"value":{"type":"null"},"passed":{"type":"null"}}`,
	} {
		if v, ok := s.Pointer(pointer); !ok || v.JSON() != want {
			t.Errorf("%s is %s, want %s", pointer, v.JSON(), want)
		}
	}
}

// TestSeverities: there is room for severities to come, and for none.
func TestSeverities(t *testing.T) {
	for severity, ok := range map[int]bool{-1: false, 0: true, 1: true, 9: true, 10: false} {
		s := full()
		s.Flags = []Flag{{Code: "x", Severity: severity}}
		if err := s.Check(); (err == nil) != ok {
			t.Errorf("severity %d: %v", severity, err)
		}
	}
}

// TestRanges: which scopes, turns, indexes, sources and statuses a score may have.
func TestRanges(t *testing.T) {
	turn := func(scope string, n int) func(*Score) { return func(s *Score) { s.Scope, s.Turn = scope, n } }
	status := func(status Status) func(*Score) {
		return func(s *Score) { s.Status, s.Value, s.Passed = status, nil, nil }
	}
	for _, tt := range []struct {
		name   string
		change func(*Score)
		ok     bool
	}{
		{"a result", turn(ScopeResult, 0), true}, {"a conversation", turn(ScopeConversation, 0), true},
		{"a call", turn("", 0), true}, {"a turn", turn(ScopeTurn, 1), true}, {"the last turn", turn(ScopeTurn, math.MaxInt32), true},
		{"a turn too far", turn(ScopeTurn, math.MaxInt32+1), false}, {"a turn of a result", turn(ScopeResult, 1), false},
		{"turn -1 of a call", turn("", -1), false},
		{"the last call", func(s *Score) { s.CallIndex = ptr(math.MaxInt32) }, true},
		{"a call too far", func(s *Score) { s.CallIndex = ptr(math.MaxInt32 + 1) }, false},
		{"a scorer", func(s *Score) { s.Source = Deterministic }, true}, {"a label", func(s *Score) { s.Source = Label }, true},
		{"not applicable", status(NotApplicable), true}, {"an error", status(Error), true}, {"unscored", status(Unscored), true},
	} {
		s := full()
		tt.change(&s)
		if err := s.Check(); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestReadLine: a line of as many bytes as allowed is read, a longer one is skipped whole, at the
// end of the file too.
func TestReadLine(t *testing.T) {
	for text, want := range map[string][]string{
		strings.Repeat("a", 19) + "\nb": {strings.Repeat("a", 19), "b"},
		strings.Repeat("a", 35) + "\nb": {"too long", "b"},
		strings.Repeat("a", 20) + "\nb": {"too long", "b"},
		"b\n" + strings.Repeat("a", 64): {"b", "too long"},
		"":                              nil,
	} {
		in := bufio.NewReaderSize(strings.NewReader(text), 16)
		var got []string
		for {
			line, err := ReadLine(in, nil, 20)
			if errors.Is(err, io.EOF) {
				break
			}
			if errors.Is(err, ErrTooLong) {
				line = []byte("too long")
			} else if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSuffix(string(line), "\n"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestGoodEndsWithTheError: after an error that is not about one line nothing more is read.
func TestGoodEndsWithTheError(t *testing.T) {
	gone := errors.New("the disk is gone")
	all := func(yield func(Score, error) bool) {
		for _, err := range []error{nil, &LineError{"s", 3, ErrTooLong}, gone, nil} {
			if !yield(full(), err) {
				return
			}
		}
	}
	var got []error
	for _, err := range Good(all) {
		got = append(got, err)
	}
	if len(got) != 2 || got[0] != nil || !errors.Is(got[1], gone) {
		t.Errorf("%v", got)
	}
	if err := error(&LineError{"s", 3, ErrTooLong}); !errors.Is(err, ErrTooLong) {
		t.Errorf("%v hides its cause", err)
	}
}

type failing struct{ after io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.after.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrClosedPipe
	}
	return n, err
}

func TestReaderStopsAtInputError(t *testing.T) {
	n := 0
	for _, err := range Read(failing{strings.NewReader(`{"schema":"judge.scores/v1"}` + "\n{")}, "f") {
		n++
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error = %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d items after an input error, want 1", n)
	}
}

// lineOf is the line of a score, as a Writer writes it.
// TestPartAndGood: what is picked is decoded, as it was picked; bad lines are left out, and
// another error ends the reading.
func TestPartAndGood(t *testing.T) {
	stream := `{"schema":"judge.scores/v1","run_id":"r"}` + "\n" + string(lineOf(t, full())) + "torn\nskip\n" + string(lineOf(t, full()))
	pick := func(line []byte) []byte {
		if bytes.HasPrefix(line, []byte("skip")) {
			return nil
		}
		return bytes.Replace(line, []byte(`"c1"`), []byte(`"c2"`), 1)
	}
	all, good := 0, 0
	for _, err := range ReadPart(strings.NewReader(stream), "s", pick) {
		if all++; all != 2 && err != nil {
			t.Error(err)
		}
	}
	for s, err := range Good(ReadPart(strings.NewReader(stream), "s", pick)) {
		if good++; err != nil || s.ConversationID != "c2" {
			t.Errorf("%q, %v", s.ConversationID, err)
		}
	}
	if all != 3 || good != 2 {
		t.Errorf("%d scores and errors, %d scores", all, good)
	}
	failed := 0
	for _, err := range Good(Read(strings.NewReader("no stream"), "s")) {
		if failed++; err == nil {
			t.Error("no error")
		}
	}
	if failed != 1 {
		t.Errorf("%d errors", failed)
	}
}

func lineOf(t testing.TB, s Score) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "")
	if err == nil {
		err = errors.Join(w.Write(s), w.Flush())
	}
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return line
}

// FuzzParse: what Parse takes, a Writer writes so that it reads back the same.
func FuzzParse(f *testing.F) {
	f.Add(lineOf(f, full()))
	f.Add([]byte(`{"conversation_id":"c","name":"n","source":"label","status":"error","error":{"kind":"k"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := Parse(line)
		if err != nil {
			return
		}
		first := lineOf(t, s)
		again, err := Parse(first)
		if err != nil {
			t.Fatalf("own line does not read: %v\n%s", err, first)
		}
		if second := lineOf(t, again); !bytes.Equal(first, second) {
			t.Fatalf("line changed:\n%s\n%s", first, second)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	const lines = 10_000
	var out bytes.Buffer
	w, _ := NewWriter(&out, "r")
	for range lines {
		if err := w.Write(full()); err != nil {
			b.Fatal(err)
		}
	}
	_ = w.Flush()
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		n := 0
		for _, err := range Read(bytes.NewReader(out.Bytes()), "f") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != lines {
			b.Fatal(n)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	s := full()
	w, _ := NewWriter(io.Discard, "r")
	b.SetBytes(int64(len(lineOf(b, s))))
	for b.Loop() {
		if err := w.Write(s); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReadOf: the scores of some conversations, whatever their ids look like, in the order of
// the stream; a line that another has spoilt is left out.
func TestReadOf(t *testing.T) {
	ids := []string{`c1`, `"c1"`, `c1","call_index":0`, `a\b`, "\ufffd", "c10", "<&>", "x\n"}
	stream := `{"schema":"judge.scores/v1","run_id":"r"}` + "\n"
	for _, id := range ids {
		s := full()
		s.ConversationID = id
		stream += string(lineOf(t, s))
	}
	stream += "torn\n"
	// Another program may write an id with an escape.
	escaped := strings.Replace(string(lineOf(t, full())), `"c1"`, `"\u0063\u0031"`, 1)
	n := 0
	for s, err := range ReadOf(strings.NewReader(`{"schema":"judge.scores/v1","run_id":"r"}`+"\n"+escaped), "s", "c1") {
		if n++; err != nil || s.ConversationID != "c1" {
			t.Errorf("%q, %v", s.ConversationID, err)
		}
	}
	if n != 1 {
		t.Errorf("%d scores of an id with an escape", n)
	}
	for i, id := range ids {
		wanted := []string{id, ids[(i+3)%len(ids)]}
		got := 0
		for s, err := range ReadOf(strings.NewReader(stream), "s", wanted...) {
			if err != nil {
				t.Errorf("of %q: %v", id, err)
			}
			if slices.Contains(wanted, s.ConversationID) {
				got++
			} else if !strings.Contains(lineText(t, s), `\`) {
				t.Errorf("of %q: also %q", id, s.ConversationID)
			}
		}
		if got != 2 {
			t.Errorf("%d scores of %q", got, wanted)
		}
	}
}

// lineText returns how the id of a score stands in a stream.
func lineText(t *testing.T, s Score) string {
	line := string(lineOf(t, s))
	id, _, _ := strings.Cut(line, `,"call_index":`)
	return id
}
