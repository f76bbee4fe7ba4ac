package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
)

// Difference is the change that the row is judged by, for display: that of a share does
// not reach beyond what shares can.
func (r *ChangeRow) Difference() Estimate {
	if r.PassRate.N > 0 {
		return r.PassRate.Delta.Clipped(-1, 1)
	}
	return r.Mean.Delta
}

// size is the size of the change, 0 where it is undefined.
func (r *ChangeRow) size() float64 {
	if delta := r.Primary().Delta.Value; delta != nil {
		return math.Abs(*delta)
	}
	return 0
}

// reducedWords say how calls became one item.
func reducedWords(how string) string {
	return map[string]string{ReduceMean: "mean of calls", ReduceMin: "every call"}[how]
}

// suffix says for calls how they became items.
func (r *ChangeRow) suffix() string {
	if r.Reduced == "" {
		return ""
	}
	return ", " + reducedWords(r.Reduced)
}

// Label names what the row is over: the score, and for calls how they became items.
func (r *ChangeRow) Label() string { return r.Title() + r.suffix() }

// Words name the row in a sentence, with its judge.
func (r *ChangeRow) Words() string { return r.Instrument.Words() + r.suffix() }

// DividedByYouden reports whether the judge's J is known well enough to divide by.
func (r *ChangeRow) DividedByYouden() bool { return r.ByYouden != nil && r.ByYouden.HasInterval() }

// TrueDifference is the change on the agent's scale: a judge's difference divided by its J if
// that was measured, else as the judge sees it, which is less.
func (r *ChangeRow) TrueDifference() Estimate {
	if r.DividedByYouden() {
		return *r.ByYouden
	}
	return r.Primary().Delta
}

// TrueDetectable is the smallest change that these items would have shown, on the scale of
// TrueDifference; its interval is that of the judge's J.
func (r *ChangeRow) TrueDetectable() Estimate {
	seen := r.Primary().Detectable
	if !r.DividedByYouden() || !seen.Defined() {
		return seen
	}
	j := r.Youden
	return Estimate{Value: Rounded(*seen.Value / *j.Value), Low: Rounded(*seen.Value / *j.High),
		High: Rounded(*seen.Value / *j.Low)}
}

// Words is the direction of a row's change: "better", "worse", or "~" where the difference
// is noise.
func (ch Change) Words() string {
	switch {
	case ch.N == 0 || ch.Delta.Value == nil:
		return words.None
	case ch.Noise || *ch.Delta.Value == 0:
		return "~"
	case *ch.Delta.Value < 0:
		return "worse"
	}
	return "better"
}

// Sentences says in words what changed, and what could have been seen.
func (c *Comparison) Sentences() []string {
	out := []string{c.headline()}
	if c.ByConversation() {
		p := c.Calls
		out = append(out, fmt.Sprintf("The agent made other calls: %s both runs made, run A %d and run B %d more. "+
			"Scores of calls are therefore compared by conversation, over all calls of either run: "+
			"the mean of the calls, and whether every call passes.",
			words.Count(p.Same+p.Moved, "call", "calls"), p.OnlyA, p.OnlyB))
	}
	for _, s := range []string{c.trueEffect(), c.sensitivity()} {
		if s != "" {
			out = append(out, s)
		}
	}
	for _, w := range c.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

// headline says in a sentence what changed since run A, worse scores first, of each kind
// those that changed most.
func (c *Comparison) headline() string {
	const named = 3
	name := words.Shorten(cmp.Or(c.Name, "run "+c.A.ID), 120)
	if c.Shared == 0 {
		return fmt.Sprintf("Against %s: the runs have no conversation in common, "+
			"so that nothing can be said of a change.", name)
	}
	primary, changed := "", map[string][]string{}
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(x, y ChangeRow) int { return cmp.Compare(y.size(), x.size()) })
	for _, r := range rows {
		ch := r.Primary()
		text := fmt.Sprintf("%s (%s to %s, difference %s)", r.Words(), ch.A.WithoutInterval(), ch.B.WithoutInterval(),
			r.Difference())
		switch word := ch.Words(); {
		case !r.Decides || r.Tool != "":
		case r.IsPrimary:
			primary = "the primary endpoint, " + text + ", " + changeWords[word] + "; "
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
			list := words.Some(changed[word], named)
			parts = append(parts, fmt.Sprintf("%s got %s: %s", words.Count(n, other+"score", other+"scores"), word, list))
		}
	}
	if noise := len(changed["~"]); noise > 0 || len(parts) == 0 && primary == "" {
		parts = append(parts, words.Count(noise, other+"score shows", other+"scores show")+" no change beyond noise")
	}
	text := strings.TrimSuffix(primary+strings.Join(parts, "; "), "; ")
	return fmt.Sprintf("Against %s, on %s of both: %s.", name,
		words.Count(c.Shared, "conversation", "conversations"), text)
}

// changeWords say of one score what became of it.
var changeWords = map[string]string{
	"worse": "got worse", "better": "got better", "~": "shows no change beyond noise",
	words.None: "has nothing to compare",
}

// Endpoint is the row of the primary endpoint, nil if there is none.
func (c *Comparison) Endpoint() *ChangeRow {
	if i := slices.IndexFunc(c.Rows, func(r ChangeRow) bool { return r.IsPrimary }); i >= 0 {
		return &c.Rows[i]
	}
	return nil
}

// trueEffect says what the primary endpoint's difference means for the true rate, "" where it
// is no judge's.
func (c *Comparison) trueEffect() string {
	r := c.Endpoint()
	if r == nil || r.Judge == "" || r.PassRate.N == 0 {
		return ""
	}
	text := fmt.Sprintf("The difference is as %s sees it", words.Shorten(r.Judge, 60))
	switch {
	case r.Youden == nil:
		return text + ". A judge sees a true difference times its Youden's J, and no label at this level says what " +
			"that is here."
	case !r.ByYouden.Defined():
		return fmt.Sprintf("%s. Its Youden's J against %s is %s, too little to divide by.", text, r.Reference, *r.Youden)
	}
	return fmt.Sprintf("%s; divided by its Youden's J of %s against %s, the true one is %s.", text, *r.Youden, r.Reference,
		*r.ByYouden)
}

// ByConversation reports whether the scores of calls decide as reduced to conversations.
func (c *Comparison) ByConversation() bool {
	return slices.ContainsFunc(c.Rows, func(r ChangeRow) bool { return r.Decides && r.Reduced != "" })
}

// sensitivity says which drop of a pass rate these items could have shown at all: finding no
// change means little if only a very large one is detectable. It is about the primary
// endpoint; without one about all scores that decide, but for "every call".
func (c *Comparison) sensitivity() string {
	of, rows, rates := c.Endpoint(), []ChangeRow(nil), 0
	for _, r := range c.Rows {
		switch other := of != nil && !r.IsPrimary || of == nil && r.Reduced == ReduceMin; {
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
			verdict = "verdict of " + of.Words()
		}
		return "Which drop these items could have shown cannot be said: no " + verdict + " varies between the runs."
	}
	slices.SortStableFunc(rows, func(x, y ChangeRow) int {
		return cmp.Compare(*x.PassRate.Detectable.Value, *y.PassRate.Detectable.Value)
	})
	text := "These items would have shown " + rows[0].detectable()
	if last := rows[len(rows)-1]; len(rows) > 1 {
		text += ", the most sensitive score, and " + last.detectable() + ", the least"
	}
	return text + " (80 % power, after correction); smaller ones can hide."
}

// detectable says from where on a drop would have been seen, and by whom.
func (r *ChangeRow) detectable() string {
	points := func(f *float64) string { return words.Fixed(100**f, 1) }
	seen, real := r.PassRate.Detectable, r.TrueDetectable()
	text := fmt.Sprintf("a drop from %s points on in %s", points(seen.Value), r.Words())
	switch {
	case r.Judge == "":
		return text
	case !r.DividedByYouden():
		return text + ", as the judge sees it: the true drop is larger"
	}
	return fmt.Sprintf("a true drop from %s points on (%s–%s by its J) in %s, %s as the judge sees it",
		points(real.Value), points(real.Low), points(real.High), r.Words(), points(seen.Value))
}
