package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
)

// Recorded names a saved run and its logs.
type Recorded struct {
	Dir  string
	Logs *input.Source
}

// maxExplained limits how many changes of a comparison are explained, because their calls are read
// from the logs.
const maxExplained = 20

// ExplainChanges adds to the first changed conversations of a comparison the call that changed, in
// both runs, and why it fails. If a run's logs are gone, only the tool of a call is known.
func ExplainChanges(ctx context.Context, a, b Recorded, c *report.Comparison, partners *directory.Partners) error {
	items := c.Changes.Items
	redecide := [2]func(score.Score) score.Score{measure.Redecider(&report.Report{Run: c.A}),
		measure.Redecider(&report.Report{Run: c.B})}
	byA, byB := c.Changes.By, c.Changes.By
	if row := c.Leading(); row != nil && row.JudgeB != "" {
		byB.Judge = row.JudgeB
	}
	for i := range items[:min(len(items), maxExplained)] {
		x := &items[i]
		idB, _, ok := partners.Of(x.ConversationID, -1)
		if !ok {
			continue
		}
		oldSide, err := readSide(ctx, a, x.ConversationID, byA, redecide[0])
		if err != nil {
			return err
		}
		newSide, err := readSide(ctx, b, idB, byB, redecide[1])
		if err != nil {
			return err
		}
		explain(x, oldSide, newSide)
	}
	return nil
}

// side is a conversation in one of two runs.
type side struct {
	id    string
	calls []page.Call
	// verdicts holds the deciding verdict of each call, fails the names of all scores that fail it,
	// why the best reason.
	verdicts map[int]bool
	fails    map[int][]string
	why      map[int]groups.Failure
}

func readSide(ctx context.Context, of Recorded, id string, by report.Instrument, redecide func(score.Score) score.Score,
) (*side, error) {
	item, err := directory.Find(ctx, of.Dir, id, of.Logs)
	if errors.Is(err, directory.ErrNoItem) {
		return &side{id: id}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &side{id: id, verdicts: map[int]bool{}, fails: map[int][]string{}, why: map[int]groups.Failure{}}
	if item.Conversation != nil {
		s.calls = page.NewConversation(item.Conversation).Calls
	}
	for _, one := range item.Scores {
		one = redecide(one)
		s.add(&one, by, item.Conversation == nil)
	}
	return s, nil
}

// add adds a score; bare says that the call is known only from its scores.
func (s *side) add(of *score.Score, by report.Instrument, bare bool) {
	passed, call := measure.VerdictOf(of), report.CaseRef{CallIndex: of.CallIndex}.Call()
	if of.Scope == score.ScopeResult || of.Scope == score.ScopeTurn {
		return
	}
	for ; bare && call >= len(s.calls) && call < 1000; s.calls = append(s.calls, page.Call{}) {
	}
	if bare && call >= 0 && call < len(s.calls) && of.Tool != "" {
		s.calls[call].Tool = of.Tool
	}
	if passed == nil {
		return
	}
	in := report.Instrument{Name: of.Name, Metric: of.Metric, Judge: of.Judge}
	if string(of.Source) == by.Source && in.Title() == by.Title() && of.Judge == by.Judge {
		s.verdicts[call] = *passed
	}
	if *passed || of.Purpose != "" {
		return
	}
	s.fails[call] = append(s.fails[call], in.Title())
	reason, known := groups.Of(of, by.Judge), s.why[call]
	if reason.Compare(&known) < 0 {
		s.why[call] = reason
	}
}

// failing reports whether the deciding verdict fails a call.
func (s *side) failing(call int) bool {
	passed, known := s.verdicts[call]
	return known && !passed
}

// explain finds the call that changed: in a conversation that got worse, the first that fails in B
// but not in A.
func explain(x *report.ConversationChange, a, b *side) {
	inA := page.Align(a.calls, b.calls) // by the calls of b
	from, to, partner := b, a, func(k int) int { return inA[k] }
	if !x.Worse {
		from, to, partner = a, b, func(i int) int { return slices.Index(inA, i) }
	}
	at, other := -1, -1
	for k := range from.calls {
		if from.failing(k) && !(partner(k) >= 0 && to.failing(partner(k))) {
			at, other = k, partner(k)
			break
		}
	}
	name := func(s *side, call int, beside *side, its int) *report.ChangedCall {
		if call < 0 {
			return nil
		}
		return &report.ChangedCall{ConversationID: s.id, CallIndex: call, Text: changedText(s, call, beside, its)}
	}
	failed, instead := name(from, at, to, other), name(to, other, from, at)
	if x.New, x.Old = failed, instead; !x.Worse {
		x.New, x.Old = instead, failed
	}
	reason := from.why[at]
	g := report.FailureGroup{Kind: reason.Kind, Parameter: reason.Parameter, Message: reason.Message}
	if reason.Kind != "" {
		x.Why = words.GroupName(&g, reason.Meaning)
	}
	for _, score := range from.fails[at] {
		if !slices.Contains(to.fails[other], score) && !slices.Contains(x.Scores, score) {
			x.Scores = append(x.Scores, score)
		}
	}
}

// changedText returns a call with those arguments that the other call does not have with the same
// value, or with all arguments if there is no other call or only the other call has more.
func changedText(s *side, call int, beside *side, its int) string {
	const most = 60
	c := &s.calls[call]
	list := c.Arguments
	if its >= 0 {
		if list = c.Differing(&beside.calls[its]); len(list) == 0 && len(beside.calls[its].Differing(c)) == 0 {
			list = c.Arguments
		}
	}
	parts := make([]string, 0, len(list))
	for _, a := range list {
		parts = append(parts, a.Name+": "+a.Text)
	}
	return fmt.Sprintf("%s(%s)", words.Shorten(c.Tool, 40), words.Shorten(strings.Join(parts, ", "), most))
}
