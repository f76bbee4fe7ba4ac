package render

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

func TestMetricsAreShownInEveryFormatForPeople(t *testing.T) {
	half := 0.5
	r := &report.Report{Metrics: []report.Metric{
		{Scorer: "function_call_accuracy", Name: "F1 <script>", N: 26, Value: &half},
		{Scorer: "function_call_accuracy", Name: "precision", N: 3, Note: "nothing is positive"},
		{Scorer: "error_recovery", Name: "frequency", N: 9, Table: value.OfObject(value.Member{Key: "1", Value: value.OfInt(9)})},
	}}
	for _, f := range []Format{TextFormat, MarkdownFormat, HTMLFormat} {
		var b strings.Builder
		if err := Report(&b, r, f, Config{Details: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Metrics of the configuration", "function_call_accuracy", "0.5", "nothing is positive"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q", f, want)
			}
		}
		if f != TextFormat && strings.Contains(b.String(), "F1 <script>") {
			t.Errorf("%s: a metric's name is markup", f)
		}
	}
}
