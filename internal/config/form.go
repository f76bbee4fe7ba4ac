package config

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/value"
)

// field is one tagged field of a block.
type field struct {
	reflect.Value
	name string
	// form is the tag: "own" for what the block's code reads, "read" for what is never
	// written.
	form      string
	required  bool
	words     []string
	low, high float64
}

// fields returns the fields of a block, a pointer to a struct, in their order.
func fields(block any) []field {
	v := reflect.ValueOf(block).Elem()
	var out []field
	for i := range v.NumField() {
		t := v.Type().Field(i)
		name, options, _ := strings.Cut(t.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		f := field{Value: v.Field(i), name: name, form: t.Tag.Get("form"), required: options == "", low: -1e9, high: 1e9}
		for rule := range strings.SplitSeq(t.Tag.Get("jsonschema"), ",") {
			key, text, _ := strings.Cut(rule, "=")
			switch key {
			case "enum":
				f.words = append(f.words, text)
			case "minimum":
				f.low, _ = strconv.ParseFloat(text, 64)
			case "maximum":
				f.high, _ = strconv.ParseFloat(text, 64)
			}
		}
		out = append(out, f)
	}
	return out
}

// fill reads the fields of a block, but for those that its own code reads.
func (o *object) fill(block any) {
	for _, f := range fields(block) {
		if f.form != "own" {
			o.read(f)
		}
	}
}

func (o *object) read(f field) {
	switch dst := f.Addr().Interface().(type) {
	case *string:
		o.text(f, dst)
	case *[]string:
		*dst = o.strings(f.name)
	case *bool:
		o.bool(f.name, dst)
	case *int:
		o.int(f.name, int(max(f.low, math.MinInt32)), dst)
	case **int:
		if i := o.int64(f.name); i != nil {
			n := int(*i)
			*dst = &n
		}
	case **int64:
		*dst = o.int64(f.name)
	case **float64:
		*dst = o.number(f.name, f.low, f.high)
	case *time.Duration:
		*dst = o.duration(f.name)
	case *value.Value:
		if n := o.get(f.name); n != nil {
			*dst = n.value()
		}
	default:
		o.readBlocks(f.name, dst)
	}
}

func (o *object) text(f field, dst *string) {
	switch {
	case f.words != nil:
		o.oneOf(f.name, f.words, dst)
	case f.required:
		o.required(f.name, dst)
	default:
		o.string(f.name, dst)
	}
}

// readBlocks reads what is made of blocks, or of names with values.
func (o *object) readBlocks(name string, dst any) {
	switch dst := dst.(type) {
	case *[]Judge:
		each(o, name, dst, o.d.judge)
	case *[]Panel:
		each(o, name, dst, o.d.panel)
	case *[]Cascade:
		each(o, name, dst, o.d.cascade)
	case *[]Scorer:
		each(o, name, dst, o.d.scorer)
	case *[]gate.Gate:
		each(o, name, dst, o.d.gate)
	case *[]report.Threshold:
		o.thresholds(name, dst)
	case *[]Param:
		*dst = o.params(name)
	case *[]VerdictMode:
		*dst = o.modes(name)
	}
}

// Value returns the configuration in the form of the file: what Read would read
// back. Fields that were not given are left out.
func (c *Config) Value() value.Value { return written(c) }

// written returns a block in the form of the file.
func written(block any) value.Value {
	var members []value.Member
	for _, f := range fields(block) {
		if v := f.written(); f.form != "read" && !v.IsNull() {
			members = append(members, value.Member{Key: f.name, Value: v})
		}
	}
	return value.OfObject(members...)
}

// written returns a field's value, null for one that was not given.
func (f field) written() value.Value {
	if f.IsZero() {
		return value.Value{}
	}
	switch v := f.Interface().(type) {
	case string:
		return value.OfString(v)
	case bool:
		return value.OfBool(v)
	case int:
		return value.OfInt(int64(v))
	case *int:
		return value.OfInt(int64(*v))
	case *int64:
		return value.OfInt(*v)
	case *float64:
		return value.OfFloat(*v)
	case time.Duration:
		return value.OfString(v.String())
	case value.Value:
		return v
	case []Param:
		return mapping(v, func(p Param) (string, value.Value) { return p.Name, value.OfString(p.Value) })
	case []VerdictMode:
		return mapping(v, func(m VerdictMode) (string, value.Value) { return m.Rubric, value.OfString(m.Mode) })
	case []Weight:
		return mapping(v, func(w Weight) (string, value.Value) { return w.Judge, value.OfFloat(w.Weight) })
	case []report.Threshold:
		return mapping(v, func(t report.Threshold) (string, value.Value) {
			return t.Name, value.OfString(t.String()[len(t.Name)+1:])
		})
	}
	return f.writtenList()
}

func (f field) writtenList() value.Value {
	elems := make([]value.Value, f.Len())
	for i := range elems {
		switch block := f.Index(i).Addr().Interface().(type) {
		case *string:
			elems[i] = value.OfString(*block)
		case *Panel:
			elems[i] = block.value()
		case *Scorer:
			elems[i] = block.value()
		default:
			elems[i] = written(block)
		}
	}
	if len(elems) == 0 {
		return value.Value{}
	}
	return value.OfList(elems...)
}

func mapping[T any](list []T, member func(T) (string, value.Value)) value.Value {
	members := make([]value.Member, len(list))
	for i, item := range list {
		members[i].Key, members[i].Value = member(item)
	}
	return value.OfObject(members...)
}

func (p *Panel) value() value.Value {
	v := written(p)
	if p.WeightsFrom != "" {
		v = v.With("weights", value.OfString(p.WeightsFrom))
	}
	return v
}

func (s *Scorer) value() value.Value {
	short := *s
	if short.Purpose == "score" {
		short.Purpose = ""
	}
	if short.Config.Len() == 0 {
		short.Config = value.Value{}
	}
	return written(&short)
}
