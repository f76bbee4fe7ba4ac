package reply

import (
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

func BenchmarkRead(b *testing.B) {
	r := judgetest.Rubric(b, rubrics.Intent)
	in := &llm.Response{Content: "```json\n" + judgetest.Answer("4") + "\n```", FinishReason: "stop"}
	for b.Loop() {
		if got := Read(r, in, Options{}); !got.OK() {
			b.Fatal(got.Detail)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "replies/s")
}
