package run

import (
	"io"
	"os"
	"sync/atomic"
	"testing"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// TestLogIsReadTwice runs a log of a file: it is opened to plan and to judge, and no byte is read
// a third time, although the report has a page with conversations.
func TestLogIsReadTwice(t *testing.T) {
	base, _ := answering(t, nil)
	var opens, bytes atomic.Int64
	log := fileLog(supportLog)
	log.Path, log.Open = supportLog, func() (io.ReadCloser, error) {
		opens.Add(1)
		f, err := os.Open(supportLog)
		return counted{f, &bytes}, err
	}
	if _, err := executeSetup(t.Context(), plan(t, base, log), t.TempDir(), false, Observer{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(supportLog)
	if err != nil {
		t.Fatal(err)
	}
	if opens.Load() != 2 || bytes.Load() != 2*info.Size() {
		t.Errorf("%d opens, %d bytes of %d", opens.Load(), bytes.Load(), info.Size())
	}
}
