package client

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// redacted replaces each secret.
const redacted = "[redacted]"

// minSecret is the length, in bytes, of the shortest key that is searched for in replies. Dummy
// keys such as "none" or "EMPTY" are shorter; removing these words would damage answers and protect
// nothing.
const minSecret = 8

// Secret is a string that no formatter, encoder or logger shows. The zero value means that there is
// no secret. Only [Secret.Reveal] returns the text.
//
// A pointer holds the text, because fmt prints unexported fields of an enclosing struct without
// calling their methods; of a pointer it prints only the address.
type Secret struct{ text *string }

// NewSecret hides s; an empty s gives no secret.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{text: &s}
}

// Reveal returns the hidden text; "" if none.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns a fixed word; "" if there is no secret.
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

// secrets returns the texts that no reply may contain: the key, the credentials in the base URL,
// and the values of headers and query parameters. Each value is also split into words, because a
// scheme such as Bearer may precede a key.
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
