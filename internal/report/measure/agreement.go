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
		Builder    // a copy, because it keeps the first error of this comparison
		judge, ref *series
		rows       []report.AgreementRow
	}
	var all []*comparison
	refs := b.references()
	for _, judge := range b.judges() {
		for _, ref := range refs {
			if !b.decides(judge) && (!answersTo(ref, judge) || ref.Level != judge.Level) {
				continue // such an answer is neither a verdict nor a number
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

// reductions lists the ways in which calls are compared with references about conversations.
var reductions = [3]string{report.ReduceMin, report.ReduceMean, report.ReduceShare}

// agreementRows returns one row if both sides have the same level, else one row for each way to
// reduce the calls of one side. Labels of only some calls cannot decide a conversation.
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

// answersTo reports whether a reference holds people's labels by the judge's rubric.
func answersTo(ref, judge *series) bool {
	return report.IsPeople(ref.Instrument) && ref.Name == report.PeopleLabelOf(judge.Name)
}

// rates adds the confusion counts and the measures computed from the verdicts.
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

// isGraded reports whether the pairs are scores on 0..1 and the reference has more than two values.
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

// confidences compares the judge's confidence with whether the reference confirms its verdict; nil
// if the judge states none.
func (s *statistics) confidences(m *matched) *report.Confidence {
	decided := dropped(m.decided, func(p pair) bool { return p.judge.steps == noConfidence })
	if len(decided) == 0 {
		return nil
	}
	return new(s.pairColumns(decided, same, confidenceOf).Probability())
}

// toolPairs returns a row for each tool, sorted by number of items, then by name. Tools beyond
// maxTools share a row.
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

// contrast tests for each tool whether the two agree on it as often as on all others.
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

// toolPair returns the row of a tool. With few items it has no interval, which would depend more on
// the formula than on the tool.
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

// matched holds the items of a judge and its reference, or of two judges.
type matched struct {
	// both holds the items that both scored, decided those with two verdicts, and sure those
	// decided items that need no review.
	both, decided, sure    []pair
	conversations, partial int
	// missingJudge counts items that the reference scored and for which the judge has an error or
	// no usable answer; missingRef the opposite. onlyRef and onlyJudge count items that the other
	// side was not asked about.
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

// kept returns the pairs for which keep is true. If it is true for all, it returns the same slice:
// do not change it.
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

// count adds the number of items, and how many are missing on each side.
func (m *matched) count(row *report.AgreementRow) {
	row.N, row.Conversations, row.Partial = len(m.both), m.conversations, m.partial
	row.MissingJudge, row.MissingRef = m.missingJudge, m.missingRef
	row.OnlyReference, row.OnlyJudge = m.onlyRef, m.onlyJudge
}

// countAbsent counts a reading without a value: in notMet if the instrument was not asked or had
// nothing to say, else in missing.
func countAbsent(o reading, notMet, missing *int) {
	if !o.has(isMet) || o.has(isNotApplicable) {
		*notMet++
		return
	}
	*missing++
}

// The numbers of a pair; NaN if undefined.

func judgeValue(p pair) float64   { return p.judge.number() }
func refValue(p pair) float64     { return p.ref.number() }
func judgePasses(p pair) float64  { j, _ := p.verdicts(); return j }
func refPasses(p pair) float64    { _, r := p.verdicts(); return r }
func judgeVerdict(p pair) float64 { return p.judge.verdict() }
func refVerdict(p pair) float64   { return p.ref.verdict() }
func confidenceOf(p pair) float64 { return p.judge.confidence() }

// same returns 1 if the verdicts are equal, else 0.
func same(p pair) float64 {
	j, r := p.verdicts()
	return 1 - math.Abs(j-r)
}

// refused returns a row without numbers, because the judge saw the facts by which the reference decides.
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
