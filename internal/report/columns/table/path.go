package table

import (
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxPath bounds the parts of a path, and with it how many ways there are to read
// one whose keys hold dots.
const maxPath = 12

// lookup follows a path of keys. Keys may hold dots themselves ("gpt-4.1"): at every
// object the longest run of parts that is a key and leads on to a value wins. A part
// that is a number picks an element of a list.
func lookup(v value.Value, path []string) (value.Value, bool) {
	if len(path) == 0 {
		return v, true
	}
	switch v.Kind() {
	case value.Object:
		for n := len(path); n > 0; n-- {
			key := path[0]
			if n > 1 {
				key = strings.Join(path[:n], ".")
			}
			if member, ok := v.Get(key); ok {
				if found, ok := lookup(member, path[n:]); ok {
					return found, true
				}
			}
		}
	case value.List:
		i, err := strconv.Atoi(path[0])
		if err == nil && i >= 0 && i < v.Len() {
			return lookup(v.At(i), path[1:])
		}
	}
	return value.Value{}, false
}
