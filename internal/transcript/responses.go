// Items of OpenAI's Responses.
//
// Written by: clients of the Responses API and the OpenAI Agents SDK: a flat list of items.
// Read: openai-go v3.95 (2026). Calls that the provider ran are calls with their result.
// Lost: encrypted reasoning; a response that continues another one holds only what is new.

package transcript

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// responsesInput reports whether the input of a record is one of the Responses API:
// items, messages in their short form, or a text beside the name of a model.
func responsesInput(f value.Value) bool {
	input := f.Field("input")
	if f.Has("messages") {
		return false
	}
	if input.Kind() == value.String {
		return f.Has("model")
	}
	return responsesItem(element(input)) || hasAll(element(input), "role", "content")
}

// responsesItem reports whether v has the type of an item of the Responses API.
func responsesItem(v value.Value) bool {
	t, _ := v.Field("type").Str()
	switch t {
	case "message", "reasoning", "program", "program_output", "mcp_list_tools", "additional_tools", "item_reference":
		return true
	}
	return strings.HasSuffix(t, "_call") || strings.HasSuffix(t, "_call_output")
}

// readResponses reads a conversation of the Responses API: a list of items, a
// response ({output}) or a request ({input}) with both where a log joins them.
// Calls belong to the assistant message before them, where nothing is between.
func (d *draft) readResponses(v value.Value) error {
	r := &responses{draft: d, open: -1}
	if v.IsList() {
		defer r.flush()
		return d.objects(v, "", "item", r.item)
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object or a list of items and is %s", v.Kind().WithArticle())
	}
	if err := d.native(v, "instructions", "input", "output"); err != nil {
		return err
	}
	for _, part := range []string{"instructions", "input", "output"} {
		val := v.Field(part)
		_, isText := val.Str()
		switch {
		case val.IsNull():
		case isText:
			d.messageOf(map[bool]Role{true: System, false: User}[part == "instructions"], val, part)
		default:
			if err := d.objects(val, part, "item", r.item); err != nil {
				return err
			}
		}
	}
	r.flush()
	return nil
}

// responses keeps what an item needs to know of the ones before it.
type responses struct {
	*draft
	// open is the assistant message that calls join, -1 for none.
	open      int
	reasoning string
	others    []value.Value
}

// flush keeps what no message took up.
func (r *responses) flush() {
	if r.reasoning != "" {
		r.assistant("reasoning")
	}
	if len(r.others) > 0 {
		r.Extra = r.Extra.With("other_items", value.OfList(r.others...))
	}
}

// itemIDKeys are where items have the id of their call: OpenAI's, and the Agents SDK's for JavaScript,
// whose items are like OpenAI's otherwise.
var itemIDKeys = []string{"call_id", "callId"}

func (r *responses) item(v value.Value, at string) error {
	t := v.Field("type").Text()
	switch {
	case t == "message" || t == "" && v.Has("role"):
		return r.messageItem(v, at)
	case t == "reasoning":
		for _, list := range []string{"summary", "content"} {
			for _, p := range v.Field(list).Elements() {
				r.reasoning = joinLines(r.reasoning, p.Field("text").Text())
			}
		}
	case t == "mcp_list_tools" || t == "additional_tools" || t == "tool_search_output":
		r.moreTools(v.Field("tools"))
	case strings.HasSuffix(t, "_output") && t != "program_output", strings.HasSuffix(t, "_call_result"):
		m := Message{ResultID: firstText(v, itemIDKeys...), ToolName: v.Field("name").Text()}
		output := v.Field("output")
		if s, ok := output.Field("text").Str(); ok && output.Field("type").Text() == "text" {
			output = value.OfString(s)
		}
		r.result(m, output, at)
		r.open = -1
	case strings.HasSuffix(t, "_call"):
		r.callItem(v, t, at)
	default:
		r.others = append(r.others, v)
		r.note("unknown_item", at, "an item of type "+quote(t)+" is kept aside")
	}
	return nil
}

func (r *responses) messageItem(v value.Value, at string) error {
	r.open = -1
	if err := r.chatMessage(v.Without("type", "status", "id"), at); err != nil {
		return err
	}
	if m := &r.Messages[len(r.Messages)-1]; m.Role == Assistant {
		m.Reasoning, r.reasoning = joinLines(r.reasoning, m.Reasoning), ""
		r.open = len(r.Messages) - 1
	}
	return nil
}

// assistant returns the message that a call joins.
func (r *responses) assistant(at string) int {
	if r.open < 0 {
		r.open = r.message(Message{Role: Assistant, Reasoning: r.reasoning}, at)
		r.reasoning = ""
	}
	return r.open
}

// callItem reads a call. Items of tools that the provider runs hold the result too.
func (r *responses) callItem(v value.Value, t, at string) {
	c := Call{Place: at, ID: firstText(v, itemIDKeys...), Name: strings.Clone(v.Field("name").Text())}
	message := r.assistant(at)
	switch t { // the client runs these
	case "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call":
	default:
		c.Executor = "server"
	}
	if t != "function_call" && t != "custom_tool_call" {
		c.ID = orWord(c.ID, v.Field("id").Text())
	}
	switch args, given := v.Get("arguments"); t {
	case "function_call", "mcp_call":
		r.arguments(&c, args, given)
	case "custom_tool_call":
		c.freeText(v.Field("input").Text())
	default:
		c.Name = orWord(c.Name, strings.TrimSuffix(t, "_call"))
		known := append([]string{"type", "id", "call_id", "status", "name", "error"}, outputKeys...)
		r.arguments(&c, v.Without(known...), true)
	}
	r.call(message, c)
	if c.Executor == "server" {
		r.serverResult(v, c.ID, at)
	}
}

// outputKeys are where items of tools that the provider runs hold their results.
var outputKeys = []string{"output", "outputs", "results", "result"}

func (r *responses) serverResult(v value.Value, id, at string) {
	failure := v.Field("error")
	m := Message{ResultID: id, IsError: !failure.IsNull()}
	for _, key := range outputKeys {
		out := v.Field(key)
		if out.IsNull() {
			out = failure
		}
		if !out.IsNull() {
			r.result(m, out, at)
			r.open = -1
			return
		}
	}
}

// moreTools adds tools that came up on the way.
func (d *draft) moreTools(v value.Value) {
	more, notes := parseTools(v)
	for _, n := range notes {
		d.note(n.Kind, n.Place, n.Detail)
	}
	d.addTools(more)
}

// addTools adds the tools whose names are new.
func (d *draft) addTools(more []Tool) {
	tools := slices.Clone(d.Tools)
	for _, t := range more {
		if len(d.Tools) == 0 || !d.inventory.has(t.Name) {
			tools = append(tools, t)
		}
	}
	if len(tools) > len(d.Tools) {
		d.Tools, d.inventory = tools, newInventory("", tools, nil)
	}
}
