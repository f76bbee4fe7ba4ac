package measure

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Labels holds people's labels of a run's calls, given blind and in the random order, as a report
// uses them: as scores beside those of the log's labels.
type Labels struct {
	rows    []LabelRow
	rubrics map[string]report.Rubric
	// source is the source of the scores whose items can have a label: judges, or scorers in a run
	// without a judge.
	source score.Source
	// filled holds the random rows with a label.
	filled map[itemKey]LabelRow
	// some says that in some conversations only drawn calls have a label, so that nothing is known
	// about these conversations as a whole.
	some bool
	// Pairs says how each two people agree.
	Pairs []report.PeoplePair
}

// NewLabels returns the labels in the rows of a run; nil if no row of the random sample has a label.
func NewLabels(rows []LabelRow, m *report.Manifest) *Labels {
	l := &Labels{rows: rows, filled: map[itemKey]LabelRow{}, rubrics: map[string]report.Rubric{}, source: m.ScoredBy()}
	for _, r := range m.Rubrics {
		l.rubrics[r.Name] = r
	}
	for _, r := range rows {
		if r.Sample == RandomSample && r.filled() {
			l.filled[r.key()], l.some = r, l.some || r.PerConversation > 0
		}
	}
	if len(l.filled) == 0 {
		return nil
	}
	return l
}

// Len returns the number of labelled items; 0 for nil.
func (l *Labels) Len() int {
	if l == nil {
		return 0
	}
	return len(l.filled)
}

// Into adds the labels of each conversation to its scores, once for each item that a judge (in a
// run without a judge, a scorer) scored. A nil Labels adds nothing.
func (l *Labels) Into(scores iter.Seq2[score.Score, error]) iter.Seq2[score.Score, error] {
	if l == nil {
		return scores
	}
	return func(yield func(score.Score, error) bool) {
		f := follower{Labels: l, done: map[itemKey]bool{}}
		for s, err := range scores {
			if err == nil && !f.flush(s.ConversationID, yield) || !yield(s, err) {
				return
			}
			if err == nil {
				f.add(&s)
			}
		}
		f.flush("", yield)
	}
}

// follower collects the labels for the conversation whose scores are being read.
type follower struct {
	*Labels
	id, sheetID string
	waiting     []score.Score
	done        map[itemKey]bool
}

// flush yields the labels of the previous conversation when another one begins.
func (f *follower) flush(next string, yield func(score.Score, error) bool) bool {
	if next == f.id {
		return true
	}
	for _, s := range f.waiting {
		if !yield(s, nil) {
			return false
		}
	}
	f.id, f.sheetID, f.waiting = strings.Clone(next), sheetID(next), nil
	return true
}

// add adds the labels of a scored item.
func (f *follower) add(s *score.Score) {
	key := keyOfScore(s)
	key.conv = f.sheetID
	r, labelled := f.filled[key]
	if s.Source != f.source || !labelled || f.done[key] {
		return
	}
	f.done[key] = true
	add := func(rubric string, a labels.Answer) {
		label := answerScore(a, f.rubrics[rubric].Categories)
		label.ConversationID, label.CallID, label.Tool = f.id, strings.Clone(s.CallID), strings.Clone(s.Tool)
		label.Place, label.Name, label.Explanation = strings.Clone(s.Place), report.PeopleLabelOf(rubric), r.Note
		label.Turn, label.Scope = s.Turn, strings.Clone(s.Scope)
		if s.CallIndex != nil {
			label.CallIndex = new(*s.CallIndex)
		}
		f.waiting = append(f.waiting, label)
	}
	if r.Whole.Given() {
		add("", r.Whole)
	}
	for _, name := range slices.Sorted(maps.Keys(r.ByRubric)) {
		add(name, r.ByRubric[name])
	}
}

// answerScore returns a label as a score, without its item; categories are those of its rubric.
func answerScore(a labels.Answer, categories []string) score.Score {
	s := score.Score{Source: score.Label, Status: score.Scored, Passed: a.Verdict(), Category: a.Category}
	switch {
	case a.Label == labels.NotApplicable:
		s.Status = score.NotApplicable
	case s.Passed != nil:
		s.Value = new(asNumber(*s.Passed))
	default:
		s.Value = new(float64(slices.Index(categories, a.Category) + 1))
	}
	return s
}

// NoSample says why the labels with this name are a selection and not a random sample; "" if they
// follow the random order, except for deferred items. calls yields the conversations of all calls
// that the judge decided, and whether each has this label.
func (l *Labels) NoSample(name string, calls iter.Seq2[string, bool]) string {
	if l == nil {
		return ""
	}
	rubric, _ := report.PeopleRubric(name)
	return chosen(progressOf(l.rows, rubric, rubric == ""), calls)
}

// StoredLabels returns the rows of the random sample in the form that a calibration stores, so that
// a report needs no sheet.
func StoredLabels(rows []LabelRow) []report.StoredLabel {
	var out []report.StoredLabel
	for _, r := range rows {
		if r.Sample != RandomSample {
			continue
		}
		stored := report.StoredLabel{ConversationID: r.ConversationID, CallIndex: r.CallIndex, Turn: r.Turn,
			Scope: r.Scope, Whole: report.StoredAnswer(r.Whole), Note: r.Note, Rank: r.Rank, Seed: r.Seed,
			PerConversation: r.PerConversation}
		for name, a := range r.ByRubric {
			if stored.ByRubric == nil {
				stored.ByRubric = map[string]report.StoredAnswer{}
			}
			stored.ByRubric[name] = report.StoredAnswer(a)
		}
		out = append(out, stored)
	}
	return out
}

// RowsOfStored is the inverse of StoredLabels.
func RowsOfStored(list []report.StoredLabel) []LabelRow {
	var out []LabelRow
	for _, s := range list {
		r := LabelRow{ConversationID: s.ConversationID, CallIndex: s.CallIndex, Turn: s.Turn, Scope: s.Scope,
			Whole: labels.Answer(s.Whole), Note: s.Note, Rank: s.Rank, Seed: s.Seed,
			PerConversation: s.PerConversation, Sample: RandomSample, ByRubric: map[string]labels.Answer{}}
		for name, a := range s.ByRubric {
			r.ByRubric[name] = labels.Answer(a)
		}
		out = append(out, r)
	}
	return out
}
