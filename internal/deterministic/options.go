package deterministic

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// options reads the configuration of a scorer. The first thing that is wrong stays
// in err; what is read after it is the default.
type options struct {
	config value.Value
	err    error
}

func readOptions(config value.Value) *options {
	o := &options{config: config}
	if !config.IsNull() && config.Kind() != value.Object {
		o.err = scorer.Config("config", "is a %s, must be an object", config.Kind())
	}
	return o
}

// get returns the value under key. A key that is null counts as not given.
func (o *options) get(key string) (value.Value, bool) {
	v, ok := o.config.Get(key)
	return v, ok && !v.IsNull()
}

func (o *options) fail(key, format string, args ...any) {
	if o.err == nil {
		o.err = scorer.Config(key, format, args...)
	}
}

func (o *options) flag(key string, fallback bool) bool {
	v, given := o.get(key)
	if !given {
		return fallback
	}
	b, ok := v.BoolVal()
	if !ok {
		o.fail(key, "is a %s, must be true or false", v.Kind())
		return fallback
	}
	return b
}

// choice reads one of a few words; the first is the default.
func (o *options) choice(key string, words ...string) string {
	v, given := o.get(key)
	if !given {
		return words[0]
	}
	s, ok := v.Str()
	if !ok || !slices.Contains(words, s) {
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		o.fail(key, "is %s, must be %s", v.JSON(), strings.Join(known, " or "))
		return words[0]
	}
	return s
}

// maxWeight bounds weights, so that sums of them stay exact.
const maxWeight = 1e9

func (o *options) number(key string, fallback float64) float64 {
	v, given := o.get(key)
	if !given {
		return fallback
	}
	f, ok := v.Float64()
	if !ok || f > maxWeight || f < -maxWeight {
		o.fail(key, "is %.40s, must be a number of at most a thousand million", v.JSON())
		return fallback
	}
	return f
}
