package check

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/rubrics"
)

func (c *checker) correction() {
	if c.Unreadable {
		c.found.CorrectionForm = answer.FormUnrecognised
		return
	}
	in := answer.CorrectionInput{
		Call: answer.Call{Name: c.call.Name, Parameters: c.call.Arguments}, Correction: c.Correction,
		Passed: c.Passed, Tools: answer.Tools{}, Prerequisite: c.Rubric.Name == rubrics.Prerequisite,
	}
	for i := range c.rec.conv.Tools {
		t := &c.rec.conv.Tools[i]
		in.Tools[t.Name] = t.ParameterNames()
	}
	for i := range c.rec.conv.Calls {
		if o := &c.rec.conv.Calls[i]; in.Prerequisite && c.before(o) && !c.failed(o) {
			in.History = append(in.History, answer.Call{Name: o.Name, Parameters: o.Arguments})
		}
	}
	if e := c.Facts.Expected; e != nil {
		in.Expected = &answer.Call{Name: e.Name, Parameters: e.Arguments}
	}
	got := answer.CheckCorrection(in)
	c.found.CorrectionForm, c.found.MatchesExpected = got.Form, got.MatchesExpected
	for _, code := range got.Contradictions {
		if !c.Open || !slices.Contains(againstVerdict, code) {
			c.flag(code, c.correctionSeverity(code), "")
		}
	}
	if got.Effective != nil {
		c.effective(*got.Effective, !in.Prerequisite)
	}
}

// againstVerdict lists the findings that only a pass or a fail can contradict.
var againstVerdict = []string{
	answer.FailWithoutCorrection, answer.FailButIdentical, answer.PassWithCorrection, answer.PrerequisiteAlreadyWas,
}

func (c *checker) correctionSeverity(code string) int {
	switch code {
	case answer.FailButIdentical, answer.BreaksCorrectCall, answer.PrerequisiteIsTheCall, answer.PrerequisiteAlreadyWas:
		return 2
	case answer.PassWithCorrection:
		if c.Output == c.Rubric.Output.Max {
			return 2
		}
	}
	return 1
}

// effective records the call that results from a correction, validates it, and compares it with the
// expected call if it replaces the judged one.
func (c *checker) effective(call answer.Call, replaces bool) {
	c.found.Effective = call.Value()
	if t := transcript.FindTool(c.rec.conv.Tools, call.Name); t != nil && c.Facts.SchemaErrorOf != nil {
		if problem := c.Facts.SchemaErrorOf(t, call.Parameters); problem != "" {
			c.flag(flagCorrectionInvalid, 1, "%s", problem)
			c.found.Effect = "invalid"
		}
	}
	if !replaces || c.Facts.Likeness == nil {
		return
	}
	before, known := c.Facts.Likeness(c.call.Name, c.call.Arguments)
	after, knownToo := c.Facts.Likeness(call.Name, call.Parameters)
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

// before reports whether the result of call o was known when the judged call was made.
func (c *checker) before(o *transcript.Call) bool {
	return o.Message < c.call.Message && o.Result >= 0 && o.Result < c.call.Message
}

// failed reports whether a call with a result was refused, was not run, or returned an error.
func (c *checker) failed(o *transcript.Call) bool {
	if o.Proposed || o.Result >= len(c.rec.conv.Messages) {
		return true
	}
	_, failed := c.rec.conv.Failure(o)
	return failed
}
