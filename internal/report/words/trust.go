package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// trustFact says how far each judge can be trusted, in counts with intervals. Several judges are
// sorted by their ranking, else by the sum of the two shares.
func trustFact(r *report.Report, run string) Fact {
	judges, trust := r.Judges(), slices.Clone(r.Headline.Trust)
	f := Fact{Name: TrustQuestion(r), Block: true, Most: 5, Least: 3}
	switch len(judges) {
	case 0:
		f.Lines = unjudged(r, run)
		return f
	case 1:
	default:
		f.Most = 4
	}
	if len(trust) == 0 {
		f.Lines = append([]string{untrusted(r, run)}, agreeing(r)...)
		return f
	}
	sorting.Stable(trust, func(x, y report.HeadlineTrust) int {
		return cmp.Or(cmp.Compare(placeOf(r, x.Judge), placeOf(r, y.Judge)), cmp.Compare(trustSum(&y), trustSum(&x)))
	})
	for _, t := range trust[:min(listed, len(trust))] {
		if text := Trust(&t); len(judges) == 1 {
			f.Lines = append(f.Lines, text)
		} else {
			f.Lines = append(f.Lines, Shorten(t.Judge, 40)+": "+text)
		}
	}
	f.Lines = append(f.Lines, agreeing(r)...)
	f.Lines = append(f.Lines, apart(r)...)
	if people := PeopleAgree(r); people != "" {
		f.Lines = append(f.Lines, people)
	}
	if left := len(judges) - min(listed, len(trust)); left > 0 {
		f.Lines = append(f.Lines, Counted(left, "further judge")+" with --details")
	}
	return f
}

// TrustQuestion returns the question about the run's judges or, without judges, about the deciding scorer.
func TrustQuestion(r *report.Report) string {
	switch len(r.Judges()) {
	case 0:
		return "Can you trust this scorer?"
	case 1:
		return canTrust
	}
	return "Can you trust these judges?"
}

// unjudged says what the scorer that decides a run without a judge cannot know, and that labels can tell.
func unjudged(r *report.Report, run string) []string {
	by := r.Failing.By
	if by.Source != string(score.Deterministic) || labelled(r) >= report.FewLabels {
		return nil
	}
	out := []string{Shorten(by.Title(), 60) + ": " + Evidence(r.Evidence(by)) + "."}
	if r.Run.ID != "" && by.Level == report.CallLevel { // otherwise there is no run to label in, or no call
		out = append(out, untrusted(r, run))
	}
	return out
}

// agreeing says on how many calls the first two judges of the whole call agree.
func agreeing(r *report.Report) []string {
	for i := range r.JudgeVsJudge {
		p := &r.JudgeVsJudge[i]
		if !r.IsWhole(p.Rubric) || p.N == 0 {
			continue
		}
		both, differ := Shorten(p.A, 40)+" and "+Shorten(p.B, 40), p.OnlyAPasses+p.OnlyBPasses
		if differ == 0 {
			return []string{fmt.Sprintf("%s agree on all %s: the second judge adds nothing here.", both, Counted(p.N, p.Level))}
		}
		return []string{fmt.Sprintf("%s agree on %d of %s; read the other %d first (on the page: Show, judges differ).", both,
			p.N-differ, Counted(p.N, p.Level), differ)}
	}
	return nil
}

// untrusted says that no judge is measured, or no rate known, and what to do about it: a label
// takes about half a minute.
func untrusted(r *report.Report, run string) string {
	const wanted = 30
	text, level := "Not known yet. ", mainLevel(r)
	takes := fmt.Sprintf("a judge is measured on %d or more, if you fail some and pass some. ", report.FewLabels)
	if len(r.Judges()) == 0 {
		takes = fmt.Sprintf("a rate takes %d or more. ", report.FewLabels)
	}
	n := itemsOf(r, level)
	if n < report.FewLabels {
		return text + "This run has " + Counted(n, level) + ", and " + strings.TrimSpace(takes)
	}
	if known := labelled(r); known > 0 {
		text += "You labelled " + Counted(known, level) + " so far, and " + takes
	}
	n = min(n, wanted)
	return fmt.Sprintf("%sLabel %d %ss (about %d minutes): judge view %s", text, n, level, (n+1)/2, nameOf(run))
}

// itemsOf returns how many items of a level a run has; labelled how many of them people labelled.
func itemsOf(r *report.Report, level string) int {
	return maxItems(r, func(s *report.ScoreRow) bool { return s.Level == level })
}

func labelled(r *report.Report) int {
	return maxItems(r, func(s *report.ScoreRow) bool { return report.IsPeople(s.Instrument) })
}

// maxItems returns the largest number of items of any score for which counts is true.
func maxItems(r *report.Report, counts func(*report.ScoreRow) bool) (most int) {
	for i := range r.Scores {
		if s := &r.Scores[i]; counts(s) {
			most = max(most, s.N)
		}
	}
	return most
}

// placeOf returns a judge's rank in the first ranking; a judge that is not in it comes last.
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

// apart says whether the two best judges of the first ranking can be distinguished.
func apart(r *report.Report) []string {
	if len(r.Rankings) == 0 || len(r.Rankings[0].Judges) < 2 {
		return nil
	}
	best, next := r.Rankings[0].Judges[0], r.Rankings[0].Judges[1]
	if !next.Behind.Defined() {
		return nil
	}
	return []string{fmt.Sprintf("%s against %s on what both judged: %s in Youden's J (found + kept - 1), p %s.",
		Shorten(next.Judge, 40), Shorten(best.Judge, 40), Estimate(next.Behind), P(next.Holm))}
}

// trustSum returns the sum of the share found and the share kept.
func trustSum(t *report.HeadlineTrust) float64 {
	sum := 0.0
	for _, c := range []*report.Counted{t.Found, t.Kept} {
		if c != nil && c.Rate.Defined() {
			sum += *c.Rate.Value
		}
	}
	return sum
}

// Fails returns "you failed" or "the label human fails": who fails what the judge should find.
func Fails(t *report.HeadlineTrust) string {
	if report.IsPeople(t.Reference) {
		return "you failed"
	}
	return referee(t) + " fails"
}

// Passes returns "you passed" or "the label human passes".
func Passes(t *report.HeadlineTrust) string {
	if report.IsPeople(t.Reference) {
		return "you passed"
	}
	return referee(t) + " passes"
}

// referee names the reference: "you", "the label human" or a scorer.
func referee(t *report.HeadlineTrust) string {
	switch {
	case report.IsPeople(t.Reference):
		return "you"
	case t.Reference.Source == string(score.Label):
		return "the label " + Shorten(t.Reference.Title(), 60)
	}
	return Shorten(t.Reference.Title(), 60)
}

// Trust says how many of the fails and passes of its best reference a judge finds and keeps.
func Trust(t *report.HeadlineTrust) string {
	var parts []string
	count := func(c *report.Counted, who, does string) {
		if c == nil || c.Of == 0 {
			return
		}
		of := fmt.Sprint(c.Of)
		if len(parts) == 0 {
			of = Counted(c.Of, t.Level)
		}
		if !report.IsPeople(t.Reference) {
			who = "that " + who
		}
		parts = append(parts, fmt.Sprintf("Of %s %s it %s %d%s.", of, who, does, c.Count, between(c.Rate)))
	}
	count(t.Found, Fails(t), "finds")
	count(t.Kept, Passes(t), "passes")
	switch t.Direction {
	case report.PassDirection:
		parts = append(parts, fmt.Sprintf("A %s that %s may be a valid alternative and is not counted.", t.Level, Fails(t)))
	case report.FailDirection:
		parts = append(parts, fmt.Sprintf("A %s that %s can still be wrong and is not counted.", t.Level, Passes(t)))
	}
	if t.BelowConstant {
		does := "passes"
		if t.Found != nil && t.Kept != nil && t.Found.Of > t.Kept.Of {
			does = "fails"
		}
		parts = append(parts, fmt.Sprintf("It agrees with %s less often than a judge that %s everything.", referee(t), does))
	}
	if t.Reduced {
		parts = append(parts, "A conversation passes if all its calls pass.")
	}
	if t.Rubric != "" && !report.IsOverall(t.Rubric) {
		return "On " + Shorten(t.Rubric, 60) + ": " + strings.Join(parts, " ")
	}
	return strings.Join(parts, " ")
}
