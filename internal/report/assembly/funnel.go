package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
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
	// maxCrossings bounds how many cases of a crossing are named.
	maxCrossings = 50
)

// funnel fills the funnel of the level that has more layers, none where fewer than two
// are known.
func (all *builder) funnel(r *report.Report) error {
	b := &faller{Run: all.Run}
	level := report.CallLevel
	source, layers := b.pick(level)
	if s, whole := b.pick(report.ConversationLevel); len(whole) > len(layers) {
		level, source, layers = report.ConversationLevel, s, whole
	}
	if len(layers) < 2 {
		return nil // one layer is no funnel
	}
	f := &report.Funnel{Source: source}
	for _, l := range layers {
		f.Layers = append(f.Layers, report.Layer{Layer: layerNames[l.at], ByTool: []report.Loss{}, Cases: []report.CaseRef{}})
		b.layers = append(b.layers, l.Series)
		b.lost = append(b.lost, map[string]int{})
	}
	b.ast, b.execution = layerAt(f.Layers, layerNames[1]), layerAt(f.Layers, layerNames[2])
	if b.ast >= 0 && b.execution >= 0 {
		f.Alternatives, f.Misleading = &report.Crossing{Cases: []report.CaseRef{}}, &report.Crossing{Cases: []report.CaseRef{}}
	}
	b.Table.Items.Walk(level, b.layers, func(item series.Item, said []series.Observation) { b.fall(f, item, said) })
	for i, sr := range b.layers {
		f.Layers[i].ByTool = losses(b.lost[i])
		var err error
		if f.Layers[i].Rate, err = report.RateOf(b.Table.Items.Said(sr), series.Observation.Verdict, all.Alpha); err != nil {
			return fmt.Errorf("funnel: %w", err)
		}
	}
	r.Funnel = f
	return nil
}

// faller follows the items of a run through the layers.
type faller struct {
	*series.Run
	layers         []*series.Series
	lost           []map[string]int // by tool, of each layer
	ast, execution int
}

// layer is a series that gives the verdicts of one layer.
type layer struct {
	at int
	*series.Series
}

// pick chooses the layers at one level: the parts of three_layer's details, else its
// own verdicts, else those of separate scorers.
func (b *faller) pick(level string) (source string, layers []layer) {
	var found [3]*series.Series
	for _, detail := range []bool{true, false} {
		for _, sr := range b.threeLayer(detail) {
			// Two such scorers: the first by name counts.
			if i := slices.Index(series.LayerFields(), sr.Metric); sr.Level == level && (found[i] == nil || sr.Name < found[i].Name) {
				found[i] = sr
			}
		}
		if layers = known(found); len(layers) > 0 {
			return report.ThreeLayer, layers
		}
	}
	for _, sr := range b.Series {
		if i := b.layerOf(sr.Instrument); i >= 0 && found[i] == nil && sr.Level == level {
			found[i] = sr
		}
	}
	for _, sr := range b.Series {
		if i := b.layerOf(sr.Instrument); i >= 0 && found[i] == nil && level == report.ConversationLevel {
			found[i] = b.Reduced(sr, report.ReduceMin)
		}
	}
	return "separate", known(found)
}

// threeLayer are the verdicts of three_layer: those in its details, or its own.
func (b *faller) threeLayer(detail bool) []*series.Series {
	var out []*series.Series
	for _, sr := range b.Series {
		if sr.Source != string(score.Deterministic) || b.Manifest.Scorer(sr.Name).Type != report.ThreeLayer {
			continue
		}
		if !detail && slices.Contains(series.LayerFields(), sr.Metric) {
			out = append(out, sr)
		}
		for _, field := range series.LayerFields() {
			key := sr.Instrument
			key.Metric = field
			if part := b.Table.Layers[key]; detail && part != nil && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

func known(found [3]*series.Series) []layer {
	var out []layer
	for i, sr := range found {
		if sr != nil {
			out = append(out, layer{i, sr})
		}
	}
	return out
}

// layerOf is the layer that a scorer of its own decides, -1 for none.
func (b *faller) layerOf(i report.Instrument) int {
	if i.Source != string(score.Deterministic) || i.Metric != "" || i.Purpose != "" {
		return -1
	}
	return slices.Index(layerScorers[:], b.Manifest.Scorer(i.Name).Type)
}

// layerAt returns the index of a layer, -1 where it is missing.
func layerAt(layers []report.Layer, name string) int {
	return slices.IndexFunc(layers, func(l report.Layer) bool { return l.Layer == name })
}

// fall follows one item through the layers.
func (b *faller) fall(f *report.Funnel, item series.Item, said []series.Observation) {
	f.Cases++
	b.cross(f, item, said)
	failed := false
	for i, o := range said {
		layer, verdict := &f.Layers[i], o.Verdict()
		if math.IsNaN(verdict) {
			continue
		}
		layer.N++
		if verdict == 1 {
			layer.Passed++
		}
		if failed {
			continue
		}
		layer.Reached++
		if verdict == 1 {
			continue
		}
		failed = true
		layer.Lost++
		b.lost[i][b.tool(o)]++
		if len(layer.Cases) < maxLossCases {
			layer.Cases = append(layer.Cases, b.caseOf(item, b.tool(o)))
		}
	}
}

// tool is the name of a call's tool, "" for a conversation.
func (b *faller) tool(o series.Observation) string {
	if o.Item.Whole() {
		return ""
	}
	return b.Table.Items.Tools()[o.Item.Tool]
}

// cross notes an item on which AST and execution say different things.
func (b *faller) cross(f *report.Funnel, item series.Item, said []series.Observation) {
	if f.Alternatives == nil {
		return
	}
	ast, execution := said[b.ast], said[b.execution]
	if v, w := ast.Verdict(), execution.Verdict(); v == w || math.IsNaN(v) || math.IsNaN(w) {
		return
	}
	c, tool := f.Misleading, b.tool(execution)
	if execution.Verdict() == 1 {
		c, tool = f.Alternatives, ""
		if !item.Whole() {
			tool = b.tool(ast)
		}
	}
	c.Count++
	if len(c.Cases) < maxCrossings {
		c.Cases = append(c.Cases, b.caseOf(item, tool))
	}
}

func (b *faller) caseOf(item series.Item, tool string) report.CaseRef {
	c := report.CaseRef{ConversationID: b.Table.Items.Conversation(item.Conversation), CallIndex: item.CallIndex(), Tool: tool}
	if b.In.Place != nil {
		c.Place = b.In.Place(c.ConversationID, c.Call())
	}
	return c
}

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
