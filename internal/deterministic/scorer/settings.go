package scorer

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Settings reads the configuration of a scorer. The first thing that is wrong stays in
// Err; what is read after it is the default. That the keys are known is the matter of the
// table of scorers.
type Settings struct {
	Config value.Value
	Err    error
}

// ReadSettings reads a configuration, an object or null.
func ReadSettings(config value.Value) *Settings {
	s := &Settings{Config: config}
	if !config.IsNull() && config.Kind() != value.Object {
		s.Fail("config", "is a %s, must be an object", config.Kind())
	}
	return s
}

// Get returns the value under a key. A key that is null counts as not given.
func (s *Settings) Get(key string) (value.Value, bool) {
	v := s.Config.Field(key)
	return v, !v.IsNull()
}

// Fail notes what is wrong with a field.
func (s *Settings) Fail(field, format string, args ...any) {
	if s.Err == nil {
		s.Err = Config(field, format, args...)
	}
}

// Flag reads true or false.
func (s *Settings) Flag(key string, fallback bool) bool {
	v, given := s.Get(key)
	b, ok := v.BoolVal()
	switch {
	case !given:
		return fallback
	case !ok:
		s.Fail(key, "is %.60s, must be true or false", v.JSON())
		return fallback
	}
	return b
}

// Word reads one of a few words; the first is the default.
func (s *Settings) Word(key string, words ...string) string {
	v, given := s.Get(key)
	text, ok := v.Str()
	switch {
	case !given:
		return words[0]
	case !ok || !slices.Contains(words, text):
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		s.Fail(key, "is %.60s, must be %s", v.JSON(), strings.Join(known, " or "))
		return words[0]
	}
	return text
}

// maxNumber bounds weights and thresholds, so that sums of them stay exact.
const maxNumber = 1e9

// Number reads a number.
func (s *Settings) Number(key string, fallback float64) float64 {
	v, given := s.Get(key)
	f, ok := v.Float64()
	switch {
	case !given:
		return fallback
	case !ok || f > maxNumber || f < -maxNumber:
		s.Fail(key, "is %.60s, must be a number of at most a thousand million", v.JSON())
		return fallback
	}
	return f
}
