package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Read reads the wanted columns. name stands in errors and its ending helps to tell
// CSV from TSV. An error means that no table could be read: a column that is not
// there, a cell that is a list or an object, input that cannot be read.
func Read(name string, in io.Reader, opts Options) (*Table, error) {
	if opts.MaxRecord <= 0 {
		opts.MaxRecord = defaultMaxRecord
	}
	r := bufio.NewReaderSize(in, 1<<16)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: gzip: %w", name, err)
		}
		r = bufio.NewReaderSize(unpacked, 1<<16)
	}
	if head, _ := r.Peek(3); string(head) == "\ufeff" {
		if _, err := r.Discard(3); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	t := &Table{Name: name, Format: opts.Format, matched: make([][]*Column, len(opts.Columns))}
	if t.Format == "" {
		format, err := detect(name, r, opts.Rows != "")
		if err != nil {
			return nil, err
		}
		t.Format = format
	}
	var err error
	switch t.Format {
	case CSV, TSV:
		err = t.readCSV(r, &opts)
	case JSONL:
		err = t.readJSONL(r, &opts)
	case JSON:
		err = t.readJSON(r, &opts)
	default:
		err = fmt.Errorf("format %q is none of csv, tsv, jsonl, json", t.Format)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// detect looks at the first byte that is no blank, and for other text than JSON at
// the name and the first line.
func detect(name string, r *bufio.Reader, document bool) (Format, error) {
	head, err := r.Peek(1 << 15)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return "", fmt.Errorf("%s: the file is empty: want a table with a header, or JSON lines", name)
	}
	switch trimmed := bytes.TrimLeft(head, " \t\r\n"); {
	case len(trimmed) > 0 && trimmed[0] == '[', document:
		return JSON, nil
	case len(trimmed) > 0 && trimmed[0] == '{':
		return JSONL, nil
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".tsv") || bytes.Count(line, []byte("\t")) > bytes.Count(line, []byte(",")) {
		return TSV, nil
	}
	return CSV, nil
}

// begin checks that one more row has room and remembers its line.
func (t *Table) begin(line int) error {
	if t.Rows >= math.MaxInt32 || line > math.MaxUint32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	t.lines = append(t.lines, uint32(line))
	return nil
}

// end closes a row: columns that it did not name are missing in it.
func (t *Table) end() error {
	t.Rows++
	for _, c := range t.all {
		c.fill(t.Rows, t.lines)
		if c.bad != "" {
			return errors.New(c.bad)
		}
	}
	return nil
}

// column adds a column for the n-th pattern.
func (t *Table) column(n int, name string, opts *Options) (*Column, error) {
	if len(t.all) >= maxColumns {
		return nil, fmt.Errorf("column %s: more than %d columns match", opts.Columns[n].Pattern, maxColumns)
	}
	c := newColumn(name, opts.Columns[n], opts)
	c.fill(t.Rows, t.lines)
	t.all = append(t.all, c)
	t.matched[n] = append(t.matched[n], c)
	return c, nil
}

// unknown is the error for a pattern that no column matches.
func unknown(pattern string, have []string) error {
	const most = 40
	more := ""
	if len(have) > most {
		more = fmt.Sprintf(" and %d more", len(have)-most)
		have = have[:most]
	}
	quoted := make([]string, len(have))
	for i, h := range have {
		quoted[i] = fmt.Sprintf("%.80q", h)
	}
	if len(have) == 0 {
		return fmt.Errorf("column %q: no row could be read", pattern)
	}
	return fmt.Errorf("column %q is not there; the columns are %s%s", pattern, strings.Join(quoted, ", "), more)
}
