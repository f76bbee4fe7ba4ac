package judges

// The effects of a correction, as deterministic scorers see them.
const (
	EffectRepaired  = "repaired"
	EffectBetter    = "better"
	EffectUnchanged = "unchanged"
	EffectWorse     = "worse"
	EffectInvalid   = "invalid"
)

// replay holds the corrected call against the expected one. It is not for the rubric
// of prerequisites, where the correction is another call than the judged one.
func (c *checker) replay(out *Checks) {
	corrected := out.Effective
	if c.facts.Likeness == nil || corrected.IsNull() {
		return
	}
	before, known := c.facts.Likeness(c.call.Name, c.call.Arguments)
	after, knownToo := c.facts.Likeness(corrected.Field("name").Text(), corrected.Field("parameters"))
	if !known || !knownToo {
		return
	}
	gain := after - before
	out.Constructive = &gain
	switch {
	case out.Effect == EffectInvalid:
	case out.MatchesExpected != nil && *out.MatchesExpected && gain > 0:
		out.Effect = EffectRepaired
	case gain > 0:
		out.Effect = EffectBetter
	case gain < 0:
		out.Effect = EffectWorse
	default:
		out.Effect = EffectUnchanged
	}
}
