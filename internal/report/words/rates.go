package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// rateWords lists the agent's pass rates: from people's labels, one per judge, the strongest
// scorer's, and per level the log's label with most items. Labels on fewer than report.FewLabels items are
// skipped, as are those that a corrected rate rests on.
func rateWords(r *report.Report) []string {
	var out []string
	judges, people := 0, false
	for i := range r.Headline.Rates {
		h := &r.Headline.Rates[i]
		switch {
		case h.Judge == "" && (people || h.Labels < report.FewLabels),
			h.Kind == report.RawRateKind && people && len(r.Judges()) == 1:
		case h.Judge == "":
			people = true
			out = append(out, rateSentence(h, true))
		default:
			people = people || h.Labels > 0
			if judges++; judges <= listed {
				out = append(out, rateSentence(h, judges == 1))
			}
		}
	}
	if judges > listed {
		out = append(out, Counted(judges-listed, "further judge")+" with --details")
	}
	if d := scorerRow(r, len(r.Judges()) == 0); d != nil {
		out = append(out, scorerSentence(r, d))
	}
	for _, level := range []string{report.CallLevel, report.ConversationLevel} {
		var best *report.HeadlineRate
		for i := range r.Headline.Rates {
			h := &r.Headline.Rates[i]
			ofLog := h.Kind == report.LabelRateKind && h.Labels == 0 && h.Level == level
			if ofLog && (best == nil || h.N > best.N) {
				best = h
			}
		}
		if best != nil && (best.N >= report.FewLabels || !strings.HasPrefix(best.Name, transcript.Recorded)) {
			out = append(out, rateSentence(best, true))
		}
	}
	return out
}

// scorerSentence says what the strongest scorer measured: "88 % of 49 calls match the expected
// calls (74–95 %; scorer NAME)".
func scorerSentence(r *report.Report, row *report.ScoreRow) string {
	does := "pass"
	switch r.Run.Meaning(row.Instrument).Measures {
	case score.ExpectedCalls, score.EquivalentCalls:
		does = "match the expected calls"
	case score.EndState:
		does = "lead to the expected end state"
	}
	note := "scorer " + Shorten(row.Title(), 60)
	if row.PassRate.HasInterval() {
		note = rangeOf(row.PassRate) + "; " + note
	}
	return fmt.Sprintf("%s of %s %s (%s)", share(row.PassRate.Value), Counted(row.Judged, row.Level), does, note)
}

// rateSentence returns "77 % of 64 calls, says judge-a on overall (60–88 %; the judge's own
// mistakes are not in this range)"; doubts includes the words after the semicolon.
func rateSentence(h *report.HeadlineRate, doubts bool) string {
	var notes []string
	if h.Rate.HasInterval() {
		notes = append(notes, rangeOf(h.Rate))
	}
	ofLog := h.Kind == report.LabelRateKind && h.Labels == 0
	if note := RateNote(h); note != "" && !ofLog && (doubts || h.Raw != nil) {
		notes = append(notes, note)
	}
	text := fmt.Sprintf("%s of %s, %s", share(h.Rate.Value), RateOf(h), RateBy(h))
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// RateOf says which items a rate covers: "64 calls", or "calls" if people's labels, a random sample,
// represent all of them.
func RateOf(h *report.HeadlineRate) string {
	if h.Labels > 0 && h.Rate.Reason != "no_sample" {
		return h.Level + "s"
	}
	return Counted(h.N, h.Level)
}

// RateBy says who or what decides.
func RateBy(h *report.HeadlineRate) string {
	judge := Shorten(h.Judge, 60) + " on " + Shorten(h.Name, 60)
	yours := "your " + Counted(h.Labels, "label")
	if rubric, ok := report.PeopleRubric(h.Name); ok && rubric != "" {
		yours += " of " + Shorten(rubric, 60)
	}
	switch {
	case h.Judge == "" && h.Labels > 0:
		return "by " + yours
	case h.Judge == "":
		return "by the label " + Shorten(h.Name, 60)
	case h.Labels > 0:
		return "from " + yours + " and " + judge
	case h.Raw != nil:
		return "from the labels of " + Counted(h.Labelled, "conversation") + " and " + judge
	}
	return "says " + judge
}

// RateNote says what is known about the judge's mistakes, and what its own rate was; "" for a label of the log.
func RateNote(h *report.HeadlineRate) string {
	switch {
	case h.Kind == report.LabelRateKind:
		var notes []string
		if h.Rate.Reason == "no_sample" {
			notes = append(notes, "no range: these "+h.Level+"s are a choice and no random sample")
		}
		if h.Raw != nil {
			notes = append(notes, "the judge said "+share(h.Raw.Value))
		}
		if n := h.FurtherLabels; n != nil && n.About > 0 {
			notes = append(notes, more(n, "more label")+" until its verdicts correct this rate")
		}
		return strings.Join(notes, "; ")
	case h.Raw != nil:
		note := "the judge alone said " + share(h.Raw.Value)
		if n := h.FurtherLabels; n != nil && n.About > 0 && h.Rate.HasInterval() {
			note += fmt.Sprintf("; ±%.0f points now, %s for ±%g", 50*(*h.Rate.High-*h.Rate.Low),
				more(n, "more label"), 50*report.WantedWidth)
		}
		if h.OneCall {
			note += "; one label a conversation: too narrow if long ones fail more often"
		}
		return note
	case h.Rate.HasInterval():
		return "the judge's own mistakes are not in this range"
	}
	return "not corrected for the judge's own mistakes"
}

// share returns "77 %", with a decimal if it would otherwise be rounded to 0 % or 100 %.
func share(f *float64) string {
	switch {
	case f == nil:
		return None
	case *f > 0 && *f <= 0.005 || *f < 1 && *f >= 0.995:
		return Share(math.Min(math.Max(*f, 0.001), 0.999), 1)
	}
	return Share(*f, 0)
}

// between returns " (63–86 %)"; "" without an interval.
func between(e report.Estimate) string {
	if !e.HasInterval() {
		return ""
	}
	return " (" + rangeOf(e) + ")"
}

// rangeOf returns "63–86 %".
func rangeOf(e report.Estimate) string {
	return fmt.Sprintf("%s–%s %%", Fixed(100**e.Low, 0), Fixed(100**e.High, 0))
}

// scorerRow returns the strongest scorer of calls that compares with the expected calls or the end
// state; nil if none. alone, without a judge, allows any scorer.
func scorerRow(r *report.Report, alone bool) *report.ScoreRow {
	row := r.Strongest(report.CallLevel)
	if alone && row == nil {
		row = r.Strongest(report.ConversationLevel)
	}
	if row == nil || row.Source == string(score.Label) || !alone && r.Evidence(row.Instrument).Pass == score.Weak {
		return nil
	}
	return row
}
