package series

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Answers count what a judge's answers to one rubric say beside their scores.
type Answers struct {
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

func (a *Answers) add(s *score.Score) {
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

// Rows are the two as the document has them.
func (a *Answers) Rows() (report.Quotes, report.Corrections) {
	share := func(part, whole int) report.Estimate {
		return report.Point(stat.Ratio(float64(part), float64(whole), stat.NoItems))
	}
	c := report.Corrections{Effects: []report.KindCount{}, Known: a.known, N: a.constructive, MatchesExpected: share(a.matches, a.known)}
	c.Gain = report.Point(stat.Ratio(a.gained, float64(a.constructive), stat.NoItems))
	for effect, n := range a.corrections {
		c.Effects = append(c.Effects, report.KindCount{Kind: effect, Count: n})
	}
	slices.SortFunc(c.Effects, func(x, y report.KindCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
	return report.Quotes{N: a.quotes, Grounded: a.grounded, Invented: share(a.quotes-a.grounded, a.quotes)}, c
}
