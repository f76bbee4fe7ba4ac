package main

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
)

// rows describe a probe's findings: a name and what was found, in a fixed order.
func rows(c *capability.Capabilities) [][2]string {
	out := [][2]string{
		{"server", serverWords(c)},
		{"model", modelWords(c)},
	}
	if len(c.Ladder) == 0 {
		return out // it answered no question
	}
	out = append(out, [2]string{"output", ladderWords(c)})
	if len(c.Fields) > 0 {
		var all []string
		for _, f := range c.Fields {
			all = append(all, f.Words())
		}
		out = append(out, [2]string{"fields", strings.Join(all, "; ")})
	}
	out = append(out, [2]string{"whole prompt", words(c.RubricPrompt, map[capability.Finding]string{
		capability.Yes: "a rubric's prompt gets a score", capability.Refused: "refused: " + c.RubricDetail,
		capability.Ignored: "no score: " + c.RubricDetail, capability.Truncated: "cut short: " + c.RubricDetail,
	})})
	return append(out, [][2]string{
		{"bounds", boundsWords(c)},
		{"open objects", words(c.OpenObject, map[capability.Finding]string{
			capability.Yes: "can be filled", capability.Refused: "refused: corrections travel as text",
			capability.Ignored: "stay empty: corrections travel as text",
		})},
		{"key order", words(c.KeyOrder, map[capability.Finding]string{
			capability.Yes: "as in the schema: reasons before the score", capability.No: "not that of the schema",
		})},
		{"logprobs", logprobWords(c)},
		{"seed", words(c.Seed, map[capability.Finding]string{
			capability.Yes:   "same seed, same text; another seed, another text",
			capability.Fixed: "the same text whatever the seed",
			capability.No:    "the same seed gave different texts", capability.Refused: "refused",
		})},
		{"context", contextWords(c)},
		{"thinking", words(c.Thinking, map[capability.Finding]string{
			capability.None: "none seen", capability.Separate: "in a field of its own",
			capability.Inline: "inside the answer; it is cut off there",
			capability.Hidden: "counted, and not shown",
		})},
		{"asked", fmt.Sprintf("%d small requests", c.Requests)},
	}...)
}

func words(f capability.Finding, texts map[capability.Finding]string) string {
	if text, ok := texts[f]; ok {
		return text
	}
	return "not found out"
}

func serverWords(c *capability.Capabilities) string {
	name := map[llm.Kind]string{
		llm.KindOpenAI: "OpenAI", llm.KindVLLM: "vLLM", llm.KindOllama: "Ollama", llm.KindLlamaCPP: "llama.cpp server",
		llm.KindSGLang: "SGLang", llm.KindLMStudio: "LM Studio", llm.KindBaseline: "the built-in baseline",
	}[c.Kind]
	if name == "" {
		name = "of no known kind"
	}
	return strings.TrimSpace(name + " " + c.Version)
}

func modelWords(c *capability.Capabilities) string {
	const most = 8
	others := strings.Join(c.Models[:min(len(c.Models), most)], ", ")
	if n := len(c.Models) - most; n > 0 {
		others += fmt.Sprintf(" and %d more", n)
	}
	switch {
	case c.ModelListed == capability.Yes:
		return "is there"
	case c.ModelListed == capability.No && others == "":
		return "the server lists none"
	case c.ModelListed == capability.No:
		return "is not in the server's list: " + others
	}
	return "the server gives no list"
}

func ladderWords(c *capability.Capabilities) string {
	var tried []string
	for _, step := range c.Ladder {
		if step.Finding == capability.Yes {
			continue
		}
		text := fmt.Sprintf("%s %s", step.Transport, step.Finding)
		if step.Detail != "" {
			text += " (" + step.Detail + ")"
		}
		tried = append(tried, text)
	}
	out := "by " + string(c.Transport)
	if len(tried) > 0 {
		out += "; " + strings.Join(tried, "; ")
	}
	return out
}

func boundsWords(c *capability.Capabilities) string {
	each := map[capability.Finding]string{capability.Yes: "hold", capability.No: "are not enforced"}
	if c.IntegerRange == c.NumberRange {
		if each[c.IntegerRange] == "" {
			return "not found out"
		}
		return "of integers and other numbers " + each[c.IntegerRange]
	}
	return fmt.Sprintf("of integers: %s; of other numbers: %s", words(c.IntegerRange, each), words(c.NumberRange, each))
}

func logprobWords(c *capability.Capabilities) string {
	if c.Logprobs == capability.Yes {
		return fmt.Sprintf("yes, with %d alternatives of 5 asked for", c.TopLogprobs)
	}
	return words(c.Logprobs, map[capability.Finding]string{capability.No: "none come", capability.Refused: "refused"})
}

func contextWords(c *capability.Capabilities) string {
	var parts []string
	if c.ContextTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens (%s)", c.ContextTokens, c.ContextSource))
	}
	switch {
	case c.Overlong == capability.Truncated:
		parts = append(parts, fmt.Sprintf("a prompt of about %d is CUT to %d WITHOUT AN ERROR", c.Longest, c.Window))
	case c.Overlong == capability.Refused:
		parts = append(parts, fmt.Sprintf("a prompt of about %d is refused", c.Longest))
	case c.Longest > 0:
		parts = append(parts, fmt.Sprintf("a prompt of %d tokens arrives whole", c.Longest))
	}
	if len(parts) == 0 {
		return "not found out"
	}
	return strings.Join(parts, "; ")
}
