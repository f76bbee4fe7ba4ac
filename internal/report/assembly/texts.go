package assembly

import (
	"errors"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// maxText bounds an explanation in a report, in characters.
const maxText = 2000

// textKey finds the score of one side of a disagreement.
type textKey struct {
	conversation         string
	call                 int // -1 for a conversation
	source, judge, title string
}

// textTarget is where the texts of a score go.
type textTarget struct {
	side   *report.Side
	parent *report.Disagreement
	filled bool
}

// readTexts goes through the scores a second time for the explanations of the
// disagreements that are listed.
func (b *Builder) readTexts(r *report.Report) error {
	items := r.Disagreements.Items
	if b.scores == nil || len(items) == 0 {
		return nil
	}
	targets := map[textKey][]*textTarget{}
	for i := range items {
		d := &items[i]
		add := func(side *report.Side, judge string) {
			at := report.CaseRef{CallIndex: side.CallIndex}
			if at.CallIndex == nil {
				at.CallIndex = d.CallIndex
			}
			key := textKey{d.ConversationID, at.Call(), side.Source, judge, side.Name}
			targets[key] = append(targets[key], &textTarget{side: side, parent: d})
		}
		for k := range d.Judgements {
			add(&d.Judgements[k], d.Judge)
		}
		for k := range d.References {
			add(&d.References[k], "")
		}
	}
	for s, err := range b.scores() {
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

// take copies what a reader needs of s. Where an item was scored twice, the text
// of the score that entered the report is taken, of equals the first by text.
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
	if t.parent.CallIndex != nil && s.CallID != "" {
		t.parent.CallID = excerpt(s.CallID, 200)
	}
}

// excerpt is the beginning of a text; it does not keep the line of the score in memory.
func excerpt(text string, n int) string { return strings.Clone(value.Excerpt(text, n)) }
