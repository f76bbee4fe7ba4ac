package state

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Compare returns the changes from before to after, sorted by key: Apply(before, Compare(before,
// after, e)) equals after under e. A list whose length changed is one change.
func Compare(before, after value.Value, e value.Equality) []Change {
	d := differ{options: Options{Equality: e}}
	d.walk("", nil, &before, &after, "", 0)
	return d.out
}

// Apply returns v with the changes of Compare applied. Unchanged parts are shared with v. It fails
// on a path that does not exist.
func Apply(v value.Value, changes []Change) (value.Value, error) {
	out := v
	for _, c := range changes {
		var ok bool
		if out, ok = set(out, c.Path, c.Final); !ok {
			return v, fmt.Errorf("patch %q: leads nowhere", c.Path)
		}
	}
	return out, nil
}

// set sets the value at a path in v, or removes it if to is nil.
func set(v value.Value, path string, to *value.Value) (value.Value, bool) {
	if path == "" && to != nil {
		return *to, true
	}
	if path == "" || path[0] != '/' {
		return v, false
	}
	token, rest := path[1:], ""
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	key, remove := value.UnescapePointer(token), rest == "" && to == nil
	if v.IsList() {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= v.Len() {
			return v, false
		}
		inner, ok := set(v.At(i), rest, to)
		return v.WithAt(i, inner), ok
	}
	inner, found := v.Get(key)
	switch {
	case v.Kind() != value.Object || !found && remove:
		return v, false
	case remove:
		return v.Without(key), true
	}
	inner, ok := set(inner, rest, to)
	return v.With(key, inner), ok
}
