package check

import (
	"strings"

	"github.com/judgekit/judge/rubrics"
)

// injectionPhrases are imperative words to a grader, lower case. Each is a list of
// words that must follow each other within a few words.
var injectionPhrases = [][]string{
	{"ignore", "instructions"}, {"ignore", "rubric"}, {"ignore", "prompt"},
	{"disregard", "instructions"}, {"disregard", "rubric"}, {"disregard", "above"},
	{"forget", "instructions"}, {"override", "instructions"},
	{"as", "the", "judge"}, {"as", "the", "grader"}, {"as", "the", "evaluator"},
	{"dear", "judge"}, {"dear", "grader"}, {"dear", "evaluator"}, {"note", "to", "grader"}, {"note", "to", "judge"},
	{"grader", "must"}, {"judge", "must"}, {"evaluator", "must"},
	{"give", "score"}, {"give", "rating"}, {"give", "grade"}, {"assign", "score"}, {"assign", "rating"},
	{"rate", "this", "call"}, {"grade", "this", "call"}, {"score", "this", "call"},
	{"full", "marks"}, {"highest", "score"}, {"highest", "grade"}, {"perfect", "score"}, {"maximum", "score"},
}

// phraseGap is how many other words may stand between two words of a phrase.
const phraseGap = 3

// templateTokens are pieces of chat templates.
var templateTokens = []string{
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|system|>", "<|assistant|>", "<|user|>", "<|eot_id|>", "<|start_header_id|>",
	"<start_of_turn>", "<end_of_turn>", "[inst]", "[/inst]", "<<sys>>", "</think>", "<think>", "<<<record", "<<<end",
}

// suspect reports why a logged text looks like an address to its grader; "" when
// it does not. It is a smoke detector: it only ever sets a flag.
func suspect(text string) string {
	lower, tagged := legible(text)
	if tagged {
		return "invisible tag characters"
	}
	for _, t := range templateTokens {
		if strings.Contains(lower, t) {
			return "chat-template token " + t
		}
	}
	keys := 0
	for _, key := range rubrics.Keys() {
		if strings.Contains(lower, `"`+key+`"`) {
			keys++
		}
	}
	if keys >= 3 {
		return "an object with the keys of an answer"
	}
	if !mentionsGrading(lower) {
		return ""
	}
	words := lowerWords(lower)
	for _, phrase := range injectionPhrases {
		if hasPhrase(words, phrase) {
			return "the words " + strings.Join(phrase, " … ")
		}
	}
	if scoreNearDigit(words) {
		return "a score with a number"
	}
	return ""
}

// mentionsGrading is a cheap test that nearly every logged text fails.
func mentionsGrading(lower string) bool {
	for _, w := range []string{"ignore", "disregard", "forget", "override", "judge", "grader", "evaluator", "score", "output", "rating", "grade", "full marks", "rate this"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

func lowerWords(lower string) []string {
	return strings.FieldsFunc(lower, func(r rune) bool {
		return !(alphanumeric(r) || r == '_' || r == '.')
	})
}

func hasPhrase(words, phrase []string) bool {
	for i, w := range words {
		if trimDot(w) != phrase[0] {
			continue
		}
		at, ok := i, true
		for _, want := range phrase[1:] {
			next := -1
			for j := at + 1; j < len(words) && j <= at+1+phraseGap; j++ {
				if trimDot(words[j]) == want {
					next = j
					break
				}
			}
			if next < 0 {
				ok = false
				break
			}
			at = next
		}
		if ok {
			return true
		}
	}
	return false
}

func trimDot(w string) string { return strings.TrimRight(w, ".") }

// scoreNearDigit reports "output: 5", "score of 1" and the like: the word, and a
// number of a scale behind it.
func scoreNearDigit(words []string) bool {
	for i, w := range words {
		if w != "output" && w != "score" {
			continue
		}
		for j := i + 1; j < len(words) && j <= i+3; j++ {
			switch trimDot(words[j]) {
			case "0", "1", "2", "3", "4", "5", "1.0", "0.9", "0.95", "0.99", "0.0", "5.0":
				return true
			case "is", "of", "to", "as", "should", "be", "must", "a", "an":
			default:
				j = len(words)
			}
		}
	}
	return false
}
