package directory

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/judgekit/judge/internal/run/input"
)

// onceOf returns a log that can be read only once.
func onceOf(name, text string) input.Log {
	return input.Log{Name: name, Once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// closing counts how often it is closed.
type closing struct {
	io.Reader
	times int
}

func (c *closing) Close() error { c.times++; return nil }

// filesIn returns the names of the files of a directory, "" if it is not there.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	list, _ := os.ReadDir(dir)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestSpool: a log that can be read only once is read from its copy from then on, as often as one likes; a run
// that does not start leaves no copy, and one that is resumed makes none.
func TestSpool(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	plain := onceOf("plain.jsonl", "plain")
	plain.Once = false
	list := []input.Log{onceOf("-", "standard input"), plain, onceOf("/dev/fd/63", "a pipe"), onceOf("/dev/fd/64", "another pipe")}
	remove, err := Spool(dir, list, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"standard input", "plain", "a pipe", "another pipe"} {
		if list[i].Once || (list[i].Path == "") != (want == "plain") {
			t.Errorf("%s is read from %q, once %v", list[i].Name, list[i].Path, list[i].Once)
		}
		for range 2 {
			f, err := list[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(f)
			if err := errors.Join(err, f.Close()); string(text) != want || err != nil {
				t.Errorf("%s holds %q, %v", list[i].Name, text, err)
			}
		}
	}
	if remove(); filesIn(t, dir) != "" {
		t.Errorf("left behind: %s", filesIn(t, dir))
	}
	pipe := &closing{Reader: strings.NewReader("a pipe")}
	piped := []input.Log{{Name: "pipe", Once: true, Open: func() (io.ReadCloser, error) { return pipe, nil }}}
	removePipe, err := Spool(dir, piped, false)
	if err != nil || pipe.times != 1 {
		t.Errorf("a pipe was closed %d times, %v", pipe.times, err)
	}
	removePipe()
	for log, want := range map[string]string{"-": "stdin.log", "/dev/fd/63": "pipe-6c63d7c9.log"} {
		if got := SpoolFile(log); got != want {
			t.Errorf("the copy of %s is %s, want %s", log, got, want)
		}
	}
	var refused *Error
	resumed := []input.Log{onceOf("-", "x")}
	if _, err := Spool(dir, resumed, true); !errors.As(err, &refused) || !strings.Contains(err.Error(), "stdin.log: missing; it is the copy of -") {
		t.Errorf("a resumed run without its copy: %v", err)
	}
	broken := errors.New("broken")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"does not open": func() (io.ReadCloser, error) { return nil, broken },
		"breaks off": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))), nil
		},
	} {
		list := []input.Log{onceOf("-", "x"), {Name: "pipe", Once: true, Open: open}}
		if _, err := Spool(dir, list, false); !errors.Is(err, broken) || filesIn(t, dir) != "" {
			t.Errorf("a log that %s: %v; left behind: %s", name, err, filesIn(t, dir))
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "stdin.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Spool(dir, []input.Log{onceOf("-", "x")}, false); err == nil {
		t.Error("a copy in place of a directory")
	}
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Spool(dir, []input.Log{onceOf("-", "x")}, false); err == nil {
		t.Error("a copy in a directory that is a file")
	}
}
