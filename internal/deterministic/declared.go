package deterministic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// maxFollowed limits how many schemas are examined for one call, so that a recursive reference
// ends.
const maxFollowed = 20_000

// declared holds the parameters that a schema declares for a call, each with what is wrong with it,
// "" if nothing is.
type declared struct {
	names, problems []string
	// at finds a name after schemas were merged; nil before.
	at map[string]int
	// excluded holds the arguments that the schema does not allow; nil if it allows all.
	excluded map[string]bool
}

func (d *declared) add(name, problem string) {
	if i, known := d.at[name]; known {
		if d.problems[i] == "" {
			d.problems[i] = problem
		}
		return
	}
	if d.at != nil {
		d.at[name] = len(d.names)
	}
	d.names, d.problems = append(d.names, name), append(d.problems, problem)
}

// index makes add find the known names.
func (d *declared) index() {
	if d.at != nil {
		return
	}
	d.at = make(map[string]int, len(d.names))
	for i, name := range d.names {
		d.at[name] = i
	}
}

// merge adds what another schema requires for the same call.
func (d *declared) merge(more declared) {
	d.index()
	for i, name := range more.names {
		d.add(name, more.problems[i])
	}
	for name := range more.excluded {
		d.exclude(name)
	}
}

func (d *declared) exclude(name string) {
	if d.excluded == nil {
		d.excluded = map[string]bool{}
	}
	d.excluded[name] = true
}

func (d *declared) has(name string) bool {
	if d.at != nil {
		_, known := d.at[name]
		return known
	}
	return slices.Contains(d.names, name)
}

// failures counts the wrong parameters.
func (d *declared) failures() int {
	n := len(d.excluded)
	for _, problem := range d.problems {
		if problem != "" {
			n++
		}
	}
	return n
}

// following checks the arguments of one call against its tool's schema. It follows local
// references, allOf, anyOf, oneOf and patternProperties. It checks a parameter's type and allowed
// values, but not what is inside it.
type following struct {
	*validation
	root, args value.Value
	seen       int
	// err is the first reason why the schema is unusable.
	err error
}

// declaredBy returns what a tool requires of the arguments of a call.
func (s *validation) declaredBy(t *transcript.Tool, args value.Value) (declared, error) {
	f := following{validation: s, root: t.Parameters, args: args}
	var d declared
	if t.Parameters.IsList() {
		for _, v := range t.Parameters.Elements() {
			if name, named := v.Field("name").Str(); named {
				required, given := v.Field("required").BoolVal()
				d.add(name, f.parameter(name, v, required || !given))
			}
		}
	} else {
		d = f.object(t.Parameters)
	}
	if s.closed || s.compat != "" || t.Listed || t.Parameters.IsList() {
		f.exclude(&d, d.has)
	}
	if f.err != nil {
		return d, configError("tools", "the schema of %q: %v", t.Name, f.err)
	}
	return d, nil
}

// exclude excludes the arguments that are not known.
func (f *following) exclude(d *declared, known func(name string) bool) {
	for name := range f.args.Members() {
		if !known(name) {
			d.exclude(name)
		}
	}
}

// object checks the arguments against a schema for all of them.
func (f *following) object(s value.Value) declared {
	var d declared
	if f.stop() {
		return d
	}
	if allowed, isBool := s.BoolVal(); isBool && !allowed {
		f.exclude(&d, func(string) bool { return false })
		return d
	}
	required, properties := s.Field("required"), s.Field("properties")
	for name, v := range properties.Members() {
		d.add(name, f.parameter(name, v, lists(required, name)))
	}
	for _, v := range required.Elements() {
		if name, ok := v.Str(); ok && !properties.Has(name) {
			d.add(name, f.parameter(name, value.Value{}, true))
		}
	}
	f.others(&d, s)
	if ref, ok := s.Field("$ref").Str(); ok {
		d.merge(f.object(f.target(ref)))
	}
	for _, part := range s.Field("allOf").Elements() {
		d.merge(f.object(part))
	}
	for _, key := range alternativeKeys {
		if list := s.Field(key); list.IsList() {
			d.merge(f.alternatives(list))
		}
	}
	if open, given := s.Field("unevaluatedProperties").BoolVal(); given && !open {
		f.exclude(&d, d.has)
	}
	return d
}

// alternativeKeys are the keys of alternative schemas; one of each list must fit.
var alternativeKeys = [...]string{"anyOf", "oneOf"}

// lists reports whether a list of names has a name.
func lists(names value.Value, name string) bool {
	for _, e := range names.Elements() {
		if text, ok := e.Str(); ok && text == name {
			return true
		}
	}
	return false
}

// others checks arguments by the schema's patterns for names; those that are neither properties nor
// match a pattern, by its rule for all others.
func (f *following) others(d *declared, s value.Value) {
	rule, ruled := s.Get("additionalProperties")
	properties, patterns := s.Field("properties"), s.Field("patternProperties")
	if !ruled && patterns.Len() == 0 {
		return
	}
	d.index()
	for name := range f.args.Members() {
		known := properties.Has(name)
		for pattern, v := range patterns.Members() {
			if f.fits(pattern, name) {
				known = true
				d.add(name, f.parameter(name, v, false))
			}
		}
		switch open, isBool := rule.BoolVal(); {
		case known || !ruled || isBool && open:
		case isBool:
			d.exclude(name)
		default:
			d.add(name, f.parameter(name, rule, false))
		}
	}
}

// fits reports whether a name matches a pattern of the schema.
func (f *following) fits(pattern, name string) bool {
	re, err := f.compiled.get(pattern, jsregex.CompileSchema)
	found := false
	if err == nil {
		found, err = re.MatchWithin(cmp.Or(f.patterns, new(jsregex.Budget)), name)
	}
	if err != nil && f.err == nil {
		f.err = err
	}
	return found
}

// alternatives checks the arguments against alternative schemas; one must fit. It returns what the
// fitting ones declare; if none fits, what the nearest one declares.
func (f *following) alternatives(list value.Value) (fitting declared) {
	var nearest declared
	fits, least := false, -1
	for _, alternative := range list.Elements() {
		d := f.object(alternative)
		switch n := d.failures(); {
		case n == 0:
			fits = true
			fitting.merge(d)
		case least < 0 || n < least:
			nearest, least = d, n
		}
	}
	if fits {
		return fitting
	}
	return nearest
}

// parameter returns what is wrong with one parameter; "" if nothing is.
func (f *following) parameter(name string, definition value.Value, required bool) string {
	v, given := f.args.Get(name)
	switch {
	case !given && required:
		return fmt.Sprintf("missing required parameter '%s'", name)
	case !given:
		return ""
	}
	if problem := f.value(definition, v); problem != "" {
		return fmt.Sprintf("parameter '%s' %s", name, problem)
	}
	return ""
}

// value returns how an argument breaks its schema; "" if it does not.
func (f *following) value(s, v value.Value) string {
	if f.stop() {
		return ""
	}
	if allowed, isBool := s.BoolVal(); isBool && !allowed {
		return "may not be there"
	}
	if types := s.Field("type"); !f.hasType(v, types) {
		return fmt.Sprintf("is %s, must be %s", v.Kind().WithArticle(), schema.TypeNames(types))
	}
	if enum := s.Field("enum"); enum.IsList() && enum.Len() > 0 && !contains(enum, v) {
		return fmt.Sprintf("is %s, must be one of %s", shown(v), shown(enum))
	}
	if only, given := s.Get("const"); given && !value.Equal(v, only) {
		return fmt.Sprintf("is %s, must be %s", shown(v), shown(only))
	}
	if ref, ok := s.Field("$ref").Str(); ok {
		if problem := f.value(f.target(ref), v); problem != "" {
			return problem
		}
	}
	for _, part := range s.Field("allOf").Elements() {
		if problem := f.value(part, v); problem != "" {
			return problem
		}
	}
	for _, key := range alternativeKeys {
		if list := s.Field(key); list.Len() > 0 && !f.oneFits(list, v) {
			return fmt.Sprintf("is %s, which fits none of the %d alternatives", shown(v), list.Len())
		}
	}
	return ""
}

func (f *following) oneFits(list, v value.Value) bool {
	for _, alternative := range list.Elements() {
		if f.value(alternative, v) == "" {
			return true
		}
	}
	return !list.IsList()
}

// shown returns the text of a value in a reason; a string is not quoted.
func shown(v value.Value) string {
	if text, ok := v.Str(); ok {
		return value.Excerpt(text, maxValue)
	}
	return v.Shown(maxValue)
}

func contains(list, v value.Value) bool {
	for _, e := range list.Elements() {
		if value.Equal(v, e) {
			return true
		}
	}
	return false
}

// target returns the schema of a reference; null, which requires nothing, if the reference leads nowhere.
func (f *following) target(ref string) value.Value {
	found, ok := schema.Lookup(f.root, ref)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("the reference %q leads to nothing in it, and nothing is fetched", value.Excerpt(ref, 80))
	}
	return found
}

// stop counts one more schema, and reports whether there were too many.
func (f *following) stop() bool {
	if f.seen++; f.seen > maxFollowed && f.err == nil {
		f.err = fmt.Errorf("it refers to itself without end, or has more than %d parts", maxFollowed)
	}
	return f.err != nil
}
