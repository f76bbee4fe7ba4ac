// Package check owns what can be held against a judge's answer without a model:
// whether its evidence stands in the record, whether its explanation, correction and
// score contradict each other or the facts, and whether the record talks to its
// grader. It is pure, and it only ever sets flags.
package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/rubrics"
)

// The codes of the flags that the checks set.
const (
	FlagUngrounded        = "evidence_ungrounded"
	FlagPartial           = "evidence_partial"
	FlagNoQuotes          = "evidence_no_quotes"
	FlagFalseAbsence      = "false_absence"
	FlagPolarity          = "explanation_contradicts_output"
	FlagInjection         = "injection_suspect"
	FlagEcho              = "injection_echo"
	FlagPhantom           = "phantom_entity"
	FlagIgnoresSchema     = "ignores_schema_error"
	FlagMissedRequired    = "missed_required"
	FlagMissedFailedCall  = "missed_failed_prerequisite"
	FlagCorrectionInvalid = "correction_invalid_schema"
)

// Facts are what is known about a call without any judge; the zero value knows
// nothing. They are held against the judge's answer and never shown to it.
type Facts struct {
	// SchemaError says why the arguments break the tool's schema; "" when they keep
	// it or nothing is known.
	SchemaError string
	// FailedPrerequisite names an earlier call that this one needed and that failed.
	FailedPrerequisite string
	// Expected is the one call that would have been right; nil when unknown.
	Expected *transcript.ExpectedCall
	// SchemaErrorOf checks other arguments against a tool's schema; nil checks
	// nothing. It serves to check corrections.
	SchemaErrorOf func(tool *transcript.Tool, arguments value.Value) string
	// Likeness says how much of the expected call another call makes, 0..1; nil where
	// no call is expected or nothing can be said. It serves to replay corrections.
	Likeness func(name string, arguments value.Value) (share float64, ok bool)
}

// Record is one conversation made ready for the checks of all answers about its
// calls. It is immutable.
type Record struct {
	view  *prompt.View
	conv  *transcript.Conversation
	lines []line
	// toolLines are "name(p1, p2) description" for each tool, lowerTools the whole
	// inventory block in lower case, suspectTools what the injection scan found in it.
	toolLines    []string
	lowerTools   string
	suspectTools []string
}

// line is one line of the history.
type line struct {
	tool string
	// texts are the free texts, lower the same in lower case.
	texts, lower []string
	// suspect is set by the injection scan.
	suspect bool
}

// NewRecord reads a view for the checks.
func NewRecord(v *prompt.View) *Record {
	r := &Record{view: v, conv: v.Conversation(), lowerTools: strings.ToLower(v.Tools()), lines: make([]line, v.Len())}
	for i := range r.lines {
		shown := v.Line(i)
		l := line{tool: shown.Tool, texts: shown.Texts}
		for _, t := range l.texts {
			low := strings.ToLower(t)
			l.lower = append(l.lower, low)
			// System messages are the operator's own words.
			if shown.Role != string(transcript.System) && suspect(t) != "" {
				l.suspect = true
			}
		}
		r.lines[i] = l
	}
	for i := range r.conv.Tools {
		t := &r.conv.Tools[i]
		r.toolLines = append(r.toolLines, prompt.Signature(t)+" "+t.Description)
		for _, text := range prompt.ToolTexts(t) {
			if suspect(text) != "" {
				r.suspectTools = append(r.suspectTools, text)
			}
		}
	}
	return r
}

// Question is what an answer was given to.
type Question struct {
	Rubric *rubrics.Rubric
	// Call is the index of the judged call, Shown the message that asked about it.
	Call  int
	Shown prompt.Shown
	Facts Facts
	// OwnWords says that explanations name things of the judge's own, as the
	// baseline names its rules.
	OwnWords bool
}

// Answer is a valid answer with its verdict.
type Answer struct {
	Output float64
	Passed bool
	// Open says that the verdict is neither pass nor fail.
	Open                  bool
	Explanation, Evidence string
	Correction            value.Value
	// Unreadable says that there was a correction, of which nothing can be said.
	Unreadable bool
}

// checker holds one answer's question against the answer.
type checker struct {
	Question
	rec  *Record
	call *transcript.Call
	// callText is the judged call and its siblings as they were shown.
	callText, lowerCall string
}

// visibleLines calls f for each history line that the judge saw, until it returns
// false.
func (c *checker) visibleLines(f func(*line) bool) {
	for i := range c.Shown.Lines() {
		if !f(&c.rec.lines[i]) {
			return
		}
	}
}

// evidenceSources returns what evidence may quote: message texts, tool outputs and
// arguments as JSON, tool lines, and the call.
func (c *checker) evidenceSources() []string {
	var out []string
	c.visibleLines(func(l *line) bool {
		out = append(out, l.texts...)
		return true
	})
	return append(append(out, c.rec.toolLines...), c.callText)
}

// grounding looks up the quotes of the evidence. Nearly all quotes are verbatim,
// and then no fuzzy search is needed.
func (c *checker) grounding(evidence string) answer.Grounding {
	rule := answer.GroundingRule{Threshold: 0.8, MinFuzzyTokens: 3}
	g := answer.Ground(evidence, nil, rule)
	if len(g.Quotes) == 0 {
		return g
	}
	for _, q := range g.Quotes {
		if !c.verbatim(strings.ToLower(q)) {
			return answer.Ground(evidence, c.evidenceSources(), rule)
		}
	}
	for i := range g.Quotes {
		g.Scores[i], g.Grounded[i] = 1, true
	}
	g.Status = answer.Grounded
	return g
}

// verbatim reports whether a lower-case quote stands in the record as whole words.
func (c *checker) verbatim(q string) bool {
	if wholeWords(c.lowerCall, q) {
		return true
	}
	found := false
	c.visibleLines(func(l *line) bool {
		for _, s := range l.lower {
			found = found || wholeWords(s, q)
		}
		return !found
	})
	return found
}

func wholeWords(s, q string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], q)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(q):])
		if !alphanumeric(before) && !alphanumeric(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
	}
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// Check returns the flags of one valid answer, and what else was found. The flags
// never change the score.
func (r *Record) Check(q Question, a Answer) ([]score.Flag, Findings) {
	text := r.view.Call(q.Call)
	c := &checker{Question: q, rec: r, call: &r.conv.Calls[q.Call], callText: text, lowerCall: strings.ToLower(text)}
	a.Evidence, a.Explanation = r.view.Unmark(a.Evidence), r.view.Unmark(a.Explanation)
	f := &flags{}
	var out Findings
	c.checkEvidence(f, a, &out)
	c.checkPolarity(f, a)
	c.checkCorrection(f, a, &out)
	c.checkFacts(f, a)
	c.checkInjection(f, a)
	c.checkPhantoms(f, a)
	return f.list, out
}

// Findings are what the checks of one answer say besides flags.
type Findings struct {
	// Grounding is "grounded", "partial", "ungrounded" or "no_quotes"; Quotes counts
	// the quotes, GroundedQuotes those found in the record.
	Grounding              string
	Quotes, GroundedQuotes int
	// CorrectionForm is "none", "call", "patch" or "unrecognised".
	CorrectionForm string
	// Effective is the call that the correction amounts to; null for none.
	Effective value.Value
	// MatchesExpected is nil without an expected call.
	MatchesExpected *bool
	// Effect says what the correction would do, by deterministic scorers: "repaired"
	// (it is the expected call), "better", "unchanged", "worse" or "invalid" (it
	// breaks its tool's schema); "" where nothing can be said.
	Effect string
	// Constructive is how much more of the expected call the correction makes than
	// the judged call does, -1..1; nil where nothing can be said.
	Constructive *float64
}

type flags struct{ list []score.Flag }

func (f *flags) add(code string, severity int, format string, args ...any) {
	f.list = append(f.list, score.Flag{Code: code, Severity: severity, Detail: value.Excerpt(fmt.Sprintf(format, args...), 300)})
}

func (c *checker) checkEvidence(f *flags, a Answer, out *Findings) {
	g := c.grounding(a.Evidence)
	out.Grounding, out.Quotes = g.Status, len(g.Quotes)
	missing := ""
	for i, ok := range g.Grounded {
		if ok {
			out.GroundedQuotes++
		} else if missing == "" {
			missing = g.Quotes[i]
		}
	}
	absence := strings.HasPrefix(strings.TrimSpace(a.Evidence), "NONE:")
	switch g.Status {
	case answer.Ungrounded:
		f.add(FlagUngrounded, 2, "not in the record: %q", value.Excerpt(missing, 120))
	case answer.Partial:
		f.add(FlagPartial, 1, "not in the record: %q", value.Excerpt(missing, 120))
	case answer.NoQuotes:
		if !absence {
			f.add(FlagNoQuotes, 1, "the evidence quotes nothing and claims no absence")
		}
	}
	if absence {
		c.checkAbsence(f, a.Evidence)
	}
}

func (c *checker) checkPolarity(f *flags, a Answer) {
	switch p := explanationPolarity(a.Explanation); {
	case p == negative && a.Passed && a.Output == c.Rubric.Output.Max:
		f.add(FlagPolarity, 1, "the explanation names faults, and the output is the maximum")
	case p == positive && !a.Passed && a.Output == c.Rubric.Output.Min:
		f.add(FlagPolarity, 1, "the explanation only praises, and the output is the minimum")
	}
}

func (c *checker) checkFacts(f *flags, a Answer) {
	top := a.Output == c.Rubric.Output.Max
	switch c.Rubric.Name {
	case rubrics.Intent, rubrics.Overall:
		if c.Facts.SchemaError != "" && top {
			f.add(FlagIgnoresSchema, 2, "%s", c.Facts.SchemaError)
		}
	case rubrics.Completeness:
		if missing := c.missingRequired(); len(missing) > 0 && top {
			f.add(FlagMissedRequired, 2, "absent although required: %s", strings.Join(missing, ", "))
		}
	case rubrics.Prerequisite:
		if c.Facts.FailedPrerequisite != "" && top {
			f.add(FlagMissedFailedCall, 2, "failed before: %s", c.Facts.FailedPrerequisite)
		}
	}
}

func (c *checker) missingRequired() []string {
	if c.call.Malformed {
		return nil
	}
	var out []string
	for i := range c.rec.conv.Tools {
		t := &c.rec.conv.Tools[i]
		if t.Name != c.call.Name {
			continue
		}
		for _, name := range t.Parameters.Field("required").Elements() {
			if s, ok := name.Str(); ok && !c.call.Arguments.Has(s) {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}
