package run

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/input"
)

// textLog returns a log in memory that reports how far it was read, by any goroutine.
func textLog(name, text string, read *atomic.Int64) input.Log {
	return input.Log{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.TeeReader(strings.NewReader(text), count{read})), nil
	}}
}

type count struct{ n *atomic.Int64 }

func (c count) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// TestReadable: Resolve says once, while it still reads, that the logs can be read; and says nothing
// if something may keep the run from its endpoints.
func TestReadable(t *testing.T) {
	const call = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"k","type":"function",` +
		`"function":{"name":"f","arguments":"{}"}}]}]}` + "\n"
	const none = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}` + "\n"
	long := strings.Repeat(call, 12_000)
	for _, tt := range []struct {
		name string
		logs []string
		gate bool
		want int
	}{
		{"a log", []string{long}, false, 1},
		{"a call comes late", []string{none + long}, false, 1},
		{"two logs", []string{call, long}, false, 1},
		{"a short one", []string{call}, false, 0},
		{"the last log cannot be read", []string{long, "no log\n"}, false, 0},
		{"no calls", []string{strings.Repeat(none, 200)}, false, 0},
		{"calls that name no tool", []string{strings.ReplaceAll(long, `"name":"f",`, "")}, false, 0},
		{"gates, which may ask for what is not there", []string{long}, true, 0},
	} {
		var read atomic.Int64
		called, size := 0, 0
		p := plan(t, "http://127.0.0.1:1/v1")
		for _, text := range tt.logs {
			size += len(text)
			p.Logs = append(p.Logs, textLog(string(rune('a'+len(p.Logs)))+".jsonl", text, &read))
		}
		if tt.gate {
			p.Gates = []measure.Gate{{Score: "overall_call_correctness", MinPassRate: new(0.5)}}
		}
		p.Readable = func() {
			if called++; read.Load() > int64(size/2) && size > 1<<20 {
				t.Errorf("%s: called after %d of %d bytes", tt.name, read.Load(), size)
			}
		}
		_, err := Resolve(t.Context(), p.Task, "")
		if called != tt.want || tt.want > 0 && err != nil {
			t.Errorf("%s: called %d times, %v", tt.name, called, err)
		}
	}
}
