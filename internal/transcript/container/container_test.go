package container

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestUnpacked(t *testing.T) {
	packed := func(data []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data)
		z.Close()
		return b.Bytes()
	}
	text := []byte(`[{"name":"f"}]`)
	marked := append([]byte("\ufeff"), text...)
	for name, data := range map[string][]byte{"plain": text, "marked": marked, "packed": packed(text), "packed twice": packed(packed(marked))} {
		if got, err := Unpacked(data); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, data := range map[string][]byte{"cut": packed(text)[:20], "a header alone": []byte("\x1f\x8b")} {
		if got, err := Unpacked(data); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheSpoolMovesToAFile(t *testing.T) {
	var s Spool
	defer s.Close()
	texts := []string{"first", strings.Repeat("y", spoolMemory-10), "third", strings.Repeat("z", 100)}
	var at []int64
	for _, text := range texts {
		at = append(at, s.Size)
		if _, err := io.WriteString(&s, text); err != nil {
			t.Fatal(err)
		}
	}
	if s.file == nil || s.memory != nil {
		t.Error("all is in memory")
	}
	for i, text := range texts {
		got := make([]byte, len(text))
		if _, err := s.ReadAt(got, at[i]); string(got) != text || err != nil {
			t.Errorf("text %d came back with %d bytes, %v", i, len(got), err)
		}
	}
}

// TestCells: a cell that holds a list or an object is read as one, also if it is empty.
func TestCells(t *testing.T) {
	for text, want := range map[string]string{`[]`: `[]`, ` {} `: `{}`, `[1]`: `[1]`, `[`: `"["`, ``: `""`, `7`: `"7"`,
		`{"a":1}`: `{"a":1}`, `{'a': [None]}`: `{"a":[null]}`, `{1, 2}`: `"{1, 2}"`, `[x`: `"[x"`, `('a', 1)`: `"('a', 1)"`, `"a"`: `"\"a\""`} {
		if got := cell(text).JSON(); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}
