package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// toolPairs lists the rows of tools where both sides speak of calls: those with the
// most items first, by name where equal; beyond Config.MaxTools tools share a row.
func (b *builder) toolPairs(row *report.AgreementRow, s *pairs) error {
	if row.Level != report.CallLevel {
		return nil
	}
	names := b.Table.Items.Tools()
	byTool := make([][]series.Pair, len(names))
	for _, p := range s.decided {
		byTool[p.Judge.Item.Tool] = append(byTool[p.Judge.Item.Tool], p)
	}
	var order []int
	for t, of := range byTool {
		if len(of) > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(byTool[y]), len(byTool[x])) })
	var rest []series.Pair
	for i, t := range order {
		if i >= b.MaxTools {
			rest = append(rest, byTool[t]...)
			continue
		}
		if err := b.toolPair(row, names[t], byTool[t]); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		if err := b.toolPair(row, report.OtherTools, rest); err != nil {
			return err
		}
	}
	slices.SortStableFunc(row.ByTool, func(x, y report.ToolPair) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Tool, y.Tool)) })
	return nil
}

// toolPair adds the row of a tool. Few items have no interval: it would say more of
// the formula than of the tool.
func (b *builder) toolPair(row *report.AgreementRow, tool string, decided []series.Pair) (err error) {
	c := confusion(decided)
	out := report.ToolPair{Tool: tool, N: c.N(), Small: c.N() < b.SmallN, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN}
	if out.Kappa, err = b.kappa(decided, refPasses, judgePasses, verdicts, raters.NoWeights); err != nil {
		return err
	}
	if out.Agreement, err = report.RateOf(decided, same, b.Alpha); err != nil {
		return err
	}
	if out.Small {
		out.Kappa, out.Agreement = out.Kappa.WithoutInterval(), out.Agreement.WithoutInterval()
	}
	m, err := c.Metrics()
	out.BaseRate, out.JudgeRate = report.Point(m.Prevalence), report.Point(m.PredictedRate)
	row.ByTool = append(row.ByTool, out)
	return err
}
