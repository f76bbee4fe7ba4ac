package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// trustFact says how far each judge can be trusted, in counts with intervals; several
// judges in the order of their ranking, else by the sum of the two shares.
func trustFact(r *report.Report, run string) Fact {
	judges, trust := r.Judges(), slices.Clone(r.Headline.Trust)
	switch {
	case len(judges) == 0:
		return Fact{}
	case len(trust) == 0:
		return Fact{Name: "this judge", Most: 3, Lines: []string{untrusted(r, run)}}
	case len(judges) == 1:
		return Fact{Name: "this judge", Most: 5, Least: 3, Lines: []string{Trust(&trust[0])}}
	}
	slices.SortStableFunc(trust, func(x, y report.HeadlineTrust) int {
		return cmp.Or(cmp.Compare(placeOf(r, x.Judge), placeOf(r, y.Judge)), cmp.Compare(trustSum(&y), trustSum(&x)))
	})
	f := Fact{Name: "judges", Most: 4, Least: 3}
	for _, t := range trust[:min(listed, len(trust))] {
		f.Lines = append(f.Lines, Shorten(t.Judge, 40)+" "+Trust(&t))
	}
	f.Lines = append(f.Lines, apart(r)...)
	if left := len(judges) - min(listed, len(trust)); left > 0 {
		f.Lines = append(f.Lines, Count(left, "further judge", "further judges")+" with --details")
	}
	return f
}

// untrusted says that no judge is measured, and what to do about it.
func untrusted(r *report.Report, run string) string {
	text := "not known yet. "
	if n := labelled(r); n > 0 {
		text += "You labelled " + Count(n, "call", "calls") + " so far, and a judge is measured on " +
			fmt.Sprint(report.FewLabels) + " or more of which you fail some and pass some. "
	}
	return text + "Label 30 calls (about 15 minutes): judge view " + nameOf(run)
}

// labels is how many items people labelled.
func labelled(r *report.Report) int {
	most := 0
	for i := range r.Scores {
		if report.IsPeople(r.Scores[i].Instrument) {
			most = max(most, r.Scores[i].N)
		}
	}
	return most
}

// place is where a judge stands in the first ranking, behind all of it where it does not.
func placeOf(r *report.Report, judge string) int {
	if len(r.Rankings) == 0 {
		return 0
	}
	list := r.Rankings[0].Judges
	at := slices.IndexFunc(list, func(j report.RankedJudge) bool { return j.Judge == judge })
	if at < 0 {
		return len(list)
	}
	return at
}

// apart says whether the two best judges of the first ranking can be told apart.
func apart(r *report.Report) []string {
	if len(r.Rankings) == 0 || len(r.Rankings[0].Judges) < 2 {
		return nil
	}
	best, next := r.Rankings[0].Judges[0], r.Rankings[0].Judges[1]
	if !next.Behind.Defined() {
		return nil
	}
	return []string{fmt.Sprintf("%s from %s, on what both judged: %s in Youden's J (found + kept - 1), p %s",
		Shorten(next.Judge, 40), Shorten(best.Judge, 40), Estimate(next.Behind), P(next.Holm))}
}

// sum is the share found and the share kept.
func trustSum(t *report.HeadlineTrust) float64 {
	sum := 0.0
	for _, c := range []*report.Counted{t.Found, t.Kept} {
		if c != nil && c.Rate.Defined() {
			sum += *c.Rate.Value
		}
	}
	return sum
}

// Fails is "you failed" or "the label human fails": who fails what the judge is to find.
func Fails(t *report.HeadlineTrust) string { return decides(t, "failed", "fails") }

// Passes is the same of what the judge is to pass.
func Passes(t *report.HeadlineTrust) string { return decides(t, "passed", "passes") }

func decides(t *report.HeadlineTrust, you, it string) string {
	ref := Shorten(t.Reference.Title(), 60)
	switch {
	case report.IsPeople(t.Reference):
		return "you " + you
	case t.Reference.Source == string(score.Label):
		return "the label " + ref + " " + it
	}
	return ref + " " + it
}

// Words say it in a sentence whose subject is the judge.
func Trust(t *report.HeadlineTrust) string {
	unit := t.Level + "s "
	var parts []string
	if c := t.Found; c != nil && c.Of > 0 {
		parts = append(parts, fmt.Sprintf("finds %d of the %d %sthat %s%s", c.Count, c.Of, unit, Fails(t), between(c.Rate)))
		unit = ""
	}
	if c := t.Kept; c != nil && c.Of > 0 {
		who := Passes(t)
		if len(parts) > 0 && !report.IsPeople(t.Reference) {
			who = "it passes"
		}
		parts = append(parts, fmt.Sprintf("passes %d of the %d %sthat %s%s", c.Count, c.Of, unit, who, between(c.Rate)))
	}
	text := strings.Join(parts, ", and ")
	switch t.Direction {
	case report.PassDirection:
		text += "; what that fails can be a valid alternative, and is not counted"
	case report.FailDirection:
		text += "; what that passes can still be wrong, and is not counted"
	}
	if t.BelowConstant {
		text += "; it agrees less often than a judge that " + constant(t) + " everything"
	}
	if t.Reduced {
		text += "; a conversation passes when all its calls do"
	}
	if t.Rubric != "" && !report.IsOverall(t.Rubric) {
		text = "on " + Shorten(t.Rubric, 60) + ": " + text
	}
	return text
}

// constant is what the judge with the commoner verdict for everything does: passes or fails.
func constant(t *report.HeadlineTrust) string {
	if t.Found != nil && t.Kept != nil && t.Found.Of > t.Kept.Of {
		return "fails"
	}
	return "passes"
}
