package check

import (
	"slices"
	"strings"
	"unicode"
)

// Words that nearly every sentence of a language has and that English has not, or only
// as rare ones, lower case.
var foreignWords = []string{
	// German
	"der", "das", "ist", "und", "nicht", "ein", "eine", "einen", "mit", "für", "wird", "wurde", "dem", "den", "von", "auch", "kein", "keine",
	// French
	"le", "la", "les", "est", "et", "une", "des", "du", "que", "dans", "pour", "avec", "pas", "sont", "aucun", "aucune", "cette", "l'appel", "n'est",
	// Spanish and Portuguese
	"el", "los", "las", "es", "una", "del", "con", "por", "para", "se", "está", "falta", "não", "uma", "é", "os", "da", "em", "com", "foi",
	// Italian
	"il", "lo", "gli", "è", "di", "che", "della", "sono", "non", "manca",
	// Dutch and the Scandinavian languages
	"het", "een", "en", "niet", "zijn", "wordt", "och", "är", "inte", "det", "ikke", "og",
	// Polish and Czech
	"jest", "nie", "się", "oraz", "je", "není",
	// Turkish and Indonesian
	"ve", "bir", "için", "değil", "yang", "dan", "tidak",
}

var englishWords = []string{
	"the", "a", "an", "is", "are", "was", "were", "and", "or", "of", "to", "in", "it", "its", "that", "this", "for", "with", "not", "no",
	"has", "have", "does", "did", "be", "been", "by", "as", "on", "at", "but", "which", "there", "should", "isn't", "doesn't", "all",
}

// english reports whether words in lower case are those of an English text: its small
// words are not outnumbered by those of other languages, and hardly any word is written
// in another alphabet. A text too short to tell counts as English.
func english(words []string) bool {
	ours, foreign, other, all := 0, 0, 0, 0
	for _, w := range words {
		if len(w) == 1 && !(w[0] >= 'a' && w[0] <= 'z') {
			continue
		}
		all++
		switch {
		case slices.Contains(englishWords, w):
			ours++
		case slices.Contains(foreignWords, w):
			foreign++
		case strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }):
			other++
		}
	}
	return foreign <= ours && other*4 <= all
}
