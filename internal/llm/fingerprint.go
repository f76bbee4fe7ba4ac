package llm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// Fingerprint identifies a request by its content.
type Fingerprint [sha256.Size]byte

// String returns the lower-case hexadecimal form, 64 characters.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// MarshalText returns the same text as String.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText parses what String returns.
func (f *Fingerprint) UnmarshalText(text []byte) error {
	if len(text) != 2*len(f) {
		return fmt.Errorf("fingerprint: %d characters, want %d", len(text), 2*len(f))
	}
	if _, err := hex.Decode(f[:], text); err != nil {
		return fmt.Errorf("fingerprint: %w", err)
	}
	return nil
}

// settings holds what a fingerprint covers besides the messages. Schema and extra values keep the
// order of their keys, because the order of a schema's properties is part of the question.
type settings struct {
	Extra         []Field   `json:"extra"`
	Kind          Kind      `json:"kind"`
	LimitName     string    `json:"limit_name"`
	Logprobs      bool      `json:"logprobs"`
	MaxTokens     int       `json:"max_tokens"`
	Model         string    `json:"model"`
	PromptVersion string    `json:"prompt_version"`
	Schema        *struct{} `json:"schema"` // null, which the schema replaces
	Seed          *int64    `json:"seed"`
	Temperature   *float64  `json:"temperature"`
	TopLogprobs   int       `json:"top_logprobs"`
	TopP          *float64  `json:"top_p"`
	Transport     Transport `json:"transport"`
}

// FingerprintOf returns the SHA-256 of a request: its settings, the kind of server, the version of
// the caller's prompts, and its messages without their volatile texts. Two requests have different
// fingerprints iff they could be answered differently; Key and the order of Extra do not matter. It
// fails only if the request could not be sent (invalid JSON in Schema or Extra, a non-finite
// number).
func FingerprintOf(r *Request, kind Kind, promptVersion string) (Fingerprint, error) {
	s := settings{
		Kind: cmp.Or(kind, KindUnknown), LimitName: r.LimitName, Logprobs: r.Logprobs, MaxTokens: r.MaxTokens,
		Model: r.Model, PromptVersion: promptVersion, Seed: r.Seed, Temperature: r.Temperature,
		TopLogprobs: r.TopLogprobs, TopP: r.TopP, Transport: cmp.Or(r.Transport, PromptOnly),
	}
	s.Extra = slices.SortedFunc(slices.Values(r.Extra), func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(s)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	if len(r.Schema.JSON) > 0 {
		var schema []byte
		if m := r.Schema.many; m != nil {
			schema = m.text
		}
		if schema == nil {
			if schema, err = json.Marshal(r.Schema); err != nil {
				return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
			}
		}
		const null = `"schema":null`
		at := bytes.LastIndex(text, []byte(null)) + len(null) // no text comes after it
		text = slices.Concat(text[:at-len("null")], schema, text[at:])
	}
	h := hasher{Hash: sha256.New()}
	h.part(string(text))
	for i := range r.Messages {
		h.part(r.Messages[i].Role)
		h.content(r.Messages[i].Content, r.Volatile)
	}
	return Fingerprint(h.Sum(nil)), nil
}

// hasher hashes lists of texts, so that different lists give different hashes.
type hasher struct {
	hash.Hash
	buf [1024]byte // texts are copied here in pieces, because a hash takes no string
}

func (h *hasher) part(text string) {
	// Writing to a hash never fails.
	_, _ = h.Write(binary.BigEndian.AppendUint64(h.buf[:0], uint64(len(text))))
	for len(text) > 0 {
		n := copy(h.buf[:], text)
		_, _ = h.Write(h.buf[:n])
		text = text[n:]
	}
}

// content hashes a message: the pieces between its volatile texts, and for each volatile text its
// index in the list.
func (h *hasher) content(text string, volatile []string) {
	for {
		at, which := len(text), -1
		for i, v := range volatile {
			if n := strings.Index(text[:at], v); v != "" && n >= 0 {
				at, which = n, i
			}
		}
		h.part(text[:at])
		_, _ = h.Write([]byte{byte(which + 1)})
		if which < 0 {
			return
		}
		text = text[at+len(volatile[which]):]
	}
}
