package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// blot stands wherever a secret would have stood.
const blot = "[redacted]"

// minSecret is the shortest key, in bytes, that is hunted down in server
// replies. Dummy keys such as "none" or "EMPTY" are shorter, and removing those
// words from a model's answer would damage the answer and protect nothing.
const minSecret = 8

// Secret is a string that no formatter, encoder or logger shows. The zero value
// is an absent secret. Only [Secret.Reveal] returns the text.
//
// The text is behind a pointer because fmt prints unexported fields of an
// enclosing struct without calling their methods; it prints only an address.
type Secret struct{ text *string }

// NewSecret wraps s; an empty s gives the absent secret.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{text: &s}
}

// Reveal returns the hidden text, "" when absent.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether the secret is absent.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns a fixed word, or "" for the absent secret.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return blot
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return "client.Secret(" + s.String() + ")" }

// Format hides the text from every verb, %x and %q included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalJSON hides the text.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalText hides the text from YAML and other text encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// secrets are the texts that may stand in no reply: the key, and the values of headers
// and of the query, whole and, behind a scheme such as Bearer, by themselves.
func (e Endpoint) secrets() []string {
	list := []string{e.APIKey.Reveal()}
	for _, p := range slices.Concat(e.Headers, e.Query) {
		if text := p.Value.Reveal(); !p.Plain {
			list = append(append(list, text), strings.Fields(text)...)
		}
	}
	return list
}

// redactor removes known secrets, in the spellings a server may echo: as they are, in a
// URL, and with any of their characters as JSON escapes, however deep the text with the
// escapes stands in other JSON. They are behind a function, which fmt shows as an address
// whatever the verb.
type redactor struct{ needles func() []needle }

// needle is one spelling. escaped finds the secret with escapes in it, nil for none.
type needle struct {
	text    string
	escaped *regexp.Regexp
}

func newRedactor(secrets ...string) redactor {
	var needles []needle
	add := func(text string, escaped *regexp.Regexp) {
		if !slices.ContainsFunc(needles, func(n needle) bool { return n.text == text }) {
			needles = append(needles, needle{text, escaped})
		}
	}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		add(s, withEscapes(s))
		add(url.QueryEscape(s), nil)
		add(url.PathEscape(s), nil)
		if quoted, err := json.Marshal(s); err == nil {
			add(string(quoted[1:len(quoted)-1]), nil)
		}
	}
	return redactor{needles: func() []needle { return needles }}
}

// withEscapes finds a secret each character of which may be an escape. A backslash may
// itself be one, and be doubled as often as texts stand in texts.
func withEscapes(secret string) *regexp.Regexp {
	var b strings.Builder
	for _, r := range secret {
		fmt.Fprintf(&b, `(?:\\|u005[cC])*(?:%s`, regexp.QuoteMeta(string(r)))
		for _, unit := range utf16.Encode([]rune{r}) {
			if r < 0x10000 {
				fmt.Fprintf(&b, `|(?i:u%04x)`, unit)
			}
		}
		if r < 0x100 {
			fmt.Fprintf(&b, `|(?i:x%02x)`, r)
		}
		b.WriteByte(')')
	}
	return regexp.MustCompile(b.String())
}

func (r redactor) text(s string) string { return string(r.body([]byte(s))) }

// body returns b itself when no secret is in it.
func (r redactor) body(b []byte) []byte {
	for _, n := range r.needles() {
		if bytes.Contains(b, []byte(n.text)) {
			b = bytes.ReplaceAll(b, []byte(n.text), []byte(blot))
		}
		if n.escaped != nil && mayEscape(b, n.text) {
			b = n.escaped.ReplaceAllLiteral(b, []byte(blot))
		}
	}
	return b
}

// mayEscape reports whether a text holds an escape of a character of the secret, or of a
// backslash. Nearly none does, and the search for escapes is slow.
func mayEscape(b []byte, secret string) bool {
	for rest := b; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return false
		}
		rest = rest[i+1:]
		digits := rest
		switch {
		case rest[0] == '/' && strings.Contains(secret, "/"):
			return true
		case rest[0] == 'x':
			digits = rest[1:]
		case bytes.HasPrefix(rest, []byte("u00")):
			digits = rest[3:]
		default:
			continue
		}
		if len(digits) < 2 {
			return false
		}
		c, err := strconv.ParseUint(string(digits[:2]), 16, 8)
		if err == nil && (c == '\\' || strings.IndexByte(secret, byte(c)) >= 0) {
			return true
		}
	}
}
