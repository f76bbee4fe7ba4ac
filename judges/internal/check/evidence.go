package check

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/value"
)

func (c *checker) evidence() {
	g := c.grounding()
	c.found.Grounding, c.found.Quotes = g.Status, len(g.Quotes)
	missing := ""
	for i, ok := range g.Grounded {
		if ok {
			c.found.GroundedQuotes++
		} else if missing == "" {
			missing = g.Quotes[i]
		}
	}
	switch absence := strings.HasPrefix(strings.TrimSpace(c.Evidence), "NONE:"); {
	case g.Status == answer.Ungrounded:
		c.flag(flagUngrounded, 2, "not in the record: %q", value.Excerpt(missing, 120))
	case g.Status == answer.Partial:
		c.flag(flagPartial, 1, "not in the record: %q", value.Excerpt(missing, 120))
	case g.Status == answer.NoQuotes && !absence:
		c.flag(flagNoQuotes, 1, "the evidence quotes nothing and claims no absence")
	}
}

// grounding searches the record for the quotes of the evidence. Nearly all quotes are verbatim, so
// the fuzzy search is rarely needed.
func (c *checker) grounding() answer.Grounding {
	rule := answer.GroundingRule{Threshold: 0.8, MinFuzzyTokens: 3}
	g := answer.Ground(c.Evidence, nil, rule)
	if len(g.Quotes) == 0 {
		return g
	}
	for i, q := range g.Quotes {
		if !c.shows(func(s string) bool { return wholeWords(s, strings.ToLower(q)) }) {
			return answer.Ground(c.Evidence, c.sources(), rule)
		}
		g.Scores[i], g.Grounded[i] = 1, true
	}
	g.Status = answer.Grounded
	return g
}

// sources returns what evidence may quote: the texts of messages, the arguments and outputs of
// calls, the signatures and descriptions of tools, and the judged call.
func (c *checker) sources() []string {
	var out []string
	for l := range c.shownLines() {
		out = append(out, l.texts...)
	}
	return append(append(out, c.rec.toolLines...), c.callText)
}

// wholeWords reports whether s contains q at word boundaries.
func wholeWords(s, q string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], q)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(q):])
		if !alphanumeric(before) && !alphanumeric(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
	}
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// phantoms flags identifiers in the explanation that are nowhere in what the judge saw. A name with
// an underscore counts as the name of a tool or parameter.
func (c *checker) phantoms() {
	if c.OwnWords {
		return
	}
	var found []string
	for _, w := range strings.FieldsFunc(c.Explanation, func(r rune) bool { return !alphanumeric(r) && r != '_' }) {
		name := strings.ToLower(strings.Trim(w, "_"))
		if !strings.Contains(name, "_") || len(name) < 4 || slices.Contains(found, name) || c.known(name) {
			continue
		}
		found = append(found, name)
	}
	if len(found) > 0 {
		c.flag(flagPhantom, 1, "named, but nowhere in the record: %s", strings.Join(found[:min(len(found), 5)], ", "))
	}
}

func (c *checker) known(name string) bool {
	for i := range c.rec.conv.Tools {
		t := &c.rec.conv.Tools[i]
		for _, known := range append(t.ParameterNames(), t.Name) {
			if strings.EqualFold(known, name) {
				return true
			}
		}
	}
	if strings.Contains(c.rec.lowerTools, name) || c.shows(func(s string) bool { return strings.Contains(s, name) }) {
		return true
	}
	for l := range c.shownLines() {
		if strings.Contains(strings.ToLower(l.tool), name) {
			return true
		}
	}
	return false
}
