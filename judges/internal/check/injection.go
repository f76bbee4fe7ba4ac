package check

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/rubrics"
)

// injection flags a record that addresses its grader, and an explanation that repeats such a text.
func (c *checker) injection() {
	var found []suspicion
	for l := range c.shownLines() {
		found = append(found, l.suspects...)
	}
	found = scan(found, c.rec.view.CallTexts(c.Target)...)
	found = append(found, c.rec.suspectTools...)
	if len(found) == 0 {
		return
	}
	c.flag(FlagInjection, 2, "the record seems to address its grader: %s", found[0].why)
	for _, s := range found {
		if sharesRun(s.text, c.Explanation, echoTokens) {
			c.flag(flagEcho, 2, "the explanation repeats text that addresses the grader")
			return
		}
	}
}

// suspicion is a text that seems to address its grader, and the reason.
type suspicion struct{ text, why string }

func scan(list []suspicion, texts ...string) []suspicion {
	for _, t := range texts {
		if why := suspect(t); why != "" {
			list = append(list, suspicion{t, why})
		}
	}
	return list
}

// phrases lists instructions to a grader, in lower case. "…" stands for other words.
var phrases = []string{
	"ignore … instructions", "ignore … rubric", "ignore … prompt",
	"disregard … instructions", "disregard … rubric", "disregard … above",
	"forget … instructions", "override … instructions",
	"as … the … judge", "as … the … grader", "as … the … evaluator",
	"dear … judge", "dear … grader", "dear … evaluator", "note … to … grader", "note … to … judge",
	"grader … must", "judge … must", "evaluator … must",
	"give … score", "give … rating", "give … grade", "assign … score", "assign … rating",
	"rate … this … call", "grade … this … call", "score … this … call",
	"full … marks", "highest … score", "highest … grade", "perfect … score", "maximum … score",
}

// phrasePattern matches each phrase, with at most three words for each "…".
var phrasePattern = func() map[string]*regexp.Regexp {
	patterns := map[string]*regexp.Regexp{}
	for _, p := range phrases {
		patterns[p] = regexp.MustCompile(`\b` + strings.ReplaceAll(p, " … ", `\W+(?:\w+\W+){0,3}?`) + `\b`)
	}
	return patterns
}()

// scoreNumber matches "output: 5", "score of 1" and the like.
var scoreNumber = regexp.MustCompile(`\b(?:output|score)\W+(?:(?:is|of|to|as|should|be|must|a|an)\W+){0,2}` +
	`(?:[0-5]|[015]\.0|0\.9|0\.95|0\.99)\.*(?:[^\w.]|$)`)

// templateTokens lists pieces of chat templates and of our own frame.
var templateTokens = []string{
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|system|>", "<|assistant|>", "<|user|>", "<|eot_id|>",
	"<|start_header_id|>", "<start_of_turn>", "<end_of_turn>", "[inst]", "[/inst]", "<<sys>>", "</think>", "<think>",
	"<<<record", "<<<end",
}

// gradingWords are used for a cheap first test: nearly every logged text contains none of them.
var gradingWords = []string{
	"ignore", "disregard", "forget", "override", "judge", "grader", "evaluator", "score", "output", "rating", "grade",
	"full marks", "rate this",
}

// suspect returns the reason why a logged text seems to address its grader; "" if it does not.
func suspect(text string) string {
	lower, tagged := legible(text)
	if tagged {
		return "invisible tag characters"
	}
	if strings.Contains(lower, "<") || strings.Contains(lower, "inst]") { // every pattern needs one of these
		if t := firstIn(lower, templateTokens); t != "" {
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
	if firstIn(lower, gradingWords) == "" {
		return ""
	}
	for _, p := range phrases {
		if holdsWords(lower, p) && phrasePattern[p].MatchString(lower) {
			return "the words " + p
		}
	}
	if scoreNumber.MatchString(lower) {
		return "a score with a number"
	}
	return ""
}

// holdsWords reports whether s contains every word of a phrase. The search by its pattern takes a
// hundred times as long.
func holdsWords(s, phrase string) bool {
	for word := range strings.SplitSeq(phrase, " … ") {
		if !strings.Contains(s, word) {
			return false
		}
	}
	return true
}

// firstIn returns the first text of a list that s contains; "" if none.
func firstIn(s string, list []string) string {
	for _, t := range list {
		if strings.Contains(s, t) {
			return t
		}
	}
	return ""
}

// legible normalizes a text so that words can be found in it: it converts it to lower case, undoes
// JSON escapes, removes invisible characters, and replaces other white space by a blank and wide
// forms of ASCII characters by the narrow ones. tagged says that the text contained tag characters.
func legible(s string) (lower string, tagged bool) {
	plain := true // nearly all texts are
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x7f && s[i] != '\\' && (s[i] >= ' ' || s[i] == '\n')
	}
	if plain {
		return strings.ToLower(s), false
	}
	lower = strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r < 0x7f:
			return r
		case r >= 0xe0020 && r <= 0xe007f:
			tagged = true
		case unicode.IsSpace(r):
			return ' '
		case r >= 0xff01 && r <= 0xff5e:
			return r - 0xfee0
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector) {
			return -1
		}
		return r
	}, strings.ToLower(answer.Unescape(s)))
	return lower, tagged
}

// echoTokens is the number of equal tokens in a row that count as an echo.
const echoTokens = 12

// sharesRun reports whether two texts have n words in a row in common.
func sharesRun(a, b string, n int) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !alphanumeric(r) })
	}
	x, y := words(a), words(b)
	runs := make(map[string]bool, len(y))
	for i := 0; i+n <= len(y); i++ {
		runs[strings.Join(y[i:i+n], " ")] = true
	}
	for i := 0; i+n <= len(x); i++ {
		if runs[strings.Join(x[i:i+n], " ")] {
			return true
		}
	}
	return false
}
