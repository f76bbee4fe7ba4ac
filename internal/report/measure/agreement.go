package measure

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/sorting"
)

// agreement compares every judge score with every reference, several at a time.
func (b *Builder) agreement(r *report.Report) {
	type comparison struct {
		Builder    // a copy: it keeps the first error of this comparison
		judge, ref *series
		rows       []report.AgreementRow
	}
	var all []*comparison
	refs := b.references()
	for _, judge := range b.judges() {
		for _, ref := range refs {
			if !b.decides(judge) && (!answersTo(ref, judge) || ref.Level != judge.Level) {
				continue // an answer is neither a verdict nor a number
			}
			all = append(all, &comparison{Builder: *b, judge: judge, ref: ref})
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range all {
		group.Go(func() error {
			c.rows = c.agreementRows(c.judge, c.ref)
			return nil
		})
	}
	_ = group.Wait() // each keeps its own error
	r.Agreement = []report.AgreementRow{}
	for _, c := range all {
		b.Keep(c.Err())
		for i := range c.rows {
			if setDirection(r, &c.rows[i]); c.rows[i].Refused == "" {
				c.rows[i].Warnings = warnings(&c.rows[i])
			}
		}
		r.Agreement = append(r.Agreement, c.rows...)
	}
}

// reductions are the ways that calls are compared with references of conversations.
var reductions = [3]string{report.ReduceMin, report.ReduceMean, report.ReduceShare}

// agreementRows has a row if both are of the same level, else one for each
// reduction of the calls of one side. Labels of some calls decide no conversation.
func (b *Builder) agreementRows(judge, ref *series) []report.AgreementRow {
	row := report.AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.circular(judge, ref) {
		return []report.AgreementRow{refused(row)}
	}
	row.SharedRules = b.sharesRules(judge, ref)
	if judge.Level == ref.Level {
		return []report.AgreementRow{b.agreementRow(row, judge, ref)}
	}
	if report.IsPeople(ref.Instrument) && b.cfg.Labels != nil && b.cfg.Labels.some {
		return nil
	}
	var rows []report.AgreementRow
	if apart := []string{report.ResultLevel, report.TurnLevel}; slices.Contains(apart, judge.Level) ||
		slices.Contains(apart, ref.Level) {
		return rows
	}
	row.Level = report.ConversationLevel
	for _, row.Reduction = range reductions {
		j, k := judge, ref
		if judge.Level == report.CallLevel {
			row.Reduced, j = "judge", b.reduced(judge, row.Reduction)
		} else {
			row.Reduced, k = "reference", b.reduced(ref, row.Reduction)
		}
		rows = append(rows, b.agreementRow(row, j, k))
	}
	return rows
}

func (b *Builder) agreementRow(row report.AgreementRow, judge, ref *series) report.AgreementRow {
	all := b.pairs(judge, ref)
	m := match(all)
	m.count(&row)
	if answersTo(ref, judge) {
		row.Ratings, row.Applies = b.categoryRatings(&b.statistics, judge, ref), b.applicability(all)
	}
	b.rates(&row, m)
	values := b.values(m.both)
	row.Spearman = report.Point(values.Correlation().Spearman)
	row.Confidence = b.confidences(m)
	if row.Level == report.CallLevel {
		row.ByTool = b.toolPairs(m)
	}
	if b.isGraded(judge, m) {
		row.Graded = values.Graded()
	}
	return row
}

// answersTo reports whether a reference has people's labels by the rubric of a judge.
func answersTo(ref, judge *series) bool {
	return report.IsPeople(ref.Instrument) && ref.Name == report.PeopleLabelOf(judge.Name)
}

// rates fills the confusion counts and what follows from the verdicts.
func (s *statistics) rates(row *report.AgreementRow, m *matched) {
	s.verdicts(m.decided).Verdicts(row)
	row.AUC = s.pairColumns(m.both, refVerdict, judgeValue).AUC()
	if n := len(m.sure); n < row.Verdicts {
		sure := s.verdicts(m.sure)
		row.Abstain = &report.Abstention{
			N: n, Coverage: share(n, row.Verdicts), Accuracy: rateEstimate(sure.Share(bothAgree)),
			RecallWrong: rateEstimate(sure.Share(failFound)),
		}
	}
}

// isGraded reports whether the pairs are scores on 0..1, and the reference's take more than two
// values.
func (b *Builder) isGraded(judge *series, m *matched) bool {
	if r, ok := b.scale[judge.Name]; ok && (r.Integer || r.Min != 0 || r.Max != 1) {
		return false
	}
	between := false
	for _, p := range m.both {
		if min(p.judge.value, p.ref.value) < 0 || max(p.judge.value, p.ref.value) > 1 {
			return false
		}
		between = between || p.ref.value > 0 && p.ref.value < 1
	}
	return between
}

// confidences compares confidence with whether the reference confirms it; nil where
// the judge gives none.
func (s *statistics) confidences(m *matched) *report.Confidence {
	decided := dropped(m.decided, func(p pair) bool { return p.judge.steps == noConfidence })
	if len(decided) == 0 {
		return nil
	}
	return new(s.pairColumns(decided, same, confidenceOf).Probability())
}

// toolPairs has a row for each tool, those with the most items first, by name where
// equal; tools beyond maxTools share a row.
func (b *Builder) toolPairs(m *matched) []report.ToolPair {
	type tool struct {
		name    string
		decided []pair
	}
	var tools []tool
	for t, of := range b.byTool(m.decided) {
		if len(of) > 0 {
			tools = append(tools, tool{b.tools.list[t], of})
		}
	}
	order := func(x, y tool) int {
		return cmp.Or(cmp.Compare(len(y.decided), len(x.decided)), cmp.Compare(x.name, y.name))
	}
	sorting.Stable(tools, order)
	if len(tools) > maxTools {
		rest := tool{name: report.OtherTools}
		for _, t := range tools[maxTools:] {
			rest.decided = append(rest.decided, t.decided...)
		}
		tools = append(tools[:maxTools], rest)
		sorting.Stable(tools, order)
	}
	var out []report.ToolPair
	for _, t := range tools {
		out = append(out, b.toolPair(t.name, t.decided))
	}
	b.contrast(m.decided, out)
	return out
}

// contrast tests whether the two agree on each tool as on all others.
func (b *Builder) contrast(decided []pair, tools []report.ToolPair) {
	c := b.verdicts(decided)
	alike, p := c.Each(bothAgree), missingValues(len(tools))
	for i, t := range tools {
		if t.Small || t.Tool == report.OtherTools || len(tools) < 2 {
			continue
		}
		group := make([]bool, len(decided))
		for k, x := range decided {
			group[k] = b.tools.list[x.of.tool] == t.Tool
		}
		one, err := interval.Contrast(alike, group, c.Cluster)
		b.Keep(err)
		if one.Valid {
			p[i] = one.Value
		}
	}
	for i, adjusted := range b.Holm(p) {
		tools[i].P = report.Point(adjusted).Value
	}
}

// toolPair returns the row of a tool. Few items get no interval: it would depend on the
// formula more than on the tool.
func (b *Builder) toolPair(tool string, decided []pair) report.ToolPair {
	c := b.verdicts(decided)
	row := report.ToolPair{
		Tool: tool, N: len(decided), Small: len(decided) < fewItems, Confusion: c.Counts(),
		BaseRate: report.Point(c.Share(goldSays).Mean), JudgeRate: report.Point(c.Share(judgeSays).Mean),
		Agreement: rateEstimate(c.Share(bothAgree)), Kappa: c.VerdictKappa(),
	}
	if row.Small {
		row.Kappa, row.Agreement = row.Kappa.WithoutInterval(), row.Agreement.WithoutInterval()
	}
	return row
}

// matched are the items of a judge and its reference, or of two judges.
type matched struct {
	// both were scored by both, decided are those of them with two verdicts, and sure
	// those of these that call for no second look.
	both, decided, sure    []pair
	conversations, partial int
	// missingJudge counts items that the reference scored and for which the judge
	// has an error or no usable answer; missingRef the other way round. onlyRef and
	// onlyJudge count items that the other side was not asked about.
	missingJudge, missingRef int
	onlyRef, onlyJudge       int
}

func match(all []pair) *matched {
	m, last := &matched{}, -1
	for _, p := range all {
		if p.judge.has(isPartial) || p.ref.has(isPartial) {
			m.partial++
		}
		switch {
		case p.scored():
			if p.Cluster() != last {
				m.conversations, last = m.conversations+1, p.Cluster()
			}
		case p.ref.has(isScored):
			countAbsent(p.judge, &m.onlyRef, &m.missingJudge)
		case p.judge.has(isScored):
			countAbsent(p.ref, &m.onlyJudge, &m.missingRef)
		}
	}
	m.both = kept(all, pair.scored)
	m.decided = kept(m.both, func(p pair) bool { return p.judge.has(isDecided) && p.ref.has(isDecided) })
	m.sure = kept(m.decided, func(p pair) bool { return !p.judge.has(secondLook) })
	return m
}

// kept returns the pairs for which keep holds: the list itself if it holds for all, so do not change it.
func kept(all []pair, keep func(pair) bool) []pair {
	n := 0
	for _, p := range all {
		n += int(asNumber(keep(p)))
	}
	if n == len(all) {
		return all
	}
	out := make([]pair, 0, n)
	for _, p := range all {
		if keep(p) {
			out = append(out, p)
		}
	}
	return out
}

// count fills in how many items there are, and on which side others are missing.
func (m *matched) count(row *report.AgreementRow) {
	row.N, row.Conversations, row.Partial = len(m.both), m.conversations, m.partial
	row.MissingJudge, row.MissingRef = m.missingJudge, m.missingRef
	row.OnlyReference, row.OnlyJudge = m.onlyRef, m.onlyJudge
}

// countAbsent adds a reading without a value: to notMet if the instrument had
// nothing to say or was not asked about the item, else to missing.
func countAbsent(o reading, notMet, missing *int) {
	if !o.has(isMet) || o.has(isNotApplicable) {
		*notMet++
		return
	}
	*missing++
}

// Numbers of a pair, NaN where undefined.

func judgeValue(p pair) float64   { return p.judge.number() }
func refValue(p pair) float64     { return p.ref.number() }
func judgePasses(p pair) float64  { j, _ := p.verdicts(); return j }
func refPasses(p pair) float64    { _, r := p.verdicts(); return r }
func judgeVerdict(p pair) float64 { return p.judge.verdict() }
func refVerdict(p pair) float64   { return p.ref.verdict() }
func confidenceOf(p pair) float64 { return p.judge.confidence() }

// same returns 1 if the verdicts are equal.
func same(p pair) float64 {
	j, r := p.verdicts()
	return 1 - math.Abs(j-r)
}

// refused returns a row without numbers: the judge saw the facts the reference decides by.
func refused(row report.AgreementRow) report.AgreementRow {
	row.Refused = "circular"
	row.Warnings = []report.Warning{words.Warning(words.Circular, row.Rubric, row.Judge, row.Reference.Title())}
	for _, e := range []*report.Estimate{
		&row.BaseRate, &row.JudgeRate, &row.Accuracy, &row.Balanced, &row.RecallWrong, &row.Specificity,
		&row.MCC, &row.Kappa, &row.AC1, &row.Spearman, &row.AUC,
	} {
		e.Reason = row.Refused
	}
	return row
}
