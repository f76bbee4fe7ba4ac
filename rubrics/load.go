package rubrics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// maxFile bounds the bytes of a rubric file.
const maxFile = 64 << 20

// Load reads every rubric of a file: JSON objects, one a line or over several lines, or one array
// of them; or YAML, one rubric or a list. A name that ends in .json, .jsonl, .yaml or .yml decides,
// else the first character. name is the file's name for messages. Records that cannot be used are
// left out: Load returns the other rubrics, together with an error that joins one *Problem for each
// thing that is wrong, and the error of r if reading it failed.
func Load(r io.Reader, name string) ([]*Rubric, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the file is longer than %d MiB", maxFile>>20)
	}
	l := &loader{name: name, data: bytes.TrimPrefix(data, []byte("\ufeff")), lines: map[string]int{}}
	switch at := notText(data); {
	case err == nil && at >= 0:
		line, col := placeOf(data, at)
		l.fail(line, col, "", "the file is not UTF-8 text; save it as UTF-8")
	case err == nil && l.isYAML():
		l.loadYAML()
	default:
		l.load()
	}
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("read %s: %w", name, pathless(err)))
	}
	return l.rubrics, errors.Join(l.errs...)
}

// pathless returns the cause of a file's error, because the caller names the file already.
func pathless(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// notText returns where a file stops being UTF-8, -1 if it is text.
func notText(data []byte) int {
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// placeOf returns the line and the column of a byte of a text, both from 1.
func placeOf(text []byte, at int) (line, col int) {
	return 1 + bytes.Count(text[:at], []byte{'\n'}), at - bytes.LastIndexByte(text[:at], '\n')
}

// loader cuts a text into records.
type loader struct {
	name    string
	data    []byte
	rubrics []*Rubric
	lines   map[string]int // the line of each rubric, by name
	errs    []error
}

func (l *loader) load() {
	for at := 0; ; {
		at += len(l.data[at:]) - len(bytes.TrimLeft(l.data[at:], " \t\r\n,[]"))
		rest := l.data[at:]
		if len(rest) == 0 {
			return
		}
		line, col := placeOf(l.data, at)
		dec := value.NewDecoder(bytes.NewReader(rest))
		readable := false
		if rest[0] != '{' {
			first, _, _ := bytes.Cut(rest, []byte{'\n'})
			found := value.Excerpt(string(bytes.TrimSpace(first)), 20)
			l.fail(line, col, "", "expected a rubric (a JSON object), found %q", found)
		} else if readable = dec.Skip() == nil; !readable {
			broken, right := placeOf(l.data, at+value.Broken(rest))
			l.fail(broken, right, "", "not readable as JSON: the record that begins on line %d is broken or not closed", line)
		}
		if !readable { // the next record is on a line of its own
			next := bytes.Index(rest, []byte("\n{"))
			if next < 0 {
				return
			}
			at += next
			continue
		}
		end := int(dec.Offset())
		l.addJSON(rest[:end], line, col)
		at += end
	}
}

// source is one record of a file.
type source struct {
	file  string
	line  int
	value value.Value
	// repeated holds the JSON Pointers of keys that occur twice.
	repeated []string
	// place returns the line and the column of the value at a JSON Pointer, both from 1.
	place func(pointer string) (line, col int)
}

// addJSON adds a record that begins at a line and column.
func (l *loader) addJSON(record []byte, line, col int) {
	v, repeated, err := value.ParseUnique(record)
	if err != nil {
		l.fail(line, col, "", "not readable as JSON: %v", err)
		return
	}
	l.add(source{l.name, line, v, repeated, func(pointer string) (int, int) {
		rest := bytes.TrimLeft(record[value.Locate(record, pointer):], " \t\r\n:,")
		below, right := placeOf(record, len(record)-len(rest))
		if below == 1 {
			right += col - 1
		}
		return line + below - 1, right
	}})
}

// isYAML reports whether the file is YAML: by its name, else because JSON begins with a bracket.
func (l *loader) isYAML() bool {
	switch strings.ToLower(path.Ext(l.name)) {
	case ".yaml", ".yml":
		return true
	case ".json", ".jsonl":
		return false
	}
	start := bytes.TrimLeft(l.data, " \t\r\n")
	return len(start) > 0 && start[0] != '{' && start[0] != '['
}

// loadYAML reads one rubric, or a list of them.
func (l *loader) loadYAML() {
	root, err := settings.Open(l.name, l.data)
	problems, _ := errors.AsType[settings.Problems](err)
	for _, p := range problems {
		if strings.Contains(p.Message, "invalid header option") {
			p.Message += `; a value that begins with > needs quotation marks, as in pass: ">= 4"`
		}
		l.fail(p.Line, p.Col, p.Path, "%s", p.Message)
	}
	if err != nil || root.Kind() == value.Object && root.Len() == 0 {
		return
	}
	n := 1
	if root.IsList() {
		n = root.Len()
	}
	for i := range n {
		record := root.Item(i)
		line, col := record.Place("")
		if record.Kind() != value.Object {
			l.fail(line, col, "", "expected a rubric (keys with values), found %s", value.Excerpt(record.JSON(), 40))
			continue
		}
		l.add(source{l.name, line, record.Value, nil, func(pointer string) (int, int) {
			return record.Place(fieldName(pointer))
		}})
	}
}

func (l *loader) add(record source) {
	r, problems := parse(record)
	for _, p := range problems {
		l.errs = append(l.errs, p)
	}
	if r == nil {
		return
	}
	if first, taken := l.lines[r.Name]; taken {
		line, col := record.place("/name")
		l.fail(line, col, "name", "the name %q is taken by the rubric on line %d", r.Name, first)
		return
	}
	l.lines[r.Name] = record.line
	l.rubrics = append(l.rubrics, r)
}

// fail records a problem at a place of the file; field "" means the whole record.
func (l *loader) fail(line, col int, field, format string, args ...any) {
	l.errs = append(l.errs, &Problem{
		Severity: SeverityError, File: l.name, Line: line, Column: col, Field: field,
		Message: fmt.Sprintf(format, args...),
	})
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
	// Line is 1-based; it is the line of the field if that is known, else of the record.
	Line int
	// Column is 1-based; 0 if it is not known.
	Column int
	// Field is the place inside the record, as "jsonschema.properties.output"; ""
	// for the whole record.
	Field   string
	Message string
}

// Error returns "file:line:column: field: message", without what is not known.
func (p *Problem) Error() string {
	text := p.Place() + ": "
	if p.Field != "" {
		text += p.Field + ": "
	}
	return text + p.Message
}

// Place returns "file:line:column", or "file:line".
func (p *Problem) Place() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problems returns the problems that an error of Load joins, in file order.
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

// origin tells where the parts of a rubric stand in its file.
type origin struct {
	source
	// short says that the record has the short form.
	short bool
}

// problem returns an error about the value at a JSON Pointer of the rubric's record.
func (r *Rubric) problem(pointer, format string, args ...any) *Problem {
	from := &r.origin
	pointer = from.pointer(pointer)
	line, col := from.place(pointer)
	return &Problem{
		Severity: SeverityError, File: r.File, Line: line, Column: col, Field: fieldName(pointer),
		Message: fmt.Sprintf(format, args...),
	}
}

// pointer returns the place in the file of the value at a JSON Pointer of the published form.
func (o *origin) pointer(published string) string {
	path := steps(published)
	if !o.short || len(path) == 0 || path[0] != "jsonschema" {
		return published
	}
	switch {
	case len(path) > 1 && path[1] == "description":
		return "/question"
	case len(path) < 3:
		return ""
	case o.value.Field("answer").Field("properties").Has(path[2]):
		return "/answer" + pointerOf(path[1:]...)
	case path[2] == KeyOutput && len(path) > 4 && path[3] == "enum":
		return "/answer" + pointerOf(path[4])
	case path[2] == KeyOutput && len(path) > 3 && strings.HasPrefix(path[3], "threshold_"):
		return "/pass"
	case path[2] == KeyOutput:
		return "/answer"
	case o.value.Field("extra").Has(path[2]):
		return "/extra" + pointerOf(path[2:]...)
	}
	return ""
}

// steps splits a JSON Pointer into its unescaped parts.
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

// pointerOf joins the parts that steps returns.
func pointerOf(steps ...string) (pointer string) {
	for _, step := range steps {
		pointer += "/" + value.EscapePointer(step)
	}
	return pointer
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
