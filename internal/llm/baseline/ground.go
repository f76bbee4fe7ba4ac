package baseline

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// corpus holds what users, tools and the system wrote, so that values can be looked up in it.
type corpus struct {
	lower    string
	squeezed string // only letters and digits; built when first needed
}

func newCorpus(messages []message) *corpus {
	size := 0
	for _, m := range messages {
		size += len(m.text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for _, m := range messages {
		if m.role != "assistant" {
			b.WriteString(m.text)
			b.WriteByte('\n')
		}
	}
	return &corpus{lower: strings.ToLower(b.String())}
}

// has reports whether the value occurs, ignoring case and punctuation. A date also matches by its
// parts, a number also with thousands separators.
func (c *corpus) has(value string) bool {
	v := strings.ToLower(strings.TrimSpace(value))
	if v == "" || strings.Contains(c.lower, v) {
		return true
	}
	if c.squeezed == "" {
		c.squeezed = squeeze(c.lower)
	}
	if s := squeeze(v); s == "" || (len(s) > 2 && strings.Contains(c.squeezed, s)) {
		return true
	}
	if f, ok := strings.CutSuffix(v, ".0"); ok && strings.Contains(c.lower, f) {
		return true
	}
	return c.hasDate(v)
}

func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if ch := s[i]; ch >= 0x80 || ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' {
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// hasDate finds 2024-05-07 also as "May 7", "7 May", "5/7" or "7.5.". It accepts any date if the
// record has relative days such as "tomorrow".
func (c *corpus) hasDate(v string) bool {
	date, err := time.Parse(time.DateOnly, v[:min(len(v), len(time.DateOnly))])
	if err != nil {
		return false
	}
	for _, rel := range []string{"today", "tomorrow", "yesterday", "next ", "this ", "same day"} {
		if strings.Contains(c.lower, rel) {
			return true
		}
	}
	has := func(format string) bool { return strings.Contains(c.lower, strings.ToLower(date.Format(format))) }
	return has("Jan") && has("2") || has("1/2") || has("2.1")
}

// leaves calls f with each string and number inside n.
func leaves(n value.Value, f func(value.Value)) {
	if n.Kind() == value.String || n.IsNumber() {
		f(n)
	}
	for i := range n.Len() {
		leaves(n.At(i), f)
	}
}

// checkGrounding looks up every argument value in what was written before the call.
func (g *grader) checkGrounding() {
	if len(g.messages) == 0 {
		return
	}
	for key, param := range g.call.params.Members() {
		schema := g.property(key)
		leaves(param, func(leaf value.Value) {
			if schema.Has("enum") || schema.Field("items").Has("enum") {
				return
			}
			g.checkLeaf(key, leaf)
		})
	}
}

func (g *grader) checkLeaf(key string, leaf value.Value) {
	v := strings.TrimSpace(leaf.Text())
	switch {
	case v == "" || len(v) > 200:
		return
	case g.seen.has(v):
		if g.good == "" && len(v) > 2 {
			g.good = v
		}
	case leaf.Kind() == value.String && looksPlaceholder(v):
		g.fire(placeholderArg, v, "%s looks like a placeholder", key)
	case leaf.Kind() == value.String && looksID(v) && !g.omitted:
		g.fire(ungroundedID, "", "the value %s of %s does not occur before the call", plain(v), key)
	case leaf.Kind() == value.String && strings.Count(v, " ") > 2:
		// The caller writes prose and expressions; they cannot be looked up.
	case leaf.IsNumber() && smallInteger(v):
		// Counts are often worked out.
	default:
		g.fire(ungroundedValue, "", "the value %s of %s does not occur before the call", plain(v), key)
	}
}

func smallInteger(v string) bool {
	n, err := strconv.ParseUint(v, 10, 8)
	return err == nil && n <= 31
}

// looksID reports whether v looks like an identifier, which is hard to invent: one word that has a
// digit and is not an expression, or an e-mail address.
func looksID(v string) bool {
	switch {
	case strings.ContainsAny(v, " \n") || len(v) < 3:
		return false
	case strings.Contains(v, "@"):
		return true
	}
	return !strings.ContainsAny(v, "+*/()=<>") && strings.ContainsFunc(v, unicode.IsDigit)
}

// placeholders are values that stand for a missing one.
var placeholders = []string{
	"string", "unknown", "n/a", "none", "null", "todo", "tbd", "xxx", "user_id", "order_id", "id", "name", "value",
	"12345", "123456", "1234567890",
}

func looksPlaceholder(v string) bool {
	low := strings.ToLower(v)
	begins := func(with string) bool { return strings.HasPrefix(low, with) }
	return begins("<") && strings.HasSuffix(low, ">") || begins("{{") || begins("your_") || begins("your ") ||
		begins("example") || strings.Contains(low, "placeholder") || slices.Contains(placeholders, low)
}

// words yields the words of a text in lower case.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// latin reports whether s has more than four ASCII characters for each letter beyond ASCII. Only
// then do the word lists apply.
func latin(s string) bool {
	ascii, other := 0, 0
	for _, r := range s {
		switch {
		case r < 0x80:
			ascii++
		case unicode.IsLetter(r):
			other++
		}
	}
	return ascii > 4*other
}
