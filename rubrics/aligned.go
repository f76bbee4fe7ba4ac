package rubrics

import (
	"fmt"
	"strings"
)

// Aligned says from which rubric and from which labels judge align made a rubric.
type Aligned struct {
	// Parent is the SHA of the rubric that it improves.
	Parent string `json:"parent"`
	// Labels names the conversations whose labels shaped the rubric, by their marks (labels.Mark)
	// with a blank between them. A label of these conversations must not measure the rubric.
	Labels string `json:"labels"`
}

// guidelineText returns the rules as the prompt shows them after the question, "" if none.
func guidelineText(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nRules that people's labels taught; apply each that fits:")
	for i, rule := range rules {
		fmt.Fprintf(&b, "\n%d. %s", i+1, rule)
	}
	return b.String()
}
