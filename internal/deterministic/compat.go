package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// readCompat reads calls as the futureagi program does. What it cannot read, or
// refuses, is no call at all.
func readCompat(v value.Value) side {
	switch v.Kind() {
	case value.String:
		return compatText(v.Text())
	case value.Object:
		name, named := v.Field("name").Str()
		args, given := v.Get("arguments")
		if named && (!given || args.Kind() == value.Object) {
			return compatCall(name, args)
		}
		return compatObject(v)
	case value.List, value.Tuple:
		return compatList(v)
	}
	return side{}
}

func compatCall(name string, args value.Value) side {
	if args.Kind() != value.Object {
		args = value.OfObject()
	}
	return side{single: true, calls: []scorer.Call{{Name: name, Arguments: args}}}
}

// compatObject reads an object the long way: arguments under one of three keys,
// as an object or as text; whatever else they are is {} without a penalty.
func compatObject(v value.Value) side {
	var args value.Value
	for _, key := range [...]string{"arguments", "parameters", "input"} {
		if found, ok := v.Get(key); ok {
			args = found
			break
		}
	}
	if text, ok := args.Str(); ok {
		args = value.Value{}
		if parsed, err := value.ParseString(text); err == nil {
			args = parsed
		}
	}
	name, given := v.Get("name")
	if !given {
		name, given = v.Get("function")
	}
	if given && name.Kind() != value.String {
		return side{}
	}
	return compatCall(name.Text(), args)
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
	c := read[0]
	return side{single: true, calls: []scorer.Call{{Name: c.Name, Arguments: c.Arguments, Opaque: c.Opaque}}}
}

// compatList reads a list, all of whose elements must have a name and arguments
// that are an object or absent.
func compatList(v value.Value) side {
	var out side
	for _, e := range v.Elements() {
		name, named := e.Field("name").Str()
		args, given := e.Get("arguments")
		if !named || given && args.Kind() != value.Object {
			return side{}
		}
		out.calls = append(out.calls, compatCall(name, args).calls...)
	}
	return out
}

// compatCalls is compatList of calls that are read already: arguments that were no object
// make the program refuse the whole list, an empty name does not.
func compatCalls(calls []scorer.Call) side {
	out := make([]scorer.Call, len(calls))
	for i, c := range calls {
		if c.Malformed {
			return side{}
		}
		out[i] = scorer.Call{Name: c.Name, Arguments: c.Arguments}
	}
	return side{calls: out}
}
