package sealed

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestCheck: a line passes as it was written, and no change of it does.
func TestCheck(t *testing.T) {
	line, err := Line(map[string]string{"a": "<é>"})
	if err != nil || !bytes.HasPrefix(line, []byte(`{"a":"<é>","crc32c":`)) || line[len(line)-1] != '\n' {
		t.Fatalf("%q, %v", line, err)
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if err := Check(line); err != nil {
		t.Error(err)
	}
	for i := range line {
		other := bytes.Clone(line)
		other[i] ^= 1
		if Check(other) == nil || Check(line[:i]) == nil {
			t.Errorf("a change of byte %d, or the end there, passes", i)
		}
	}
	for text, want := range map[string]error{
		"": ErrCut, `{"a":1}`: ErrCut, `{"a":"` + strings.Repeat("x", 100) + `"}`: ErrCut, string(line[1:]): ErrChanged,
	} {
		if err := Check([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := Line(func() {}); err == nil {
		t.Error("a function was written")
	}
}
