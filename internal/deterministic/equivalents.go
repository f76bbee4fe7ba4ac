package deterministic

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// equivalent says that one tool can replace another one that is slower or dearer.
type equivalent struct {
	field        string
	prefer, over string
	// given holds the arguments of a call to over for which that is true. Without any, it is true
	// if the conversation never tried prefer.
	given []argument
	// patterns bounds the time that their patterns take.
	patterns *jsregex.Budget
}

// readEquivalents reads a list of {prefer, over, if}.
func readEquivalents(v value.Value) ([]equivalent, error) {
	if !v.IsList() {
		return nil, fmt.Errorf("is %s, must be a list of {prefer, over, if}", v.Kind().WithArticle())
	}
	out := make([]equivalent, v.Len())
	for i, e := range v.Elements() {
		var err error
		if out[i], err = readEquivalent(fmt.Sprintf("equivalents[%d]", i), e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readEquivalent(field string, v value.Value) (e equivalent, err error) {
	keys := []string{"prefer", "over", "if"}
	if v.Kind() != value.Object {
		return e, configError(field, "is %s, must be an object with prefer and over", v.Kind().WithArticle())
	}
	for key := range v.Members() {
		if !slices.Contains(keys, key) {
			return e, configError(field+"."+key, "is not a field of an equivalent%s", hint(key, keys))
		}
	}
	e = equivalent{field: field, prefer: v.Field("prefer").Text(), over: v.Field("over").Text()}
	switch {
	case e.prefer == "" || v.Field("prefer").Kind() != value.String:
		return e, configError(field+".prefer", "is missing: name the tool that would have done")
	case e.over == "" || v.Field("over").Kind() != value.String:
		return e, configError(field+".over", "is missing: name the slower or dearer tool")
	case e.over == e.prefer:
		return e, configError(field, "prefers %q over itself", e.over)
	}
	condition := v.Field("if")
	switch {
	case condition.IsNull():
	case condition.Kind() != value.Object:
		return e, configError(field+".if", "is %s, must be an object of arguments and their patterns", condition.Kind().WithArticle())
	case condition.Len() == 0:
		return e, configError(field+".if", "is empty: give arguments and their patterns")
	}
	for name, p := range condition.Members() {
		a := argument{name: name}
		if a.pattern, err = readPattern(field+".if."+name, p); err != nil {
			return e, err
		}
		e.given = append(e.given, a)
	}
	return e, nil
}

// wouldDo reports whether the preferred tool could have replaced a call. called holds the tools
// that the conversation called.
func (e *equivalent) wouldDo(c *transcript.Call, tools []transcript.Tool, called map[string]bool) (bool, error) {
	if c.Name != e.over || transcript.FindTool(tools, e.prefer) == nil {
		return false, nil
	}
	for _, a := range e.given {
		text, isString := c.Arguments.Field(a.name).Str()
		if !isString {
			text = c.Arguments.Field(a.name).JSON()
		}
		matched, err := matchWithin(e.patterns, a.pattern, text)
		if err != nil {
			return false, configError(e.field+".if."+a.name, "pattern %q: %v", a.pattern, err)
		}
		if !matched || !c.Arguments.Has(a.name) {
			return false, nil
		}
	}
	return e.given != nil || !called[e.prefer], nil
}

func (e *efficiency) share(patterns *jsregex.Budget) {
	for i := range e.equivalents {
		e.equivalents[i].patterns = patterns
	}
}

func calledTools(v *view) map[string]bool {
	called := make(map[string]bool, len(v.made))
	for _, c := range v.made {
		called[c.Name] = true
	}
	return called
}

// preferred returns the tool that should have been called instead; "" if none is declared.
func (e *efficiency) preferred(c *transcript.Call, v *view, called map[string]bool) (string, error) {
	for i := range e.equivalents {
		does, err := e.equivalents[i].wouldDo(c, v.c.Tools, called)
		if err != nil {
			return "", err
		}
		if does {
			return e.equivalents[i].prefer, nil
		}
	}
	return "", nil
}
