package measure

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// headliner computes the headline of a report from its tables.
type headliner struct{ *report.Report }

// setHeadline sets the headline. Rates based on people's labels come first.
func setHeadline(of *report.Report) {
	r := headliner{of}
	r.Headline = report.Headline{
		Rates: []report.HeadlineRate{}, Trust: []report.HeadlineTrust{}, Disagreements: r.Disagreements.Total,
	}
	judges := r.Judges()
	for _, judge := range judges {
		r.Headline.Rates = append(r.Headline.Rates, r.headlineRates(judge)...)
		if row, ok := r.Best(judge, ""); ok && r.CanLead(&row) {
			r.Headline.Trust = append(r.Headline.Trust, r.trust(&row))
		}
	}
	for i := range r.Scores {
		s := &r.Scores[i]
		if s.Source != string(score.Label) || s.Metric != "" || report.IsPart(s.Instrument) || !s.PassRate.Defined() {
			continue
		}
		rate := report.HeadlineRate{Kind: report.LabelRateKind, Name: s.Name, Level: s.Level, Rate: s.PassRate, N: s.Judged}
		if r.chosen(s.Name) {
			rate.Rate = report.NoSample(s.PassRate.Value)
		}
		if rubric, ok := report.PeopleRubric(s.Name); ok {
			if rubric != "" && !r.IsWhole(rubric) {
				continue // an aspect is not the agent's pass rate
			}
			rate.Labels = s.Judged
			if len(judges) == 1 {
				rate.Raw, rate.FurtherLabels = r.rawRate(judges[0], s.Level), r.labelsToCorrect(s)
			}
		}
		r.Headline.Rates = append(r.Headline.Rates, rate)
	}
	sorting.Stable(r.Headline.Rates, func(x, y report.HeadlineRate) int {
		return cmp.Compare(headlineOrder(&x), headlineOrder(&y))
	})
}

// headlineOrder sorts rates based on people's labels first, then the judges', then the log's labels.
func headlineOrder(h *report.HeadlineRate) int {
	switch {
	case h.Kind == report.CorrectedRateKind && h.Labels > 0:
		return 0
	case h.Labels > 0:
		return 1
	case h.Judge != "":
		return 2
	}
	return 3
}

// rawRate returns a judge's own rate at a level by its deciding rubric; nil if none.
func (r headliner) rawRate(judge, level string) *report.Estimate {
	if s := r.DecidingRow(judge, level); s != nil {
		return &s.PassRate
	}
	return nil
}

// labelsToCorrect returns the smallest number of further labels with which a judge's verdicts
// correct the labels' rate; nil if they do already, or if it is impossible.
func (r headliner) labelsToCorrect(s *report.ScoreRow) *truth.More {
	for _, c := range r.Corrected {
		if c.Label != s.Name || c.Level != s.Level || c.NoSample != "" || c.Corrected.HasInterval() {
			continue
		}
		byRarer, least := c.LabelsToCorrect(c.Labels, c.Labelled)
		if byRarer > 0 {
			least = min(least, byRarer)
		}
		if least > c.N-c.Labels {
			return nil // the run has nothing left to label
		}
		return &truth.More{About: least, Least: least, Most: least}
	}
	return nil
}

// chosen reports whether a label that should be a random sample turned out to be a selection, for any judge.
func (r headliner) chosen(label string) bool {
	return slices.ContainsFunc(r.Corrected, func(c report.LabelCorrection) bool {
		return c.Label == label && c.NoSample != ""
	})
}

// headlineRates returns a judge's rates that labels correct, or else its rate by its overall or
// first rubric, if there is one.
func (r headliner) headlineRates(judge string) []report.HeadlineRate {
	var out []report.HeadlineRate
	row := cmp.Or(r.DecidingRow(judge, report.CallLevel), r.DecidingRow(judge, report.ConversationLevel))
	for _, c := range r.Corrected {
		if c.Judge != judge || !c.Corrected.HasInterval() {
			continue
		}
		rate := report.HeadlineRate{
			Kind: report.CorrectedRateKind, Name: c.Rubric, Judge: judge, Level: c.Level, N: c.N, Raw: &c.Naive,
			Rate: c.Corrected.Clipped(0, 1), Labelled: c.Labelled, OneCall: c.OneCall,
		}
		if _, people := report.PeopleRubric(c.Label); people {
			if row == nil || row.Name != c.Rubric {
				continue // aspects are in the tables
			}
			rate.Labels, rate.FurtherLabels = c.Labels, c.FurtherLabels(c.Labels, c.Labelled)
		}
		out = append(out, rate)
	}
	if len(out) > 0 || row == nil {
		return out
	}
	rate := report.HeadlineRate{
		Kind: report.RawRateKind, Name: row.Name, Judge: judge, Level: row.Level, Rate: row.PassRate, N: row.Judged,
	}
	if c := r.corrected(judge, row.Name); c != nil {
		rate.Kind, rate.Raw, rate.Rate = report.CorrectedRateKind, &row.PassRate, c.PassRate.Corrected.Clipped(0, 1)
		rate.Labelled, rate.Labels, rate.FurtherLabels = c.Conversations, c.N, c.PassRate.FurtherLabels(c.N, c.Conversations)
		rate.OneCall = c.PassRate.OneCall
	}
	return []report.HeadlineRate{rate}
}

// corrected returns the row of a judge's calibration if it has a corrected rate with an interval; else nil.
func (r headliner) corrected(judge, rubric string) *report.CalibrationRow {
	if r.Calibration == nil {
		return nil
	}
	for i := range r.Calibration.Rows {
		c := &r.Calibration.Rows[i]
		if c.Judge == judge && c.Rubric == rubric && c.PassRate != nil && c.PassRate.Corrected.HasInterval() {
			return c
		}
	}
	return nil
}

// trust returns the counts of a row, without intervals if the labels are a selection.
func (r headliner) trust(row *report.AgreementRow) report.HeadlineTrust {
	t := row.Trust()
	if row.Reference.Source != string(score.Label) || !r.chosen(row.Reference.Name) {
		return t
	}
	for _, c := range []*report.Counted{t.Found, t.Kept} {
		if c != nil {
			c.Rate = report.NoSample(c.Rate.Value)
		}
	}
	return t
}
