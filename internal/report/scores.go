package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/score"
)

// unreliableAbove is the share of missing scores from which a row is marked.
const unreliableAbove = 0.02

func (b *builder) scoreRows(r *Report) error {
	r.Scores = []ScoreRow{}
	for _, t := range b.tallied {
		if b.manifest.Judge(t.Judge).RetestOf != "" {
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

func (b *builder) scoreRow(t *tally) (ScoreRow, error) {
	row := ScoreRow{
		Instrument: t.Instrument, N: t.n, Conversations: t.conversations, Judged: t.judged,
		Unscored: t.unscored, Errors: t.errors, NotApplicable: t.notApplicable,
	}
	if t.n > 0 {
		row.Min, row.Max = rounded(t.low), rounded(t.high)
	}
	m, err := t.absent.Estimate(b.Alpha)
	if err != nil {
		return row, err
	}
	row.ErrorRate = Interval(m.Mean, m.Wilson)
	row.Coverage = Interval(complement(m.Mean), statistic.Interval{Low: complement(m.Wilson.High), High: complement(m.Wilson.Low)})
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > unreliableAbove
	if row.Mean, row.PassRate, err = t.estimates(b.Alpha); err != nil {
		return row, err
	}
	decides := &t.verdicts
	if t.judged == 0 {
		decides = &t.values
	}
	if row.Detectable, err = detectableOf(decides, b.Alpha); err != nil {
		return row, err
	}
	if row.N > 0 && row.Conversations < fewClusters {
		row.Warnings = append(row.Warnings, fewClustersWarning(row.Conversations))
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

// fewClusters is the number of conversations below which intervals are doubtful.
const fewClusters = 10

// fewClustersWarning says that n is too few.
func fewClustersWarning(n int) Warning {
	return Warning{"few_conversations", fmt.Sprintf("only %s: the interval is a guess", count(n, "conversation", "conversations"))}
}

// toolRows sums up every call-level instrument by tool.
func (b *builder) toolRows(r *Report) error {
	all := b.mainTallies(func(t *tally) bool { return t.Level == CallLevel })
	counts := toolCounts(all)
	shown := counts[:min(len(counts), b.MaxTools)]
	rows := make([]ToolRow, 0, len(shown)+1)
	for _, c := range shown {
		rows = append(rows, ToolRow{Tool: c.tool, Calls: c.calls})
	}
	rest := counts[len(shown):]
	if len(rest) > 0 {
		last := ToolRow{Tool: otherTools, Folded: len(rest)}
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
func (b *builder) toolScore(t *tally, tool string, rest []toolCount, last bool) (ToolScore, bool, error) {
	if last && b.tallies.tables > 1 {
		return t.folded(rest, b.Alpha)
	}
	s := t.tools[tool]
	if s == nil {
		return ToolScore{}, false, nil
	}
	out := ToolScore{Instrument: t.Instrument, N: s.n, Missing: s.missing}
	var err error
	out.Mean, out.PassRate, err = s.estimates(b.Alpha)
	return out, true, err
}

// otherTools is the name of the row of folded tools; no function can be called so.
const otherTools = "(other tools)"

// checks counts the flags of each judge and sets repaired answers beside clean ones.
func (b *builder) checks(r *Report) error {
	r.JudgeChecks = []CheckRow{}
	for _, t := range b.mainTallies(func(t *tally) bool { return t.Source == string(score.Judge) }) {
		row := CheckRow{Judge: t.Judge, Rubric: t.Title(), Level: t.Level, N: t.n, Flags: flagRates(t.flags, t.size)}
		var err error
		if row.Severe, err = streamRate(&t.severe, b.Alpha); err != nil {
			return err
		}
		if row.Confidence, err = streamMean(&t.confidence, b.Alpha); err != nil {
			return err
		}
		for _, p := range []struct {
			into *Part
			sums *sums
		}{{&row.Repaired, &t.repaired}, {&row.Clean, &t.clean}, {&row.Shortened, &t.shortened}} {
			p.into.N = p.sums.n
			if p.into.Mean, p.into.PassRate, err = p.sums.estimates(b.Alpha); err != nil {
				return err
			}
		}
		if t.answers != nil {
			row.Quotes, row.Corrections = t.answers.rows()
		}
		if row.Policies, err = t.policyRow(b.Alpha); err != nil {
			return err
		}
		r.JudgeChecks = append(r.JudgeChecks, row)
	}
	return nil
}

func flagRates(flags map[flagKey]int, n int) []FlagRate {
	out := []FlagRate{}
	for k, count := range flags {
		rate := statistic.None(statistic.NoItems)
		if n > 0 {
			rate = statistic.Some(math.Min(1, float64(count)/float64(n)))
		}
		out = append(out, FlagRate{Code: k.code, Severity: k.severity, Count: count, Rate: point(rate)})
	}
	slices.SortFunc(out, func(x, y FlagRate) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return out
}

// CheckRow is what one judge's answers to one rubric show about the judge itself.
type CheckRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	Level  string `json:"level"`
	N      int    `json:"n"`
	// Severe is the share of scored answers with a flag of severity 2.
	Severe Estimate   `json:"severe"`
	Flags  []FlagRate `json:"flags"`
	// Confidence is the mean confidence that the judge claims.
	Confidence Estimate `json:"confidence"`
	// Repaired and Clean set answers that needed a repair beside those that did not.
	Repaired Part `json:"repaired"`
	Clean    Part `json:"clean"`
	// Shortened are answers on a record that was too long to be shown whole.
	Shortened   Part        `json:"shortened"`
	Quotes      Quotes      `json:"quotes"`
	Corrections Corrections `json:"corrections"`
	Policies    Policies    `json:"policies"`
}

// policyRow fills the rates of the policies.
func (t *tally) policyRow(alpha float64) (Policies, error) {
	p := t.policies
	for _, r := range []struct {
		into   *Estimate
		values *uncertainty.ClusterStream
	}{{&p.AsIs, &t.verdicts}, {&p.Abstain, &t.kept}, {&p.Lowest, &t.lowest}, {&p.Highest, &t.highest}} {
		var err error
		if *r.into, err = streamRate(r.values, alpha); err != nil {
			return p, err
		}
	}
	p.Coverage = point(statistic.Ratio(float64(p.Answers-p.Escalated), float64(p.Answers), statistic.NoItems))
	return p, nil
}

// FlagRate is how often a flag was raised among all answers.
type FlagRate struct {
	Code     string   `json:"code"`
	Severity int      `json:"severity"`
	Count    int      `json:"count"`
	Rate     Estimate `json:"rate"`
}

// Part sums up some of the scores of an instrument.
type Part struct {
	N        int      `json:"n"`
	Mean     Estimate `json:"mean"`
	PassRate Estimate `json:"pass_rate"`
}
