package measure

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/rubrics"
)

// asked lists what the built-in rubrics ask about. For other rubrics this is unknown.
var asked = map[string][]score.Construct{
	rubrics.Intent: {
		score.EndState, score.EquivalentCalls, score.ExpectedCalls, score.ExpectedShare, score.ToolName,
	},
	rubrics.Completeness: {score.Form},
	rubrics.Prerequisite: {score.Recovery, score.RequiredCalls},
	rubrics.Overall:      {score.EndState, score.EquivalentCalls, score.ExpectedCalls, score.ExpectedShare},
	rubrics.GoalReached:  {score.EndState},
}

// sameConstruct reports whether a reference measures what a rubric asks about. Labels do, and so does what the
// user or the rubric itself names; people's labels only for their own rubric, or for the call as a whole.
func sameConstruct(r *report.Report, rubric string, ref report.Instrument) bool {
	if of, ok := report.PeopleRubric(ref.Name); ok && report.IsPeople(ref) {
		return of == rubric || of == "" && r.IsWhole(rubric)
	}
	return ref.Source == string(score.Label) || r.IsNamed(ref) || comparesWith(r, rubric, ref) ||
		slices.Contains(asked[rubric], r.Run.Named().Meaning(ref).Measures)
}

// comparesWith reports whether a rubric names a reference as measuring the same thing.
func comparesWith(r *report.Report, rubric string, ref report.Instrument) bool {
	of, _ := r.Run.Named().Rubric(rubric)
	return slices.Contains(of.CompareWith, ref.Title())
}

// isWeak reports whether neither a pass nor a fail of a reference is evidence.
func isWeak(r *report.Report, ref report.Instrument) bool {
	e := r.Evidence(ref)
	return e.Pass == score.Weak && e.Fail == score.Weak && !r.IsNamed(ref)
}

// weakFor is like isWeak, but false for a reference that the rubric itself names.
func weakFor(r *report.Report, rubric string, ref report.Instrument) bool {
	return isWeak(r, ref) && !comparesWith(r, rubric, ref)
}

// OwnReferences returns the references that can contradict a judge's rubric at a level, strongest
// first. They measure what the rubric asks about, are evidence in some direction, and the judge did
// not see them. The first one with a verdict on an item decides whether the judge is right there.
func OwnReferences(r *report.Report, judge report.Instrument, level string) []report.Instrument {
	var out []report.Instrument
	for i := range r.Scores {
		ref := r.Scores[i].Instrument
		usable := ref.Source != string(score.Judge) && ref.Level == level && ref.Purpose == "" &&
			r.Scores[i].PassRate.Defined()
		measures := sameConstruct(r, judge.Name, ref) && !weakFor(r, judge.Name, ref)
		if usable && measures && !r.Run.Named().Circular(judge, ref) {
			out = append(out, ref)
		}
	}
	sorting.Stable(out, func(x, y report.Instrument) int { return cmp.Compare(r.Rank(x), r.Rank(y)) })
	return out
}

// setDirection sets a row's Direction and, if no table shows the row, the reason.
func setDirection(r *report.Report, row *report.AgreementRow) {
	row.Direction = r.Direction(row.Reference)
	c := row.Confusion
	constant := c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0 ||
		c.BothPass+c.JudgeOnlyFail == 0 || c.BothFail+c.JudgeOnlyPass == 0
	switch {
	case !sameConstruct(r, row.Rubric, row.Reference):
		row.Unprinted = report.AnotherConstruct
	case weakFor(r, row.Rubric, row.Reference):
		row.Unprinted = report.WeakReference
	case row.Verdicts > 0 && constant:
		row.Unprinted = report.Constant
	}
}
