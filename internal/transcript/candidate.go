package transcript

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// candidate is a list of what may be messages.
type candidate struct {
	// path leads to the list, or to the text that is its JSON; inner is the key of its
	// elements that holds the message.
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
			calls = c.call(element(field)) || field.Kind() == value.Object && c.call(field) || calls
		}
		if calls && c.calls == "" {
			c.calls = key
		}
		if size > longest && !calls && !isID(key) {
			longest, c.content = size, key
		}
		answers := strings.HasSuffix(key, "call_id") || strings.HasSuffix(key, "callId") || key == "in_reply_to"
		if c.resultID == "" && answers {
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

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func isIdentifier(s string) bool {
	return s != "" && len(s) <= 80 && strings.Trim(s, wordCharacters+".-/:") == ""
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
	}{
		{"call.name", c.callName, callNameKeys},
		{"call.arguments", c.callArgs, argumentKeys},
		{"call.id", c.callID, callIDKeys},
	} {
		if f.key != "" && !slices.Contains(f.known, f.key) {
			m[f.target] = step("$", f.key)
			m["message.calls"] = step("$", c.calls)
		}
	}
}
