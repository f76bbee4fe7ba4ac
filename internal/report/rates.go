package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// rateWords lists the agent's pass rates: from people's labels, one per judge, the strongest
// scorer's, and per level the log's label with most items. Labels on fewer than FewLabels items are
// skipped, as are those that a corrected rate rests on.
func (r *Report) rateWords() []string {
	var out []string
	judges, people := 0, false
	for i := range r.Headline.Rates {
		h := &r.Headline.Rates[i]
		switch {
		case h.Judge == "" && (people || h.Labels < FewLabels), h.Kind == RawRateKind && people && len(r.Judges()) == 1:
		case h.Judge == "":
			people = true
			out = append(out, h.words(true))
		default:
			people = people || h.Labels > 0
			if judges++; judges <= listed {
				out = append(out, h.words(judges == 1))
			}
		}
	}
	if judges > listed {
		out = append(out, fmt.Sprintf("%d further judges with --details", judges-listed))
	}
	if d := r.scorerRow(len(r.Judges()) == 0); d != nil {
		out = append(out, fmt.Sprintf("%s by the scorer %s", shareOf(d.PassRate, d.Judged, d.Level),
			words.Shorten(d.Title(), 60)))
	}
	for _, level := range []string{CallLevel, ConversationLevel} {
		var best *HeadlineRate
		for i := range r.Headline.Rates {
			h := &r.Headline.Rates[i]
			ofLog := h.Kind == LabelRateKind && h.Labels == 0 && h.Level == level
			if ofLog && (best == nil || h.N > best.N) {
				best = h
			}
		}
		if best != nil && (best.N >= FewLabels || !strings.HasPrefix(best.Name, transcript.Recorded)) {
			out = append(out, best.words(true))
		}
	}
	return out
}

// scorerRow is the strongest scorer of calls that compares with what was expected or with
// the end state, nil for none; alone, without a judge, it may be any.
func (r *Report) scorerRow(alone bool) *ScoreRow {
	row := r.strongest(CallLevel)
	if alone && row == nil {
		row = r.strongest(ConversationLevel)
	}
	if row == nil || row.Source == string(score.Label) || !alone && r.Evidence(row.Instrument).Pass == score.Weak {
		return nil
	}
	return row
}

// words is "77 % of 64 calls, says judge-a on overall (60–88 %; the judge's own mistakes are not in
// this range)"; doubts says whether the words after the semicolon are wanted.
func (h *HeadlineRate) words(doubts bool) string {
	if h.Kind == LabelRateKind && h.Labels == 0 {
		return shareOf(h.Rate, h.N, h.Level) + " " + h.By()
	}
	var notes []string
	if h.Rate.HasInterval() {
		notes = append(notes, rangeOf(h.Rate))
	}
	if note := h.Note(); note != "" && (doubts || h.Raw != nil) {
		notes = append(notes, note)
	}
	text := share(h.Rate.Value) + " of " + words.Count(h.N, h.Level, h.Level+"s") + ", " + h.By()
	if h.Labels > 0 {
		text = share(h.Rate.Value) + " of " + h.Level + "s, " + h.By()
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// By says what decides.
func (h *HeadlineRate) By() string {
	judge := words.Shorten(h.Judge, 60) + " on " + words.Shorten(h.Name, 60)
	yours := "your " + words.Count(h.Labels, "label", "labels")
	if rubric, ok := PeopleRubric(h.Name); ok && rubric != "" {
		yours += " of " + words.Shorten(rubric, 60)
	}
	switch {
	case h.Judge == "" && h.Labels > 0:
		return "by " + yours
	case h.Judge == "":
		return "by the label " + words.Shorten(h.Name, 60)
	case h.Labels > 0:
		return "from " + yours + " and " + judge
	case h.Raw != nil:
		return "from the labels of " + words.Count(h.Labelled, "conversation", "conversations") + " and " + judge
	}
	return "says " + judge
}

// Note says what is known of the judge's mistakes, and what its own rate was; "" for a label of the
// log.
func (h *HeadlineRate) Note() string {
	switch {
	case h.Kind == LabelRateKind:
		var notes []string
		if h.Rate.Reason == "no_sample" {
			notes = append(notes, "no range: these calls are a choice and no random sample")
		}
		if h.Raw != nil {
			notes = append(notes, "the judge said "+share(h.Raw.Value))
		}
		return strings.Join(notes, "; ")
	case h.Raw != nil:
		return "the judge alone said " + share(h.Raw.Value)
	case h.Rate.HasInterval():
		return "the judge's own mistakes are not in this range"
	}
	return "not corrected for the judge's own mistakes"
}

// shareOf is "77 % of 64 calls (63–86 %)".
func shareOf(e Estimate, n int, level string) string {
	return share(e.Value) + " of " + words.Count(n, level, level+"s") + between(e)
}

// share is "77 %", with a decimal where it would look like all or nothing and is not.
func share(f *float64) string {
	switch {
	case f == nil:
		return words.None
	case *f > 0 && *f < 0.005 || *f < 1 && *f >= 0.995:
		return words.Share(math.Min(math.Max(*f, 0.001), 0.999), 1)
	}
	return words.Share(*f, 0)
}

// between is " (63–86 %)", "" where there is no interval.
func between(e Estimate) string {
	if !e.HasInterval() {
		return ""
	}
	return " (" + rangeOf(e) + ")"
}

// rangeOf is "63–86 %".
func rangeOf(e Estimate) string {
	return fmt.Sprintf("%s–%s %%", words.Fixed(100**e.Low, 0), words.Fixed(100**e.High, 0))
}
