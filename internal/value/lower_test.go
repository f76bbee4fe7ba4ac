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
		// Letters that are neither Lu nor Ll, before and after a sigma.
		"ªΣ": "ªς", "ⒶΣ": "ⓐς", "ǅΣ": "ǆς", "ΑΣª": "ασª", "ΑΣⒶ": "ασⓐ", "ΑΣǅ": "ασǆ", "1Σ": "1σ", "日Σ": "日σ",
		// What stands within a word: enclosing marks, modifiers, and the punctuation of words.
		"ΑΣ\u0488Β": "ασ\u0488β", "ΑΣʰ": "αςʰ", "ΑΣʰΒ": "ασʰβ", "ΑΣ^Β": "ασ^β", "ΑΣ\u0301Β": "ασ\u0301β", "ΑΣ\u200bΒ": "ασ\u200bβ",
		"ΑΣ:Β": "ασ:β", "ΑΣ,Β": "ας,β", "ΑΣ.Β": "ασ.β", "ΑΣ\u2019Β": "ασ\u2019β",
	} {
		if got := value.Lower(in); got != want {
			t.Errorf("Lower(%q) = %q, want %q", in, got, want)
		}
	}
}
