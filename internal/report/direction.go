package report

import "github.com/judgekit/judge/internal/score"

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
	case r.IsNamed(ref) || e.Pass == e.Fail:
		return BothDirection
	case e.Pass == score.Strong:
		return PassDirection
	}
	return FailDirection
}

// IsNamed reports whether the user named a reference as gold.
func (r *Report) IsNamed(ref Instrument) bool { return r.GoldName != "" && ref.Title() == r.GoldName }
