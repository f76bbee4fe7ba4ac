package schema

import (
	"net/url"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Lookup returns the schema for a reference within root, such as "#/$defs/City". ok is false if it
// leads outside root, to nothing, or to an anchor.
func Lookup(root value.Value, ref string) (found value.Value, ok bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if !local || err != nil {
		return value.Value{}, false
	}
	return root.Pointer(pointer)
}
