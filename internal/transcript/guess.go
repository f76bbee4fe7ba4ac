package transcript

import (
	"fmt"
	"io"
	"slices"
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
	s.schemas(v, "$", 0)
	return &Guess{Keys: s.keys, Found: s.found, Map: s.mapping(v)}, nil
}

// search walks a record.
type search struct {
	keys, found []string
	best        *candidate
	tools       string
}

// candidate is a list of what may be messages.
type candidate struct {
	// path leads to the list, or to the text that is its JSON; inner is the key of its elements that holds the message.
	path, inner                   string
	role, content, calls          string
	callName, callArgs, callID    string
	count, known                  int
	isText                        bool
	strange                       []string // words that are no usual roles
	strangeCalls                  bool     // one of whom makes calls
	resultID                      string
	saysUser, saysAgent, saysTool bool
}

// at is the place of a field of the messages.
func (c *candidate) at(key string) string {
	if c.inner == "" {
		return step(c.path+"[*]", key)
	}
	return step(step(c.path+"[*]", c.inner), key)
}

func step(at, key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" &&
		(key[0] < '0' || key[0] > '9') {
		return at + "." + key
	}
	return at + "['" + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), "'", `\'`) + "']"
}

func (s *search) list(text string) {
	if len(s.keys) < maxListed {
		s.keys = append(s.keys, text)
	}
}

// walk lists what is below a place and looks for messages.
func (s *search) walk(v value.Value, at string, depth int) {
	if depth > maxLevels {
		return
	}
	isText := v.Kind() == value.String
	v = unquoted(v)
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
	inner := unquoted(v)
	switch {
	case inner.IsList():
		s.list(fmt.Sprintf("%s: list of %d", at, inner.Len()))
	case inner.Kind() == value.Object:
		s.list(fmt.Sprintf("%s: object with %s", at, firstKeys(inner)))
	default:
		s.list(fmt.Sprintf("%s: %s %s", at, v.Kind(), quote(value.Excerpt(v.Text(), 40))))
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

// lookAt finds the fields of messages among the elements of a list; nil where nothing says who
// wrote them.
func lookAt(list value.Value, at, inner string) *candidate {
	var messages []value.Value
	for i, e := range list.Elements() {
		if e = unquoted(e); inner != "" {
			e = e.Field(inner)
		}
		if e.Kind() == value.Object && i < maxElements {
			messages = append(messages, e)
		}
	}
	best := &candidate{path: at, inner: inner, count: list.Len()}
	for _, key := range keysOf(messages) {
		c := &candidate{path: at, inner: inner, count: list.Len(), role: key}
		c.roles(messages)
		if c.known > best.known {
			best = c
		}
	}
	if best.known == 0 || !best.saysUser && !best.saysAgent {
		return nil
	}
	best.fields(messages)
	return best
}

func keysOf(messages []value.Value) []string {
	var keys []string
	for _, m := range messages {
		for key := range m.Members() {
			if !slices.Contains(keys, key) && len(keys) < maxListed {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// roles counts the messages whose word under the key is one for a role.
func (c *candidate) roles(messages []value.Value) {
	for _, m := range messages {
		word, ok := m.Field(c.role).Str()
		role, known := roleOf(word)
		switch {
		case !ok || len(word) > 40:
			continue
		case known:
			c.known++
			c.saysUser = c.saysUser || role == User
			c.saysAgent = c.saysAgent || role == Assistant
			c.saysTool = c.saysTool || role == ToolRole
		case !slices.Contains(c.strange, word):
			c.strange = append(c.strange, word)
		}
	}
	if len(c.strange) > 4 {
		c.known = 0 // a name, not a role
	}
}

// fields finds the text, the calls and the ids of results.
func (c *candidate) fields(messages []value.Value) {
	longest := 0
	for _, key := range keysOf(messages) {
		size, calls := 0, false
		for _, m := range messages {
			field := unquoted(m.Field(key))
			if s, ok := field.Str(); ok && key != c.role {
				size += len(s)
			}
			if call := element(field); call.Kind() == value.Object && c.call(call) || field.Kind() == value.Object && c.call(field) {
				calls = true
			}
		}
		if calls && c.calls == "" {
			c.calls = key
		}
		if size > longest && !calls && !isID(key) {
			longest, c.content = size, key
		}
		if c.resultID == "" && (strings.HasSuffix(key, "call_id") || strings.HasSuffix(key, "callId") || key == "in_reply_to") {
			c.resultID = key
		}
	}
	for _, m := range messages {
		if slices.Contains(c.strange, m.Field(c.role).Text()) && c.calls != "" && m.Has(c.calls) {
			c.strangeCalls = true
		}
	}
}

// call reports whether an object looks like a call, and keeps the names of its fields.
func (c *candidate) call(v value.Value) bool {
	v = nested(v)
	name, arguments, id := "", "", ""
	for key, val := range v.Members() {
		s, isText := val.Str()
		inner := unquoted(val)
		switch {
		case inner.Kind() == value.Object && arguments == "":
			arguments = key
		case isID(key) && (isText || val.IsNumber()):
			id = key
		case isText && isIdentifier(s) && (name == "" || saysName(key) && !saysName(name)):
			name, id = key, orWord(id, name)
		case isText && isIdentifier(s):
			id = orWord(id, key)
		}
	}
	if name == "" || arguments == "" {
		return false
	}
	c.callName, c.callArgs, c.callID = name, arguments, id
	return true
}

// isID reports whether a key is that of an id.
func isID(key string) bool {
	return key == "id" || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Id") || key == "ref"
}

// saysName reports whether a key is one under which a call has the name of its tool.
func saysName(key string) bool {
	if slices.Contains(callNameKeys, key) {
		return true
	}
	for _, word := range []string{"name", "fn", "func", "tool", "action", "method"} {
		if strings.Contains(strings.ToLower(key), word) {
			return true
		}
	}
	return false
}

func isIdentifier(s string) bool {
	return s != "" && len(s) <= 80 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/:") == ""
}

// schemas looks for an inventory: a list of objects with a name and a schema.
func (s *search) schemas(v value.Value, at string, depth int) {
	v = unquoted(v)
	if depth > maxLevels || s.tools != "" {
		return
	}
	if e := unquoted(element(v)); v.IsList() && e.Kind() == value.Object {
		t, problem := tool("", e)
		if problem == "" && t.Parameters.Field("properties").Kind() == value.Object {
			s.tools = at
			s.found = append(s.found, fmt.Sprintf("schemas of tools at %s: %s", at, t.Signature()))
			return
		}
	}
	if v.IsList() {
		s.schemas(element(v), at+"[*]", depth+1)
		return
	}
	for key, val := range v.Members() {
		s.schemas(val, step(at, key), depth+1)
	}
}

// mapping puts together what was found.
func (s *search) mapping(v value.Value) map[string]string {
	c := s.best
	if c == nil {
		s.found = append(s.found, "nothing looks like a list of messages")
		return nil
	}
	s.found = append(s.found, fmt.Sprintf("roles at %s (%d of %d elements)", c.at(c.role), c.known, c.count))
	m := map[string]string{}
	records, rest, several := cutLast(c.path)
	list := c.path
	if several {
		if records != "$[*]" { // the elements of the log's list are records anyway
			m["records"] = records
		}
		list = "$" + rest
	}
	m["messages"] = list + "[*]"
	if c.isText {
		m["messages"] = list
	}
	if c.inner != "" {
		m["messages"] = step(m["messages"], c.inner)
	}
	c.words(m, s)
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

// words adds the fields whose names no reader knows.
func (c *candidate) words(m map[string]string, s *search) {
	if !slices.Contains(roleKeys, c.role) && c.role != "type" {
		m["message.role"] = step("$", c.role)
	}
	if c.content != "" {
		s.found = append(s.found, "texts at "+c.at(c.content))
		if !slices.Contains(contentKeys, c.content) {
			m["message.content"] = step("$", c.content)
		}
	}
	if c.calls != "" {
		s.found = append(s.found, "calls at "+c.at(c.calls))
		c.callWords(m)
	}
	if c.resultID != "" && !slices.Contains(resultIDKeys, c.resultID) {
		m["message.call_id"] = step("$", c.resultID)
	}
	for _, word := range c.strange {
		role := ToolRole
		switch {
		case !c.saysAgent || c.strangeCalls && len(c.strange) == 1:
			role, c.saysAgent = Assistant, true
		case !c.saysUser:
			role, c.saysUser = User, true
		}
		m["role."+word] = string(role)
	}
}

func (c *candidate) callWords(m map[string]string) {
	known := slices.Contains(callListKeys, c.calls) || c.calls == c.content
	if !known {
		m["message.calls"] = step("$", c.calls)
	}
	for _, f := range []struct {
		target, key string
		known       []string
	}{{"call.name", c.callName, callNameKeys}, {"call.arguments", c.callArgs, argumentKeys}, {"call.id", c.callID, callIDKeys}} {
		if f.key != "" && !slices.Contains(f.known, f.key) {
			m[f.target] = step("$", f.key)
			m["message.calls"] = step("$", c.calls)
		}
	}
}

// cutLast divides a path behind its last [*]: what is before it are several records.
func cutLast(path string) (records, rest string, found bool) {
	i := strings.LastIndex(path, "[*]")
	if i < 0 {
		return "$", strings.TrimPrefix(path, "$"), false
	}
	return path[:i+3], path[i+3:], true
}
