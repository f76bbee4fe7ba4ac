package report

import (
	"cmp"
	"fmt"
	"slices"
)

// threeLayer is the type of the scorer that gives all three verdicts at once.
const threeLayer = "three_layer"

// layerFields are its verdicts in the order of the layers.
func layerFields() []string { return []string{"schema_ok", "ast_ok", "exec_ok"} }

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
func layerAt(layers []Layer, name string) int {
	return slices.IndexFunc(layers, func(l Layer) bool { return l.Layer == name })
}

// maxCrossings bounds how many cases of a crossing are named.
const maxCrossings = 50

// maxNamedCrossings bounds how many cases of a crossing are named in a sentence.
const maxNamedCrossings = 5

// Words says in sentences on how many cases AST and execution differ, and names the
// first; nothing where a layer is missing or they never do.
func (f *Funnel) Words() []string {
	var out []string
	for _, part := range []struct {
		c    *Crossing
		says string
	}{
		{f.Alternatives, "reach the right state by other calls than the expected ones (valid alternatives)"},
		{f.Misleading, "make the expected calls and end in the wrong state"},
	} {
		if part.c == nil || part.c.Count == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s:", count(part.c.Count, "case", "cases"), part.says)
		for i, c := range part.c.Cases {
			if i == maxNamedCrossings {
				text += ", …"
				break
			}
			if i > 0 {
				text += ","
			}
			text += " " + c.ConversationID
		}
		out = append(out, text)
	}
	return out
}

func losses(counts map[string]int) []Loss {
	out := []Loss{}
	for tool, n := range counts {
		out = append(out, Loss{cmp.Or(tool, "(no tool)"), n})
	}
	slices.SortFunc(out, func(x, y Loss) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Tool, y.Tool)) })
	if len(out) > maxLossTools {
		rest := 0
		for _, l := range out[maxLossTools:] {
			rest += l.Count
		}
		out = append(out[:maxLossTools], Loss{otherTools, rest})
	}
	return out
}
