package report

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
)

// maxNamedJudges bounds the judges that a sentence names.
const maxNamedJudges = 5

// passRates names the agent's pass rate, for calls and for conversations apart: the
// judges' and the reference's, on the same items where there is one judge.
func (r *Report) passRates() []string {
	var out []string
	for _, level := range []string{CallLevel, ConversationLevel} {
		if text := r.passRate(level); text != "" {
			out = append(out, text)
		}
	}
	if len(out) == 0 || len(r.Judges()) == 0 {
		return out
	}
	if r.Calibration == nil {
		return append(out, "A judge's rate carries the judge's own errors. For the true rate label a few hundred calls: judge calibrate RUN --sheet labels.csv")
	}
	return append(out, "A judge's rate carries the judge's own errors; it is not the true rate.")
}

// passRate is the sentence for one level, "" where nobody has a rate.
func (r *Report) passRate(level string) string {
	var parts []string
	behind, last := "", ""
	judges := r.Judges()
	for _, judge := range judges {
		rate, rubric, reduced := r.judgeRate(judge, level)
		switch {
		case !rate.Defined():
			continue
		case len(parts) == maxNamedJudges:
			behind = "; further judges are in the table"
			continue
		case reduced:
			rubric = "all calls pass"
		}
		text := rate.Percent(true) + " by " + Clip(judge, 60)
		if rubric != last {
			text, last = text+" ("+Clip(rubric, 60)+")", rubric
		}
		parts = append(parts, text)
	}
	if ref, rate, n := r.referenceRate(level); rate.Defined() {
		text := rate.Percent(true) + " by " + Clip(ref.Title(), 60)
		if n > 0 {
			text += ", on the " + document.Count(n, level, level+"s") + " that both decided"
		}
		parts = append(parts, text)
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("The agent's pass rate, of %ss: %s%s.", level, parts[0], behind)
	}
	return fmt.Sprintf("The agent's pass rate, of %ss: %s and %s%s.", level, strings.Join(parts[:len(parts)-1], ", "), parts[len(parts)-1], behind)
}

// judgeRate is what a judge passes of the items of a level by its overall or only
// rubric. A single judge is measured on the items that its best reference decided
// too; reduced says that its calls were reduced to conversations, of which all must
// pass.
func (r *Report) judgeRate(judge, level string) (rate Estimate, rubric string, reduced bool) {
	row, ok := r.Headline(judge, level)
	ok = ok && r.isOverall(row.Rubric) && r.Rank(row.Reference) <= maxGoldRank && row.Reduced != "reference"
	if ok && len(r.Judges()) == 1 {
		return row.JudgeRate, row.Rubric, row.Reduced != ""
	}
	for _, s := range r.Scores {
		if s.Judge == judge && s.Level == level && s.PassRate.Defined() && r.isOverall(s.Name) && s.Purpose == "" {
			return s.PassRate, s.Title(), false
		}
	}
	if ok {
		return row.JudgeRate, row.Rubric, row.Reduced != ""
	}
	return Estimate{}, "", false
}

// isOverall reports whether a rubric speaks of a call as a whole.
func (r *Report) isOverall(rubric string) bool {
	return strings.HasPrefix(rubric, "overall") || len(r.Run.Rubrics) == 1
}

// referenceRate is the pass rate by the strongest reference that speaks of the level
// itself. n is the number of items where these are the ones that the only judge
// decided too, 0 where the rate is over all that the reference decided.
func (r *Report) referenceRate(level string) (ref Instrument, rate Estimate, n int) {
	if judges := r.Judges(); len(judges) == 1 {
		if row, ok := r.Headline(judges[0], level); ok && r.isOverall(row.Rubric) && r.Rank(row.Reference) <= maxGoldRank && row.Reference.Level == level {
			return row.Reference, row.BaseRate, row.Verdicts
		}
	}
	best := -1
	for i, s := range r.Scores {
		if s.Source == string(score.Judge) || s.Level != level || !s.PassRate.Defined() || s.Metric != "" || s.Purpose != "" || r.Rank(s.Instrument) > maxGoldRank {
			continue
		}
		if best < 0 || r.Rank(s.Instrument) < r.Rank(r.Scores[best].Instrument) {
			best = i
		}
	}
	if best < 0 {
		return Instrument{}, Estimate{}, 0
	}
	return r.Scores[best].Instrument, r.Scores[best].PassRate, 0
}
