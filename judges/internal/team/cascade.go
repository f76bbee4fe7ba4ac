package team

import (
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/result"
)

// Cascade asks cheap judges first: what one tier leaves open goes to the next one,
// which does not see the earlier answers. What stands at the end is an instrument of
// its own. What the last tier leaves open too is for a person.
type Cascade struct {
	// Name is the cascade's name in results.
	Name string
	// Tiers are names of judges and panels, in the order in which they are asked.
	Tiers []string
	// EscalateOn are the reasons to go on; nil means all.
	EscalateOn []result.Reason
}

// reasons returns why a cascade goes on after a result; nil where it rests.
func (c *Cascade) reasons(r *result.Result) []result.Reason {
	severe := slices.ContainsFunc(r.Flags, func(f score.Flag) bool { return f.Severity >= 2 })
	noScore := r.Verdict == result.NoVerdict
	var out []result.Reason
	for _, x := range []struct {
		why   result.Reason
		holds bool
	}{
		{result.OnBorderline, r.NearThreshold || r.Verdict == result.Borderline}, {result.OnLowConfidence, r.LowConfidence && !noScore},
		{result.OnError, noScore}, {result.OnContradiction, severe},
	} {
		if x.holds && (c.EscalateOn == nil || slices.Contains(c.EscalateOn, x.why)) {
			out = append(out, x.why)
		}
	}
	return out
}

// climb follows a cascade as far as there are answers. missing are the judges of the
// tier that it has come to and that have not been asked.
func (t *Team) climb(c *teamCascade, rubric int, got []*result.Result) (tiers []result.Result, missing []int, err error) {
	for _, tier := range c.tiers {
		for _, m := range tier.members {
			if got[m] == nil {
				missing = append(missing, m)
			}
		}
		if missing != nil {
			return tiers, missing, nil
		}
		res, err := t.tier(tier, rubric, got)
		if err != nil {
			return nil, nil, err
		}
		tiers = append(tiers, res)
		if c.reasons(&res) == nil {
			break
		}
	}
	return tiers, nil, nil
}

// result is what stands at the end of a climb.
func (c *Cascade) result(tiers []result.Result) result.Result {
	last := tiers[len(tiers)-1]
	detail := &result.ClimbDetail{Unresolved: c.reasons(&last) != nil}
	for i := range tiers {
		t := &tiers[i]
		detail.Tiers = append(detail.Tiers, result.ClimbTier{Judge: t.Judge, Output: t.Output, Verdict: t.Verdict, Confidence: t.Confidence, Reasons: c.reasons(t)})
	}
	out := last
	out.Judge, out.Method, out.Climb, out.Escalate = c.Name, result.CascadeMethod, detail, detail.Unresolved
	out.Flags = slices.Clone(last.Flags)
	out.Panel, out.Token, out.Sampling, out.Samples = nil, nil, nil, nil
	// The requests are those of the tiers' own results.
	none := result.Result{}
	out.Usage, out.Requests, out.Cached, out.Latency, out.Repairs = none.Usage, 0, 0, 0, 0
	out.Counted = result.Count{}
	return out
}
