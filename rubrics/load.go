package rubrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/judgekit/judge/internal/value"
)

// maxRecord bounds the bytes of one rubric record.
const maxRecord = 8 << 20

// Load reads every rubric of a file. name is the file's name for messages. A
// record that cannot be used costs only itself: the rubrics that could be read
// come back together with an error that joins one *Problem for each complaint.
// Only a failure to read r itself ends the loading.
func Load(r io.Reader, name string) ([]*Rubric, error) {
	var out []*Rubric
	var errs []error
	seen := map[string]int{}
	for rubric, err := range Read(r, name) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if line, ok := seen[rubric.Name]; ok {
			errs = append(errs, &Problem{File: name, Line: rubric.Line, Field: "name",
				Message: fmt.Sprintf("the name %q is taken by the rubric on line %d", rubric.Name, line)})
			continue
		}
		seen[rubric.Name] = rubric.Line
		out = append(out, rubric)
	}
	return out, errors.Join(errs...)
}

// Problems returns the single complaints inside an error of Load, Read or Parse,
// in file order.
func Problems(err error) []*Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*Problem
		for _, e := range joined.Unwrap() {
			out = append(out, Problems(e)...)
		}
		return out
	}
	if errors.As(err, &p) {
		return []*Problem{p}
	}
	return nil
}

func joinProblems(list []*Problem) error {
	errs := make([]error, len(list))
	for i, p := range list {
		errs[i] = p
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// Read yields the rubrics of a file one by one, holding one record in memory. The
// file is JSONL, or JSON objects that run over several lines, or one array of
// them. For each record it yields a rubric or an error, never both; an error that
// holds no *Problem is a failure to read r and is the last one.
func Read(r io.Reader, name string) iter.Seq2[*Rubric, error] {
	return func(yield func(*Rubric, error) bool) {
		s := &splitter{in: bufio.NewReaderSize(r, 64<<10), file: name}
		for {
			rec, problem, err := s.next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, fmt.Errorf("read %s: %w", name, err))
				return
			case problem != nil:
				if !yield(nil, problem) {
					return
				}
				continue
			}
			rubric, perr := Parse(rec.data, name, rec.line)
			if !yield(rubric, perr) {
				return
			}
		}
	}
}

type record struct {
	data []byte
	line int
}

// splitter cuts a stream into top-level objects by counting brackets outside of
// strings. JSON strings hold no line breaks, so a line that ends inside a string,
// or an object that opens where none may stand, shows a broken record, and the
// next line that starts an object starts afresh.
type splitter struct {
	in     *bufio.Reader
	file   string
	lineNo int
	// line holds what is left of the current line.
	line  []byte
	eof   bool
	array bool
	began bool
}

// next returns the next record, or a problem, or io.EOF.
func (s *splitter) next() (record, *Problem, error) {
	for {
		if len(s.line) == 0 {
			if err := s.advance(); err != nil {
				return record{}, nil, err
			}
		}
		s.line = bytes.TrimLeft(s.line, " \t\r\n")
		if len(s.line) == 0 {
			continue
		}
		switch c := s.line[0]; {
		case c == '{':
			return s.object()
		case c == '[' && !s.began:
			s.array, s.line = true, s.line[1:]
		case s.array && (c == ',' || c == ']'):
			s.line = s.line[1:]
		default:
			p := s.problem(s.lineNo, "expected a rubric (a JSON object), found %q", clip(s.line, 20))
			s.line = nil
			s.began = true
			return record{}, p, nil
		}
		s.began = true
	}
}

// object collects one object that starts at the head of the current line.
func (s *splitter) object() (record, *Problem, error) {
	s.began = true
	start := s.lineNo
	var data []byte
	depth, last := 0, byte(0)
	for {
		end, d, l, broken := scan(s.line, depth, last)
		depth, last = d, l
		data = append(data, s.line[:end]...)
		s.line = s.line[end:]
		if broken {
			s.line = nil
			return record{}, s.problem(s.lineNo, "the line ends inside a string; the record that starts on line %d is broken", start), s.resync()
		}
		if depth == 0 {
			return record{data, start}, nil, nil
		}
		if len(data) > maxRecord {
			return record{}, s.problem(start, "the record is longer than %d MiB", maxRecord>>20), s.resync()
		}
		switch err := s.advance(); {
		case errors.Is(err, io.EOF):
			s.eof = true
			return record{}, s.problem(start, "the record is not closed: %d brackets are open at the end of the file", depth), nil
		case err != nil:
			return record{}, nil, err
		}
		if s.startsAfresh(last) {
			return record{}, s.problem(start, "the record is not closed before the next one starts on line %d", s.lineNo), nil
		}
	}
}

// startsAfresh reports whether the current line begins a new record although the
// one before is still open.
func (s *splitter) startsAfresh(last byte) bool {
	if s.array || len(s.line) == 0 || s.line[0] != '{' {
		return false
	}
	if last != ',' && last != '[' && last != ':' {
		return true
	}
	v, err := value.Parse(s.line)
	return err == nil && v.Has("jsonschema")
}

// scan reads brackets from the head of line until depth is 0. It returns how many
// bytes belong to the record, the depth and the last significant byte, and whether
// the line ended inside a string.
func scan(line []byte, depth int, last byte) (end, newDepth int, newLast byte, broken bool) {
	inString, escaped := false, false
	for i, c := range line {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString && c == '\n':
			return len(line), depth, last, true
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth == 0 {
				return i + 1, 0, c, false
			}
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			last = c
		}
	}
	return len(line), depth, last, inString
}

// resync skips to the next line that starts an object.
func (s *splitter) resync() error {
	for {
		if err := s.advance(); err != nil {
			if errors.Is(err, io.EOF) {
				s.eof = true
				return nil
			}
			return err
		}
		if bytes.HasPrefix(s.line, []byte("{")) {
			return nil
		}
	}
}

// advance reads the next line, which may be as long as a record may be.
func (s *splitter) advance() error {
	s.line = nil
	if s.eof {
		return io.EOF
	}
	s.lineNo++
	for {
		part, err := s.in.ReadSlice('\n')
		if len(s.line)+len(part) > maxRecord+64<<10 {
			part = nil // keep reading to the end of the line; the length is complained about
		}
		s.line = append(s.line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(s.line) > 0:
			s.eof = true
		case err != nil:
			return err
		}
		break
	}
	if s.lineNo == 1 {
		s.line = bytes.TrimPrefix(s.line, []byte("\xef\xbb\xbf"))
	}
	return nil
}

func (s *splitter) problem(line int, format string, args ...any) *Problem {
	return &Problem{File: s.file, Line: line, Message: fmt.Sprintf(format, args...)}
}

func clip(b []byte, n int) []byte {
	b = bytes.TrimRight(b, "\r\n")
	if len(b) > n {
		return append(b[:n:n], "..."...)
	}
	return b
}
