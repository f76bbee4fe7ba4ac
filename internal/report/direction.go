package report

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

// The directions in which the verdicts of a reference are evidence.
const (
	PassDirection = "pass"
	FailDirection = "fail"
	BothDirection = "both"
)

// Why a row of the agreement is in no table.
const (
	// AnotherConstruct: the reference measures something else than the rubric.
	AnotherConstruct = "another_construct"
	// WeakReference: neither a pass nor a fail of the reference is evidence.
	WeakReference = "weak_reference"
	// Constant: one of the two gives every item the same verdict.
	Constant = "constant"
)

// Direction says which verdicts of a reference are evidence: both for gold, and for what
// the user named as gold.
func (r *Report) Direction(ref Instrument) string {
	e := r.Evidence(ref)
	switch {
	case r.named(ref) || e.Pass == e.Fail:
		return BothDirection
	case e.Pass == score.Strong:
		return PassDirection
	}
	return FailDirection
}

// named reports whether the user named a reference as gold.
func (r *Report) named(ref Instrument) bool { return r.GoldName != "" && ref.Title() == r.GoldName }

// asked lists what each built-in rubric asks for. What other rubrics ask is not known.
var asked = map[string][]score.Construct{
	rubrics.Intent: {
		score.EndState, score.EquivalentCalls, score.ExpectedCalls, score.ExpectedShare, score.ToolName,
	},
	rubrics.Completeness: {score.Form},
	rubrics.Prerequisite: {score.Recovery, score.RequiredCalls},
	rubrics.Overall:      {score.EndState, score.EquivalentCalls, score.ExpectedCalls, score.ExpectedShare},
}

// SameConstruct reports whether a reference measures what a rubric asks for: labels, and
// what the user or the rubric itself named, for every rubric, but people's labels only for what
// they are of (a rubric, or the call as a whole).
func (r *Report) SameConstruct(rubric string, ref Instrument) bool {
	if of, ok := PeopleRubric(ref.Name); ok && IsPeople(ref) {
		return of == rubric || of == "" && r.IsWhole(rubric)
	}
	return ref.Source == string(score.Label) || r.named(ref) || r.Run.comparesWith(rubric, ref) ||
		slices.Contains(asked[rubric], r.Run.named().Meaning(ref).Measures)
}

// comparesWith reports whether a rubric names a reference that measures what it asks.
func (r *Run) comparesWith(rubric string, ref Instrument) bool {
	of, _ := r.named().Rubric(rubric)
	return slices.Contains(of.CompareWith, ref.Title())
}

// IsWeak reports whether neither a pass nor a fail of a reference is evidence.
func (r *Report) IsWeak(ref Instrument) bool {
	e := r.Evidence(ref)
	return e.Pass == score.Weak && e.Fail == score.Weak && !r.named(ref)
}

// weakFor is IsWeak, but for a reference that the rubric itself names.
func (r *Report) weakFor(rubric string, ref Instrument) bool {
	return r.IsWeak(ref) && !r.Run.comparesWith(rubric, ref)
}

// OwnReferences returns the references that can contradict a judge's rubric at a level, the
// strongest first: those that measure what the rubric asks for, are evidence in some
// direction, and that the judge did not see. The first of them that has a verdict on an item
// decides whether the judge is right there.
func (r *Report) OwnReferences(judge Instrument, level string) []Instrument {
	var out []Instrument
	for i := range r.Scores {
		ref := r.Scores[i].Instrument
		usable := ref.Source != string(score.Judge) && ref.Level == level && ref.Purpose == "" &&
			r.Scores[i].PassRate.Defined()
		measures := r.SameConstruct(judge.Name, ref) && !r.weakFor(judge.Name, ref)
		if usable && measures && !r.Run.named().Circular(judge.Judge, ref) {
			out = append(out, ref)
		}
	}
	slices.SortStableFunc(out, func(x, y Instrument) int { return cmp.Compare(r.Rank(x), r.Rank(y)) })
	return out
}

// SetDirection fills in a row's Direction and, if no table is to show it, why.
func (r *Report) SetDirection(row *AgreementRow) {
	row.Direction = r.Direction(row.Reference)
	c := row.Confusion
	constant := c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0 ||
		c.BothPass+c.JudgeOnlyFail == 0 || c.BothFail+c.JudgeOnlyPass == 0
	switch {
	case !r.SameConstruct(row.Rubric, row.Reference):
		row.Unprinted = AnotherConstruct
	case r.weakFor(row.Rubric, row.Reference):
		row.Unprinted = WeakReference
	case row.Verdicts > 0 && constant:
		row.Unprinted = Constant
	}
}
