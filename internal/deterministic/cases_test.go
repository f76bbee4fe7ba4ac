package deterministic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/value"
)

const caseLine = `{"id":"%d","scorer":"function_call_exact_match","config":{},"actual":{"name":"f","arguments":{"a":%d}},"expected":{"name":"f","arguments":{"a":1}}}`

func TestScoreCasesKeepsOrder(t *testing.T) {
	var in strings.Builder
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&in, caseLine+"\n", i, i%2)
	}
	var one bytes.Buffer
	if bad, err := ScoreCases(strings.NewReader(in.String()), &one, 1); bad != 0 || err != nil {
		t.Fatal(bad, err)
	}
	var many bytes.Buffer
	if bad, err := ScoreCases(iotest.HalfReader(strings.NewReader(in.String())), &many, 7); bad != 0 || err != nil {
		t.Fatal(bad, err)
	}
	if !bytes.Equal(one.Bytes(), many.Bytes()) {
		t.Error("the bytes depend on the number of workers")
	}
	out := strings.Split(strings.TrimSpace(one.String()), "\n")
	if len(out) != n || !strings.HasPrefix(out[n-1], fmt.Sprintf(`{"id":"%d","result":{"score":1.0`, n-1)) {
		t.Errorf("%d lines, the last is %s", len(out), out[len(out)-1])
	}
}

func TestScoreCasesUnreadable(t *testing.T) {
	in := fmt.Sprintf(caseLine, 1, 1) + "\n\nnot json\n  \n[1]\n{\"id\":5}\n" +
		`{"id":{"a":1.50},"scorer":"nope"}` + "\n" + fmt.Sprintf(caseLine, 2, 1)
	var out bytes.Buffer
	bad, err := ScoreCases(strings.NewReader(in), &out, 2)
	if err != nil || bad != 3 {
		t.Fatal(bad, err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, want := range []string{
		`{"id":"1","result":`, `{"id":null,"error":{"kind":"line","message":"line 3: `, `{"id":null,"error":{"kind":"line","message":"line 5: `,
		`{"id":null,"error":{"kind":"line","message":"line 6: scorer`, `{"id":{"a":1.50},"error":{"kind":"config","message":"scorer: \"nope\" is unknown`, `{"id":"2","result":`,
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d: want %s, got %s", i, want, lines[min(i, len(lines)-1)])
		}
	}
}

// TestScoreCasesByteOrderMark: a mark before the first case is no part of it.
func TestScoreCasesByteOrderMark(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeff" + fmt.Sprintf(caseLine, 1, 1) + "\n": `{"id":"1","result":`,
		"\ufeff": "",
		"\ufeff\ufeff" + fmt.Sprintf(caseLine, 1, 1): `{"id":null,"error":{"kind":"line"`,
	} {
		var out bytes.Buffer
		if _, err := ScoreCases(strings.NewReader(text), &out, 2); err != nil || !strings.HasPrefix(out.String(), want) || want == "" && out.Len() > 0 {
			t.Errorf("%.20q: %q %v", text, out.String(), err)
		}
	}
}

func TestScoreCasesLongLine(t *testing.T) {
	long := `{"id":"x","pad":"` + strings.Repeat("x", maxLine) + `"}` + "\n"
	var out bytes.Buffer
	bad, err := ScoreCases(strings.NewReader(long+fmt.Sprintf(caseLine, 2, 1)), &out, 2)
	if err != nil || bad != 1 || !strings.Contains(out.String(), "line 1: is longer than") || !strings.Contains(out.String(), `{"id":"2","result"`) {
		t.Errorf("%d %v %.300s", bad, err, out.String())
	}
}

func TestScoreCasesBrokenReaderAndWriter(t *testing.T) {
	broken := errors.New("the disk is gone")
	in := strings.Repeat(fmt.Sprintf(caseLine, 1, 1)+"\n", 10_000)
	var out bytes.Buffer
	_, err := ScoreCases(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), &out, 2)
	if !errors.Is(err, broken) || strings.Count(out.String(), "\n") != 10_000 {
		t.Errorf("%v, %d lines", err, strings.Count(out.String(), "\n"))
	}
	if _, err := ScoreCases(strings.NewReader(in), failingWriter{broken}, 2); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// endless gives n case lines without holding them.
type endless struct {
	left int
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.left == 0 {
			return 0, io.EOF
		}
		e.left--
		e.rest = fmt.Appendf(nil, caseLine+"\n", e.left, e.left)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestScoreCasesMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := ScoreCases(&endless{left: 200_000}, io.Discard, 2); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MB over 30 MB of lines", grown>>20)
	}
}

func FuzzScoreCase(f *testing.F) {
	if path := realdata.Find(f, "spec", "deterministic-cases.jsonl"); path != "" {
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(file) {
			f.Add(line)
		}
	}
	f.Add(fmt.Appendf(nil, caseLine, 1, 1))
	f.Add([]byte(`{"id":1,"scorer":"function_call_coverage","config":{"function_calls":"{{ sample.x }}","sample":{"x":["a"]}},"actual":["a"]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var out []byte
		var err error
		bounded.Within(t, 5*time.Second, "the case", func() { out, err = scoreCase(line) })
		if err != nil {
			return
		}
		v, err := value.Parse(out)
		if err != nil || v.Has("result") == v.Has("error") {
			t.Fatalf("answer %s: %v", out, err)
		}
		again, err := scoreCase(line)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("two answers: %s and %s", out, again)
		}
	})
}

// benchLines returns one case for each scorer.
func benchLines() map[string]string {
	const call = `{"name":"create_event","arguments":{"title":"Standup","start":"2024-01-15T10:00:00Z","minutes":60,"attendees":["a","b"]}}`
	const tools = `[{"type":"function","function":{"name":"create_event","description":"Creates an event.","parameters":{"type":"object","properties":{"title":{"type":"string"},"start":{"type":"string"},"minutes":{"type":"integer"},"attendees":{"type":"array","items":{"type":"string"}}},"required":["title"]}}}]`
	line := func(scorer, config, actual, expected string) string {
		return fmt.Sprintf(`{"id":"b","scorer":%q,"config":%s,"actual":%s,"expected":%s,"tools":%s}`, scorer, config, actual, expected, tools)
	}
	lines := map[string]string{
		"function_call_coverage": line("function_call_coverage", `{"function_calls":["create_event"]}`, `[`+call+`]`, "null"),
		"three_layer":            line("three_layer", "{}", `{"call":`+call+`}`, `{"call":`+call+`}`),
		"execution_check":        line("execution_check", "{}", `{"final_state":`+call+`}`, `{"state":`+call+`}`),
		"accuracy_set":           line("function_call_accuracy", "{}", `[`+call+`,`+call+`,`+call+`]`, `[`+call+`,`+call+`]`),
		"tool_calls":             line("tool_calls", `{"required":["create"]}`, `{"events":[{"type":"tool_call","data":{"toolName":"create_event","toolCallId":"1","arguments":{"a":1}}},{"type":"tool_result","data":{"toolCallId":"1","result":"ok"}}]}`, "null"),
	}
	for _, name := range []string{"function_call_accuracy", "function_call_exact_match", "function_name_match", "parameter_validation", "schema_check", "ast_equivalence", ExpectedCallMatch.Name} {
		lines[name] = line(name, "{}", call, call)
	}
	return lines
}

func BenchmarkCase(b *testing.B) {
	for name, line := range benchLines() {
		b.Run(name, func(b *testing.B) {
			var cases cases
			var p value.Parser
			var out []byte
			data := []byte(line)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if out, err = cases.score(out[:0], &p, data); err != nil || bytes.Contains(out, []byte(`"error":{`)) {
					b.Fatal(string(out), err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
	// What reading the line alone costs.
	b.Run("read_only", func(b *testing.B) {
		var p value.Parser
		data := []byte(benchLines()["function_call_accuracy"])
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
