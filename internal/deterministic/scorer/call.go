package scorer

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// Call is one call.
type Call struct {
	// Name is not empty, except for an Unreadable call (and for an empty name that
	// a trace lists as it is).
	Name string
	// Arguments is an object; {} where there are none and where Malformed.
	Arguments value.Value
	// Malformed says that arguments were given and could not be read as an object.
	Malformed bool
	// Unreadable says that there is no call to be read here, only its place.
	Unreadable bool
	// Opaque are the names of arguments that equal nothing; only compat: futureagi has
	// any.
	Opaque []string
}

// Reading is what one side of a comparison holds.
type Reading struct {
	Calls []Call
	// Parsed is false when the value was no form of a call at all, such as a
	// plain-language answer. There are no calls then.
	Parsed bool
}

// Complete reports whether everything was understood: parsed, no unreadable call
// and no malformed arguments. A reference has to be complete.
func (r Reading) Complete() bool {
	if !r.Parsed {
		return false
	}
	for i := range r.Calls {
		if r.Calls[i].Unreadable || r.Calls[i].Malformed {
			return false
		}
	}
	return true
}

// Read reads the calls that v holds: an object (one call, or a message with
// "tool_calls"), a list of calls or messages, or a string with JSON or a Python
// call. null is no call.
func Read(v value.Value) Reading {
	switch v.Kind() {
	case value.Null:
		return Reading{Parsed: true}
	case value.Object:
		return Reading{Calls: reader{}.object(nil, v), Parsed: true}
	case value.List, value.Tuple:
		return Reading{Calls: reader{}.list(nil, v), Parsed: true}
	case value.String:
		return readText(v.Text())
	}
	return Reading{}
}

// ReadOne reads exactly one call. It reports false when v holds no call, several
// calls, or one that cannot be read; the returned call then is Unreadable.
func ReadOne(v value.Value) (Call, bool) {
	if v.Kind() == value.Object && !isMessage(v) {
		c := readObject(v)
		return c, !c.Unreadable
	}
	r := Read(v)
	if len(r.Calls) != 1 || r.Calls[0].Unreadable {
		return Call{Arguments: value.OfObject(), Unreadable: true}, false
	}
	return r.Calls[0], true
}

// readText reads a string: JSON of any form, else a Python call.
func readText(s string) Reading {
	if v, ok := parseJSON(s); ok {
		switch v.Kind() {
		case value.Object, value.List, value.String:
			return Read(v)
		}
		return Reading{Parsed: true}
	}
	calls, ok := readPython(s)
	return Reading{Calls: calls, Parsed: ok}
}

// parseJSON parses s, but first looks at its first byte: most text that reaches it
// is no JSON, and an error costs more than a parse.
func parseJSON(s string) (value.Value, bool) {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(t[0])) {
		return value.Value{}, false
	}
	v, err := value.ParseString(s)
	return v, err == nil
}

// argumentKeys are the keys under which arguments stand; the first present counts.
var argumentKeys = [...]string{"arguments", "parameters", "input", "args", "kwargs", "input_parameters"}

// wrapperKeys hold the call when their value is an object (OpenAI, Gemini, OpenAI
// before tools).
var wrapperKeys = [...]string{"function", "functionCall", "function_call"}

// unwrap follows the wrapper keys.
func unwrap(v value.Value) value.Value {
unwrapping:
	for {
		for _, key := range wrapperKeys {
			if inner, ok := v.Get(key); ok && inner.Kind() == value.Object {
				v = inner
				continue unwrapping
			}
		}
		return v
	}
}

// readObject reads an object that is one call.
func readObject(v value.Value) Call {
	v = unwrap(v)
	name, found := v.Get("name")
	if !found {
		name, found = v.Get("function")
	}
	text, isText := name.Str()
	if !found || !isText || text == "" {
		return Call{Arguments: value.OfObject(), Unreadable: true}
	}
	c := Call{Name: text, Arguments: value.OfObject()}
	for _, key := range argumentKeys {
		if args, ok := v.Get(key); ok {
			c.Arguments, c.Malformed = readArguments(args)
			break
		}
	}
	return c
}

// readArguments returns the arguments that v spells, and whether v is malformed.
func readArguments(v value.Value) (args value.Value, malformed bool) {
	switch v.Kind() {
	case value.Object:
		return v, false
	case value.Null:
		return value.OfObject(), false
	case value.String:
		if strings.TrimSpace(v.Text()) == "" {
			return value.OfObject(), false
		}
		parsed, ok := parseJSON(v.Text())
		if ok && parsed.Kind() == value.Object {
			return parsed, false
		}
		return value.OfObject(), !ok || !parsed.IsNull()
	}
	return value.OfObject(), true
}

// readPython reads a string as Python calls; false when it is none.
func readPython(s string) ([]Call, bool) {
	if !strings.Contains(s, "(") {
		return nil, false
	}
	found, err := pycall.Parse(s, pycall.Plain)
	if err != nil {
		return nil, false
	}
	calls := make([]Call, len(found))
	for i, c := range found {
		calls[i] = Call{Name: c.Name, Arguments: c.Arguments}
	}
	return calls, true
}
