package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

func (b *builder) scoreRows(r *report.Report) error {
	r.Scores = []report.ScoreRow{}
	for _, sr := range b.Series {
		if b.Manifest.Judge(sr.Judge).RetestOf != "" {
			continue // see Noise
		}
		row, err := b.scoreRow(sr, b.Table.Items.Said(sr))
		if err != nil {
			return fmt.Errorf("score %s: %w", sr.Title(), err)
		}
		r.Scores = append(r.Scores, row)
	}
	return nil
}

func (b *builder) scoreRow(sr *series.Series, said []series.Observation) (row report.ScoreRow, err error) {
	row = report.ScoreRow{
		Instrument: sr.Instrument, N: count(said, series.HasValue), Judged: count(said, series.HasVerdict),
		Conversations: conversations(said),
	}
	row.NotApplicable, row.Errors = count(said, series.NotApplicable), count(said, series.Failed)
	row.Unscored = len(said) - row.N - row.NotApplicable - row.Errors
	row.Min, row.Max = ends(said)
	m, err := report.SpreadOf(said, absent, b.Alpha)
	if err != nil {
		return row, err
	}
	row.ErrorRate = report.Interval(m.Mean, m.Wilson)
	row.Coverage = report.Interval(complement(m.Mean), stat.Interval{Low: complement(m.Wilson.High), High: complement(m.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > report.UnreliableAbove
	if row.Mean, row.PassRate, err = estimates(said, b.Alpha); err != nil {
		return row, err
	}
	decides := series.Observation.Verdict
	if row.Judged == 0 {
		decides = series.Observation.Number
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
func count(said []series.Observation, bits series.Bits) int {
	n := 0
	for _, o := range said {
		if o.Has(bits) {
			n++
		}
	}
	return n
}

// conversations is how many of them have a value; their items follow one another.
func conversations(said []series.Observation) int {
	n, last := 0, -1
	for _, o := range said {
		if o.Has(series.HasValue) && o.Cluster() != last {
			n, last = n+1, o.Cluster()
		}
	}
	return n
}

// ends are the lowest and the highest value, nil where there is none.
func ends(said []series.Observation) (low, high *float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, o := range said {
		if o.Has(series.HasValue) {
			least, most = min(least, o.Value), max(most, o.Value)
		}
	}
	return report.Rounded(least), report.Rounded(most)
}

// absent is 1 where a wanted score is missing and NaN where none was wanted.
func absent(o series.Observation) float64 {
	if o.Has(series.HasValue) {
		return 0
	}
	return series.NaNIf(o.Has(series.NotApplicable), 1)
}

// estimates are the mean and the pass rate.
func estimates(said []series.Observation, alpha float64) (mean, rate report.Estimate, err error) {
	if mean, err = report.MeanOf(said, series.Observation.Number, alpha); err != nil {
		return mean, rate, err
	}
	rate, err = report.RateOf(said, series.Observation.Verdict, alpha)
	if count(said, series.HasValue) > 0 && count(said, series.HasVerdict) == 0 {
		rate = report.Estimate{Reason: "no_threshold"}
	}
	return mean, rate, err
}

// complement is 1 - o.
func complement(o stat.Opt) stat.Opt {
	if !o.Valid {
		return o
	}
	return stat.Some(1 - o.Value)
}

// checks counts the flags of each judge and sets repaired answers beside clean ones.
func (b *builder) checks(r *report.Report) error {
	r.JudgeChecks = []report.CheckRow{}
	for _, sr := range b.Main(series.IsJudge) {
		row, err := b.check(sr, b.Table.Items.Said(sr))
		if err != nil {
			return fmt.Errorf("checks of %s: %w", sr.Title(), err)
		}
		r.JudgeChecks = append(r.JudgeChecks, row)
	}
	return nil
}

func (b *builder) check(sr *series.Series, said []series.Observation) (row report.CheckRow, err error) {
	scored := slices.DeleteFunc(slices.Clone(said), func(o series.Observation) bool { return !o.Has(series.HasValue) })
	row = report.CheckRow{Judge: sr.Judge, Rubric: sr.Title(), Level: sr.Level, N: len(scored), Flags: flagRates(sr.Flags, len(said))}
	if row.Severe, err = report.RateOf(scored, marked(series.Severe), b.Alpha); err != nil {
		return row, err
	}
	if row.Confidence, err = report.MeanOf(scored, series.Observation.Confidence, b.Alpha); err != nil {
		return row, err
	}
	for _, p := range []struct {
		into *report.Part
		drop func(series.Observation) bool
	}{
		{&row.Repaired, func(o series.Observation) bool { return !o.Has(series.Repaired) }},
		{&row.Clean, func(o series.Observation) bool { return o.Has(series.Repaired) }},
		{&row.Shortened, func(o series.Observation) bool { return !o.Has(series.Shortened) }},
	} {
		part := slices.DeleteFunc(slices.Clone(scored), p.drop)
		p.into.N = len(part)
		if p.into.Mean, p.into.PassRate, err = estimates(part, b.Alpha); err != nil {
			return row, err
		}
	}
	row.Quotes, row.Corrections = sr.Answers.Rows()
	row.Policies, err = policies(said, b.Alpha)
	return row, err
}

// marked is 1 where a bit is set, else 0.
func marked(bit series.Bits) func(series.Observation) float64 {
	return func(o series.Observation) float64 {
		if o.Has(bit) {
			return 1
		}
		return 0
	}
}

func flagRates(flags map[series.FlagKey]int, n int) []report.FlagRate {
	out := []report.FlagRate{}
	for k, count := range flags {
		rate := stat.None(stat.NoItems)
		if n > 0 {
			rate = stat.Some(math.Min(1, float64(count)/float64(n)))
		}
		out = append(out, report.FlagRate{Code: k.Code, Severity: k.Severity, Count: count, Rate: report.Point(rate)})
	}
	slices.SortFunc(out, func(x, y report.FlagRate) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return out
}

// policies are the pass rates as each policy reads the same answers.
func policies(said []series.Observation, alpha float64) (report.Policies, error) {
	wanted := slices.DeleteFunc(slices.Clone(said), func(o series.Observation) bool { return math.IsNaN(absent(o)) })
	p := report.Policies{
		Answers: len(wanted), Missing: len(wanted) - count(wanted, series.HasValue),
		Borderline: count(wanted, series.Borderline), LowConfidence: count(wanted, series.LowConfidence),
		SevereFlag: count(wanted, series.Severe),
	}
	for _, o := range wanted {
		if doubtful(o) {
			p.Escalated++
		}
	}
	// resolved reads a doubtful answer as v.
	resolved := func(v float64) func(series.Observation) float64 {
		return func(o series.Observation) float64 {
			if doubtful(o) {
				return v
			}
			return o.Verdict()
		}
	}
	for _, r := range []struct {
		into *report.Estimate
		of   func(series.Observation) float64
	}{
		{&p.AsIs, series.Observation.Verdict}, {&p.Abstain, resolved(math.NaN())},
		{&p.Lowest, resolved(0)}, {&p.Highest, resolved(1)},
	} {
		var err error
		if *r.into, err = report.RateOf(wanted, r.of, alpha); err != nil {
			return p, err
		}
	}
	p.Coverage = report.Point(stat.Ratio(float64(p.Answers-p.Escalated), float64(p.Answers), stat.NoItems))
	return p, nil
}

// doubtful reports whether an answer is missing or calls for a second look.
func doubtful(o series.Observation) bool { return !o.Has(series.HasValue) || o.Has(series.SecondLook) }
