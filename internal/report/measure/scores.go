package measure

import (
	"cmp"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// scoreRows summarizes every instrument and the checks of judges' answers.
func (b *Builder) scoreRows(r *report.Report) {
	r.Scores, r.JudgeChecks = []report.ScoreRow{}, []report.CheckRow{}
	for _, sr := range b.series {
		if b.retest(sr) {
			continue // see Noise
		}
		observed := b.observations(sr)
		r.Scores = append(r.Scores, b.scoreRow(sr, observed))
		if isJudge(sr) && sr.Purpose != "qa" {
			r.JudgeChecks = append(r.JudgeChecks, b.check(sr, observed))
		}
	}
}

func (b *Builder) scoreRow(sr *series, observed []observation) report.ScoreRow {
	row := report.ScoreRow{
		Instrument: sr.Instrument, N: count(observed, isScored), Judged: count(observed, isDecided),
		NotApplicable: count(observed, isNotApplicable), Errors: count(observed, isError),
	}
	row.Unscored = len(observed) - row.N - row.NotApplicable - row.Errors
	row.Categories, row.Applies = b.categoryShares(sr), b.applies(sr, observed)
	least, most, last := math.Inf(1), math.Inf(-1), -1
	for _, o := range observed {
		if !o.has(isScored) {
			continue
		}
		if !o.has(isWord) {
			least, most = min(least, o.value), max(most, o.value)
		}
		if o.Cluster() != last {
			row.Conversations, last = row.Conversations+1, o.Cluster()
		}
	}
	row.Min, row.Max = report.Rounded(least), report.Rounded(most)
	missing := spreadOf(&b.statistics, observed, absent)
	row.ErrorRate = rateEstimate(missing)
	row.Coverage = report.Interval(complement(missing.Mean),
		stat.Interval{Low: complement(missing.Wilson.High), High: complement(missing.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > report.UnreliableAbove
	var spread interval.ClusterSE
	row.Mean, row.PassRate, spread = b.estimates(observed)
	if row.CountedZero = count(observed, isZero); row.CountedZero > 0 {
		sum := 0.0
		for _, o := range observed {
			if o.has(isScored) {
				sum += o.value
			}
		}
		row.MeanWithZeros = report.Rounded(sum / float64(row.N+row.CountedZero))
	}
	d := b.smallestChange(spread)
	row.Detectable = report.Detectable{FromTarget: report.Point(d), BetweenRuns: report.Point(d.Times(math.Sqrt2))}
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, words.Warning(words.FewConversations,
			words.Counted(row.Conversations, "conversation")))
	}
	return row
}

// estimates returns the mean and the pass rate, and the spread of the verdicts or, without
// verdicts, of the values.
func (b *Builder) estimates(observed []observation) (mean, rate report.Estimate, spread interval.ClusterSE) {
	spread = b.weighted(observed, observation.number)
	mean = meanEstimate(spread)
	alike := true
	for _, o := range observed {
		v := o.verdict()
		alike = alike && (v == o.value || math.IsNaN(v)) && o.has(isScored) == o.has(isDecided)
	}
	switch {
	case count(observed, isWord) > 0 && count(observed, isDecided) == 0:
		return report.Estimate{Reason: "categories"}, report.Estimate{Reason: "no_threshold"}, spread
	case alike: // as of a scorer whose value is 1 for a pass and 0 for a fail
	case count(observed, isDecided) == 0:
		return mean, report.Estimate{Reason: "no_threshold"}, spread
	default:
		spread = b.weighted(observed, observation.verdict)
	}
	return mean, rateEstimate(spread), spread
}

// count returns how many observations have one of the bits.
func count(observed []observation, b bits) int {
	n := 0
	for _, o := range observed {
		if o.has(b) {
			n++
		}
	}
	return n
}

// absent returns 1 if a wanted score is missing, 0 if it is there, and NaN if none was wanted.
func absent(o observation) float64 {
	return onlyIf(!o.has(isNotApplicable) || o.has(isScored), asNumber(!o.has(isScored)))
}

// complement returns 1 - o.
func complement(o stat.Opt) stat.Opt {
	if !o.Valid {
		return o
	}
	return stat.Some(1 - o.Value)
}

// check counts the flags of a judge's answers, compares repaired with clean answers, and adds up
// quotes and corrections.
func (b *Builder) check(sr *series, observed []observation) report.CheckRow {
	scored := dropped(observed, func(o observation) bool { return !o.has(isScored) })
	part := func(drop func(observation) bool) report.Part {
		of := dropped(scored, drop)
		mean, rate, _ := b.estimates(of)
		return report.Part{N: len(of), Mean: mean, PassRate: rate}
	}
	row := report.CheckRow{
		Judge: sr.Judge, Rubric: sr.Title(), Level: sr.Level, N: len(scored), Flags: flagRates(sr.flags, len(observed)),
		Severe:     rateOf(&b.statistics, scored, func(o observation) float64 { return asNumber(o.has(isSevere)) }),
		Confidence: meanEstimate(spreadOf(&b.statistics, scored, observation.confidence)),
		Repaired:   part(func(o observation) bool { return !o.has(isRepaired) }),
		Clean:      part(func(o observation) bool { return o.has(isRepaired) }),
		Shortened:  part(func(o observation) bool { return !o.has(isShortened) }),
		Policies:   b.policies(observed),
	}
	row.Quotes, row.Corrections = sr.answers.rows()
	return row
}

func flagRates(flags map[flagKey]int, n int) []report.FlagRate {
	out := []report.FlagRate{}
	for k, count := range flags {
		share := stat.Ratio(math.Min(float64(count), float64(n)), float64(n), stat.NoItems)
		out = append(out, report.FlagRate{Code: k.code, Severity: k.severity, Count: count, Rate: report.Point(share)})
	}
	sorting.Stable(out, func(x, y report.FlagRate) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return out
}

// policies returns the pass rates under each policy for the same answers.
func (b *Builder) policies(observed []observation) report.Policies {
	wanted := dropped(observed, func(o observation) bool { return math.IsNaN(absent(o)) })
	// doubtful answers are missing or marked for review.
	doubtful := func(o observation) bool { return !o.has(isScored) || o.has(secondLook) }
	// resolved returns the pass rate with every doubtful answer counted as v.
	resolved := func(v float64) report.Estimate {
		return rateOf(&b.statistics, wanted, func(o observation) float64 {
			if doubtful(o) {
				return v
			}
			return o.verdict()
		})
	}
	sure := len(dropped(wanted, doubtful))
	missing := len(wanted) - count(wanted, isScored)
	asIs, lowest, highest := rateOf(&b.statistics, wanted, observation.verdict), resolved(0), resolved(1)
	if asIs.Value == nil && missing < len(wanted) {
		lowest, highest = asIs, asIs // the rubric does not say what passes
	}
	return report.Policies{
		Answers: len(wanted), Escalated: len(wanted) - sure, Missing: missing,
		Borderline: count(wanted, isBorderline), LowConfidence: count(wanted, isUnsure),
		SevereFlag: count(wanted, isSevere), Coverage: share(sure, len(wanted)),
		AsIs: asIs, Abstain: resolved(math.NaN()), Lowest: lowest, Highest: highest,
	}
}

// answers counts what a judge's answers to one rubric contain besides scores.
type answers struct {
	quotes      report.Quotes
	corrections report.Corrections
	effects     map[string]int // effects of corrections that replace the judged call
	// matches counts the known corrections that equal the expected call. gained adds up how much
	// corrections improve the accuracy of the call.
	matches int
	gained  float64
}

func (a *answers) add(s *score.Score) {
	if n, ok := s.Details.Field("quotes").Int64(); ok && n > 0 {
		grounded, _ := s.Details.Field("quotes_grounded").Int64()
		a.quotes.N, a.quotes.Grounded = a.quotes.N+int(n), a.quotes.Grounded+int(grounded)
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
		a.corrections.Known++
		a.matches += int(asNumber(matches))
	}
	if gain, ok := s.Details.Field("constructive_score").Float64(); ok {
		a.corrections.N++
		a.gained += gain
	}
}

// rows returns the counts with their shares.
func (a *answers) rows() (report.Quotes, report.Corrections) {
	q, c := a.quotes, a.corrections
	q.Invented = share(q.N-q.Grounded, q.N)
	c.MatchesExpected = share(a.matches, c.Known)
	c.Gain = report.Point(stat.Ratio(a.gained, float64(c.N), stat.NoItems))
	c.Effects = []report.KindCount{}
	for effect, n := range a.effects {
		c.Effects = append(c.Effects, report.KindCount{Kind: effect, Count: n})
	}
	sorting.Stable(c.Effects, func(x, y report.KindCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
	return q, c
}
