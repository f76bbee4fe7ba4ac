package baseline

import (
	"slices"
	"strings"
	"unicode"
)

// nameWords splits an identifier into lower-case words, before capitals and at every character that
// is not a letter or digit.
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return slices.Collect(words(b.String()))
}

const (
	readVerbs = " get list find search read show check lookup look query view fetch calculate compute count describe " +
		"is has have can convert think validate verify retrieve detect translate analyze analyse compare " +
		"predict estimate generate explain summarize plan browse recommend suggest info details status " +
		"history "
	actVerbs = " cancel modify update book create delete exchange return send add remove set pay purchase buy order " +
		"post write insert register reset change schedule refund assign close open submit place transfer " +
		"approve reject activate deactivate enable disable move rename edit patch put drop kill stop start " +
		"restart deploy publish share invite reserve subscribe unsubscribe withdraw deposit upload execute " +
		"run turn clear archive merge push commit grant revoke lock unlock "
)

// changesState guesses whether a tool changes state: from the first known verb in its name, else
// from the first word of its description.
func changesState(name, description string) bool {
	acts := func(word string) bool { return strings.Contains(actVerbs, " "+word+" ") }
	for _, w := range nameWords(name) {
		if reads := strings.Contains(readVerbs, " "+w+" "); reads || acts(w) {
			return !reads
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(description), " ")
	first = strings.Trim(strings.ToLower(first), ".,:;")
	if first == "return" || first == "returns" { // "Returns the weather", not "Return an item"
		return false
	}
	return acts(first) || acts(strings.TrimSuffix(first, "s"))
}
