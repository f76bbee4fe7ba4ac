package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement"
	"github.com/judgekit/judge/internal/score"
)

// unreliableAbove is the share of missing scores from which a row is marked.
const unreliableAbove = 0.02

func (b *builder) scoreRows(r *Report) error {
	r.Scores = []ScoreRow{}
	for _, sr := range b.series {
		row, err := b.scoreRow(sr)
		if err != nil {
			return fmt.Errorf("score %s: %w", sr.Title(), err)
		}
		r.Scores = append(r.Scores, row)
	}
	return nil
}

func (b *builder) scoreRow(sr *series) (ScoreRow, error) {
	row := ScoreRow{Instrument: sr.Instrument}
	values, verdicts, cluster := sr.columns()
	lastConv := -1
	for i, o := range sr.obs {
		switch {
		case o.has(hasValue):
			row.N++
			if int(o.conv) != lastConv {
				row.Conversations++
				lastConv = int(o.conv)
			}
			if row.N == 1 || o.value < *row.Min {
				row.Min = rounded(values[i])
			}
			if row.N == 1 || o.value > *row.Max {
				row.Max = rounded(values[i])
			}
		case o.has(notApplicable):
			row.NotApplicable++
		case o.has(failed):
			row.Errors++
		default:
			row.Unscored++
		}
		if o.has(hasVerdict) {
			row.Judged++
		}
	}
	if err := b.missing(&row, sr); err != nil {
		return row, err
	}
	var err error
	if row.Mean, err = meanOf(values, cluster, b.Alpha); err != nil {
		return row, err
	}
	row.PassRate, err = rateOf(verdicts, cluster, b.Alpha)
	if row.N > 0 && row.Judged == 0 {
		row.PassRate = Estimate{Reason: "no_threshold"}
	}
	if row.N > 0 && row.Conversations < fewClusters {
		row.Warnings = append(row.Warnings, fewClustersWarning(row.Conversations))
	}
	return row, err
}

// missing fills error rate and coverage. What a scorer has nothing to say about
// was never wanted and does not count.
func (b *builder) missing(row *ScoreRow, sr *series) error {
	var absent []float64
	var cluster []int
	for _, o := range sr.obs {
		if o.has(notApplicable) {
			continue
		}
		a := 1.0
		if o.has(hasValue) {
			a = 0
		}
		absent, cluster = append(absent, a), append(cluster, int(o.conv))
	}
	var err error
	if row.ErrorRate, err = rateOf(absent, cluster, b.Alpha); err != nil {
		return err
	}
	row.Unreliable = row.ErrorRate.Value != nil && *row.ErrorRate.Value > unreliableAbove
	for i := range absent {
		absent[i] = 1 - absent[i]
	}
	row.Coverage, err = rateOf(absent, cluster, b.Alpha)
	return err
}

// fewClusters is the number of conversations below which intervals are doubtful.
const fewClusters = 10

func fewClustersWarning(n int) Warning {
	return Warning{"few_conversations", fmt.Sprintf("only %d conversations: the interval is a guess", n)}
}

// toolRows sums up every call-level instrument by tool.
func (b *builder) toolRows(r *Report) error {
	calls := make([]int, len(b.table.tools))
	all := b.mainSeries(func(sr *series) bool { return sr.Level == CallLevel })
	for _, sr := range all {
		seen := make([]int, len(calls))
		for _, o := range sr.obs {
			seen[o.tool]++
		}
		for t, n := range seen {
			calls[t] = max(calls[t], n)
		}
	}
	fold, rows := b.foldTools(calls)
	for _, sr := range all {
		groups := make([]series, len(rows))
		for _, o := range sr.obs {
			g := &groups[fold[o.tool]]
			g.obs = append(g.obs, o)
		}
		for i := range groups {
			if len(groups[i].obs) == 0 {
				continue
			}
			groups[i].Instrument = sr.Instrument
			s, err := b.toolScore(&groups[i])
			if err != nil {
				return fmt.Errorf("tool %s: %w", rows[i].Tool, err)
			}
			rows[i].Scores = append(rows[i].Scores, s)
		}
	}
	r.ByTool = rows
	return nil
}

// foldTools decides which tools have a row: those with the most calls, by name
// where equal; all others share the last row. fold maps a tool to its row.
func (b *builder) foldTools(calls []int) (fold []int, rows []ToolRow) {
	order := make([]int, 0, len(calls))
	for t, n := range calls {
		if n > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(calls[y], calls[x]) })
	fold, rows = make([]int, len(calls)), []ToolRow{}
	for i, t := range order {
		if i >= b.MaxTools {
			last := &rows[len(rows)-1]
			if i == b.MaxTools {
				rows = append(rows, ToolRow{Tool: otherTools})
				last = &rows[len(rows)-1]
			}
			last.Folded++
			last.Calls += calls[t]
			fold[t] = len(rows) - 1
			continue
		}
		fold[t] = len(rows)
		rows = append(rows, ToolRow{Tool: b.table.tools[t], Calls: calls[t]})
	}
	for i := range rows {
		rows[i].Small = rows[i].Calls < b.SmallN
	}
	return fold, rows
}

// otherTools is the name of the row of folded tools; no function can be called so.
const otherTools = "(other tools)"

func (b *builder) toolScore(sr *series) (ToolScore, error) {
	out := ToolScore{Instrument: sr.Instrument}
	values, verdicts, cluster := sr.columns()
	judged := 0
	for _, o := range sr.obs {
		switch {
		case o.has(hasValue):
			out.N++
		case !o.has(notApplicable):
			out.Missing++
		}
		if o.has(hasVerdict) {
			judged++
		}
	}
	var err error
	if out.Mean, err = meanOf(values, cluster, b.Alpha); err != nil {
		return out, err
	}
	out.PassRate, err = rateOf(verdicts, cluster, b.Alpha)
	if out.N > 0 && judged == 0 {
		out.PassRate = Estimate{Reason: "no_threshold"}
	}
	return out, err
}

// checks counts the flags of each judge and sets repaired answers beside clean ones.
func (b *builder) checks(r *Report) error {
	r.JudgeChecks = []CheckRow{}
	for _, sr := range b.mainSeries(func(sr *series) bool { return sr.Source == string(score.Judge) }) {
		row := CheckRow{Judge: sr.Judge, Rubric: sr.Title(), Level: sr.Level, Flags: []FlagRate{}}
		var repaired, clean series
		severeOnes, conf, cluster := []float64{}, []float64{}, []int{}
		for _, o := range sr.obs {
			if !o.has(hasValue) {
				continue
			}
			row.N++
			s := 0.0
			if o.has(severe) {
				s = 1
			}
			severeOnes, conf, cluster = append(severeOnes, s), append(conf, o.confidence()), append(cluster, int(o.conv))
			if o.has(wasRepaired) {
				repaired.obs = append(repaired.obs, o)
			} else {
				clean.obs = append(clean.obs, o)
			}
		}
		var err error
		if row.Severe, err = rateOf(severeOnes, cluster, b.Alpha); err != nil {
			return err
		}
		if row.Confidence, err = meanOf(conf, cluster, b.Alpha); err != nil {
			return err
		}
		row.Flags = flagRates(sr.flags, len(sr.obs))
		if row.Repaired, err = b.part(&repaired); err != nil {
			return err
		}
		if row.Clean, err = b.part(&clean); err != nil {
			return err
		}
		r.JudgeChecks = append(r.JudgeChecks, row)
	}
	return nil
}

func (b *builder) part(sr *series) (Part, error) {
	s, err := b.toolScore(sr)
	return Part{N: s.N, Mean: s.Mean, PassRate: s.PassRate}, err
}

func flagRates(flags map[flagKey]int, n int) []FlagRate {
	out := []FlagRate{}
	for k, count := range flags {
		rate := agreement.None(agreement.NoItems)
		if n > 0 {
			rate = agreement.Some(math.Min(1, float64(count)/float64(n)))
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
