package measure

import (
	"cmp"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// toolRows summarizes the instruments of calls by tool, and those of conversations by the tools that they
// involve. If there are no scores of calls, the tools are mostly unknown, and there are no rows.
func (b *Builder) toolRows(r *report.Report) {
	r.ByTool = filled(b.rowsByTool(report.CallLevel))
	if len(atLevel(b.main(), report.CallLevel)) > 0 {
		r.ByToolConversations = b.rowsByTool(report.ConversationLevel)
	}
}

// rowsByTool returns a level's tools, with each instrument's scores.
func (b *Builder) rowsByTool(level string) []report.ToolRow {
	all := atLevel(b.main(), level)
	rows, rowOf := b.emptyRows(all, level)
	for _, sr := range all {
		observed := make([][]observation, len(rows))
		for _, o := range b.observations(sr) {
			b.eachTool(o.of, func(tool uint32) {
				if row, ok := rowOf[tool]; ok {
					observed[row] = append(observed[row], o)
				}
			})
		}
		for i, of := range observed {
			if len(of) == 0 {
				continue
			}
			one := report.ToolScore{Instrument: sr.Instrument, N: count(of, isScored)}
			one.Missing = len(of) - count(of, isScored|isNotApplicable)
			var spread interval.ClusterSE
			one.Mean, one.PassRate, spread = b.estimates(of)
			one.EffectiveN = report.Point(spread.Effective)
			rows[i].Scores = append(rows[i].Scores, one)
		}
	}
	return rows
}

// emptyRows returns the tools sorted by number of items, then by name, and the row for each tool's
// number. For calls, the tools beyond maxTools share a row; for conversations they have none,
// because a conversation would count several times in it.
func (b *Builder) emptyRows(all []*series, level string) (rows []report.ToolRow, rowOf map[uint32]int) {
	order, counts := b.toolCounts(all)
	rowOf = map[uint32]int{}
	for i, tool := range order {
		switch {
		case i < maxTools:
			rows = append(rows, report.ToolRow{Tool: b.tools.list[tool]})
		case level == report.ConversationLevel:
			return rows, rowOf
		case i == maxTools:
			rows = append(rows, report.ToolRow{Tool: report.OtherTools, Folded: len(order) - i})
		}
		rowOf[tool] = len(rows) - 1
		row := &rows[len(rows)-1]
		if level == report.CallLevel {
			row.Calls += counts[tool]
		} else {
			row.Conversations += counts[tool]
		}
		row.Small = row.Calls+row.Conversations < fewItems
	}
	return rows, rowOf
}

// toolCounts returns the numbers of the tools, sorted by number of items, and for each tool the
// largest number of items of an instrument.
func (b *Builder) toolCounts(all []*series) (order []uint32, counts []int) {
	counts = make([]int, len(b.tools.list))
	seen := make([]int, len(counts))
	for _, sr := range all {
		clear(seen)
		for _, o := range b.observations(sr) {
			b.eachTool(o.of, func(tool uint32) { seen[tool]++ })
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
	sorting.Stable(order, func(x, y uint32) int { return cmp.Compare(counts[y], counts[x]) })
	return order, counts
}
