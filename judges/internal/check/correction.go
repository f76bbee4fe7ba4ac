package check

import (
	"encoding/json"
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/rubrics"
)

// correction holds the correction against the verdict, the history and the expected call.
func (c *checker) correction(a Answer) {
	if a.Unreadable {
		c.found.CorrectionForm = answer.FormUnrecognised
		return
	}
	in := answer.CorrectionInput{
		Call: callOf(c.call.Name, c.call.Arguments), Passed: a.Passed, Tools: answer.Tools{},
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
			in.History = append(in.History, answer.PastCall{Call: callOf(o.Name, o.Arguments), Failed: c.failed(o)})
		}
	}
	if e := c.Facts.Expected; e != nil {
		expected := callOf(e.Name, e.Arguments)
		in.Expected = &expected
	}
	got := answer.CheckCorrection(in)
	c.found.CorrectionForm, c.found.MatchesExpected = got.Form, got.MatchesExpected
	for _, code := range got.Contradictions {
		if !a.Open || !slices.Contains(againstVerdict, code) {
			c.flag(code, c.correctionSeverity(code, a.Output), "")
		}
	}
	if got.Effective != nil {
		c.effective(*got.Effective, !in.Prerequisite)
	}
}

func callOf(name string, args value.Value) answer.Call {
	out := answer.Call{Name: name}
	for key, v := range args.Members() {
		out.Parameters = append(out.Parameters, answer.Member{Key: key, Value: json.RawMessage(v.JSON())})
	}
	return out
}

// againstVerdict are the findings that hold the correction against a pass or a fail,
// which an answer between the two is not.
var againstVerdict = []string{
	answer.FailWithoutCorrection, answer.FailButIdentical, answer.PassWithCorrection, answer.PrerequisiteAlreadyWas,
}

func (c *checker) correctionSeverity(code string, output float64) int {
	switch code {
	case answer.FailButIdentical, answer.BreaksCorrectCall, answer.PrerequisiteIsTheCall, answer.PrerequisiteAlreadyWas:
		return 2
	case answer.PassWithCorrection:
		if output == c.Rubric.Output.Max {
			return 2
		}
	}
	return 1
}

// effective notes the call that a correction amounts to, validates it, and compares it
// with the expected one where it replaces the judged call.
func (c *checker) effective(call answer.Call, replaces bool) {
	raw, err := call.MarshalJSON()
	if err != nil {
		return
	}
	corrected, err := value.Parse(raw)
	if err != nil {
		return
	}
	c.found.Effective = corrected
	params := corrected.Field("parameters")
	at := slices.IndexFunc(c.rec.conv.Tools, func(t transcript.Tool) bool { return t.Name == call.Name })
	if at >= 0 && c.Facts.SchemaErrorOf != nil {
		if problem := c.Facts.SchemaErrorOf(&c.rec.conv.Tools[at], params); problem != "" {
			c.flag(FlagCorrectionInvalid, 1, "%s", problem)
			c.found.Effect = "invalid"
		}
	}
	if !replaces || c.Facts.Likeness == nil {
		return
	}
	before, known := c.Facts.Likeness(c.call.Name, c.call.Arguments)
	after, knownToo := c.Facts.Likeness(call.Name, params)
	if !known || !knownToo {
		return
	}
	gain := after - before
	c.found.Constructive = &gain
	switch {
	case c.found.Effect != "":
	case gain > 0 && c.found.MatchesExpected != nil && *c.found.MatchesExpected:
		c.found.Effect = "repaired"
	case gain > 0:
		c.found.Effect = "better"
	case gain < 0:
		c.found.Effect = "worse"
	default:
		c.found.Effect = "unchanged"
	}
}
