package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/run/directory"
)

// reading calls told with the bytes that were read so far, before each read.
type reading struct {
	io.ReadCloser
	n    int
	told func(n int)
}

func (r *reading) Read(p []byte) (int, error) {
	r.told(r.n)
	n, err := r.ReadCloser.Read(p[:min(len(p), 4096)])
	r.n += n
	return n, err
}

// TestCancelledRunWithoutJudges: a run without judges that is cancelled ends with an
// error. It is saved as interrupted without a report, and its resume gives
// the bytes of a run that nothing disturbed.
func TestCancelledRunWithoutJudges(t *testing.T) {
	undisturbed := filepath.Join(t.TempDir(), "run")
	if _, err := executeSetup(t.Context(), plan(t, "", fileLog(supportLog)), undisturbed, false, Observer{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(supportLog)
	if err != nil {
		t.Fatal(err)
	}
	for name, after := range map[string]int{
		"at its beginning": 0, "in the middle of the log": int(info.Size() / 2),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			log := fileLog(supportLog)
			open, opened := log.Open, 0
			log.Open = func() (io.ReadCloser, error) {
				f, err := open()
				if opened++; opened == 1 { // for its hash
					return f, err
				}
				return &reading{ReadCloser: f, told: func(n int) {
					if n >= after {
						cancel()
					}
				}}, err
			}
			dir := filepath.Join(t.TempDir(), "run")
			out, err := executeSetup(ctx, plan(t, "", log), dir, false, Observer{})
			if !errors.Is(err, context.Canceled) || out == nil {
				t.Fatalf("not cancelled: %v", err)
			}
			m, err := directory.ReadManifest(dir)
			if err != nil || m.Status != directory.Interrupted || out.Manifest.Status != directory.Interrupted {
				t.Errorf("saved as %s: %v", out.Manifest.Status, err)
			}
			if _, err := os.Stat(filepath.Join(dir, directory.ReportFile)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a report of what was not finished: %v", err)
			}
			if _, err := executeSetup(t.Context(), plan(t, "", fileLog(supportLog)), dir, true, Observer{}); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{directory.ScoresFile, directory.ReportFile} {
				if string(read(t, dir, file)) != string(read(t, undisturbed, file)) {
					t.Errorf("%s differs from that of a run that nothing disturbed", file)
				}
			}
		})
	}
}
