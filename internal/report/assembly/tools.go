package assembly

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// toolRows sums up every call-level instrument by tool.
func (b *builder) toolRows(r *report.Report) error {
	all := b.mainAt(report.CallLevel)
	counts := b.toolCounts(all)
	shown := counts[:min(len(counts), b.MaxTools)]
	rows, rowOf := make([]report.ToolRow, 0, len(shown)+1), map[uint32]int{}
	for i, c := range counts {
		if i < len(shown) {
			rows = append(rows, report.ToolRow{Tool: c.name, Calls: c.items})
		} else if i == len(shown) {
			rows = append(rows, report.ToolRow{Tool: report.OtherTools, Folded: len(counts) - len(shown)})
		}
		rowOf[c.tool] = len(rows) - 1
		if i >= len(shown) {
			rows[len(shown)].Calls += c.items
		}
	}
	for _, sr := range all {
		said := make([][]series.Observation, len(rows))
		for _, o := range b.Table.Items.Said(sr) {
			row := rowOf[o.Item.Tool]
			said[row] = append(said[row], o)
		}
		for i := range rows {
			if err := b.toolScore(&rows[i].Scores, sr, said[i]); err != nil {
				return fmt.Errorf("tool %s: %w", rows[i].Tool, err)
			}
		}
	}
	for i := range rows {
		rows[i].Small = rows[i].Calls < b.SmallN
	}
	r.ByTool = rows
	return nil
}

// toolConversations sums up every conversation-level instrument by tool, those with
// the most conversations first. Where no score is of calls, nothing is known of the
// tools but those that are missing, and there are no rows. Beyond the first
// Config.MaxTools tools none has a row: a conversation would count for several of them.
func (b *builder) toolConversations(r *report.Report) error {
	if len(b.mainAt(report.CallLevel)) == 0 {
		return nil
	}
	all := b.mainAt(report.ConversationLevel)
	counts := b.toolCounts(all)
	counts = counts[:min(len(counts), b.MaxTools)]
	rows, rowOf := make([]report.ToolConversations, len(counts)), map[uint32]int{}
	for i, c := range counts {
		rows[i] = report.ToolConversations{Tool: c.name, Conversations: c.items, Small: c.items < b.SmallN}
		rowOf[c.tool] = i
	}
	for _, sr := range all {
		said := make([][]series.Observation, len(rows))
		for _, o := range b.Table.Items.Said(sr) {
			b.toolsOf(o.Item, func(tool uint32) {
				if row, ok := rowOf[tool]; ok {
					said[row] = append(said[row], o)
				}
			})
		}
		for i := range rows {
			if err := b.toolScore(&rows[i].Scores, sr, said[i]); err != nil {
				return fmt.Errorf("conversations of tool %s: %w", rows[i].Tool, err)
			}
		}
	}
	if len(rows) > 0 {
		r.ByToolConversations = rows
	}
	return nil
}

// toolScore adds one cell of a table of tools, none where the instrument met no item.
func (b *builder) toolScore(to *[]report.ToolScore, sr *series.Series, said []series.Observation) error {
	if len(said) == 0 {
		return nil
	}
	out := report.ToolScore{Instrument: sr.Instrument, N: count(said, series.HasValue)}
	out.Missing = len(said) - count(said, series.HasValue|series.NotApplicable)
	var err error
	if out.Mean, out.PassRate, err = estimates(said, b.Alpha); err == nil {
		*to = append(*to, out)
	}
	return err
}

// toolCount is a tool with the largest number of items that any instrument met.
type toolCount struct {
	tool  uint32
	name  string
	items int
}

// toolCounts are the tools that the instruments met, those with the most items first,
// by name where equal.
func (b *builder) toolCounts(all []*series.Series) []toolCount {
	counts := make([]toolCount, len(b.Table.Items.Tools()))
	for i, name := range b.Table.Items.Tools() {
		counts[i] = toolCount{tool: uint32(i), name: name}
	}
	seen := make([]int, len(counts))
	for _, sr := range all {
		clear(seen)
		for _, o := range b.Table.Items.Said(sr) {
			b.toolsOf(o.Item, func(tool uint32) { seen[tool]++ })
		}
		for i, n := range seen {
			counts[i].items = max(counts[i].items, n)
		}
	}
	counts = slices.DeleteFunc(counts, func(c toolCount) bool { return c.items == 0 })
	slices.SortStableFunc(counts, func(x, y toolCount) int { return cmp.Compare(y.items, x.items) })
	return counts
}

// toolsOf visits the tool of a call, or those that a conversation has to do with.
func (b *builder) toolsOf(item series.Item, visit func(tool uint32)) {
	if item.Whole() {
		b.Table.Items.ToolsOf(item.Conversation, visit)
		return
	}
	visit(item.Tool)
}

// mainAt are the series of a level that are neither qa nor a retest.
func (b *builder) mainAt(level string) []*series.Series {
	return series.AtLevel(b.Main(func(*series.Series) bool { return true }), level)
}
