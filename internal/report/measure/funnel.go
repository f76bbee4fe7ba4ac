package measure

import (
	"cmp"
	"math"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// layers lists the layers in the order in which a call passes them.
var layers = [3]score.Layer{score.SchemaLayer, score.ASTLayer, score.ExecutionLayer}

const (
	maxLossTools = 20
	maxLossCases = 5
	// maxCrossings limits how many cases of a crossing are named.
	maxCrossings = 50
)

// funnelOf follows the items of a run through the known layers.
type funnelOf struct {
	*report.Funnel
	items *items
	lost  []map[string]int // by tool, for each layer
}

// funnel adds the funnel of the level with more layers; none if fewer than two are known.
func (b *Builder) funnel(r *report.Report) {
	level := report.CallLevel
	source, found := b.layerSeries(level)
	if s, whole := b.layerSeries(report.ConversationLevel); known(whole) > known(found) {
		level, source, found = report.ConversationLevel, s, whole
	}
	if known(found) < 2 {
		return // one layer is not a funnel
	}
	f := &funnelOf{Funnel: &report.Funnel{Source: source}, items: b.items}
	if found[1] != nil && found[2] != nil {
		f.Alternatives = &report.Crossing{Cases: []report.CaseRef{}}
		f.Misleading = &report.Crossing{Cases: []report.CaseRef{}}
	}
	var all []*series
	for i, sr := range found {
		if sr == nil {
			continue
		}
		rate := rateOf(&b.statistics, b.observations(sr), observation.verdict)
		all, f.lost = append(all, sr), append(f.lost, map[string]int{})
		f.Layers = append(f.Layers, report.Layer{Layer: string(layers[i]), Cases: []report.CaseRef{}, Rate: rate})
	}
	b.eachItem(level, all, f.follow)
	for i := range f.Layers {
		f.Layers[i].ByTool = losses(f.lost[i])
	}
	r.Funnel = f.Funnel
}

// layerSeries finds the verdicts of the layers at one level: the metrics of one scorer (if there are several
// such scorers, the first by name), else separate scorers. source is the type of that scorer, or "separate".
func (b *Builder) layerSeries(level string) (source string, found [3]*series) {
	source = "separate"
	for i, l := range layers {
		for _, sr := range b.series {
			if sr.layer == l && sr.Metric != "" && sr.Level == level &&
				(found[i] == nil || sr.Name < found[i].Name) {
				found[i], source = sr, b.manifest.Scorer(sr.Name).Type
			}
		}
	}
	if known(found) > 0 {
		return source, found
	}
	for i, l := range layers {
		for _, sr := range b.series {
			if sr.layer != l || sr.Metric != "" || sr.Purpose != "" {
				continue
			}
			switch {
			case sr.Level == level && (found[i] == nil || found[i].calls != nil):
				found[i] = sr
			case sr.Level == report.CallLevel && level == report.ConversationLevel && found[i] == nil:
				found[i] = b.reduced(sr, report.ReduceMin)
			}
		}
	}
	return source, found
}

// known counts the known layers.
func known(found [3]*series) int {
	return len(dropped(found[:], func(sr *series) bool { return sr == nil }))
}

// follow follows one item through the layers.
func (f *funnelOf) follow(i item, observed []observation) {
	f.Cases++
	f.cross(i, observed)
	failed := false
	for k, o := range observed {
		layer, verdict := &f.Layers[k], o.verdict()
		if math.IsNaN(verdict) {
			continue
		}
		layer.N++
		layer.Passed += int(verdict)
		if failed {
			continue
		}
		layer.Reached++
		if verdict == 1 {
			continue
		}
		failed = true
		layer.Lost++
		c := f.caseOf(i, o)
		f.lost[k][c.Tool]++
		if len(layer.Cases) < maxLossCases {
			layer.Cases = append(layer.Cases, c)
		}
	}
}

// cross records an item on which AST and execution, the last two layers, decide differently.
func (f *funnelOf) cross(i item, observed []observation) {
	if f.Alternatives == nil {
		return
	}
	execution := observed[len(observed)-1]
	v, w := observed[len(observed)-2].verdict(), execution.verdict()
	if v == w || math.IsNaN(v) || math.IsNaN(w) {
		return
	}
	crossing, decided := f.Misleading, execution
	if w == 1 {
		crossing, decided = f.Alternatives, observation{of: i}
	}
	crossing.Count++
	if len(crossing.Cases) < maxCrossings {
		crossing.Cases = append(crossing.Cases, f.caseOf(i, decided))
	}
}

// caseOf names an item, with the deciding call's tool and its place.
func (f *funnelOf) caseOf(i item, decided observation) report.CaseRef {
	c := f.items.caseOf(i)
	c.Tool, c.Place = f.items.caseOf(f.items.deciding(decided)).Tool, f.items.placeOf(i)
	return c
}

func losses(counts map[string]int) []report.Loss {
	out := []report.Loss{}
	for tool, n := range counts {
		out = append(out, report.Loss{Tool: cmp.Or(tool, noTool), Count: n})
	}
	sorting.Stable(out, func(x, y report.Loss) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Tool, y.Tool))
	})
	if len(out) > maxLossTools {
		rest := 0
		for _, l := range out[maxLossTools:] {
			rest += l.Count
		}
		out = append(out[:maxLossTools], report.Loss{Tool: report.OtherTools, Count: rest})
	}
	return out
}

// noTool replaces a tool's name if an item has none.
const noTool = "(no tool)"
