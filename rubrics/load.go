package rubrics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxFile bounds the bytes of a rubric file.
const maxFile = 64 << 20

// Load reads every rubric of a file: JSON objects, one a line or over several lines, or
// one array of them. name is the file's name for messages. A record that cannot be used
// costs only itself: the rubrics that could be read come back together with an error that
// joins one *Problem for each complaint, and the error of r where reading it failed.
func Load(r io.Reader, name string) ([]*Rubric, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the file is longer than %d MiB", maxFile>>20)
	}
	l := &loader{name: name, data: bytes.TrimPrefix(data, []byte("\ufeff")), lines: map[string]int{}}
	l.load()
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("read %s: %w", name, err))
	}
	return l.rubrics, errors.Join(l.errs...)
}

// loader cuts a text into records.
type loader struct {
	name    string
	data    []byte
	rubrics []*Rubric
	lines   map[string]int // of the rubrics, by name
	errs    []error
}

func (l *loader) load() {
	for at := 0; ; {
		at += len(l.data[at:]) - len(bytes.TrimLeft(l.data[at:], " \t\r\n,[]"))
		rest := l.data[at:]
		if len(rest) == 0 {
			return
		}
		line := 1 + bytes.Count(l.data[:at], []byte{'\n'})
		dec := value.NewDecoder(bytes.NewReader(rest))
		var err error
		if rest[0] != '{' {
			first, _, _ := bytes.Cut(rest, []byte{'\n'})
			err = fmt.Errorf("expected a rubric (a JSON object), found %q", value.Excerpt(string(bytes.TrimSpace(first)), 20))
		} else if err = dec.Skip(); err != nil {
			broken := line + bytes.Count(rest[:dec.Offset()], []byte{'\n'})
			err = fmt.Errorf("not readable as JSON from line %d on: the record is broken or not closed", broken)
		}
		if err != nil {
			// The next record is on a line of its own.
			l.errs = append(l.errs, &Problem{Severity: SeverityError, File: l.name, Line: line, Message: err.Error()})
			next := bytes.Index(rest, []byte("\n{"))
			if next < 0 {
				return
			}
			at += next
			continue
		}
		end := int(dec.Offset())
		l.add(rest[:end], line)
		at += end
	}
}

func (l *loader) add(record []byte, line int) {
	r, problems := parse(record, l.name, line)
	if r != nil {
		if first, taken := l.lines[r.Name]; taken {
			r, problems = nil, []*Problem{{Severity: SeverityError, File: l.name, Line: line, Field: "name",
				Message: fmt.Sprintf("the name %q is taken by the rubric on line %d", r.Name, first)}}
		}
	}
	for _, p := range problems {
		l.errs = append(l.errs, p)
	}
	if r != nil {
		l.lines[r.Name] = line
		l.rubrics = append(l.rubrics, r)
	}
}

// Severity says how much a problem matters.
type Severity string

// The severities. An error makes the rubric unusable, scores wrong or requests fail; a
// warning makes them worse than they need be.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one thing that is wrong with a rubric file.
type Problem struct {
	Severity Severity
	File     string
	// Line is 1-based; it is the line of the field if that is known, else of
	// the record.
	Line int
	// Field is the place inside the record, as "jsonschema.properties.output"; ""
	// for the whole record.
	Field   string
	Message string
}

// Error returns "file:line: field: message".
func (p *Problem) Error() string {
	if p.Field == "" {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Field, p.Message)
}

// Problems returns the single complaints inside an error of Load, in file order.
func Problems(err error) []*Problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*Problem
		for _, e := range joined.Unwrap() {
			out = append(out, Problems(e)...)
		}
		return out
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return []*Problem{p}
	}
	return nil
}

// problem is an error about the value at a JSON Pointer of the rubric's record.
func (r *Rubric) problem(pointer, format string, args ...any) *Problem {
	return &Problem{
		Severity: SeverityError, File: r.File, Line: r.Line + lineOf(r.record, pointer), Field: fieldName(pointer),
		Message: fmt.Sprintf(format, args...),
	}
}

// steps splits a JSON Pointer.
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i := range list {
		list[i] = value.UnescapePointer(list[i])
	}
	return list
}

// lineOf returns how many lines below the start of a record the value at a JSON Pointer
// begins. If the pointer leads nowhere it is the line of the deepest part that is
// there.
func lineOf(record []byte, pointer string) int {
	rest := bytes.TrimLeft(record[value.Locate(record, pointer):], " \t\r\n:,")
	return bytes.Count(record[:len(record)-len(rest)], []byte{'\n'})
}

// fieldName writes a JSON Pointer as people write it: a.b[2].c.
func fieldName(pointer string) string {
	name := ""
	for _, step := range steps(pointer) {
		if _, err := strconv.Atoi(step); err == nil && name != "" {
			name += "[" + step + "]"
		} else {
			name += "." + step
		}
	}
	return strings.TrimPrefix(name, ".")
}
