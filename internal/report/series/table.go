package series

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// LayerFields are the verdicts in a three_layer score's details, in the order of the
// layers.
func LayerFields() []string { return []string{"schema_ok", "ast_ok", "exec_ok"} }

// Table holds all scores of a run, a series of cells for each instrument. Two runs that
// are compared share their items, so that conversations and calls have one number.
type Table struct {
	Items  *Items
	All    map[report.Instrument]*Series
	Layers map[report.Instrument]*Series // the layers inside three_layer's details
	// conversations are those of this run, by their presence, and called has the number
	// of each call's tool in this run; both are kept where two runs are compared.
	compared              bool
	conversations, called column
	Unscored              map[report.KindCount]Missed
	Counts                report.Counts
}

// Missed counts scores that are missing for one reason; First is the first of them.
type Missed struct {
	Count int
	First string
	at    string // orders the first one among others
}

// Plus joins two counts.
func (m Missed) Plus(other Missed) Missed {
	n := m.Count + other.Count
	if m.First == "" || other.First != "" && other.at < m.at {
		m = other
	}
	m.Count = n
	return m
}

// Series are the scores of one instrument.
type Series struct {
	report.Instrument
	cells column
	Flags map[FlagKey]int
	// Answers are nil where the series is no judge's.
	Answers *Answers
	// How says that the calls of the series are reduced to conversations, and band
	// decides a reduced value.
	How  string
	band func(value float64) (pass, decided bool)
}

// FlagKey is a kind of flag.
type FlagKey struct {
	Code     string
	Severity int
}

// Observation is what one instrument says of one item; it says nothing where Met is
// not set.
type Observation struct {
	Cell
	// Item is the call or conversation; of reduced calls, the one that decided.
	Item Item
	// Partial says that only some of the reduced calls have a score.
	Partial bool
}

// Cluster is the number of the conversation.
func (o Observation) Cluster() int { return int(o.Item.Conversation) }

// New is an empty table whose conversations and calls are numbered by the items.
func New(items *Items) *Table {
	return &Table{
		Items: items, All: map[report.Instrument]*Series{}, Layers: map[report.Instrument]*Series{},
		Unscored: map[report.KindCount]Missed{},
	}
}

// NewCompared is New for one of two runs that share the items: it keeps which of them
// are in this run.
func NewCompared(items *Items) *Table {
	t := New(items)
	t.compared = true
	return t
}

// Settle puts tables that share their items in order, once all scores are added.
func Settle(tables ...*Table) {
	calls, conversations := tables[0].Items.settle()
	for _, t := range tables {
		t.conversations.settle(conversations)
		t.called.settle(calls)
		numbers := map[string][]uint32{report.CallLevel: calls, report.ConversationLevel: conversations}
		for key, sr := range t.All {
			t.Counts.Duplicates += sr.cells.settle(numbers[key.Level])
		}
		for key, sr := range t.Layers {
			sr.cells.settle(numbers[key.Level])
		}
	}
}

// Has reports whether one of two compared runs has a conversation.
func (t *Table) Has(conversation uint32) bool { return t.conversations.at(conversation).Has(Met) }

// Called is the number of a call's tool in one of two compared runs.
func (t *Table) Called(call Item) (tool float64, called bool) {
	c := t.called.at(call.number)
	return c.Value, c.Has(Met)
}

// Read takes all scores of a stream into a table that is yet to be settled. Lines that
// are no scores are counted; any other error ends it.
func (t *Table) Read(scores iter.Seq2[score.Score, error], m *report.Manifest, thresholds []report.Threshold) error {
	for s, err := range scores {
		var bad *score.LineError
		switch {
		case errors.As(err, &bad):
			t.Counts.BadLines++
		case err != nil:
			return fmt.Errorf("read scores: %w", err)
		default:
			t.Add(&s, m, thresholds)
		}
	}
	return nil
}

// Add takes a score, its verdict decided again where a threshold says so. What is no
// score is counted.
func (t *Table) Add(s *score.Score, m *report.Manifest, thresholds []report.Threshold) {
	if s.Check() != nil {
		t.Counts.BadLines++
		return
	}
	if len(thresholds) > 0 {
		again := report.Redecide(*s, thresholds)
		s = &again
	}
	t.Counts.Scores++
	call, level := int32(-1), report.ConversationLevel
	if s.CallIndex != nil {
		call, level = int32(*s.CallIndex), report.CallLevel
	}
	item := t.Items.add(s.ConversationID, call, s.Tool)
	t.meet(item)
	t.mentionMissing(item, s, m)
	key := report.Instrument{Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose}
	sr := series(t.All, key)
	for _, f := range s.Flags {
		if sr.Flags == nil {
			sr.Flags = map[FlagKey]int{}
		}
		sr.Flags[FlagKey{strings.Clone(f.Code), f.Severity}]++
	}
	sr.cells.put(item, newCell(s.Value, s.Confidence, bitsOf(s)))
	if s.Source == score.Judge {
		if sr.Answers == nil {
			sr.Answers = &Answers{}
		}
		sr.Answers.add(s)
	}
	if s.Value == nil && s.Status != score.NotApplicable {
		t.miss(s)
	}
	if s.Source == score.Deterministic && m.Scorer(s.Name).Type == report.ThreeLayer {
		t.addLayers(item, key, s)
	}
}

// meet notes, of one of two compared runs, the conversation of an item and the tool
// that was called.
func (t *Table) meet(item Item) {
	if !t.compared {
		return
	}
	if n := len(t.conversations); n == 0 || t.conversations[n-1].item != item.Conversation {
		t.conversations.put(whole(item.Conversation), newCell(nil, nil, 0))
	}
	if !item.Whole() {
		tool := float64(item.Tool)
		t.called.put(item, newCell(&tool, nil, 0))
	}
}

// bitsOf is what is known of a score beside its numbers.
func bitsOf(s *score.Score) Bits {
	var bits Bits
	if p := verdictOf(s); p != nil {
		bits |= HasVerdict
		if *p {
			bits |= Passed
		}
	}
	switch s.Status {
	case score.NotApplicable:
		bits |= NotApplicable
	case score.Error:
		bits |= Failed
	}
	for _, f := range s.Flags {
		if f.Severity >= 2 {
			bits |= Severe
		}
	}
	if s.Source != score.Judge {
		return bits
	}
	if n, ok := s.Details.Field("repairs").Int64(); ok && n > 0 {
		bits |= Repaired
	}
	for _, d := range []struct {
		name string
		bit  Bits
	}{
		{"borderline", Borderline}, {"low_confidence", LowConfidence},
		{"escalate", Escalated}, {"context_truncated", Shortened},
	} {
		if yes, ok := s.Details.Field(d.name).BoolVal(); ok && yes {
			bits |= d.bit
		}
	}
	return bits
}

// verdictOf is the score's own verdict. A label that comes without one and is
// exactly 0 or 1 decides by its value, but for a recorded answer: 1 may be the lowest
// grade of its scale.
func verdictOf(s *score.Score) *bool {
	if s.Passed != nil || s.Source != score.Label || s.Value == nil || *s.Value != 0 && *s.Value != 1 ||
		strings.HasPrefix(s.Name, transcript.Recorded) {
		return s.Passed
	}
	p := *s.Value == 1
	return &p
}

func (t *Table) miss(s *score.Score) {
	k := report.KindCount{Kind: string(s.Status), Source: string(s.Source)}
	if s.Error != nil && s.Error.Kind != "" {
		k.Kind = strings.Clone(s.Error.Kind)
	}
	m := Missed{Count: 1}
	if s.Error != nil {
		m.First, m.at = whereOf(s)+": "+s.Error.Message, sortKey(s)
	}
	t.Unscored[k] = t.Unscored[k].Plus(m)
}

// sortKey orders scores as the log has their items, in whatever order they are read.
func sortKey(s *score.Score) string {
	file, line := s.Place, 0
	if i := strings.LastIndexByte(s.Place, ':'); i >= 0 {
		if n, err := strconv.Atoi(s.Place[i+1:]); err == nil {
			file, line = s.Place[:i], n
		}
	}
	call := 0
	if s.CallIndex != nil {
		call = *s.CallIndex
	}
	return fmt.Sprintf("%s\x00%012d\x00%s\x00%012d\x00%s\x00%s", file, line, s.ConversationID, call, s.Judge, s.Name)
}

// whereOf names a score's item for people.
func whereOf(s *score.Score) string {
	where := s.ConversationID
	if s.CallIndex != nil {
		where += fmt.Sprintf(" call %d", *s.CallIndex)
	}
	if s.Judge != "" {
		where += ", " + s.Name + " by " + s.Judge
	}
	return where
}

// addLayers keeps the three verdicts of a three_layer score apart.
func (t *Table) addLayers(item Item, key report.Instrument, s *score.Score) {
	for _, layer := range LayerFields() {
		passed, ok := s.Details.Field(layer).BoolVal()
		if !ok {
			continue
		}
		bits := HasVerdict
		if passed {
			bits |= Passed
		}
		k := key
		k.Metric = layer
		series(t.Layers, k).cells.put(item, newCell(nil, nil, bits))
	}
}

// series finds or makes the series of a key. Strings of a score share the memory
// of its line, so that what is kept is copied.
func series(in map[report.Instrument]*Series, key report.Instrument) *Series {
	if sr, ok := in[key]; ok {
		return sr
	}
	key.Name, key.Metric, key.Judge = strings.Clone(key.Name), strings.Clone(key.Metric), strings.Clone(key.Judge)
	key.Purpose = strings.Clone(key.Purpose)
	sr := &Series{Instrument: key}
	in[key] = sr
	return sr
}

// mentionMissing notes the tools of the expected calls that a conversation lacks:
// not_called, and in runs of older programs missing. error_recovery names the tools that
// were called, of which no other score may speak.
func (t *Table) mentionMissing(item Item, s *score.Score, m *report.Manifest) {
	if !item.Whole() || s.Source != score.Deterministic {
		return
	}
	list := s.Details.Field("not_called")
	switch m.Scorer(s.Name).Type {
	case "function_call_accuracy":
		if !list.IsList() {
			list = s.Details.Field("missing")
		}
	case "function_call_coverage":
	case "error_recovery":
		list = s.Details.Field("tools")
	default:
		return
	}
	for _, name := range list.Elements() {
		if tool, ok := name.Str(); ok && tool != "" {
			t.Items.mentionTool(item.Conversation, tool)
		}
	}
}
