package score

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	json2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine limits the length of a line of a stream, in bytes.
const maxLine = 64 << 20

// LineError is a line that is not a score. Reading continues after it.
type LineError struct {
	// File is the name of the stream, Line the 1-based line.
	File string
	Line int
	// Cause says which field is wrong and how.
	Cause error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Cause) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Cause }

// Read iterates over the scores of a stream; name is used in errors. If the stream has another
// version, or is not a stream, the error says what to do. A line that is not a score is yielded as
// a *LineError, and the iteration continues; any other error ends it.
func Read(r io.Reader, name string) iter.Seq2[Score, error] { return readUpTo(r, name, maxLine, nil) }

// ReadOf reads only the scores of some conversations, from a stream that Writer wrote. It decodes
// few other lines: those whose ids have an escape, which can be written in two ways.
func ReadOf(r io.Reader, name string, conversations ...string) iter.Seq2[Score, error] {
	starts := map[string]bool{}
	for _, id := range conversations {
		var b bytes.Buffer
		_ = encode(&b, id) // encoding a string cannot fail
		starts[string(bytes.TrimSpace(b.Bytes()))] = true
	}
	return ReadPart(r, name, func(line []byte) []byte {
		// A quote inside an id is escaped, so this cannot be the next key.
		id, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"conversation_id":`)), []byte(`,"call_index":`))
		if !starts[string(id)] && bytes.IndexByte(id, '\\') < 0 {
			return nil
		}
		return line
	})
}

// ReadPart reads what pick returns for each line; nil skips the line. pick may change the line, but
// must not keep it.
func ReadPart(r io.Reader, name string, pick func(line []byte) []byte) iter.Seq2[Score, error] {
	return readUpTo(r, name, maxLine, pick)
}

// Good skips the lines that are not scores. Any other error is the last.
func Good(all iter.Seq2[Score, error]) iter.Seq2[Score, error] {
	return func(yield func(Score, error) bool) {
		for s, err := range all {
			if bad := (*LineError)(nil); errors.As(err, &bad) {
				continue
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// readUpTo reads lines of at most most bytes, and passes those after the header through pick; a nil
// pick changes nothing.
func readUpTo(r io.Reader, name string, most int, pick func(line []byte) []byte) iter.Seq2[Score, error] {
	return func(yield func(Score, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var buf []byte
		for number := 1; ; number++ {
			line, err := ReadLine(in, buf[:0], most)
			if cap(line) <= 4<<20 {
				buf = line
			}
			var s Score
			switch {
			case errors.Is(err, io.EOF) && number == 1:
				yield(s, fmt.Errorf("%s: empty: a score stream begins with {\"schema\":%q,…}", name, streamSchema))
				return
			case errors.Is(err, io.EOF):
				return
			case err != nil && !errors.Is(err, ErrTooLong):
				yield(s, fmt.Errorf("read %s: %w", name, err))
				return
			case number == 1:
				if err := checkHeader(line, name); err != nil {
					yield(s, err)
					return
				}
				continue
			case err == nil:
				if pick != nil {
					line = pick(line)
				}
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				s, err = Parse(line)
			}
			if err != nil {
				s, err = Score{}, &LineError{name, number, err}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func checkHeader(line []byte, name string) error {
	var h header
	err := json.Unmarshal(line, &h)
	switch {
	case err == nil && h.Schema == streamSchema:
		return nil
	case strings.HasPrefix(h.Schema, "judge.scores/"):
		return fmt.Errorf("%s:1: unknown schema %q: made by a newer judge; read it with that one", name, h.Schema)
	}
	return fmt.Errorf("%s:1: no score stream: the first line must be {\"schema\":%q,\"run_id\":…}", name, streamSchema)
}

// ErrTooLong is the error for a line that is too long.
var ErrTooLong = errors.New("line is too long")

// ReadLine appends the next line to buf. A line of more than most bytes is skipped and gives an
// ErrTooLong; io.EOF means that there are no more lines.
func ReadLine(in *bufio.Reader, buf []byte, most int) ([]byte, error) {
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(buf)+len(part) > most; !tooLong {
			buf = append(buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (!errors.Is(err, io.EOF) || len(buf) == 0 && !tooLong):
			return buf, err
		case tooLong:
			return buf, fmt.Errorf("%w: more than %d bytes", ErrTooLong, most)
		default:
			return buf, nil
		}
	}
}

// asWritten are options to read a line as leniently as other JSON readers.
var asWritten = json2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Parse parses one line of the stream. It ignores unknown keys. Errors name the field.
func Parse(line []byte) (Score, error) {
	var s Score
	err := json2.Unmarshal(line, &s, asWritten)
	var wrong *json2.SemanticError
	switch {
	case errors.As(err, &wrong) && wrong.JSONPointer == "":
		err = fmt.Errorf("must be an object, is %s", kindOf(wrong))
	case errors.As(err, &wrong):
		err = fmt.Errorf("%s: cannot be %s", strings.ReplaceAll(string(wrong.JSONPointer[1:]), "/", "."), kindOf(wrong))
	case err != nil:
		err = fmt.Errorf("no JSON: %w", err)
	default:
		err = s.Check()
	}
	if err != nil {
		return Score{}, err
	}
	return s, nil
}

// kindOf names what was found instead of the wanted type.
func kindOf(e *json2.SemanticError) string {
	switch e.JSONKind {
	case '[':
		return "array"
	case '{':
		return "object"
	case '"':
		return "string"
	case '0':
		return strings.TrimSpace("number " + string(e.JSONValue))
	}
	return e.JSONKind.String()
}

// Writer writes a score stream: the header line, then one line a score. It is not
// safe for concurrent use.
type Writer struct{ out *bufio.Writer }

// NewWriter writes the header to w, buffered: the caller ends with Flush.
func NewWriter(w io.Writer, runID string) (*Writer, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	return &Writer{out}, encode(out, header{streamSchema, runID})
}

// Write writes one score, see Encode.
func (w *Writer) Write(s Score) error { return Encode(w.out, &s) }

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write scores: %w", err)
	}
	return nil
}

// Encode writes the line of a score. It refuses a score that fails Check, and then writes nothing.
func Encode(w io.Writer, s *Score) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("write score %s of %s: %w", s.Name, s.ConversationID, err)
	}
	line := *s
	if line.Flags == nil {
		line.Flags = []Flag{} // the line must have a list
	}
	return encode(w, &line)
}

func encode(w io.Writer, line any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return fmt.Errorf("write scores: %w", err)
	}
	return nil
}
