package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"concurrency", "model", "base_url", "mode"}
	for in, want := range map[string]string{
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
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"state", "stat", 1}, {"kitten", "sitting", 3}, {"vlaue", "value", 1}} {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q to %q: %d, want %d", tt.a, tt.b, got, tt.want)
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
