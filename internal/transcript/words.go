package transcript

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// partKind is what a part of a message is.
type partKind int

const (
	otherPart partKind = iota
	textPart
	thoughtPart
	callPart
	resultPart
	// bothParts is a call that may hold its result too.
	bothParts
	// stepPart separates the steps of one message.
	stepPart
	// skippedPart says nothing about the conversation.
	skippedPart
)

// partKinds are the types of parts, and the keys by which untyped parts are known.
var partKinds = map[string]partKind{
	"text": textPart, "input_text": textPart, "output_text": textPart, "user-prompt": textPart,
	"system-prompt": textPart, "summary_text": textPart, "refusal": textPart,
	"reasoning": thoughtPart, "thinking": thoughtPart, "redacted_thinking": thoughtPart,
	"reasoningContent": thoughtPart,
	"tool_use":         callPart, "server_tool_use": callPart, "mcp_tool_use": callPart, "tool-call": callPart,
	"tool_call": callPart, "toolUse": callPart, "functionCall": callPart, "function_call": callPart,
	"server_tool_call": callPart, "builtin-tool-call": callPart, "executableCode": callPart,
	"executable_code": callPart, "custom_tool_call": callPart, "invalid_tool_call": callPart,
	"tool_result": resultPart, "tool-result": resultPart, "tool-error": resultPart, "tool-return": resultPart,
	"builtin-tool-return": resultPart, "retry-prompt": resultPart, "toolResult": resultPart,
	"functionResponse": resultPart, "function_response": resultPart, "tool_call_response": resultPart,
	"server_tool_call_response": resultPart, "function_call_output": resultPart,
	"custom_tool_call_output": resultPart, "server_tool_result": resultPart,
	"codeExecutionResult": resultPart, "code_execution_result": resultPart,
	"tool-invocation": bothParts, "dynamic-tool": bothParts,
	"step-start": stepPart, "cachePoint": skippedPart, "tool-approval-request": skippedPart,
	"tool-approval-response": skippedPart,
}

// The names of fields, in the order in which they are tried.
var (
	roleKeys      = []string{"role", "from", "author", "speaker", "sender"}
	contentKeys   = []string{"content", "parts", "text", "value", "message", "body"}
	reasoningKeys = []string{"reasoning_content", "reasoning", "thought", "thinking"}
	callListKeys  = []string{"tool_calls", "toolCalls", "invalid_tool_calls", "toolInvocations", "apis", "tool_uses",
		"tools_called", "toolsCalled", "function_calls", "function_call"}
	callIDKeys = []string{"toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "call_id", "callId",
		"source_call_id", "id", "label"}
	// resultIDKeys are those that say which call a result answers: its own id is none.
	resultIDKeys = callIDKeys[:len(callIDKeys)-2]
	callNameKeys = []string{"toolName", "tool_name", "api_name", "function_name", "name", "function", "tool"}
	argumentKeys = []string{"input", "args", "arguments", "parameters", "input_parameters", "inputParameters",
		"param_dict", "tool_input", "toolInput", "rawInput", "kwargs", "code"}
	resultKeys = []string{"output", "response", "result", "results", "content", "value", "text", "errorText", "error",
		"exception", "tool_output"}
	bothResultKeys = []string{"output", "response", "result", "errorText", "exception"}
	// innerKeys hold the message or call that their object wraps.
	innerKeys = []string{"function", "custom", "request", "toolInvocation", "functionCall", "function_call",
		"toolUse", "tool_call", "toolResult", "functionResponse", "function_response", "executableCode",
		"executable_code", "codeExecutionResult", "code_execution_result", "reasoningContent"}
	// chatKeys mean something in a native message.
	chatKeys = []string{"role", "content", "tool_calls", "function_call", "tool_call_id", "name", "is_error",
		"refusal", "reasoning_content", "reasoning"}
	// plainKeys of a message are read, or say nothing beside what is read.
	plainKeys = []string{"id", "type", "kind", "lc", "role", "from", "author", "tool_call_id", "status"}
)

// kindOf says what a part is, and returns it without the key that says so.
func kindOf(p value.Value) (partKind, value.Value) {
	if p.Kind() == value.String {
		return textPart, p
	}
	for _, key := range []string{"part_kind", "type"} {
		if word, ok := p.Field(key).Str(); ok {
			return typedKind(word, p), p
		}
	}
	if thought, _ := p.Field("thought").BoolVal(); thought {
		return thoughtPart, p
	}
	for key, inner := range p.Members() {
		if kind := partKinds[key]; kind != otherPart && kind != textPart && !inner.IsNull() {
			if inner.Kind() == value.Object {
				return kind, inner
			}
			return kind, p
		}
	}
	if _, ok := p.Field("text").Str(); ok {
		return textPart, p
	}
	return otherPart, p
}

// typedKind is what a part of a type is.
func typedKind(word string, p value.Value) partKind {
	kind, known := partKinds[word]
	switch {
	case word == "retry-prompt" && !p.Has("tool_name"):
		return textPart
	case known:
		return kind
	case strings.HasPrefix(word, "data-"), strings.HasPrefix(word, "source-"):
		return skippedPart
	case strings.HasPrefix(word, "tool-"):
		return bothParts
	case strings.HasSuffix(word, "_tool_result"):
		return resultPart
	}
	return otherPart
}

// roleWords are the words for who wrote a message, in lower case.
var roleWords = map[string]Role{
	"system": System, "developer": System, "instructions": System,
	"user": User, "human": User, "customer": User, "client": User, "question": User,
	"assistant": Assistant, "ai": Assistant, "gpt": Assistant, "model": Assistant, "agent": Assistant,
	"bot": Assistant, "chatgpt": Assistant, "answer": Assistant, "aimessagechunk": Assistant,
	"tool": ToolRole, "function": ToolRole, "observation": ToolRole, "api": ToolRole, "environment": ToolRole,
	"function_response": ToolRole, "tool_response": ToolRole, "tool_result": ToolRole, "ipython": ToolRole,
	"function_call": Assistant, "tool_call": Assistant,
}

func roleOf(word string) (Role, bool) {
	r, ok := roleWords[strings.TrimSuffix(strings.ToLower(word), "message")]
	return r, ok
}

// roleWord finds the word for the role: of the message, or of what wraps it.
func roleWord(outer, v value.Value) string {
	for _, in := range []value.Value{v, v.Field("content"), outer} {
		if word := firstText(in, roleKeys...); word != "" {
			return word
		}
	}
	if ids := outer.Field("id"); outer.Has("lc") && ids.Len() > 0 && ids.IsList() {
		return ids.At(ids.Len() - 1).Text() // LangChain's name of the class
	}
	for _, in := range []value.Value{v, outer} {
		if word := in.Field("type").Text(); word != "" {
			if _, known := roleOf(word); known {
				return word
			}
		}
	}
	return ""
}

// unwrapMessage takes a message out of {type, data}, {lc, kwargs} or {type, message}.
func unwrapMessage(v value.Value) (value.Value, string) {
	for _, key := range []string{"kwargs", "data", "message"} {
		if inner := v.Field(key); inner.Kind() == value.Object && !v.Has("content") {
			return inner, key
		}
	}
	return v, ""
}

// nested is the object that holds the fields of a call or result.
func nested(v value.Value) value.Value { return inside(v, innerKeys...) }

// typedPart gives a part the type by which native messages know it.
func typedPart(p value.Value) value.Value {
	if p.Kind() != value.Object || p.Has("type") || p.Len() == 0 {
		return p
	}
	kind := firstText(p, "part_kind", "kind")
	return object("type", value.OfString(orWord(kind, p.KeyAt(0)))).With("part", p)
}

// messageExtra is what a message holds beside what is read.
func messageExtra(v value.Value) value.Value {
	known := slices.Concat(plainKeys, contentKeys, callListKeys, reasoningKeys)
	for key, val := range v.Members() {
		if val.IsNull() || (val.IsList() || val.Kind() == value.Object) && val.Len() == 0 {
			known = append(known, key)
		}
	}
	return renamed(v, chatKeys, known)
}

// readCall reads a call of any framework: its id, name and arguments may be in the part or
// in an object inside of it.
func (t *turns) readCall(p value.Value, at string) Call {
	in := nested(p)
	c := Call{Place: at, ID: firstText(in, callIDKeys...), Name: firstText(in, callNameKeys...)}
	if c.ID == "" {
		c.ID = firstText(p, callIDKeys...)
	}
	kind := p.Field("type").Text()
	if name, isPart := strings.CutPrefix(kind, "tool-"); isPart && c.Name == "" && partKinds[kind] == otherPart {
		c.Name = name
	}
	if c.Name == "" && in.Has("code") {
		c.Name = "code_execution"
	}
	if ranByProvider(p) || c.Name == "code_execution" && in.Has("language") {
		c.Executor = "server"
	}
	if kind == "custom_tool_call" || kind == "custom" {
		c.freeText(firstText(in, argumentKeys...))
		return c
	}
	args, given := first(in, argumentKeys...)
	if args.IsNull() && in.Has("rawInput") {
		args = in.Field("rawInput")
	}
	t.arguments(&c, args, given)
	return c
}

// ranByProvider reports whether the part says that the model's provider ran the tool.
func ranByProvider(p value.Value) bool {
	if by, _ := p.Field("providerExecuted").BoolVal(); by {
		return true
	}
	kind := firstText(p, "part_kind", "type")
	return strings.HasPrefix(kind, "server_") || strings.HasPrefix(kind, "mcp_") || strings.HasPrefix(kind, "builtin-")
}

// readResult reads a result of any framework.
func (t *turns) readResult(p value.Value, at string) toolMessage {
	in := p
	if n := nested(p); n.Kind() == value.Object && !p.Has("content") && !p.Has("output") && !p.Has("response") {
		in = n
	}
	m := toolMessage{at: at}
	m.ResultID, m.ToolName = firstText(in, resultIDKeys...), firstText(in, callNameKeys...)
	m.content = t.output(&m.Message, in)
	m.flags(in)
	if p.Field("part_kind").Text() == "retry-prompt" {
		m.IsError = true
	}
	return m
}

// output finds the content of a result.
func (t *turns) output(m *Message, in value.Value) value.Value {
	for _, key := range resultKeys {
		v := in.Field(key)
		if v.IsNull() {
			continue
		}
		if kind := v.Field("type").Text(); kind != "" && hasAny(v, "value", "reason") { // Vercel's typed output
			m.IsError = strings.HasPrefix(kind, "error") || kind == "execution-denied"
			v, _ = first(v, "value", "reason")
		}
		if key == "result" && hasAll(v, "api_name", "output") { // API-Bank keeps the request beside the output
			m.flags(v)
			if failure := v.Field("exception"); !failure.IsNull() {
				return failure
			}
			return v.Field("output")
		}
		return plainContent(v)
	}
	return value.Value{}
}

// plainContent takes a text or JSON value out of a list of one part ({text} or {json}) that
// has no type.
func plainContent(v value.Value) value.Value {
	if !v.IsList() || v.Len() == 0 {
		return v
	}
	texts := make([]value.Value, 0, v.Len())
	for _, p := range v.Elements() {
		switch {
		case p.Kind() != value.Object || p.Has("type") || p.Len() != 1:
			return v
		case p.Has("json") && v.Len() == 1:
			return p.Field("json")
		case !p.Has("text"):
			return v
		}
		texts = append(texts, textOf(p.Field("text").Text()))
	}
	return value.OfList(texts...)
}

// flags reads what a result says about its success.
func (m *Message) flags(v value.Value) {
	for _, key := range []string{"is_error", "isError"} {
		if v.Has(key) {
			m.flag(v.Field(key))
		}
	}
	switch strings.ToLower(firstText(v, "status", "state", "outcome")) {
	case "error", "output-error", "failed", "failure", "denied", "output-denied", "outcome_failed":
		m.IsError, m.Succeeded = true, false
	case "success", "output-available", "outcome_ok":
		m.Succeeded = !m.IsError
	}
	for _, key := range []string{"errorText", "exception", "error"} {
		failure, given := v.Get(key)
		switch {
		case !given:
		case failure.IsNull():
			m.Succeeded = !m.IsError
		case failure.Text() != "false" && failure.Text() != "":
			m.IsError, m.Succeeded = true, false
		case failure.Kind() == value.Object || failure.IsList():
			m.IsError, m.Succeeded = true, false
		}
	}
}

// hasResultParts reports whether the content of a message of the tool role is a list of
// results, not the content of one.
func hasResultParts(v value.Value) bool {
	content, _ := first(v, contentKeys...)
	if inner := content.Field("parts"); inner.IsList() {
		content = inner
	}
	for _, p := range content.Elements() {
		if kind, _ := kindOf(p); kind == resultPart && p.Kind() == value.Object {
			return true
		}
	}
	return false
}

// partContent is the text of a text part.
func partContent(p value.Value) value.Value {
	if p.Kind() != value.Object {
		return p
	}
	v, _ := first(p, "text", "content", "refusal", "value")
	return v
}

// thoughtText is the text of a part that is hidden reasoning.
func thoughtText(p value.Value) string {
	p = inside(p, "reasoningText")
	if s := firstText(p, "text", "thinking", "content", "reasoning"); s != "" {
		return s
	}
	all := ""
	for _, key := range []string{"summary", "content"} {
		for _, part := range p.Field(key).Elements() {
			all = joinLines(all, part.Field("text").Text())
		}
	}
	return all
}
