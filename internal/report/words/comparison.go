package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// Reduced says how calls became one item.
func Reduced(how string) string {
	return map[string]string{report.ReduceMean: "mean of calls", report.ReduceMin: "every call"}[how]
}

// reducedSuffix says for calls how they became items.
func reducedSuffix(r *report.ChangeRow) string {
	if r.Reduced == "" {
		return ""
	}
	return ", " + Reduced(r.Reduced)
}

// Label names what the row is over: the score, and for calls how they became items.
func ChangeLabel(r *report.ChangeRow) string { return r.Title() + reducedSuffix(r) }

// Words name the row in a sentence, with its judge.
func ChangeName(r *report.ChangeRow) string { return r.Instrument.Words() + reducedSuffix(r) }

// ComparisonSentences says in words what changed, and what could have been seen.
func ComparisonSentences(c *report.Comparison) []string {
	out := []string{comparisonHeadline(c)}
	if c.ByConversation() {
		p := c.Calls
		out = append(out, fmt.Sprintf("The agent made other calls: %s both runs made, run A %d and run B %d more. "+
			"Scores of calls are therefore compared by conversation, over all calls of either run: "+
			"the mean of the calls, and whether every call passes.",
			Count(p.Same+p.Moved, "call", "calls"), p.OnlyA, p.OnlyB))
	}
	for _, s := range []string{trueEffect(c), sensitivity(c)} {
		if s != "" {
			out = append(out, s)
		}
	}
	for _, w := range c.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

// comparisonHeadline says in a sentence what changed since run A, worse scores first, of each kind
// those that changed most.
func comparisonHeadline(c *report.Comparison) string {
	const named = 3
	name := Shorten(cmp.Or(c.Name, "run "+c.A.ID), 120)
	if c.Shared == 0 {
		return fmt.Sprintf("Against %s: the runs have no conversation in common, "+
			"so that nothing can be said of a change.", name)
	}
	primary, changed := "", map[string][]string{}
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(x, y report.ChangeRow) int { return cmp.Compare(y.Size(), x.Size()) })
	for _, r := range rows {
		ch := r.Primary()
		text := fmt.Sprintf("%s (%s to %s, difference %s)", ChangeName(&r), Estimate(ch.A.WithoutInterval()),
			Estimate(ch.B.WithoutInterval()), Estimate(r.Difference()))
		switch word := ch.Outcome(); {
		case !r.Decides || r.Tool != "":
		case r.IsPrimary:
			primary = "the primary endpoint, " + text + ", " + outcomes[word] + "; "
		default:
			changed[word] = append(changed[word], text)
		}
	}
	var parts []string
	other := ""
	if primary != "" {
		other = "other "
	}
	for _, word := range []string{"worse", "better"} {
		if n := len(changed[word]); n > 0 {
			list := Some(changed[word], named)
			parts = append(parts, fmt.Sprintf("%s got %s: %s", Count(n, other+"score", other+"scores"), word, list))
		}
	}
	if noise := len(changed["~"]); noise > 0 || len(parts) == 0 && primary == "" {
		parts = append(parts, Count(noise, other+"score shows", other+"scores show")+" no change beyond noise")
	}
	text := strings.TrimSuffix(primary+strings.Join(parts, "; "), "; ")
	return fmt.Sprintf("Against %s, on %s of both: %s.", name,
		Count(c.Shared, "conversation", "conversations"), text)
}

// outcomes say of one score what became of it.
var outcomes = map[string]string{
	report.Worse: "got worse", report.Better: "got better", report.Unclear: "shows no change beyond noise",
	report.NotCompared: "has nothing to compare",
}

// trueEffect says what the primary endpoint's difference means for the true rate, "" where it
// is no judge's.
func trueEffect(c *report.Comparison) string {
	r := c.Endpoint()
	if r == nil || r.Judge == "" || r.PassRate.N == 0 {
		return ""
	}
	text := fmt.Sprintf("The difference is as %s sees it", Shorten(r.Judge, 60))
	switch {
	case r.Youden == nil:
		return text + ". A judge sees a true difference times its Youden's J, and no label at this level says what " +
			"that is here."
	case !r.ByYouden.Defined():
		return fmt.Sprintf("%s. Its Youden's J against %s is %s, too little to divide by.", text, r.Reference, Estimate(*r.Youden))
	}
	return fmt.Sprintf("%s; divided by its Youden's J of %s against %s, the true one is %s.", text, Estimate(*r.Youden), r.Reference,
		Estimate(*r.ByYouden))
}

// sensitivity says which drop of a pass rate these items could have shown at all: finding no
// change means little if only a very large one is detectable. It is about the primary
// endpoint; without one about all scores that decide, but for "every call".
func sensitivity(c *report.Comparison) string {
	of, rows, rates := c.Endpoint(), []report.ChangeRow(nil), 0
	for _, r := range c.Rows {
		switch other := of != nil && !r.IsPrimary || of == nil && r.Reduced == report.ReduceMin; {
		case !r.Decides || r.Tool != "" || r.PassRate.N == 0 || other:
			continue
		case r.PassRate.Detectable.Value != nil:
			rows = append(rows, r)
		}
		rates++
	}
	switch {
	case rates == 0:
		return ""
	case len(rows) == 0:
		verdict := "verdict"
		if of != nil {
			verdict = "verdict of " + ChangeName(of)
		}
		return "Which drop these items could have shown cannot be said: no " + verdict + " varies between the runs."
	}
	slices.SortStableFunc(rows, func(x, y report.ChangeRow) int {
		return cmp.Compare(*x.PassRate.Detectable.Value, *y.PassRate.Detectable.Value)
	})
	text := "These items would have shown " + detectable(&rows[0])
	if last := rows[len(rows)-1]; len(rows) > 1 {
		text += ", the most sensitive score, and " + detectable(&last) + ", the least"
	}
	return text + " (80 % power, after correction); smaller ones can hide."
}

// detectable says from where on a drop would have been seen, and by whom.
func detectable(r *report.ChangeRow) string {
	points := func(f *float64) string { return Fixed(100**f, 1) }
	seen, real := r.PassRate.Detectable, r.TrueDetectable()
	text := fmt.Sprintf("a drop from %s points on in %s", points(seen.Value), ChangeName(r))
	switch {
	case r.Judge == "":
		return text
	case !r.DividedByYouden():
		return text + ", as the judge sees it: the true drop is larger"
	}
	return fmt.Sprintf("a true drop from %s points on (%s–%s by its J) in %s, %s as the judge sees it",
		points(real.Value), points(real.Low), points(real.High), ChangeName(r), points(seen.Value))
}
