package transcript

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

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
			_, known, err := Detect(line)
			return known && err == nil && v.Kind() == value.Object
		}
	}
	return false
}

// frame decides how the log is cut into records.
func (r *Reader) frame(first byte, head []byte) {
	switch {
	case r.format == Tau2Results && first == '{':
		r.tau2Frame()
	case first == '[' && !r.bareMessages(head):
		r.arrayFrame()
	case first == '{' && !lines(r.file, head) || first == '[' && !lines("", head):
		r.next = r.valueFrame
	default:
		r.decode.lines = true
		r.next = r.split.nextLine
	}
}

// bareMessages reports whether head begins with a list of messages, which is one
// conversation.
func (r *Reader) bareMessages(head []byte) bool {
	v, ok := firstValue(head)
	if r.format == OpenAIResponsesItems {
		return !ok || v.Len() == 0 || !v.At(0).IsList()
	}
	return ok && v.IsList() && v.Len() > 0 && v.At(0).Has("role") && !v.At(0).Has("messages") && r.format != TauBench
}

// lines reports whether a log holds one record a line: the file is called so, or
// its first line is a whole JSON value, or breaks off so that the next line begins
// anew.
func lines(file string, head []byte) bool {
	name := strings.TrimSuffix(file, ".gz")
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return true
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	line, rest, found := bytes.Cut(head, []byte{'\n'})
	var w walk
	n, done := w.feed(line)
	if done {
		return len(bytes.TrimSpace(line[n:])) == 0
	}
	if !found {
		return false
	}
	if w.text {
		return true // no JSON string holds a raw line feed
	}
	line, rest = bytes.TrimSpace(line), bytes.TrimSpace(rest)
	if len(line) == 0 || len(rest) == 0 || rest[0] != '{' {
		return false
	}
	last := line[len(line)-1]
	return last != ':' && last != '[' && (last != ',' || !bytes.Contains(line, []byte{'['}))
}

// valueFrame reads values that follow one another, whatever lines they are on.
func (r *Reader) valueFrame() (item, error) {
	at := item{line: r.split.line, index: r.split.index}
	c, err := r.split.peek()
	if err == nil && c != '{' && c != '[' {
		return at, r.behind()
	}
	if err != nil {
		return at, err
	}
	return r.split.nextValue()
}

// arrayFrame reads the elements of one array.
func (r *Reader) arrayFrame() {
	r.split.take()
	open, fresh := true, true
	r.next = func() (item, error) {
		if !open {
			return item{}, io.EOF
		}
		at := item{line: r.split.line, index: r.split.index}
		c, err := r.split.peek()
		switch {
		case err != nil:
			open = false
			return at, early(err)
		case c == ']':
			open = false
			r.split.take()
			return at, r.behind()
		case !fresh && c != ',':
			open = false
			return at, r.stray(at, "between the elements of the array stands "+quote(string(rune(c)))+", not a comma: the rest was not read")
		case !fresh:
			r.split.take()
		}
		fresh = false
		it, err := r.split.nextValue()
		return it, early(err)
	}
}

// early turns the end of the input into an early one.
func early(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *Reader) stray(at item, message string) error {
	return &recordEnd{&Problem{Source: r.decode.source(at), Message: message}}
}

// behind looks at what follows the end of the log's one value.
func (r *Reader) behind() error {
	at := item{line: r.split.line, index: r.split.index}
	if _, err := r.split.peek(); err != nil {
		return err
	}
	rest, _ := r.split.chunk()
	return r.stray(at, "text stands behind the end of the log and was not read: "+quote(string(rest[:min(len(rest), 60)])))
}
