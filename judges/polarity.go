package judges

import (
	"regexp"
	"strings"
)

// polarity is what the words of an explanation say about the call.
type polarity int

const (
	undecided polarity = iota
	negative
	positive
)

// The word lists. Negated problem words are removed first ("no contradictions"),
// then negative cues are counted and removed, then positive ones are counted.
var (
	neutralised = regexp.MustCompile(`\b(?:no|not|without|never|nothing|isn't|aren't|free of)(?:\s+[\w'-]+){0,2}?\s+(?:contradict\w*|missing|errors?|issues?|hallucinat\w*|conflict\w*|violations?\w*|problem\w*|needed|necessary|required|relevant|inconsisten\w*|mismatch\w*|prerequisite\w*)\b`)
	negativeCue = regexp.MustCompile(`\b(?:missing|incorrect\w*|wrong\w*|mismatch\w*|misalign\w*|misinterpret\w*|fail(?:s|ed|ing)?|(?:does|do|did)(?: not|n't)|(?:was|were|is|are) not|cannot|unknown|incomplete|contradict\w*|irrelevant|hallucinat\w*|fabricat\w*|ungrounded|unsupported|inconsistent\w*|omit\w*|lacks?|should have|invalid)\b`)
	positiveCue = regexp.MustCompile(`\b(?:correct(?:ly)?|match(?:es|ed)?|align\w*|complete(?:ly)?|satisfied|succeeded|successful(?:ly)?|grounded|perfect(?:ly)?|exact(?:ly)?|appropriate(?:ly)?|consistent|directly|valid|confirmed)\b`)
)

// explanationPolarity reads English only; other languages come out undecided
// because none of the cues occurs.
func explanationPolarity(text string) polarity {
	s := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	s = neutralised.ReplaceAllString(s, " ")
	bad := len(negativeCue.FindAllStringIndex(s, -1))
	s = negativeCue.ReplaceAllString(s, " ")
	good := len(positiveCue.FindAllStringIndex(s, -1))
	switch {
	case bad > 0 && bad >= good:
		return negative
	case good > 0 && bad == 0:
		return positive
	}
	return undecided
}
