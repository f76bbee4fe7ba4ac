package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/value"
)

// setting is a type with its own form in a file.
type setting interface {
	// ReadNode reads the value at n, which is not null, and reports mistakes by n.Failf.
	ReadNode(n *Node)
}

// Read reads the single document of a file into the struct that dst points to. The name is used
// only in messages. The error has type Problems.
//
// The struct's json tags name the keys; a field without omitempty or omitzero is required. Of the
// jsonschema tags, enum, minimum and maximum are checked. A tag form:"own" leaves a field to the
// ReadNode of its struct; form:"bytes" accepts a size such as 512MiB; form:"refused" is a key that
// no message suggests. A list of texts may be a single text, unless form:"list" forbids it.
func Read(file string, data []byte, dst any) error {
	root, err := parse(file, data)
	if err != nil {
		return err
	}
	return root.into(dst)
}

// Decode is like Read, for a value that is already parsed: its problems have no position.
func Decode(v value.Value, dst any) error {
	return (&Node{Value: v, found: &findings{}}).into(dst)
}

func (n *Node) into(dst any) error {
	n.Fill(dst)
	list := n.found.problems
	if len(list) == 0 {
		return nil
	}
	sorting.Stable(list, func(a, b *Problem) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return list
}

// Open reads the single document of a file for a caller that reads its nodes itself. The error has
// type Problems.
func Open(file string, data []byte) (*Node, error) { return parse(file, data) }

// Place returns the line and column of the key, or else the value, at a path below the node, "" for
// the node itself. If the path is not in the file, it returns those of the nearest part above it.
func (n *Node) Place(sub string) (line, col int) {
	path := n.path
	if sub != "" {
		path = join(path, sub)
	}
	for {
		for _, places := range []map[string]place{n.found.keys, n.found.values} {
			if at, known := places[path]; known {
				return at.line, at.col
			}
		}
		if path == "" {
			return 1, 1
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

// Failf reports a problem at the node. sub is the path below it, "" for the node itself.
func (n *Node) Failf(sub, format string, args ...any) {
	path := n.path
	if sub != "" {
		path = join(path, sub)
	}
	n.found.fail(n.found.values[n.path], path, fmt.Sprintf(format, args...))
}

// Get returns the value under a key, nil if it is absent or null.
func (n *Node) Get(name string) *Node {
	if n.Field(name).IsNull() {
		return nil
	}
	return n.member(name)
}

func (n *Node) member(name string) *Node { return &Node{n.Field(name), join(n.path, name), n.found} }

// Item returns an element of a list; a single text counts as a list.
func (n *Node) Item(i int) *Node {
	if !n.IsList() {
		return n
	}
	return &Node{n.At(i), fmt.Sprintf("%s[%d]", n.path, i), n.found}
}

// Each calls read for every key of a mapping; anything else is a problem.
func (n *Node) Each(read func(name string, n *Node)) {
	if !n.isMapping() {
		return
	}
	for name := range n.Members() {
		read(name, n.member(name))
	}
}

func (n *Node) isMapping() bool {
	is := n.Kind() == value.Object
	if !is {
		n.Failf("", "want a mapping of keys to values")
	}
	return is
}

// Fill reads the node into what dst points to, and reports whether it found no problem.
func (n *Node) Fill(dst any) bool {
	before := len(n.found.problems)
	n.read(reflect.ValueOf(dst).Elem(), field{})
	return len(n.found.problems) == before
}

// Struct reads a mapping into the fields of a struct. A key without a field is a problem.
func (n *Node) Struct(dst any) {
	var offered []string
	for _, f := range fields(dst) {
		if f.form != "refused" {
			offered = append(offered, f.name)
		}
	}
	for name := range n.StructAnd(dst).Members() {
		path := join(n.path, name)
		n.found.fail(n.found.keys[path], path, unknown("key", name, offered))
	}
}

// StructAnd is like Struct, but returns the members without a field.
func (n *Node) StructAnd(dst any) (rest value.Value) {
	if !n.isMapping() {
		return value.OfObject()
	}
	rest = n.Value
	for _, f := range fields(dst) {
		rest = rest.Without(f.name)
		at := n.Get(f.name)
		switch {
		case f.required && !n.Has(f.name):
			n.Failf(f.name, "is missing")
		case at != nil && f.form != "own":
			at.read(f.Value, f)
		}
	}
	return rest
}

// field is one tagged field of a struct.
type field struct {
	reflect.Value
	name, form string
	required   bool
	words      []string
	low, high  *float64
}

// fields returns the fields of the struct that dst points to, in order.
func fields(dst any) []field {
	v := reflect.ValueOf(dst).Elem()
	var out []field
	for i := range v.NumField() {
		t := v.Type().Field(i)
		name, options, _ := strings.Cut(t.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		f := field{Value: v.Field(i), name: name, form: t.Tag.Get("form"), required: options == ""}
		for rule := range strings.SplitSeq(t.Tag.Get("jsonschema"), ",") {
			key, text, _ := strings.Cut(rule, "=")
			number, err := strconv.ParseFloat(text, 64)
			switch {
			case key == "enum":
				f.words = append(f.words, text)
			case key == "minimum" && err == nil:
				f.low = &number
			case key == "maximum" && err == nil:
				f.high = &number
			}
		}
		out = append(out, f)
	}
	return out
}

// Overlay copies the fields of src whose keys are given to dst, which has the same type.
func Overlay[T any](dst, src *T, given func(key string) bool) {
	from := fields(src)
	for i, f := range fields(dst) {
		if given(f.name) {
			f.Set(from[i].Value)
		}
	}
}

func (n *Node) read(v reflect.Value, f field) {
	switch dst := v.Addr().Interface().(type) {
	case setting:
		dst.ReadNode(n)
		return
	case *value.Value:
		*dst = n.Value
		return
	case *time.Duration:
		*dst = n.duration()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		n.read(v.Elem(), f)
	case reflect.Struct:
		n.Struct(v.Addr().Interface())
	case reflect.Slice:
		n.list(v, f)
	case reflect.Map:
		n.mapping(v, f)
	case reflect.String:
		n.text(v, f.words)
	case reflect.Bool:
		b, ok := n.BoolVal()
		if !ok {
			n.Failf("", "want true or false, got %s", n.Kind())
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n.integer(v, f)
	case reflect.Float64:
		x, ok := n.Float64()
		if !ok || !f.within(x) {
			n.Failf("", "want a number%s", f.bounds())
		}
		v.SetFloat(x)
	}
}

func (f field) within(x float64) bool {
	return (f.low == nil || x >= *f.low) && (f.high == nil || x <= *f.high)
}

// bounds describes the allowed range in words.
func (f field) bounds() string {
	switch {
	case f.low != nil && f.high != nil:
		return fmt.Sprintf(" from %g to %g", *f.low, *f.high)
	case f.low != nil:
		return fmt.Sprintf(" from %g on", *f.low)
	}
	return ""
}

// OneOf reports a problem unless a text is one of the words.
func (n *Node) OneOf(text string, words []string) {
	if !slices.Contains(words, text) {
		n.Failf("", "%s", unknown("value", text, words))
	}
}

func (n *Node) text(v reflect.Value, words []string) {
	text, ok := n.Str()
	if !ok {
		n.Failf("", "want text, got %s", n.Kind())
	} else if words != nil {
		n.OneOf(text, words)
	}
	v.SetString(text)
}

// list reads every element; a single text counts as a list of one.
func (n *Node) list(v reflect.Value, f field) {
	texts := v.Type().Elem().Kind() == reflect.String
	_, isText := n.Str()
	switch {
	case n.IsList():
		v.Set(reflect.MakeSlice(v.Type(), n.Len(), n.Len()))
		for i := range n.Len() {
			n.Item(i).read(v.Index(i), field{})
		}
	case texts && isText && f.form != "list":
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		n.read(v.Index(0), field{})
	case texts:
		n.Failf("", "want a list of texts, got %s", n.Kind())
	default:
		n.Failf("", "want a list, got %s; start each entry with a dash", n.Kind())
	}
}

func (n *Node) mapping(v reflect.Value, f field) {
	v.Set(reflect.MakeMap(v.Type()))
	n.Each(func(name string, n *Node) {
		e := reflect.New(v.Type().Elem())
		n.read(e.Elem(), f)
		v.SetMapIndex(reflect.ValueOf(name), e.Elem())
	})
}

func (n *Node) integer(v reflect.Value, f field) {
	text, isText := n.Str()
	if f.form == "bytes" && isText {
		n.bytes(v, text)
		return
	}
	i, ok := n.Int64()
	if !ok || !f.within(float64(i)) || v.OverflowInt(i) {
		n.Failf("", "want a whole number%s", f.bounds())
	}
	v.SetInt(i)
}

// bytes reads a size such as "512MiB".
func (n *Node) bytes(v reflect.Value, text string) {
	number, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			number, shift = strings.TrimSpace(rest), 10*(i+1)
		}
	}
	i, _ := strconv.ParseInt(number, 10, 64) // a failure gives 0 or the largest number
	if i <= 0 || i > 1<<40>>shift {
		n.Failf("", "want a size such as 512MiB, got %q", text)
		return
	}
	v.SetInt(i << shift)
}

// duration reads "90s" or a number of seconds.
func (n *Node) duration() (d time.Duration) {
	if secs, ok := n.Float64(); ok && secs < 1e6 {
		d = time.Duration(secs * float64(time.Second))
	} else if text, ok := n.Str(); ok {
		d, _ = time.ParseDuration(text)
	}
	if d <= 0 {
		n.Failf("", "want seconds or a duration such as 90s or 2m, got %s", n.JSON())
	}
	return d
}
