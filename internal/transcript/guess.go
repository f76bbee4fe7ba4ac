package transcript

import (
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Guess is what can be said about a log in no known format: what its first record holds, and a
// mapping that reads it, where one was found.
type Guess struct {
	// Keys are the places of the first record, with what is there: "$.events: list of 12".
	Keys []string `json:"keys"`
	// Found says where something looks like a role, a text, a call or a schema.
	Found []string `json:"found"`
	// Map are the targets and paths of a mapping to try, nil for none. Conversations, Messages
	// and Calls are what it reads, where it was tried.
	Map           map[string]string `json:"map,omitempty"`
	Conversations int               `json:"conversations"`
	Messages      int               `json:"messages"`
	Calls         int               `json:"calls"`
}

// The bounds of a guess: places that are listed, levels that are looked at, and elements of a
// list.
const (
	maxListed   = 60
	maxLevels   = 8
	maxElements = 50
)

// GuessLog looks at the first record of a log in no known format.
func GuessLog(file string, r io.Reader) (*Guess, error) {
	var u unpacker
	defer u.close()
	in, err := u.unpack(file, r, defaultMaxConversationBytes)
	if err != nil {
		return nil, err
	}
	head, _ := in.Peek(headSize)
	split := newSplitter(in, defaultMaxConversationBytes)
	next := split.nextValue
	if lines(file, head) {
		next = split.nextLine
	}
	it, err := next()
	if err != nil && it.text == "" {
		it.text = string(head)
	}
	v, err := value.ParseString(it.text)
	if err != nil {
		v = value.ParsePrefix(it.text)
	}
	s := &search{}
	s.walk(v, "$", 0)
	return &Guess{Keys: s.keys, Found: s.found, Map: s.mapping(v)}, nil
}

// search walks a record.
type search struct {
	keys, found []string
	best        *candidate
	tools       string
}

func step(at, key string) string {
	if key != "" && strings.Trim(key, wordCharacters) == "" && (key[0] < '0' || key[0] > '9') {
		return at + "." + key
	}
	return at + "['" + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), "'", `\'`) + "']"
}

// walk lists what is below a place and looks for messages and an inventory.
func (s *search) walk(v value.Value, at string, depth int) {
	if depth > maxLevels {
		return
	}
	isText := v.Kind() == value.String
	v = unquoted(v)
	s.schemas(v, at)
	switch {
	case isText: // no path leads into a text; a list that is the whole text is read
		s.candidate(v, at, true)
	case v.Kind() == value.Object:
		for key, val := range v.Members() {
			s.describe(val, step(at, key))
			s.walk(val, step(at, key), depth+1)
		}
	case v.IsList():
		s.candidate(v, at, false)
		if e := unquoted(element(v)); e.Kind() == value.Object || e.IsList() {
			s.walk(e, at+"[*]", depth+1)
		}
	}
}

func (s *search) describe(v value.Value, at string) {
	text := fmt.Sprintf("%s %s", v.Kind(), quote(value.Excerpt(v.Text(), 40)))
	switch inner := unquoted(v); {
	case inner.IsList():
		text = fmt.Sprintf("list of %d", inner.Len())
	case inner.Kind() == value.Object:
		text = "object with " + firstKeys(inner)
	}
	if len(s.keys) < maxListed {
		s.keys = append(s.keys, at+": "+text)
	}
}

// candidate looks at the elements of a list, and at what their keys wrap.
func (s *search) candidate(list value.Value, at string, isText bool) {
	first := unquoted(element(list))
	if first.Kind() != value.Object {
		return
	}
	inners := []string{""}
	for key, val := range first.Members() {
		if val.Kind() == value.Object && !isText {
			inners = append(inners, key)
		}
	}
	for _, inner := range inners {
		c := lookAt(list, at, inner)
		if c != nil && (s.best == nil || c.known > s.best.known) {
			c.isText, s.best = isText, c
		}
	}
}

// schemas keeps the first list that is an inventory: its elements have a name and a schema.
func (s *search) schemas(list value.Value, at string) {
	e := unquoted(element(list))
	if s.tools != "" || e.Kind() != value.Object {
		return
	}
	if t, problem := tool("", e); problem == "" && t.Parameters.Field("properties").Kind() == value.Object {
		s.tools = at
		s.found = append(s.found, fmt.Sprintf("schemas of tools at %s: %s", at, t.Signature()))
	}
}

// mapping puts together what was found.
func (s *search) mapping(v value.Value) map[string]string {
	c := s.best
	if c == nil {
		s.found = append(s.found, "nothing looks like a list of messages")
		return nil
	}
	s.found = append(s.found, fmt.Sprintf("roles at %s (%d of %d elements)", c.at(c.keys["message.role"]), c.known, c.count))
	m := map[string]string{}
	records, rest, several := cutLast(c.path)
	list := c.path
	if several {
		if records != "$[*]" { // the elements of the log's list are records anyway
			m["records"] = records
		}
		list = "$" + rest
	}
	if !c.isText {
		list += "[*]"
	}
	m["messages"] = list
	if c.inner != "" {
		m["messages"] = step(list, c.inner)
	}
	s.found = append(s.found, c.words(m)...)
	if tools, isIn := strings.CutPrefix(s.tools, records); several && isIn {
		m["tools"] = "$" + tools
	} else if s.tools != "" && !several {
		m["tools"] = s.tools
	}
	if _, err := ParseMapping(m); err != nil {
		return nil
	}
	return m
}

// cutLast divides a path behind its last [*]: what is before it are several records.
func cutLast(path string) (records, rest string, found bool) {
	i := strings.LastIndex(path, "[*]")
	if i < 0 {
		return "$", strings.TrimPrefix(path, "$"), false
	}
	return path[:i+3], path[i+3:], true
}
