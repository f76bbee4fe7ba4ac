package prompt

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// shorten keeps what matters most of a history that is too long: the first message
// of the user, the last keep lines, and every line that shares an argument value
// with the call, the nearest first, as long as they fit. What is left out becomes
// "[4-15] omitted".
func (v *View) shorten(c *transcript.Call, n int) ([]byte, []bool) {
	shown := make([]bool, n)
	left := v.opts.MaxRecordBytes
	take := func(i int) {
		if size := len(v.line(i)); !shown[i] && size <= left {
			shown[i], left = true, left-size
		}
	}
	for i := range n {
		if v.items[i].user {
			take(i)
			break
		}
	}
	for i := n - 1; i >= max(0, n-v.opts.KeepLast); i-- {
		take(i)
	}
	if leaves := argumentLeaves(c, v.opts.Marker); len(leaves) > 0 {
		for i := n - 1; i >= 0; i-- {
			if !shown[i] && containsAny(v.line(i), leaves) {
				take(i)
			}
		}
	}
	var out []byte
	for i := 0; i < n; {
		if shown[i] {
			out = append(out, v.line(i)...)
			i++
			continue
		}
		from := i
		for i < n && !shown[i] {
			i++
		}
		out = append(out, '[')
		out = strconv.AppendInt(out, int64(from+1), 10)
		if i > from+1 {
			out = strconv.AppendInt(append(out, '-'), int64(i), 10)
		}
		out = append(out, "] omitted\n"...)
	}
	return out, shown
}

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

func containsAny(line []byte, needles [][]byte) bool {
	for _, n := range needles {
		if bytes.Contains(line, n) {
			return true
		}
	}
	return false
}
