package format

import "github.com/judgekit/judge/internal/value"

// spanDialects bring the spans of producers with attributes of their own into the common form. Each
// leaves the spans of others as they are.
var spanDialects = []func(s *spanRecord){vercelSpan, adkSpan, smolagentsSpan, adotSpan, beeaiSpan, openAIAgentsSpan,
	langSmithSpan, anyAgentSpan}

// tell says what a step did, in the common form: what it was, its input and its output. Nulls and
// an empty operation say nothing.
func (s *spanRecord) tell(operation string, input, output value.Value) {
	told := observed(operation, "", input, output, value.Value{})
	for key, v := range told.Members() {
		s.attrs = s.attrs.With(key, v)
	}
}

// copyTo sets an attribute to the first of some others, if it is not there.
func (s *spanRecord) copyTo(key string, from ...string) {
	s.copyText(key, s.attrs.FirstText(from...))
}

// copyText sets an attribute to a text, if it is not there.
func (s *spanRecord) copyText(key, text string) {
	if text != "" && !s.attrs.Has(key) {
		s.attrs = s.attrs.With(key, value.OfString(text))
	}
}
