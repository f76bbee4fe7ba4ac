package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// envelope says that the records of a format are in a list inside one object, after
// what they share.
type envelope struct {
	// list is the key of the list, shared the keys that are kept for all records.
	list   string
	shared []string
	// lines says that a log may as well hold one such object a line, each of which then is
	// one record.
	lines bool
}

// looksLikeLines reports whether a later line of head holds a record.
func looksLikeLines(head []byte) bool {
	for range 20 {
		_, rest, found := bytes.Cut(head, []byte{'\n'})
		if !found {
			return false
		}
		head = rest
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		if v, err := value.Parse(bytes.TrimSpace(line)); err == nil {
			d, err := Detect(line)
			return d.Readable && err == nil && v.Kind() == value.Object
		}
	}
	return false
}

// frame decides how the log is cut into records, and whether these are sorted by
// conversation.
func (r *Reader) frame(first byte, head []byte) func() (item, error) {
	next := r.records(first, head)
	if r.format.parts == nil {
		return next
	}
	r.lines = false
	return r.grouped(next)
}

// records decides how the log is cut into records, by its first byte that is no blank and
// its beginning.
func (r *Reader) records(first byte, head []byte) func() (item, error) {
	in := r.format.in
	switch {
	case in != nil && first == '{' && !(in.lines && lines(r.file, head)):
		r.split.take()
		return r.enveloped()
	case first == '[' && !r.bareMessages(head):
		r.split.take()
		return r.element
	case first == '{' && !lines(r.file, head) || first == '[' && !lines("", head):
		return r.value
	}
	r.lines = true
	return r.split.nextLine
}

// bareMessages reports whether head begins with a list of messages, which is one
// conversation.
func (r *Reader) bareMessages(head []byte) bool {
	v := firstValue(head)
	if r.format.name == openAIResponsesItems {
		return v.Len() == 0 || !v.At(0).IsList()
	}
	first := v.Head()
	if r.format.bare != nil {
		return r.format.bare(first)
	}
	return r.format.parts == nil && first.Has("role") && !first.Has("messages") && r.format.name != tauBench
}

// lines reports whether a log holds one record a line: the file is called so, or
// its first line is a whole JSON value, or breaks off so that the next line begins
// again.
func lines(file string, head []byte) bool {
	name := strings.TrimSuffix(file, ".gz")
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return true
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	line, rest, found := bytes.Cut(head, []byte{'\n'})
	var w value.Extent
	n, done := w.Feed(line)
	if done {
		return len(bytes.TrimSpace(line[n:])) == 0
	}
	if !found {
		return false
	}
	if w.InText {
		return true // no JSON string holds a raw line feed
	}
	line, rest = bytes.TrimSpace(line), bytes.TrimSpace(rest)
	if len(line) == 0 || len(rest) == 0 || rest[0] != '{' {
		return false
	}
	last := line[len(line)-1]
	return last != ':' && last != '[' && (last != ',' || !bytes.Contains(line, []byte{'['}))
}

// value reads values that follow one another, whatever lines they are on.
func (r *Reader) value() (item, error) {
	at := r.split.at()
	c, err := r.split.peek()
	switch {
	case err != nil:
		return at, err
	case c != '{' && c != '[':
		return at, r.split.behind()
	}
	return r.split.nextValue()
}

// element reads the elements of one list, which is the whole log.
func (r *Reader) element() (item, error) {
	at := r.split.at()
	done, err := r.split.element(']')
	switch {
	case err != nil:
		return at, err
	case done:
		return at, r.split.behind()
	}
	return r.split.nextValue()
}

// enveloped reads an object whose list holds the records. What they share is complete
// before the first of them and is not written after.
func (r *Reader) enveloped() func() (item, error) {
	s, inside, begun := r.split, false, false
	return func() (item, error) {
		for {
			at := s.at()
			closing := byte('}')
			if inside {
				closing = ']'
			}
			done, err := s.element(closing)
			switch {
			case err != nil:
				return at, err
			case done && !inside:
				if c, _ := s.peek(); c != '{' || !r.format.in.lines {
					return at, s.behind()
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
			if err != nil {
				return at, err
			}
			if c, _ := s.peek(); key == r.format.in.list && c == '[' {
				s.take()
				inside, begun, s.fresh = true, true, true
				continue
			}
			v, err := r.member(key, begun)
			if err != nil {
				return at, err
			}
			if !v.IsNull() {
				r.shared = r.shared.With(key, v)
			}
		}
	}
}

// key reads the key of a member and the colon behind it.
func (r *Reader) key() (string, error) {
	it, err := r.split.nextValue()
	if err != nil {
		return "", err
	}
	r.split.index--
	v, err := value.ParseString(it.text)
	name, isText := v.Str()
	if err != nil || !isText {
		return "", &endError{"a key is expected where " + value.Quote(it.text) + " does: the rest was not read"}
	}
	c, err := r.split.peek()
	if err != nil {
		return "", early(err)
	}
	if c != ':' {
		return "", &endError{"no colon follows the key " + value.Quote(name) + ": the rest was not read"}
	}
	r.split.take()
	return name, nil
}

// member reads the value of a key that does not hold the records: null where it is not
// shared.
func (r *Reader) member(key string, begun bool) (value.Value, error) {
	it, err := r.split.nextValue()
	if err != nil {
		return value.Value{}, err
	}
	r.split.index--
	in := r.format.in
	if key != in.list && !slices.Contains(in.shared, key) {
		return value.Value{}, nil
	}
	if it.problem != "" {
		return value.Value{}, &endError{key + ": " + it.problem}
	}
	v, err := value.ParseString(it.text)
	switch {
	case err != nil:
		return v, &endError{key + ": " + err.Error()}
	case key == in.list:
		return v, &endError{key + ": this must be a list and is " + v.Kind().WithArticle()}
	case begun:
		return v, &endError{key + " follows the " + in.list + ", which need it: put it before them"}
	}
	return v, nil
}
