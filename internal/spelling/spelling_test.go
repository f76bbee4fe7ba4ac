package spelling

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"concurrency", "model", "base_url", "mode"}
	for in, want := range map[string]string{
		"base_uxyz": "base_url", "bare_uxyz": "",
		"concurency": "concurrency", "modle": "model", "xyz": "", "baseurl": "base_url", "Model": "model", "": "", "mdoe": "mode",
	} {
		if got := Nearest(in, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Nearest("anything", nil); got != "" {
		t.Errorf("nothing is known, and %q is near", got)
	}
}

func TestEditDistance(t *testing.T) {
	long := strings.Repeat("a", 65)
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"state", "stat", 1}, {"kitten", "sitting", 3}, {"vlaue", "value", 1},
		{"abcd", "acbd", 1}, {"abcd", "abdc", 1}, {"bacd", "abcd", 1}, {"ab", "xaby", 2}, {"xaby", "ab", 2},
		{"ba", "ab", 1}, {"xa", "ab", 2}, {"ax", "ba", 2},
		// Words of more than 64 letters are not compared.
		{long[:64], long[:63], 1}, {long[:63], long[:64], 1}, {long, "a", 65}, {"a", long, 65},
	} {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q to %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestMeantFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "support.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := "; did you mean " + filepath.Join(dir, "support.jsonl") + "?"
	for name, want := range map[string]string{"suport.jsonl": want, "x.csv": "", filepath.Join("none", "suport.jsonl"): ""} {
		if got := MeantFile(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("modle", "model")
	f.Fuzz(func(t *testing.T, word, known string) {
		if got := Nearest(word, []string{known}); got != "" && got != known {
			t.Fatalf("%q is no known word", got)
		}
		if editDistance(word, known) != editDistance(known, word) {
			t.Fatal("the distance has a direction")
		}
	})
}
