package environment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// ParseConfig reads the environment block of a config file. Unknown keys and wrong
// types are *ConfigError with the field's path; the result is validated.
func ParseConfig(v value.Value) (Config, error) {
	var c Config
	d := &decoder{}
	o := d.object("", v)
	c.Type = o.text("type")
	c.File = o.text("file")
	c.Command = o.texts("command")
	c.Dir = o.text("dir")
	c.Env = o.variables("env")
	c.URL = o.text("url")
	c.Isolated = o.flag("isolated")
	c.Reset = endpoint(o, "reset")
	c.Snapshot = endpoint(o, "snapshot")
	c.State, c.StateAt = o.text("state"), o.text("state_at")
	c.Tools = o.variables("tools")
	c.Reads = o.texts("reads")
	c.Track, c.OnError = o.text("track"), o.text("on_error")
	wanted(o, &c)
	c.Outputs = o.flag("outputs")
	c.Preset = o.text("preset")
	c.Ignore = o.texts("ignore")
	c.Keyed = o.variables("keyed")
	c.Tolerance = tolerances(o)
	replay := o.child("replay")
	c.Replay = Replay{
		Refused: replay.flag("refused"), Unanswered: replay.flag("unanswered"), User: replay.flag("user"),
		Malformed: replay.flag("malformed"), SkipFailed: replay.flag("skip_failed"),
		DecodeStrings: replay.choice("decode_strings"),
	}
	replay.done()
	limits := o.child("limits")
	c.Limits = Limits{
		Call: limits.duration("call"), Start: limits.duration("start"),
		MaxSteps: limits.integer("max_steps"), MaxMemory: limits.bytes("max_memory"), MaxReply: int(limits.bytes("max_reply")),
	}
	limits.done()
	o.done()
	if d.err != nil {
		return Config{}, d.err
	}
	return c, c.Validate()
}

func endpoint(o *fields, key string) Endpoint {
	e := o.child(key)
	defer e.done()
	return Endpoint{Tool: e.text("tool"), Resource: e.text("resource"), Argument: e.text("argument"), AsText: e.flag("as_text")}
}

// wanted reads expected: either one word, or an object.
func wanted(o *fields, c *Config) {
	if word, ok := o.v.Field("expected").Str(); ok {
		o.take("expected")
		c.Want = word
	} else {
		e := o.child("expected")
		c.Want, c.WantFile, c.WantAt = e.text("from"), e.text("file"), e.text("at")
		e.done()
	}
	c.AssertionsAt = o.text("assertions_at")
	list := o.take("assertions")
	if list.IsNull() {
		return
	}
	c.Assertions = o.d.assertions(o.path("assertions"), list)
}

// assertions reads a list of {path, op, value}.
func (d *decoder) assertions(path string, list value.Value) []Assertion {
	if !list.IsList() {
		d.fail(path, "must be a list of {path, op, value}, not %s", list.Kind())
		return nil
	}
	var out []Assertion
	for i, item := range list.Elements() {
		a := d.object(path+"["+strconv.Itoa(i)+"]", item)
		out = append(out, Assertion{Path: a.text("path"), Op: a.text("op"), Value: a.take("value")})
		a.done()
	}
	return out
}

// tolerances reads tolerance: one number for everything, or a number per pattern.
func tolerances(o *fields) []PathNumber {
	v := o.take("tolerance")
	switch {
	case v.IsNull():
		return nil
	case v.IsNumber():
		return []PathNumber{{Path: "/**", By: v}}
	case v.Kind() != value.Object:
		o.d.fail(o.path("tolerance"), "must be a number or {pattern: number}, not %s", v.Kind())
		return nil
	}
	var out []PathNumber
	for k, n := range v.Members() {
		out = append(out, PathNumber{Path: k, By: n})
	}
	return out
}

// decoder keeps the first error.
type decoder struct{ err error }

func (d *decoder) fail(field, format string, args ...any) {
	if d.err == nil {
		d.err = badField(field, format, args...)
	}
}

// fields reads the members of one object; done reports those that nobody took.
type fields struct {
	d     *decoder
	where string
	v     value.Value
	taken map[string]bool
}

func (d *decoder) object(where string, v value.Value) *fields {
	if !v.IsNull() && v.Kind() != value.Object {
		d.fail(where, "must be an object, not %s", v.Kind())
	}
	return &fields{d: d, where: where, v: v, taken: map[string]bool{}}
}

func (f *fields) path(key string) string {
	if f.where == "" {
		return key
	}
	return f.where + "." + key
}

func (f *fields) take(key string) value.Value {
	f.taken[key] = true
	return f.v.Field(key)
}

func (f *fields) child(key string) *fields { return f.d.object(f.path(key), f.take(key)) }

func (f *fields) text(key string) string {
	v := f.take(key)
	if s, ok := v.Str(); ok || v.IsNull() {
		return s
	}
	f.d.fail(f.path(key), "must be a string, not %s", v.Kind())
	return ""
}

func (f *fields) flag(key string) bool {
	v := f.take(key)
	b, ok := v.BoolVal()
	if !ok && !v.IsNull() {
		f.d.fail(f.path(key), "must be true or false, not %s", v.Kind())
	}
	return b
}

// choice is a flag that may be absent: nil then.
func (f *fields) choice(key string) *bool {
	if f.v.Field(key).IsNull() {
		f.take(key)
		return nil
	}
	b := f.flag(key)
	return &b
}

func (f *fields) texts(key string) []string {
	v := f.take(key)
	if v.IsNull() {
		return nil
	}
	if !v.IsList() {
		f.d.fail(f.path(key), "must be a list of strings, not %s", v.Kind())
		return nil
	}
	var out []string
	for i, e := range v.Elements() {
		s, ok := e.Str()
		if !ok {
			f.d.fail(fmt.Sprintf("%s[%d]", f.path(key), i), "must be a string, not %s", e.Kind())
		}
		out = append(out, s)
	}
	return out
}

func (f *fields) variables(key string) []Variable {
	o := f.child(key)
	var out []Variable
	for k := range o.v.Members() {
		out = append(out, Variable{k, o.text(k)})
	}
	return out
}

func (f *fields) integer(key string) int64 {
	v := f.take(key)
	if v.IsNull() {
		return 0
	}
	n, ok := v.Int64()
	if !ok || n <= 0 {
		f.d.fail(f.path(key), "must be a positive integer, not %s", quote(v.Python()))
	}
	return n
}

// duration reads "10s" or a number of seconds.
func (f *fields) duration(key string) time.Duration {
	v := f.take(key)
	if v.IsNull() {
		return 0
	}
	var d time.Duration
	if s, ok := v.Float64(); ok && s < 1e9 {
		d = time.Duration(s * float64(time.Second))
	} else {
		d, _ = time.ParseDuration(v.Text())
	}
	if d <= 0 {
		f.d.fail(f.path(key), "must be a time such as 10s, not %s", quote(v.Python()))
	}
	return d
}

// bytes reads a number of bytes, or a text such as "512MiB".
func (f *fields) bytes(key string) int64 {
	v := f.take(key)
	text, ok := v.Str()
	if !ok {
		f.taken[key] = false
		return f.integer(key)
	}
	unit := int64(1)
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > 1<<40/unit {
		f.d.fail(f.path(key), "must be a size such as 512MiB, not %s", quote(v.Text()))
		return 0
	}
	return n * unit
}

// done reports the first key that nobody took, with the nearest known one.
func (f *fields) done() {
	for k := range f.v.Members() {
		if !f.taken[k] {
			if near := f.nearest(k); near != "" {
				f.d.fail(f.path(k), "unknown key; did you mean %s?", near)
			}
			f.d.fail(f.path(k), "unknown key")
		}
	}
}

func (f *fields) nearest(key string) string {
	return spelling.Nearest(key, slices.Sorted(maps.Keys(f.taken)))
}
