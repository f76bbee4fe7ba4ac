package assembly

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// table holds all scores of a run: a series of cells for each instrument. Two runs that
// are compared share their items, so that a conversation or call has one number.
type table struct {
	*items
	manifest *report.Manifest
	// bands are the thresholds that verdicts are decided by again, decide how a score is read.
	bands  []report.Threshold
	decide func(score.Score) score.Score
	// series are in the order of their first scores; arrange puts them in report order.
	series []*series
	byKey  map[report.Instrument]*series
	// run is this one of two that are compared.
	run      runs
	unscored map[[2]string]*missing // by source and kind
	counts   report.Counts
	// scale has the pass bands in use by the name of their rubric or scorer.
	scale map[string]report.Rubric
}

// series are the scores of one instrument.
type series struct {
	report.Instrument
	cells column
	// kind is the type of a deterministic scorer, evidence what a reference's verdicts are as
	// such.
	kind     string
	evidence report.Evidence
	flags    map[flagKey]int
	// answers count what a judge's answers have beside their scores.
	answers answers
	// how is how the calls of the series are reduced to conversations, "" for not at all; the pass band of
	// the rubric then decides the mean of values.
	how  string
	band report.Rubric
}

// flagKey is a kind of flag.
type flagKey struct {
	code     string
	severity int
}

// missing counts scores that are missing for one reason; at orders the first of them
// among the others.
type missing struct {
	report.KindCount
	at string
}

func newTable(m *report.Manifest, s *items, run runs, bands []report.Threshold) *table {
	return &table{
		items: s, manifest: m, run: run, bands: bands, decide: report.Decider(bands, nil),
		byKey: map[report.Instrument]*series{}, unscored: map[[2]string]*missing{},
	}
}

// settle puts tables that share their items in order, once all scores are added.
func settle(tables ...*table) {
	calls, conversations := tables[0].items.settle()
	numbers := map[string][]uint32{report.CallLevel: calls, report.ConversationLevel: conversations}
	for _, t := range tables {
		for _, sr := range t.series {
			t.counts.Duplicates += sr.cells.settle(numbers[sr.Level])
		}
		t.arrange()
	}
}

// read takes all scores of a stream. Lines that are no scores are counted; any other
// error ends it.
func (t *table) read(scores iter.Seq2[score.Score, error]) error {
	for s, err := range scores {
		var bad *score.LineError
		switch {
		case errors.As(err, &bad):
			t.counts.BadLines++
		case err != nil:
			return fmt.Errorf("read scores: %w", err)
		default:
			t.add(&s)
		}
	}
	return nil
}

// add takes a score. What is no score is counted.
func (t *table) add(s *score.Score) {
	if s.Check() != nil {
		t.counts.BadLines++
		return
	}
	read := t.decide(*s)
	s = &read
	t.counts.Scores++
	call, level := int32(-1), report.ConversationLevel
	if s.CallIndex != nil {
		call, level = int32(*s.CallIndex), report.CallLevel
	}
	i := t.items.add(s.ConversationID, call, s.Tool, s.Place, t.run)
	sr := t.seriesOf(report.Instrument{
		Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose,
	})
	if call < 0 {
		t.mentionMissing(i, sr.kind, s)
	}
	for _, f := range s.Flags {
		if sr.flags == nil {
			sr.flags = map[flagKey]int{}
		}
		sr.flags[flagKey{strings.Clone(f.Code), f.Severity}]++
	}
	sr.cells = append(sr.cells, newCell(i.number, s.Value, s.Confidence, bitsOf(s)))
	if s.Source == score.Judge {
		sr.answers.add(s)
	}
	if s.Value == nil && s.Status != score.NotApplicable {
		t.miss(s)
	}
}

// seriesOf finds or makes the series of an instrument.
func (t *table) seriesOf(key report.Instrument) *series {
	sr, ok := t.byKey[key]
	if !ok {
		// Strings of a score share the memory of its line, so that what is kept is copied.
		key.Name, key.Metric, key.Judge = strings.Clone(key.Name), strings.Clone(key.Metric), strings.Clone(key.Judge)
		key.Purpose = strings.Clone(key.Purpose)
		sr = &series{Instrument: key}
		if key.Source == string(score.Deterministic) {
			sr.kind = t.manifest.Scorer(key.Name).Type
		}
		t.byKey[key] = sr
		t.series = append(t.series, sr)
	}
	return sr
}

// mentionMissing notes the tools of the expected calls that a conversation lacks, and
// those that error_recovery names as called, which may have no other score.
func (t *table) mentionMissing(i item, kind string, s *score.Score) {
	list := s.Details.Field("not_called")
	switch kind {
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
			t.mention(i.conversation, t.tools.number(tool))
		}
	}
}

// detailBits are the members of a judge's details that set a bit.
var detailBits = [...]struct {
	name string
	bit  bits
}{
	{"borderline", isBorderline}, {"low_confidence", isUnsure},
	{"escalate", isEscalated}, {"context_truncated", isShortened},
}

// bitsOf is what is known of a score beside its numbers.
func bitsOf(s *score.Score) bits {
	var b bits
	if p := report.VerdictOf(s); p != nil {
		b |= isDecided
		if *p {
			b |= isPassed
		}
	}
	switch s.Status {
	case score.NotApplicable:
		b |= isNotApplicable
	case score.Error:
		b |= isError
	}
	for _, f := range s.Flags {
		if f.Severity >= 2 {
			b |= isSevere
		}
	}
	if s.Source != score.Judge {
		return b
	}
	if n, ok := s.Details.Field("repairs").Int64(); ok && n > 0 {
		b |= isRepaired
	}
	for _, d := range detailBits {
		if yes, ok := s.Details.Field(d.name).BoolVal(); ok && yes {
			b |= d.bit
		}
	}
	return b
}

// miss counts a score that is missing, and keeps the first in the order of the log, in
// whatever order they are read: of equally long places the first by text.
func (t *table) miss(s *score.Score) {
	key := [2]string{string(s.Source), string(s.Status)}
	if s.Error != nil && s.Error.Kind != "" {
		key[1] = strings.Clone(s.Error.Kind)
	}
	m := t.unscored[key]
	if m == nil {
		m = &missing{KindCount: report.KindCount{Source: key[0], Kind: key[1]}}
		t.unscored[key] = m
	}
	m.Count++
	if s.Error == nil {
		return
	}
	call := report.CaseRef{CallIndex: s.CallIndex}.Call()
	at := fmt.Sprintf("%06d%s\x00%s\x00%012d\x00%s\x00%s", len(s.Place), s.Place, s.ConversationID, call,
		s.Judge, s.Name)
	if m.First == "" || at < m.at {
		m.First, m.at = whereOf(s)+": "+s.Error.Message, at
	}
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
