package columns

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// read reads the wanted columns of CSV, TSV, JSON lines, or a JSON document that holds a
// list of rows at a path, plain or gzipped.
func (t *table) read(in io.Reader, rows string) error {
	t.matched = make([][]*column, len(t.wanted))
	r := bufio.NewReaderSize(in, 1<<16)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		r = bufio.NewReaderSize(unpacked, 1<<16)
	}
	if head, _ := r.Peek(3); string(head) == "\ufeff" {
		_, _ = r.Discard(3) // they were peeked
	}
	if err := t.detect(r, rows); err != nil {
		return err
	}
	switch t.Format {
	case "csv", "tsv":
		return t.readCSV(r)
	case "jsonl":
		return t.readLines(r)
	case "json":
		return t.readDocument(r, rows)
	}
	return fmt.Errorf("format %q is none of csv, tsv, jsonl, json", t.Format)
}

// detect looks at the first byte that is no blank, and for other text than JSON at
// the name and the first line.
func (t *table) detect(r *bufio.Reader, rows string) error {
	head, err := r.Peek(1 << 15)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return errors.New("the file is empty: want a table with a header, or JSON lines")
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	tabs := bytes.Count(line, []byte("\t")) > bytes.Count(line, []byte(","))
	switch {
	case t.Format != "":
	case bytes.HasPrefix(trimmed, []byte("[")) || rows != "":
		t.Format = "json"
	case bytes.HasPrefix(trimmed, []byte("{")):
		t.Format = "jsonl"
	case tabs || strings.HasSuffix(strings.TrimSuffix(t.Name, ".gz"), ".tsv"):
		t.Format = "tsv"
	default:
		t.Format = "csv"
	}
	return nil
}

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

func (t *table) readCSV(in io.Reader) error {
	limited := &capped{in, maxRecord}
	r := csv.NewReader(limited)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	if t.Format == "tsv" {
		r.Comma, r.LazyQuotes = '\t', true
	}
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("line 1: header: %w", err)
	}
	header = slices.Clone(header)
	places, err := t.chooseHeaders(header)
	if err != nil {
		return err
	}
	line := 1
	for {
		limited.left = maxRecord
		record, err := r.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			return fmt.Errorf("row behind line %d: longer than %d bytes; is a quote left open?", line, maxRecord)
		case errors.As(err, &parse):
			t.problem(parse.StartLine, "%v", parse.Err)
			continue
		case err != nil:
			return err
		}
		if line, _ = r.FieldPos(0); len(record) != len(header) {
			t.problem(line, "%d fields where the header has %d", len(record), len(header))
			continue
		}
		for i, at := range places {
			t.add(t.all[i], record[at], line)
		}
		if err := t.end(line); err != nil {
			return err
		}
	}
}

// chooseHeaders makes the columns and returns where each stands in a record. A header
// that is named whole goes before a pattern.
func (t *table) chooseHeaders(header []string) ([]int, error) {
	for i, h := range header {
		header[i] = strings.TrimSpace(h)
	}
	var places []int
	for n, w := range t.wanted {
		star := strings.Contains(w.pattern, "*") && !slices.Contains(header, w.pattern)
		for i, h := range header {
			if h != strings.TrimSpace(w.pattern) && !(star && glob(w.pattern, h)) {
				continue
			}
			if _, err := t.column(n, h); err != nil {
				return nil, err
			}
			places = append(places, i)
		}
		if count := len(t.matched[n]); count > 1 && !star {
			return nil, fmt.Errorf("column %q stands %d times in the header", w.pattern, count)
		}
	}
	return places, t.found(header)
}

func (t *table) readLines(in io.Reader) error {
	j := newJSONRows(t)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRecord)
	line := 0
	var parser value.Parser
	for lines.Scan() {
		line++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		v, err := parser.Parse(lines.Bytes())
		if err != nil && line == 1 {
			err = fmt.Errorf("%w; if the whole file is one JSON document, say with --rows where its list of rows is", err)
		}
		if err != nil {
			t.problem(line, "%v", err)
			continue
		}
		if err := j.add(v, line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", line+1, err)
	}
	return t.found(j.keys)
}

// readDocument reads the list of rows of a document, one row in memory at a time. A
// syntax error ends it, for nothing behind one can be trusted.
func (t *table) readDocument(in io.Reader, rows string) error {
	j, d := newJSONRows(t), value.NewDecoder(in)
	if rows != "" {
		for _, key := range strings.Split(rows, ".") {
			if err := descend(d, key, rows); err != nil {
				return err
			}
		}
	}
	if ok, err := d.Enter('['); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("rows %q: is no list", rows)
	}
	for row := 1; ; row++ {
		v, err := d.Next()
		if errors.Is(err, io.EOF) {
			return t.found(j.keys)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		if err := j.add(v, row); err != nil {
			return err
		}
	}
}

// descend moves the decoder to the value of a key.
func descend(d *value.Decoder, key, path string) error {
	if ok, err := d.Enter('{'); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("rows %q: there is no object to find %q in", path, key)
	}
	var have []string
	for {
		k, err := d.Key()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("rows %q: no key %q; the keys are %.300q", path, key, have)
		case err != nil || k == key:
			return err
		}
		if len(have) < 20 {
			have = append(have, k)
		}
		if err := d.Skip(); err != nil {
			return err
		}
	}
}

// maxPath bounds the parts of a path, and with it how many ways there are to read
// one whose keys hold dots.
const maxPath = 12

// jsonRows gathers the rows of JSON input.
type jsonRows struct {
	*table
	paths [][]string
	known []map[string]*column // by pattern and name
	keys  []string             // of the first row, for the error of an unknown column
}

func newJSONRows(t *table) *jsonRows {
	j := &jsonRows{table: t}
	for _, w := range t.wanted {
		j.paths = append(j.paths, strings.SplitN(w.pattern, ".", maxPath))
		j.known = append(j.known, map[string]*column{})
	}
	return j
}

func (j *jsonRows) add(v value.Value, line int) error {
	if v.Kind() != value.Object {
		j.problem(line, "is %s, want an object", v.Kind().WithArticle())
		return nil
	}
	if j.keys == nil {
		for k := range v.Members() {
			j.keys = append(j.keys, strings.Clone(k))
		}
	}
	for n, path := range j.paths {
		if err := j.walk(n, v, path, "", line); err != nil {
			return err
		}
	}
	return j.end(line)
}

// walk adds every match of a path, in which a star stands for every key.
func (j *jsonRows) walk(n int, v value.Value, path []string, name string, line int) error {
	star := slices.Index(path, "*")
	before := path
	if star >= 0 {
		before = path[:star]
	}
	v, ok := lookup(v, before)
	name = join(name, strings.Join(before, "."))
	switch {
	case !ok:
		return nil
	case star < 0:
		return j.cell(n, name, v, line)
	}
	for key, member := range v.Members() {
		if err := j.walk(n, member, path[star+1:], join(name, key), line); err != nil {
			return err
		}
	}
	return nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// lookup follows a path of keys. Keys may hold dots themselves ("gpt-4.1"): at every
// object the longest run of parts that is a key and leads on to a value wins. A part
// that is a number picks an element of a list.
func lookup(v value.Value, path []string) (value.Value, bool) {
	if len(path) == 0 {
		return v, true
	}
	if i, err := strconv.Atoi(path[0]); err == nil && v.IsList() {
		if i < 0 || i >= v.Len() {
			return value.Value{}, false
		}
		return lookup(v.At(i), path[1:])
	}
	for n := len(path); n > 0 && v.Kind() == value.Object; n-- {
		if member, ok := v.Get(strings.Join(path[:n], ".")); ok {
			if found, ok := lookup(member, path[n:]); ok {
				return found, true
			}
		}
	}
	return value.Value{}, false
}

// cell adds one cell to the column of that name.
func (j *jsonRows) cell(n int, name string, v value.Value, line int) error {
	c := j.known[n][name]
	if c == nil {
		var err error
		if c, err = j.column(n, name); err != nil {
			return err
		}
		j.known[n][c.name] = c
	}
	switch {
	case len(c.code) > j.Rows: // two paths give one name: the first counts
	case v.IsNull():
		c.put("null", math.NaN(), true, line)
	case v.Kind() == value.Object || v.IsList():
		key := "0"
		for key = range v.Members() {
			break
		}
		return fmt.Errorf("%s: column %s is %s; name a field of it, such as %s.%s",
			j.at(line), name, v.Kind().WithArticle(), name, key)
	default:
		j.table.add(c, v.Text(), line)
	}
	return nil
}
