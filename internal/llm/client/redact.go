package client

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/unescape"
)

// redactor removes known secrets from what a server sends, before anything is stored, shown or
// logged. It compares decoded text, so it finds a secret in JSON, HTML, URLs and base64, each
// nested in each other, in hexadecimal, in upper and lower case, and broken over lines. The secrets
// are returned by a function, because fmt prints a function as an address, whatever the verb.
type redactor struct{ secrets func() *needles }

// needles holds the secrets in the forms that are searched for.
type needles struct {
	list []string // ASCII letters in lower case
	// shortest and longest are their lengths in bytes; digits is the length of the shortest in
	// base64.
	shortest, longest, digits int
	// pairs holds, for each byte of a secret and for line breaks, the bytes that can follow it.
	pairs [256]bytes256
}

// maxBase64 limits how deep nested base64 is decoded.
const maxBase64 = 4

func newRedactor(secrets ...string) redactor {
	n := &needles{}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		for _, form := range append(inBase64(s), s, strings.ToLower(s), strings.ToUpper(s), hex.EncodeToString([]byte(s))) {
			n.add(form)
		}
		// A secret may itself look like an escape.
		unescape.Each([]byte(s), false, func(v *unescape.View) bool {
			if len(v.Text) >= minSecret {
				n.add(string(v.Text))
			}
			return false
		})
	}
	n.digits = base64.RawStdEncoding.EncodedLen(n.shortest)
	return redactor{secrets: func() *needles { return n }}
}

func (n *needles) add(form string) {
	form = lower(form)
	if slices.Contains(n.list, form) {
		return
	}
	n.list, n.longest = append(n.list, form), max(n.longest, len(form))
	if n.shortest == 0 || len(form) < n.shortest {
		n.shortest = len(form)
	}
	for i := range len(form) - 1 {
		second := spelled(form[i+1])
		for c := range n.pairs {
			if is(byte(c), form[i]) || isBreak(byte(c)) {
				n.pairs[c].add(&second)
			}
		}
	}
}

// bytes256 is a set of bytes.
type bytes256 [4]uint64

func (b *bytes256) has(c byte) bool { return b[c>>6]>>(c&63)&1 == 1 }

func (b *bytes256) add(more *bytes256) {
	for i := range b {
		b[i] |= more[i]
	}
}

// spelled returns the bytes that can stand for a byte of a secret, or break the line before it.
func spelled(want byte) (set bytes256) {
	for c := range 256 {
		if is(byte(c), want) || isBreak(byte(c)) {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set
}

// is reports whether a byte of a text can stand for a byte of a secret. In a form, a plus sign
// stands for a blank.
func is(c, want byte) bool {
	return c == want || 'A' <= c && c <= 'Z' && c|0x20 == want || c == '+' && want == ' '
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

// lower converts ASCII letters to lower case and leaves all other bytes.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// inBase64 returns the part of the base64 that a secret determines in any text that contains it:
// one form for each position in a group of three bytes. Only these forms find base64 whose case was
// changed, which cannot be decoded.
func inBase64(secret string) (forms []string) {
	for before := range 3 {
		text := strings.Repeat("\x00", before) + secret
		from, to := (8*before+5)/6, 8*len(text)/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, enc.EncodeToString([]byte(text))[from:to])
		}
	}
	return forms
}

func (r redactor) text(s string) string { return string(r.body([]byte(s))) }

// body removes the secrets from b. It returns b itself if there is none in it.
func (r redactor) body(b []byte) []byte {
	if r.secrets == nil {
		return b
	}
	n := r.secrets()
	if len(n.list) == 0 || !n.in(b, maxBase64) {
		return b
	}
	var found []span
	unescape.Each(b, true, func(v *unescape.View) bool {
		n.find(v.Text, maxBase64, func(s span) bool {
			found = append(found, span{unescape.BeforeEscape(b, v.Source(s.start)), v.Source(s.end)})
			return false
		})
		return false
	})
	sorting.Stable(found, func(x, y span) int { return x.start - y.start })
	var out []byte
	at := 0
	for _, f := range found {
		if f.start >= at {
			out = append(append(out, b[at:f.start]...), redacted...)
		}
		at = max(at, f.end)
	}
	return append(out, b[at:]...)
}

// error removes the secrets from an error's text. The result still wraps err.
func (r redactor) error(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &redactedError{err, r.text(err.Error())}
}

type redactedError struct {
	error
	text string
}

// Error implements error.
func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.error }

// in reports whether s contains a secret, however it is escaped.
func (n *needles) in(s []byte, depth int) bool {
	found := false
	unescape.Each(s, false, func(v *unescape.View) bool {
		n.find(v.Text, depth, func(span) bool { found = true; return true })
		return found
	})
	return found
}

// span is a range of bytes.
type span struct{ start, end int }

// find yields the spans of secrets in s, plain or in base64, until yield returns true.
func (n *needles) find(s []byte, depth int, yield func(span) bool) {
	// Wherever a secret stands, two of its bytes are at one of these positions.
	done := 0
	for p := 0; p+1 < len(s); p += n.shortest - 1 {
		if !n.pairs[s[p]].has(s[p+1]) {
			continue
		}
		if n.among(s, max(done, p-n.shortest+2), p+1, yield) {
			return
		}
		done = p + 1
	}
	if n.among(s, max(done, len(s)-n.longest), len(s), yield) || depth == 0 {
		return
	}
	for p := 0; p < len(s); p += n.digits {
		if !digit64[s[p]] {
			continue
		}
		start := p
		for start > 0 && digit64[s[start-1]] {
			start--
		}
		for p < len(s) && digit64[s[p]] {
			p++
		}
		if p-start >= n.digits && n.inDigits(s[start:p], depth) && yield(span{start, paddingEnd(s, p)}) {
			return
		}
	}
}

// among yields the secrets that begin between two positions. It returns true if yield stopped it.
func (n *needles) among(s []byte, from, to int, yield func(span) bool) bool {
	for p := from; p < min(to, len(s)-1); p++ {
		if !n.pairs[s[p]].has(s[p+1]) {
			continue
		}
		for _, secret := range n.list {
			if end := match(s, p, secret); end > p && yield(span{p, end}) {
				return true
			}
		}
	}
	return false
}

// match returns the end of a secret that begins at p; -1 if it does not begin there. Line breaks do
// not hide it. If the text ends inside the secret, half of it is enough.
func match(s []byte, p int, secret string) int {
	for i := range len(secret) {
		for i > 0 && p < len(s) && isBreak(s[p]) && !is(s[p], secret[i]) {
			p++
		}
		switch {
		case p == len(s) && i >= max(4, len(secret)/2):
			return p
		case p == len(s) || !is(s[p], secret[i]):
			return -1
		}
		p++
	}
	return p
}

// inDigits reports whether base64 contains a secret. The text may begin in the middle of a group.
func (n *needles) inDigits(digits []byte, depth int) bool {
	digits = slices.Clone(digits)
	for i, c := range digits {
		switch c {
		case '-':
			digits[i] = '+'
		case '_':
			digits[i] = '/'
		}
	}
	decoded := make([]byte, len(digits))
	for from := range 4 {
		group := digits[from:]
		if len(group)%4 == 1 {
			group = group[:len(group)-1]
		}
		size, _ := base64.RawStdEncoding.Decode(decoded, group) // cannot fail: these are only digits
		if n.in(decoded[:size], depth-1) {
			return true
		}
	}
	return false
}

// paddingEnd returns the end of the padding after base64 that ends at p.
func paddingEnd(s []byte, p int) int {
	for end := p + 2; p < min(end, len(s)) && s[p] == '='; p++ {
	}
	return p
}

// digit64 is the set of base64 digits, of both alphabets.
var digit64 = func() (set [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		set[c] = c == '+' || c == '/' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return set
}()
