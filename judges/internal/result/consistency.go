package result

import (
	"fmt"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/rubrics"
)

// FlagContextTruncated marks a score of a shortened history, FlagSelfPreference one by
// the agent's own model or a model of its family.
const (
	FlagContextTruncated = "context_truncated"
	// What else had no room.
	FlagToolsShortened  = "tools_shortened"
	FlagResultsCut      = "tool_results_cut"
	FlagExamplesLeftOut = "examples_left_out"
	FlagSelfPreference  = "self_preference"
)

// FlagWideGap marks an overall score that lies far from its components.
const FlagWideGap = "overall_far_from_components"

// AcrossRubrics holds one judge's scores of one call against each other and
// flags the overall score. Rubrics other than the built-in four play no part, and
// without an overall score there is nothing to hold the others against.
func AcrossRubrics(results []Result) {
	missing := stat.Missing()
	scores := answer.RubricScores{Intent: missing, Completeness: missing, Prerequisite: missing, Overall: missing}
	var overall *Result
	for i := range results {
		r := &results[i]
		if r.Output == nil {
			continue
		}
		switch r.Rubric {
		case rubrics.Intent:
			scores.Intent = *r.Output
		case rubrics.Completeness:
			scores.Completeness = *r.Output
		case rubrics.Prerequisite:
			scores.Prerequisite = *r.Output
		case rubrics.Overall:
			scores.Overall, overall = *r.Output, r
		}
	}
	if overall == nil {
		return
	}
	got := answer.CheckRubrics(scores)
	for _, code := range got.Violations {
		Raise(overall, code, 1, "")
	}
	if got.WideGap {
		Raise(overall, FlagWideGap, 1, fmt.Sprintf("overall minus the mean of its components is %.2f", *got.Gap))
	}
}
