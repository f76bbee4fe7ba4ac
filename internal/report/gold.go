package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// ThreeLayer is the type of the scorer that gives all three verdicts at once.
const ThreeLayer = "three_layer"

// Standing is what a reference's word is worth as gold, by what its verdicts can
// show.
type Standing struct {
	// Kind says in words what the reference is.
	Kind string
	// Passes and Fails are gold, strong or weak: what its passes show, what its fails.
	Passes, Fails string
	// Why explains a weak side, "" where there is none.
	Why string
}

// The strengths of a reference's word.
const (
	goldWord   = "gold"
	strongWord = "strong"
	weakWord   = "weak"
)

// kinds are the types of scorers by what their verdicts rest on; rank orders them by
// what they are worth as gold, labels being 0.
var kinds = []struct {
	types    []string
	rank     int
	standing Standing
}{
	{[]string{"execution_check"}, 1, Standing{"execution and its end state", strongWord, strongWord, "a further side effect is not seen"}},
	{[]string{ThreeLayer, "ast_equivalence", "bfcl_ast"}, 2, matchStanding},
	{[]string{"function_call_exact_match", "trajectory_match", "expected_call_match"}, 3, matchStanding},
	{[]string{"function_call_accuracy"}, 4, Standing{"a graded match with the expected calls", strongWord, weakWord, "its pass mark is a choice, and a valid alternative fails"}},
	{[]string{"parameter_validation", "schema_check", "function_call_coverage", "function_name_match", "tool_calls"}, 6, Standing{"form and coverage, not meaning", weakWord, strongWord, "what is well formed can be wrong"}},
}

var matchStanding = Standing{"a match with the expected calls", strongWord, weakWord, "a valid alternative fails"}

// otherRank is the rank of a scorer that is none of the kinds.
const otherRank = 5

// maxGoldRank is the last rank that is taken as gold; what comes behind is only the
// best reference that there is.
const maxGoldRank = 3

// Rank orders references by how much their word is worth as gold, 0 first: labels,
// labels of a part and execution, layers and matches with the expected calls, then the rest. Before all of
// them stands the one that the user named, -1.
func (r *Report) Rank(ref Instrument) int {
	if r.GoldName != "" && ref.Title() == r.GoldName {
		return -1
	}
	if ref.Source == string(score.Label) {
		return later(IsPart(ref))
	}
	m := Manifest{Scorers: r.Run.Scorers}
	kind := m.Scorer(ref.Name).Type
	for _, k := range kinds {
		if slices.Contains(k.types, kind) {
			return k.rank
		}
	}
	return otherRank
}

// IsPart reports whether a label is one part of an outcome that a benchmark gives as a
// whole, its reward: it stands beside it and leads nothing.
func IsPart(ref Instrument) bool {
	return ref.Source == string(score.Label) && (ref.Name == "db_match" || ref.Name == "state_match")
}

// Standing says what the word of a reference is worth.
func (r *Report) Standing(ref Instrument) Standing {
	if ref.Source == string(score.Label) {
		return Standing{Kind: "a label", Passes: goldWord, Fails: goldWord}
	}
	m := Manifest{Scorers: r.Run.Scorers}
	kind := m.Scorer(ref.Name).Type
	for _, k := range kinds {
		if slices.Contains(k.types, kind) {
			return k.standing
		}
	}
	return Standing{Kind: "a rule of thumb", Passes: weakWord, Fails: weakWord, Why: "it looks at one aspect only"}
}

// Words says in a phrase what the reference is and what its word is worth.
func (s Standing) Words() string {
	switch {
	case s.Passes == goldWord:
		return s.Kind + ": gold"
	case s.Passes == s.Fails:
		return fmt.Sprintf("%s: %s evidence both ways (%s)", s.Kind, s.Passes, s.Why)
	}
	return fmt.Sprintf("%s: %s evidence where it passes, %s where it fails (%s)", s.Kind, s.Passes, s.Fails, s.Why)
}

// Gold are the references that the report leans on, one for each level that has any,
// the strongest first.
func (r *Report) Gold() []Instrument {
	var out []Instrument
	for _, level := range []string{CallLevel, ConversationLevel} {
		if ref, ok := r.goldOf(level); ok {
			out = append(out, ref)
		}
	}
	slices.SortStableFunc(out, func(x, y Instrument) int { return cmp.Compare(r.Rank(x), r.Rank(y)) })
	return out
}

// goldOf is the reference of the first judge that has a headline at the level, or the
// strongest of all where no judge was compared.
func (r *Report) goldOf(level string) (ref Instrument, ok bool) {
	for _, judge := range r.Judges() {
		if row, met := r.Headline(judge, level); met && row.Reference.Level == level {
			return row.Reference, true
		}
	}
	for _, s := range r.Scores {
		if s.Source == string(score.Judge) || s.Level != level || !s.PassRate.Defined() || s.Metric != "" || s.Purpose != "" {
			continue
		}
		if !ok || r.Rank(s.Instrument) < r.Rank(ref) {
			ref, ok = s.Instrument, true
		}
	}
	return ref, ok
}

// GoldWords declares, for each level, what is taken as gold and how strong its word
// is. It belongs over every table that measures a judge.
func (r *Report) GoldWords() []string {
	var out []string
	for _, ref := range r.Gold() {
		lead := "Taken as gold for %ss: %s, %s."
		switch {
		case r.Rank(ref) < 0:
			lead = "Named as gold for %ss: %s, %s."
		case r.Rank(ref) > maxGoldRank:
			lead = "Nothing is gold for %ss; the best reference is %s, %s."
		}
		out = append(out, fmt.Sprintf(lead, ref.Level, Clip(ref.Title(), 80), r.Standing(ref).Words()))
	}
	return out
}

// Headline picks the row that answers best how far a judge can be trusted: its
// overall rubric against the strongest reference that there is, at the level given
// ("" for either). ok is false where nothing was compared.
func (r *Report) Headline(judge, level string) (row AgreementRow, ok bool) {
	best := -1
	for i, a := range r.Agreement {
		if a.Judge != judge || a.Refused != "" || a.Verdicts == 0 || level != "" && a.Level != level || a.Reduction != "" && a.Reduction != ReduceMin {
			continue
		}
		if best < 0 || r.prefer(a, r.Agreement[best]) {
			best = i
		}
	}
	if best < 0 {
		return AgreementRow{}, false
	}
	return r.Agreement[best], true
}

func (r *Report) prefer(a, b AgreementRow) bool {
	overall := func(x AgreementRow) int { return later(!strings.HasPrefix(x.Rubric, "overall")) }
	shared := func(x AgreementRow) int { return later(x.SharedRules) }
	defined := func(x AgreementRow) int { return later(!x.Kappa.Defined()) }
	return cmp.Or(
		cmp.Compare(defined(a), defined(b)), cmp.Compare(shared(a), shared(b)), cmp.Compare(overall(a), overall(b)),
		cmp.Compare(r.Rank(a.Reference), r.Rank(b.Reference)),
		cmp.Compare(a.Level, b.Level), cmp.Compare(b.Verdicts, a.Verdicts),
	) < 0
}

// later orders what holds behind what does not.
func later(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
