package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// call reports whether an object looks like a call, and stores its field names.
func (c *candidate) call(v value.Value) bool {
	v = nested(v)
	name, arguments, id := "", "", ""
	for key, val := range v.Members() {
		s, isText := val.Str()
		switch {
		case saysResult(key):
		case val.Decoded().Kind() == value.Object && arguments == "":
			arguments = key
		case isID(key) && (isText || val.IsNumber()):
			id = key
		case isText && isIdentifier(s) && !slices.Contains(plainKeys, key) && (name == "" || saysName(key) && !saysName(name)):
			name = key
		}
	}
	if name == "" || arguments == "" {
		return false
	}
	c.keys["call.name"], c.keys["call.arguments"], c.keys["call.id"] = name, arguments, id
	c.calls = append(c.calls, v)
	return true
}

// others finds the result among the other fields of calls; or, if messages have the results, the
// id: a field that differs in all calls.
func (c *candidate) others() {
	apart := c.says[transcript.ToolRole] || c.keys["message.call_id"] != ""
	for _, key := range keysOf(c.calls) {
		known := slices.Contains([]string{c.keys["call.name"], c.keys["call.arguments"], c.keys["call.id"]}, key)
		values := map[string]bool{}
		for _, v := range c.calls {
			if s, isText := v.Field(key).Str(); isText && isIdentifier(s) {
				values[s] = true
			}
		}
		distinct := len(values) == len(c.calls)
		switch {
		case saysResult(key), !known && !apart && !slices.Contains(plainKeys, key) && !allNumbers(c.calls, key):
			c.first("call.result", key)
		case !known && apart && distinct:
			c.first("call.id", key)
		}
	}
}

func allNumbers(list []value.Value, key string) bool {
	return !slices.ContainsFunc(list, func(v value.Value) bool { return !v.Field(key).IsNumber() })
}

// groupOf returns a field whose value changes only at a message of the user or the system that
// begins a conversation; "" if no field does.
func (c *candidate) groupOf(messages []value.Value) string {
	for _, key := range keysOf(messages) {
		seen, last, ok := map[string]bool{}, "", key != c.keys["message.role"]
		for i, m := range messages {
			v := m.Field(key)
			word := v.Text()
			if ok = ok && word != "" && (v.Kind() == value.String || v.IsNumber()); !ok {
				break
			}
			role, known := roleOf(m.Field(c.keys["message.role"]).Text())
			if begins := i == 0 || word != last; begins && (seen[word] || known && role != transcript.User && role != transcript.System) {
				ok = false
			}
			seen[word], last = true, word
		}
		if ok && (len(seen) > 1 || isID(key)) && 2*len(seen) <= len(messages) {
			return key
		}
	}
	return ""
}

// saysResult reports whether a key is usual for the result of a call.
func saysResult(key string) bool {
	says := func(word string) bool { return strings.Contains(strings.ToLower(key), word) }
	return slices.Contains(bothResultKeys, key) || slices.ContainsFunc([]string{"result", "return", "output", "observ", "outcome"}, says)
}

// isID reports whether a key is usual for an id.
func isID(key string) bool {
	return key == "id" || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Id") || key == "ref"
}

// saysName reports whether a key is usual for the name of a call's tool.
func saysName(key string) bool {
	says := func(word string) bool { return strings.Contains(strings.ToLower(key), word) }
	return slices.Contains(callNameKeys, key) ||
		slices.ContainsFunc([]string{"name", "fn", "func", "tool", "action", "method"}, says)
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func isIdentifier(s string) bool {
	return s != "" && len(s) <= 80 && strings.Trim(s, wordCharacters+".-/:") == ""
}
