package capability

import (
	"fmt"

	"github.com/judgekit/judge/internal/llm"
)

// roomForRecords is a context size in tokens. In a smaller one, the built-in rubrics with their
// examples leave hardly any room for a record.
const roomForRecords = 8192

// enoughContext is the context size, in tokens, that we advise if the size of the records is
// unknown.
const enoughContext = 16384

// CorrectionAsText reports whether a free-form member of the answer should be asked for as a
// string, because the server refuses an open object or cannot fill it. Strict schemas have no open
// objects.
func (c *Capabilities) CorrectionAsText() bool {
	return c.Strict == Yes || c.OpenObject == Refused || c.OpenObject == Ignored
}

// Advice returns sentences for a person: what the findings mean and what to set. given says that
// the user chose the transport; then there is no advice about it.
func (c *Capabilities) Advice(given bool) (list []string) {
	note := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	note(!given && (c.Transport == llm.JSONObject || c.Transport == llm.PromptOnly),
		"no transport enforces a schema here; expect repairs. %s", about(c.Kind).schemas)
	note(!given && c.Transport == llm.Tools, "json_schema does not work here; answers travel as tool calls")
	note(c.Strict == Yes, "strict schemas work here; the correction travels as text, because they have no open objects")
	note(c.NumberRange == No || c.IntegerRange == No,
		"ranges of numbers are not enforced by this server; an answer out of range is asked for again, never clamped")
	note(c.OpenObject == Refused || c.OpenObject == Ignored,
		"objects without fixed keys do not pass; the correction is asked for as text")
	note(c.KeyOrder == No, "keys come in another order than the schema's: the score may be written before its reasons")
	note(c.Thinking != None, "the model thinks before it answers: a run gives it %d tokens more, or as many as "+
		"--reasoning-tokens (judge.yaml: reasoning_tokens) says%s", thinkingTokens, noThinking(c.Kind, c.Model))
	if c.Temperature != nil {
		note(true, "this family loops when it thinks at temperature 0: "+
			"runs sample it at %g with top_p %g, unless judge.yaml has a temperature", *c.Temperature, *c.TopP)
	}
	for _, f := range c.Fields {
		note(true, "%s", f.Words())
	}
	note(c.RubricPrompt == Refused, "a whole rubric's prompt was refused: %s", c.RubricDetail)
	note(c.RubricPrompt == Truncated, "a whole rubric's prompt was not answered to its end: %s", c.RubricDetail)
	note(c.RubricPrompt == Ignored, "a whole rubric's prompt got no object with a score; expect repairs: %s",
		c.RubricDetail)
	if text := c.contextAdvice(); text != "" {
		note(true, "%s %s", text, RaiseContext(c.Kind, enoughContext))
	}
	note(c.Seed == No, "the same seed gave different texts: measure the noise with two runs before you compare judges")
	note(c.ModelListed == No,
		"the model is not in the server's list, and it answered nevertheless: some servers answer to any name")
	return list
}

// contextAdvice says what is wrong with the context; "" if nothing is.
func (c *Capabilities) contextAdvice() string {
	switch n := c.Context(); {
	case c.Overlong == Truncated:
		return fmt.Sprintf("a prompt of about %d tokens was cut to %d without an error: records that do not "+
			"fit would be judged by half; judge voids what it notices.", c.Longest, c.Window)
	case n > 0 && n < roomForRecords:
		return fmt.Sprintf("the context holds %d tokens; the built-in rubrics with examples take about 1500, "+
			"and longer records are shortened.", n)
	case n == 0 && c.Kind == llm.KindOllama:
		return "the context size is unknown, and Ollama cuts over-long prompts without an error."
	}
	return ""
}
