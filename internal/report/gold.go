package report

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// Evidence says how strong the verdicts of a reference are as evidence.
type Evidence struct {
	score.Evidence
	// Measures says what the reference measures; "" for a label, and for a scorer of one aspect.
	Measures score.Construct
	// Label says that the reference is a label.
	Label bool
	// rank sorts references, strongest first.
	rank int
}

// GoldRank is the last rank that counts as gold: labels and execution. Later ranks are evidence in
// one direction only, and are used if there is nothing better.
const GoldRank = 2

// Evidence says how strong a reference is.
func (r *Report) Evidence(ref Instrument) Evidence {
	if ref.Source == string(score.Label) {
		e := Evidence{Label: true, Evidence: score.Evidence{Pass: score.Gold, Fail: score.Gold}, rank: 1}
		switch {
		case IsPeople(ref):
			e.rank = 0
		case IsPart(ref):
			e.rank = 2
		}
		return e
	}
	meaning := r.Run.Named().Meaning(ref)
	e := Evidence{Evidence: meaning.Evidence, Measures: meaning.Measures}
	switch meaning.Measures {
	case score.EndState:
		e.rank = 2
	case score.EquivalentCalls:
		e.rank = 3
	case score.ExpectedCalls:
		e.rank = 4
	case score.ExpectedShare:
		e.rank = 5
	case score.Recovery:
		e.rank = 6
	case score.Form, score.RequiredCalls, score.ToolName:
		e.rank = 7
	default:
		e.Evidence, e.rank = score.Evidence{Pass: score.Weak, Fail: score.Weak}, 6
	}
	return e
}

// PeopleLabel is the name of the labels that people gave to a run's calls as a whole, in judge view
// or on a sheet. PeopleLabelOf returns the name for labels by one rubric.
const PeopleLabel = "your labels"

// PeopleLabelOf returns the name of the labels that people gave by a rubric; "" means the call as a
// whole.
func PeopleLabelOf(rubric string) string {
	if rubric == "" {
		return PeopleLabel
	}
	return peoplePrefix + rubric
}

const peoplePrefix = PeopleLabel + " of "

// PeopleRubric returns the rubric of labels that people gave, "" for a call as a whole; ok is false
// if the name is that of another label.
func PeopleRubric(name string) (rubric string, ok bool) {
	if rubric, ok = strings.CutPrefix(name, peoplePrefix); ok {
		return rubric, true
	}
	return "", name == PeopleLabel
}

// IsPeople reports whether a reference consists of people's labels of this run.
func IsPeople(ref Instrument) bool {
	_, ok := PeopleRubric(ref.Name)
	return ok && ref.Source == string(score.Label)
}

// IsPart reports whether a label is one part of a benchmark's reward. Such a label never leads.
func IsPart(ref Instrument) bool {
	return ref.Source == string(score.Label) && (ref.Name == "db_match" || ref.Name == "state_match")
}

// Rank sorts references by the strength of their evidence, 0 first: people's labels of the run,
// labels of the log, labels of a part, execution, layers and matches with the expected calls, then
// the rest. The reference that the user named comes before all of them, with -1.
func (r *Report) Rank(ref Instrument) int {
	if r.IsNamed(ref) {
		return -1
	}
	return r.Evidence(ref).rank
}

// Weight returns the strength, 0..1, of a verdict against a judge that decides otherwise; 0 means
// that there is no conflict. Valid arguments are weak evidence that a call is right, invalid ones
// strong evidence that it is wrong. A match with the expected call is strong evidence; a mismatch
// may be a valid alternative.
func (e Evidence) Weight(passed bool) float64 {
	strength := e.Fail
	if passed {
		strength = e.Pass
	}
	switch {
	case strength != score.Weak:
		return 1
	case e.Pass == e.Fail:
		return 0.8
	case passed:
		return 0
	}
	return 0.6
}

// Gold returns the references that the report relies on, one for each level that has any, strongest
// first.
func (r *Report) Gold() []Instrument {
	var out []Instrument
	for _, level := range []string{CallLevel, ConversationLevel} {
		if ref, ok := r.goldOf(level); ok {
			out = append(out, ref)
		}
	}
	sorting.Stable(out, func(x, y Instrument) int { return cmp.Compare(r.Rank(x), r.Rank(y)) })
	return out
}

// goldOf returns the reference of the first judge with a headline at the level, or the strongest
// reference if no judge was compared.
func (r *Report) goldOf(level string) (ref Instrument, ok bool) {
	for _, judge := range r.Judges() {
		if row, met := r.Best(judge, level); met && row.Reference.Level == level {
			return row.Reference, true
		}
	}
	if s := r.Strongest(level); s != nil {
		return s.Instrument, true
	}
	return Instrument{}, false
}

// Strongest returns the row of the strongest reference with verdicts at a level; nil if there is
// none. People's labels are not considered: they cover only what a judge was asked.
func (r *Report) Strongest(level string) *ScoreRow {
	var best *ScoreRow
	for i := range r.Scores {
		s := &r.Scores[i]
		main := s.Metric == "" && s.Purpose == "" && s.Source != string(score.Judge) && !IsPeople(s.Instrument)
		if !main || s.Level != level || !s.PassRate.Defined() {
			continue
		}
		if best == nil || r.Rank(s.Instrument) < r.Rank(best.Instrument) {
			best = s
		}
	}
	return best
}

// Best returns the row that shows best how far a judge can be trusted: its overall rubric against
// the strongest available reference, at the given level ("" for either). ok is false if nothing was
// compared.
func (r *Report) Best(judge, level string) (row AgreementRow, ok bool) {
	for _, a := range r.Agreement {
		compared := a.Judge == judge && a.Refused == "" && a.Verdicts > 0 &&
			(a.Unprinted == "" || a.Unprinted == Constant)
		strict := a.Reduction == "" || a.Reduction == ReduceMin
		if compared && strict && (level == "" || a.Level == level) && (!ok || r.prefer(a, row)) {
			row, ok = a, true
		}
	}
	return row, ok
}

func (r *Report) prefer(a, b AgreementRow) bool {
	return cmp.Or(
		compareBool(!r.CanLead(&a), !r.CanLead(&b)), compareBool(!a.Kappa.Defined(), !b.Kappa.Defined()),
		compareBool(a.SharedRules, b.SharedRules),
		CompareOverall(a.Rubric, b.Rubric),
		cmp.Compare(r.Rank(a.Reference), r.Rank(b.Reference)),
		cmp.Compare(b.Verdicts, a.Verdicts), cmp.Compare(a.Level, b.Level),
	) < 0
}

// IsOverall reports by its name whether a rubric is about a call as a whole.
func IsOverall(rubric string) bool { return strings.HasPrefix(rubric, "overall") }

// CompareOverall sorts overall rubrics before those about single aspects.
func CompareOverall(x, y string) int { return compareBool(!IsOverall(x), !IsOverall(y)) }

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
