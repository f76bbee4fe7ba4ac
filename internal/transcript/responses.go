package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readResponses reads a conversation of the Responses API: a list of items, a
// response ({output}) or a request ({input}) with both where a log joins them.
// Calls belong to the assistant message before them, where nothing stands between.
func (d *draft) readResponses(v value.Value) error {
	r := &responses{draft: d, open: -1}
	if v.IsList() {
		return r.items(v, "")
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object or a list of items and is %s", article(v.Kind()))
	}
	d.ID = v.Field("id").Text()
	d.useTools(v.Field("tools"))
	if err := d.expectedCalls(v.Field("expected_calls")); err != nil {
		return err
	}
	d.labels(v.Field("labels"))
	d.Sample = v.Field("sample")
	d.Extra = foreign(v, "id", "tools", "expected_calls", "labels", "sample", "instructions", "input", "output")
	for _, part := range []string{"instructions", "input", "output"} {
		val := v.Field(part)
		role := User
		if part == "instructions" {
			role = System
		}
		switch s, isText := val.Str(); {
		case val.IsNull():
		case isText:
			d.message(Message{Role: role, Content: s, HasContent: true}, part)
		case val.IsList():
			if err := r.items(val, part); err != nil {
				return err
			}
		default:
			return wrong(part, "this must be a text or a list of items and is %s", article(val.Kind()))
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

func (r *responses) items(list value.Value, name string) error {
	for i, item := range list.Elements() {
		at := place(name, i)
		if item.Kind() != value.Object {
			return wrong(at, "an item must be an object and is %s", article(item.Kind()))
		}
		if err := r.item(item, at); err != nil {
			return err
		}
	}
	if name == "" {
		r.flush()
	}
	return nil
}

// flush keeps what no message took up.
func (r *responses) flush() {
	if r.reasoning != "" {
		r.assistant("reasoning")
	}
	if len(r.others) > 0 {
		extra := r.Extra
		if extra.IsNull() {
			extra = value.OfObject()
		}
		r.Extra = extra.With("other_items", value.OfList(r.others...))
	}
}

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
	case strings.HasSuffix(t, "_output") && t != "program_output":
		m := Message{Role: ToolRole, ResultID: v.Field("call_id").Text(), ToolName: v.Field("name").Text()}
		r.content(&m, v.Field("output"), at)
		r.message(m, at)
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
	m := Message{Role: Role(v.Field("role").Text())}
	f := chatFields{content: v.Field("content")}
	for key, val := range v.Members() {
		switch key {
		case "type", "role", "content", "status", "id":
		default:
			if !val.IsNull() {
				f.extra = append(f.extra, value.Member{Key: key, Value: val})
			}
		}
	}
	r.open = -1
	if m.Role == Assistant {
		m.Reasoning, r.reasoning = r.reasoning, ""
	}
	if err := r.addChat(m, f, at); err != nil {
		return err
	}
	if m.Role == Assistant {
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

// clientCalls are the built-in tools that the client runs.
var clientCalls = map[string]bool{"computer_call": true, "local_shell_call": true, "shell_call": true, "apply_patch_call": true}

// callItem reads a call. Items of tools that the provider runs hold the result too.
func (r *responses) callItem(v value.Value, t, at string) {
	c := Call{Place: at, ID: v.Field("call_id").Text(), Name: strings.Clone(v.Field("name").Text())}
	message := r.assistant(at)
	switch t {
	case "function_call":
		args, given := v.Get("arguments")
		r.arguments(&c, args, given)
	case "custom_tool_call":
		c.Custom, c.RawArguments = true, v.Field("input").Text()
		c.Arguments = object("input", value.OfString(c.RawArguments))
	case "mcp_call":
		c.Executor, c.ID = "server", orWord(c.ID, v.Field("id").Text())
		args, given := v.Get("arguments")
		r.arguments(&c, args, given)
	default:
		if c.Name == "" {
			c.Name = strings.TrimSuffix(t, "_call")
		}
		if !clientCalls[t] {
			c.Executor = "server"
		}
		c.ID = orWord(c.ID, v.Field("id").Text())
		r.arguments(&c, v.Without("type", "id", "call_id", "status", "name", "output", "outputs", "results", "result", "error"), true)
	}
	if c.Name == "" {
		r.note("call_without_name", at, "the call names no tool: "+quote(v.JSON()))
	}
	executor := c.Executor
	r.call(message, c)
	if executor == "server" {
		r.serverResult(v, c, at)
	}
}

func (r *responses) serverResult(v value.Value, c Call, at string) {
	failure := v.Field("error")
	for _, key := range []string{"output", "outputs", "results", "result"} {
		if out := v.Field(key); !out.IsNull() || !failure.IsNull() {
			m := Message{Role: ToolRole, ResultID: c.ID, IsError: !failure.IsNull()}
			if out.IsNull() {
				out = failure
			}
			r.content(&m, out, at)
			r.message(m, at)
			r.open = -1
			return
		}
	}
}

// moreTools adds tools that came up on the way.
func (r *responses) moreTools(v value.Value) {
	more, notes := ParseTools(v)
	for _, n := range notes {
		r.note(n.Kind, n.Place, n.Detail)
	}
	if len(more) == 0 {
		return
	}
	tools := append([]Tool(nil), r.Tools...)
	for _, t := range more {
		if r.tools == nil || !r.tools.has(t.Name) {
			tools = append(tools, t)
		}
	}
	r.Tools = tools
	r.tools = &inventory{tools: tools, names: toolNames(tools)}
}
