package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
)

// repeat is a reader of the same bytes again and again.
type repeat struct {
	data []byte
	at   int
	left int64
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.data[r.at:])
	r.at = (r.at + n) % len(r.data)
	r.left -= int64(n)
	return n, nil
}

// interleaved returns a log of spans of so many bytes: the two spans of each trace are far apart.
func interleaved(size int64) io.Reader {
	half, n := int(size/2/(30<<10)), 0
	return &container.Pieces{Next: func() ([]byte, error) {
		i := n
		n++
		switch {
		case i >= 2*half:
			return nil, io.EOF
		case i >= half:
			i -= half
		}
		span := chatSpan("1", "1", `[{"role":"user","parts":[{"type":"text","content":"`+strings.Repeat("x", 29<<10)+`"}]}]`, callMessages)
		if n > half {
			span = toolSpanText("2", "1", "2", "", "gen_ai.tool.call.id", "k1", "gen_ai.tool.call.result", strings.Repeat("y", 29<<10))
		}
		span = strings.ReplaceAll(span, "0af7651916cd43dd8448eb211c80319c", fmt.Sprintf("%032x", i+1))
		return append([]byte(otlpExport(span)), '\n'), nil
	}}
}

// TestMemoryDoesNotGrowWithTheLog reads logs of 48 MB (or of as many MB as
// JUDGE_TEST_LOG_MB says) in each framing and looks at the heap on the way.
func TestMemoryDoesNotGrowWithTheLog(t *testing.T) {
	if testing.Short() { // for the race detector, which has memory of its own
		t.Skip("reads some hundred megabytes")
	}
	size := int64(48 << 20)
	if mb, err := strconv.Atoi(os.Getenv("JUDGE_TEST_LOG_MB")); err == nil {
		size = int64(mb) << 20
	}
	lines := nativeLog(1 << 20)
	array := append(bytes.ReplaceAll(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"), []byte(",\n")), ",\n"...)
	for name, open := range map[string]func() *Reader{
		"lines": func() *Reader {
			return Open(context.Background(), "x.jsonl", &repeat{data: lines, left: size}, Options{})
		},
		"goroutines": func() *Reader {
			return Open(context.Background(), "x.jsonl", &repeat{data: lines, left: size}, Options{Parallel: 4})
		},
		"array": func() *Reader {
			return Open(context.Background(), "x.json", io.MultiReader(bytes.NewReader([]byte("[")), &repeat{data: array, left: size}), Options{})
		},
		"spans": func() *Reader {
			return Open(context.Background(), "x.jsonl", interleaved(size), Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			n, peak := 0, uint64(0)
			for _, err := range open().All() {
				if n++; n%200 == 0 {
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapInuse)
				}
				if _, ok := err.(*transcript.Problem); err != nil && !ok {
					t.Fatal(err)
				}
			}
			if want := int(size / (32 << 10)); n < want && name != "spans" || n < want/2-1 {
				t.Fatalf("only %d conversations", n)
			}
			grown := int64(peak) - int64(before.HeapInuse)
			t.Logf("%d conversations of %d MB, heap grew by %d KB", n, size>>20, grown>>10)
			limit := int64(40 << 20)
			if name == "spans" {
				limit += 2 * (32 << 20) // the beginning of what is sorted, while it grows
			}
			if grown > limit {
				t.Errorf("the heap grew by %d MB on a log of %d MB", grown>>20, size>>20)
			}
		})
	}
}
