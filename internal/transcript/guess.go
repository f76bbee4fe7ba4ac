package transcript

import (
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Guess is what can be said about a log in no known format: what its first record holds, and a
// mapping to try where messages of a usual form are at an unusual place.
type Guess struct {
	// Keys are the places of the first record, with what is there: "$.events: list of 12".
	Keys []string `json:"keys"`
	// Map are the targets and paths of a mapping to try, nil for none. Conversations, Messages
	// and Calls are what it reads, where it was tried.
	Map           map[string]string `json:"map,omitempty"`
	Conversations int               `json:"conversations"`
	Messages      int               `json:"messages"`
	Calls         int               `json:"calls"`
}

// The bounds of a guess: places that are listed, and levels and elements of a list that are looked at.
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
	s := &search{listed: map[string]bool{}}
	s.walk(v, "$", 0)
	return &Guess{Keys: s.keys, Map: s.mapping()}, nil
}

// search walks a record.
type search struct {
	keys   []string
	listed map[string]bool
	// messages is the path of the first message, or of a text that is a list of messages, and list
	// that of the list.
	messages, list string
}

// walk lists what is below a place, and looks for messages. The elements of a list
// are one place.
func (s *search) walk(v value.Value, at string, depth int) {
	if depth > maxLevels {
		return
	}
	isText := v.Kind() == value.String
	v = unquoted(v)
	if i := strings.LastIndex(at, "[*]"); s.messages == "" && i >= 0 && looksLikeMessage(v) {
		s.messages, s.list = at, at[:i]
	} else if s.messages == "" && isText && looksLikeMessages(v) {
		s.messages, s.list = at, at
	}
	switch {
	case isText: // no path leads into a text; a list that is the whole text is read
	case v.Kind() == value.Object:
		for key, val := range v.Members() {
			s.describe(val, step(at, key))
			s.walk(val, step(at, key), depth+1)
		}
	default:
		for i, e := range v.Elements() {
			if i < maxElements {
				s.walk(e, at+"[*]", depth+1)
			}
		}
	}
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// step is the path to what an object at a place has under a key.
func step(at, key string) string {
	if key != "" && strings.Trim(key, wordCharacters) == "" && (key[0] < '0' || key[0] > '9') {
		return at + "." + key
	}
	return at + "['" + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), "'", `\'`) + "']"
}

func (s *search) describe(v value.Value, at string) {
	if s.listed[at] || len(s.keys) == maxListed {
		return
	}
	text := fmt.Sprintf("%s %s", v.Kind(), quote(value.Excerpt(v.Text(), 40)))
	switch inner := unquoted(v); {
	case inner.IsList():
		text = fmt.Sprintf("list of %d", inner.Len())
	case inner.Kind() == value.Object:
		text = "object with " + firstKeys(inner)
	}
	s.listed[at] = true
	s.keys = append(s.keys, at+": "+text)
}

// mapping says where the messages are; nil where none were found.
func (s *search) mapping() map[string]string {
	if s.messages == "" {
		return nil
	}
	records := "$"
	if i := strings.LastIndex(s.list, "[*]"); i >= 0 {
		records = s.list[:i+len("[*]")]
	}
	m := map[string]string{"messages": "$" + strings.TrimPrefix(s.messages, records)}
	if records != "$" && records != "$[*]" { // the elements of the log's list are records anyway
		m["records"] = records
	}
	if _, err := ParseMapping(m); err != nil {
		return nil
	}
	return m
}
