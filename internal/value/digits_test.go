package value

import (
	"testing"
	"unicode"
)

func TestASCIIDigits(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"-12.5e3", "-12.5e3"},
		{"٣", "3"},
		{"१२", "12"},
		{"９", "9"},
		{"𝟎𝟗𝟘𝟡𝟿", "09099"},
		{"½²Ⅷ", "½²Ⅷ"},
	} {
		if got := ASCIIDigits(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Every run of digits in this version of Unicode is some tens from 0 to 9, which
// ASCIIDigits relies on.
func TestDigitRuns(t *testing.T) {
	for _, run := range unicode.Nd.R16 {
		if run.Stride != 1 || (run.Hi-run.Lo+1)%10 != 0 {
			t.Errorf("run %x to %x", run.Lo, run.Hi)
		}
	}
	for _, run := range unicode.Nd.R32 {
		if run.Stride != 1 || (run.Hi-run.Lo+1)%10 != 0 {
			t.Errorf("run %x to %x", run.Lo, run.Hi)
		}
	}
}
