package measure

import (
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Labels holds what people said of a run's calls, blind and in the random order, as a report uses
// them: as scores beside those of the log's own labels.
type Labels struct {
	rows []LabelRow
	// filled are the random rows with a label.
	filled map[itemKey]LabelRow
	// some says that of some conversations only drawn calls have a label: nothing is known of
	// these as a whole.
	some bool
}

// NewLabels takes the rows of labels; it is nil if none of the random sample has a label.
func NewLabels(rows []LabelRow) *Labels {
	l := &Labels{rows: rows, filled: map[itemKey]LabelRow{}}
	for _, r := range rows {
		if r.Sample == RandomSample && (r.Passed != nil || len(r.ByRubric) > 0) {
			l.filled[r.key()], l.some = r, l.some || r.PerConversation > 0
		}
	}
	if len(l.filled) == 0 {
		return nil
	}
	return l
}

// Len returns the number of labelled items; nil has none.
func (l *Labels) Len() int {
	if l == nil {
		return 0
	}
	return len(l.filled)
}

// Into adds the labels of each conversation to its scores, once for each item that a judge was
// asked about. The scores of a nil Labels are the same.
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

// follower gathers the labels of the conversation whose scores are being read.
type follower struct {
	*Labels
	id, sheetID string
	waiting     []score.Score
	done        map[itemKey]bool
}

// flush yields the labels of the conversation before, if another one begins.
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

// add takes the labels of a judged item.
func (f *follower) add(s *score.Score) {
	key := itemKey{f.sheetID, callOf(s.CallIndex)}
	r, labelled := f.filled[key]
	if s.Source != score.Judge || !labelled || f.done[key] {
		return
	}
	f.done[key] = true
	add := func(name string, passed bool) {
		label := score.Score{ConversationID: f.id, CallID: strings.Clone(s.CallID), Tool: strings.Clone(s.Tool),
			Place: strings.Clone(s.Place), Name: name, Source: score.Label, Status: score.Scored,
			Value: new(asNumber(passed)), Passed: &passed, Explanation: r.Note}
		if s.CallIndex != nil {
			label.CallIndex = new(*s.CallIndex)
		}
		f.waiting = append(f.waiting, label)
	}
	if r.Passed != nil {
		add(report.PeopleLabel, *r.Passed)
	}
	rubrics := make([]string, 0, len(r.ByRubric))
	for name := range r.ByRubric {
		rubrics = append(rubrics, name)
	}
	slices.Sort(rubrics)
	for _, name := range rubrics {
		add(report.PeopleLabelOf(name), r.ByRubric[name])
	}
}

// NoSample says why the labels that stand under a name are a choice and no random sample, "" if
// they are the beginning of the random order but for what was deferred. calls are the
// conversations of all calls that the judge decided, and whether each has this label.
func (l *Labels) NoSample(name string, calls iter.Seq2[string, bool]) string {
	rubric, _ := report.PeopleRubric(name)
	return chosen(progressOf(l.rows, rubric, rubric == ""), calls)
}

// StoredLabels returns the rows of the random sample as a calibration keeps them, so that a report needs no
// sheet.
func StoredLabels(rows []LabelRow) []report.StoredLabel {
	var out []report.StoredLabel
	for _, r := range rows {
		if r.Sample == RandomSample {
			out = append(out, report.StoredLabel{ConversationID: r.ConversationID, CallIndex: r.CallIndex,
				Passed: r.Passed, ByRubric: r.ByRubric, Note: r.Note, Rank: r.Rank, Seed: r.Seed,
				PerConversation: r.PerConversation})
		}
	}
	return out
}

// RowsOfStored reverses StoredLabels.
func RowsOfStored(list []report.StoredLabel) []LabelRow {
	var out []LabelRow
	for _, s := range list {
		out = append(out, LabelRow{ConversationID: s.ConversationID, CallIndex: s.CallIndex, Passed: s.Passed,
			ByRubric: s.ByRubric, Note: s.Note, Rank: s.Rank, Seed: s.Seed, PerConversation: s.PerConversation,
			Sample: RandomSample})
	}
	return out
}
