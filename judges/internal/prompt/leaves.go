package prompt

import (
	"slices"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// maxLeaves bounds the argument values that are looked for in a long history.
const maxLeaves = 64

// argumentLeaves returns the scalar arguments that are telling enough to look for:
// texts of three characters, as arguments and as prose have them, and numbers of two
// digits.
func argumentLeaves(c *transcript.Call, marker string) [][]byte {
	var out [][]byte
	var walk func(value.Value, int)
	walk = func(v value.Value, depth int) {
		if len(out) >= maxLeaves || depth > 32 {
			return
		}
		switch {
		case v.Kind() == value.String && utf8.RuneCountInString(v.Text()) >= 3:
			for _, form := range slices.Compact([]string{v.Text(), mark(v.Text(), marker)}) {
				quoted := appendSafeString(nil, form)
				out = append(out, quoted[1:len(quoted)-1])
			}
		case v.IsNumber() && len(v.Text()) >= 2:
			out = append(out, []byte(v.Text()))
		case v.IsList(), v.Kind() == value.Object:
			for i := range v.Len() {
				walk(v.At(i), depth+1)
			}
		}
	}
	walk(c.Arguments, 0)
	return out
}
