package page

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// Reading turns scores into items as a report reads them: with verdicts by the report's thresholds
// and calibration, and with each item's rank among the fails and the disagreements.
type Reading struct {
	decided func(score.Score) score.Score
	leads   map[string]report.Instrument
	// refs holds the ranks of the leading judge's references, from 0; evidence says how strongly their
	// verdicts count.
	refs     map[report.Instrument]int
	evidence func(report.Instrument) report.Evidence
	ranks    map[itemKey]ranks
	// report holds the groups of failing calls, nil for none; judge is the judge that decides.
	report *report.Report
	judge  string
	// brief leaves out the texts of scores.
	brief bool
}

// ranks holds an item's ranks among the fails and the disagreements, from 1, 0 for none; opposed
// holds who disagrees, nil if nobody does.
type ranks struct {
	failure, disagreement int
	opposed               *report.Opposed
}

// itemKey identifies an item of a conversation: a call, a turn or, with -1, the whole.
type itemKey struct {
	conversation string
	itemPlace
}

// itemPlace is the position of an item in its conversation. Places are compared field by field: the
// whole conversation comes first, then the turns, then each call before its result.
type itemPlace struct {
	isCall   int
	index    int
	isResult int
}

// placeOf returns the place of the item that a score or a case names.
func placeOf(call *int, turn int, scope string) itemPlace {
	switch {
	case turn > 0:
		return itemPlace{0, turn, 0}
	case call == nil:
		return itemPlace{0, -1, 0}
	case scope == report.ResultLevel:
		return itemPlace{1, *call, 1}
	}
	return itemPlace{1, *call, 0}
}

// keyOf returns the key of a case's item.
func keyOf(c report.CaseRef) itemKey {
	return itemKey{c.ConversationID, placeOf(c.CallIndex, c.Turn, "")}
}

func (p itemPlace) compare(q itemPlace) int {
	return cmp.Or(cmp.Compare(p.isCall, q.isCall), cmp.Compare(p.index, q.index), cmp.Compare(p.isResult, q.isResult))
}

// levels lists the levels of items, those that lead the page first.
var levels = [...]string{report.CallLevel, report.ConversationLevel, report.ResultLevel, report.TurnLevel}

// NewReading returns a Reading for report r, which must have been built from the scores and not
// read from a file: a file does not list all disagreements.
func NewReading(r *report.Report) *Reading {
	rd := &Reading{decided: measure.Redecider(r), leads: map[string]report.Instrument{}, ranks: map[itemKey]ranks{},
		refs: map[report.Instrument]int{}, evidence: r.Evidence, report: r, judge: r.Run.Named().LeadingJudge()}
	for _, level := range levels {
		row := r.Leading(level)
		if row == nil {
			continue
		}
		rd.leads[level] = row.Instrument
		judge := row.Instrument
		if deciding := r.Decider(); judge.Judge == "" && deciding.Judge != "" {
			judge = deciding.Instrument
		}
		for i, ref := range measure.OwnReferences(r, judge, level) {
			rd.refs[ref] = i
		}
	}
	for i := range r.Disagreements.All {
		c := &r.Disagreements.All[i]
		key := keyOf(c.CaseRef)
		if rd.ranks[key].disagreement == 0 {
			rd.ranks[key] = ranks{disagreement: i + 1, opposed: c}
		}
	}
	for i, f := range r.Failing.Items {
		key := keyOf(f.CaseRef)
		known := rd.ranks[key]
		known.failure = i + 1
		rd.ranks[key] = known
	}
	return rd
}

// Items groups scores into items; the scores of a conversation must be adjacent. It yields the
// items of each conversation: the whole conversation first, then its calls. It skips lines that are
// not scores; any other error is yielded last.
func (rd *Reading) Items(scores iter.Seq2[score.Score, error]) iter.Seq2[[]*Item, error] {
	return func(yield func([]*Item, error) bool) {
		g := group{reading: rd}
		for s, err := range score.Good(scores) {
			switch {
			case err != nil:
				yield(nil, fmt.Errorf("read scores: %w", err))
				return
			case len(g.items) > 0 && s.ConversationID != g.conversation && !yield(g.finish(), nil):
				return
			}
			decided := rd.decided(s)
			g.add(&decided)
		}
		if len(g.items) > 0 {
			yield(g.finish(), nil)
		}
	}
}

// group holds the items of the current conversation.
type group struct {
	reading      *Reading
	conversation string
	items        []*Item
	at           map[itemPlace]*Item
	order        int
}

// add adds a decided score to its item.
func (g *group) add(s *score.Score) *Item {
	if len(g.items) == 0 {
		g.conversation, g.at = s.ConversationID, map[itemPlace]*Item{}
	}
	place := placeOf(s.CallIndex, s.Turn, s.Scope)
	i := g.at[place]
	if i == nil {
		i = &Item{Conversation: s.ConversationID, Call: s.CallIndex, Turn: s.Turn, Tool: name(s.Tool),
			Place: line(s.Place, maxWhy)}
		if s.Scope == score.ScopeResult || s.Scope == score.ScopeTurn {
			i.Scope = strings.Clone(s.Scope)
		}
		known := g.reading.ranks[itemKey{s.ConversationID, place}]
		i.Failure, i.Disagreement, i.opposed = known.failure, known.disagreement, known.opposed
		g.at[place], g.items = i, append(g.items, i)
	}
	g.reading.put(i, s)
	return i
}

// finish returns the items of the conversation.
func (g *group) finish() []*Item {
	out := g.items
	slices.SortFunc(out, func(x, y *Item) int { return x.place().compare(y.place()) })
	for _, i := range out {
		i.Order = g.order
		g.order++
	}
	if whole := out[0]; whole.isWhole() {
		whole.take(out[1:])
	}
	for _, i := range out {
		i.findConflict()
		g.reading.findGroup(i)
	}
	g.items = nil
	return out
}

// take gives a conversation its items, and the verdicts of its calls. If the leading judge has no verdict on
// the conversation itself, it passes the conversation if it passes all calls that it decides.
func (i *Item) take(items []*Item) {
	reduce := i.JudgeSays == ""
	for _, call := range items {
		if call.whole = i; call.Call == nil || call.Scope != "" {
			continue
		}
		if reduce && i.JudgeSays != fail && call.JudgeSays != "" {
			i.JudgeSays, i.Judge = call.JudgeSays, call.Judge
		}
		if len(i.Calls) < maxCalls {
			i.Calls = append(i.Calls, CallVerdict{*call.Call, call.Tool, call.Verdict})
		}
	}
}

// findConflict sets who contradicts whom, if there is a disagreement.
func (i *Item) findConflict() {
	if i.opposed == nil {
		return
	}
	says := map[bool]string{true: pass, false: fail}
	i.JudgeSays, i.ReferenceSays = says[i.opposed.Passes], says[!i.opposed.Passes]
	i.Judge, i.Reference = name(i.opposed.Judge), name(i.opposed.Reference)
}

// findGroup sets the group of a failing item.
func (rd *Reading) findGroup(i *Item) {
	level := report.CallLevel
	if i.Call == nil {
		level = report.ConversationLevel
	}
	if rd.report == nil || i.Verdict != fail || rd.report.Failing.By.Level != level {
		return
	}
	s := i.why.Signature
	if s.Kind == "" {
		s = groups.Signature{Tool: i.Tool, Kind: rd.report.Failing.By.Title()}
	}
	if g := rd.report.GroupOf(s.ID()); g != nil {
		i.Group = g.ID
	}
}

// put adds a score to its item.
func (rd *Reading) put(i *Item, s *score.Score) {
	out := newScore(s)
	if !rd.brief {
		out.addTexts(s)
	}
	i.Scores = append(i.Scores, out)
	in := instrumentOf(s)
	if in == rd.leads[in.Level] {
		i.Verdict, i.Why = out.Verdict, line(cmp.Or(s.Explanation, out.Problem), maxWhy)
	}
	if in == rd.leads[in.Level] && in.Judge != "" {
		i.JudgeSays, i.Judge = out.Verdict, out.Judge
	}
	passed := measure.VerdictOf(s)
	if level := in.Level; passed != nil && !*passed && s.Purpose == "" && rd.report != nil &&
		(level == report.CallLevel || level == report.ConversationLevel) {
		if why := groups.Of(s, rd.judge); why.Compare(&i.why) < 0 {
			i.why = why
		}
	}
	if s.Source == score.Judge && passed == nil && i.Answer == "" {
		if i.Answer = out.Category; s.Status == score.NotApplicable {
			i.Answer = words.NotApplicable
		}
		i.Why = cmp.Or(i.Why, line(s.Explanation, maxWhy))
	}
	if at, ok := rd.refs[in]; ok && passed != nil && rd.evidence(in).Weight(*passed) > 0 &&
		(i.ReferenceSays == "" || at < i.reference) {
		i.ReferenceSays, i.Reference, i.reference = out.Verdict, out.Name, at
	}
	if at, ok := s.Details.Field("expected_index").Int64(); ok && i.Call != nil {
		i.Expected = new(int(at))
	}
}

func instrumentOf(s *score.Score) report.Instrument {
	return report.Instrument{Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge,
		Level: report.LevelOf(s), Purpose: s.Purpose}
}

// disagreements counts the items on which a judge and a reference decide differently.
func (rd *Reading) disagreements() (n int) {
	for _, r := range rd.ranks {
		if r.disagreement > 0 {
			n++
		}
	}
	return n
}

// place returns the item's position in its conversation.
func (i *Item) place() itemPlace { return placeOf(i.Call, i.Turn, i.Scope) }

// Level returns the level of the item.
func (i *Item) Level() string {
	switch {
	case i.Scope != "":
		return i.Scope
	case i.Call == nil:
		return report.ConversationLevel
	}
	return report.CallLevel
}

// judgesDiffer reports whether two judges give the item opposite verdicts as a whole. single says
// that the run has only one rubric.
func (i *Item) judgesDiffer(single bool) bool {
	var passes, fails bool
	for k := range i.Scores {
		if s := &i.Scores[k]; s.Judge != "" && !s.extra && (single || report.IsOverall(s.Name)) {
			passes, fails = passes || s.Verdict == pass, fails || s.Verdict == fail
		}
	}
	return passes && fails
}

// isWhole reports whether the item is a whole conversation.
func (i *Item) isWhole() bool { return i.Call == nil && i.Turn == 0 }
