package check

import (
	"slices"
	"strings"
)

// polarity is what the words of an explanation say about the call.
type polarity int

const (
	undecided polarity = iota
	negative
	positive
)

// The word lists, lower case; a trailing * stands for any ending. Negated problem
// words are removed first ("no contradictions"), then negative cues are counted and
// removed, then positive ones are counted.
var (
	negators = []string{"no", "not", "without", "never", "nothing", "isn't", "aren't"}
	problems = []string{
		"contradict*", "missing", "error", "errors", "issue", "issues", "hallucinat*", "conflict*", "violation*", "problem*",
		"needed", "necessary", "required", "relevant", "inconsisten*", "mismatch*", "prerequisite*",
	}
	negativeWords = []string{
		"missing", "incorrect*", "wrong*", "mismatch*", "misalign*", "misinterpret*", "fail", "fails", "failed", "failing",
		"doesn't", "don't", "didn't", "cannot", "unknown", "incomplete", "contradict*", "irrelevant", "hallucinat*", "fabricat*",
		"ungrounded", "unsupported", "inconsistent*", "omit*", "lack", "lacks", "invalid",
	}
	negativePairs = [][2]string{
		{"does", "not"}, {"do", "not"}, {"did", "not"}, {"was", "not"}, {"were", "not"}, {"is", "not"}, {"are", "not"}, {"should", "have"},
	}
	positiveWords = []string{
		"correct", "correctly", "match", "matches", "matched", "align*", "complete", "completely", "satisfied", "succeeded",
		"successful", "successfully", "grounded", "perfect", "perfectly", "exact", "exactly", "appropriate", "appropriately",
		"consistent", "directly", "valid", "confirmed",
	}
)

// explanationPolarity reads English only; text in other languages is undecided, because
// many cues are words there too and mean something else beside other negations.
func explanationPolarity(text string) polarity {
	words := polarityWords(text)
	if !english(words) {
		return undecided
	}
	words = withoutNegatedProblems(words)
	bad, good := 0, 0
	for i := 0; i < len(words); i++ {
		switch {
		case i+1 < len(words) && slices.Contains(negativePairs, [2]string{words[i], words[i+1]}):
			bad++
			i++
		case listed(words[i], negativeWords):
			bad++
		case listed(words[i], positiveWords):
			good++
		}
	}
	switch {
	case bad > 0 && bad >= good:
		return negative
	case good > 0 && bad == 0:
		return positive
	}
	return undecided
}

// phraseEnds is the punctuation across which no phrase goes on.
const phraseEnds = ".,;:!?()\""

// polarityWords splits a text into lower-case words; punctuation that ends a phrase
// stays as a word of its own, so that nothing matches across it.
func polarityWords(text string) []string {
	s := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	var out []string
	start := -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '_' || s[i] == '-' || s[i] >= 0x80 || s[i] == '\'' && start >= 0) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, strings.TrimRight(s[start:i], "'"))
			start = -1
		}
		if i < len(s) && strings.IndexByte(phraseEnds, s[i]) >= 0 {
			out = append(out, s[i:i+1])
		}
	}
	return out
}

// withoutNegatedProblems drops "no (…) contradictions" with up to two words
// between, in place.
func withoutNegatedProblems(words []string) []string {
	out := words[:0]
	for i := 0; i < len(words); i++ {
		from := i + 1
		if words[i] == "free" && from < len(words) && words[from] == "of" {
			from++
		} else if !slices.Contains(negators, words[i]) {
			out = append(out, words[i])
			continue
		}
		end := -1
		for j := from; j < len(words) && j <= from+2 && !strings.Contains(phraseEnds, words[j][:1]); j++ {
			if listed(words[j], problems) {
				end = j
				break
			}
		}
		if end < 0 {
			out = append(out, words[i])
			continue
		}
		i = end
	}
	return out
}

func listed(word string, list []string) bool {
	for _, w := range list {
		if stem, ok := strings.CutSuffix(w, "*"); ok && strings.HasPrefix(word, stem) || w == word {
			return true
		}
	}
	return false
}
