package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/score"
)

// answers count what a judge's answers to one rubric say beside their scores.
type answers struct {
	quotes, grounded int
	// corrections counts what becomes of the corrections when they are put in the
	// place of the judged calls.
	corrections map[string]int
	// known counts corrected calls of answers that fail the call and whose expected
	// call is known, matches those that are it. gained sums what constructive
	// corrections add to the accuracy of the call.
	known, matches, constructive int
	gained                       float64
}

func (a *answers) add(s *score.Score) {
	if n, ok := s.Details.Field("quotes").Int64(); ok && n > 0 {
		a.quotes += int(n)
		if g, ok := s.Details.Field("quotes_grounded").Int64(); ok {
			a.grounded += int(g)
		}
	}
	if effect, ok := s.Details.Field("correction_effect").Str(); ok {
		if a.corrections == nil {
			a.corrections = map[string]int{}
		}
		a.corrections[strings.Clone(effect)]++
	}
	if s.Passed == nil || *s.Passed {
		return
	}
	if matches, ok := s.Details.Field("correction_matches_expected").BoolVal(); ok {
		a.known++
		if matches {
			a.matches++
		}
	}
	if gain, ok := s.Details.Field("constructive_score").Float64(); ok {
		a.constructive++
		a.gained += gain
	}
}

// Quotes says how much of what a judge quotes stands in the record.
type Quotes struct {
	N        int `json:"n"`
	Grounded int `json:"grounded"`
	// Invented is the share of quotes that stand nowhere in the record.
	Invented Estimate `json:"invented"`
}

// Corrections says what a judge's corrected calls are worth: whether it knows why a
// call is wrong, apart from whether it is right that it is.
type Corrections struct {
	// Effects counts the corrections by what deterministic scorers say of them:
	// repaired, better, unchanged, worse, invalid.
	Effects []KindCount `json:"effects"`
	// MatchesExpected is the share, of the Known corrections of failed calls whose
	// expected call is known, that are the expected call.
	Known           int      `json:"known"`
	MatchesExpected Estimate `json:"matches_expected"`
	// Gain is the mean of what the corrections of N failed calls add to the accuracy
	// of the call, in -1..1.
	N    int      `json:"n"`
	Gain Estimate `json:"gain"`
}

func (a *answers) rows() (Quotes, Corrections) {
	share := func(part, whole int) Estimate {
		return point(statistic.Ratio(float64(part), float64(whole), statistic.NoItems))
	}
	c := Corrections{Effects: []KindCount{}, Known: a.known, N: a.constructive, MatchesExpected: share(a.matches, a.known)}
	c.Gain = point(statistic.Ratio(a.gained, float64(a.constructive), statistic.NoItems))
	for effect, n := range a.corrections {
		c.Effects = append(c.Effects, KindCount{Kind: effect, Count: n})
	}
	slices.SortFunc(c.Effects, func(x, y KindCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
	return Quotes{N: a.quotes, Grounded: a.grounded, Invented: share(a.quotes-a.grounded, a.quotes)}, c
}

// Policies say what becomes of the pass rate when answers that call for a second look
// (borderline, low confidence, a severe flag, an error) are not taken as they are.
type Policies struct {
	// Answers is the number of wanted answers, Escalated those that call for a second
	// look, for one or more of the reasons.
	Answers       int `json:"answers"`
	Escalated     int `json:"escalated"`
	Borderline    int `json:"borderline"`
	LowConfidence int `json:"low_confidence"`
	SevereFlag    int `json:"severe_flag"`
	Missing       int `json:"missing"`
	// AsIs is the pass rate over all verdicts, Abstain that over the answers that need
	// no second look, which are the share Coverage of all wanted ones.
	AsIs     Estimate `json:"as_is"`
	Abstain  Estimate `json:"abstain"`
	Coverage Estimate `json:"coverage"`
	// Lowest and Highest are the pass rates if every second look ended in a fail, or
	// in a pass.
	Lowest  Estimate `json:"lowest"`
	Highest Estimate `json:"highest"`
}
