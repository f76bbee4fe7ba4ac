package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

func (b *builder) scoreRows(r *report.Report) error {
	r.Scores = []report.ScoreRow{}
	for _, t := range b.tallied {
		if b.Manifest.Judge(t.Judge).RetestOf != "" {
			continue // see Noise
		}
		row, err := b.scoreRow(t)
		if err != nil {
			return fmt.Errorf("score %s: %w", t.Title(), err)
		}
		r.Scores = append(r.Scores, row)
	}
	return nil
}

func (b *builder) scoreRow(t *tally) (report.ScoreRow, error) {
	row := report.ScoreRow{
		Instrument: t.Instrument, N: t.n, Conversations: t.conversations, Judged: t.judged,
		Unscored: t.unscored, Errors: t.errors, NotApplicable: t.notApplicable,
	}
	if t.n > 0 {
		row.Min, row.Max = report.Rounded(t.low), report.Rounded(t.high)
	}
	m, err := t.absent.Estimate(b.Alpha)
	if err != nil {
		return row, err
	}
	row.ErrorRate = report.Interval(m.Mean, m.Wilson)
	row.Coverage = report.Interval(complement(m.Mean), statistic.Interval{Low: complement(m.Wilson.High), High: complement(m.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > report.UnreliableAbove
	if row.Mean, row.PassRate, err = t.estimates(b.Alpha); err != nil {
		return row, err
	}
	decides := &t.verdicts
	if t.judged == 0 {
		decides = &t.values
	}
	if row.Detectable, err = report.DetectableOf(decides, b.Alpha); err != nil {
		return row, err
	}
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row, nil
}

// complement is 1 - o.
func complement(o statistic.Opt) statistic.Opt {
	if !o.Valid {
		return o
	}
	return statistic.Some(1 - o.Value)
}

// toolRows sums up every call-level instrument by tool.
func (b *builder) toolRows(r *report.Report) error {
	all := b.mainTallies(func(t *tally) bool { return t.Level == report.CallLevel })
	counts := toolCounts(all)
	shown := counts[:min(len(counts), b.MaxTools)]
	rows := make([]report.ToolRow, 0, len(shown)+1)
	for _, c := range shown {
		rows = append(rows, report.ToolRow{Tool: c.tool, Calls: c.calls})
	}
	rest := counts[len(shown):]
	if len(rest) > 0 {
		last := report.ToolRow{Tool: report.OtherTools, Folded: len(rest)}
		for _, c := range rest {
			last.Calls += c.calls
		}
		rows = append(rows, last)
	}
	for i := range rows {
		rows[i].Small = rows[i].Calls < b.SmallN
		for _, t := range all {
			out, met, err := b.toolScore(t, rows[i].Tool, rest, i == len(shown))
			if err != nil {
				return fmt.Errorf("tool %s: %w", rows[i].Tool, err)
			}
			if met {
				rows[i].Scores = append(rows[i].Scores, out)
			}
		}
	}
	r.ByTool = rows
	return nil
}

// toolScore is one cell of the table of tools; rest are the tools of its last row.
func (b *builder) toolScore(t *tally, tool string, rest []toolCount, last bool) (report.ToolScore, bool, error) {
	if last && b.tallies.tables > 1 {
		return t.folded(rest, b.Alpha)
	}
	s := t.tools[tool]
	if s == nil {
		return report.ToolScore{}, false, nil
	}
	out := report.ToolScore{Instrument: t.Instrument, N: s.n, Missing: s.missing}
	var err error
	out.Mean, out.PassRate, err = s.estimates(b.Alpha)
	return out, true, err
}

// checks counts the flags of each judge and sets repaired answers beside clean ones.
func (b *builder) checks(r *report.Report) error {
	r.JudgeChecks = []report.CheckRow{}
	for _, t := range b.mainTallies(func(t *tally) bool { return t.Source == string(score.Judge) }) {
		row := report.CheckRow{Judge: t.Judge, Rubric: t.Title(), Level: t.Level, N: t.n, Flags: flagRates(t.flags, t.size)}
		var err error
		if row.Severe, err = report.RateOf(&t.severe, b.Alpha); err != nil {
			return err
		}
		if row.Confidence, err = report.MeanOf(&t.confidence, b.Alpha); err != nil {
			return err
		}
		for _, p := range []struct {
			into *report.Part
			sums *sums
		}{{&row.Repaired, &t.repaired}, {&row.Clean, &t.clean}, {&row.Shortened, &t.shortened}} {
			p.into.N = p.sums.n
			if p.into.Mean, p.into.PassRate, err = p.sums.estimates(b.Alpha); err != nil {
				return err
			}
		}
		if t.answers != nil {
			row.Quotes, row.Corrections = t.answers.Rows()
		}
		if row.Policies, err = t.policyRow(b.Alpha); err != nil {
			return err
		}
		r.JudgeChecks = append(r.JudgeChecks, row)
	}
	return nil
}

func flagRates(flags map[series.FlagKey]int, n int) []report.FlagRate {
	out := []report.FlagRate{}
	for k, count := range flags {
		rate := statistic.None(statistic.NoItems)
		if n > 0 {
			rate = statistic.Some(math.Min(1, float64(count)/float64(n)))
		}
		out = append(out, report.FlagRate{Code: k.Code, Severity: k.Severity, Count: count, Rate: report.Point(rate)})
	}
	slices.SortFunc(out, func(x, y report.FlagRate) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return out
}

// policyRow fills the rates of the policies.
func (t *tally) policyRow(alpha float64) (report.Policies, error) {
	p := t.policies
	for _, r := range []struct {
		into   *report.Estimate
		values *uncertainty.ClusterStream
	}{{&p.AsIs, &t.verdicts}, {&p.Abstain, &t.kept}, {&p.Lowest, &t.lowest}, {&p.Highest, &t.highest}} {
		var err error
		if *r.into, err = report.RateOf(r.values, alpha); err != nil {
			return p, err
		}
	}
	p.Coverage = report.Point(statistic.Ratio(float64(p.Answers-p.Escalated), float64(p.Answers), statistic.NoItems))
	return p, nil
}
