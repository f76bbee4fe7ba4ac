package judges

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/agreement/contradiction"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

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

func (c *checker) checkCorrection(f *flags, r *rubrics.Rubric, a answer, out *Checks) {
	in := contradiction.CorrectionInput{
		Call: c.callOf(c.call.Name, c.call.Arguments), Passed: a.passed, Tools: contradiction.Tools{},
		Prerequisite: r.Name == rubrics.Prerequisite,
	}
	if !a.correction.IsNull() {
		in.Correction = json.RawMessage(a.correction.JSON())
	}
	for i := range c.v.conv.Tools {
		t := &c.v.conv.Tools[i]
		in.Tools[t.Name] = parameterNames(t)
	}
	for i := range c.v.conv.Calls {
		if o := &c.v.conv.Calls[i]; in.Prerequisite && c.before(o) {
			in.History = append(in.History, contradiction.PastCall{Call: c.callOf(o.Name, o.Arguments), Failed: c.failed(o)})
		}
	}
	if e := c.facts.Expected; e != nil {
		expected := c.callOf(e.Name, e.Arguments)
		in.Expected = &expected
	}
	got := contradiction.CheckCorrection(in)
	out.CorrectionForm, out.MatchesExpected = got.Form, got.MatchesExpected
	for _, code := range got.Contradictions {
		if a.open && againstVerdict(code) {
			continue
		}
		f.add(code, correctionSeverity(code, a, r), "")
	}
	if got.Effective != nil {
		c.checkEffective(f, *got.Effective, out)
		if !in.Prerequisite {
			c.replay(out)
		}
	}
}

func correctionSeverity(code string, a answer, r *rubrics.Rubric) int {
	switch code {
	case contradiction.FailButIdentical, contradiction.BreaksCorrectCall, contradiction.PrerequisiteIsTheCall, contradiction.PrerequisiteAlreadyWas:
		return 2
	case contradiction.PassWithCorrection:
		if a.output == r.Output.Max {
			return 2
		}
	}
	return 1
}

// checkEffective notes the call that a correction amounts to and validates it.
func (c *checker) checkEffective(f *flags, call contradiction.Call, out *Checks) {
	raw, err := call.MarshalJSON()
	if err != nil {
		return
	}
	v, err := value.Parse(raw)
	if err != nil {
		return
	}
	out.Effective = v
	if c.facts.SchemaErrorOf == nil {
		return
	}
	for i := range c.v.conv.Tools {
		if t := &c.v.conv.Tools[i]; t.Name == call.Name {
			if problem := c.facts.SchemaErrorOf(t, v.Field("parameters")); problem != "" {
				f.add(FlagCorrectionInvalid, 1, "%s", problem)
				out.Effect = EffectInvalid
			}
			return
		}
	}
}

func (c *checker) callOf(name string, args value.Value) contradiction.Call {
	out := contradiction.Call{Name: name}
	for key, v := range args.Members() {
		out.Parameters = append(out.Parameters, contradiction.Member{Key: key, Value: json.RawMessage(v.JSON())})
	}
	return out
}

// againstVerdict reports whether a finding holds the correction against a pass or a
// fail, which an answer between the two is not.
func againstVerdict(code string) bool {
	switch code {
	case contradiction.FailWithoutCorrection, contradiction.FailButIdentical, contradiction.PassWithCorrection, contradiction.PrerequisiteAlreadyWas:
		return true
	}
	return false
}
