package assembly

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
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
	least, most, last := math.Inf(1), math.Inf(-1), -1
	for _, o := range observed {
		if !o.has(isScored) {
			continue
		}
		least, most = min(least, o.value), max(most, o.value)
		if o.Cluster() != last {
			row.Conversations, last = row.Conversations+1, o.Cluster()
		}
	}
	row.Min, row.Max = report.Rounded(least), report.Rounded(most)
	missing := spreadOf(&b.statistics, observed, absent)
	row.ErrorRate = measure.Rate(missing)
	row.Coverage = report.Interval(complement(missing.Mean),
		stat.Interval{Low: complement(missing.Wilson.High), High: complement(missing.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > report.UnreliableAbove
	var spread interval.ClusterSE
	row.Mean, row.PassRate, spread = b.estimates(observed)
	d := b.smallestChange(spread)
	row.Detectable = report.Detectable{FromTarget: report.Point(d), BetweenRuns: report.Point(d.Times(math.Sqrt2))}
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row
}

// estimates are the mean and the pass rate, and the spread of the verdicts, or where
// there is none of the values.
func (b *Builder) estimates(observed []observation) (mean, rate report.Estimate, spread interval.ClusterSE) {
	spread = spreadOf(&b.statistics, observed, observation.number)
	mean = measure.Mean(spread)
	alike := true
	for _, o := range observed {
		v := o.verdict()
		alike = alike && (v == o.value || math.IsNaN(v)) && o.has(isScored) == o.has(isDecided)
	}
	switch {
	case alike: // as of a scorer whose value is 1 for a pass and 0 for a fail
	case count(observed, isDecided) == 0:
		return mean, report.Estimate{Reason: "no_threshold"}, spread
	default:
		spread = spreadOf(&b.statistics, observed, observation.verdict)
	}
	return mean, measure.Rate(spread), spread
}

// count is how many observations have one of the bits.
func count(observed []observation, b bits) int {
	n := 0
	for _, o := range observed {
		if o.has(b) {
			n++
		}
	}
	return n
}

// absent is 1 where a wanted score is missing and NaN where none was wanted.
func absent(o observation) float64 {
	return nanIf(o.has(isNotApplicable) && !o.has(isScored), measure.One(!o.has(isScored)))
}

// complement is 1 - o.
func complement(o stat.Opt) stat.Opt {
	if !o.Valid {
		return o
	}
	return stat.Some(1 - o.Value)
}
