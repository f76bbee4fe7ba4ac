package judges

import (
	"testing"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// A rubric's own weights go before those of all rubrics.
func TestRubricWeights(t *testing.T) {
	intent := judgetest.Rubric(t, rubrics.Intent)
	p := Panel{Rule: Weighted, Weights: map[string]float64{"a": 0.9, "b": 0.1}}
	score := func() float64 {
		var results []Result
		for name, v := range map[string]float64{"a": 5, "b": 1} {
			results = append(results, Result{Rubric: intent.Name, Judge: name, Output: &v})
		}
		out, err := joined(p, intent, results)
		if err != nil || out.Output == nil {
			t.Fatal(err, out.ErrorDetail)
		}
		return *out.Output
	}
	if got := score(); got < 4.59 || got > 4.61 {
		t.Errorf("by the weights of all rubrics %v, want 4.6", got)
	}
	p.RubricWeights = map[string]map[string]float64{"another": {"a": 0, "b": 1}}
	if got := score(); got < 4.59 || got > 4.61 {
		t.Errorf("another rubric's weights are taken: %v", got)
	}
	p.RubricWeights[intent.Name] = map[string]float64{"a": 0.25, "b": 0.75}
	if got := score(); got < 1.99 || got > 2.01 {
		t.Errorf("by its own weights %v, want 2", got)
	}
}
