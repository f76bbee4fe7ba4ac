package deterministic

import (
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// readCompat reads calls like the futureagi program. What that program cannot read, or refuses, is
// no call at all. An empty name counts as a name.
func readCompat(v value.Value) side {
	switch v.Kind() {
	case value.String:
		return compatText(v.Text())
	case value.Object:
		if c := compatEntry(v); c != nil {
			return side{calls: []*transcript.Call{c}, single: true}
		}
		return compatObject(v)
	case value.List, value.Tuple:
		var out side
		for _, e := range v.Elements() {
			c := compatEntry(e)
			if c == nil {
				return side{}
			}
			out.calls = append(out.calls, c)
		}
		return out
	}
	return side{}
}

// compatEntry reads an object with a name and with arguments that are an object or absent; nil for
// other values.
func compatEntry(v value.Value) *transcript.Call {
	name, named := v.Field("name").Str()
	args, given := v.Get("arguments")
	if !named || given && args.Kind() != value.Object {
		return nil
	}
	c := namedCall(name)
	if given {
		c.Arguments = args
	}
	return c
}

// compatObject reads an object with arguments under one of three keys, as an object or as text; any
// other arguments become {} without a penalty.
func compatObject(v value.Value) side {
	var args value.Value
	for _, key := range [...]string{"arguments", "parameters", "input"} {
		if found, ok := v.Get(key); ok {
			args = found
			break
		}
	}
	if text, ok := args.Str(); ok {
		args, _ = value.ParseString(text)
	}
	name, given := v.Get("name")
	if !given {
		name, given = v.Get("function")
	}
	if given && name.Kind() != value.String {
		return side{}
	}
	c := namedCall(name.Text())
	if args.Kind() == value.Object {
		c.Arguments = args
	}
	return side{calls: []*transcript.Call{c}, single: true}
}

// compatText reads JSON text of one call, or a Python call.
func compatText(s string) side {
	if v, err := value.ParseString(s); err == nil {
		switch v.Kind() {
		case value.Object:
			return compatObject(v)
		case value.String:
			return compatText(v.Text())
		}
		return side{}
	}
	read, err := pycall.Parse(s, pycall.FutureAGI)
	if err != nil {
		return side{}
	}
	c := &transcript.Call{Name: read[0].Name, Arguments: read[0].Arguments}
	return side{calls: []*transcript.Call{c}, single: true, opaque: read[0].Opaque}
}

// compatCalls returns the side for calls that are already read. If any arguments are not an object,
// the program refuses the whole list.
func compatCalls(calls []*transcript.Call) side {
	for _, c := range calls {
		if c.Malformed {
			return side{}
		}
	}
	return side{calls: calls}
}
