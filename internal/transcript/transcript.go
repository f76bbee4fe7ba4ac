// Package transcript defines conversations, into which logs are read before anything is scored:
// their tools, messages, calls and results, and their native form.
//
// Arguments are kept both as they were written and decoded, with all their digits. Everything odd
// (a call without an id, a result without a call, arguments that are not JSON) is recorded in a
// Note. The package scores nothing; internal/transcript/format reads logs.
package transcript

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Source is the place of a conversation.
type Source struct {
	// File is the path as the user gave it; "-" is standard input.
	File string
	// Format is the name of the log format, one of Formats.
	Format string
	// Line is the 1-based line in a log with lines; 0 in others.
	Line int
	// Index is the 0-based index of the conversation in its file.
	Index int
}

// String returns "file:line" for logs with lines and "file[index]" for others.
func (s Source) String() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s[%d]", s.File, s.Index)
}

// Conversation is one logged conversation: statistics cluster and resample by it, and reports count it.
type Conversation struct {
	// ID is unique within a run: the log's own id if it has one (with a suffix such as "#2" if the
	// log repeats it), else derived from file and position.
	ID string
	// Unnamed says that the log gives no id, so that ID is only a position.
	Unnamed bool
	Source  Source
	// Tools is the agent's inventory, in the log's order.
	Tools []Tool
	// Messages holds all messages in order; tool calls are also in Calls.
	Messages []Message
	// Calls holds all tool calls of the conversation in the order in which they were made, each
	// paired with its result if the log has one.
	Calls []Call
	// Expected holds the calls that should have been made: nil means unknown, empty means that no
	// call is right (a negative case).
	Expected *Expected
	// Labels holds outcomes from elsewhere, in the log's order.
	Labels []Label
	// Sample holds the row's free fields for templates, or null.
	Sample value.Value
	// Extra holds the log's keys that nothing here reads (for instance states for
	// execution-grounded checks); null if none.
	Extra value.Value
	// Notes lists what was odd about the conversation.
	Notes []Note
	// Dropped counts, by kind, what the reader left out of the conversation.
	Dropped []Count
}

// Tool is one entry of a tool inventory.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments. Shorthand types such as "list[string]" are
	// already converted to a schema; null if unknown.
	Parameters value.Value
	// Listed says that the definition lists its parameters, in a list or by name, without a schema
	// that says whether there may be others.
	Listed bool
	// Raw is the definition as in the log.
	Raw value.Value
}

// FindTool returns the first tool with this name; nil if none.
func FindTool(tools []Tool, name string) *Tool {
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// ParameterNames returns the names of the tool's parameters in the order of its schema.
func (t *Tool) ParameterNames() []string {
	names := []string{}
	for key := range t.Parameters.Field("properties").Members() {
		names = append(names, key)
	}
	return names
}

// Signature returns "name(p1, p2)".
func (t *Tool) Signature() string { return t.Name + "(" + strings.Join(t.ParameterNames(), ", ") + ")" }

// Role says who wrote a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	Role Role
	// Content is the text; several text parts are joined by a line feed. Other parts (images,
	// audio) are named in brackets and never dropped without a note.
	Content string
	// HasContent distinguishes an empty text from an absent one (null).
	HasContent bool
	// Reasoning is the agent's hidden reasoning, which judges do not see by default.
	Reasoning string
	// Calls holds the indexes in Conversation.Calls of this message's calls.
	Calls []int
	// Result is the index of the call that this tool message answers; -1 if it answers none (or is
	// not a tool message).
	Result int
	// ToolName is the tool that wrote a tool message, if the log says so.
	ToolName string
	// Output is a tool message's content as JSON, if it is JSON or its text is a JSON object or
	// array; null otherwise.
	Output value.Value
	// IsError is set if the log marks the tool result as an error.
	IsError bool
	// Succeeded is set if the log says that the tool result is not an error.
	Succeeded bool
	// Step is the message's 0-based step. Every assistant message starts a step; messages before
	// the first one are in step 0 too.
	Step int
	// Parts is the content in the log if it is a list of parts; null if it is a text.
	Parts value.Value
	// ResultID is the id of the call that a tool message says it answers; "" if it names none.
	ResultID string
	// Extra holds the message's keys that nothing here reads; null if none.
	Extra value.Value
}

// Call is one tool call.
type Call struct {
	// Index is the 0-based index among all calls of the conversation.
	Index int
	// ID is the id in the log, "" if none. Ids may occur more than once.
	ID   string
	Name string
	// Arguments is the decoded object; {} if Malformed is set.
	Arguments value.Value
	// RawArguments is the text of the arguments exactly as written: the content of the JSON string,
	// or the bytes of the JSON value.
	RawArguments string
	// Malformed says that the arguments could not be parsed as an object; Problem says why.
	Malformed bool
	Problem   string
	// Literal says that the arguments were parsed as a Python literal, because they are not JSON.
	Literal bool
	// Message is the index of the call's message, Step its step.
	Message, Step int
	// Executor says who ran the call: "client" (the agent's environment), "server" (the model's
	// provider) or "user" (a simulated user).
	Executor string
	// Result is the index of the message with the result; -1 if none.
	Result int
	// Pairing says how the result was found: "id", "order" or "none".
	Pairing string
	// Refused says that a guard refused the call before it ran.
	Refused bool
	// Proposed says that the call was only written as text and has no result.
	Proposed bool
	// Context says that the call is only the history of another call that the log asks about
	// (rubric-example records): it must not be scored.
	Context bool
	// Custom says that the tool takes free text: RawArguments is the text, and Arguments is {"input": text}.
	Custom bool
	// Place is the call's place in its record, such as "messages[3].tool_calls[0]".
	Place string
}

// Expected holds the calls of the reference.
type Expected struct {
	// Calls are the expected calls. Empty means that no call is right; nil means that they are
	// unknown although something else is known (Outputs, or that nothing may change).
	Calls []ExpectedCall
	// Only says that no other call is right, as stated by only_expected_calls in the log; an empty
	// list says the same. Otherwise other calls may be right as well.
	Only bool
	// Outputs are texts that the agent must give the user (τ-bench).
	Outputs []string
	// Raw is the reference as in the log.
	Raw value.Value
}

// ExpectedCall is one call of the reference.
type ExpectedCall struct {
	Name      string
	Arguments value.Value
	// Compare names the only arguments that count; nil means all.
	Compare []string
	// Requestor says who should make the call: "" or "assistant", or "user".
	Requestor string
	// Allowed is {parameter: [allowed values]} if the reference lists several, as the Berkeley
	// leaderboard does, else null. Arguments then has the first value of each.
	Allowed value.Value
}

// Label is an outcome from elsewhere.
type Label struct {
	Name string
	// CallIndex is the call that the label is about; -1 means the conversation.
	CallIndex int
	// Value is a number or a bool; other labels become a Note.
	Value float64
	// Text is a category if the label is a word.
	Text string
}

// Note is one oddity of a log.
type Note struct {
	// Kind is a short fixed word, such as "arguments_not_json".
	Kind string `json:"kind"`
	// Place says where, such as "file:line: messages[3].tool_calls[0]".
	Place string `json:"place"`
	// Detail says what was seen; its length is limited.
	Detail string `json:"detail,omitempty"`
}

// Count is a name and how often it occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// FreeText sets the arguments of a tool that takes free text.
func (c *Call) FreeText(text string) {
	c.Custom, c.RawArguments = true, text
	c.Arguments = value.Pairs("input", value.OfString(text))
}

// NameKeys and ArgumentKeys are the keys under which people and models write a call as an object;
// the first existing key counts.
var (
	NameKeys     = [...]string{"name", "function", "tool", "tool_name"}
	ArgumentKeys = [...]string{"arguments", "parameters", "tool_input", "tool_args", "input", "args", "kwargs", "input_parameters"}
)

// PlainArgumentKeys is the number of ArgumentKeys that are enough to recognise an object in a text
// as a call: the keys after them are ordinary words.
const PlainArgumentKeys = 4
