package report

import "github.com/judgekit/judge/internal/score"

// The directions in which the verdicts of a reference are evidence.
const (
	PassDirection = "pass"
	FailDirection = "fail"
	BothDirection = "both"
)

// The reasons why no table shows a row of the agreement.
const (
	// AnotherConstruct: the reference measures something other than the rubric.
	AnotherConstruct = "another_construct"
	// WeakReference: neither a pass nor a fail of the reference is evidence.
	WeakReference = "weak_reference"
	// Constant: one of the two gives every item the same verdict.
	Constant = "constant"
)

// Direction says which verdicts of a reference are evidence. For gold, and for a reference that the
// user named as gold, both are.
func (r *Report) Direction(ref Instrument) string {
	e := r.Evidence(ref)
	switch {
	case r.IsNamed(ref) || e.Pass == e.Fail:
		return BothDirection
	case e.Pass == score.Strong:
		return PassDirection
	}
	return FailDirection
}

// IsNamed reports whether the user named this reference as gold.
func (r *Report) IsNamed(ref Instrument) bool { return r.GoldName != "" && ref.Title() == r.GoldName }
