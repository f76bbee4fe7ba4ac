package funnel

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// layerID is a kind of verdict that can be a layer of the funnel.
type layerID struct {
	report.Instrument
	// detail says that the verdict stands in the details of a score, reduced that
	// a conversation passes when all its calls do.
	detail, reduced bool
}

// layerSums are a layer's verdicts.
type layerSums struct {
	layerID
	verdicts uncertainty.ClusterStream
}

// Sums count how often each combination of verdicts is met, for every kind of
// verdict that may turn out to be a layer: which of them are is known at the end.
type Sums struct {
	layers   []*layerSums
	at       map[layerID]int
	tools    []string
	toolAt   map[string]int
	patterns [2]map[string]*pattern // of calls, of conversations
}

// pattern counts the items with one combination of verdicts. Its key has, for each
// layer that met the item, the layer, the verdict and, of a fail, the tool.
type pattern struct {
	n     int
	cases []report.CaseRef // the first by id, only where something fails
}

// The verdicts in a pattern.
const (
	noVerdict byte = iota
	fails
	passes
)

// New is an empty count.
func New() *Sums {
	return &Sums{
		at: map[layerID]int{}, toolAt: map[string]int{},
		patterns: [2]map[string]*pattern{{}, {}},
	}
}

// met are the verdicts of one layer in a table.
type metLayer struct {
	*series.Series
	at int
}

// Feed takes a settled table whose conversations are numbered from first on.
func (f *Sums) Feed(t *series.Table, m *report.Manifest, first int, place func(string) string) {
	for whole, level := range [2]string{report.CallLevel, report.ConversationLevel} {
		layers := f.layersOf(t, m, level)
		all := make([]*series.Series, len(layers))
		for i, l := range layers {
			all[i] = l.Series
		}
		tools := make([]int, len(t.Set.Tools()))
		var key []byte
		t.Walk(level, all, func(item scoreset.Item, said []series.Observation) {
			failed := false
			key = key[:0]
			for i, o := range said {
				if !o.Has(scoreset.Met) {
					continue
				}
				f.layers[layers[i].at].verdicts.Add(o.Verdict(), first+o.Cluster())
				key = binary.AppendUvarint(key, uint64(layers[i].at))
				switch o.Verdict() {
				case 1:
					key = append(key, passes)
				case 0:
					failed = true
					key = append(key, fails)
					key = binary.AppendUvarint(key, uint64(f.tool(t, tools, o.Item)))
				default:
					key = append(key, noVerdict)
				}
			}
			p := f.patterns[whole][string(key)]
			if p == nil {
				p = &pattern{}
				f.patterns[whole][string(key)] = p
			}
			p.n++
			if failed {
				p.keep(t.Set.Conversation(item.Conversation), item, place)
			}
		})
	}
}

// tool numbers the tool of an item among all tools, that of a conversation is "";
// known is a cache of the table.
func (f *Sums) tool(t *series.Table, known []int, item scoreset.Item) int {
	name := ""
	if !item.Whole() {
		if known[item.Tool] > 0 {
			return known[item.Tool] - 1
		}
		name = t.Set.Tools()[item.Tool]
	}
	at, ok := f.toolAt[name]
	if !ok {
		at = len(f.tools)
		f.tools = append(f.tools, name)
		f.toolAt[name] = at
	}
	if !item.Whole() {
		known[item.Tool] = at + 1
	}
	return at
}

// keep keeps the first cases by id.
func (p *pattern) keep(conversation string, item scoreset.Item, place func(string) string) {
	ref := report.CaseRef{ConversationID: conversation, CallIndex: item.CallIndex()}
	if len(p.cases) == maxCrossings && compareCases(ref, p.cases[maxCrossings-1]) >= 0 {
		return
	}
	if place != nil {
		ref.Place = place(conversation)
	}
	at, _ := slices.BinarySearchFunc(p.cases, ref, compareCases)
	p.cases = slices.Insert(p.cases, at, ref)
	p.cases = p.cases[:min(len(p.cases), maxCrossings)]
}

func compareCases(x, y report.CaseRef) int {
	return cmp.Or(cmp.Compare(x.ConversationID, y.ConversationID), cmp.Compare(x.Call(), y.Call()))
}

// layersOf finds what can be a layer in a table, in the order of their numbers.
func (f *Sums) layersOf(t *series.Table, m *report.Manifest, level string) []metLayer {
	var out []metLayer
	add := func(id layerID, sr *series.Series) {
		at, ok := f.at[id]
		if !ok {
			at = len(f.layers)
			f.at[id] = at
			f.layers = append(f.layers, &layerSums{layerID: id})
		}
		out = append(out, metLayer{sr, at})
	}
	for key, sr := range t.Layers {
		if key.Level == level {
			add(layerID{Instrument: sr.Instrument, detail: true}, sr)
		}
	}
	for key, sr := range t.All {
		id := layerID{Instrument: sr.Instrument}
		switch {
		case isThreeLayer(key, m) && key.Level == level:
			add(id, sr)
		case layerOf(key, m) < 0:
		case key.Level == level:
			add(id, sr)
		case level == report.ConversationLevel:
			id.reduced = true
			add(id, (&series.Run{}).Reduced(sr, report.ReduceMin))
		}
	}
	slices.SortFunc(out, func(x, y metLayer) int { return cmp.Compare(x.at, y.at) })
	return out
}

// isThreeLayer reports whether an instrument is one of three_layer's verdicts.
func isThreeLayer(i report.Instrument, m *report.Manifest) bool {
	return slices.Contains(series.LayerFields(), i.Metric) && i.Source == string(score.Deterministic) && m.Scorer(i.Name).Type == report.ThreeLayer
}

// layerOf is the layer that a scorer of its own decides, -1 for none.
func layerOf(i report.Instrument, m *report.Manifest) int {
	if i.Source != string(score.Deterministic) || i.Metric != "" || i.Purpose != "" {
		return -1
	}
	return slices.Index(layerScorers[:], m.Scorer(i.Name).Type)
}

// pick chooses the three layers at one level, nil where there is none.
func (b *reading) pick(level string) (source string, layers [3]*layerSums) {
	f, found := b.sums, false
	for _, detail := range []bool{true, false} {
		for _, l := range f.layers {
			i := slices.Index(series.LayerFields(), l.Metric)
			if i < 0 || l.detail != detail || l.Level != level || !isThreeLayer(l.Instrument, b.manifest) {
				continue
			}
			// Two such scorers: the first by name speaks.
			if layers[i] == nil || l.Name < layers[i].Name {
				layers[i], found = l, true
			}
		}
		if found {
			return report.ThreeLayer, layers
		}
	}
	for _, reduced := range []bool{false, true} {
		for _, t := range b.instruments {
			i := layerOf(t, b.manifest)
			if i < 0 || layers[i] != nil {
				continue
			}
			at, ok := f.at[layerID{Instrument: t, reduced: reduced}]
			if ok && (reduced && level == report.ConversationLevel || !reduced && t.Level == level) {
				layers[i] = f.layers[at]
			}
		}
	}
	return "separate", layers
}

func countNil(layers [3]*layerSums) int {
	n := 0
	for _, l := range layers {
		if l == nil {
			n++
		}
	}
	return n
}

// reading is what the sums are read with.
type reading struct {
	sums        *Sums
	manifest    *report.Manifest
	instruments []report.Instrument
	alpha       float64
	place       func(conversationID string, callIndex int) string
}

// Funnel is the funnel of the level that has more layers, nil where fewer than two are
// known. The instruments of the run are given in report order; place says where a call
// stands, as Inputs.Place does, and may be nil.
func (f *Sums) Funnel(m *report.Manifest, instruments []report.Instrument, alpha float64, place func(conversationID string, callIndex int) string) (*report.Funnel, error) {
	b := &reading{sums: f, manifest: m, instruments: instruments, alpha: alpha, place: place}
	return b.funnel()
}

func (b *reading) funnel() (*report.Funnel, error) {
	whole := 0
	source, layers := b.pick(report.CallLevel)
	if s, perConversation := b.pick(report.ConversationLevel); countNil(perConversation) < countNil(layers) {
		source, layers, whole = s, perConversation, 1
	}
	if known := len(layers) - countNil(layers); known < 2 {
		return nil, nil // one layer is no funnel
	}
	f := &report.Funnel{Source: source, Layers: []report.Layer{}}
	slot := map[int]int{} // from the number of a layer to its place in the funnel
	for i, l := range layers {
		if l == nil {
			continue
		}
		layer := report.Layer{Layer: layerNames[i], ByTool: []report.Loss{}, Cases: []report.CaseRef{}}
		var err error
		if layer.Rate, err = report.RateOf(&l.verdicts, b.alpha); err != nil {
			return nil, fmt.Errorf("funnel: %w", err)
		}
		slot[b.sums.at[l.layerID]] = len(f.Layers)
		f.Layers = append(f.Layers, layer)
	}
	if layerAt(f.Layers, layerNames[1]) >= 0 && layerAt(f.Layers, layerNames[2]) >= 0 {
		f.Alternatives, f.Misleading = &report.Crossing{Cases: []report.CaseRef{}}, &report.Crossing{Cases: []report.CaseRef{}}
	}
	b.fall(f, b.sums.patterns[whole], slot)
	return f, nil
}

// fall follows the cases of every pattern through the layers.
func (b *reading) fall(f *report.Funnel, patterns map[string]*pattern, slot map[int]int) {
	lost := make([]map[string]int, len(f.Layers))
	for i := range lost {
		lost[i] = map[string]int{}
	}
	for key, p := range patterns {
		verdicts, tools, met := b.sums.decode(key, slot, len(f.Layers))
		if !met {
			continue
		}
		f.Cases += p.n
		cross(f, p, verdicts, tools)
		failed := false
		for i := range f.Layers {
			layer := &f.Layers[i]
			if verdicts[i] == noVerdict {
				continue
			}
			layer.N += p.n
			if verdicts[i] == passes {
				layer.Passed += p.n
			}
			if failed {
				continue
			}
			layer.Reached += p.n
			if verdicts[i] == passes {
				continue
			}
			failed = true
			layer.Lost += p.n
			lost[i][tools[i]] += p.n
			for _, c := range p.cases {
				c.Tool = tools[i]
				layer.Cases = append(layer.Cases, c)
			}
		}
	}
	for i := range f.Layers {
		layer := &f.Layers[i]
		layer.ByTool = losses(lost[i])
		layer.Cases = b.firstCases(layer.Cases, maxLossCases)
	}
	for _, c := range []*report.Crossing{f.Alternatives, f.Misleading} {
		if c != nil {
			c.Cases = b.firstCases(c.Cases, maxCrossings)
		}
	}
}

// cross notes cases on which AST and execution say different things.
func cross(f *report.Funnel, p *pattern, verdicts []byte, tools []string) {
	if f.Alternatives == nil {
		return
	}
	ast, execution := layerAt(f.Layers, layerNames[1]), layerAt(f.Layers, layerNames[2])
	if verdicts[ast] == noVerdict || verdicts[execution] == noVerdict || verdicts[ast] == verdicts[execution] {
		return
	}
	c, tool := f.Misleading, tools[execution]
	if verdicts[execution] == passes {
		c, tool = f.Alternatives, ""
	}
	c.Count += p.n
	for _, ref := range p.cases {
		if ref.Tool = tool; ref.CallIndex != nil {
			ref.Tool = cmp.Or(tools[execution], tools[ast])
		}
		c.Cases = append(c.Cases, ref)
	}
}

// firstCases sorts cases, keeps the first and fills their places.
func (b *reading) firstCases(cases []report.CaseRef, most int) []report.CaseRef {
	slices.SortFunc(cases, compareCases)
	cases = cases[:min(len(cases), most)]
	for k := range cases {
		if c := &cases[k]; b.place != nil {
			c.Place = b.place(c.ConversationID, c.Call())
		}
	}
	return cases
}

// decode reads a pattern's verdicts for the chosen layers; met says that one of them
// met the items.
func (f *Sums) decode(key string, slot map[int]int, layers int) (verdicts []byte, tools []string, met bool) {
	verdicts, tools = make([]byte, layers), make([]string, layers)
	rest := []byte(key)
	for len(rest) > 0 {
		number, n := binary.Uvarint(rest)
		verdict := rest[n]
		rest = rest[n+1:]
		tool := ""
		if verdict == fails {
			at, n := binary.Uvarint(rest)
			tool, rest = f.tools[at], rest[n:]
		}
		if i, ok := slot[int(number)]; ok {
			verdicts[i], tools[i], met = verdict, tool, true
		}
	}
	return verdicts, tools, met
}
