package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// TestParseThreshold: what the command line may say of a pass band, and what is wrong with it otherwise.
func TestParseThreshold(t *testing.T) {
	for text, c := range map[string]struct {
		want report.Threshold
		err  string
	}{
		"overall=0.7":      {want: report.Threshold{Name: "overall", Low: 0.7}},
		" a = -1 .. -0.5 ": {want: report.Threshold{Name: "a", Low: -1, High: new(-0.5)}},
		"a=3..3":           {want: report.Threshold{Name: "a", Low: 3, High: new(3.)}},
		"a=0..0":           {want: report.Threshold{Name: "a", High: new(0.)}},
		"overall":          {err: `threshold "overall": write rubric=low or rubric=low..high`},
		" =0.7":            {err: `threshold " =0.7": write rubric=low or rubric=low..high`},
		"a=":               {err: `threshold "a=": low bound "" is not a number`},
		"a= high ":         {err: `threshold "a= high ": low bound "high" is not a number`},
		"a=nan":            {err: `threshold "a=nan": low bound "nan" is not a number`},
		"a=inf":            {err: `threshold "a=inf": low bound "inf" is not a number`},
		"a=-inf":           {err: `threshold "a=-inf": low bound "-inf" is not a number`},
		"a=1..":            {err: `threshold "a=1..": high bound "" is not a number`},
		"a=1..inf":         {err: `threshold "a=1..inf": high bound "inf" is not a number`},
		"a=1..1e309":       {err: `threshold "a=1..1e309": high bound "1e309" is not a number`},
		"a=3..2.5":         {err: `threshold "a=3..2.5": high 2.5 is below low 3`},
	} {
		got, err := report.ParseThreshold(text)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: error %v, want %s", text, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

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
