package score

import (
	"bufio"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// Writer writes a score stream: the header line, then one line a score. It is not
// safe for concurrent use.
type Writer struct {
	out  *bufio.Writer
	line []byte
}

// NewWriter writes the header to w, buffered: the caller ends with Flush.
func NewWriter(w io.Writer, runID string) (*Writer, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	header := value.OfObject(
		value.Member{Key: "schema", Value: value.OfString(Schema)},
		value.Member{Key: "run_id", Value: value.OfString(runID)},
	)
	if _, err := out.WriteString(header.JSON() + "\n"); err != nil {
		return nil, fmt.Errorf("write scores: %w", err)
	}
	return &Writer{out: out}, nil
}

// Write writes one score. A score that does not pass Check is refused and nothing
// of it is written.
func (w *Writer) Write(s Score) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("write score %s of %s: %w", s.Name, s.ConversationID, err)
	}
	w.line = append(Append(w.line[:0], &s), '\n')
	if _, err := w.out.Write(w.line); err != nil {
		return fmt.Errorf("write scores: %w", err)
	}
	const keep = 1 << 20
	if cap(w.line) > keep {
		w.line = nil
	}
	return nil
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write scores: %w", err)
	}
	return nil
}
