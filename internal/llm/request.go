package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/value"
)

// Message is one chat message. Both fields are required: some chat templates refuse a message
// without text.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Transport is a way to ask a server for structured output.
type Transport string

// The transports, from the strictest to the plainest.
const (
	JSONSchema Transport = "json_schema" // response_format json_schema
	Tools      Transport = "tools"       // one function, tool_choice required
	JSONObject Transport = "json_object" // response_format json_object
	PromptOnly Transport = "prompt_only" // nothing but the messages
)

// Ladder lists the transports in the order in which a probe tries them.
func Ladder() []Transport { return []Transport{JSONSchema, Tools, JSONObject, PromptOnly} }

// The two names of the member that limits an answer's length.
const (
	OldLimit = "max_tokens"
	NewLimit = "max_completion_tokens"
)

// Schema is a named JSON Schema for the answer. JSON is sent with its own order of keys, without
// white space.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
	// Strict asks hosted services to enforce the schema. They then refuse objects that are not
	// closed. Self-hosted servers ignore it.
	Strict bool  `json:"strict"`
	many   *many // set by NewSchema; nil if the schema is used for one request
}

// many holds what many requests compute from their schema only once.
type many struct {
	text []byte // the whole Schema as JSON
	mu   sync.Mutex
	sent map[Kind]json.RawMessage
}

// NewSchema returns a schema for many requests. Its JSON is parsed only once.
func NewSchema(name string, schema json.RawMessage, strict bool) Schema {
	s := Schema{Name: name, JSON: schema, Strict: strict}
	text, _ := json.Marshal(s) // invalid JSON makes the first request fail
	s.many = &many{text: text, sent: map[Kind]json.RawMessage{}}
	return s
}

// sentTo returns the schema as it is sent to a kind of server, see [Lower], without white space.
func (s *Schema) sentTo(kind Kind) json.RawMessage {
	if s.many != nil {
		s.many.mu.Lock()
		defer s.many.mu.Unlock()
		if sent, ok := s.many.sent[kind]; ok {
			return sent
		}
	}
	lowered, _ := Lower(s.JSON, kind, s.Strict)
	var compact bytes.Buffer
	_ = json.Compact(&compact, lowered) // the fingerprint refuses invalid JSON
	if s.many != nil {
		s.many.sent[kind] = compact.Bytes()
	}
	return compact.Bytes()
}

// Field is an extra top-level member of the request body. It replaces a member with the same name
// that the package would send; the value null leaves that member out.
type Field struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// LeavesOut reports whether the field removes its member from the request.
func (f Field) LeavesOut() bool { return string(bytes.TrimSpace(f.Value)) == "null" }

// Request is one chat completion. Nil pointers are not sent, so the server decides; a pointer to 0
// is sent as 0.
type Request struct {
	Model     string
	Messages  []Message
	Transport Transport // "" means PromptOnly
	Schema    Schema    // required for JSONSchema and Tools

	Temperature *float64
	TopP        *float64
	Seed        *int64
	MaxTokens   int // 0 is not sent
	// LimitName is the name under which MaxTokens is sent; "" means max_tokens or
	// max_completion_tokens, depending on the kind of server.
	LimitName   string
	Logprobs    bool // token log-probabilities
	TopLogprobs int  // alternatives per token; needs Logprobs

	// Extra holds server-specific members, in the order in which they are sent.
	Extra []Field

	// Key is the caller's name for the item. The journal records it; it is not part of the
	// fingerprint.
	Key string
	// Group is a name shared by requests whose prompts begin with the same text, such as those
	// about one conversation. They go to the same replica, whose prefix cache is then warm. It is
	// not part of the fingerprint.
	Group string
	// Volatile lists texts in the messages that differ from run to run, such as the code in the
	// record's markers. They are not part of the fingerprint.
	Volatile []string `json:"-"`
	// Record is read by a Sender in this process that grades without a model; it is never sent.
	Record *Record `json:"-"`
}

// Record holds, as values, the part of a conversation that a request's messages show.
type Record struct {
	Rubric string
	Schema json.RawMessage // the answer's schema
	// Tools, History and Call are the lines in the prompt's blocks. Omitted says that lines of the
	// history were left out.
	Tools, History []value.Value
	Call           value.Value
	Omitted        bool
}

// reserved members must not be in Extra: the package itself relies on their values.
var reserved = []string{"model", "messages", "stream", "n"}

// validate returns an error if no server could answer the request. The fingerprint checks that its
// JSON is valid.
func (r *Request) validate() error {
	bad := func(format string, args ...any) error {
		return &Error{Kind: KindBadRequest, Message: "request " + fmt.Sprintf(format, args...)}
	}
	switch {
	case r.Model == "":
		return bad("model: is empty")
	case len(r.Messages) == 0:
		return bad("messages: the list is empty")
	case (r.Transport == JSONSchema || r.Transport == Tools) && (r.Schema.Name == "" || len(r.Schema.JSON) == 0):
		return bad("schema: transport %s needs one, with a name", r.Transport)
	}
	for i, m := range r.Messages {
		if m.Content == "" {
			return bad("messages: message %d has no content", i+1)
		}
	}
	for i, f := range r.Extra {
		if f.Name == "" || slices.Contains(reserved, f.Name) {
			return bad("extra: member %q cannot be set this way", f.Name)
		}
		if slices.ContainsFunc(r.Extra[:i], func(g Field) bool { return g.Name == f.Name }) {
			return bad("extra: member %q occurs twice", f.Name)
		}
	}
	return nil
}

// Overrides reports whether Extra has a member with this name.
func (r *Request) Overrides(name string) bool {
	return slices.ContainsFunc(r.Extra, func(f Field) bool { return f.Name == name })
}
