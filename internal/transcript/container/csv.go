package container

// Tables of spreadsheets, pandas and databases. The first line names the columns. A cell that is
// the JSON or the Python literal of a list or an object is read as that; every other cell is a
// text, and an empty one is left out. Nothing is lost.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// separator returns the separator of a table, 0 if head is not the beginning of a table: the first line must
// have a column that a reader knows, or several columns, and the next two lines must have as many cells.
func separator(head []byte, column func(name string) bool) rune {
	if line, _, found := bytes.Cut(head, []byte{'\n'}); !found || len(line) == 0 || len(line) > 4<<10 {
		return 0
	}
	for _, sep := range ",\t;" {
		r := csvReader(bytes.NewReader(head), sep)
		names, err := r.Read()
		if err != nil || !areNames(names) {
			continue
		}
		one, _ := r.Read()
		two, _ := r.Read()
		regular := len(names) > 1 && len(one) == len(names) && len(two) == len(names)
		if regular || slices.ContainsFunc(names, func(name string) bool { return column(strings.TrimSpace(name)) }) {
			return sep
		}
	}
	return 0
}

func areNames(names []string) bool {
	for _, name := range names {
		if len(name) > 80 || strings.ContainsAny(name, "{}[]\n") {
			return false
		}
	}
	return true
}

func csvReader(in io.Reader, sep rune) *csv.Reader {
	r := csv.NewReader(in)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = sep, true, -1
	return r
}

// bounded stops at a row that is longer than the limit.
type bounded struct {
	in    io.Reader
	limit int
	n     int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n > b.limit {
		return 0, &Broken{Message: fmt.Sprintf("a row is longer than the limit of %d bytes: is a quote not closed?", b.limit)}
	}
	n, err := b.in.Read(p)
	b.n += n
	return n, err
}

func openCSV(in *bufio.Reader, limit int, column func(name string) bool) (io.Reader, error) {
	head, _ := in.Peek(headSize)
	text := withoutMark(head)
	in.Discard(len(head) - len(text))
	source := &bounded{in: in, limit: limit + headSize}
	r := csvReader(source, separator(text, column))
	names, err := r.Read()
	if err != nil {
		return nil, err
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	table := rows(0, func() (value.Value, error) {
		source.n = 0
		cells, err := r.Read() // with LazyQuotes, no row is malformed
		return rowOf(names, cells), err
	})
	table.Text = []byte("\n") // replaces the header, so that row numbers match line numbers
	return table, nil
}

// rowOf returns a row as an object. Cells without a column name are numbered.
func rowOf(names, cells []string) value.Value {
	var members []value.Member
	for i, text := range cells {
		name := fmt.Sprintf("column_%d", i+1)
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		if text != "" {
			members = append(members, value.Member{Key: name, Value: cell(text)})
		}
	}
	return value.OfObject(members...)
}

// cell parses a JSON or Python list or object; any other text is returned as text.
func cell(text string) value.Value {
	trimmed := strings.TrimSpace(text)
	v := value.OfString(text)
	if len(trimmed) < 2 || trimmed[0] != '[' && trimmed[0] != '{' {
		return v
	}
	if inner := value.OfString(trimmed).Decoded(); inner.Kind() != value.String {
		return inner
	}
	if inner, err := pycall.ParseLiteral(trimmed); err == nil && (inner.IsList() || inner.Kind() == value.Object) {
		return inner
	}
	return v
}
