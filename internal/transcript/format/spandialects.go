package format

import "github.com/judgekit/judge/internal/value"

// spanDialects convert the spans of producers with their own attributes to the common form. Each
// leaves other spans unchanged.
var spanDialects = []func(s *spanRecord){vercelSpan, adkSpan, smolagentsSpan, adotSpan, beeaiSpan, openAIAgentsSpan,
	langSmithSpan, anyAgentSpan}

// tell sets the attributes of the common form for a step: its operation, input and output. It skips
// an empty operation and nulls.
func (s *spanRecord) tell(operation string, input, output value.Value) {
	told := observed(operation, "", input, output, value.Value{})
	for key, v := range told.Members() {
		s.attrs = s.attrs.With(key, v)
	}
}

// copyTo sets a missing attribute to the first non-empty text of the others.
func (s *spanRecord) copyTo(key string, from ...string) {
	s.copyText(key, s.attrs.FirstText(from...))
}

// copyText sets an attribute to a text, if it is missing.
func (s *spanRecord) copyText(key, text string) {
	if text != "" && !s.attrs.Has(key) {
		s.attrs = s.attrs.With(key, value.OfString(text))
	}
}
