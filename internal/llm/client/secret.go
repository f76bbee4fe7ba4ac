package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
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

// redactor removes known secrets, in the spellings a server may echo. They are
// behind a function, which fmt shows as an address whatever the verb.
type redactor struct{ needles func() []string }

func newRedactor(secrets ...string) redactor {
	var needles []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		forms := []string{s, url.QueryEscape(s), url.PathEscape(s)}
		if quoted, err := json.Marshal(s); err == nil {
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
		for _, form := range forms {
			if !slices.Contains(needles, form) {
				needles = append(needles, form)
			}
		}
	}
	return redactor{needles: func() []string { return needles }}
}

func (r redactor) text(s string) string {
	for _, n := range r.needles() {
		s = strings.ReplaceAll(s, n, blot)
	}
	return s
}

// body returns b itself when no secret is in it.
func (r redactor) body(b []byte) []byte {
	for _, n := range r.needles() {
		if bytes.Contains(b, []byte(n)) {
			b = bytes.ReplaceAll(b, []byte(n), []byte(blot))
		}
	}
	return b
}
