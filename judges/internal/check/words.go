package check

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are punctuation that ends a phrase; joints may stand inside a word, for instance in names
// of tools.
const marks, joints = `.,;:!?()"`, "'.-"

// tokens splits a text into words and punctuation, in lower case.
func tokens(text string) (out []string) {
	inWord := func(r rune) bool { return r == '_' || alphanumeric(r) }
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if inWord(r) {
			end := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) && !strings.ContainsRune(joints, r) })
			if end < 0 {
				end = len(text)
			}
			size = len(strings.TrimRight(text[:end], joints))
		}
		if inWord(r) || strings.ContainsRune(marks, r) {
			out = append(out, text[:size])
		}
		text = text[size:]
	}
	return out
}

// polarity says whether the words of an explanation praise or criticise the call.
type polarity int

const (
	undecided polarity = iota
	negative
	positive
)

// lexicon is a list of words to search for. In its text a trailing * matches any ending, and _
// joins two words.
type lexicon struct {
	words      map[string]bool // two words are joined by a blank
	beginnings []string
}

func newLexicon(list string) lexicon {
	l := lexicon{words: map[string]bool{}}
	for _, w := range strings.Fields(list) {
		if begin, ok := strings.CutSuffix(w, "*"); ok {
			l.beginnings = append(l.beginnings, begin)
		} else {
			l.words[strings.ReplaceAll(w, "_", " ")] = true
		}
	}
	return l
}

// starts returns the length in tokens (1 or 2) of the entry at the beginning of tokens; 0 without
// an entry.
func (l lexicon) starts(tokens []string) int {
	begins := func(word string) bool { return strings.HasPrefix(tokens[0], word) }
	switch {
	case len(tokens) == 0:
		return 0
	case l.words[tokens[0]], slices.ContainsFunc(l.beginnings, begins):
		return 1
	case len(tokens) > 1 && l.words[tokens[0]+" "+tokens[1]]:
		return 2
	}
	return 0
}

// The word lists of the specification. Negated problem words are removed first ("no
// contradictions"), then negative cues are counted and removed, then positive ones are counted.
var (
	negators = newLexicon("no not without never nothing isn't aren't free_of")
	problems = newLexicon(`contradict* missing error errors issue issues hallucinat* conflict* violation*
		problem* needed necessary required relevant inconsisten* mismatch* prerequisite*`)
	negativeCues = newLexicon(`missing incorrect* wrong* mismatch* misalign* misinterpret* fail fails failed
		failing doesn't don't didn't cannot unknown incomplete contradict* irrelevant hallucinat* fabricat* ungrounded
		unsupported inconsistent* omit* lack lacks invalid does_not do_not did_not was_not were_not is_not are_not
		should_have`)
	positiveCues = newLexicon(`correct correctly match matches matched align* complete completely satisfied
		succeeded successful successfully grounded perfect perfectly exact exactly appropriate appropriately consistent
		directly valid confirmed`)
)

// negatedProblem returns the length in tokens of a negated problem at the beginning of tokens: a
// negation, at most two other words, and a problem word; 0 if none.
func negatedProblem(tokens []string) int {
	n := negators.starts(tokens)
	if n == 0 {
		return 0
	}
	for most := n + 2; n <= min(most, len(tokens)); n++ {
		if found := problems.starts(tokens[n:]); found > 0 {
			return n + found
		}
		if n < len(tokens) && strings.ContainsAny(tokens[n], marks) {
			return 0
		}
	}
	return 0
}

// remove removes everything that starts finds, from left to right, and counts it.
func remove(tokens []string, starts func([]string) int) (rest []string, found int) {
	for i := 0; i < len(tokens); {
		if n := starts(tokens[i:]); n > 0 {
			found++
			i += n
			continue
		}
		rest = append(rest, tokens[i])
		i++
	}
	return rest, found
}

// explanationPolarity returns whether an explanation praises or criticises the call. It reads only
// English. Text in other languages stays undecided: many cues are also words there, with another
// meaning.
func explanationPolarity(text string) polarity {
	words := tokens(text)
	if !english(words) {
		return undecided
	}
	rest, _ := remove(words, negatedProblem)
	rest, bad := remove(rest, negativeCues.starts)
	_, good := remove(rest, positiveCues.starts)
	switch {
	case bad > 0 && bad >= good:
		return negative
	case good > 0 && bad == 0:
		return positive
	}
	return undecided
}

// foreignWords are words that are rare in English and frequent in another language: German, French,
// Spanish and Portuguese, Italian, Dutch and the Scandinavian languages, Polish and Czech, Turkish
// and Indonesian.
var foreignWords = newLexicon(`
	der das ist und nicht ein eine einen mit für wird wurde dem den von auch kein keine
	le la les est et une des du que dans pour avec pas sont aucun aucune cette l'appel n'est
	el los las es una del con por para se está falta não uma é os da em com foi
	il lo gli è di che della sono non manca
	het een en niet zijn wordt och är inte det ikke og
	jest nie się oraz je není
	ve bir için değil yang dan tidak`)

var englishWords = newLexicon(`
	the a an is are was were and or of to in it its that this for with not no has have does did be been by as on at but
	which there should isn't doesn't all`)

// english reports whether words in lower case are English: the frequent words of English are not
// outnumbered by those of other languages, and at most a quarter of all words are in another
// alphabet than the Latin one. A text that is too short to decide counts as English.
func english(words []string) bool {
	ours, foreign, other, all := 0, 0, 0, 0
	for _, w := range words {
		if len(w) == 1 && w[0] < 'a' { // punctuation or a digit
			continue
		}
		all++
		switch {
		case englishWords.words[w]:
			ours++
		case foreignWords.words[w]:
			foreign++
		case strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }):
			other++
		}
	}
	return foreign <= ours && other*4 <= all
}
