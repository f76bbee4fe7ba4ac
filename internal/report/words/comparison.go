package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// Reduced says how calls became one item.
func Reduced(how string) string {
	return map[string]string{report.ReduceMean: "mean of calls", report.ReduceMin: "every call"}[how]
}

// reducedSuffix says, for a row of calls, how they became items.
func reducedSuffix(r *report.ChangeRow) string {
	if r.Reduced == "" {
		return ""
	}
	return ", " + Reduced(r.Reduced)
}

// ChangeLabel names a row's subject: the score, and for calls how they became items.
func ChangeLabel(r *report.ChangeRow) string { return r.Title() + reducedSuffix(r) }

// ChangeName names the row in a sentence, with its judge.
func ChangeName(r *report.ChangeRow) string { return r.Instrument.Words() + reducedSuffix(r) }

// ComparisonSentences says what changed, and what could have been seen.
func ComparisonSentences(c *report.Comparison) []string {
	out := []string{comparisonHeadline(c)}
	for _, s := range []string{otherCalls(c), trueEffect(c), sensitivity(c)} {
		if s != "" {
			out = append(out, s)
		}
	}
	return append(out, notes(c)...)
}

// notes returns the warnings as sentences.
func notes(c *report.Comparison) (out []string) {
	for _, w := range c.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

// otherCalls says how calls are compared if the agent made other calls; "" if it did not.
func otherCalls(c *report.Comparison) string {
	if !c.ByConversation() {
		return ""
	}
	p := c.Calls
	return fmt.Sprintf("The agent made other calls: both runs made %s, run A %d more and run B %d more. "+
		"So scores of calls are compared by conversation, over all calls of either run: the mean of its calls, and "+
		"whether every call passes.", Counted(p.Same+p.Moved, "call"), p.OnlyA, p.OnlyB)
}

// comparisonHeadline says what changed since run A: how many conversations got worse and better
// according to the deciding score, whether that is proven, and which other scores clearly changed.
func comparisonHeadline(c *report.Comparison) string {
	const named = 3
	name := Shorten(cmp.Or(c.Name, "run "+c.A.ID), 120)
	if c.Shared == 0 {
		return fmt.Sprintf("Against %s: the runs have no conversation in common, so they cannot be compared.", name)
	}
	lead, changed, compared := c.Leading(), map[string][]string{}, 0
	rows := slices.Clone(c.Rows)
	sorting.Stable(rows, func(x, y report.ChangeRow) int { return cmp.Compare(y.Size(), x.Size()) })
	for i := range rows {
		r := &rows[i]
		if !r.Decides || r.Tool != "" {
			continue
		}
		compared++
		if lead == nil || r.Instrument != lead.Instrument || r.Reduced != lead.Reduced {
			outcome := r.Primary().Outcome()
			changed[outcome] = append(changed[outcome], changeNumbers(r))
		}
	}
	parts := []string{fmt.Sprintf("Against %s, on %s of both:", name, Counted(c.Shared, "conversation"))}
	switch {
	case lead != nil:
		parts = append(parts, changeSentence(c, lead))
	case compared == 0:
		parts = append(parts, "no score can be compared.")
	}
	for _, word := range []string{report.Worse, report.Better} {
		if n := len(changed[word]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s clearly got %s: %s.", Counted(n, "other score"), word, Some(changed[word], named)))
		}
	}
	if n := len(changed[report.Unclear]); n > 0 && len(changed[report.Worse])+len(changed[report.Better]) == 0 {
		parts = append(parts, Count(n, "other score shows", "other scores show")+" no clear change.")
	}
	return strings.Join(parts, " ")
}

// changeNumbers returns "overall by judge-a (0.68 to 0.39, difference -0.29 [-0.40, -0.10])".
func changeNumbers(r *report.ChangeRow) string {
	ch := r.Primary()
	return fmt.Sprintf("%s (%s to %s, difference %s)", ChangeName(r), Estimate(ch.A.WithoutInterval()),
		Estimate(ch.B.WithoutInterval()), Estimate(r.Difference()))
}

// changeSentence says how many conversations changed according to the deciding score, and whether
// that is proven. As for the exit code, the test of the score decides that.
func changeSentence(c *report.Comparison, r *report.ChangeRow) string {
	ch, by := r.Primary(), Shorten(r.Instrument.Words(), 80)
	if ch.Outcome() == report.NotCompared {
		return by + " has nothing to compare."
	}
	w := &c.Changes
	if w.Worse+w.Better == 0 {
		if *ch.Delta.Value == 0 {
			return "no verdict changed (" + by + ")."
		}
		return changeNumbers(r) + ". " + provenWords(c, r)
	}
	if len(w.Tools) > 0 {
		tools := make([]string, len(w.Tools))
		for i, tool := range w.Tools {
			tools[i] = Shorten(tool, 40)
		}
		by += "; " + Some(tools, listed)
	}
	return fmt.Sprintf("%s got worse, %d better (%s). %s", Counted(w.Worse, "conversation"), w.Better, by, provenWords(c, r))
}

// provenWords says how often chance produces such a change, and whether the change is proven. It
// mentions the split of the conversations if its own test agrees with that of the score.
func provenWords(c *report.Comparison, r *report.ChangeRow) string {
	ch, w := r.Primary(), &c.Changes
	p, corrected := ch.P, ""
	if !r.IsPrimary {
		p = ch.PHolm
		corrected = fmt.Sprintf(", after correction for %s", Counted(ch.CorrectedFor, "score"))
	}
	if !p.Defined() || *ch.Delta.Value == 0 {
		return "No clear change."
	}
	verdict, outcome := "not proven.", ch.Outcome()
	if !ch.Noise {
		verdict = "clearly " + outcome + "."
	}
	agrees := w.Split != nil && (*w.Split > c.Alpha) == ch.Noise && (ch.Noise || (w.Worse > w.Better) == (outcome == report.Worse))
	switch total := w.Worse + w.Better; {
	case !r.IsPrimary || !agrees:
		return fmt.Sprintf("With no real change, a difference as large comes up in %s of comparisons%s: %s", often(p.Value),
			corrected, verdict)
	case total == 1:
		return "One change says nothing: " + verdict
	case w.Worse == 0 || w.Better == 0:
		return fmt.Sprintf("With no real change, %d changes all go one way in %s of cases: %s", total, often(w.Split), verdict)
	}
	return fmt.Sprintf("With no real change, a split as uneven as %d to %d comes up in %s of cases: %s", max(w.Worse, w.Better),
		min(w.Worse, w.Better), often(w.Split), verdict)
}

// often returns a probability in words.
func often(p *float64) string {
	if *p < 0.001 {
		return "less than 0.1 %"
	}
	return share(p)
}

// sensitivityBrief says the same as sensitivity in one short sentence.
func sensitivityBrief(c *report.Comparison) string {
	r := c.Leading()
	if r == nil || r.PassRate.N == 0 {
		return ""
	}
	seen := r.TrueDetectable()
	if !seen.Defined() {
		return fmt.Sprintf(nobodyKnows, "verdict of "+r.Instrument.Words())
	}
	text := fmt.Sprintf("These %s can only show drops of %s points or more.", Counted(r.Conversations, "conversation"),
		Fixed(100**seen.Value, 0))
	if n := conversationsFor(r, tenPoints); n > 0 {
		text += fmt.Sprintf(" For %.0f points you need about %d.", 100*tenPoints, n)
	}
	return text
}

// trueEffect says what the primary endpoint's difference means for the true rate; "" if it is not a judge's.
func trueEffect(c *report.Comparison) string {
	r := c.Endpoint()
	if r == nil || r.Judge == "" || r.PassRate.N == 0 {
		return ""
	}
	text := fmt.Sprintf("This is the difference as %s sees it", Shorten(r.Judge, 60))
	switch {
	case r.Youden == nil:
		return text + ". A judge that makes mistakes sees a smaller one than there is; labels would show how much " +
			"smaller (its Youden's J)."
	case !r.ByYouden.Defined():
		return fmt.Sprintf("%s. Its Youden's J against %s is %s, too little to divide by.", text, r.Reference,
			Estimate(*r.Youden))
	}
	return fmt.Sprintf("%s. Corrected for its mistakes (divided by its Youden's J of %s against %s) it is %s.", text,
		Estimate(*r.Youden), r.Reference, Estimate(*r.ByYouden))
}

// sensitivity says which drop of a pass rate these items could have shown: finding no change means
// little if only a very large one is detectable. It is about the primary endpoint; without one,
// about all deciding scores except "every call".
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
		return fmt.Sprintf(nobodyKnows, verdict)
	}
	sorting.Stable(rows, func(x, y report.ChangeRow) int {
		return cmp.Compare(*x.PassRate.Detectable.Value, *y.PassRate.Detectable.Value)
	})
	text := "These items can only show " + detectable(&rows[0])
	if last := rows[len(rows)-1]; len(rows) > 1 {
		text += ", the most sensitive score, and " + detectable(&last) + ", the least"
	}
	text += "; smaller ones can hide (80 % power, after correction)."
	if n := conversationsFor(&rows[0], tenPoints); n > 0 {
		text += fmt.Sprintf(" For %.0f points you need about %d conversations.", 100*tenPoints, n)
	}
	return text
}

const (
	tenPoints   = 0.1
	nobodyKnows = "Nobody can say which drop these items could have shown: no %s varies between the runs."
)

// conversationsFor returns about how many conversations are needed to show a drop of this size, in two digits;
// 0 if the row has enough. The detectable change shrinks with the square root of their number.
func conversationsFor(r *report.ChangeRow, drop float64) int {
	seen := r.TrueDetectable().Value
	if seen == nil || *seen <= drop {
		return 0
	}
	n, unit := float64(r.Conversations)*(*seen/drop)*(*seen/drop), 1.0
	for n/unit >= 100 {
		unit *= 10
	}
	return int(math.Ceil(n/unit) * unit)
}

// detectable says how large a drop must be to be seen, and by whom.
func detectable(r *report.ChangeRow) string {
	points := func(f *float64) string { return Fixed(100**f, 1) }
	seen, real := r.PassRate.Detectable, r.TrueDetectable()
	text := fmt.Sprintf("drops of %s points or more in %s", points(seen.Value), ChangeName(r))
	switch {
	case r.Judge == "":
		return text
	case !r.DividedByYouden():
		return text + ", as the judge sees it (the true drop is larger)"
	}
	return fmt.Sprintf("true drops of %s points or more (%s–%s by its J) in %s, %s as the judge sees it",
		points(real.Value), points(real.Low), points(real.High), ChangeName(r), points(seen.Value))
}
