package assembly

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// check counts the flags of a judge's answers, sets repaired answers beside clean ones, and
// sums up what the answers quote and correct.
func (b *Builder) check(sr *series, said []observation) (row report.CheckRow, err error) {
	scored := without(said, func(o observation) bool { return !o.has(isScored) })
	row = report.CheckRow{
		Judge: sr.Judge, Rubric: sr.Title(), Level: sr.Level, N: len(scored), Flags: flagRates(sr.flags, len(said)),
		Quotes: sr.answers.quotes(), Corrections: sr.answers.corrections(),
	}
	severe := func(o observation) float64 { return oneIf(o.has(isSevere)) }
	if row.Severe, err = report.RateOf(scored, severe, b.Alpha); err != nil {
		return row, err
	}
	if row.Confidence, err = report.MeanOf(scored, observation.confidence, b.Alpha); err != nil {
		return row, err
	}
	for _, p := range []struct {
		into *report.Part
		drop func(observation) bool
	}{
		{&row.Repaired, func(o observation) bool { return !o.has(isRepaired) }},
		{&row.Clean, func(o observation) bool { return o.has(isRepaired) }},
		{&row.Shortened, func(o observation) bool { return !o.has(isShortened) }},
	} {
		part := without(scored, p.drop)
		p.into.N = len(part)
		if p.into.Mean, p.into.PassRate, err = estimates(part, b.Alpha); err != nil {
			return row, err
		}
	}
	row.Policies, err = policies(said, b.Alpha)
	return row, err
}

func flagRates(flags map[flagKey]int, n int) []report.FlagRate {
	out := []report.FlagRate{}
	for k, count := range flags {
		share := stat.Ratio(math.Min(float64(count), float64(n)), float64(n), stat.NoItems)
		out = append(out, report.FlagRate{Code: k.code, Severity: k.severity, Count: count, Rate: report.Point(share)})
	}
	slices.SortFunc(out, func(x, y report.FlagRate) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return out
}

// policies are the pass rates as each policy reads the same answers.
func policies(said []observation, alpha float64) (report.Policies, error) {
	wanted := without(said, func(o observation) bool { return math.IsNaN(absent(o)) })
	p := report.Policies{
		Answers: len(wanted), Missing: len(wanted) - count(wanted, isScored),
		Borderline: count(wanted, isBorderline), LowConfidence: count(wanted, isUnsure),
		SevereFlag: count(wanted, isSevere),
	}
	// doubtful answers are missing or call for a second look.
	doubtful := func(o observation) bool { return !o.has(isScored) || o.has(secondLook) }
	for _, o := range wanted {
		p.Escalated += int(oneIf(doubtful(o)))
	}
	// resolved reads a doubtful answer as v.
	resolved := func(v float64) func(observation) float64 {
		return func(o observation) float64 {
			if doubtful(o) {
				return v
			}
			return o.verdict()
		}
	}
	p.Coverage = share(p.Answers-p.Escalated, p.Answers)
	return p, fillRates(wanted, alpha, rate[observation]{&p.AsIs, observation.verdict},
		rate[observation]{&p.Abstain, resolved(math.NaN())},
		rate[observation]{&p.Lowest, resolved(0)}, rate[observation]{&p.Highest, resolved(1)})
}

// share is a part of a whole, without an interval.
func share(part, whole int) report.Estimate {
	return report.Point(stat.Ratio(float64(part), float64(whole), stat.NoItems))
}

// answers count what a judge's answers to one rubric say beside their scores.
type answers struct {
	quoted, grounded int
	// effects counts what becomes of the corrections when they are put in the place of
	// the judged calls.
	effects map[string]int
	// known counts corrected calls of answers that fail the call and whose expected
	// call is known, matches those that are it. gained sums what constructive
	// corrections add to the accuracy of the call.
	known, matches, constructive int
	gained                       float64
}

func (a *answers) add(s *score.Score) {
	if n, ok := s.Details.Field("quotes").Int64(); ok && n > 0 {
		a.quoted += int(n)
		if g, ok := s.Details.Field("quotes_grounded").Int64(); ok {
			a.grounded += int(g)
		}
	}
	if effect, ok := s.Details.Field("correction_effect").Str(); ok {
		if a.effects == nil {
			a.effects = map[string]int{}
		}
		a.effects[strings.Clone(effect)]++
	}
	if s.Passed == nil || *s.Passed {
		return
	}
	if matches, ok := s.Details.Field("correction_matches_expected").BoolVal(); ok {
		a.known++
		a.matches += int(oneIf(matches))
	}
	if gain, ok := s.Details.Field("constructive_score").Float64(); ok {
		a.constructive++
		a.gained += gain
	}
}

func (a *answers) quotes() report.Quotes {
	return report.Quotes{N: a.quoted, Grounded: a.grounded, Invented: share(a.quoted-a.grounded, a.quoted)}
}

func (a *answers) corrections() report.Corrections {
	c := report.Corrections{
		Effects: []report.KindCount{}, Known: a.known, N: a.constructive, MatchesExpected: share(a.matches, a.known),
		Gain: report.Point(stat.Ratio(a.gained, float64(a.constructive), stat.NoItems)),
	}
	for effect, n := range a.effects {
		c.Effects = append(c.Effects, report.KindCount{Kind: effect, Count: n})
	}
	slices.SortFunc(c.Effects, func(x, y report.KindCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
	return c
}
