package measure

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// million returns a table of a million calls in 20,000 conversations.
func million(rows int) string {
	var b strings.Builder
	b.Grow(48 * rows)
	b.WriteString("conversation,tool,human,judge,score\n")
	state := uint64(7)
	for i := range rows {
		state = state*6364136223846793005 + 1442695040888963407
		hard := (i / 50 * 7919) % 100
		human := "pass"
		if int(state>>33)%100 < 10+hard/4 {
			human = "fail"
		}
		judge := human
		if int(state>>43)%100 < 12 {
			judge = map[string]string{"pass": "fail", "fail": "pass"}[human]
		}
		score := float64(state>>40%1000) / 2000
		if judge == "pass" {
			score += 0.5
		}
		fmt.Fprintf(&b, "conversation-%05d,tool_%02d,%s,%s,%.3f\n", i/50, i%17, human, judge, score)
	}
	return b.String()
}

func BenchmarkCompareMillionRows(b *testing.B) {
	text := million(1_000_000)
	cfg := AgreeConfig{Gold: "human", Judges: []string{"judge", "score"}, Threshold: &Cut{0.5, 1}, Cluster: "conversation", By: []string{"tool"}}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Agree("t.csv", strings.NewReader(text), cfg); err != nil {
			b.Fatal(err)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/(1<<20), "MB-system")
	}
}
