package deterministic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Setting is one key of a scorer's configuration.
type Setting struct {
	Name string
	// Type is a JSON type, or several joined by " or ".
	Type string
	// Words lists the allowed values; if it is empty, any value of the type is allowed.
	Words []string
	// Default is JSON; "" means no default.
	Default string
	Summary string
	// read stores the value of the setting in the scorer; its error says what is wrong with the value.
	read func(value.Value) error
}

// configure applies a configuration to a scorer's settings. A key with the value null counts as not
// given.
func configure(name string, s Rule, config value.Value) error {
	if !config.IsNull() && config.Kind() != value.Object {
		return configError("config", "is %s, must be an object", config.Kind().WithArticle())
	}
	settings := s.settings()
	keys := make([]string, len(settings))
	for i := range settings {
		keys[i] = settings[i].Name
	}
	for key := range config.Members() {
		if !slices.Contains(keys, key) {
			return configError(key, "%s has no such setting%s", name, hint(key, keys))
		}
	}
	for _, setting := range settings {
		v := config.Field(setting.Name)
		if v.IsNull() {
			continue
		}
		if err := setting.read(v); err != nil {
			if deeper := (*Error)(nil); errors.As(err, &deeper) {
				return deeper
			}
			return configError(setting.Name, "%v", err)
		}
	}
	if checked, ok := s.(interface{ validate() error }); ok {
		return checked.validate()
	}
	return nil
}

// into returns a function that reads a setting into a field of a scorer.
func into[T any](to *T, read func(value.Value) (T, error)) func(value.Value) error {
	return func(v value.Value) (err error) {
		*to, err = read(v)
		return err
	}
}

// toggle binds a setting that is true or false.
func toggle(name string, to *bool, fallback bool, summary string) Setting {
	*to = fallback
	fallbackText := strconv.FormatBool(fallback)
	return Setting{Name: name, Type: "boolean", Default: fallbackText, Summary: summary, read: into(to, readBool)}
}

func readBool(v value.Value) (bool, error) {
	b, ok := v.BoolVal()
	if !ok {
		return false, fmt.Errorf("is %.60s, must be true or false", v.JSON())
	}
	return b, nil
}

// optional binds a setting with a few allowed words; "" if it is not given.
func optional(name string, to *string, summary string, words ...string) Setting {
	read := func(v value.Value) (string, error) {
		text, ok := v.Str()
		if !ok || !slices.Contains(words, text) {
			return "", fmt.Errorf("is %.60s, must be %s", v.JSON(), strings.Join(words, " or "))
		}
		return text, nil
	}
	return Setting{Name: name, Type: "string", Words: words, Summary: summary, read: into(to, read)}
}

// choice binds a setting with a few allowed words; the first is the default.
func choice(name string, to *string, summary string, words ...string) Setting {
	s := optional(name, to, summary, words...)
	*to, s.Default = words[0], strconv.Quote(words[0])
	return s
}

// number binds a setting that is a number from 0 to 1, with a default.
func number(name string, to *float64, fallback float64, summary string) Setting {
	*to = fallback
	fallbackText := strconv.FormatFloat(fallback, 'g', -1, 64)
	return Setting{Name: name, Type: "number", Default: fallbackText, Summary: summary, read: into(to, readNumber)}
}

// readNumber reads a weight or a threshold, which must be from 0 to 1, like scores.
func readNumber(v value.Value) (float64, error) {
	f, ok := v.Float64()
	if !ok || f > 1 || f < 0 {
		return 0, fmt.Errorf("is %.60s, must be a number from 0 to 1", v.JSON())
	}
	return f, nil
}

// given reads a setting that is nil if it is not given.
func given[T any](read func(value.Value) (T, error)) func(value.Value) (*T, error) {
	return func(v value.Value) (*T, error) {
		out, err := read(v)
		return &out, err
	}
}

// nameList reads a list of strings.
func nameList(v value.Value) ([]string, error) {
	if v.Kind() != value.List {
		return nil, fmt.Errorf("is %s, must be a list of names", v.Kind().WithArticle())
	}
	names := make([]string, v.Len())
	for i, e := range v.Elements() {
		name, ok := e.Str()
		if !ok {
			return nil, fmt.Errorf("element %d is %s, must be a name", i, e.Kind().WithArticle())
		}
		names[i] = name
	}
	return names, nil
}
