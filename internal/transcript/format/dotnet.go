// Messages as .NET writes them, with keys in PascalCase.
// Written by: Semantic Kernel (ChatHistory), Microsoft.Extensions.AI and the Agent Framework, AutoGen for .NET, as JSON.
// Read: a list of messages or one below Messages; a Role that is a text or {Label}. In camelCase they are read like other
// messages.
// Lost: nothing; metadata stays beside the messages.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var dotNet = format{
	name:   "dotnet-messages",
	mark:   "a Role and Items, Contents or Content",
	detect: within(isDotNet, "Messages", "messages", "ChatHistory"),
	bare:   isDotNet,
	read: func(d *draft, v value.Value) error {
		return wrappedIn(messagePaths)(d, dotNetResults(camelCase(v)))
	},
}

func isDotNet(f value.Value) bool {
	_, known := roleOf(f.Field("Role").Text() + f.Field("Role").Field("Label").Text())
	return known && f.HasAny("Items", "Contents", "Content")
}

// dotNetResults removes repeated results: Semantic Kernel writes their text beside them or, before
// 1.15, instead of them.
func dotNetResults(v value.Value) value.Value {
	return v.Each(func(_ string, m value.Value) value.Value {
		if m.IsList() && m.Head().Has("role") {
			return dotNetResults(m)
		}
		if m.Field("role").Text() != "tool" {
			return m
		}
		var results []value.Value
		for _, p := range m.Field("items").Elements() {
			if p.Field("type").Text() == "functionResult" {
				results = append(results, p)
			}
		}
		if len(results) > 0 {
			return m.With("items", value.OfList(results...))
		}
		return m.With("tool_call_id", m.Field("metadata").Field("chatCompletionsToolCall.Id"))
	})
}

// camelCase makes the first letter of keys small, also of words for types, but not inside arguments and results.
func camelCase(v value.Value) value.Value {
	if v.IsList() {
		return eachOf(v, camelCase)
	}
	if v.Kind() != value.Object {
		return v
	}
	var out value.Fields
	for key, field := range v.Members() {
		name := strings.ToLower(key[:min(len(key), 1)]) + key[min(len(key), 1):]
		switch name {
		case "arguments", "result":
		case "role":
			if label := field.Field("Label"); !label.IsNull() {
				field = label
			}
		case "$type":
			name = "type"
			if word := field.Text(); word != "" {
				field = value.OfString(strings.TrimSuffix(strings.ToLower(word[:1])+word[1:], "Content"))
			}
		default:
			field = camelCase(field)
		}
		out = append(out, value.Member{Key: name, Value: field})
	}
	return out.Object()
}
