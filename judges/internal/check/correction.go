package check

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/prompt"
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
func (c *checker) replay(out *Findings) {
	corrected := out.Effective
	if c.Facts.Likeness == nil || corrected.IsNull() {
		return
	}
	before, known := c.Facts.Likeness(c.call.Name, c.call.Arguments)
	after, knownToo := c.Facts.Likeness(corrected.Field("name").Text(), corrected.Field("parameters"))
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

func (c *checker) checkCorrection(f *flags, a Answer, out *Findings) {
	if a.Unreadable {
		out.CorrectionForm = answer.FormUnrecognised
		return
	}
	in := answer.CorrectionInput{
		Call: c.callOf(c.call.Name, c.call.Arguments), Passed: a.Passed, Tools: answer.Tools{},
		Prerequisite: c.Rubric.Name == rubrics.Prerequisite,
	}
	if !a.Correction.IsNull() {
		in.Correction = json.RawMessage(a.Correction.JSON())
	}
	for i := range c.rec.conv.Tools {
		t := &c.rec.conv.Tools[i]
		in.Tools[t.Name] = prompt.ParameterNames(t)
	}
	for i := range c.rec.conv.Calls {
		if o := &c.rec.conv.Calls[i]; in.Prerequisite && c.before(o) {
			in.History = append(in.History, answer.PastCall{Call: c.callOf(o.Name, o.Arguments), Failed: c.failed(o)})
		}
	}
	if e := c.Facts.Expected; e != nil {
		expected := c.callOf(e.Name, e.Arguments)
		in.Expected = &expected
	}
	got := answer.CheckCorrection(in)
	out.CorrectionForm, out.MatchesExpected = got.Form, got.MatchesExpected
	for _, code := range got.Contradictions {
		if a.Open && againstVerdict(code) {
			continue
		}
		f.add(code, correctionSeverity(code, a, c.Rubric.Output), "")
	}
	if got.Effective != nil {
		c.checkEffective(f, *got.Effective, out)
		if !in.Prerequisite {
			c.replay(out)
		}
	}
}

func correctionSeverity(code string, a Answer, scale rubrics.Output) int {
	switch code {
	case answer.FailButIdentical, answer.BreaksCorrectCall, answer.PrerequisiteIsTheCall, answer.PrerequisiteAlreadyWas:
		return 2
	case answer.PassWithCorrection:
		if a.Output == scale.Max {
			return 2
		}
	}
	return 1
}

// checkEffective notes the call that a correction amounts to and validates it.
func (c *checker) checkEffective(f *flags, call answer.Call, out *Findings) {
	raw, err := call.MarshalJSON()
	if err != nil {
		return
	}
	v, err := value.Parse(raw)
	if err != nil {
		return
	}
	out.Effective = v
	if c.Facts.SchemaErrorOf == nil {
		return
	}
	for i := range c.rec.conv.Tools {
		if t := &c.rec.conv.Tools[i]; t.Name == call.Name {
			if problem := c.Facts.SchemaErrorOf(t, v.Field("parameters")); problem != "" {
				f.add(FlagCorrectionInvalid, 1, "%s", problem)
				out.Effect = EffectInvalid
			}
			return
		}
	}
}

func (c *checker) callOf(name string, args value.Value) answer.Call {
	out := answer.Call{Name: name}
	for key, v := range args.Members() {
		out.Parameters = append(out.Parameters, answer.Member{Key: key, Value: json.RawMessage(v.JSON())})
	}
	return out
}

// againstVerdict reports whether a finding holds the correction against a pass or a
// fail, which an answer between the two is not.
func againstVerdict(code string) bool {
	switch code {
	case answer.FailWithoutCorrection, answer.FailButIdentical, answer.PassWithCorrection, answer.PrerequisiteAlreadyWas:
		return true
	}
	return false
}
