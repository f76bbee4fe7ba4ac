package format

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// Guess says what a log in an unknown format seems to contain: what is in its first record, and a
// mapping that reads it, if one was found.
type Guess struct {
	// Keys lists the places in the first record with their content: "$.events: list of 12".
	Keys []string `json:"keys"`
	// Found lists places that look like a role, a text, a call or a schema.
	Found []string `json:"found"`
	// Map holds the targets and paths of a mapping to try, nil if none. Conversations to
	// Empty count what it reads; Empty counts messages without a text and without calls.
	Map           map[string]string `json:"map,omitempty"`
	Conversations int               `json:"conversations"`
	Messages      int               `json:"messages"`
	Calls         int               `json:"calls"`
	Results       int               `json:"results"`
	Empty         int               `json:"empty"`
	// First shows the first conversation that the mapping reads.
	First []Glance `json:"first_conversation,omitempty"`
}

// The limits of a guess: listed places, levels, and elements of a list.
const (
	maxListed   = 60
	maxLevels   = 8
	maxElements = 50
)

// GuessLog examines the first record of a log in an unknown format.
func GuessLog(file string, r io.Reader) (*Guess, error) {
	log, err := container.Open(r, containerOptions(0))
	if err != nil {
		return nil, readError(file, nil, err)
	}
	defer log.Close()
	head := log.Head()
	it, err := log.Records(file, container.Layout{Whole: true}).Next()
	if err != nil || it.Text == "" {
		it.Text = string(head)
	}
	v, err := value.ParseString(it.Text)
	if err != nil {
		v = value.ParsePrefix(it.Text)
	}
	s := &search{listed: map[string]bool{}}
	s.walk(v, "$", 0)
	lines := []value.Value{v}
	for _, more := range followers(head) { // events have different keys
		for key, val := range more.Members() {
			s.describe(val, step("$", key))
		}
		lines = append(lines, more)
	}
	if s.best == nil && len(lines) > 1 {
		s.candidate(value.OfList(lines...), "$", false)
		s.lines = s.best != nil
	}
	g := &Guess{Keys: s.keys, Map: s.mapping()}
	switch {
	case g.Map == nil && s.turns != nil:
		g.Map, s.found = s.turns, append(s.found, wordsOfTurns(s.turns))
	case s.best == nil:
		s.found = append(s.found, "nothing looks like a list of messages")
	}
	g.Found = s.found
	return g, nil
}

// Try reads the log with the mapping and keeps the mapping if the result is plausible beyond doubt.
func (g *Guess) Try(ctx context.Context, file string, in io.Reader) error {
	if g.Map == nil {
		return nil
	}
	m, err := ParseMapping(g.Map)
	if err != nil {
		return err
	}
	r, s := Open(ctx, file, in, Options{Map: m}), Summary{}
	err = s.Read(r)
	withoutArguments := slices.ContainsFunc(s.Notes, func(n NoteSummary) bool { return n.Kind == "arguments_missing" })
	oneSided := s.Results == 0 && s.Conversations > 0 &&
		!slices.ContainsFunc(s.Files[0].First, func(m Glance) bool { return m.Role != string(transcript.Assistant) })
	if err != nil || oneSided || s.Conversations == 0 || r.seen.doubts.total() > 0 || withoutArguments || 2*s.Empty > s.Messages {
		g.Map = nil
		g.Found = append(g.Found, "no mapping that was tried reads this log without doubt")
		return ctx.Err()
	}
	g.First = s.Files[0].First
	g.Conversations, g.Messages, g.Calls, g.Results, g.Empty = s.Conversations, s.Messages, s.Calls, s.Results, s.Empty
	return nil
}

// search is the state of examining a record.
type search struct {
	keys, found []string
	listed      map[string]bool // places that have a key
	best        *candidate
	lines       bool              // the elements of best are records, a line each
	turns       map[string]string // a mapping, if elements of a list are whole turns
	tools       string
}

func step(at, key string) string {
	if key != "" && strings.Trim(key, wordCharacters) == "" && (key[0] < '0' || key[0] > '9') {
		return at + "." + key
	}
	return at + "['" + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), "'", `\'`) + "']"
}

// walk lists what is below a place and looks for messages and an inventory. All elements of a list
// are one place.
func (s *search) walk(v value.Value, at string, depth int) {
	if depth > maxLevels {
		return
	}
	isText := v.Kind() == value.String
	v = v.Decoded()
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
		if s.turns == nil {
			s.turns = turnsAt(v, at)
		}
		for i, e := range v.Elements() {
			if i < maxElements {
				s.walk(e, at+"[*]", depth+1)
			}
		}
	}
}

func (s *search) describe(v value.Value, at string) {
	if s.listed[at] || len(s.keys) == maxListed {
		return
	}
	text := fmt.Sprintf("%s %s", v.Kind(), value.Quote(value.Excerpt(v.Text(), 40)))
	switch inner := v.Decoded(); {
	case inner.IsList():
		text = fmt.Sprintf("list of %d", inner.Len())
	case inner.Kind() == value.Object:
		text = "object with " + inner.KeyList()
	}
	s.listed[at] = true
	s.keys = append(s.keys, at+": "+text)
}

// candidate examines the elements of a list, and the objects inside them, as possible messages.
func (s *search) candidate(list value.Value, at string, isText bool) {
	first := list.Head().Decoded()
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
	e := list.Head().Decoded()
	if s.tools != "" || e.Kind() != value.Object {
		return
	}
	if t, problem := tool("", e); problem == "" && t.Parameters.Field("properties").Kind() == value.Object {
		s.tools = at
		s.found = append(s.found, fmt.Sprintf("schemas of tools at %s: %s", at, t.Signature()))
	}
}

// mapping builds a mapping from what was found; nil if nothing looks like a list of messages.
func (s *search) mapping() map[string]string {
	c := s.best
	if c == nil {
		return nil
	}
	roles := c.at(c.keys["message.role"])
	s.found = append(s.found, fmt.Sprintf("roles at %s (%d of %d elements)", roles, c.known, c.count))
	m := map[string]string{}
	list := inRecord(m, c.path)
	if !c.isText {
		list += "[*]"
	}
	switch {
	case c.path == "$" && c.group != "" && c.inner == "":
		m["group"] = step("$", c.group)
	case s.lines:
		return nil // nothing says which lines are one conversation
	case c.inner != "":
		m["messages"] = step(list, c.inner)
	default:
		m["messages"] = list
	}
	s.found = append(s.found, c.words(m)...)
	records, _, several := cutLast(c.path)
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

// inRecord returns the place of a list inside its record, and adds the place of the records to a mapping.
func inRecord(m map[string]string, path string) string {
	records, rest, several := cutLast(path)
	if !several {
		return path
	}
	if records != "$[*]" { // these are records anyway
		m["records"] = records
	}
	return "$" + rest
}

// cutLast splits a path after its last [*]: the part before it leads to several records.
func cutLast(path string) (records, rest string, found bool) {
	i := strings.LastIndex(path, "[*]")
	if i < 0 {
		return "$", strings.TrimPrefix(path, "$"), false
	}
	return path[:i+3], path[i+3:], true
}

// candidate is a list of possible messages.
type candidate struct {
	// path leads to the list, or to a text that contains it as JSON; inner is the key of the
	// elements under which the message is.
	path, inner string
	isText      bool
	// known counts the elements, out of count, with a usual word for a role; strange holds the
	// other words, strangeCalls says that a message with one of them has calls.
	count, known int
	strange      []string
	strangeCalls bool
	says         map[transcript.Role]bool
	// keys holds the names of the fields, by target.
	keys map[string]string
	// calls holds the objects that look like calls; group names a field with the same value in each run of messages.
	calls []value.Value
	group string
}

// guessed returns the targets of a guess, with the field names that every reader knows.
func guessed() []struct {
	target string
	known  []string
} {
	return []struct {
		target string
		known  []string
	}{
		{"message.role", append([]string{"type"}, roleKeys...)},
		{"message.content", contentKeys},
		{"message.calls", callListKeys},
		{"message.call_id", resultIDKeys},
		{"call.name", callNameKeys},
		{"call.arguments", argumentKeys},
		{"call.id", callIDKeys},
		{"call.result", bothResultKeys},
	}
}

// at returns the place of a field in the messages.
func (c *candidate) at(key string) string {
	if c.inner == "" {
		return step(c.path+"[*]", key)
	}
	return step(step(c.path+"[*]", c.inner), key)
}

// lookAt finds the fields of messages in the elements of a list; nil if nothing says who wrote them.
func lookAt(list value.Value, at, inner string) *candidate {
	var messages []value.Value
	for i, e := range list.Elements() {
		if e = e.Decoded(); inner != "" {
			e = e.Field(inner)
		}
		if e.Kind() == value.Object && i < maxElements {
			messages = append(messages, e)
		}
	}
	best := &candidate{}
	for _, key := range keysOf(messages) {
		c := &candidate{path: at, inner: inner, count: list.Len(), says: map[transcript.Role]bool{},
			keys: map[string]string{"message.role": key}}
		if c.roles(messages, key); c.known > best.known {
			best = c
		}
	}
	if !best.says[transcript.User] && !best.says[transcript.Assistant] {
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

// roles counts the messages with a usual word for a role under the key.
func (c *candidate) roles(messages []value.Value, key string) {
	for _, m := range messages {
		word, ok := m.Field(key).Str()
		role, known := roleOf(word)
		switch {
		case !ok || len(word) > 40:
		case known:
			c.known++
			c.says[role] = true
		case !slices.Contains(c.strange, word):
			c.strange = append(c.strange, word)
		}
	}
	if len(c.strange) > 4 {
		c.known = 0 // it is a name and not a role
	}
}

// fields finds the text, the calls and the ids of results.
func (c *candidate) fields(messages []value.Value) {
	longest := 0
	for _, key := range keysOf(messages) {
		size, calls := 0, false
		for _, m := range messages {
			field := m.Field(key).Decoded()
			if s, ok := field.Str(); ok && key != c.keys["message.role"] {
				size += len(s)
			}
			calls = c.call(field.Head()) || field.Kind() == value.Object && c.call(field) || calls
		}
		if calls {
			c.first("message.calls", key)
		} else if size > longest && !isID(key) {
			longest, c.keys["message.content"] = size, key
		}
		if strings.HasSuffix(key, "call_id") || strings.HasSuffix(key, "callId") || key == "in_reply_to" {
			c.first("message.call_id", key)
		}
	}
	c.others()
	c.group = c.groupOf(messages)
	for _, m := range messages {
		strange := slices.Contains(c.strange, m.Field(c.keys["message.role"]).Text())
		c.strangeCalls = c.strangeCalls || strange && m.Has(c.keys["message.calls"])
	}
}

func (c *candidate) first(target, key string) { c.keys[target] = cmp.Or(c.keys[target], key) }

// words adds to a mapping the fields with unknown names, and the likely meaning of unknown words
// for roles. It returns where texts and calls are.
func (c *candidate) words(m map[string]string) (found []string) {
	content, calls := c.keys["message.content"], c.keys["message.calls"]
	if content != "" {
		found = append(found, "texts at "+c.at(content))
	}
	if calls != "" {
		found = append(found, "calls at "+c.at(calls))
	}
	for _, g := range guessed() {
		key := c.keys[g.target]
		if key == "" || slices.Contains(g.known, key) || g.target == "message.calls" && calls == content {
			continue
		}
		m[g.target] = step("$", key)
		if strings.HasPrefix(g.target, "call.") {
			m["message.calls"] = step("$", calls)
		}
	}
	for _, word := range c.strange {
		role := transcript.ToolRole
		switch {
		case !c.says[transcript.Assistant] || c.strangeCalls && len(c.strange) == 1:
			role = transcript.Assistant
		case !c.says[transcript.User]:
			role = transcript.User
		}
		c.says[role] = true
		m["role."+word] = string(role)
	}
	return found
}
