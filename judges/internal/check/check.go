// Package check checks a judge's answer without a model: whether its evidence is in the record,
// whether its explanation, correction and score contradict each other or the facts, and whether the
// record addresses its grader. It is pure, and it only sets flags.
package check

import (
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// The codes of the flags that the checks set, except those about corrections.
const (
	flagUngrounded        = "evidence_ungrounded"
	flagPartial           = "evidence_partial"
	flagNoQuotes          = "evidence_no_quotes"
	flagPolarity          = "explanation_contradicts_output"
	FlagInjection         = "injection_suspect"
	flagEcho              = "injection_echo"
	flagPhantom           = "phantom_entity"
	FlagIgnoresSchema     = "ignores_schema_error"
	flagMissedRequired    = "missed_required"
	flagCorrectionInvalid = "correction_invalid_schema"
)

// Facts holds what is known about a call without any judge; the zero value knows nothing. They are
// compared with the judge's answer and never shown to it.
type Facts struct {
	// SchemaError says how the arguments break the tool's schema; "" if they match it or if nothing
	// is known.
	SchemaError string
	// Expected is the only call that would have been right; nil if unknown.
	Expected *transcript.ExpectedCall
	// SchemaErrorOf checks the arguments of a correction against a tool's schema; nil skips the
	// check.
	SchemaErrorOf func(tool *transcript.Tool, arguments value.Value) string
	// Likeness returns the share, 0..1, of the expected call that another call matches. It compares
	// a correction with the judged call; nil if no call is expected.
	Likeness func(name string, arguments value.Value) (share float64, ok bool)
}

// Record is a conversation prepared for checking all answers about its calls. It is immutable.
type Record struct {
	view  *prompt.View
	conv  *transcript.Conversation
	lines []line
	// toolLines holds "name(p1, p2) description" for each tool, lowerTools the whole inventory
	// block in lower case.
	toolLines    []string
	lowerTools   string
	suspectTools []suspicion
}

// line holds the free texts of one line of the history, also in lower case.
type line struct {
	tool         string
	texts, lower []string
	suspects     []suspicion
}

// NewRecord prepares a view for the checks.
func NewRecord(v *prompt.View) *Record {
	r := &Record{view: v, conv: v.Conversation(), lowerTools: strings.ToLower(v.Tools())}
	for _, shown := range v.Lines() {
		l := line{tool: shown.Tool, texts: shown.Texts()}
		for _, t := range l.texts {
			l.lower = append(l.lower, strings.ToLower(t))
		}
		if shown.Role != string(transcript.System) { // the system message is the operator's own
			l.suspects = scan(nil, l.texts...)
		}
		r.lines = append(r.lines, l)
	}
	for i := range r.conv.Tools {
		t := &r.conv.Tools[i]
		r.toolLines = append(r.toolLines, t.Signature()+" "+t.Description)
		r.suspectTools = scan(r.suspectTools, prompt.ToolTexts(t)...)
	}
	return r
}

// Answer is a valid answer with its verdict and its context.
type Answer struct {
	Rubric *rubrics.Rubric
	// Target is the judged item, Shown the message that asked about it.
	Target prompt.Target
	Shown  window.Shown
	Facts  Facts

	Output float64
	// Passed says that the verdict is a pass, Open that it is neither a pass nor a fail.
	Passed, Open bool
	// NotApplicable says that the question does not apply, so that there is no output.
	NotApplicable         bool
	Explanation, Evidence string
	Correction            value.Value
	// Unreadable says that the answer had a correction that cannot be read.
	Unreadable bool
	// OwnWords says that explanations may contain the judge's own names, such as the baseline's
	// names of rules.
	OwnWords bool
}

// Findings holds the results of the checks besides flags.
type Findings struct {
	// Grounding is "grounded", "partial", "ungrounded" or "no_quotes". Quotes counts the quotes,
	// GroundedQuotes those that are in the record.
	Grounding              string
	Quotes, GroundedQuotes int
	// CorrectionForm is "none", "call", "patch" or "unrecognised".
	CorrectionForm string
	// Effective is the call that results from the correction; null if none.
	Effective value.Value
	// MatchesExpected is nil if there is no expected call.
	MatchesExpected *bool
	// Effect is the effect of the correction according to deterministic scorers: "repaired" (the
	// correction is the expected call), "better", "unchanged", "worse" or "invalid" (it breaks its
	// tool's schema); "" if unknown.
	Effect string
	// Constructive is the share of the expected call that the correction matches, minus the share
	// that the judged call matches, -1..1; nil if unknown.
	Constructive *float64
}

// checker checks one answer.
type checker struct {
	Answer
	rec  *Record
	call *transcript.Call // nil if the target is not a call
	// callText holds the judged call and the calls beside it as they were shown, and the expected
	// calls if those were shown. lowerCall is the same in lower case.
	callText, lowerCall string
	found               Findings
	flags               []score.Flag
}

// messageID matches the number of a message at the beginning of a quote. It is not part of the
// text.
var messageID = regexp.MustCompile(`"\[\d+\][ :]*`)

// Check returns the flags of one valid answer, and the other findings. The flags never change the
// score.
func (r *Record) Check(a Answer) ([]score.Flag, Findings) {
	text := r.view.Call(a.Target)
	if a.Rubric.SeesExpected {
		text += "\n" + r.view.Expected()
	}
	a.Evidence, a.Explanation = r.view.Unmark(a.Evidence), r.view.Unmark(a.Explanation)
	c := &checker{Answer: a, rec: r, callText: text, lowerCall: strings.ToLower(text)}
	if a.Target.HasCall() {
		c.call = &r.conv.Calls[a.Target.Call]
	}
	if a.Rubric.Scope != rubrics.ScopeCall {
		c.Evidence = messageID.ReplaceAllString(c.Evidence, `"`)
	}
	c.evidence()
	if !a.NotApplicable {
		c.polarity()
	}
	if !a.NotApplicable && c.call != nil && a.Rubric.Asks(rubrics.KeyCorrection) {
		c.correction()
	}
	if !a.NotApplicable && c.call != nil && a.Output == a.Rubric.Output.Max {
		c.facts()
	}
	c.injection()
	c.phantoms()
	return c.flags, c.found
}

func (c *checker) flag(code string, severity int, format string, args ...any) {
	detail := value.Excerpt(fmt.Sprintf(format, args...), 300)
	c.flags = append(c.flags, score.Flag{Code: code, Severity: severity, Detail: detail})
}

// shownLines yields the history lines that the judge saw.
func (c *checker) shownLines() iter.Seq[*line] {
	return func(yield func(*line) bool) {
		for i := range c.Shown.Seen() {
			if !yield(&c.rec.lines[i]) {
				return
			}
		}
	}
}

// shows reports whether the condition is true for the call or for a text of the history, in lower
// case.
func (c *checker) shows(such func(string) bool) bool {
	if such(c.lowerCall) {
		return true
	}
	for l := range c.shownLines() {
		for _, s := range l.lower {
			if such(s) {
				return true
			}
		}
	}
	return false
}

// polarity flags an explanation whose words contradict a graded output. It skips rubrics with
// categories (yes and no are categories) or without a pass, because it cannot know which answer
// praises the call. It reads only English.
func (c *checker) polarity() {
	scale := c.Rubric.Output
	switch {
	case scale.Categories != nil || scale.NoPass || !c.Rubric.English():
	case c.Passed && c.Output == scale.Max && explanationPolarity(c.Explanation) == negative:
		c.flag(flagPolarity, 1, "the explanation names faults, and the output is the maximum")
	case !c.Passed && c.Output == scale.Min && explanationPolarity(c.Explanation) == positive:
		c.flag(flagPolarity, 1, "the explanation only praises, and the output is the minimum")
	}
}

func (c *checker) facts() {
	for _, x := range []struct{ rubric, problem, code, format string }{
		{rubrics.Intent, c.Facts.SchemaError, FlagIgnoresSchema, "%s"},
		{rubrics.Overall, c.Facts.SchemaError, FlagIgnoresSchema, "%s"},
		{rubrics.Completeness, strings.Join(c.missingRequired(), ", "), flagMissedRequired,
			"absent although required: %s"},
	} {
		if x.rubric == c.Rubric.Name && x.problem != "" {
			c.flag(x.code, 2, x.format, x.problem)
		}
	}
}

func (c *checker) missingRequired() []string {
	t := transcript.FindTool(c.rec.conv.Tools, c.call.Name)
	if t == nil || c.call.Malformed {
		return nil
	}
	var out []string
	for _, name := range t.Parameters.Field("required").Elements() {
		if s, ok := name.Str(); ok && !c.call.Arguments.Has(s) {
			out = append(out, s)
		}
	}
	return out
}
