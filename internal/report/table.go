package report

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/score"
)

// table holds all scores of a run. Two runs that are compared share a set, so that
// their conversations and calls have one number.
type table struct {
	set    *scoreset.Set
	all    map[Instrument]*series
	layers map[Instrument]*series // the layers inside three_layer's details
	// conversations are those of this run, by their presence.
	conversations *scoreset.Column
	// called has the number of each call's tool in this run, nil where the set is of
	// one run alone.
	called   *scoreset.Column
	unscored map[KindCount]int
	counts   Counts
}

// series are the scores of one instrument.
type series struct {
	Instrument
	column *scoreset.Column
	flags  map[flagKey]int
	// answers are nil where the series is no judge's.
	answers *answers
	// how says that the calls of the column are reduced to conversations, and band
	// decides a reduced value.
	how  string
	band func(value float64) (pass, decided bool)
}

type flagKey struct {
	code     string
	severity int
}

// observation is what one instrument says of one item; it says nothing where Met is
// not set.
type observation struct {
	scoreset.Cell
	// item is the call or conversation; of reduced calls, the one that decided.
	item scoreset.Item
	// partial says that only some of the reduced calls have a score.
	partial bool
}

// cluster is the number of the conversation.
func (o observation) cluster() int { return int(o.item.Conversation) }

func newTable(set *scoreset.Set) *table {
	return &table{
		set: set, all: map[Instrument]*series{}, layers: map[Instrument]*series{}, unscored: map[KindCount]int{},
		conversations: scoreset.NewColumn(true),
	}
}

// readTable takes all scores of a stream into an empty table, whose set is yet to be
// settled. Lines that are no scores are counted; any other error ends it.
func readTable(t *table, scores iter.Seq2[score.Score, error], m *Manifest, thresholds []Threshold) (*table, error) {
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
		if err := t.add(redecided(&s, thresholds), m); err != nil {
			return nil, fmt.Errorf("read scores: %w", err)
		}
	}
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

func (t *table) add(s *score.Score, m *Manifest) error {
	t.counts.Scores++
	call, level := int32(-1), ConversationLevel
	if s.CallIndex != nil {
		call, level = int32(*s.CallIndex), CallLevel
	}
	item, err := t.set.Add(s.ConversationID, call, s.Tool)
	if err != nil {
		return err
	}
	t.meet(item)
	t.mentionMissing(item, s, m)
	if t.called != nil && !item.Whole() {
		tool := float64(item.Tool)
		t.called.Put(item, scoreset.NewCell(&tool, nil, 0))
	}
	key := Instrument{Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose}
	sr := t.series(t.all, key)
	for _, f := range s.Flags {
		if sr.flags == nil {
			sr.flags = map[flagKey]int{}
		}
		sr.flags[flagKey{strings.Clone(f.Code), f.Severity}]++
	}
	if sr.column.Put(item, scoreset.NewCell(s.Value, s.Confidence, bitsOf(s))) {
		t.counts.Duplicates++
	}
	if s.Source == score.Judge {
		if sr.answers == nil {
			sr.answers = &answers{}
		}
		sr.answers.add(s)
	}
	if s.Value == nil && s.Status != score.NotApplicable {
		t.miss(s)
	}
	if s.Source == score.Deterministic && m.Scorer(s.Name).Type == threeLayer {
		t.addLayers(item, key, s)
	}
	return nil
}

// meet notes the conversation of an item.
func (t *table) meet(item scoreset.Item) {
	conversation := item.InConversation()
	if !t.conversations.At(conversation).Has(scoreset.Met) {
		t.conversations.Put(conversation, scoreset.NewCell(nil, nil, 0))
	}
}

// bitsOf is what is known of a score beside its numbers.
func bitsOf(s *score.Score) scoreset.Bits {
	var bits scoreset.Bits
	if p := verdictOf(s); p != nil {
		bits |= scoreset.HasVerdict
		if *p {
			bits |= scoreset.Passed
		}
	}
	switch s.Status {
	case score.NotApplicable:
		bits |= scoreset.NotApplicable
	case score.Error:
		bits |= scoreset.Failed
	}
	for _, f := range s.Flags {
		if f.Severity >= 2 {
			bits |= scoreset.Severe
		}
	}
	if s.Source != score.Judge {
		return bits
	}
	if n, ok := s.Details.Field("repairs").Int64(); ok && n > 0 {
		bits |= scoreset.Repaired
	}
	for _, d := range []struct {
		name string
		bit  scoreset.Bits
	}{
		{"borderline", scoreset.Borderline}, {"low_confidence", scoreset.LowConfidence},
		{"escalate", scoreset.Escalated}, {"context_truncated", scoreset.Shortened},
	} {
		if yes, ok := s.Details.Field(d.name).BoolVal(); ok && yes {
			bits |= d.bit
		}
	}
	return bits
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
func (t *table) addLayers(item scoreset.Item, key Instrument, s *score.Score) {
	for _, layer := range layerFields() {
		passed, ok := s.Details.Field(layer).BoolVal()
		if !ok {
			continue
		}
		bits := scoreset.HasVerdict
		if passed {
			bits |= scoreset.Passed
		}
		k := key
		k.Metric = layer
		t.series(t.layers, k).column.Put(item, scoreset.NewCell(nil, nil, bits))
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
	sr := &series{Instrument: key, column: scoreset.NewColumn(key.Level == ConversationLevel)}
	in[key] = sr
	return sr
}
