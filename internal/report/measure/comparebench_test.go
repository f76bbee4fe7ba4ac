package measure_test

import (
	"testing"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// BenchmarkCompare pairs two runs of 50,000 scores each.
func BenchmarkCompare(b *testing.B) {
	run := reporttest.New(1, 2000)
	run.Scores = run.Scores[:50_000]
	worse := run.Worse("schema_check", 0.1, 1)
	for b.Loop() {
		if _, err := measure.Compare(run.Inputs(), worse.Inputs(), measure.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
