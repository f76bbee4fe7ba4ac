package schema

import (
	"strings"
	"testing"
)

// TestSafeNumber: what the library computes with has few digits, and keeps the sign and the order of what was written.
func TestSafeNumber(t *testing.T) {
	long := strings.Repeat("9", maxDigits)
	for _, tt := range []struct {
		text  string
		exact bool
		want  string
	}{
		{"5", false, "5"}, {"-5", false, "-5"}, {"1.50", false, "1.5"}, {"-0.25", false, "-0.25"},
		{long, false, long}, {long + "9", false, "1e4000"}, {"-" + long + "9", false, "-1e4000"},
		{"1e400", false, "1e400"}, {"-1e400", false, "-1e400"}, {"1e4000", false, "1e4000"}, {"1E4001", false, "1e4000"},
		{"-1e5000", false, "-1e4000"}, {"1e99999999999999999999", false, "1e4000"}, {long + "9.5", false, "1e4000"},
		{long[2:] + ".5", false, long[2:] + ".5"}, {long[1:] + ".5", false, "1e4000"},
		{"1." + strings.Repeat("0", maxDigits), false, "1"}, {"1." + strings.Repeat("0", 400), true, "1"}, {long, true, "1e309"},
		{"1.50", true, "1.50"}, {"-5", true, "-5"}, {"0.0", true, "0.0"},
		{"1e5000", true, "1e309"}, {"-1e5000", true, "-1e309"}, {"1e-5000", true, "1e-400"}, {"-1e-5000", true, "-1e-400"},
	} {
		if got := safeNumber(parse(t, tt.text), tt.exact); got != tt.want {
			t.Errorf("%.40s, exact %v: %.40s, want %.40s", tt.text, tt.exact, got, tt.want)
		}
	}
}
