package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/score"
)

// threeLayer is the type of the scorer that gives all three verdicts at once.
const threeLayer = "three_layer"

// layerFields are its verdicts, layerNames what the report calls them, and
// layerScorers the scorers that give one of them alone.
var (
	layerFields  = [3]string{"schema_ok", "ast_ok", "exec_ok"}
	layerNames   = [3]string{"schema", "ast", "execution"}
	layerScorers = [3]string{"schema_check", "ast_equivalence", "execution_check"}
)

const (
	maxLossTools = 20
	maxLossCases = 5
)

// funnelSeries finds the series of the three layers at one level; a missing layer
// is nil.
func (b *builder) funnelSeries(level string) (source string, layers [3]*series) {
	found := false
	for _, group := range []map[Instrument]*series{b.table.layers, b.table.all} {
		for key, sr := range group {
			i := slices.Index(layerFields[:], key.Metric)
			if i < 0 || key.Level != level || key.Source != string(score.Deterministic) || b.manifest.scorer(key.Name).Type != threeLayer {
				continue
			}
			// Two such scorers: the first by name speaks.
			if layers[i] == nil || key.Name < layers[i].Name {
				layers[i], found = sr, true
			}
		}
		if found {
			return threeLayer, layers
		}
	}
	for _, sr := range b.series {
		i := slices.Index(layerScorers[:], b.manifest.scorer(sr.Name).Type)
		if i >= 0 && sr.Level == level && sr.Source == string(score.Deterministic) && sr.Metric == "" && sr.Purpose == "" && layers[i] == nil {
			layers[i] = sr
		}
	}
	if level == ConversationLevel {
		b.reduceLayers(&layers)
	}
	return "separate", layers
}

// reduceLayers fills layers that only have verdicts of calls: a conversation passes
// when all its calls do.
func (b *builder) reduceLayers(layers *[3]*series) {
	for _, sr := range b.series {
		i := slices.Index(layerScorers[:], b.manifest.scorer(sr.Name).Type)
		if i >= 0 && layers[i] == nil && sr.Level == CallLevel && sr.Source == string(score.Deterministic) && sr.Metric == "" && sr.Purpose == "" {
			layers[i], _ = b.reduce(sr, ReduceMin)
			for k := range layers[i].obs {
				layers[i].obs[k].call = -1 // the layers are joined by conversation
			}
		}
	}
}

func (b *builder) funnel(r *Report) error {
	source, layers := b.funnelSeries(CallLevel)
	if whole, perConversation := b.funnelSeries(ConversationLevel); countNil(perConversation) < countNil(layers) {
		source, layers = whole, perConversation
	}
	if known := len(layers) - countNil(layers); known < 2 {
		return nil // one layer is no funnel
	}
	f := &Funnel{Source: source, Layers: []Layer{}}
	var present []*series
	for i, sr := range layers {
		if sr == nil {
			continue
		}
		present = append(present, sr)
		layer := Layer{Layer: layerNames[i], ByTool: []Loss{}, Cases: []CaseRef{}}
		_, verdicts, cluster := sr.columns()
		var err error
		if layer.Rate, err = rateOf(verdicts, cluster, b.Alpha); err != nil {
			return fmt.Errorf("funnel: %w", err)
		}
		f.Layers = append(f.Layers, layer)
	}
	lost := make([]map[uint32]int, len(present))
	for i := range lost {
		lost[i] = map[uint32]int{}
	}
	mergeUnits(present, func(unit []int) {
		f.Cases++
		b.fall(f, present, unit, lost)
	})
	for i := range f.Layers {
		f.Layers[i].ByTool = b.losses(lost[i])
	}
	r.Funnel = f
	return nil
}

func countNil(layers [3]*series) int {
	n := 0
	for _, sr := range layers {
		if sr == nil {
			n++
		}
	}
	return n
}

// fall follows one case through the layers.
func (b *builder) fall(f *Funnel, layers []*series, unit []int, lost []map[uint32]int) {
	failed := false
	for i, at := range unit {
		if at < 0 || !layers[i].obs[at].has(hasVerdict) {
			continue
		}
		o := layers[i].obs[at]
		layer := &f.Layers[i]
		layer.N++
		pass := o.has(verdictPass)
		if pass {
			layer.Passed++
		}
		if failed {
			continue
		}
		layer.Reached++
		if pass {
			continue
		}
		failed = true
		layer.Lost++
		lost[i][o.tool]++
		if len(layer.Cases) < maxLossCases {
			layer.Cases = append(layer.Cases, b.caseRef(o))
		}
	}
}

func (b *builder) losses(counts map[uint32]int) []Loss {
	out := []Loss{}
	for tool, n := range counts {
		out = append(out, Loss{cmp.Or(b.table.tools[tool], "(no tool)"), n})
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

func (b *builder) caseRef(o observation) CaseRef {
	ref := CaseRef{ConversationID: b.table.convs[o.conv], CallIndex: callIndex(o.call), Tool: b.table.tools[o.tool]}
	if b.in.Place != nil {
		ref.Place = b.in.Place(ref.ConversationID, int(o.call))
	}
	return ref
}

func callIndex(call int32) *int {
	if call < 0 {
		return nil
	}
	i := int(call)
	return &i
}

// mergeUnits walks over all items that any of the series met, in order, with the
// index of the item's observation in each series, -1 where it has none. The slice
// is reused.
func mergeUnits(all []*series, visit func(unit []int)) {
	at, unit := make([]int, len(all)), make([]int, len(all))
	for {
		var first *observation
		for i, sr := range all {
			if at[i] < len(sr.obs) && (first == nil || sr.obs[at[i]].comparePlace(*first) < 0) {
				first = &sr.obs[at[i]]
			}
		}
		if first == nil {
			return
		}
		for i, sr := range all {
			unit[i] = -1
			if at[i] < len(sr.obs) && sr.obs[at[i]].comparePlace(*first) == 0 {
				unit[i] = at[i]
				at[i]++
			}
		}
		visit(unit)
	}
}

// missingIf is NaN where b holds.
func missingIf(b bool, v float64) float64 {
	if b {
		return math.NaN()
	}
	return v
}
