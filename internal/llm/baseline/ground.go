package baseline

import (
	"iter"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// corpus is what users, tools and the system said, for looking values up.
type corpus struct {
	lower    string
	squeezed string // letters and digits only, made on demand
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

// has says whether the value occurs, letter case and punctuation aside; a date
// also by its parts, a number also with separators.
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

var months = [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// hasDate finds 2024-05-07 as "May 7", "7 May", "5/7" or "7.5.", and accepts a
// date when the record speaks of relative days.
func (c *corpus) hasDate(v string) bool {
	if len(v) < 10 || v[4] != '-' || v[7] != '-' {
		return false
	}
	month, ok1 := atoi(v[5:7])
	day, ok2 := atoi(v[8:10])
	if !ok1 || !ok2 || month < 1 || month > 12 {
		return false
	}
	for _, rel := range []string{"today", "tomorrow", "yesterday", "next ", "this ", "same day"} {
		if strings.Contains(c.lower, rel) {
			return true
		}
	}
	d := itoa(day)
	return (strings.Contains(c.lower, months[month-1]) && strings.Contains(c.lower, d)) ||
		strings.Contains(c.lower, itoa(month)+"/"+d) || strings.Contains(c.lower, d+"."+itoa(month))
}

func atoi(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// leaves calls f with each string or number below n.
func leaves(n value.Value, depth int, f func(value.Value)) {
	switch n.Kind() {
	case value.String, value.Int, value.Float:
		f(n)
	case value.List, value.Tuple, value.Object:
		for i := range n.Len() {
			leaves(n.At(i), depth+1, f)
		}
	}
}

// checkGrounding looks every argument value up in what was said before.
func (g *grader) checkGrounding() {
	if len(g.messages) == 0 {
		return
	}
	for key, param := range g.call.params.Members() {
		schema, _ := g.property(key)
		leaves(param, 0, func(leaf value.Value) {
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
		// prose and expressions are written by the caller
	case leaf.IsNumber() && smallInteger(v):
		// counts are often worked out
	default:
		g.fire(ungroundedValue, "", "the value %s of %s does not occur before the call", plain(v), key)
	}
}

func smallInteger(v string) bool {
	n, ok := atoi(v)
	return ok && len(v) <= 2 && n <= 31
}

// looksID says whether v is one word that nobody makes up: it has a digit, or it
// is an address.
func looksID(v string) bool {
	if strings.ContainsAny(v, " \n") || len(v) < 3 {
		return false
	}
	if strings.Contains(v, "@") {
		return true
	}
	if strings.ContainsAny(v, "+*/()=<>") { // an expression
		return false
	}
	return strings.ContainsFunc(v, unicode.IsDigit)
}

func looksPlaceholder(v string) bool {
	low := strings.ToLower(v)
	if strings.HasPrefix(low, "<") && strings.HasSuffix(low, ">") || strings.HasPrefix(low, "{{") || strings.HasPrefix(low, "your_") ||
		strings.HasPrefix(low, "your ") || strings.Contains(low, "placeholder") || strings.HasPrefix(low, "example") {
		return true
	}
	switch low {
	case "string", "unknown", "n/a", "none", "null", "todo", "tbd", "xxx", "user_id", "order_id", "id", "name", "value", "12345", "123456", "1234567890":
		return true
	}
	return false
}

// words yields the lower-case words of a text.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// latin says whether most letters of s are ASCII, so that the word lists apply.
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
