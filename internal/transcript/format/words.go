package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// partKind is the kind of a message's part.
type partKind int

const (
	otherPart partKind = iota
	textPart
	thoughtPart
	callPart
	resultPart
	// toolsPart adds to the inventory.
	toolsPart
	// stepPart separates the steps of one message.
	stepPart
	// skippedPart says nothing about the conversation.
	skippedPart
)

// partKinds maps types of parts, and keys of untyped parts, to their kinds.
var partKinds = map[string]partKind{
	"text": textPart, "input_text": textPart, "output_text": textPart, "user-prompt": textPart,
	"system-prompt": textPart, "summary_text": textPart, "refusal": textPart,
	"reasoning": thoughtPart, "thinking": thoughtPart, "redacted_thinking": thoughtPart,
	"reasoningContent": thoughtPart,
	"tool_use":         callPart, "tool-call": callPart, "dynamic-tool": callPart, "tool-invocation": callPart,
	"tool_call": callPart, "toolUse": callPart, "functionCall": callPart, "function_call": callPart,
	"toolCall": callPart, "server_tool_call": callPart, "builtin-tool-call": callPart, "executableCode": callPart,
	"executable_code": callPart, "custom_tool_call": callPart, "invalid_tool_call": callPart,
	"tool_result": resultPart, "tool-result": resultPart, "tool-error": resultPart, "tool-return": resultPart,
	"builtin-tool-return": resultPart, "retry-prompt": resultPart, "toolResult": resultPart,
	"functionResponse": resultPart, "function_response": resultPart, "tool_call_response": resultPart,
	"server_tool_call_response": resultPart, "function_result": resultPart, "google_search_result": resultPart,
	"url_context_result": resultPart, "file_search_result": resultPart, "google_maps_result": resultPart,
	"codeExecutionResult": resultPart, "code_execution_result": resultPart, "functionResult": resultPart,
	"tool_call_result": resultPart,
	"mcp_list_tools":   toolsPart, "additional_tools": toolsPart, "tool_search_output": toolsPart,
	"step-start": stepPart, "cachePoint": skippedPart, "tool-approval-request": skippedPart,
	"tool-approval-response": skippedPart,
}

// The names of fields, in the order in which they are tried.
var (
	roleKeys      = []string{"role", "from", "author", "speaker", "sender"}
	contentKeys   = []string{"content", "parts", "text", "value", "message", "body", "contents", "items", "blocks"}
	kindKeys      = []string{"part_kind", "type", "$type", "content_type", "block_type"}
	reasoningKeys = []string{"reasoning_content", "tool_plan", "reasoning", "thought", "thinking"}
	callListKeys  = []string{"tool_calls", "toolCalls", "invalid_tool_calls", "toolInvocations", "apis", "tool_uses",
		"tools_called", "toolsCalled", "function_calls", "function_call", "usedTools"}
	// looseCallKeys are keys of lists that count as calls only if every element is a call.
	looseCallKeys = []string{"calls", "actions", "action", "tool_call", "toolCall", "call", "tools", "tools_used", "invocations",
		"tool_invocations", "steps"}
	callIDKeys = []string{"toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "toolUseID", "call_id", "callId",
		"source_call_id", "custom_tool_use_id", "mcp_tool_use_id", "tool_id", "id", "label"}
	// resultIDKeys name the call that a result answers, but not the result's own id.
	resultIDKeys = callIDKeys[:len(callIDKeys)-2]
	callNameKeys = []string{"toolName", "tool_name", "api_name", "function_name", "functionName", "name", "function", "tool", "api", "fn"}
	argumentKeys = []string{"input", "args", "arguments", "parameters", "input_parameters", "inputParameters",
		"param_dict", "tool_input", "toolInput", "tool_args", "tool_arguments", "toolArgs", "rawInput", "kwargs", "code", "params",
		"params_as_json"}
	resultKeys = []string{"content", "output", "response", "result", "outputs", "results", "value", "text", "errorText",
		"error", "exception", "tool_output", "toolOutput", "tool_response", "tool_result", "returns", "ret", "observation",
		"message", "body", "contents", "items", "blocks"}
	// bothResultKeys are the keys of results inside calls.
	bothResultKeys = []string{"output", "response", "result", "outputs", "results", "errorText", "exception",
		"tool_output", "toolOutput", "tool_response", "tool_result", "returns", "ret", "observation"}
	// innerKeys are the keys under which an object wraps a message or call.
	innerKeys = []string{"function", "custom", "request", "toolInvocation", "functionCall", "function_call",
		"toolUse", "tool_call", "toolResult", "functionResponse", "function_response", "executableCode",
		"executable_code", "codeExecutionResult", "code_execution_result", "reasoningContent"}
	// chatKeys have a meaning in a native message.
	chatKeys = []string{"role", "content", "tool_calls", "function_call", "tool_call_id", "is_error",
		"reasoning_content", "reasoning"}
	// plainKeys of a message are read, or add nothing to what is read.
	plainKeys = []string{"id", "type", "kind", "lc", "role", "from", "author", "tool_call_id", "status"}
	// resultMessageKeys are the keys of a result message that are read.
	resultMessageKeys = slices.Concat(resultIDKeys, callNameKeys, innerKeys,
		[]string{"is_error", "isError", "output", "response", "result", "outputs", "results", "tool_output",
			"tool_response", "tool_result", "observation"})
)

// kindOf returns the kind of a part, and the part without the key that names the kind.
func kindOf(p value.Value) (partKind, value.Value) {
	if p.Kind() == value.String {
		return textPart, p
	}
	for _, key := range kindKeys {
		if word, ok := p.Field(key).Str(); ok {
			return typedKind(word, p), p
		}
	}
	if thought, _ := p.Field("thought").BoolVal(); thought {
		return thoughtPart, p
	}
	if kind, data := p.Field("metadata").Field("adk_type").Text(), p.Field("data"); kind != "" && data.Kind() == value.Object {
		return partKinds[kind], data // in A2A messages of ADK
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

// typedKind returns the kind of a part with this type.
func typedKind(word string, p value.Value) partKind {
	kind, known := partKinds[word]
	switch {
	case word == "retry-prompt" && !p.Has("tool_name"):
		return textPart
	case known:
		return kind
	case word == "thought" || word == "think":
		return thoughtPart
	case strings.HasPrefix(word, "data-"), strings.HasPrefix(word, "source-"):
		return skippedPart
	case strings.HasPrefix(word, "tool-"), strings.HasSuffix(word, "_tool_use"), strings.HasSuffix(word, "_call"):
		return callPart
	case strings.HasSuffix(word, "_tool_result"), strings.HasSuffix(word, "_call_output"),
		strings.HasSuffix(word, "_call_result"):
		return resultPart
	}
	return otherPart
}

// roleWords lists the words for the writer of a message, in lower case.
var roleWords = map[string]transcript.Role{
	"system": transcript.System, "developer": transcript.System, "instructions": transcript.System,
	"user_input": transcript.User, "model_output": transcript.Assistant, "chatbot": transcript.Assistant,
	"user": transcript.User, "human": transcript.User, "customer": transcript.User, "client": transcript.User, "question": transcript.User,
	"assistant": transcript.Assistant, "ai": transcript.Assistant, "gpt": transcript.Assistant, "model": transcript.Assistant, "agent": transcript.Assistant,
	"bot": transcript.Assistant, "chatgpt": transcript.Assistant, "apimessage": transcript.Assistant, "answer": transcript.Assistant, "aimessagechunk": transcript.Assistant,
	"tool": transcript.ToolRole, "function": transcript.ToolRole, "observation": transcript.ToolRole, "api": transcript.ToolRole, "environment": transcript.ToolRole,
	"function_response": transcript.ToolRole, "tool_response": transcript.ToolRole, "tool_result": transcript.ToolRole, "ipython": transcript.ToolRole,
	"function_call": transcript.Assistant, "tool_call": transcript.Assistant, "tool_calls": transcript.Assistant,
	"tool_call_invocation": transcript.Assistant, "tool_call_result": transcript.ToolRole,
}

func roleOf(word string) (transcript.Role, bool) {
	word = strings.ToLower(word)
	r, ok := roleWords[word]
	if !ok {
		r, ok = roleWords[strings.TrimSuffix(word, "message")]
	}
	return r, ok
}

// roleWord finds the word for the role, in the message or in its wrapper.
func roleWord(outer, v value.Value) string {
	for _, in := range []value.Value{v, v.Field("content"), outer} {
		if word := in.FirstText(roleKeys...); word != "" {
			return word
		}
	}
	if ids := outer.Field("id"); outer.Has("lc") && ids.Len() > 0 && ids.IsList() {
		return ids.At(ids.Len() - 1).Text() // LangChain's name of the class
	}
	for _, in := range []value.Value{v, outer} {
		if word := in.Field("type").Text(); word != "" {
			if _, known := roleOf(word); known && partKinds[word] == otherPart {
				return word
			}
		}
	}
	return ""
}

// unwrapMessage unwraps a message from {type, data}, {lc, kwargs} or {type, message}.
func unwrapMessage(v value.Value) (value.Value, string) {
	if v.Has("content") {
		return v, ""
	}
	for _, key := range []string{"kwargs", "data", "message"} {
		if inner := v.Field(key); inner.Kind() == value.Object {
			return inner, key
		}
	}
	return v, ""
}

// nested returns the inner object with the fields of a call or result.
func nested(v value.Value) value.Value { return v.Inside(innerKeys...) }

// typedPart sets the type of a part to its native name.
func typedPart(p value.Value) value.Value {
	if s, ok := p.Str(); ok {
		return textOf(s)
	}
	if p.Kind() != value.Object || p.Has("type") || p.Len() == 0 {
		return p
	}
	kind := p.FirstText("part_kind", "kind")
	return value.Pairs("type", value.OfString(cmp.Or(kind, p.KeyAt(0)))).With("part", p)
}

// messageExtra returns the keys of a message that are not read.
func messageExtra(v value.Value, role transcript.Role) value.Value {
	var members value.Fields
	for key, val := range v.Members() {
		empty := val.IsNull() || (val.IsList() || val.Kind() == value.Object) && val.Len() == 0
		switch {
		case empty, key == "refusal", slices.Contains(plainKeys, key), slices.Contains(contentKeys, key),
			holdsCalls(key, val), slices.Contains(reasoningKeys, key) && val.Kind() == value.String,
			role == transcript.ToolRole && slices.Contains(resultMessageKeys, key):
			continue
		case slices.Contains(chatKeys, key):
			key = "log_" + key
		}
		members = append(members, value.Member{Key: key, Value: val})
	}
	return members.Object()
}

// readCall reads a call of any framework: its id, name and arguments are in the part or in an object inside it.
func (t *turns) readCall(p value.Value, at string) transcript.Call {
	in, kind := nested(p), p.Field("type").Text()
	c := transcript.Call{Place: at, ID: in.FirstText(callIDKeys...), Name: calledName(in)}
	if c.ID == "" {
		c.ID = p.FirstText(callIDKeys...)
	}
	if c.ID == "" && p.Has("params_as_json") { // the form of ElevenLabs
		c.ID = p.Field("request_id").Text()
	}
	c.Name = cmp.Or(c.Name, nameInType(kind))
	isCode := c.Name == "" && in.Field("code").Kind() == value.String // Gemini's
	if isCode {
		c.Name = "code_execution"
	}
	switch by := p.Field("requestor").Text(); {
	case by == "user" || by == "server":
		c.Executor = by
	case ranByProvider(p) || isCode && in.Has("language"):
		c.Executor = "server"
	}
	c.Context, _ = p.Field("context").BoolVal()
	if isCode || kind == "custom_tool_call" || kind == "custom" || p.Has("custom") {
		c.FreeText(in.FirstText(argumentKeys...))
		return c
	}
	args, given := in.First(argumentKeys...)
	if !given {
		args, given = p.First(argumentKeys...)
	}
	switch {
	case args.IsNull() && in.Has("rawInput"):
		args = in.Field("rawInput")
	case isItemCall(kind) && !in.Has("arguments"): // its own keys are the arguments
		args, given = p.Without(slices.Concat(plainKeys, callIDKeys, bothResultKeys, []string{"name", "error"})...), true
	}
	if !given && hasObject(in.Without(bothResultKeys...)) {
		t.argumentless = append(t.argumentless, at)
	}
	t.arguments(&c, args, given)
	if problem := p.Field("parse_error").Text(); problem != "" {
		t.malformed(&c, "arguments_not_json", problem)
	}
	return c
}

// holdsCalls reports whether a member of a message contains its calls.
func holdsCalls(key string, v value.Value) bool {
	switch {
	case slices.Contains(callListKeys, key):
		return true
	case !slices.Contains(looseCallKeys, key):
		return false
	}
	if v = v.Decoded(); v.Kind() == value.Object {
		v = value.OfList(v)
	}
	for _, e := range v.Elements() {
		if !isCall(e) || nested(e).Field("parameters").HasAny("properties", "$schema") { // the definition of a tool
			return false
		}
	}
	return v.Len() > 0
}

// calledName returns the tool's name in a call or result; Semantic Kernel's with the plugin's before it.
func calledName(in value.Value) string {
	if plugin := in.FirstText("plugin_name", "pluginName"); plugin != "" {
		return plugin + "-" + in.FirstText("function_name", "functionName")
	}
	return in.FirstText(callNameKeys...)
}

// hasObject reports whether a member of an object is an object.
func hasObject(v value.Value) bool {
	for _, member := range v.Members() {
		if member.Kind() == value.Object {
			return true
		}
	}
	return false
}

// nameInType returns the tool's name in the type of a call, such as "tool-find" (Vercel AI SDK) and
// "web_search_call" (Responses API); "" for other types.
func nameInType(kind string) string {
	if name, isPart := strings.CutPrefix(kind, "tool-"); isPart && partKinds[kind] == otherPart {
		return name
	}
	if isItemCall(kind) {
		return strings.TrimSuffix(kind, "_call")
	}
	return ""
}

// isItemCall reports whether a type belongs to calls of one tool in the Responses API.
func isItemCall(kind string) bool {
	return strings.HasSuffix(kind, "_call") && partKinds[kind] == otherPart && kind != "mcp_call"
}

// ranByProvider reports whether the part says that the model's provider ran the tool.
func ranByProvider(p value.Value) bool {
	if by, _ := p.Field("providerExecuted").BoolVal(); by {
		return true
	}
	switch kind := p.FirstText("part_kind", "type"); kind {
	case "computer_call", "local_shell_call", "shell_call", "apply_patch_call":
		return false // in the Responses API the client runs these
	default:
		return strings.HasPrefix(kind, "server_") || strings.HasPrefix(kind, "mcp_") ||
			strings.HasPrefix(kind, "builtin-") || strings.HasSuffix(kind, "_tool_use") || isItemCall(kind)
	}
}

// readResult reads a result of any framework.
func (t *turns) readResult(p value.Value, at string) toolMessage {
	in := p
	if n := nested(p); n.Kind() == value.Object && !p.Has("content") && !p.HasAny(bothResultKeys...) {
		in = n
	}
	m := toolMessage{at: at}
	m.ResultID, m.ToolName = in.FirstText(resultIDKeys...), calledName(in)
	if origin := in.Field("origin"); m.ResultID == "" && origin.HasAny(callNameKeys...) { // Haystack's call that it answers
		m.ResultID, m.ToolName = origin.FirstText(callIDKeys...), origin.FirstText(callNameKeys...)
	}
	readFlags(&m.Message, in)
	m.content = t.output(&m.Message, in)
	if p.Field("part_kind").Text() == "retry-prompt" {
		m.IsError = true
	}
	return m
}

// output finds the content of a result.
func (t *turns) output(m *transcript.Message, in value.Value) value.Value {
	for _, key := range resultKeys {
		v := in.Field(key)
		if v.IsNull() {
			continue
		}
		kind := v.Field("type").Text()
		if strings.HasPrefix(kind, "error") || strings.HasSuffix(kind, "_error") || kind == "execution-denied" {
			m.IsError, m.Succeeded = true, false
		}
		if text, ok := partText(v); ok && v.Kind() == value.Object {
			return value.OfString(text)
		}
		if kind != "" && v.HasAny("value", "reason") { // Vercel's typed output
			v, _ = v.First("value", "reason")
		}
		if key == "result" && v.HasAll("api_name", "output") { // API-Bank keeps the request beside the output
			readFlags(m, v)
			if failure := v.Field("exception"); !failure.IsNull() {
				return failure
			}
			return v.Field("output")
		}
		return plainContent(v)
	}
	return value.Value{}
}

// plainContent returns the text or JSON in a list with one untyped part ({text} or {json}), and the
// result in a list that contains nothing else.
func plainContent(v value.Value) value.Value {
	if !v.IsList() || v.Len() == 0 {
		return v
	}
	texts := make([]value.Value, 0, v.Len())
	for _, p := range v.Elements() {
		switch {
		case v.Len() == 1 && p.Field("type").Text() == "tool_result" && p.HasAny("tool_result", "content"):
			inner, _ := p.First("tool_result", "content")
			return inner
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

// readFlags reads what a result says about its success.
func readFlags(m *transcript.Message, v value.Value) {
	for _, key := range []string{"is_error", "isError"} {
		if v.Has(key) {
			readFlag(m, v.Field(key))
		}
	}
	switch strings.ToLower(v.FirstText("status", "state", "outcome")) {
	case "error", "output-error", "failed", "failure", "denied", "output-denied", "outcome_failed":
		m.IsError, m.Succeeded = true, false
	case "success", "output-available", "outcome_ok":
		m.Succeeded = !m.IsError
	}
	for _, key := range []string{"ok", "success"} {
		if worked := v.Field(key); worked.Kind() == value.Bool {
			m.IsError, m.Succeeded = worked.Text() == "false", worked.Text() == "true"
		}
	}
	for _, key := range []string{"errorText", "exception", "error"} {
		failure, given := v.Get(key)
		switch {
		case !given || failure.Kind() == value.String && failure.Text() == "":
		case failure.IsNull() || failure.Text() == "false":
			m.Succeeded = !m.IsError
		default:
			m.IsError, m.Succeeded = true, false
		}
	}
}

// hasResultParts reports whether the content of a tool message is a list of results, rather than
// one result's content: such a message answers no call itself.
func hasResultParts(v value.Value) bool {
	if v.Has("tool_call_id") {
		return false
	}
	content, _ := v.First(contentKeys...)
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

// partContent returns the text of a text part.
func partContent(p value.Value) value.Value {
	if p.Kind() != value.Object {
		return p
	}
	v, _ := p.First("text", "content", "refusal", "value")
	return v
}

// thoughtText returns the text of a reasoning part.
func thoughtText(p value.Value) string {
	p = p.Inside("reasoningText")
	if s := p.FirstText("text", "thinking", "think", "content", "reasoning", "value"); s != "" {
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

// readFlag reads the flag that marks a tool result as an error or as a success.
func readFlag(m *transcript.Message, v value.Value) {
	if v.Kind() == value.Bool || v.Kind() == value.String {
		m.IsError, m.Succeeded = v.Text() == "true", v.Text() == "false"
	}
}
