package assembly

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// maxText bounds an explanation in a report, in characters.
const maxText = 2000

// textKey finds the score of one side of a disagreement.
type textKey struct {
	conv   string
	call   int
	source string
	judge  string
	title  string
}

// wanted is where the texts of a score go.
type wanted struct {
	side   *report.Side
	parent *report.Disagreement
	filled bool
}

// placeKey is a call, or a conversation with call -1.
type placeKey struct {
	conv string
	call int
}

// readTexts goes through the scores a second time for the explanations of the
// disagreements that are listed, and for the places of the funnel's cases. A Builder
// has no second pass.
func (b *builder) readTexts(r *report.Report) error {
	items := r.Disagreements.Items
	places := placesOf(r)
	if b.In.Scores == nil || len(items) == 0 && len(places) == 0 {
		return nil
	}
	wants := map[textKey][]*wanted{}
	for i := range items {
		d := &items[i]
		for k := range d.Judgements {
			want(d, wants, &d.Judgements[k], d.Judge)
		}
		for k := range d.References {
			want(d, wants, &d.References[k], "")
		}
	}
	for s, err := range b.In.Scores() {
		var bad *score.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read scores again: %w", err)
		}
		call := -1
		if s.CallIndex != nil {
			call = *s.CallIndex
		}
		for _, p := range places[placeKey{s.ConversationID, call}] {
			if place := report.Clip(s.Place, 500); place != "" && (*p == "" || place < *p) {
				*p = place
			}
		}
		title := report.Instrument{Name: s.Name, Metric: s.Metric}.Title()
		for _, w := range wants[textKey{s.ConversationID, call, string(s.Source), s.Judge, title}] {
			w.take(&s)
		}
	}
	return nil
}

func want(d *report.Disagreement, into map[textKey][]*wanted, side *report.Side, judge string) {
	key := textKey{conv: d.ConversationID, call: -1, source: side.Source, judge: judge, title: side.Name}
	switch {
	case side.CallIndex != nil:
		key.call = *side.CallIndex
	case d.CallIndex != nil:
		key.call = *d.CallIndex
	}
	into[key] = append(into[key], &wanted{side: side, parent: d})
}

// take copies what a reader needs of s. Where an item was scored twice, the text
// of the score that entered the report is taken, of equals the first by text.
func (w *wanted) take(s *score.Score) {
	if s.Value == nil || w.side.Value == nil || *report.Rounded(*s.Value) != *w.side.Value {
		return
	}
	explanation := report.Clip(s.Explanation, maxText)
	if w.filled && explanation >= w.side.Explanation {
		return
	}
	w.filled = true
	w.side.Explanation, w.side.Evidence = explanation, report.Clip(s.Evidence, maxText)
	if explanation == "" && s.Source == score.Label {
		w.side.Explanation = report.Clip(s.Label, maxText)
	}
	if s.Confidence != nil {
		w.side.Confidence = report.Rounded(*s.Confidence)
	}
	w.side.Flags = nil
	for _, f := range s.Flags {
		w.side.Flags = append(w.side.Flags, report.Clip(f.Code, 100))
	}
	if text := s.Correction.JSON(); len(text) <= maxText {
		w.side.Correction = s.Correction
	}
	if w.parent.CallIndex != nil && s.CallID != "" {
		w.parent.CallID = report.Clip(s.CallID, 200)
	}
}

// placesOf are the places in a report that no lookup has filled.
func placesOf(r *report.Report) map[placeKey][]*string {
	out := map[placeKey][]*string{}
	add := func(conv string, call *int, place *string) {
		if *place != "" {
			return
		}
		key := placeKey{conv, -1}
		if call != nil {
			key.call = *call
		}
		out[key] = append(out[key], place)
	}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		add(d.ConversationID, d.CallIndex, &d.Place)
	}
	if r.Funnel != nil {
		for i := range r.Funnel.Layers {
			for k := range r.Funnel.Layers[i].Cases {
				c := &r.Funnel.Layers[i].Cases[k]
				add(c.ConversationID, c.CallIndex, &c.Place)
			}
		}
		for _, crossing := range []*report.Crossing{r.Funnel.Alternatives, r.Funnel.Misleading} {
			if crossing == nil {
				continue
			}
			for k := range crossing.Cases {
				c := &crossing.Cases[k]
				add(c.ConversationID, c.CallIndex, &c.Place)
			}
		}
	}
	return out
}
