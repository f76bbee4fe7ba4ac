package assembly

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// scoreRows sums up every instrument, and what the answers of judges show beside.
func (b *Builder) scoreRows(r *report.Report) error {
	r.Scores, r.JudgeChecks = []report.ScoreRow{}, []report.CheckRow{}
	for _, sr := range b.series {
		if b.retest(sr) {
			continue // see Noise
		}
		said := b.said(sr)
		row, err := b.scoreRow(sr, said)
		if err != nil {
			return fmt.Errorf("score %s: %w", sr.Title(), err)
		}
		r.Scores = append(r.Scores, row)
		if !isJudge(sr) || sr.Purpose == "qa" {
			continue
		}
		check, err := b.check(sr, said)
		if err != nil {
			return fmt.Errorf("checks of %s: %w", sr.Title(), err)
		}
		r.JudgeChecks = append(r.JudgeChecks, check)
	}
	return nil
}

func (b *Builder) scoreRow(sr *series, said []observation) (row report.ScoreRow, err error) {
	row = report.ScoreRow{
		Instrument: sr.Instrument, N: count(said, isScored), Judged: count(said, isDecided),
		NotApplicable: count(said, isNotApplicable), Errors: count(said, isError),
	}
	row.Unscored = len(said) - row.N - row.NotApplicable - row.Errors
	least, most, last := math.Inf(1), math.Inf(-1), -1
	for _, o := range said {
		if !o.has(isScored) {
			continue
		}
		least, most = min(least, o.value), max(most, o.value)
		if o.Cluster() != last {
			row.Conversations, last = row.Conversations+1, o.Cluster()
		}
	}
	row.Min, row.Max = report.Rounded(least), report.Rounded(most)
	m, err := report.SpreadOf(said, absent, b.Alpha)
	if err != nil {
		return row, err
	}
	row.ErrorRate = report.Interval(m.Mean, m.Wilson)
	row.Coverage = report.Interval(complement(m.Mean),
		stat.Interval{Low: complement(m.Wilson.High), High: complement(m.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > report.UnreliableAbove
	if row.Mean, row.PassRate, err = estimates(said, b.Alpha); err != nil {
		return row, err
	}
	decides := observation.verdict
	if row.Judged == 0 {
		decides = observation.number
	}
	if row.Detectable, err = report.DetectableOf(said, decides, b.Alpha); err != nil {
		return row, err
	}
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row, nil
}

// count is how many observations have one of the bits.
func count(said []observation, b bits) int {
	n := 0
	for _, o := range said {
		if o.has(b) {
			n++
		}
	}
	return n
}

// absent is 1 where a wanted score is missing and NaN where none was wanted.
func absent(o observation) float64 {
	return nanIf(o.has(isNotApplicable) && !o.has(isScored), oneIf(!o.has(isScored)))
}

// estimates are the mean and the pass rate.
func estimates(said []observation, alpha float64) (mean, rate report.Estimate, err error) {
	if mean, err = report.MeanOf(said, observation.number, alpha); err != nil {
		return mean, rate, err
	}
	if count(said, isScored) > 0 && count(said, isDecided) == 0 {
		return mean, report.Estimate{Reason: "no_threshold"}, nil
	}
	rate, err = report.RateOf(said, observation.verdict, alpha)
	return mean, rate, err
}

// complement is 1 - o.
func complement(o stat.Opt) stat.Opt {
	if !o.Valid {
		return o
	}
	return stat.Some(1 - o.Value)
}

// rate is a rate that is to be filled in, and what it counts.
type rate[T any] struct {
	into *report.Estimate
	of   func(T) float64
}

// fillRates fills in rates over the same items.
func fillRates[T interface{ Cluster() int }](all []T, alpha float64, rates ...rate[T]) (err error) {
	for _, r := range rates {
		if *r.into, err = report.RateOf(all, r.of, alpha); err != nil {
			return err
		}
	}
	return nil
}
