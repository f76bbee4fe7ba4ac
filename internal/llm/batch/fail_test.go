package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
)

func put(t *testing.T, w *Writer, key, text string) error {
	t.Helper()
	req := llm.Request{Model: "m", Key: key, Messages: []llm.Message{{Role: "user", Content: text}}}
	p, err := req.Prepare(llm.KindUnknown, "v")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Send(t.Context(), p)
	return err
}

func textOf(p *llm.Prepared) ([]byte, error) {
	return fmt.Appendf(nil, "%q", p.Messages[0].Content), nil
}

// TestWriterLimits: no file exceeds the bytes or requests that it may have, be it that a
// conversation begins in the next file or that it is longer than a file; a limit that is not
// set is the default one.
func TestWriterLimits(t *testing.T) {
	line := int64(0)
	write := func(limits Limits, conversations ...int) (counts []int) {
		dir := t.TempDir()
		w := NewWriter(dir, "p", "http://e", limits, textOf)
		for c, n := range conversations {
			var keys []string
			for i := range n {
				keys = append(keys, fmt.Sprint(c, "#", i))
				if e, ok := errors.AsType[*llm.Error](put(t, w, keys[i], fmt.Sprintf("%d%02d", c, i))); !ok || e.Kind != llm.KindDeferred {
					t.Fatalf("%v", e)
				}
			}
			if err := w.Flush(keys); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, name := range w.Files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			n := strings.Count(string(text), "\n")
			line, counts = int64(len(text)/n), append(counts, n)
		}
		return counts
	}
	if got := write(Limits{}, 7, 8); !cmp.Equal(got, []int{15}) {
		t.Errorf("without limits: %v", got)
	}
	for name, tt := range map[string]struct {
		limits        Limits
		conversations []int
		want          []int
	}{
		"bytes, exactly full":    {Limits{Bytes: 4 * line}, []int{2, 2, 1}, []int{4, 1}},
		"bytes, one too few":     {Limits{Bytes: 4*line - 1}, []int{2, 2}, []int{2, 2}},
		"bytes, long one":        {Limits{Bytes: 2 * line}, []int{5}, []int{2, 2, 1}},
		"bytes, less than any":   {Limits{Bytes: 1}, []int{2}, []int{1, 1}},
		"requests, exactly full": {Limits{Requests: 4}, []int{2, 2, 1}, []int{4, 1}},
		"one request a file":     {Limits{Requests: 1}, []int{1, 2}, []int{1, 1, 1}},
		"requests, kept whole":   {Limits{Requests: 3}, []int{2, 2}, []int{2, 2}},
		"requests, long one":     {Limits{Requests: 2}, []int{1, 5}, []int{1, 2, 2, 1}},
	} {
		if got := write(tt.limits, tt.conversations...); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: files of %v requests, want %v", name, got, tt.want)
		}
	}
}

// TestWriterFails: a body that cannot be made fails its own request only; a file that cannot
// be made or written fails the flush or the close, and is not counted as written.
func TestWriterFails(t *testing.T) {
	broken := errors.New("no body")
	w := NewWriter(t.TempDir(), "p", "http://e", Limits{}, func(*llm.Prepared) ([]byte, error) { return nil, broken })
	if err := put(t, w, "a", "x"); !errors.Is(err, broken) {
		t.Errorf("a request without a body: %v", err)
	}
	if err := errors.Join(w.Flush([]string{"a"}), w.Close()); err != nil || w.Requests != 0 || len(w.Files) != 0 {
		t.Errorf("%d requests in %v, %v", w.Requests, w.Files, err)
	}

	gone := filepath.Join(t.TempDir(), "none")
	w = NewWriter(gone, "p", "http://e", Limits{}, textOf)
	_ = put(t, w, "a", "x")
	if err := w.Flush([]string{"a"}); err == nil || !strings.Contains(err.Error(), gone) || w.Requests != 0 {
		t.Errorf("into a folder that is gone: %v, %d requests", err, w.Requests)
	}
	if err := w.Close(); err != nil {
		t.Errorf("nothing was begun: %v", err)
	}

	taken := t.TempDir()
	if err := os.Mkdir(filepath.Join(taken, "p.index"), 0o700); err != nil {
		t.Fatal(err)
	}
	w = NewWriter(taken, "p", "http://e", Limits{}, textOf)
	_ = put(t, w, "a", "x")
	if err := w.Flush([]string{"a"}); err == nil || !strings.Contains(err.Error(), "p.index") || w.Requests != 0 {
		t.Errorf("no index can be there: %v, %d requests", err, w.Requests)
	}

	taken = t.TempDir()
	if err := os.Mkdir(filepath.Join(taken, "p-0001.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	w = NewWriter(taken, "p", "http://e", Limits{}, textOf)
	_ = put(t, w, "a", "x")
	if err := w.Flush([]string{"a"}); err == nil || !strings.Contains(err.Error(), "p-0001.jsonl") || w.Requests != 0 {
		t.Errorf("no file of requests can be there: %v, %d requests", err, w.Requests)
	}

	for name, closed := range map[string]func(w *Writer) *file{
		"requests": func(w *Writer) *file { return w.out }, "index": func(w *Writer) *file { return w.index },
	} {
		w = NewWriter(t.TempDir(), "p", "http://e", Limits{}, textOf)
		_ = put(t, w, "a", "x")
		if err := w.Flush([]string{"a"}); err != nil {
			t.Fatal(err)
		}
		if err := closed(w).file.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s cannot be written, and closing says %v", name, err)
		}
	}
}

// TestFullFileIsNotKept: a file of requests that the disk does not keep ends the writing, before the next one begins.
func TestFullFileIsNotKept(t *testing.T) {
	dir := t.TempDir()
	if _, err := os.Stat("/dev/full"); err != nil || os.Symlink("/dev/full", filepath.Join(dir, "p-0001.jsonl")) != nil {
		t.Skip("no /dev/full")
	}
	for _, limits := range []Limits{{Requests: 1}, {Requests: 10, Bytes: 1}} {
		for name, conversations := range map[string][]string{"two conversations": {"a", "b"}, "two requests of one": {"a", "a"}} {
			w := NewWriter(dir, "p", "http://e", limits, textOf)
			for i, key := range conversations {
				_ = put(t, w, key, fmt.Sprint("request ", i))
			}
			err := w.Flush(slices.Compact(conversations))
			if _, begun := os.Stat(filepath.Join(dir, "p-0002.jsonl")); !errors.Is(err, syscall.ENOSPC) || begun == nil {
				t.Errorf("%s, %+v: %v; another file: %v", name, limits, err, begun == nil)
			}
		}
	}
}

// TestSameBytes: the requests of one judgement stand in the same order, whichever came first.
func TestSameBytes(t *testing.T) {
	write := func(texts ...string) string {
		dir := t.TempDir()
		w := NewWriter(dir, "p", "http://e", Limits{}, textOf)
		for _, text := range texts {
			_ = put(t, w, "a", text)
		}
		if err := errors.Join(w.Flush([]string{"a"}), w.Close()); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(filepath.Join(dir, "p-0001.jsonl"))
		return string(text)
	}
	if a, b := write("x", "y", "z"), write("z", "y", "x"); a != b || strings.Count(a, "\n") != 3 {
		t.Errorf("%s, then %s", a, b)
	}
}

// TestDiskIsFull: a conversation that the disk has no room for fails its flush, be it for a request or for the index.
func TestDiskIsFull(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, tt := range map[string]struct{ key, text string }{
		"p-0001.jsonl": {"a", long}, "p.index": {long, "x"},
	} {
		dir := t.TempDir()
		if _, err := os.Stat("/dev/full"); err != nil || os.Symlink("/dev/full", filepath.Join(dir, name)) != nil {
			t.Skip("no /dev/full")
		}
		w := NewWriter(dir, "p", "http://e", Limits{}, textOf)
		_ = put(t, w, tt.key, tt.text)
		if err := w.Flush([]string{tt.key}); !errors.Is(err, syscall.ENOSPC) || w.Requests != 0 {
			t.Errorf("%s: %v, %d requests", name, err, w.Requests)
		}
	}
}

// TestDiskTakesNothing: requests or an index that the disk has no room for, or does not keep, fail the closing.
func TestDiskTakesNothing(t *testing.T) {
	for device, want := range map[string]error{"/dev/full": syscall.ENOSPC, "/dev/null": syscall.EINVAL} {
		for _, name := range []string{"p-0001.jsonl", "p.index"} {
			dir := t.TempDir()
			if _, err := os.Stat(device); err != nil || os.Symlink(device, filepath.Join(dir, name)) != nil {
				t.Skip("no ", device)
			}
			w := NewWriter(dir, "p", "http://e", Limits{}, textOf)
			_ = put(t, w, "a", "x")
			if err := w.Flush([]string{"a"}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); !errors.Is(err, want) {
				t.Errorf("%s in place of %s: %v, want %v", device, name, err, want)
			}
		}
	}
}
