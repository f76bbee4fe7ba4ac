package score

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// DefaultMaxLine is the longest line that a Reader takes by default, in bytes.
const DefaultMaxLine = 64 << 20

// LineError is a line that is no score. The stream goes on behind it.
type LineError struct {
	// File is the name that the reader was given, Line the 1-based line.
	File string
	Line int
	// Cause says which field is wrong and how.
	Cause error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Cause) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Cause }

// Reader reads a score stream line by line.
type Reader struct {
	in      *bufio.Reader
	name    string
	line    int
	buf     []byte
	maxLine int
	runID   string
}

// ReaderConfig bounds a Reader; the zero value takes the defaults.
type ReaderConfig struct {
	// MaxLine is the longest line in bytes, 0 for DefaultMaxLine.
	MaxLine int
}

// NewReader reads the header of the stream r; name stands in errors. A stream of
// another version, or none at all, is an error that says what to do.
func NewReader(r io.Reader, name string, cfg ReaderConfig) (*Reader, error) {
	rd := &Reader{in: bufio.NewReaderSize(r, 64<<10), name: name, maxLine: cfg.MaxLine}
	if rd.maxLine <= 0 {
		rd.maxLine = DefaultMaxLine
	}
	line, err := rd.next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty: a score stream begins with {\"schema\":%q,…}", name, Schema)
	}
	if err != nil {
		return nil, err
	}
	header, err := value.Parse(line)
	schema, _ := header.Field("schema").Str()
	switch {
	case err == nil && schema == Schema:
		rd.runID, _ = header.Field("run_id").Str()
		return rd, nil
	case strings.HasPrefix(schema, "judge.scores/"):
		return nil, fmt.Errorf("%s:1: unknown schema %q: made by a newer judge; read it with that one", name, schema)
	}
	return nil, fmt.Errorf("%s:1: no score stream: the first line must be {\"schema\":%q,\"run_id\":…}", name, Schema)
}

// RunID returns the run id of the header, "" where there is none.
func (r *Reader) RunID() string { return r.runID }

// Next returns the next score, io.EOF at the end, a *LineError for a line that is
// no score (the next call goes on behind it), or the error of the input.
func (r *Reader) Next() (Score, error) {
	for {
		line, err := r.next()
		if err != nil {
			return Score{}, err
		}
		if blank(line) {
			continue
		}
		s, err := Parse(line)
		if err != nil {
			return Score{}, &LineError{r.name, r.line, err}
		}
		return s, nil
	}
}

// All iterates over the rest of the stream. A line that is no score comes as a
// *LineError and the iteration goes on; any other error ends it.
func (r *Reader) All() iter.Seq2[Score, error] {
	return func(yield func(Score, error) bool) {
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			var bad *LineError
			if !yield(s, err) || err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}
}

// next returns the next line without its end. The bytes are valid until the next
// call. A line over the limit is skipped to its end and reported.
func (r *Reader) next() ([]byte, error) {
	r.line++
	const keep = 4 << 20
	if cap(r.buf) > keep {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.buf)+len(part) > r.maxLine {
			tooLong = true
		}
		if !tooLong {
			if err == nil && len(r.buf) == 0 {
				return part[:len(part)-1], nil
			}
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read %s: %w", r.name, err)
		case tooLong:
			return nil, &LineError{r.name, r.line, fmt.Errorf("line is longer than %d bytes", r.maxLine)}
		case err != nil && len(r.buf) == 0:
			return nil, io.EOF
		}
		if n := len(r.buf); n > 0 && r.buf[n-1] == '\n' {
			r.buf = r.buf[:n-1]
		}
		return r.buf, nil
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
