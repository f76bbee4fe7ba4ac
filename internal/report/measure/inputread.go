package measure

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

// read reads the wanted columns of CSV, TSV, JSON lines, or a JSON document with a list of rows at
// a path; the input may be gzipped.
func (t *inputTable) read(in io.Reader, rows string) error {
	t.matched = make([][]*inputColumn, len(t.wanted))
	for n, w := range t.wanted {
		if strings.Contains(w.pattern, "*") {
			t.wanted[n].matches = glob(w.pattern)
		}
	}
	r := bufio.NewReaderSize(in, 1<<16)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		r = bufio.NewReaderSize(unpacked, 1<<16)
	}
	if head, _ := r.Peek(3); string(head) == "\ufeff" {
		_, _ = r.Discard(3) // they were peeked at before
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
	return fmt.Errorf("format %q: want csv, tsv, jsonl or json", t.Format)
}

// detect finds the format from the first byte that is not blank; if that is not JSON, from the name
// and the first line.
func (t *inputTable) detect(r *bufio.Reader, rows string) error {
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

// capped fails after left bytes without a refill, so that a quote that is never closed cannot use
// up all memory.
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

func (t *inputTable) readCSV(in io.Reader) error {
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
	fields, err := t.chooseHeaders(header)
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
			t.problem(line, "%d fields, but the header has %d", len(record), len(header))
			continue
		}
		for i, columns := range fields {
			for _, c := range columns {
				t.add(c, record[i], line)
			}
		}
		if err := t.end(line); err != nil {
			return err
		}
	}
}

// chooseHeaders returns the columns for each field of a record.
func (t *inputTable) chooseHeaders(header []string) (fields [][]*inputColumn, err error) {
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for i, h := range header {
		if slices.Contains(header[:i], h) && len(t.byName[h]) > 0 {
			return nil, fmt.Errorf("column %q occurs twice in the header", h)
		}
		columns, err := t.named(h)
		if err != nil {
			return nil, err
		}
		fields = append(fields, columns)
	}
	return fields, t.found(header)
}

func (t *inputTable) readLines(in io.Reader) error {
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
			err = fmt.Errorf("%w; if the whole file is one JSON document, say with --rows where its list "+
				"of rows is", err)
		}
		if err != nil {
			t.problem(line, "%v", err)
			continue
		}
		if err := t.addObject(v, line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", line+1, err)
	}
	return t.found(t.leaves)
}

// readDocument reads the list of rows in a document. A syntax error ends it, because nothing after
// it can be trusted.
func (t *inputTable) readDocument(in io.Reader, rows string) error {
	list, err := value.NewDecoder(in).Next()
	if err != nil {
		return err
	}
	path := strings.Split(rows, ".")
	if rows == "" {
		path = nil
	}
	for _, key := range path {
		inner, ok := list.Get(key)
		switch {
		case list.Kind() != value.Object:
			return fmt.Errorf("rows %q: there is no object to find %q in", rows, key)
		case !ok:
			return fmt.Errorf("rows %q: no key %q; the keys are %.300q", rows, key, keysOf(list))
		}
		list = inner
	}
	if !list.IsList() {
		return fmt.Errorf("rows %q: is not a list", rows)
	}
	for i, v := range list.Elements() {
		if err := t.addObject(v, i+1); err != nil {
			return err
		}
	}
	return t.found(t.leaves)
}

// keysOf returns the first keys of an object.
func keysOf(v value.Value) (keys []string) {
	const most = 20
	for key := range v.Members() {
		if len(keys) < most {
			keys = append(keys, key)
		}
	}
	return keys
}

// addObject adds a row of JSON.
func (t *inputTable) addObject(v value.Value, line int) error {
	if v.Kind() != value.Object {
		t.problem(line, "is %s, want an object", v.Kind().WithArticle())
		return nil
	}
	if err := t.addLeaves(v, "", line); err != nil {
		return err
	}
	return t.end(line)
}

// addLeaves adds the values in an object or a list, named by their paths. If two paths give the
// same name, the first counts.
func (t *inputTable) addLeaves(v value.Value, name string, line int) error {
	below := func(key string, v value.Value) error {
		if name != "" {
			key = name + "." + key
		}
		if v.Kind() != value.Object && !v.IsList() {
			return t.addLeaf(v, key, line)
		}
		if slices.ContainsFunc(t.wanted, func(w wanted) bool { return w.pattern == key }) {
			return fmt.Errorf("%s: column %s is %s; name a field of it", t.at(line), key, v.Kind().WithArticle())
		}
		return t.addLeaves(v, key, line)
	}
	for key, member := range v.Members() {
		if err := below(key, member); err != nil {
			return err
		}
	}
	if v.IsList() {
		for i, element := range v.Elements() {
			if err := below(strconv.Itoa(i), element); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *inputTable) addLeaf(v value.Value, name string, line int) error {
	if t.Rows == 0 {
		t.leaves = append(t.leaves, strings.Clone(name))
	}
	columns, err := t.named(name)
	if err != nil {
		return err
	}
	for _, c := range columns {
		switch {
		case len(c.code) > t.Rows:
		case v.IsNull():
			c.put("null", math.NaN(), true, line)
		default:
			t.add(c, v.Text(), line)
		}
	}
	return nil
}
