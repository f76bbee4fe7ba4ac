package baseline

import (
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
)

// BenchmarkComplete grades the calls of real conversations, one request an
// iteration: 5 to 30 KB of prompt.
func BenchmarkComplete(b *testing.B) {
	data := realdata.Path(b, "data", "tau")
	var list []trajectory
	readJSON(b, filepath.Join(data, "trajectories", "sierra-gpt-4o-airline.json.gz"), &list)
	tools := tauTools(b, data, "airline")
	var bodies [][]byte
	var bytes int64
	for i := range list[:40] {
		for _, p := range list[i].prompts(tools) {
			for rubric := range outputs {
				bodies = append(bodies, body(rubric, p))
				bytes += int64(len(bodies[len(bodies)-1]))
			}
		}
	}
	b.SetBytes(bytes / int64(len(bodies)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if status, _ := kept.complete(bodies[i%len(bodies)]); status != 200 {
			b.Fatal(status)
		}
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "answers/s")
}
