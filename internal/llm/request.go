package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Message is one chat turn. An empty Content is sent as an empty string.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Transport is the way a server is asked for structured output.
type Transport string

// The ladder of transports, from the strictest to none.
const (
	JSONSchema Transport = "json_schema" // response_format json_schema
	Tools      Transport = "tools"       // one function, tool_choice required
	JSONObject Transport = "json_object" // response_format json_object
	PromptOnly Transport = "prompt_only" // nothing but the messages
)

// Ladder lists the transports in the order in which a probe tries them.
func Ladder() []Transport { return []Transport{JSONSchema, Tools, JSONObject, PromptOnly} }

// Schema is a named JSON Schema for the answer. JSON is sent in its own key
// order, white space removed.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
	// Strict asks hosted services to enforce the schema; they then refuse
	// objects that are not closed. Self-hosted servers ignore it.
	Strict bool `json:"strict"`
}

// Field is one extra top-level member of the request body. It replaces a member
// of the same name that the package would have sent; the value null leaves that
// member out.
type Field struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// LeavesOut reports whether the field says that its member is not sent.
func (f Field) LeavesOut() bool { return string(bytes.TrimSpace(f.Value)) == "null" }

// Request is one chat completion. Nil pointers are not sent, which leaves the
// choice to the server; a pointer to 0 is sent as 0.
type Request struct {
	Model     string
	Messages  []Message
	Transport Transport // "" means PromptOnly
	Schema    Schema    // needed by JSONSchema and Tools

	Temperature *float64
	TopP        *float64
	Seed        *int64
	MaxTokens   int // 0 is not sent
	// LimitName is the member that MaxTokens is sent as; "" leaves the choice between
	// max_tokens and max_completion_tokens to the kind of server.
	LimitName   string
	Logprobs    bool // token log-probabilities
	TopLogprobs int  // alternatives per token; needs Logprobs

	// Extra holds server-specific members in the order of sending.
	Extra []Field

	// Key is the caller's name for the item. It is written to the journal and
	// plays no part in the fingerprint.
	Key string
}

// reserved members cannot come from Extra: they would change what the package
// itself relies on.
var reserved = []string{"model", "messages", "stream", "n"}

func (r *Request) validate() error {
	bad := func(field, format string, args ...any) error {
		return &Error{Kind: KindBadRequest, Message: "request " + field + ": " + fmt.Sprintf(format, args...)}
	}
	if r.Model == "" {
		return bad("model", "is empty")
	}
	if len(r.Messages) == 0 {
		return bad("messages", "is empty")
	}
	for i, m := range r.Messages {
		if !isRole(m.Role) {
			return bad("messages", "message %d has role %q", i+1, m.Role)
		}
	}
	switch r.Transport {
	case JSONSchema, Tools:
		if r.Schema.Name == "" || !json.Valid(r.Schema.JSON) {
			return bad("schema", "transport %s needs a name and valid JSON", r.Transport)
		}
	case JSONObject, PromptOnly, "":
	default:
		return bad("transport", "%q is none of json_schema, tools, json_object, prompt_only", r.Transport)
	}
	if r.MaxTokens < 0 || r.TopLogprobs < 0 || (r.TopLogprobs > 0 && !r.Logprobs) {
		return bad("limits", "max_tokens %d, top_logprobs %d (logprobs %v)", r.MaxTokens, r.TopLogprobs, r.Logprobs)
	}
	return r.validateExtra(bad)
}

func (r *Request) validateExtra(bad func(string, string, ...any) error) error {
	for i, f := range r.Extra {
		if f.Name == "" || slices.Contains(reserved, f.Name) {
			return bad("extra", "member %q cannot be set this way", f.Name)
		}
		if !json.Valid(f.Value) {
			return bad("extra", "member %q is not valid JSON", f.Name)
		}
		for _, g := range r.Extra[:i] {
			if g.Name == f.Name {
				return bad("extra", "member %q stands twice", f.Name)
			}
		}
	}
	return nil
}

// isRole accepts what may stand unescaped in JSON, so that the wire form of a
// role is known byte for byte.
func isRole(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return s != ""
}

// Overrides reports whether Extra holds the member of that name.
func (r *Request) Overrides(name string) bool {
	for _, f := range r.Extra {
		if f.Name == name {
			return true
		}
	}
	return false
}

// Fingerprint identifies a request by content.
type Fingerprint [sha256.Size]byte

// String is the lower-case hexadecimal form, 64 characters.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// ParseFingerprint reads the form that String writes.
func ParseFingerprint(s string) (Fingerprint, error) {
	var f Fingerprint
	if len(s) != 2*len(f) {
		return f, fmt.Errorf("fingerprint: %d characters, want %d", len(s), 2*len(f))
	}
	if _, err := hex.Decode(f[:], []byte(s)); err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	return f, nil
}

// The fingerprinted content: members in alphabetical order, absent settings as
// null. Messages stand between the two halves. Schema and extra values keep
// their key order, because the order of a schema's properties is part of what
// is asked.
type (
	canonicalHead struct {
		Extra     []Field `json:"extra"`
		Kind      Kind    `json:"kind"`
		LimitName string  `json:"limit_name,omitempty"`
		Logprobs  bool    `json:"logprobs"`
		MaxTokens int     `json:"max_tokens"`
	}
	canonicalTail struct {
		Model         string          `json:"model"`
		PromptVersion string          `json:"prompt_version"`
		Schema        json.RawMessage `json:"schema"`
		SchemaName    string          `json:"schema_name"`
		SchemaStrict  bool            `json:"schema_strict"`
		Seed          *int64          `json:"seed"`
		Temperature   *float64        `json:"temperature"`
		TopLogprobs   int             `json:"top_logprobs"`
		TopP          *float64        `json:"top_p"`
		Transport     Transport       `json:"transport"`
	}
)

// FingerprintOf returns the SHA-256 of the canonical JSON of the request, the
// kind of server, and the version of the prompt that the caller built. Two
// requests differ in it iff they could be answered differently; Key and the
// order of Extra play no part. It fails only for a request that could not be
// sent (invalid JSON in Schema or Extra, a non-finite number).
func FingerprintOf(r *Request, kind Kind, promptVersion string) (Fingerprint, error) {
	messages, err := plainJSON(r.Messages)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	return fingerprint(r, messages, kind, promptVersion)
}

// Prepared is a checked request with what is computed from it once.
type Prepared struct {
	*Request
	MessagesJSON []byte // the messages as they are sent
	Fingerprint  Fingerprint
}

// Prepare checks a request and computes what its sending needs. Every error is an
// [*Error] of [KindBadRequest].
func (r *Request) Prepare(kind Kind, promptVersion string) (*Prepared, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	p := &Prepared{Request: r}
	var err error
	if p.MessagesJSON, err = plainJSON(r.Messages); err == nil {
		p.Fingerprint, err = fingerprint(r, p.MessagesJSON, kind, promptVersion)
	}
	if err != nil {
		return nil, &Error{Kind: KindBadRequest, Message: err.Error()}
	}
	return p, nil
}

// fingerprint is FingerprintOf for messages that are already spelled.
func fingerprint(r *Request, messages []byte, kind Kind, promptVersion string) (Fingerprint, error) {
	head := canonicalHead{Kind: kind, LimitName: r.LimitName, Logprobs: r.Logprobs, MaxTokens: r.MaxTokens}
	if kind == "" {
		head.Kind = KindUnknown
	}
	head.Extra = slices.SortedFunc(slices.Values(r.Extra), func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	tail := canonicalTail{
		Model: r.Model, PromptVersion: promptVersion, Schema: r.Schema.JSON, SchemaName: r.Schema.Name,
		SchemaStrict: r.Schema.Strict, Seed: r.Seed, Temperature: r.Temperature, TopLogprobs: r.TopLogprobs,
		TopP: r.TopP, Transport: r.Transport,
	}
	if tail.Transport == "" {
		tail.Transport = PromptOnly
	}
	if len(tail.Schema) == 0 {
		tail.Schema = nil
	}
	first, err := plainJSON(head)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	last, err := plainJSON(tail)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	h := sha256.New()
	for _, part := range [][]byte{first[:len(first)-1], []byte(`,"messages":`), messages, []byte(","), last[1:]} {
		_, _ = h.Write(part) // a hash takes everything
	}
	return Fingerprint(h.Sum(nil)), nil
}

// plainJSON marshals without escaping <, > and &, raw members compacted.
func plainJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
