package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/reporttest"
)

func TestIntervalsAreClippedInJUnit(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	for i := range r.Scores {
		if s := &r.Scores[i]; s.Name == "schema_check" {
			s.Mean.Low, s.Mean.High = new(0.93), new(1.04)
		}
	}
	var out bytes.Buffer
	if err := writeJUnit(&out, r, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "1.04") || !strings.Contains(out.String(), "0.96 [0.93, 1.00]") {
		t.Error("a mean of 0 to 1 is shown with an interval beyond 1")
	}
}
