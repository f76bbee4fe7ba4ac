package baseline

import (
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/realdata"
)

// BenchmarkSend grades the calls of real conversations, one by one rubric an iteration.
func BenchmarkSend(b *testing.B) {
	data := realdata.Path(b, "data", "tau")
	var list []trajectory
	readJSON(b, filepath.Join(data, "trajectories", "sierra-gpt-4o-airline.json.gz"), &list)
	tools := tauTools(b, data, "airline")
	var records []*llm.Record
	for i := range list[:40] {
		records = append(records, list[i].records(tools)...)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		for rubric, scale := range outputs {
			if _, err := send(rubric, scale, records[i%len(records)]); err != nil {
				b.Fatal(err)
			}
			i++
		}
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "answers/s")
}
