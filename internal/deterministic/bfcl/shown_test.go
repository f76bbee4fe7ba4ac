package bfcl

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestShown: a reason names a value as Python writes it, and a long one up to its 120th letter.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"x": "'x'", "it's": `"it's"`, strings.Repeat("x", 118): "'" + strings.Repeat("x", 118) + "'",
		strings.Repeat("ä", 200): "'" + strings.Repeat("ä", 119) + "...",
	} {
		if got := Shown(value.OfString(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
