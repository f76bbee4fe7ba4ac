package container

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
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
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"cut":            {packed(text)[:20], "the gzip data is damaged or cut short: unexpected EOF"},
		"a header alone": {[]byte("\x1f\x8b"), "the gzip header cannot be read: unexpected EOF"},
	} {
		if got, err := Unpacked(tt.data); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := Unpacked([]byte("PAR1 is text")); string(got) != "PAR1 is text" || err != nil {
		t.Errorf("a text: %q, %v", got, err)
	}
}

func TestTheSpoolMovesToAFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, dir)
	}
	var s Spool
	defer s.Close()
	texts := []string{"first", strings.Repeat("y", spoolMemory-5), "third", strings.Repeat("z", 100)}
	var at []int64
	for _, text := range texts {
		at = append(at, s.Size)
		if _, err := io.WriteString(&s, text); err != nil {
			t.Fatal(err)
		}
		if (s.file != nil) != (len(at) > 2) {
			t.Errorf("%d bytes: in a file %v", s.Size, s.file != nil)
		}
	}
	if s.memory != nil || s.Size != spoolMemory+105 {
		t.Errorf("%d bytes, %d of them in memory", s.Size, len(s.memory))
	}
	for i, text := range texts {
		got := make([]byte, len(text))
		if _, err := s.ReadAt(got, at[i]); string(got) != text || err != nil {
			t.Errorf("text %d came back with %d bytes, %v", i, len(got), err)
		}
	}
	s.Close()
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := s.file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is open: %v", err)
	}
	full := Spool{memory: make([]byte, 1), Size: spoolMemory}
	os.Remove(dir)
	if n, err := full.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %d bytes, %v", n, err)
	}
	if full.Close(); full.memory != nil {
		t.Error("the memory is kept")
	}
}

// closed counts how often it is closed.
type closed struct {
	io.Reader
	times int
}

func (c *closed) Close() error { c.times++; return nil }

// TestClosers: what a form opened is closed with the log, also if the log cannot be opened.
func TestClosers(t *testing.T) {
	for text, fails := range map[string]bool{`[1]`: false, "BZh": true} {
		inside := &closed{Reader: strings.NewReader(text)}
		form := Form{Name: "box", Magic: "X", Open: func(*bufio.Reader, int) (io.Reader, error) { return inside, nil }}
		opts := Options{Limit: 64, Forms: []Form{form}, Column: func(string) bool { return false }}
		l, err := Open(strings.NewReader("X"), opts)
		if (err != nil) != fails || (inside.times == 1) != fails {
			t.Errorf("%s: closed %d times, %v", text, inside.times, err)
		}
		if err == nil {
			l.Close()
		}
		if inside.times != 1 {
			t.Errorf("%s: closed %d times", text, inside.times)
		}
	}
	inside := &closed{}
	Listed(value.OfObject(), "list", 0, nil, inside).Close()
	if inside.times != 1 {
		t.Errorf("the closer of a list was called %d times", inside.times)
	}
	no := func(*bufio.Reader, int) (io.Reader, error) { return nil, &Broken{Message: "no"} }
	_, err := Open(strings.NewReader("X"), Options{Forms: []Form{{Name: "box", Magic: "X", Open: no}}})
	if broken := (*Broken)(nil); !errors.As(err, &broken) || broken.Form != "box" || broken.Message != "no" {
		t.Errorf("a form that cannot be read: %#v", err)
	}
}

// TestUnpackingIsLimited: data that unpacks to more than 256 MiB and to more than 900 times its size is no log.
func TestUnpackingIsLimited(t *testing.T) {
	for _, tt := range []struct {
		before, packed int64
		want           string
	}{
		{bombSize - 1, 1, ""}, {bombSize, 298_261, ""},
		{bombSize, 298_260, "298260 bytes of gzip data unpack to more than 268435457 bytes: this is no log"},
	} {
		u := &unpacking{ReadCloser: io.NopCloser(strings.NewReader("xy")), packed: &counted{n: tt.packed}, name: "gzip"}
		u.n = tt.before
		n, err := u.Read(make([]byte, 1))
		if n != 1 || (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%d of %d bytes: %d, %v", tt.before, tt.packed, n, err)
		}
	}
	row := value.OfString(strings.Repeat("x", bombSize/256))
	r := rows(298_260, func() (value.Value, error) { return row, nil })
	for i := range 256 {
		const want = "298260 bytes unpack to more than 268436224 bytes of rows: this is no log"
		if _, err := r.Next(); (err == nil) != (i < 255) || err != nil && err.Error() != want {
			t.Fatalf("row %d: %v", i, err)
		}
	}
}

// TestDecimals: the bytes of a decimal are signed, and its point stands before the last digits.
func TestDecimals(t *testing.T) {
	for bytes, want := range map[string]string{
		"": "0", "\x7f": "127", "\x80": "-128", "\xff": "-1", "\xff\x00": "-256", "\x00\xff": "255",
	} {
		if got := signed([]byte(bytes)); got.String() != want {
			t.Errorf("%x is %s, want %s", bytes, got, want)
		}
	}
	for scale, want := range map[int]string{-1: "-105", 0: "-105", 1: "-10.5", 2: "-1.05", 3: "-0.105",
		1000: "-0." + strings.Repeat("0", 997) + "105", 1001: "-105"} {
		if got := decimal(big.NewInt(-105), scale).JSON(); got != want {
			t.Errorf("with %d digits after the point: %s, want %s", scale, got, want)
		}
	}
}

// TestCells: a cell that holds a list or an object is read as one, also if it is empty.
func TestCells(t *testing.T) {
	for text, want := range map[string]string{`[]`: `[]`, ` {} `: `{}`, `[1]`: `[1]`, `[`: `"["`, ``: `""`, `7`: `"7"`,
		`{"a":1}`: `{"a":1}`, `{"a":true}`: `{"a":true}`, `['a', None]`: `["a",null]`, `{'a': [None]}`: `{"a":[null]}`, `{1, 2}`: `"{1, 2}"`, `[x`: `"[x"`, `('a', 1)`: `"('a', 1)"`, `"a"`: `"\"a\""`} {
		if got := cell(text).JSON(); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}
