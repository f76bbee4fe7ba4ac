package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Message is one chat turn. Neither may be empty: some chat templates refuse a turn
// without text.
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

// The two names of the member that bounds an answer's length.
const (
	OldLimit = "max_tokens"
	NewLimit = "max_completion_tokens"
)

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
	// Volatile are texts in the messages that differ from one run to the next, such as
	// the code of the record's markers. They play no part in the fingerprint either.
	Volatile []string
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
		if m.Content == "" {
			return bad("messages", "message %d has no content", i+1)
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

// isRole accepts lower-case words, such as system and user.
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
