package window

import (
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/rubrics"
)

// BenchmarkScan measures what looking at every prompt costs: a log that fits, and one
// of which nothing fits.
func BenchmarkScan(b *testing.B) {
	list, err := rubrics.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	var all []*transcript.Conversation
	for c, err := range conversations(b, "../../../fixtures/logs/support.jsonl") {
		if err == nil {
			all = append(all, c)
		}
	}
	log := func(yield func(*transcript.Conversation, error) bool) {
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}
	for name, tokens := range map[string]int{"fits": 200_000, "nothing fits": 1000} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				got, err := Scan(log, []Judge{{Name: "m", Limit: Limit{Tokens: tokens}}}, list)
				if err != nil {
					b.Fatal(err)
				}
				n += got[0].Judgements
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "judgements/s")
		})
	}
}
