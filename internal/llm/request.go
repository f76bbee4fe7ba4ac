package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/value"
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
	Strict bool  `json:"strict"`
	many   *many // by NewSchema; nil if the schema is made for each request
}

// many keeps what many requests need of their schema.
type many struct {
	text []byte // all of it as JSON
	mu   sync.Mutex
	sent map[Kind]json.RawMessage
}

// NewSchema returns a schema for many requests: its JSON is read once.
func NewSchema(name string, schema json.RawMessage, strict bool) Schema {
	s := Schema{Name: name, JSON: schema, Strict: strict}
	text, _ := json.Marshal(s) // invalid JSON fails with the first request
	s.many = &many{text: text, sent: map[Kind]json.RawMessage{}}
	return s
}

// sentTo returns the schema as a kind of server takes it, see [Lower], white space removed.
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
	_ = json.Compact(&compact, lowered) // the fingerprint refuses what is no JSON
	if s.many != nil {
		s.many.sent[kind] = compact.Bytes()
	}
	return compact.Bytes()
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
	// Group names what requests with a common prompt prefix are about, such as a
	// conversation: they go to one replica, whose prefix cache is then warm. It plays no
	// part in the fingerprint either.
	Group string
	// Volatile are texts in the messages that differ from one run to the next, such as
	// the code of the record's markers. They play no part in the fingerprint either.
	Volatile []string `json:"-"`
	// Record is for a Sender in this process that grades without a model; it is never sent.
	Record *Record `json:"-"`
}

// Record holds what the messages of a request show of a conversation, as values.
type Record struct {
	Rubric string
	Schema json.RawMessage // of the answer
	// Tools, History and Call are the lines of the prompt's blocks. Omitted says that lines of
	// the history are left out.
	Tools, History []value.Value
	Call           value.Value
	Omitted        bool
}

// reserved members cannot come from Extra: they would change what the package
// itself relies on.
var reserved = []string{"model", "messages", "stream", "n"}

// validate refuses what a server could not answer. The fingerprint refuses invalid JSON.
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

// Overrides reports whether Extra holds the member of that name.
func (r *Request) Overrides(name string) bool {
	return slices.ContainsFunc(r.Extra, func(f Field) bool { return f.Name == name })
}
