package capability

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// Families of models by their names, as servers and people write them.
var (
	qwen3     = regexp.MustCompile(`(?i)qwen[-_ ]?3`)
	qwenLater = regexp.MustCompile(`(?i)qwen[-_ ]?3\.[5-9]`)
	gemma     = regexp.MustCompile(`(?i)gemma`)
	// byThinking are switched by "thinking", all others by "enable_thinking".
	byThinking = regexp.MustCompile(`(?i)granite|deepseek.*v?3[.-][12]`)
)

// sampling is what a model that thinks has to be sampled at; nil where 0 will do.
// Qwen's model cards forbid greedy decoding of a thought: it repeats itself.
func sampling(model string) (temperature, topP *float64) {
	if qwen3.MatchString(model) {
		return new(0.6), new(0.95)
	}
	return nil, nil
}

// dropsSchema reports whether a server drops the schema of a model whose thinking is
// switched off: it waits for the end of a thought that never comes.
func dropsSchema(kind llm.Kind, model string) bool {
	switch kind {
	case llm.KindOllama:
		return qwenLater.MatchString(model) || gemma.MatchString(model)
	case llm.KindVLLM:
		return gemma.MatchString(model)
	}
	return false
}

// noThinking says how a model's thinking is switched off, where that does no harm.
func noThinking(kind llm.Kind, model string) string {
	how := ""
	switch kind {
	case llm.KindOllama:
		how = "{reasoning_effort: none}"
	case llm.KindVLLM, llm.KindSGLang, llm.KindLlamaCPP:
		how = "{chat_template_kwargs: {enable_thinking: false}}"
		if byThinking.MatchString(model) {
			how = "{chat_template_kwargs: {thinking: false}}"
		}
	default:
		return ""
	}
	if dropsSchema(kind, model) {
		return "; leave its thinking on: this server drops the schema of this family without it"
	}
	return ", or switch thinking off with extra: " + how + " in judge.yaml"
}

// switchedOff reports whether extra members switch thinking off.
func switchedOff(extra []llm.Field) bool {
	for _, f := range extra {
		v := bytes.ReplaceAll(f.Value, []byte(" "), nil)
		switch {
		case f.Name == "think" && string(v) == "false", f.Name == "reasoning_effort" && string(v) == `"none"`:
			return true
		case f.Name == "chat_template_kwargs" && strings.Contains(string(v), `thinking":false`):
			return true
		case f.Name == "reasoning" && strings.Contains(string(v), `"effort":"none"`):
			return true
		}
	}
	return false
}
