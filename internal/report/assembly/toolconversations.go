package assembly

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// feedConversations adds the scores of whole conversations to the sums of their tools.
func (a *tallies) feedConversations(t *series.Table) {
	type pair struct {
		to   *tally
		from *series.Series
	}
	var whole []pair
	for key, sr := range t.All {
		if key.Level == report.ConversationLevel && key.Purpose != "qa" {
			whole = append(whole, pair{a.all[key], sr})
		}
	}
	names := t.Set.Tools()
	t.Set.EachConversationTools(func(item scoreset.Item, tools []uint32) {
		for _, p := range whole {
			o := series.Observation{Cell: p.from.Column.At(item), Item: item}
			if !o.Has(scoreset.Met) {
				continue
			}
			for _, tool := range tools {
				name := names[tool]
				p.to.toolSums(name).add(o, a.conversations+o.Cluster())
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
func (b *builder) toolConversations(r *report.Report) error {
	if len(b.mainTallies(func(t *tally) bool { return t.Level == report.CallLevel && t.size > 0 })) == 0 {
		return nil
	}
	all := b.mainTallies(func(t *tally) bool { return t.Level == report.ConversationLevel })
	counts := toolCounts(all)
	for _, c := range counts[:min(len(counts), b.MaxTools)] {
		row := report.ToolConversations{Tool: c.tool, Conversations: c.calls, Small: c.calls < b.SmallN}
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
