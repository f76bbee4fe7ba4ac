package report

import (
	"cmp"
	"fmt"

	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/score"
)

// ToolConversations reads the scores of whole conversations by tool: it sums up the
// conversations that have to do with one tool. A conversation that uses several tools
// counts for each of them, so that rows of different tools share conversations.
//
// A conversation has to do with the tools that its calls name, as far as any score
// speaks of those calls, and with the tools of expected calls that
// function_call_accuracy found missing.
type ToolConversations struct {
	Tool          string      `json:"tool"`
	Conversations int         `json:"conversations"`
	Small         bool        `json:"small"`
	Scores        []ToolScore `json:"scores"`
}

// mentionMissing notes the tools of the expected calls that a conversation lacks.
func (t *table) mentionMissing(item scoreset.Item, s *score.Score, m *Manifest) {
	if !item.Whole() || s.Source != score.Deterministic || m.Scorer(s.Name).Type != "function_call_accuracy" {
		return
	}
	for _, name := range s.Details.Field("missing").Elements() {
		if tool, ok := name.Str(); ok && tool != "" {
			t.set.Mention(item, tool)
		}
	}
}

// feedConversations adds the scores of whole conversations to the sums of their tools.
func (a *tallies) feedConversations(t *table) {
	type pair struct {
		to   *tally
		from *series
	}
	var whole []pair
	for key, sr := range t.all {
		if key.Level == ConversationLevel && key.Purpose != "qa" {
			whole = append(whole, pair{a.all[key], sr})
		}
	}
	names := t.set.Tools()
	t.set.EachConversationTools(func(item scoreset.Item, tools []uint32) {
		for _, p := range whole {
			o := observation{Cell: p.from.column.At(item), item: item}
			if !o.Has(scoreset.Met) {
				continue
			}
			for _, tool := range tools {
				name := names[tool]
				p.to.toolSums(name).add(o, a.conversations+o.cluster())
				p.to.calls[name]++
			}
		}
	})
}

// toolSums are the sums of a row of tools.
func (t *tally) toolSums(name string) *sums {
	s := t.tools[name]
	if s == nil {
		s = &sums{}
		t.tools[name] = s
	}
	return s
}

// toolConversations sums up every conversation-level instrument by tool, those with
// the most conversations first. Where no score speaks of calls, nothing is known of
// the tools but those that are missing, and there are no rows. Beyond the first
// Config.MaxTools tools none has a row: a conversation would count for several of them.
func (b *builder) toolConversations(r *Report) error {
	if len(b.mainTallies(func(t *tally) bool { return t.Level == CallLevel && t.size > 0 })) == 0 {
		return nil
	}
	all := b.mainTallies(func(t *tally) bool { return t.Level == ConversationLevel })
	counts := toolCounts(all)
	for _, c := range counts[:min(len(counts), b.MaxTools)] {
		row := ToolConversations{Tool: c.tool, Conversations: c.calls, Small: c.calls < b.SmallN}
		for _, t := range all {
			out, met, err := b.toolScore(t, c.tool, nil, false)
			if err != nil {
				return fmt.Errorf("conversations of tool %s: %w", c.tool, err)
			}
			if met {
				row.Scores = append(row.Scores, out)
			}
		}
		r.ByToolConversations = append(r.ByToolConversations, row)
	}
	return nil
}

// conversationRows adds the rows by tool of a pair that speaks of whole conversations:
// those that have to do with the tool in either run.
func (c *comparer) conversationRows(p seriesPair) error {
	if p.a.Level != ConversationLevel || c.set.Calls() == 0 {
		return nil
	}
	tools := make([]*changeSums, len(c.set.Tools()))
	c.set.EachConversationTools(func(item scoreset.Item, of []uint32) {
		a := observation{Cell: p.a.column.At(item), item: item}
		b := observation{Cell: p.b.column.At(item), item: item}
		if !a.Has(scoreset.Met) && !b.Has(scoreset.Met) {
			return
		}
		for _, tool := range of {
			if tools[tool] == nil {
				tools[tool] = newChangeSums()
			}
			tools[tool].add(a, b)
		}
	})
	for t, sums := range tools {
		if sums == nil || sums.mean.n == 0 {
			continue
		}
		row, err := c.row(p, sums)
		if err != nil {
			return err
		}
		row.Tool = cmp.Or(c.set.Tools()[t], "(no tool)")
		c.out.ByToolConversations = append(c.out.ByToolConversations, row)
	}
	return nil
}
