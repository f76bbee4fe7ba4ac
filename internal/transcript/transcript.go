// Package transcript owns what a log of agent conversations becomes before anything is scored:
// conversations with their tools, messages, calls and results, and their native form.
//
// Arguments are kept both as they were written and decoded, with all their digits. Whatever is
// odd (a call without an id, a result without a call, arguments that are not JSON) is named in a
// Note. The package scores nothing; internal/transcript/format reads logs.
package transcript

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Source says where a conversation is.
type Source struct {
	// File is the path as the user gave it; "-" is standard input.
	File string
	// Format is the name of the log format, as in Formats.
	Format string
	// Line is the 1-based line of a line-oriented log, 0 where lines mean nothing.
	Line int
	// Index is the 0-based position of the conversation in its file.
	Index int
}

// String returns "file:line" for line-oriented logs and "file[index]" for others.
func (s Source) String() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s[%d]", s.File, s.Index)
}

// Conversation is one logged conversation: the unit that is clustered on, resampled
// and reported.
type Conversation struct {
	// ID is unique within a run: the log's own id if it has one (made unique
	// with a "#2" suffix if a log repeats it), else derived from file and position.
	ID string
	// Unnamed says that the log gives no id, so that ID is only a place.
	Unnamed bool
	Source  Source
	// Tools is the inventory that the agent had, in the log's order.
	Tools []Tool
	// Messages are all messages in order; tool calls are in Calls as well.
	Messages []Message
	// Calls are all tool calls of the conversation in the order in which they were
	// made, each paired with its result if the log holds one.
	Calls []Call
	// Expected are the calls that should have been made: nil says that nothing is
	// known, empty that no call is right (a negative case).
	Expected *Expected
	// Labels are outcomes known from elsewhere, in the log's order.
	Labels []Label
	// Sample holds the row's free fields for templates, or null.
	Sample value.Value
	// Extra holds the log's own keys that nothing here reads (for instance states
	// for execution-grounded checks); null if it reads all.
	Extra value.Value
	// Notes name what was odd about the conversation.
	Notes []Note
	// Dropped counts what the reader left out of the conversation, by kind.
	Dropped []Count
}

// Tool is one entry of a tool inventory.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments. Shorthand types such as
	// "list[string]" are already turned into a schema; null if nothing is known.
	Parameters value.Value
	// Listed says that the definition lists its parameters, in a list or under their names,
	// and has no schema that says whether there may be others.
	Listed bool
	// Raw is the definition as the log holds it.
	Raw value.Value
}

// FindTool returns the first of some tools that has a name, nil if none has it.
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

// Role is who wrote a message.
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
	// Content is the text; several text parts are joined by a line feed. Other
	// parts (images, audio) are named in brackets and never dropped without a note.
	Content string
	// HasContent distinguishes an empty text from an absent one (null).
	HasContent bool
	// Reasoning is the agent's hidden reasoning, which no judge sees by default.
	Reasoning string
	// Calls are indexes into Conversation.Calls of the calls made by this message.
	Calls []int
	// Result is the index of the call that this tool message answers, -1 if it
	// answers none (or is no tool message).
	Result int
	// ToolName is the tool that a tool message comes from, if the log says it.
	ToolName string
	// Output is a tool message's content as JSON if it was given as JSON or the
	// text is a JSON object or array; null otherwise.
	Output value.Value
	// IsError is set if the log itself marks the tool result as an error.
	IsError bool
	// Succeeded is set if the log itself says that the tool result is no error.
	Succeeded bool
	// Step is the 0-based step the message is in. Every assistant message starts a
	// step; what is before the first one is in step 0 too.
	Step int
	// Parts is the content as the log holds it if that is a list of parts, null
	// if it is a text.
	Parts value.Value
	// ResultID is the id of the call that a tool message says it answers, "" where
	// it says none.
	ResultID string
	// Extra holds the message's keys that nothing here reads; null if there are
	// none.
	Extra value.Value
}

// Call is one tool call.
type Call struct {
	// Index is the 0-based position among all calls of the conversation.
	Index int
	// ID is the id as the log gives it, "" if it gives none. Ids may recur.
	ID   string
	Name string
	// Arguments is the decoded object; {} where Malformed.
	Arguments value.Value
	// RawArguments is the argument text exactly as written: the JSON string's
	// content, or the bytes of the JSON value.
	RawArguments string
	// Malformed says that the arguments could not be read as an object; Problem
	// says why.
	Malformed bool
	Problem   string
	// Literal says that the arguments were a Python literal, not JSON, and were
	// read as one.
	Literal bool
	// Message is the index of the message that made the call, Step its step.
	Message, Step int
	// Executor is who ran the call: "client" (the agent's environment), "server"
	// (the model's provider) or "user" (a simulated user).
	Executor string
	// Result is the index of the message that holds the result, -1 if there is
	// none.
	Result int
	// Pairing says how the result was found: "id", "order" or "none".
	Pairing string
	// Refused says that a guard refused the call before it ran.
	Refused bool
	// Proposed says that the call was only written as text, and that no result follows.
	Proposed bool
	// Context says that the log gives the call as history of another one that it
	// asks about (rubric-example records): it is not to be scored.
	Context bool
	// Custom says that the tool takes free text: RawArguments is the text, and
	// Arguments is {"input": text}.
	Custom bool
	// Place says where the call is inside its record, as
	// "messages[3].tool_calls[0]".
	Place string
}

// Expected are the calls of the reference.
type Expected struct {
	// Calls are the expected calls: empty says that no call is right, nil that they
	// are not known although something else is (Outputs, or that nothing may change).
	Calls []ExpectedCall
	// Only says that no other call is right, as the log states by
	// only_expected_calls; an empty list says it too. Without it a call outside of them may be right as well.
	Only bool
	// Outputs are texts that the agent must give the user (τ-bench).
	Outputs []string
	// Raw is the reference as the log holds it.
	Raw value.Value
}

// ExpectedCall is one call of the reference.
type ExpectedCall struct {
	Name      string
	Arguments value.Value
	// Compare names the only arguments that count; nil means all.
	Compare []string
	// Requestor is who should make the call: "" or "assistant", or "user".
	Requestor string
	// Allowed is {parameter: [allowed values]} if the reference lists several, as
	// the Berkeley leaderboard does, else null. Arguments then has the first of each.
	Allowed value.Value
}

// Label is an outcome known from elsewhere.
type Label struct {
	Name string
	// CallIndex is the call that the label is about, -1 for the conversation.
	CallIndex int
	// Value is a number or a bool; a label that is neither becomes a Note.
	Value float64
	// Text is a category if the label is a word.
	Text string
}

// Note is one oddity of a log.
type Note struct {
	// Kind is a short fixed word, such as "arguments_not_json".
	Kind string `json:"kind"`
	// Place says where, as "file:line: messages[3].tool_calls[0]".
	Place string `json:"place"`
	// Detail says what was seen; it is bounded in length.
	Detail string `json:"detail,omitempty"`
}

// Count is a name and how often it occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// freeText sets the arguments of a tool that takes free text.
func (c *Call) FreeText(text string) {
	c.Custom, c.RawArguments = true, text
	c.Arguments = value.Pairs("input", value.OfString(text))
}

// NameKeys and ArgumentKeys are the keys under which people and models write a call as an object; the first present counts.
var (
	NameKeys     = [...]string{"name", "function", "tool", "tool_name"}
	ArgumentKeys = [...]string{"arguments", "parameters", "tool_input", "tool_args", "input", "args", "kwargs", "input_parameters"}
)

// PlainArgumentKeys is the number of ArgumentKeys that say by themselves that an object in a text is a call: the keys
// after them are ordinary words.
const PlainArgumentKeys = 4
