package container

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Layout says where the records are in a log. The zero Layout fits lines, the elements of one list,
// and values one after another.
type Layout struct {
	// List is the key of the list of records in an object; "" if there is no such object. Shared
	// lists the object's keys whose values are kept for all records; they come before the list.
	List   string
	Shared []string
	// Lines says that a log may also have one such object per line; each is then a record.
	Lines bool
	// Whole says that a log which is a list is one record.
	Whole bool
}

// Records splits a log into its records.
type Records struct {
	// Shared holds what all records share. It is complete before the first record.
	Shared value.Value
	// Lines says that each record is a line.
	Lines  bool
	layout Layout
	split  *splitter
	next   func() (Record, error)
	ended  bool
}

// Records decides from the log's name and beginning how to split it.
func (l *Log) Records(file string, layout Layout) *Records {
	r := &Records{layout: layout, split: l.split}
	head := l.Head()
	switch {
	case layout.List != "" && l.First == '{' && !(layout.Lines && isLines(file, head)):
		r.split.take()
		r.next = r.enveloped()
	case l.First == '[' && !layout.Whole:
		r.split.take()
		r.next = r.element
	case l.First == '{' && !isLines(file, head) || l.First == '[' && !isLines("", head):
		r.next = r.value
	default:
		r.Lines, r.next = true, r.split.nextLine
	}
	return r
}

// Next returns the next record, io.EOF after the last one. A truncated log ends with a record that
// has a Problem.
func (r *Records) Next() (Record, error) {
	if r.ended {
		return Record{}, io.EOF
	}
	rec, err := r.next()
	var broken *Broken
	if errors.As(err, &broken) {
		rec.Problem, r.ended = broken.Message, true
		return rec, nil
	}
	return rec, err
}

// isLines reports whether a log, which begins with head and no blanks, has one record per line: its
// name says so, or its first line is a complete JSON value, or that line is truncated and the next
// one begins a new value.
func isLines(file string, head []byte) bool {
	name := strings.TrimSuffix(file, ".gz")
	line, rest, found := bytes.Cut(head, []byte{'\n'})
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return string(bytes.TrimSpace(line)) != "{" // somebody laid the values out over several lines
	}
	var extent value.Extent
	n, done := extent.Feed(line)
	switch {
	case done:
		return len(bytes.TrimSpace(line[n:])) == 0
	case !found:
		return false
	case extent.InText:
		return true // a JSON string cannot contain a raw line feed
	}
	line, rest = bytes.TrimSpace(line), bytes.TrimSpace(rest)
	if len(rest) == 0 || rest[0] != '{' {
		return false
	}
	last := line[len(line)-1]
	return last != ':' && last != '[' && (last != ',' || !bytes.Contains(line, []byte{'['}))
}

// value reads values one after another, on any lines.
func (r *Records) value() (Record, error) {
	c, err := r.split.peek()
	switch {
	case err != nil:
		return r.split.at(), err
	case c != '{' && c != '[':
		return r.split.after()
	}
	return r.split.nextValue()
}

// element reads the elements of a log that is one list.
func (r *Records) element() (Record, error) {
	done, err := r.split.element(']')
	switch {
	case err != nil:
		return r.split.at(), err
	case done:
		return r.split.after()
	}
	return r.split.nextValue()
}

// enveloped reads objects with a list of records.
func (r *Records) enveloped() func() (Record, error) {
	s, inside, begun := r.split, false, false
	return func() (Record, error) {
		for {
			closing := byte('}')
			if inside {
				closing = ']'
			}
			done, err := s.element(closing)
			switch {
			case err != nil:
				return s.at(), err
			case done && !inside:
				if c, _ := s.peek(); c != '{' || !r.layout.Lines {
					return s.after()
				}
				s.take()
				s.fresh, begun = true, false
				continue
			case done:
				inside = false
				continue
			case inside:
				return s.nextValue()
			}
			key, err := r.key()
			at := s.at()
			if err != nil {
				return at, err
			}
			if c, _ := s.peek(); key == r.layout.List && c == '[' {
				s.take()
				inside, begun, s.fresh = true, true, true
				continue
			}
			v, err := r.member(key, begun)
			if err != nil {
				return at, err
			}
			if !v.IsNull() {
				r.Shared = r.Shared.With(key, v)
			}
		}
	}
}

// key reads a member's key and the colon after it.
func (r *Records) key() (string, error) {
	rec, err := r.split.nextValue()
	if err != nil {
		return "", err
	}
	r.split.index--
	v, _ := value.ParseString(rec.Text)
	name, isText := v.Str()
	if !isText {
		return "", &Broken{Message: "a key is expected where " + value.Quote(rec.Text) + " stands: the rest was not read"}
	}
	c, err := r.split.peek()
	if err != nil {
		return "", CutShort(err)
	}
	if c != ':' {
		return "", &Broken{Message: "no colon follows the key " + value.Quote(name) + ": the rest was not read"}
	}
	r.split.take()
	return name, nil
}

// member reads the value of a key other than the list's; null if it is not shared.
func (r *Records) member(key string, begun bool) (value.Value, error) {
	rec, err := r.split.nextValue()
	if err != nil {
		return value.Value{}, err
	}
	r.split.index--
	if key != r.layout.List && !slices.Contains(r.layout.Shared, key) {
		return value.Value{}, nil
	}
	if rec.Problem != "" {
		return value.Value{}, &Broken{Message: key + ": " + rec.Problem}
	}
	v, err := value.ParseString(rec.Text)
	switch {
	case err != nil:
		return v, &Broken{Message: key + ": " + err.Error()}
	case key == r.layout.List:
		return v, &Broken{Message: key + ": this must be a list and is " + v.Kind().WithArticle()}
	case begun:
		return v, &Broken{Message: key + " follows the " + r.layout.List + ", which need it: put it before them"}
	}
	return v, nil
}
