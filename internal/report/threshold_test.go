package report_test

import (
	"testing"

	"github.com/judgekit/judge/internal/report"
)

// FuzzParseThreshold: what is read prints so that it reads back the same.
func FuzzParseThreshold(f *testing.F) {
	for _, s := range []string{"overall=0.7", "a=3..5", "a=-1..-0.5", "=1", "a=1..", "a=1e309"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := report.ParseThreshold(text)
		if err != nil {
			return
		}
		again, err := report.ParseThreshold(first.String())
		if err != nil || again.String() != first.String() {
			t.Fatalf("%q prints as %q, which reads as %v, %v", text, first, again, err)
		}
	})
}
