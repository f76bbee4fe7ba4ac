package value_test

import (
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestLower holds against Python 3.11's str.lower.
func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		"ABC Äß":         "abc äß",
		"ΟΔΟΣ":           "οδος",
		"Α\u0387Σ":       "α\u0387ς",
		"ΟΔΟΣ ΣΑΣ":       "οδος σας",
		"Σ":              "σ",
		"ΑΣ'":            "ας'",
		"ΑΣ'Β":           "ασ'β",
		"Α\u0301Σ1":      "α\u0301ς1",
		"İstanbul":       "i̇stanbul",
		"ΑΣ\u00ad\u0301": "ας\u00ad\u0301",
	} {
		if got := value.Lower(in); got != want {
			t.Errorf("Lower(%q) = %q, want %q", in, got, want)
		}
	}
}
