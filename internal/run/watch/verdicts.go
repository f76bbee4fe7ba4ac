package watch

import (
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// CountDay counts a day's scores by the verdicts that decide in its report.
func CountDay(r *report.Report, scores iter.Seq2[score.Score, error]) (Day, error) {
	row := r.Decider()
	c := NewCounter("")
	if row == nil {
		return c.Day(), nil
	}
	decided := measure.Redecider(r)
	items := &itemsOf{counter: c, leading: r.Run.Named().LeadingJudge(), reasons: map[int]groups.Failure{}}
	for s, err := range scores {
		if err != nil {
			return Day{}, err
		}
		s = decided(s)
		items.add(&s, isOf(&s, &row.Instrument))
	}
	items.end()
	return c.Day(), nil
}

// isOf reports whether a score comes from an instrument.
func isOf(s *score.Score, by *report.Instrument) bool {
	call := by.Level == report.CallLevel
	return s.Name == by.Name && s.Metric == by.Metric && s.Judge == by.Judge && string(s.Source) == by.Source &&
		(s.CallIndex != nil) == call && (s.Scope == "" || !call && s.Scope == score.ScopeConversation)
}

// itemsOf collects the verdicts on one conversation, and why its items fail: another score may give
// a more exact reason than the one that decides.
type itemsOf struct {
	counter  *Counter
	leading  string // the leading judge
	id       string
	verdicts []Verdict
	reasons  map[int]groups.Failure
}

func (c *itemsOf) add(s *score.Score, decides bool) {
	if s.ConversationID != c.id {
		c.end()
		c.id = strings.Clone(s.ConversationID)
	}
	passed := measure.VerdictOf(s)
	if passed == nil {
		return
	}
	v := Verdict{Conversation: c.id, Call: -1, Tool: strings.Clone(s.Tool), Passed: *passed}
	if s.CallIndex != nil {
		v.Call = *s.CallIndex
	}
	if decides {
		c.verdicts = append(c.verdicts, v)
	}
	if v.Passed || s.Purpose != "" {
		return
	}
	f := groups.Of(s, c.leading)
	if known := c.reasons[v.Call]; f.Compare(&known) < 0 {
		c.reasons[v.Call] = f
	}
}

// end counts the conversation.
func (c *itemsOf) end() {
	for _, v := range c.verdicts {
		if f := c.reasons[v.Call]; !v.Passed {
			g := f.Group()
			v.Group, v.Name = g.ID, words.GroupName(&g, f.Meaning)
		}
		c.counter.Add(v)
	}
	c.verdicts = c.verdicts[:0]
	clear(c.reasons)
}
