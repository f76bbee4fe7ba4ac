package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// jsonRows gathers the rows of JSON input.
type jsonRows struct {
	t     *Table
	opts  *Options
	paths [][]string
	byKey []map[string]*Column // of each pattern with a star
	keys  []string             // of the first row, for the error of an unknown column
}

func newJSONRows(t *Table, opts *Options) (*jsonRows, error) {
	j := &jsonRows{t: t, opts: opts, byKey: make([]map[string]*Column, len(opts.Columns))}
	for n, w := range opts.Columns {
		path := strings.Split(w.Pattern, ".")
		if len(path) > maxPath {
			return nil, fmt.Errorf("column %.80q: more than %d parts", w.Pattern, maxPath)
		}
		j.paths = append(j.paths, path)
		j.byKey[n] = map[string]*Column{}
	}
	return j, nil
}

func (t *Table) readJSONL(in *bufio.Reader, opts *Options) error {
	j, err := newJSONRows(t, opts)
	if err != nil {
		return err
	}
	var parser value.Parser
	var buf []byte
	for line := 1; ; line++ {
		var long bool
		buf, long, err = readLine(in, buf[:0], opts.MaxRecord)
		if errors.Is(err, io.EOF) {
			return j.close()
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		text := bytes.TrimSpace(buf)
		if long {
			t.problem(line, "longer than %d bytes", opts.MaxRecord)
			continue
		}
		if len(text) == 0 {
			continue
		}
		v, err := parser.Parse(text)
		if err != nil {
			if line == 1 {
				t.problem(line, "%v; if the whole file is one JSON document, say with --rows where its list of rows is", err)
				continue
			}
			t.problem(line, "%v", err)
			continue
		}
		if err := j.add(v, line); err != nil {
			return err
		}
	}
}

// readLine reads one line. Of a line longer than most bytes it reads past the rest
// and says so. io.EOF means that there was no further line.
func readLine(in *bufio.Reader, buf []byte, most int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(buf)+len(part) > most {
			long = true
			buf = buf[:0]
		}
		if !long {
			buf = append(buf, part...)
		}
		switch {
		case err == nil:
			return buf, long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(buf) > 0 || long):
			return buf, long, nil
		default:
			return buf, long, err
		}
	}
}

// readJSON reads the list of rows of a document, one row in memory at a time. A
// syntax error ends it, for nothing behind one can be trusted.
func (t *Table) readJSON(in io.Reader, opts *Options) error {
	j, err := newJSONRows(t, opts)
	if err != nil {
		return err
	}
	d := value.NewDecoder(in)
	if opts.Rows != "" {
		for _, key := range strings.Split(opts.Rows, ".") {
			if err := descend(d, key, opts.Rows); err != nil {
				return err
			}
		}
	}
	if ok, err := d.Enter('['); err != nil || !ok {
		if err != nil {
			return err
		}
		return fmt.Errorf("rows %q: is no list", opts.Rows)
	}
	for row := 1; ; row++ {
		v, err := d.Next()
		if errors.Is(err, io.EOF) {
			return j.close()
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		if err := j.add(v, row); err != nil {
			return err
		}
	}
}

func descend(d *value.Decoder, key, path string) error {
	ok, err := d.Enter('{')
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("rows %q: there is no object to find %q in", path, key)
	}
	var have []string
	for {
		k, err := d.Key()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("rows %q: no key %q; the keys are %.300q", path, key, have)
		}
		if err != nil {
			return err
		}
		if k == key {
			return nil
		}
		if len(have) < 20 {
			have = append(have, k)
		}
		if err := d.Skip(); err != nil {
			return err
		}
	}
}

func (j *jsonRows) add(v value.Value, line int) error {
	t := j.t
	if v.Kind() != value.Object {
		t.problem(line, "is %s, want an object", article(v.Kind()))
		return nil
	}
	if err := t.begin(line); err != nil {
		return err
	}
	if j.keys == nil {
		for k := range v.Members() {
			j.keys = append(j.keys, strings.Clone(k))
		}
	}
	for n, path := range j.paths {
		if strings.Contains(j.opts.Columns[n].Pattern, "*") {
			if err := j.addAll(n, v, path, "", line); err != nil {
				return err
			}
			continue
		}
		if found, ok := lookup(v, path); ok {
			if err := j.cell(n, j.opts.Columns[n].Pattern, found, line); err != nil {
				return err
			}
		}
	}
	return t.end()
}

// addAll walks every match of a path with stars.
func (j *jsonRows) addAll(n int, v value.Value, path []string, name string, line int) error {
	for i, part := range path {
		if part != "*" {
			continue
		}
		inner, ok := v, true
		if i > 0 {
			inner, ok = lookup(v, path[:i])
			name = join(name, strings.Join(path[:i], "."))
		}
		if !ok || inner.Kind() != value.Object {
			return nil
		}
		for key, member := range inner.Members() {
			if err := j.addAll(n, member, path[i+1:], join(name, key), line); err != nil {
				return err
			}
		}
		return nil
	}
	if len(path) > 0 {
		found, ok := lookup(v, path)
		if !ok {
			return nil
		}
		v, name = found, join(name, strings.Join(path, "."))
	}
	return j.cell(n, name, v, line)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// cell adds one cell to the column of that name.
func (j *jsonRows) cell(n int, name string, v value.Value, line int) error {
	c := j.byKey[n][name]
	if c == nil {
		var err error
		name = strings.Clone(name)
		if c, err = j.t.column(n, name, j.opts); err != nil {
			return err
		}
		j.byKey[n][name] = c
	}
	if c.Len() > j.t.Rows {
		return nil // two paths spell one name: the first counts
	}
	switch v.Kind() {
	case value.Null:
		c.addMissing("null", line)
	case value.Object, value.List, value.Tuple:
		return fmt.Errorf("%s %d: column %s is %s; name a field of it, such as %s.%s", j.t.Unit(), line, name, article(v.Kind()), name, firstKey(v))
	default:
		c.add(v.Text(), line)
	}
	return nil
}

func firstKey(v value.Value) string {
	for k := range v.Members() {
		return k
	}
	return "0"
}

func article(k value.Kind) string {
	switch k {
	case value.Object, value.List, value.Int:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// close checks that every pattern found a column.
func (j *jsonRows) close() error {
	for n, found := range j.t.matched {
		if len(found) > 0 {
			continue
		}
		if j.t.Rows == 0 && j.t.Unreadable > 0 {
			p := j.t.Problems[0]
			return fmt.Errorf("no row could be read; %s %d: %s", j.t.Unit(), p.Line, p.Text)
		}
		return unknown(j.opts.Columns[n].Pattern, j.keys)
	}
	return nil
}
