package deterministic

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// actual reads a part of a case's actual side. For every scorer that reads calls it decides what is
// a call, what is prose (no call was made), what looks like a call but cannot be parsed (an error
// of the kind unreadable_call), and what is no answer at all (a config error). Only scorers that
// reproduce another program's rules read the actual side without it.
type actual struct {
	// field names the part in errors.
	field string
	// tools holds the agent's tool definitions; null if the case has none.
	tools value.Value
	// read reads an object or a list.
	read func(value.Value) []*transcript.Call
}

// madeCalls reads the calls that were made according to a case.
func madeCalls(in Input) ([]*transcript.Call, error) { return madeIn("actual", in.Actual, in.Tools) }

// madeIn reads the calls that were made according to a part of the actual side.
func madeIn(field string, v, tools value.Value) ([]*transcript.Call, error) {
	read := func(v value.Value) []*transcript.Call {
		calls, _ := readCalls(v)
		return calls
	}
	return actual{field, tools, read}.calls(v)
}

// madeTrace reads the trace of a case.
func madeTrace(in Input) ([]*transcript.Call, error) {
	return actual{"actual", in.Tools, readTrace}.calls(in.Actual)
}

// madeOne reads the only call of a case. No call, or several, are an unreadable call.
func madeOne(in Input) (*transcript.Call, error) {
	calls, err := madeCalls(in)
	if len(calls) == 1 {
		return calls[0], err
	}
	return unreadableCall(), err
}

func (a actual) calls(v value.Value) ([]*transcript.Call, error) {
	switch v.Kind() {
	case value.Null:
		return nil, configError(a.field, "is missing: give the calls that were made, [] for none")
	case value.Bool, value.Int, value.Float:
		return nil, configError(a.field, "is %s, must be calls, messages or text", v.Kind().WithArticle())
	case value.String:
		return a.text(v.Text())
	}
	if v.Has("action_input") {
		return a.written(v.JSON())
	}
	switch calls := a.read(v); {
	case tooMany(calls):
		return nil, tooManyError(a.field)
	case len(calls) > 0:
		return calls, nil
	}
	return nil, a.messages(v)
}

// text reads a text: calls as JSON or Python, alone or in a fence, or inside prose, as agents
// without a tool interface write them.
func (a actual) text(text string) ([]*transcript.Call, error) {
	if inner, ok := parseJSON(text); ok {
		switch inner.Kind() {
		case value.Object:
			calls, err := a.calls(inner)
			switch _, key := inner.FirstKey(callKeys...); {
			case err != nil || slices.ContainsFunc(calls, named):
				return calls, err
			case len(calls) > 0 && key != "":
				return nil, unreadableText(a.field, text)
			}
		case value.List, value.String:
			return a.calls(inner)
		}
		return nil, nil
	}
	if calls, parsed := readText(text); parsed {
		return calls, nil
	}
	if list := objects(text); list.Len() > 1 {
		if calls, err := a.calls(list); err != nil || len(calls) > 0 && !slices.ContainsFunc(calls, nameless) {
			return calls, err
		}
	}
	if inner, fenced := unfenced(text); fenced {
		if calls, err := a.text(inner); err != nil || slices.ContainsFunc(calls, named) {
			return calls, err
		}
	}
	return a.written(text)
}

// callKeys are the keys of an object that is meant as a call.
var callKeys = slices.Concat(transcript.NameKeys[:], transcript.ArgumentKeys[:], wrapperKeys[:], []string{"tool_calls"})

// objects returns the JSON objects that a text is, one after another; nil for any other text.
func objects(text string) value.Value {
	var found []value.Value
	for rest := []byte(text); ; {
		if rest = bytes.TrimLeft(rest, " \t\r\n,;"); len(rest) == 0 {
			return value.OfList(found...)
		}
		if rest[0] != '{' {
			return value.Value{}
		}
		var object value.Extent
		n, _ := object.Feed(rest)
		v, err := value.Parse(rest[:n])
		if err != nil {
			return value.Value{}
		}
		found, rest = append(found, v), rest[n:]
	}
}

// cutList reports whether a text begins as a list of objects and ends before the list does.
func cutList(text string) bool {
	text = strings.TrimSpace(text)
	var list value.Extent
	_, done := list.Feed([]byte(text))
	return !done && strings.HasPrefix(text, "[") && strings.HasPrefix(strings.TrimLeft(text[1:], " \t\r\n"), "{")
}

// written reads the calls that the log reader finds in a text, such as ReAct's.
func (a actual) written(text string) ([]*transcript.Call, error) {
	written, rest := format.CutCalls(text, readTools(a.tools))
	calls := make([]*transcript.Call, len(written))
	for i := range written {
		calls[i] = &written[i]
	}
	switch {
	case slices.ContainsFunc(calls, readable) && !cutList(text):
		if !slices.ContainsFunc(calls, malformed) && format.BrokenCall(rest) {
			calls = append(calls, unreadableCall())
		}
		return calls, nil
	case len(calls) > 0 || a.looksLikeCall(text):
		return nil, unreadableText(a.field, text)
	}
	return nil, nil
}

// callsOnlyInText returns an error if the messages of a case have no call but some text looks like
// one.
func callsOnlyInText(in Input) error {
	return actual{field: "actual", tools: in.Tools}.messages(in.Actual)
}

// messages returns an error if messages have no call but some text looks like one: it may be the
// call, so nothing is known.
func (a actual) messages(v value.Value) error {
	for _, key := range [...]string{"messages", "items", "events"} {
		if list := v.Field(key); list.IsList() {
			v = list
		}
	}
	if v.Kind() == value.Object {
		v = value.OfList(v)
	}
	for i, m := range v.Elements() {
		role, given := m.Field("role").Str()
		if given && role != "assistant" && role != "model" {
			continue
		}
		texts := append([]value.Value{m.Field("content"), m.Field("text")}, elements(m.Field("content"))...)
		for _, part := range texts {
			if inner := part.Field("text"); !inner.IsNull() {
				part = inner
			}
			if text, _ := part.Str(); a.looksLikeCall(text) {
				return unreadableText(a.field+"["+strconv.Itoa(i)+"]", text)
			}
		}
	}
	return nil
}

// looksLikeCall reports whether an unread text looks like a call, given the tools of the case.
func (a actual) looksLikeCall(text string) bool {
	var names map[string]bool
	return format.LooksLikeCall(text, func(name string) bool {
		if names == nil {
			names = map[string]bool{}
			for _, t := range readTools(a.tools) {
				names[t.Name] = true
			}
		}
		return names[name]
	})
}

func named(c *transcript.Call) bool     { return c.Name != "" }
func nameless(c *transcript.Call) bool  { return c.Name == "" }
func malformed(c *transcript.Call) bool { return !readable(c) }

// unfenced returns the content of a text that is one fenced block.
func unfenced(text string) (inner string, fenced bool) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(text), "```")
	inner, closed := strings.CutSuffix(inner, "```")
	_, inner, broken := strings.Cut(inner, "\n")
	return strings.TrimSpace(inner), opened && closed && broken && !strings.Contains(inner, "```")
}

// unreadableText returns the error for a text that looks like a call but cannot be parsed.
func unreadableText(field, text string) error {
	return &Error{Kind: unreadableKind, Field: field,
		Message: "looks like a call and cannot be read: " + value.Excerpt(text, maxExcerpt)}
}
