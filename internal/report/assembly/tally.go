package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/funnel"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// tally is everything that the report's rows say of one instrument.
type tally struct {
	report.Instrument
	sums
	// size counts the items met, scored or not.
	size, conversations             int
	unscored, errors, notApplicable int
	low, high                       float64
	lastCluster                     int
	absent                          uncertainty.ClusterStream
	flags                           map[series.FlagKey]int
	// tools has the sums of each row of tools, calls the calls of each tool.
	tools map[string]*sums
	calls map[string]int
	// Of judges: the share of severe flags, the confidence, and repaired answers
	// beside clean ones.
	severe, confidence    uncertainty.ClusterStream
	repaired, clean       sums
	shortened             sums
	kept, lowest, highest uncertainty.ClusterStream
	policies              report.Policies
	answers               *series.Answers
}

func (t *tally) add(o series.Observation, cluster int) {
	t.size++
	t.sums.add(o, cluster)
	switch {
	case o.Has(scoreset.HasValue):
		if cluster != t.lastCluster {
			t.conversations++
			t.lastCluster = cluster
		}
		if t.n == 1 || o.Value < t.low {
			t.low = o.Value
		}
		if t.n == 1 || o.Value > t.high {
			t.high = o.Value
		}
		t.absent.Add(0, cluster)
	case o.Has(scoreset.NotApplicable):
		t.notApplicable++
		return // what a scorer has nothing to say about was never wanted
	case o.Has(scoreset.Failed):
		t.errors++
		t.absent.Add(1, cluster)
	default:
		t.unscored++
		t.absent.Add(1, cluster)
	}
	if t.Source == string(score.Judge) {
		t.check(o, cluster)
	}
}

func (t *tally) check(o series.Observation, cluster int) {
	t.policy(o, cluster)
	if !o.Has(scoreset.HasValue) {
		return
	}
	s := 0.0
	if o.Has(scoreset.Severe) {
		s = 1
	}
	t.severe.Add(s, cluster)
	t.confidence.Add(o.Confidence(), cluster)
	if o.Has(scoreset.Repaired) {
		t.repaired.add(o, cluster)
	} else {
		t.clean.add(o, cluster)
	}
	if o.Has(scoreset.Shortened) {
		t.shortened.add(o, cluster)
	}
}

// policy takes an answer as each policy reads it.
func (t *tally) policy(o series.Observation, cluster int) {
	p := &t.policies
	p.Answers++
	for _, c := range []struct {
		bit scoreset.Bits
		n   *int
	}{{scoreset.Borderline, &p.Borderline}, {scoreset.LowConfidence, &p.LowConfidence}, {scoreset.Severe, &p.SevereFlag}} {
		if o.Has(c.bit) {
			*c.n++
		}
	}
	if !o.Has(scoreset.HasValue) {
		p.Missing++
	}
	if !o.Has(scoreset.HasValue) || o.Has(scoreset.SecondLook) {
		p.Escalated++
		t.lowest.Add(0, cluster)
		t.highest.Add(1, cluster)
		return
	}
	t.kept.Add(o.Verdict(), cluster)
	t.lowest.Add(o.Verdict(), cluster)
	t.highest.Add(o.Verdict(), cluster)
}

// tallies are the sums of a whole run. Tables of whole conversations are fed to
// them one after the other; nothing of a table is kept.
type tallies struct {
	all           map[report.Instrument]*tally
	conversations int
	counts        report.Counts
	unscored      map[report.KindCount]series.Missed
	// fold names the row of tools that have none of their own. It is known where
	// the whole run is one table; else the rows are folded at the end.
	fold   map[string]string
	funnel *funnel.Sums
	// tables counts how many were fed.
	tables int
}

func newTallies() *tallies {
	return &tallies{all: map[report.Instrument]*tally{}, unscored: map[report.KindCount]series.Missed{}, funnel: funnel.New()}
}

// feed takes a settled table. place says where a conversation stands, "" where that
// is unknown; it may be nil.
func (a *tallies) feed(t *series.Table, m *report.Manifest, place func(conversation string) string) {
	a.tables++
	for key, sr := range t.All {
		ty := a.all[key]
		if ty == nil {
			ty = &tally{Instrument: sr.Instrument, lastCluster: -1, tools: map[string]*sums{}, calls: map[string]int{}}
			a.all[sr.Instrument] = ty
		}
		a.feedSeries(ty, sr, t)
	}
	a.feedConversations(t)
	a.funnel.Feed(t, m, a.conversations, place)
	for k, m := range t.Unscored {
		a.unscored[k] = a.unscored[k].Plus(m)
	}
	a.counts.Scores += t.Counts.Scores
	a.counts.BadLines += t.Counts.BadLines
	a.counts.Duplicates += t.Counts.Duplicates
	a.conversations += t.Set.Conversations()
}

func (a *tallies) feedSeries(ty *tally, sr *series.Series, t *series.Table) {
	for k, n := range sr.Flags {
		if ty.flags == nil {
			ty.flags = map[series.FlagKey]int{}
		}
		ty.flags[k] += n
	}
	ty.answers = sr.Answers // scores of judges are fed as one table
	byTool := ty.Level == report.CallLevel && ty.Purpose != "qa"
	tools := t.Set.Tools()
	rows, calls := make([]*sums, len(tools)), make([]int, len(tools))
	t.Each(sr, func(o series.Observation) {
		cluster := a.conversations + o.Cluster()
		ty.add(o, cluster)
		if !byTool {
			return
		}
		tool := o.Item.Tool
		calls[tool]++
		row := rows[tool]
		if row == nil {
			name := tools[tool]
			if folded, ok := a.fold[name]; ok {
				name = folded
			}
			if row = ty.tools[name]; row == nil {
				row = &sums{}
				ty.tools[name] = row
			}
			rows[tool] = row
		}
		row.add(o, cluster)
	})
	for tool, n := range calls {
		if n > 0 {
			ty.calls[tools[tool]] += n
		}
	}
}

// sorted are the tallies in report order.
func (a *tallies) sorted(m *report.Manifest) []*tally {
	out := make([]*tally, 0, len(a.all))
	for _, t := range a.all {
		out = append(out, t)
	}
	before := series.ReportOrder(m)
	slices.SortFunc(out, func(x, y *tally) int { return before(x.Instrument, y.Instrument) })
	return out
}

// toolCount is a tool with the largest number of calls that any instrument met.
type toolCount struct {
	tool  string
	calls int
}

// toolCounts are the tools of the main call-level tallies, those with the most calls
// first, by name where equal.
func toolCounts(all []*tally) []toolCount {
	most := map[string]int{}
	for _, t := range all {
		for tool, n := range t.calls {
			most[tool] = max(most[tool], n)
		}
	}
	out := make([]toolCount, 0, len(most))
	for tool, n := range most {
		out = append(out, toolCount{tool, n})
	}
	slices.SortFunc(out, func(x, y toolCount) int {
		return cmp.Or(cmp.Compare(y.calls, x.calls), cmp.Compare(x.tool, y.tool))
	})
	return out
}

// foldOf says which tools of a table have no row of their own.
func foldOf(t *series.Table, rows int) map[string]string {
	tools := t.Set.Tools()
	if len(tools) <= rows {
		return nil
	}
	most := make([]int, len(tools))
	for _, sr := range t.All {
		if sr.Level != report.CallLevel || sr.Purpose == "qa" {
			continue
		}
		seen := make([]int, len(tools))
		t.Each(sr, func(o series.Observation) { seen[o.Item.Tool]++ })
		for i, n := range seen {
			most[i] = max(most[i], n)
		}
	}
	order := make([]int, 0, len(most))
	for i, n := range most {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(most[y], most[x]) })
	fold := map[string]string{}
	for _, i := range order[min(rows, len(order)):] {
		fold[tools[i]] = report.OtherTools
	}
	return fold
}

// folded sums up tools whose sums were kept apart. How they share conversations is
// not known any more, so that there is no interval. It reports false where the
// instrument met none of them.
func (t *tally) folded(tools []toolCount, alpha float64) (report.ToolScore, bool, error) {
	out, met, judged := report.ToolScore{Instrument: t.Instrument}, false, 0
	var total, passed float64
	for _, c := range tools {
		s := t.tools[c.tool]
		if s == nil {
			continue
		}
		met = true
		out.N += s.n
		out.Missing += s.missing
		judged += s.judged
		values, err := s.values.Estimate(alpha)
		if err != nil {
			return out, met, err
		}
		verdicts, err := s.verdicts.Estimate(alpha)
		if err != nil {
			return out, met, err
		}
		total += float64(values.N) * values.Mean.Value
		passed += float64(verdicts.N) * verdicts.Mean.Value
	}
	out.Mean, out.PassRate = meanPoint(total, out.N), meanPoint(passed, judged)
	if out.N > 0 && judged == 0 {
		out.PassRate = report.Estimate{Reason: "no_threshold"}
	}
	return out, met, nil
}
