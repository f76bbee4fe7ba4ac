package series

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// LayerFields are the verdicts in a three_layer score's details, in the order of the
// layers.
func LayerFields() []string { return []string{"schema_ok", "ast_ok", "exec_ok"} }

// Table holds all scores of a run. Two runs that are compared share a set, so that
// their conversations and calls have one number.
type Table struct {
	Set    *scoreset.Set
	All    map[report.Instrument]*Series
	Layers map[report.Instrument]*Series // the layers inside three_layer's details
	// Conversations are those of this run, by their presence.
	Conversations *scoreset.Column
	// Called has the number of each call's tool in this run, nil where the set is of
	// one run alone.
	Called   *scoreset.Column
	Unscored map[report.KindCount]Missed
	Counts   report.Counts
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
	Column *scoreset.Column
	Flags  map[FlagKey]int
	// Answers are nil where the series is no judge's.
	Answers *Answers
	// How says that the calls of the column are reduced to conversations, and band
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
	scoreset.Cell
	// Item is the call or conversation; of reduced calls, the one that decided.
	Item scoreset.Item
	// Partial says that only some of the reduced calls have a score.
	Partial bool
}

// Cluster is the number of the conversation.
func (o Observation) Cluster() int { return int(o.Item.Conversation) }

// New is an empty table whose conversations and calls are numbered by the set.
func New(set *scoreset.Set) *Table {
	return &Table{
		Set: set, All: map[report.Instrument]*Series{}, Layers: map[report.Instrument]*Series{}, Unscored: map[report.KindCount]Missed{},
		Conversations: scoreset.NewColumn(true),
	}
}

// Read takes all scores of a stream into an empty table, whose set is yet to be
// settled. Lines that are no scores are counted; any other error ends it.
func Read(t *Table, scores iter.Seq2[score.Score, error], m *report.Manifest, thresholds []report.Threshold) (*Table, error) {
	for s, err := range scores {
		var bad *score.LineError
		switch {
		case errors.As(err, &bad):
			t.Counts.BadLines++
			continue
		case err != nil:
			return nil, fmt.Errorf("read scores: %w", err)
		}
		if err := s.Check(); err != nil {
			t.Counts.BadLines++
			continue
		}
		if err := t.Add(Redecided(&s, thresholds), m); err != nil {
			return nil, fmt.Errorf("read scores: %w", err)
		}
	}
	return t, nil
}

// Redecided is s with its verdict decided again, s itself where nothing changes.
func Redecided(s *score.Score, thresholds []report.Threshold) *score.Score {
	if len(thresholds) == 0 {
		return s
	}
	out := report.Redecide(*s, thresholds)
	return &out
}

// Add takes a score. It fails where the set has no number left for its item.
func (t *Table) Add(s *score.Score, m *report.Manifest) error {
	t.Counts.Scores++
	call, level := int32(-1), report.ConversationLevel
	if s.CallIndex != nil {
		call, level = int32(*s.CallIndex), report.CallLevel
	}
	item, err := t.Set.Add(s.ConversationID, call, s.Tool)
	if err != nil {
		return err
	}
	t.meet(item)
	t.mentionMissing(item, s, m)
	if t.Called != nil && !item.Whole() {
		tool := float64(item.Tool)
		t.Called.Put(item, scoreset.NewCell(&tool, nil, 0))
	}
	key := report.Instrument{Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose}
	sr := t.series(t.All, key)
	for _, f := range s.Flags {
		if sr.Flags == nil {
			sr.Flags = map[FlagKey]int{}
		}
		sr.Flags[FlagKey{strings.Clone(f.Code), f.Severity}]++
	}
	if sr.Column.Put(item, scoreset.NewCell(s.Value, s.Confidence, bitsOf(s))) {
		t.Counts.Duplicates++
	}
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
	return nil
}

// meet notes the conversation of an item.
func (t *Table) meet(item scoreset.Item) {
	conversation := item.InConversation()
	if !t.Conversations.At(conversation).Has(scoreset.Met) {
		t.Conversations.Put(conversation, scoreset.NewCell(nil, nil, 0))
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
func (t *Table) addLayers(item scoreset.Item, key report.Instrument, s *score.Score) {
	for _, layer := range LayerFields() {
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
		t.series(t.Layers, k).Column.Put(item, scoreset.NewCell(nil, nil, bits))
	}
}

// series finds or makes the series of a key. Strings of a score share the memory
// of its line, so that what is kept is copied.
func (t *Table) series(in map[report.Instrument]*Series, key report.Instrument) *Series {
	if sr, ok := in[key]; ok {
		return sr
	}
	key.Name, key.Metric, key.Judge = strings.Clone(key.Name), strings.Clone(key.Metric), strings.Clone(key.Judge)
	key.Purpose = strings.Clone(key.Purpose)
	sr := &Series{Instrument: key, Column: scoreset.NewColumn(key.Level == report.ConversationLevel)}
	in[key] = sr
	return sr
}

// mentionMissing notes the tools of the expected calls that a conversation lacks:
// not_called, and in runs of older programs missing. error_recovery names the tools that
// were called, of which no other score may speak.
func (t *Table) mentionMissing(item scoreset.Item, s *score.Score, m *report.Manifest) {
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
			t.Set.Mention(item, tool)
		}
	}
}
