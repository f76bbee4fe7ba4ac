package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

var errLong = errors.New("row is too long")

// capped fails once more than left bytes were read since it was last filled up, so
// that a quote that is never closed cannot take all memory.
type capped struct {
	r    io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errLong
	}
	n, err := c.r.Read(p)
	c.left -= n
	return n, err
}

func (t *Table) readCSV(in io.Reader, opts *Options) error {
	limited := &capped{in, opts.MaxRecord}
	r := csv.NewReader(limited)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	if t.Format == TSV {
		r.Comma, r.LazyQuotes = '\t', true
	}
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("line 1: header: %w", err)
	}
	header = slices.Clone(header)
	places, err := t.chooseHeaders(header, opts)
	if err != nil {
		return err
	}
	for {
		limited.left = opts.MaxRecord
		record, err := r.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			return fmt.Errorf("row behind line %d: longer than %d bytes; is a quote left open?", t.last(), opts.MaxRecord)
		case errors.As(err, &parse):
			t.problem(parse.StartLine, "%v", parse.Err)
			continue
		case err != nil:
			return err
		}
		line, _ := r.FieldPos(0)
		if len(record) != len(header) {
			t.problem(line, "%d fields where the header has %d", len(record), len(header))
			continue
		}
		if err := t.begin(line); err != nil {
			return err
		}
		for i, at := range places {
			t.all[i].add(record[at], line)
		}
		if err := t.end(); err != nil {
			return err
		}
	}
}

func (t *Table) last() int {
	if len(t.lines) == 0 {
		return 1
	}
	return int(t.lines[len(t.lines)-1])
}

// chooseHeaders makes the columns and returns where each stands in a record.
func (t *Table) chooseHeaders(header []string, opts *Options) ([]int, error) {
	var places []int
	for n, w := range opts.Columns {
		found := matchHeaders(header, w.Pattern)
		if len(found) == 0 {
			return nil, unknown(w.Pattern, header)
		}
		if len(found) > 1 && !strings.Contains(w.Pattern, "*") {
			return nil, fmt.Errorf("column %q stands %d times in the header", w.Pattern, len(found))
		}
		for _, at := range found {
			if _, err := t.column(n, strings.TrimSpace(header[at]), opts); err != nil {
				return nil, err
			}
			places = append(places, at)
		}
	}
	return places, nil
}

func matchHeaders(header []string, pattern string) []int {
	var found []int
	for i, h := range header {
		if h == pattern || strings.TrimSpace(h) == pattern {
			found = append(found, i)
		}
	}
	if len(found) > 0 || !strings.Contains(pattern, "*") {
		return found
	}
	for i, h := range header {
		if Glob(pattern, strings.TrimSpace(h)) {
			found = append(found, i)
		}
	}
	return found
}

// Glob reports whether text matches a pattern in which "*" stands for any text.
func Glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, last)
}
