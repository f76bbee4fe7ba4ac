package capability

import (
	"fmt"
	"math/bits"

	"github.com/judgekit/judge/internal/llm"
)

// RoomForRecords is the context, in tokens, below which the built-in rubrics with
// their examples leave hardly any room for a record.
const RoomForRecords = 8192

// Context returns the size of the context that prompts must fit, in tokens as far as it
// is known; 0 when it is not. What was measured counts before what the server tells,
// unless a prompt of that size or a longer one came through whole: some servers, as
// Ollama 0.32, cut an over-long prompt to half their window.
func (c *Capabilities) Context() int {
	longest := 0 // of the prompts that came through whole
	for _, p := range c.Canary {
		if p.Reported > 0 && float64(p.Reported) >= wholeShare*float64(p.Expected) {
			longest = max(longest, p.Reported)
		}
	}
	switch n := len(c.Canary); {
	case c.Window > 0 && c.Window >= longest:
		return c.Window
	case c.Overlong == Truncated && n > 0:
		return min(c.ContextTokens, c.Canary[n-1].Expected)
	}
	return c.ContextTokens
}

// CorrectionAsText says that a free-form member of the answer should be asked for as
// a string, because an open object is refused or cannot be filled. Strict schemas have
// no open objects.
func (c *Capabilities) CorrectionAsText() bool {
	return c.Strict == Yes || c.OpenObject == Refused || c.OpenObject == Ignored
}

// advise turns findings into sentences for a person.
func (p *probe) advise() {
	c := p.caps
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	switch c.Transport {
	case llm.JSONObject, llm.PromptOnly:
		note("no transport enforces a schema here; expect repairs. %s", schemaAdvice(c.Kind))
	case llm.Tools:
		note("json_schema does not work here; answers travel as tool calls")
	}
	if c.Strict == Yes {
		note("strict schemas work here; the correction travels as text, because they have no open objects")
	}
	if c.constrainedNumbers() == No {
		note("ranges of numbers are not enforced by this server; an answer out of range is asked for again, never clamped")
	}
	if c.OpenObject == Refused || c.OpenObject == Ignored {
		note("objects without fixed keys do not pass; the correction is asked for as text")
	}
	if c.KeyOrder == No {
		note("keys come in another order than the schema's: the score may be written before its reasons")
	}
	if c.Thinking != None {
		note("the model thinks before it answers: give it room with --reasoning-tokens %d (judge.yaml: reasoning_tokens: %d)%s", thinkingTokens, thinkingTokens, noThinking(c.Kind, c.Model))
	}
	if c.Temperature != nil {
		note("this family loops when it thinks at temperature 0: runs sample it at %g with top_p %g, unless judge.yaml has a temperature", *c.Temperature, *c.TopP)
	}
	if dropsSchema(c.Kind, c.Model) && switchedOff(p.depth.Request.Extra) {
		note("with its thinking switched off this family is not held to a schema here: take that out of extra")
	}
	p.adviseFields(note)
	p.adviseContext(note)
	if c.Parallel == No {
		note("%s", parallelAdvice(c.Kind))
	}
	if c.Seed == No {
		note("the same seed gave different texts: measure the noise with two runs before you compare judges")
	}
	if c.ModelListed == No {
		note("the model is not in the server's list, and it answered all the same: some servers answer to any name")
	}
}

// adviseFields tells of what a run does otherwise than by default.
func (p *probe) adviseFields(note func(string, ...any)) {
	for _, f := range p.caps.Fields {
		note("%s", f.Words())
	}
	switch c := p.caps; c.RubricPrompt {
	case Truncated:
		note("a whole rubric's prompt was not answered to its end: %s", c.RubricDetail)
	case Ignored:
		note("a whole rubric's prompt got no object with a score; expect repairs: %s", c.RubricDetail)
	}
}

// Words says what is done about a field, and what the server said.
func (f FieldChange) Words() string {
	done := "is left out"
	if f.SentAs != "" {
		done = "goes as " + f.SentAs
	}
	return fmt.Sprintf("%s %s, because the server refuses it: %s", f.Field, done, f.Said)
}

func (c *Capabilities) constrainedNumbers() Finding {
	if c.NumberRange == No || c.IntegerRange == No {
		return No
	}
	return c.NumberRange
}

func (p *probe) adviseContext(note func(string, ...any)) {
	c := p.caps
	if c.Overlong == Truncated {
		note("a prompt of about %d tokens was cut to %d without an error: records that do not fit would be judged by half; judge voids what it notices. %s",
			c.Canary[len(c.Canary)-1].Expected, c.Window, RaiseContext(c.Kind, enoughContext))
		return
	}
	if n := c.Context(); n > 0 && n < RoomForRecords {
		note("the context holds %d tokens; the built-in rubrics with examples take about 1500, and longer records are shortened. %s", n, RaiseContext(c.Kind, enoughContext))
		return
	}
	if c.Kind == llm.KindOllama && c.Context() == 0 {
		note("the context size is not told, and Ollama cuts over-long prompts without an error. %s", RaiseContext(c.Kind, enoughContext))
	}
}

// enoughContext is the size of context, in tokens, that is advised where nothing is
// known of the records.
const enoughContext = 16384

// RaiseContext says how a server of a kind is given a context of at least so many
// tokens, which are rounded up to a power of two.
func RaiseContext(kind llm.Kind, tokens int) string {
	size := 1 << bits.Len(uint(max(tokens, 2)-1))
	switch kind {
	case llm.KindOllama:
		return fmt.Sprintf("set OLLAMA_CONTEXT_LENGTH=%d for `ollama serve`, or PARAMETER num_ctx %d in the model's Modelfile (requests to /v1 cannot set it)", size, size)
	case llm.KindLlamaCPP:
		return fmt.Sprintf("start llama-server with -c %d for each slot of -np, which share it", size)
	case llm.KindVLLM:
		return fmt.Sprintf("start vLLM with --max-model-len %d", size)
	case llm.KindSGLang:
		return fmt.Sprintf("start SGLang with --context-length %d, and without --allow-auto-truncate", size)
	case llm.KindLMStudio:
		return fmt.Sprintf("set the context length to %d in the model's load settings of LM Studio", size)
	}
	return fmt.Sprintf("raise the server's context to %d tokens, or choose a model with a longer one", size)
}

func schemaAdvice(kind llm.Kind) string {
	switch kind {
	case llm.KindLlamaCPP:
		return "Start llama-server with --jinja; json_object alone is not constrained"
	case llm.KindVLLM:
		return "Start vLLM with --structured-outputs-config '{\"backend\":\"xgrammar\"}'"
	case llm.KindSGLang:
		return "Start SGLang with --grammar-backend xgrammar"
	case llm.KindOllama:
		return "Ollama enforces schemas from 0.5 on when it runs the model itself; its cloud models do not"
	}
	return "A server with response_format json_schema is safer (Ollama, llama.cpp, vLLM, SGLang, LM Studio)"
}

func parallelAdvice(kind llm.Kind) string {
	const none = "several requests at once are no faster than one after the other"
	switch kind {
	case llm.KindOllama:
		return none + ": set OLLAMA_NUM_PARALLEL=4 for `ollama serve` where memory allows, else run with -j 1 (each slot holds a context of its own)"
	case llm.KindLlamaCPP:
		return none + ": start llama-server with -np 4 (and four times the -c), else run with -j 1"
	}
	return none + ": a smaller -j loses nothing"
}
