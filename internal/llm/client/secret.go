package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// redacted replaces every secret.
const redacted = "[redacted]"

// minSecret is the shortest key, in bytes, that is looked for in server
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
	return redacted
}

// Format hides the text from every verb, %x and %#v included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText hides the text from JSON, YAML, slog and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// secrets are the texts that no reply may hold: the key, the credentials of the base
// URL, and the values of headers and of the query, whole and, behind a scheme such as
// Bearer, by themselves.
func (e Endpoint) secrets(user *url.Userinfo) []string {
	list := []string{e.APIKey.Reveal()}
	if user != nil {
		password, _ := user.Password()
		list = append(list, password, basic(user))
	}
	for _, p := range slices.Concat(e.Headers, e.Query) {
		if text := p.Value.Reveal(); !p.Plain {
			list = append(append(list, text), strings.Fields(text)...)
		}
	}
	return list
}

// redactor removes known secrets, in the forms a server may echo: as they are, in a
// URL, and with any of their characters as JSON escapes, however deep the text with the
// escapes stands in other JSON. They are behind a function, which fmt shows as an address
// whatever the verb.
type redactor struct{ needles func() []needle }

// needle is one form. escaped finds the secret with escapes in it, nil for none.
type needle struct {
	text    []byte
	escaped *regexp.Regexp
}

func newRedactor(secrets ...string) redactor {
	var needles []needle
	add := func(text string, escaped *regexp.Regexp) {
		if !slices.ContainsFunc(needles, func(n needle) bool { return string(n.text) == text }) {
			needles = append(needles, needle{[]byte(text), escaped})
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

// escapes are the beginnings of escapes that a character of a key may have. Few replies
// hold one, and the search for escapes is slow.
var escapes = [...][]byte{[]byte(`\u00`), []byte(`\x`), []byte(`\/`)}

// body returns b itself when no secret is in it.
func (r redactor) body(b []byte) []byte {
	escaped := slices.ContainsFunc(escapes[:], func(e []byte) bool { return bytes.Contains(b, e) })
	for _, n := range r.needles() {
		if bytes.Contains(b, n.text) {
			b = bytes.ReplaceAll(b, n.text, []byte(redacted))
		}
		if escaped && n.escaped != nil {
			b = n.escaped.ReplaceAllLiteral(b, []byte(redacted))
		}
	}
	return b
}
