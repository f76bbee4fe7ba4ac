package funnel

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// layerNames are what the report calls the layers, and layerScorers the scorers that
// give the verdict of one of them alone.
var (
	layerNames   = [3]string{"schema", "ast", "execution"}
	layerScorers = [3]string{"schema_check", "ast_equivalence", "execution_check"}
)

const (
	maxLossTools = 20
	maxLossCases = 5
)

// layerAt returns the index of a layer, -1 where it is missing.
func layerAt(layers []report.Layer, name string) int {
	return slices.IndexFunc(layers, func(l report.Layer) bool { return l.Layer == name })
}

// maxCrossings bounds how many cases of a crossing are named.
const maxCrossings = 50

func losses(counts map[string]int) []report.Loss {
	out := []report.Loss{}
	for tool, n := range counts {
		out = append(out, report.Loss{Tool: cmp.Or(tool, "(no tool)"), Count: n})
	}
	slices.SortFunc(out, func(x, y report.Loss) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Tool, y.Tool)) })
	if len(out) > maxLossTools {
		rest := 0
		for _, l := range out[maxLossTools:] {
			rest += l.Count
		}
		out = append(out[:maxLossTools], report.Loss{Tool: report.OtherTools, Count: rest})
	}
	return out
}
