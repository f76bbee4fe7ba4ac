package reply

import (
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// source is the part of a reply in which the answer is looked for.
type source struct {
	text string
	// base is the offset of text in the reply's content, -1 for text from elsewhere.
	base int
	// arguments are those of the tool calls, where the text is made of them.
	arguments []string
	// reasoning says that the text comes from the reasoning field, marked that it had a
	// byte order mark.
	reasoning, marked bool
}

// sourceOf is the content; where that is blank the arguments of the tool calls, and
// where they are too the reasoning, if an object stands in it.
func sourceOf(in *llm.Response) source {
	s := source{text: in.Content}
	if blank(s.text) {
		s.arguments = in.Arguments
		if s.arguments == nil && in.ToolArguments != "" {
			s.arguments = []string{in.ToolArguments}
		}
		s.text, s.base = strings.Join(s.arguments, "\n"), -1
	}
	if blank(s.text) && in.FinishReason != "length" && strings.Contains(in.Reasoning, "{") {
		s = source{text: in.Reasoning, base: -1, reasoning: true}
	}
	whole := len(s.text)
	if whole > maxReplyText {
		s.text = s.text[whole-maxReplyText:]
	}
	s.text, s.marked = strings.CutPrefix(s.text, "\ufeff")
	if s.base >= 0 {
		s.base = whole - len(s.text)
	}
	return s
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// said is the text without its thinking, as cutThought has it. Arguments hold none.
func (s *source) said() (answer string, thought, open bool) {
	if s.arguments != nil && strings.HasPrefix(strings.TrimSpace(s.text), "{") {
		return s.text, false, false
	}
	return cutThought(s.text)
}

// parts are the texts in which objects are looked for one by one: no object goes over
// from one tool call into the next one.
func (s *source) parts(text string) []string {
	if len(s.arguments) > 1 && text == s.text && len(text) < maxReplyText {
		return s.arguments
	}
	return []string{text}
}

const leakText = "the answer repeats the secret word of the system message"

func (o *Options) holds(text string) bool { return o.Canary != "" && strings.Contains(text, o.Canary) }

// leaked reports whether the secret word stands anywhere in a reply but in its thinking.
func (o *Options) leaked(in *llm.Response) bool {
	said, _, _ := cutThought(in.Content)
	found := o.holds(said) || o.holds(in.ToolArguments)
	for _, a := range in.Arguments {
		found = found || o.holds(a)
	}
	return found
}
