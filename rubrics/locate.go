package rubrics

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// lineOf returns how many lines below the start of raw the value under path
// begins. Where the path leads nowhere it is the line of the deepest part that is
// there.
func lineOf(raw []byte, path []string) int {
	dec := value.NewDecoder(bytes.NewReader(raw))
	at := int64(0)
	for _, step := range path {
		found, ok := descend(dec, step)
		if !ok {
			break
		}
		at = found
	}
	at = min(at, int64(len(raw)))
	rest := bytes.TrimLeft(raw[at:], " \t\r\n:,")
	return bytes.Count(raw[:len(raw)-len(rest)], []byte{'\n'})
}

// descend moves the decoder in front of the value that step names and returns the
// offset behind its key (or behind the element before it).
func descend(dec *value.Decoder, step string) (int64, bool) {
	if in, err := dec.Enter('{'); in && err == nil {
		for {
			key, err := dec.Key()
			if err != nil {
				return 0, false
			}
			if key == step {
				return dec.Offset(), true
			}
			if dec.Skip() != nil {
				return 0, false
			}
		}
	}
	in, err := dec.Enter('[')
	index, bad := strconv.Atoi(step)
	if !in || err != nil || bad != nil {
		return 0, false
	}
	for range index {
		if p := dec.Peek(); p == ']' || p == 0 || dec.Skip() != nil {
			return 0, false
		}
	}
	return dec.Offset(), dec.Peek() != ']'
}

// fieldName writes a path as people write it: a.b[2].c.
func fieldName(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil && b.Len() > 0 {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// pointerPath splits a JSON Pointer into its unescaped steps.
func pointerPath(pointer string) []string {
	if pointer == "" {
		return nil
	}
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps
}
