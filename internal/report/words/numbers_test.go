package words

import "testing"

func TestShellWord(t *testing.T) {
	for _, tt := range []struct{ text, unix, windows string }{
		{"runs/latest", "runs/latest", "runs/latest"},
		{`C:\runs\latest`, `'C:\runs\latest'`, `C:\runs\latest`},
		{"", "''", "''"},
		{"a b", "'a b'", "'a b'"},
		{"it's; $(x)", `'it'\''s; $(x)'`, `'it''s; $(x)'`},
	} {
		if got := shellWord(tt.text, false); got != tt.unix {
			t.Errorf("%q is %s", tt.text, got)
		}
		if got := shellWord(tt.text, true); got != tt.windows {
			t.Errorf("%q is %s on Windows", tt.text, got)
		}
	}
}
