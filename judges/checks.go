package judges

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/contradiction"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
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
	FlagRepairChanged     = "repair_changed_score"
	FlagContextTruncated  = "context_truncated"
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

// checker holds one answer's record against the answer.
type checker struct {
	v     *view
	call  *transcript.Call
	facts Facts
	shown rendered
	// callText is the judged call and its siblings as they were shown.
	callText, lowerCall string
	// ownWords says that explanations name things of the judge's own, as the
	// baseline names its rules.
	ownWords bool
}

func newChecker(v *view, call *transcript.Call, shown rendered, facts Facts) *checker {
	text := string(append(appendCall(nil, call, ""), v.siblings(call)...))
	return &checker{v: v, call: call, shown: shown, facts: facts, callText: text, lowerCall: strings.ToLower(text)}
}

// visibleLines calls f for each history line that the judge saw, until it returns
// false.
func (c *checker) visibleLines(f func(*viewLine) bool) {
	for i := range c.shown.n {
		if (c.shown.shown == nil || c.shown.shown[i]) && !f(&c.v.items[i]) {
			return
		}
	}
}

// evidenceSources returns what evidence may quote: message texts, tool outputs and
// arguments as JSON, tool lines, and the call.
func (c *checker) evidenceSources() []string {
	var out []string
	c.visibleLines(func(l *viewLine) bool {
		out = append(out, l.texts...)
		return true
	})
	return append(append(out, c.v.toolLines...), c.callText)
}

// grounding looks up the quotes of the evidence. Nearly all quotes are verbatim,
// and then no fuzzy search is needed.
func (c *checker) grounding(evidence string) contradiction.Grounding {
	rule := contradiction.GroundingRule{Threshold: 0.8, MinFuzzyTokens: 3}
	g := contradiction.Ground(evidence, nil, rule)
	if len(g.Quotes) == 0 {
		return g
	}
	for _, q := range g.Quotes {
		if !c.verbatim(strings.ToLower(q)) {
			return contradiction.Ground(evidence, c.evidenceSources(), rule)
		}
	}
	for i := range g.Quotes {
		g.Scores[i], g.Grounded[i] = 1, true
	}
	g.Status = contradiction.Grounded
	return g
}

// verbatim reports whether a lower-case quote stands in the record as whole words.
func (c *checker) verbatim(q string) bool {
	if wholeWords(c.lowerCall, q) {
		return true
	}
	found := false
	c.visibleLines(func(l *viewLine) bool {
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

// check returns the flags of one valid answer, and the details that the record of
// it keeps.
func (c *checker) check(r *rubrics.Rubric, a answer) ([]score.Flag, Checks) {
	f := &flags{}
	var out Checks
	c.checkEvidence(f, a, &out)
	c.checkPolarity(f, r, a)
	c.checkCorrection(f, r, a, &out)
	c.checkFacts(f, r, a)
	c.checkInjection(f, a)
	c.checkPhantoms(f, a)
	return f.list, out
}

// Checks are the findings about one answer that are no flags.
type Checks struct {
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

// answer is a valid answer with its verdict.
type answer struct {
	output float64
	passed bool
	// open says that the verdict is neither pass nor fail.
	open                  bool
	explanation, evidence string
	correction            value.Value
}

type flags struct{ list []score.Flag }

func (f *flags) add(code string, severity int, format string, args ...any) {
	f.list = append(f.list, score.Flag{Code: code, Severity: severity, Detail: bounded(fmt.Sprintf(format, args...), 300)})
}

func (c *checker) checkEvidence(f *flags, a answer, out *Checks) {
	g := c.grounding(a.evidence)
	out.Grounding, out.Quotes = g.Status, len(g.Quotes)
	missing := ""
	for i, ok := range g.Grounded {
		if ok {
			out.GroundedQuotes++
		} else if missing == "" {
			missing = g.Quotes[i]
		}
	}
	absence := strings.HasPrefix(strings.TrimSpace(a.evidence), "NONE:")
	switch g.Status {
	case contradiction.Ungrounded:
		f.add(FlagUngrounded, 2, "not in the record: %q", bounded(missing, 120))
	case contradiction.Partial:
		f.add(FlagPartial, 1, "not in the record: %q", bounded(missing, 120))
	case contradiction.NoQuotes:
		if !absence {
			f.add(FlagNoQuotes, 1, "the evidence quotes nothing and claims no absence")
		}
	}
	if absence {
		c.checkAbsence(f, a.evidence)
	}
}

// checkAbsence looks up a claim such as "NONE: no prior get_user call" in the
// history.
func (c *checker) checkAbsence(f *flags, evidence string) {
	text := " " + strings.Join(strings.Fields(strings.ToLower(evidence)), " ") + " "
	claims := false
	for _, w := range []string{" no prior ", " no earlier ", " no previous ", " no preceding ", " never called ", " was not called ", " no call "} {
		claims = claims || strings.Contains(text, w)
	}
	if !claims {
		return
	}
	for i := range c.v.conv.Tools {
		name := c.v.conv.Tools[i].Name
		if len(name) < 3 || !strings.Contains(text, strings.ToLower(name)) || name == c.call.Name {
			continue
		}
		for j := range c.v.conv.Calls {
			if o := &c.v.conv.Calls[j]; o.Name == name && c.before(o) && !c.failed(o) {
				f.add(FlagFalseAbsence, 2, "the evidence says that there was no call of %s, and there was one", bounded(name, 80))
				return
			}
		}
	}
}

// before reports whether the result of call o was known when the call was made.
func (c *checker) before(o *transcript.Call) bool {
	return o.Message < c.call.Message && o.Result >= 0 && o.Result < c.call.Message
}

// failed reports whether a call was refused or answered with an error.
func (c *checker) failed(o *transcript.Call) bool {
	if o.Refused || o.Proposed || o.Result < 0 || o.Result >= len(c.v.conv.Messages) {
		return true
	}
	m := &c.v.conv.Messages[o.Result]
	if m.IsError || m.Output.Has("error") {
		return true
	}
	text := strings.ToLower(strings.TrimSpace(m.Content))
	return strings.HasPrefix(text, "error") || strings.HasPrefix(text, "exception") || strings.HasPrefix(text, "traceback")
}

func (c *checker) checkPolarity(f *flags, r *rubrics.Rubric, a answer) {
	switch p := explanationPolarity(a.explanation); {
	case p == negative && a.passed && a.output == r.Output.Max:
		f.add(FlagPolarity, 1, "the explanation names faults, and the output is the maximum")
	case p == positive && !a.passed && a.output == r.Output.Min:
		f.add(FlagPolarity, 1, "the explanation only praises, and the output is the minimum")
	}
}

func (c *checker) checkFacts(f *flags, r *rubrics.Rubric, a answer) {
	top := a.output == r.Output.Max
	switch r.Name {
	case rubrics.Intent, rubrics.Overall:
		if c.facts.SchemaError != "" && top {
			f.add(FlagIgnoresSchema, 2, "%s", c.facts.SchemaError)
		}
	case rubrics.Completeness:
		if missing := c.missingRequired(); len(missing) > 0 && top {
			f.add(FlagMissedRequired, 2, "absent although required: %s", strings.Join(missing, ", "))
		}
	case rubrics.Prerequisite:
		if c.facts.FailedPrerequisite != "" && top {
			f.add(FlagMissedFailedCall, 2, "failed before: %s", c.facts.FailedPrerequisite)
		}
	}
}

func (c *checker) missingRequired() []string {
	if c.call.Malformed {
		return nil
	}
	var out []string
	for i := range c.v.conv.Tools {
		t := &c.v.conv.Tools[i]
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
