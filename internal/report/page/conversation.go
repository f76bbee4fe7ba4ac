package page

import (
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Conversation is one logged conversation as the page shows it. Invisible characters are made
// visible, and cut text is counted.
type Conversation struct {
	ID    string `json:"id"`
	Place string `json:"place,omitempty"`
	// Messages are in log order. A result that answers a call is part of the call.
	Messages []Message `json:"messages"`
	// Calls holds all calls, by their index.
	Calls []Call `json:"calls"`
	// Tools holds the definitions of the called tools, in the log's order.
	Tools []Tool `json:"tools,omitempty"`
	// Expected are the calls that should have been made; nil if unknown, empty if no call is right.
	Expected []CallText `json:"expected"`
	// Outputs are texts that the agent had to give the user.
	Outputs []string `json:"outputs,omitempty"`
}

// Message is one message: a text, calls, or both.
type Message struct {
	// Role is system, user, assistant or tool. Tool is the tool of a result that answers no known call.
	Role string `json:"role"`
	Tool string `json:"tool,omitempty"`
	Text string `json:"text,omitempty"`
	// Cut counts the characters that are missing from Text.
	Cut int `json:"cut,omitempty"`
	// Calls holds the indexes of the message's calls.
	Calls []int `json:"calls,omitempty"`
}

// Call is one call with its result.
type Call struct {
	CallText
	// Message is the index of the message with the call; -1 if none.
	Message int `json:"message"`
	// By says who made the call if it was not the agent, such as "user".
	By string `json:"by,omitempty"`
	// Malformed says why the arguments could not be parsed; Raw then holds them as they are in the log.
	Malformed string `json:"malformed,omitempty"`
	Raw       string `json:"raw,omitempty"`
	// Result is nil if the log does not have it.
	Result *Result `json:"result,omitempty"`
}

// CallText is a tool with the JSON of its arguments, with digits and order as in the log.
type CallText struct {
	Tool      string     `json:"tool"`
	Arguments []Argument `json:"arguments"`
}

// Argument is one argument. Text is its JSON. Two arguments have the same Same exactly if they are
// equal as JSON values; "" means that it equals Text.
type Argument struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Same string `json:"same,omitempty"`
	// Allowed holds further texts, comparable with Same, that are as right as an expected one.
	// Ignored says that an expected argument does not count.
	Allowed []string `json:"allowed,omitempty"`
	Ignored bool     `json:"ignored,omitempty"`
}

// Result is the answer to a call.
type Result struct {
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty"`
	// Error says that the log marks the result as an error.
	Error bool `json:"error,omitempty"`
}

// Tool is the definition of a tool.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the arguments, as JSON text.
	Parameters string `json:"parameters,omitempty"`
}

// textSizes limits the texts of a conversation, in characters: of a message or result, of an
// argument, and of a tool's definition.
type textSizes struct{ Text, Argument, Definition int }

var (
	// smallSize is for conversations in a file of limited size.
	smallSize = textSizes{Text: 3000, Argument: 1500, Definition: 1200}
	// fullSize is for conversations that are fetched one by one.
	fullSize = textSizes{Text: 100_000, Argument: 20_000, Definition: 20_000}
)

// NewConversation returns the page's form of a conversation that is shown alone.
func NewConversation(c *transcript.Conversation) *Conversation {
	return newConversation(c, nil, fullSize)
}

// newConversation cuts texts that are too long. It keeps the beginning, and the first quote in a
// text with its surroundings.
func newConversation(c *transcript.Conversation, quotes []string, size textSizes) *Conversation {
	b := conversationBuilder{c, quotes, size}
	out := &Conversation{ID: c.ID, Place: line(c.Source.String(), maxWhy), Calls: []Call{}, Messages: []Message{}}
	for i := range c.Calls {
		out.Calls = append(out.Calls, b.call(&c.Calls[i]))
	}
	answers := b.answers(out.Calls)
	for i := range c.Messages {
		out.Messages = append(out.Messages, b.message(&c.Messages[i], answers[i]))
	}
	out.Tools, out.Expected = b.tools(), b.expected()
	if c.Expected != nil {
		for _, text := range c.Expected.Outputs {
			out.Outputs = append(out.Outputs, lines(text, size.Argument))
		}
	}
	return out
}

type conversationBuilder struct {
	*transcript.Conversation
	quotes []string
	size   textSizes
}

func (b *conversationBuilder) text(text string) (string, int) {
	kept, cut := cutText(text, b.quotes, b.size.Text)
	return clean(value.VisibleLines(kept)), cut
}

// answers marks the messages that are shown inside a call, as its result.
func (b *conversationBuilder) answers(calls []Call) []bool {
	out := make([]bool, len(b.Messages))
	for i := range calls {
		if at := b.Calls[i].Result; calls[i].Result != nil {
			out[at] = true
		}
	}
	return out
}

// message returns a message, without its text if that is shown inside a call.
func (b *conversationBuilder) message(m *transcript.Message, answers bool) Message {
	out := Message{Role: name(string(m.Role))}
	if m.Role == transcript.ToolRole {
		out.Tool = name(m.ToolName)
	}
	if !answers {
		out.Text, out.Cut = b.text(m.Content)
	}
	out.Calls = slices.DeleteFunc(slices.Clone(m.Calls), func(i int) bool { return i < 0 || i >= len(b.Calls) })
	return out
}

func (b *conversationBuilder) call(c *transcript.Call) Call {
	out := Call{CallText: CallText{name(c.Name), arguments(c.Arguments, b.size.Argument)}, Message: c.Message}
	if c.Executor != "client" {
		out.By = name(c.Executor)
	}
	if c.Malformed {
		out.Malformed = line(c.Problem, maxWhy)
		out.Raw = lines(c.RawArguments, b.size.Argument)
	}
	if c.Result >= 0 && c.Result < len(b.Messages) {
		m := &b.Messages[c.Result]
		out.Result = &Result{Error: m.IsError}
		out.Result.Text, out.Result.Cut = b.text(m.Content)
	}
	return out
}

func (b *conversationBuilder) tools() []Tool {
	var out []Tool
	for i := range b.Tools {
		t := &b.Tools[i]
		called := slices.ContainsFunc(b.Calls, func(c transcript.Call) bool { return c.Name == t.Name })
		if called && !slices.ContainsFunc(out, func(known Tool) bool { return known.Name == name(t.Name) }) {
			out = append(out, Tool{name(t.Name), lines(t.Description, b.size.Definition),
				lines(t.Parameters.JSON(), b.size.Definition)})
		}
	}
	return out
}

func (b *conversationBuilder) expected() []CallText {
	if b.Expected == nil || b.Expected.Calls == nil {
		return nil
	}
	out := []CallText{}
	for i := range b.Expected.Calls {
		e := &b.Expected.Calls[i]
		call := CallText{name(e.Name), arguments(e.Arguments, b.size.Argument)}
		for k := range call.Arguments {
			a := &call.Arguments[k]
			a.Ignored = e.Compare != nil && !slices.Contains(e.Compare, e.Arguments.KeyAt(k))
			for _, v := range e.Allowed.Field(e.Arguments.KeyAt(k)).Elements() {
				a.Allowed = append(a.Allowed, lines(v.Canonical(), b.size.Argument))
			}
		}
		out = append(out, call)
	}
	return out
}

// arguments returns the members of an object, each with at most most characters of text.
func arguments(v value.Value, most int) []Argument {
	out := []Argument{}
	for key, member := range v.Members() {
		a := Argument{Name: name(key), Text: lines(member.JSON(), most)}
		if same := lines(member.Canonical(), most); same != a.Text {
			a.Same = same
		}
		out = append(out, a)
	}
	return out
}
