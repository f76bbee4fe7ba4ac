package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// maxText limits an explanation in a report, in characters.
const maxText = 2000

// textKey identifies the score of one side of a disagreement.
type textKey struct {
	conversation         string
	call                 int // -1 for a conversation
	source, judge, title string
}

// textTarget says where to store the texts of a score.
type textTarget struct {
	side *report.Side
	// callID receives the id of the call; nil for a conversation.
	callID *string
	filled bool
}

// textTargets holds the sides that need texts, by their scores.
type textTargets map[textKey][]*textTarget

// add requests texts for an item's sides; judge is the judge of the judge's sides.
func (t textTargets) add(of *report.CaseRef, callID *string, sides []report.Side, judge string) {
	if of.CallIndex == nil {
		callID = nil
	}
	for i := range sides {
		side := &sides[i]
		key := textKey{of.ConversationID, report.CaseRef{CallIndex: cmp.Or(side.CallIndex, of.CallIndex)}.Call(), side.Source,
			"", side.Name}
		if side.Source == string(score.Judge) {
			key.judge = judge
		}
		t[key] = append(t[key], &textTarget{side: side, callID: callID})
	}
}

// conversations returns the conversations of the requested scores.
func (t textTargets) conversations() []string {
	var out []string
	for key := range t {
		out = append(out, key.conversation)
	}
	return out
}

// textTargets returns the sides of the listed disagreements and failing items.
func (b *Builder) textTargets(r *report.Report) textTargets {
	targets := textTargets{}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		targets.add(&d.CaseRef, &d.CallID, d.Judgements, d.Judge)
		targets.add(&d.CaseRef, &d.CallID, d.References, "")
	}
	for i := range r.Failing.Items {
		f := &r.Failing.Items[i]
		targets.add(&f.CaseRef, &f.CallID, f.Sides, r.Failing.By.Judge)
	}
	for i := range r.FailureGroups {
		f := &r.FailureGroups[i].Example
		targets.add(&f.CaseRef, &f.CallID, f.Sides, r.Failing.By.Judge)
	}
	return targets
}

// readTexts reads the scores a second time, for the explanations of what is listed.
func (b *Builder) readTexts(r *report.Report) error {
	targets := b.textTargets(r)
	if len(targets) == 0 {
		return nil
	}
	scores := reread(b.kept)
	if b.scoresOf != nil {
		scores = b.scoresOf(targets.conversations()...)
	}
	for s, err := range scores {
		var bad *score.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read scores again: %w", err)
		}
		call := report.CaseRef{CallIndex: s.CallIndex}.Call()
		title := report.Instrument{Name: s.Name, Metric: s.Metric}.Title()
		for _, t := range targets[textKey{s.ConversationID, call, string(s.Source), s.Judge, title}] {
			t.take(&s)
		}
	}
	return nil
}

// textOf copies what readTexts needs of a score.
func textOf(s *score.Score) score.Score {
	out := score.Score{
		ConversationID: strings.Clone(s.ConversationID), CallID: excerpt(s.CallID, 200), Source: s.Source,
		Judge: strings.Clone(s.Judge), Name: strings.Clone(s.Name), Metric: strings.Clone(s.Metric),
		Explanation: excerpt(s.Explanation, maxText), Evidence: excerpt(s.Evidence, maxText),
		Label: excerpt(s.Label, maxText),
	}
	if s.CallIndex != nil {
		out.CallIndex = new(*s.CallIndex)
	}
	if s.Value != nil {
		out.Value = new(*s.Value)
	}
	return out
}

func reread(kept []score.Score) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		for _, s := range kept {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// take copies the texts of s. If an item was scored twice, it takes those of the score that is in
// the report, of equal scores the first by text.
func (t *textTarget) take(s *score.Score) {
	side := t.side
	if s.Value == nil || side.Value == nil || *report.Rounded(*s.Value) != *side.Value {
		return
	}
	explanation := excerpt(s.Explanation, maxText)
	if t.filled && explanation >= side.Explanation {
		return
	}
	t.filled = true
	side.Explanation, side.Evidence = explanation, excerpt(s.Evidence, maxText)
	if explanation == "" && s.Source == score.Label {
		side.Explanation = excerpt(s.Label, maxText)
	}
	if s.Confidence != nil {
		side.Confidence = report.Rounded(*s.Confidence)
	}
	side.Flags = nil
	for _, f := range s.Flags {
		side.Flags = append(side.Flags, excerpt(f.Code, 100))
	}
	if text := s.Correction.JSON(); len(text) <= maxText {
		side.Correction = s.Correction
	}
	if t.callID != nil && s.CallID != "" {
		*t.callID = excerpt(s.CallID, 200)
	}
}

// excerpt returns the beginning of a text, as a copy that does not keep the score's line in memory.
func excerpt(text string, n int) string { return strings.Clone(value.Excerpt(text, n)) }
