package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// table holds all scores of a run: a series of cells for each instrument. Two compared runs share
// their items, so that a conversation or call has the same number in both.
type table struct {
	*items
	manifest *report.Manifest
	// bands are the thresholds that decide verdicts anew; decide applies them to a score.
	bands  []report.Threshold
	decide func(score.Score) score.Score
	// series are in the order of their first scores; arrange sorts them in report order.
	series []*series
	byKey  map[report.Instrument]*series
	// run is this table's run among two compared ones.
	run      runs
	unscored map[[2]string]*missing // by source and kind
	counts   report.Counts
	planted  plantedItems
	// scale holds the pass bands in use, by the name of their rubric or scorer.
	scale map[string]report.Rubric
	// reasons holds why items fail; why holds, by level and item, their numbers in it.
	reasons groups.Reasons
	why     map[string][]uint32
}

// series holds the scores of one instrument.
type series struct {
	report.Instrument
	cells cellList
	// layer and toolsIn belong to a deterministic scorer; evidence says how strongly a reference's
	// verdicts count.
	layer    score.Layer
	toolsIn  string
	evidence report.Evidence
	flags    map[flagKey]int
	// places holds the answers of a rubric with categories, as indexes into names, from 1. Both are
	// nil for other instruments.
	places cellList
	names  []string
	// answers counts what a judge's answers contain besides their scores.
	answers answers
	// calls is the series from which this series of conversations was reduced, nil for others;
	// passing holds, by conversation, the share of its calls that pass.
	calls   *series
	passing []float64
	// madeFrom holds the marks of the conversations whose labels shaped a judge's rubric.
	madeFrom map[string]bool
}

// flagKey is a kind of flag.
type flagKey struct {
	code     string
	severity int
}

// missing counts scores that are missing for one reason; at is the position of the first one.
type missing struct {
	report.KindCount
	at string
}

func newTable(m *report.Manifest, s *items, run runs, bands []report.Threshold) *table {
	return &table{
		items: s, manifest: m, run: run, bands: bands, decide: decider(bands, nil),
		byKey: map[report.Instrument]*series{}, unscored: map[[2]string]*missing{}, why: map[string][]uint32{},
	}
}

// arrangeTables arranges tables that share their items, after all scores were added.
func arrangeTables(tables ...*table) {
	numbers := tables[0].items.renumber()
	for _, t := range tables {
		for _, sr := range t.series {
			sr.cells = sr.cells.renumbered(numbers[sr.Level])
			if sr.places != nil {
				sr.places = sr.places.renumbered(numbers[sr.Level])
			}
		}
		for level, why := range t.why {
			t.why[level] = renumberedReasons(why, numbers[level])
		}
		t.arrange()
	}
}

// read adds all scores of a stream. It counts lines that cannot be parsed as scores; any other error ends it.
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

// add adds a score. It counts what is not a score.
func (t *table) add(s *score.Score) {
	if s.Check() != nil {
		t.counts.BadLines++
		return
	}
	read := t.decide(*s)
	s = &read
	t.counts.Scores++
	t.planted.add(s)
	level := report.LevelOf(s)
	call := int32(report.CaseRef{CallIndex: s.CallIndex}.Call())
	var i item
	switch level {
	case report.TurnLevel:
		i = t.items.part(level, s.ConversationID, int32(s.Turn), "", s.Place, t.run)
	case report.ResultLevel:
		i = t.items.part(level, s.ConversationID, call, s.Tool, s.Place, t.run)
	default:
		i = t.items.add(s.ConversationID, call, s.Tool, s.Place, t.run)
	}
	sr := t.seriesOf(report.Instrument{
		Source: string(s.Source), Name: s.Name, Metric: s.Metric, Judge: s.Judge, Level: level, Purpose: s.Purpose,
	})
	if call < 0 {
		t.mentionTools(i, sr.toolsIn, s)
	}
	for _, f := range s.Flags {
		if sr.flags == nil {
			sr.flags = map[flagKey]int{}
		}
		sr.flags[flagKey{strings.Clone(f.Code), f.Severity}]++
	}
	if sr.put(i.number, s) {
		t.counts.Duplicates++
	}
	if p := VerdictOf(s); p != nil && !*p && s.Purpose == "" {
		t.addReason(level, i.number, s)
	}
	if s.Source == score.Judge {
		sr.answers.add(s)
	}
	if s.Value == nil && s.Status != score.NotApplicable {
		t.miss(s)
	}
}

// put sets the score of an item; existed says that it had one already.
func (sr *series) put(item uint32, s *score.Score) (existed bool) {
	c := newCell(s.Value, s.Confidence, bitsOf(s))
	existed = sr.cells.put(item, c)
	if s.Category != "" && sr.cells[item] == c {
		sr.place(item, s.Category)
	}
	return existed
}

// seriesOf finds or creates the series of an instrument.
func (t *table) seriesOf(key report.Instrument) *series {
	sr, ok := t.byKey[key]
	if !ok {
		// Copied, because a score's strings share the memory of its line.
		key.Name, key.Metric, key.Judge = strings.Clone(key.Name), strings.Clone(key.Metric), strings.Clone(key.Judge)
		key.Purpose = strings.Clone(key.Purpose)
		sr = &series{Instrument: key}
		if key.Source == string(score.Deterministic) {
			scorer := t.manifest.Scorer(key.Name)
			sr.layer, sr.toolsIn = scorer.Of(key.Metric).Layer, scorer.ToolsIn
		}
		if rubric, ok := t.manifest.Rubric(key.Name); ok && key.Source == string(score.Judge) {
			sr.madeFrom = rubric.MadeFrom.Set()
		}
		t.byKey[key] = sr
		t.series = append(t.series, sr)
	}
	return sr
}

// mentionTools records the tools in a member of a score's details, for instance those of expected
// calls that the conversation lacks and that may have no other score.
func (t *table) mentionTools(i item, member string, s *score.Score) {
	if member == "" {
		return
	}
	for _, name := range s.Details.Field(member).Elements() {
		if tool, ok := name.Str(); ok && tool != "" {
			t.mention(i.conversation, t.tools.number(tool))
		}
	}
}

// detailBits lists the members of a judge's details that set a bit.
var detailBits = [...]struct {
	name string
	bit  bits
}{
	{"borderline", isBorderline}, {"low_confidence", isUnsure},
	{"escalate", isEscalated}, {"context_truncated", isShortened},
}

// bitsOf returns what is known about a score besides its numbers.
func bitsOf(s *score.Score) bits {
	var b bits
	if p := VerdictOf(s); p != nil {
		b |= isDecided
		if *p {
			b |= isPassed
		}
	} else if s.Category != "" {
		b |= isWord
	}
	switch s.Status {
	case score.NotApplicable:
		b |= isNotApplicable
		if counted, ok := s.Details.Field(score.CountedAs).Int64(); ok && counted == 0 {
			b |= isZero
		}
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

// miss counts a missing score, and keeps the first one in log order, whatever the order of reading.
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
	if s.Turn > 0 {
		where += fmt.Sprintf(" turn %d", s.Turn)
	}
	if s.Judge != "" {
		where += ", " + s.Name + " by " + s.Judge
	}
	return where
}

// arrange sorts the series in report order and finds the pass bands in use, which it also puts into
// the manifest's rubrics and scorers.
func (t *table) arrange() {
	before := reportOrder(t.manifest)
	sorting.Stable(t.series, func(x, y *series) int { return before(x.Instrument, y.Instrument) })
	t.scale = map[string]report.Rubric{}
	bands := map[string]report.Threshold{}
	for _, b := range t.bands {
		bands[b.Name] = b
		t.scale[b.Name] = report.Rubric{Name: b.Name, Low: &b.Low, High: b.High}
	}
	m := t.manifest
	m.Rubrics, m.Scorers = slices.Clone(m.Rubrics), slices.Clone(m.Scorers)
	for i := range m.Scorers {
		s := &m.Scorers[i]
		if b, ok := bands[s.Name]; ok {
			s.Low, s.High = &b.Low, b.High
		}
		if s.Low != nil || s.High != nil {
			t.scale[s.Name] = report.Rubric{Name: s.Name, Low: s.Low, High: s.High}
		}
	}
	for i := range m.Rubrics {
		r := &m.Rubrics[i]
		if b, ok := bands[r.Name]; ok {
			r.Low, r.High = &b.Low, b.High
		}
		t.scale[r.Name] = *r
	}
	for _, sr := range t.series {
		if sr.places != nil {
			sr.orderNames(t.declared(sr.Instrument))
		}
	}
}

// reportOrder compares instruments: judges, then scorers, then labels, each in the order of the
// manifest, then by name.
func reportOrder(m *report.Manifest) func(x, y report.Instrument) int {
	source := map[string]int{string(score.Judge): 0, string(score.Deterministic): 1, string(score.Label): 2}
	place, judge := map[string]int{}, map[string]int{}
	for i, r := range m.Rubrics {
		place["judge/"+r.Name] = i - len(m.Rubrics)
	}
	for i, s := range m.Scorers {
		place["deterministic/"+s.Name] = i - len(m.Scorers)
	}
	for i, j := range m.Judges {
		judge[j.Name] = i - len(m.Judges)
	}
	return func(x, y report.Instrument) int {
		return cmp.Or(
			cmp.Compare(x.Purpose, y.Purpose),
			cmp.Compare(source[x.Source], source[y.Source]),
			cmp.Compare(judge[x.Judge], judge[y.Judge]), cmp.Compare(x.Judge, y.Judge),
			cmp.Compare(place[x.Source+"/"+x.Name], place[y.Source+"/"+y.Name]),
			cmp.Compare(asNumber(report.IsPart(x)), asNumber(report.IsPart(y))), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Metric, y.Metric), cmp.Compare(x.Level, y.Level),
		)
	}
}

// header returns the run's description in the report.
func (t *table) header() report.Run {
	m := t.manifest
	r := report.Run{
		ID: m.RunID, Version: m.Version, Judges: filled(m.Judges), Rubrics: filled(m.Rubrics),
		Scorers: filled(m.Scorers), Inputs: filled(m.Inputs),
	}
	for _, band := range t.bands {
		r.Thresholds = append(r.Thresholds, band.String())
	}
	return r
}

// filled turns nil into an empty list, which is printed as [].
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// retest reports whether a series holds the second answers of a retest, which are compared only
// with the first ones.
func (t *table) retest(sr *series) bool { return t.manifest.Judge(sr.Judge).RetestOf != "" }

// main returns the series that enter comparisons: all except qa scores and retests.
func (t *table) main() []*series {
	return dropped(t.series, func(sr *series) bool { return sr.Purpose == "qa" || t.retest(sr) })
}

// judges returns the judges' series that enter comparisons; references returns the others.
func (t *table) judges() []*series     { return dropped(t.main(), isReference) }
func (t *table) references() []*series { return dropped(t.main(), isJudge) }

// decides reports whether the answers to a rubric have verdicts.
func (t *table) decides(sr *series) bool {
	rubric := t.scale[sr.Name]
	return rubric.Decides()
}

func isJudge(sr *series) bool     { return sr.Source == string(score.Judge) }
func isReference(sr *series) bool { return !isJudge(sr) }

// atLevel returns the series with this level.
func atLevel(all []*series, level string) []*series {
	return dropped(all, func(sr *series) bool { return sr.Level != level })
}

// dropped returns the list without the elements for which drop is true.
func dropped[T any](all []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), drop)
}

// circular reports whether the judge saw what the reference decides by.
func (t *table) circular(judge, ref *series) bool {
	return t.manifest.Circular(judge.Instrument, ref.Instrument)
}

// sharesRules reports whether the judge applies the reference's rules itself.
func (t *table) sharesRules(judge, ref *series) bool {
	j, s := t.manifest.Judge(judge.Judge), t.manifest.Scorer(ref.Name)
	return slices.ContainsFunc(j.SharesRules, func(name string) bool {
		return name == ref.Title() || name == s.Type && ref.Metric == "" || name == s.Type+"."+ref.Metric
	})
}
