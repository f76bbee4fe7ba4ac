package watch

import (
	"cmp"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// CountDay counts the scores of a day by the verdicts that decide in its report.
func CountDay(r *report.Report, scores iter.Seq2[score.Score, error]) (Day, error) {
	row := r.Decider()
	c := NewCounter("")
	if row == nil {
		return c.Day(), nil
	}
	decided, items := measure.Redecider(r), &itemsOf{counter: c}
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

// isOf reports whether a score is one of an instrument.
func isOf(s *score.Score, by *report.Instrument) bool {
	call := by.Level == report.CallLevel
	return s.Name == by.Name && s.Metric == by.Metric && s.Judge == by.Judge && string(s.Source) == by.Source &&
		(s.CallIndex != nil) == call && (s.Scope == "" || !call && s.Scope == score.ScopeConversation)
}

// itemsOf collects the verdicts on one conversation, and why its items fail: other scores may say that
// more exactly than the one that decides.
type itemsOf struct {
	counter  *Counter
	id       string
	verdicts []Verdict
	reasons  map[int]string
}

func (c *itemsOf) add(s *score.Score, decides bool) {
	if s.ConversationID != c.id {
		c.end()
		c.id = strings.Clone(s.ConversationID)
	}
	if s.Passed == nil {
		return
	}
	call := -1
	if s.CallIndex != nil {
		call = *s.CallIndex
	}
	if decides {
		c.verdicts = append(c.verdicts, Verdict{Conversation: c.id, Call: call, Tool: strings.Clone(s.Tool), Passed: *s.Passed})
	}
	if !*s.Passed && s.Source != score.Label && (decides || c.reasons[call] == "") {
		if c.reasons == nil {
			c.reasons = map[int]string{}
		}
		c.reasons[call] = strings.Clone(cmp.Or(s.Category, report.Instrument{Name: s.Name, Metric: s.Metric}.Title()))
	}
}

// end counts the conversation.
func (c *itemsOf) end() {
	for _, v := range c.verdicts {
		if !v.Passed {
			v.Name = c.reasons[v.Call]
			v.Group = v.Tool + "\x00" + v.Name
		}
		c.counter.Add(v)
	}
	c.verdicts = c.verdicts[:0]
	clear(c.reasons)
}
