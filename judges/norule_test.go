package judges

import (
	"testing"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestBaselineAnswersItsOwnRubrics: the baseline is asked by the built-in rubrics and by no
// other, however many calls there are; a model is asked by all.
func TestBaselineAnswersItsOwnRubrics(t *testing.T) {
	list := judgetest.Rubrics(t)
	own := *list[0]
	own.Name = "politeness_of_intent"
	list = append(list, &own)
	for model, asked := range map[string]int{BaselineModel: 4, "m": 5} {
		s := judgetest.Replies(judgetest.Answer("1"))
		j := intentJudge(t, s, func(c *Config) { c.Model, c.Rubrics = model, list })
		results := 0
		emit := func(o *Outcome) error {
			for _, r := range o.Results {
				results++
				switch noRule := model == BaselineModel && r.Rubric == own.Name; {
				case noRule && (r.ErrorKind != KindNoRule || r.ErrorDetail != "not asked: baseline-rules has no rule for this rubric" || r.Output != nil || r.Verdict != NoVerdict || r.Requests > 0):
					t.Errorf("%s by %s: %+v", r.Rubric, model, r)
				case !noRule && r.ErrorKind != "":
					t.Errorf("%s by %s: %s %s", r.Rubric, model, r.ErrorKind, r.ErrorDetail)
				}
			}
			return nil
		}
		stopped := func(s Stop) { t.Errorf("stopped: %+v", s) }
		const n = 2 * StopAfter
		items := func(yield func(Item, error) bool) {
			for range n {
				if !yield(Item{Conversation: judgetest.Support(t), Targets: []Target{OfCall(1)}}, nil) {
					return
				}
			}
		}
		if err := Run(t.Context(), []*Judge{j}, items, RunConfig{Stopped: stopped}, emit); err != nil {
			t.Fatal(err)
		}
		if results != 5*n || len(s.Requests) != asked*n {
			t.Errorf("%s: %d results of %d requests, want %d of %d", model, results, len(s.Requests), 5*n, asked*n)
		}
	}
	for _, name := range []string{rubrics.Intent, rubrics.Completeness, rubrics.Prerequisite, rubrics.Overall} {
		if !Answers(BaselineModel, name) {
			t.Errorf("the baseline has no rule for %s", name)
		}
	}
}

// TestOwnNames: names of the baseline's own rules in its explanations are no phantoms; in a model's they are.
func TestOwnNames(t *testing.T) {
	reply := judgetest.AnswerWith("5", "The rule unknown_argument does not fire.", `"order 987"`, "{}")
	for model, want := range map[string]bool{BaselineModel: false, "m": true} {
		got := judgeOne(t, intentJudge(t, judgetest.Replies(reply), func(c *Config) { c.Model = model }))
		if flagged(got.Flags, "phantom_entity") != want {
			t.Errorf("%s: flags %v", model, got.Flags)
		}
	}
}
