package agreement

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
)

// toolTables counts the verdicts of each row of tools, where both sides speak of calls.
func (b *matcher) toolTables(row *report.AgreementRow, s *pairSums) (fold []int, tools []classification.Stratum, tables []raters.KappaTable, err error) {
	if row.Level != report.CallLevel || row.Verdicts == 0 {
		return nil, nil, nil, nil
	}
	counts := make([]int, len(b.Table.Set.Tools()))
	for t, c := range s.byTool {
		counts[t] = c.N()
	}
	fold, rows := b.foldTools(counts)
	folded := make([]classification.Confusion, len(rows))
	for t, c := range s.byTool {
		f := &folded[fold[t]]
		f.TP, f.FP, f.FN, f.TN = f.TP+c.TP, f.FP+c.FP, f.FN+c.FN, f.TN+c.TN
	}
	for i, c := range folded {
		one, err := classification.StratumOf(rows[i].Tool, c, b.Alpha)
		if err != nil {
			return nil, nil, nil, err
		}
		table, err := raters.CountedKappa(verdictTable(c), 2, raters.NoWeights, b.Alpha)
		if err != nil {
			return nil, nil, nil, err
		}
		tools, tables = append(tools, one), append(tables, table)
	}
	return fold, tools, tables, nil
}

// toolPairs lists the rows of tools, those with the most items first. Few items have
// no interval: it would say more of the formula than of the tool.
func (b *matcher) toolPairs(row *report.AgreementRow, tools []classification.Stratum, sums []toolSums) error {
	for i, t := range tools {
		pair := report.ToolPair{
			Tool: t.Name, N: t.N, Small: t.N < b.SmallN,
			BaseRate: report.Point(t.GoldRate), JudgeRate: report.Point(t.JudgeRate),
			Agreement: report.Point(t.Agreement), Kappa: report.Point(t.Kappa),
			JudgeOnlyPass: t.JudgeOnlyPass, JudgeOnlyFail: t.JudgeOnlyFail,
		}
		if !pair.Small {
			var err error
			if pair.Agreement, err = report.RateOf(&sums[i].same, b.Alpha); err != nil {
				return err
			}
			if pair.Kappa, err = b.uncertain(t.Kappa, &sums[i].influence); err != nil {
				return err
			}
		}
		row.ByTool = append(row.ByTool, pair)
	}
	slices.SortStableFunc(row.ByTool, func(x, y report.ToolPair) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Tool, y.Tool)) })
	return nil
}

// foldTools decides which tools have a row: those with the most calls, by name
// where equal; all others share the last row. fold maps a tool to its row.
func (b *matcher) foldTools(calls []int) (fold []int, rows []report.ToolRow) {
	order := make([]int, 0, len(calls))
	for t, n := range calls {
		if n > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(calls[y], calls[x]) })
	fold, rows = make([]int, len(calls)), []report.ToolRow{}
	for i, t := range order {
		if i >= b.MaxTools {
			last := &rows[len(rows)-1]
			if i == b.MaxTools {
				rows = append(rows, report.ToolRow{Tool: report.OtherTools})
				last = &rows[len(rows)-1]
			}
			last.Folded++
			last.Calls += calls[t]
			fold[t] = len(rows) - 1
			continue
		}
		fold[t] = len(rows)
		rows = append(rows, report.ToolRow{Tool: b.Table.Set.Tools()[t], Calls: calls[t]})
	}
	for i := range rows {
		rows[i].Small = rows[i].Calls < b.SmallN
	}
	return fold, rows
}
