package report

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// observation is one score, 24 bytes.
type observation struct {
	value float64
	conv  uint32 // rank of the conversation's id among all ids
	call  int32  // -1 for the whole conversation
	tool  uint32
	conf  uint16 // confidence in steps of 1/confSteps, noConf for none
	bits  uint16
}

const (
	confSteps = 10_000
	noConf    = math.MaxUint16
)

// The bits of an observation.
const (
	hasValue uint16 = 1 << iota
	hasVerdict
	verdictPass
	wasRepaired
	severe // a severity-2 flag
	notApplicable
	failed // status error
)

func (o observation) has(bit uint16) bool { return o.bits&bit != 0 }

// verdict is 1, 0 or NaN for none.
func (o observation) verdict() float64 {
	switch {
	case !o.has(hasVerdict):
		return math.NaN()
	case o.has(verdictPass):
		return 1
	}
	return 0
}

func (o observation) confidence() float64 {
	if o.conf == noConf {
		return math.NaN()
	}
	return float64(o.conf) / confSteps
}

// series are the scores of one instrument, sorted by conversation and call.
type series struct {
	Instrument
	obs   []observation
	flags map[flagKey]int
}

type flagKey struct {
	code     string
	severity int
}

// table holds all scores of a run.
type table struct {
	convs    []string
	convAt   map[string]uint32
	tools    []string
	toolAt   map[string]uint32
	all      map[Instrument]*series
	layers   map[Instrument]*series // the layers inside three_layer's details
	unscored map[KindCount]int
	counts   Counts
}

func newTable() *table {
	return &table{
		convAt: map[string]uint32{}, toolAt: map[string]uint32{},
		all: map[Instrument]*series{}, layers: map[Instrument]*series{}, unscored: map[KindCount]int{},
	}
}

// readTable takes all scores of a stream. Lines that are no scores are counted;
// any other error ends it.
func readTable(scores iter.Seq2[score.Score, error], m *Manifest, thresholds []Threshold) (*table, error) {
	t := newTable()
	for s, err := range scores {
		var bad *score.LineError
		switch {
		case errors.As(err, &bad):
			t.counts.BadLines++
			continue
		case err != nil:
			return nil, fmt.Errorf("read scores: %w", err)
		}
		if err := s.Check(); err != nil {
			t.counts.BadLines++
			continue
		}
		t.add(redecided(&s, thresholds), m)
	}
	if len(t.convs) > math.MaxUint32-1 {
		return nil, errors.New("read scores: too many conversations")
	}
	t.finish()
	return t, nil
}

// redecided is s with its verdict decided again, s itself where nothing changes.
func redecided(s *score.Score, thresholds []Threshold) *score.Score {
	if len(thresholds) == 0 {
		return s
	}
	out := Redecide(*s, thresholds)
	return &out
}

func (t *table) add(s *score.Score, m *Manifest) {
	t.counts.Scores++
	o := observation{conv: t.conversation(s.ConversationID), call: -1, tool: t.tool(s.Tool), conf: noConf}
	level := ConversationLevel
	if s.CallIndex != nil {
		o.call, level = int32(*s.CallIndex), CallLevel
	}
	if s.Value != nil {
		o.value, o.bits = *s.Value, hasValue
	}
	if p := verdictOf(s); p != nil {
		o.bits |= hasVerdict
		if *p {
			o.bits |= verdictPass
		}
	}
	if s.Confidence != nil && *s.Confidence >= 0 && *s.Confidence <= 1 {
		o.conf = uint16(math.Round(*s.Confidence * confSteps))
	}
	if n, ok := s.Details.Field("repairs").Int64(); ok && n > 0 {
		o.bits |= wasRepaired
	}
	switch s.Status {
	case score.NotApplicable:
		o.bits |= notApplicable
	case score.Error:
		o.bits |= failed
	}
	key := Instrument{Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose}
	sr := t.series(t.all, key)
	for _, f := range s.Flags {
		if f.Severity >= 2 {
			o.bits |= severe
		}
		if sr.flags == nil {
			sr.flags = map[flagKey]int{}
		}
		sr.flags[flagKey{strings.Clone(f.Code), f.Severity}]++
	}
	sr.obs = append(sr.obs, o)
	if s.Value == nil && s.Status != score.NotApplicable {
		t.miss(s)
	}
	if s.Source == score.Deterministic && m.scorer(s.Name).Type == threeLayer {
		t.addLayers(o, key, s)
	}
}

// verdictOf is the score's own verdict. A label that comes without one and is
// exactly 0 or 1 decides by its value.
func verdictOf(s *score.Score) *bool {
	if s.Passed != nil || s.Source != score.Label || s.Value == nil || *s.Value != 0 && *s.Value != 1 {
		return s.Passed
	}
	p := *s.Value == 1
	return &p
}

func (t *table) miss(s *score.Score) {
	k := KindCount{Kind: string(s.Status), Source: string(s.Source)}
	if s.Error != nil && s.Error.Kind != "" {
		k.Kind = strings.Clone(s.Error.Kind)
	}
	t.unscored[k]++
}

// addLayers keeps the three verdicts of a three_layer score apart.
func (t *table) addLayers(o observation, key Instrument, s *score.Score) {
	for _, layer := range layerFields {
		passed, ok := s.Details.Field(layer).BoolVal()
		if !ok {
			continue
		}
		v := o
		v.bits = hasVerdict
		if passed {
			v.bits |= verdictPass
		}
		k := key
		k.Metric = layer
		sr := t.series(t.layers, k)
		sr.obs = append(sr.obs, v)
	}
}

// series finds or makes the series of a key. Strings of a score share the memory
// of its line, so that what is kept is copied.
func (t *table) series(in map[Instrument]*series, key Instrument) *series {
	if sr, ok := in[key]; ok {
		return sr
	}
	key.Name, key.Metric, key.Judge = strings.Clone(key.Name), strings.Clone(key.Metric), strings.Clone(key.Judge)
	key.Purpose = strings.Clone(key.Purpose)
	sr := &series{Instrument: key}
	in[key] = sr
	return sr
}

func (t *table) conversation(id string) uint32 {
	if n := len(t.convs); n > 0 && t.convs[n-1] == id {
		return uint32(n - 1)
	}
	if at, ok := t.convAt[id]; ok {
		return at
	}
	at := uint32(len(t.convs))
	id = strings.Clone(id)
	t.convs, t.convAt[id] = append(t.convs, id), at
	return at
}

func (t *table) tool(name string) uint32 {
	if at, ok := t.toolAt[name]; ok {
		return at
	}
	at := uint32(len(t.tools))
	name = strings.Clone(name)
	t.tools, t.toolAt[name] = append(t.tools, name), at
	return at
}

// finish renumbers conversations and tools by their sorted names and sorts every
// series, so that nothing after it can see the order of the stream.
func (t *table) finish() {
	convRank, toolRank := ranks(t.convs), ranks(t.tools)
	slices.Sort(t.convs)
	slices.Sort(t.tools)
	t.convAt, t.toolAt = nil, nil
	settle := func(sr *series) (dropped int) {
		for i := range sr.obs {
			sr.obs[i].conv = convRank[sr.obs[i].conv]
			sr.obs[i].tool = toolRank[sr.obs[i].tool]
		}
		return sr.sort()
	}
	for _, sr := range t.all {
		t.counts.Duplicates += settle(sr)
	}
	for _, sr := range t.layers {
		settle(sr)
	}
}

func ranks(names []string) []uint32 {
	order := make([]uint32, len(names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(names[a], names[b]) })
	rank := make([]uint32, len(names))
	for r, i := range order {
		rank[i] = uint32(r)
	}
	return rank
}

func (o observation) compare(p observation) int {
	if c := o.comparePlace(p); c != 0 {
		return c
	}
	// A score with a value stands before one without, then the rest decides.
	return cmp.Or(cmp.Compare(p.bits&hasValue, o.bits&hasValue), cmp.Compare(o.value, p.value),
		cmp.Compare(o.bits, p.bits), cmp.Compare(o.conf, p.conf), cmp.Compare(o.tool, p.tool))
}

func (o observation) comparePlace(p observation) int {
	return cmp.Or(cmp.Compare(o.conv, p.conv), cmp.Compare(o.call, p.call))
}

// sort sorts the series and drops all but the first score of each item; it returns
// how many it dropped.
func (sr *series) sort() int {
	if !slices.IsSortedFunc(sr.obs, observation.compare) {
		slices.SortFunc(sr.obs, observation.compare)
	}
	before := len(sr.obs)
	sr.obs = slices.CompactFunc(sr.obs, func(a, b observation) bool { return a.comparePlace(b) == 0 })
	return before - len(sr.obs)
}
