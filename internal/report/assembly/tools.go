package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// toolRows sums up the instruments that speak of calls by tool, and those that speak of
// conversations by the tools that these have to do with. Where no score is of calls,
// nothing is known of the tools but those that are missing, and there are no rows.
func (b *Builder) toolRows(r *report.Report) {
	r.ByTool = []report.ToolRow{}
	for _, t := range b.toolSums(report.CallLevel) {
		r.ByTool = append(r.ByTool, report.ToolRow{
			Tool: t.tool, Calls: t.items, Folded: t.folded, Small: t.items < b.SmallN, Scores: t.scores,
		})
	}
	if len(atLevel(b.main(), report.CallLevel)) == 0 {
		return
	}
	for _, t := range b.toolSums(report.ConversationLevel) {
		r.ByToolConversations = append(r.ByToolConversations, report.ToolRow{
			Tool: t.tool, Conversations: t.items, Small: t.items < b.SmallN, Scores: t.scores,
		})
	}
}

// toolSum is a tool with the largest number of items that any instrument met, and what
// each instrument says of them.
type toolSum struct {
	tool          string
	items, folded int
	scores        []report.ToolScore
}

// toolSums are the tools that the instruments of a level met, those with the most items
// first, by name where equal. Of calls, the tools beyond Config.MaxTools share a row; of
// conversations these have none, since one would count several times in it.
func (b *Builder) toolSums(level string) []toolSum {
	all := atLevel(b.main(), level)
	order, counts := b.toolCounts(all)
	shown := order[:min(len(order), b.MaxTools)]
	rows, rowOf := make([]toolSum, len(shown), len(shown)+1), make([]int, len(counts))
	for i := range rowOf {
		rowOf[i] = -1
	}
	for i, tool := range shown {
		rows[i] = toolSum{tool: b.tools.list[tool], items: counts[tool]}
		rowOf[tool] = i
	}
	if rest := order[len(shown):]; len(rest) > 0 && level == report.CallLevel {
		other := toolSum{tool: report.OtherTools, folded: len(rest)}
		for _, tool := range rest {
			other.items += counts[tool]
			rowOf[tool] = len(rows)
		}
		rows = append(rows, other)
	}
	for _, sr := range all {
		said := make([][]observation, len(rows))
		for _, c := range sr.cells {
			o := observation{cell: c, of: b.at(level, c.item)}
			b.eachTool(o.of, func(tool uint32) {
				if row := rowOf[tool]; row >= 0 {
					said[row] = append(said[row], o)
				}
			})
		}
		for i, of := range said {
			if len(of) == 0 {
				continue
			}
			one := report.ToolScore{Instrument: sr.Instrument, N: count(of, isScored)}
			one.Missing = len(of) - count(of, isScored|isNotApplicable)
			one.Mean, one.PassRate, _ = b.estimates(of)
			rows[i].scores = append(rows[i].scores, one)
		}
	}
	return rows
}

// toolCounts are the numbers of the tools that the instruments met, those with the most
// items first, and by each tool's number the largest number of items of an instrument.
func (b *Builder) toolCounts(all []*series) (order []uint32, counts []int) {
	counts = make([]int, len(b.tools.list))
	seen := make([]int, len(counts))
	for _, sr := range all {
		clear(seen)
		for _, c := range sr.cells {
			b.eachTool(b.at(sr.Level, c.item), func(tool uint32) { seen[tool]++ })
		}
		for i, n := range seen {
			counts[i] = max(counts[i], n)
		}
	}
	for i, n := range counts {
		if n > 0 {
			order = append(order, uint32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y uint32) int { return cmp.Compare(counts[y], counts[x]) })
	return order, counts
}
