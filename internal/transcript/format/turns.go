package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// turns reads messages of any framework. Words for kinds of parts are in one table, partKinds, and names of
// fields in lists of synonyms, so that a framework whose messages differ only in names needs no code.
//
// A framework may write the texts, calls and results of several steps into one message, or one message in
// several pieces. turns collects pieces until something shows that the message is complete: another role, a
// text after a result, the start of a step.
type turns struct {
	*draft
	open unfinished
	// sameID says that messages with the same id are pieces of one message.
	sameID bool
	// role decides about unknown words for roles; nil adds the note unknown_role.
	role func(word string) transcript.Role
}

// unfinished is a message that may not be complete yet.
type unfinished struct {
	begun  bool
	role   transcript.Role
	id, at string
	parts  []value.Value
	// chunk collects the text of the last part while it arrives in pieces.
	chunk   []byte
	empty   bool
	thought string
	calls   []transcript.Call
	results []toolMessage
	// apart says that a result arrived as a separate part, after its call.
	apart bool
	// ahead says that reasoning arrived alone, before its message.
	ahead bool
	extra value.Value
}

// toolMessage is a result that waits until its message is complete.
type toolMessage struct {
	transcript.Message
	content value.Value
	at      string
	// of is the number of calls of the open message up to the one with this result; 0 for a separate result.
	of int
}

// list reads a list of messages and completes the last one.
func (t *turns) list(list value.Value, name string) error {
	if list.IsList() {
		t.Messages = slices.Grow(t.Messages, list.Len())
		t.places = slices.Grow(t.places, list.Len())
	}
	err := t.objects(list, name, "message", t.message)
	t.flush()
	return err
}

// eachLine reads the lines of a session with read, and completes the last message.
func (d *draft) eachLine(list value.Value, read func(t *turns, line value.Value, kind, at string) error) error {
	t := turns{draft: d}
	defer t.flush()
	return d.objects(list, "", "line", func(line value.Value, at string) error {
		return read(&t, line, line.Field("type").Text(), at)
	})
}

// messageList reads a list of messages.
func (d *draft) messageList(list value.Value, name string) error {
	t := turns{draft: d}
	return t.list(list, name)
}

// oneMessage reads one message.
func (d *draft) oneMessage(v value.Value, at string) error {
	t := turns{draft: d}
	err := t.message(v, at)
	t.flush()
	return err
}

// messageOf adds a message with any content.
func (d *draft) messageOf(role transcript.Role, content value.Value, at string) {
	t := turns{draft: d}
	t.begin(role, at)
	t.text(content, at)
	t.flush()
}

// message reads one message, wrapped or not, or an item in the place of a message.
func (t *turns) message(v value.Value, at string) error {
	if plain, err := t.plainMessage(v, at); plain || err != nil {
		return err
	}
	outer := v
	v, inner := unwrapMessage(v)
	if inner != "" {
		at += "." + inner
	}
	if pydanticAI(v) {
		t.pydantic(v, at)
		return nil
	}
	if role := v.Field("role"); !role.IsNull() && role.Kind() != value.String {
		return wrong(at+".role", "the role must be a text and is %s", role.Kind().WithArticle())
	}
	word := roleWord(outer, v)
	if word == "" {
		return t.item(v, at)
	}
	role, known := t.roleOf(word)
	if !known {
		t.note("unknown_role", at, "the role "+value.Quote(word)+" is kept as user")
		v = v.With("original_role", value.OfString(word))
	}
	switch {
	case role == transcript.ToolRole && v.HasAny("param_dict", "tool_input"): // a call and its result as one message
		t.agent(at)
		t.callPart(v, at)
		return nil
	case role == transcript.ToolRole && isDefinition(v):
		t.moreTools(value.OfList(v.Field("content").Decoded()))
		return nil
	case word == "environment" && len(t.open.calls) == 0 && rest(v, roleKeys...).IsNull():
		t.drop("empty result") // R-Judge has them after an answer
		return nil
	case role == transcript.ToolRole && !hasResultParts(v):
		t.begin(role, at)
		t.open.begun = false // the result is the message
		m := t.readResult(v, at)
		m.Extra = messageExtra(v, role)
		t.answer(m, true)
		return t.callLists(v, at)
	case word == "function_call" || word == "tool_call": // ShareGPT's
		content, key := v.FirstKey(contentKeys...)
		if calls, ok := writtenCalls(content); ok {
			t.begin(transcript.Assistant, at)
			return t.callList(value.OfList(calls...), at+"."+key)
		}
		t.note("unknown_role", at, "the message of the role "+value.Quote(word)+" holds no call that can be read")
	}
	if id := v.Field("id").Text(); !t.continues(role, id) {
		t.begin(role, at)
		t.open.id = id
	}
	t.open.extra, t.open.ahead = messageExtra(v, role), false
	return t.body(v, at)
}

// isDefinition reports whether a tool message answers no call but contains the schema of a tool.
func isDefinition(v value.Value) bool {
	content := v.Field("content")
	text := content.Text()
	if strings.HasPrefix(text, `{"type`) && strings.Contains(text[:min(len(text), 40)], `"function"`) {
		content = content.Decoded()
	}
	return content.Field("function").Has("name") && !v.Has("tool_call_id")
}

// roleOf returns the role for a word; User if the word is unknown.
func (t *turns) roleOf(word string) (role transcript.Role, known bool) {
	if role, known = roleOf(word); known {
		return role, true
	}
	if t.role != nil {
		return t.role(word), true
	}
	return transcript.User, false
}

// item reads an entry without a role in a list of messages: a call, a result or reasoning, or a
// later inventory of the Responses API. Items of other types are kept aside.
func (t *turns) item(v value.Value, at string) error {
	kind, _ := kindOf(v)
	word, typed := v.Field("type").Str()
	switch {
	case kind == toolsPart:
		t.moreTools(v.Field("tools"))
	case kind == thoughtPart && thoughtText(v) == "": // encrypted
	case kind == callPart || kind == resultPart || kind == thoughtPart || kind == textPart && typed:
		if kind == thoughtPart && !t.onlyThought() || kind != resultPart && t.open.role != transcript.Assistant {
			t.begin(transcript.Assistant, at)
			t.open.ahead = kind == thoughtPart
		}
		t.part(v, at)
		t.open.apart = t.open.apart || len(t.open.results) > 0 // the next item comes after them
	case !typed:
		return wrong(at+".role", "the message has no role (its keys are %s)", v.KeyList())
	default:
		others := append(t.Extra.Field("other_items").Slice(), v)
		t.Extra = t.Extra.With("other_items", value.OfList(others...))
		t.note("unknown_item", at, "an item of type "+value.Quote(word)+" is kept aside")
		t.passOver(v, at)
	}
	return nil
}

// continues reports whether a message is the next piece of the open one.
func (t *turns) continues(role transcript.Role, id string) bool {
	if role != t.open.role || len(t.open.results) > 0 {
		return false
	}
	return t.onlyThought() || t.sameID && id != "" && id == t.open.id
}

// onlyThought reports whether the open message is reasoning that waits for its message.
func (t *turns) onlyThought() bool { return t.open.ahead && len(t.open.calls) == 0 }

// begin starts a message.
func (t *turns) begin(role transcript.Role, at string) {
	t.flush()
	t.open.begun, t.open.role, t.open.at = true, role, at
}

// agent starts a message of the agent, unless one is open.
func (t *turns) agent(at string) {
	if t.open.role != transcript.Assistant {
		t.begin(transcript.Assistant, at)
	}
}

// whole begins a message and reads v's content and calls into it.
func (t *turns) whole(role transcript.Role, v value.Value, at string) error {
	t.begin(role, at)
	return t.body(v, at)
}

// body reads the content of a message, then its lists of calls.
func (t *turns) body(v value.Value, at string) error {
	content, key := v.FirstKey(contentKeys...)
	if action, ok := v.Field("action").Str(); ok && content.IsNull() { // the form of R-Judge and ToolEmu
		content, key = value.OfString("Action: "+action), "action"
	}
	if inner := content; inner.Kind() == value.Object && inner.Has("parts") {
		content, key = inner.Field("parts"), key+".parts" // Gemini's content of an event
	}
	if listed := v.Field("tool_calls"); content.IsList() && listed.Len() > 0 {
		content = withoutStreamed(content, listed)
	}
	contentAt := at
	if content.IsList() {
		contentAt += "." + key
	}
	if used := v.Field("usedTools"); used.Decoded().Len() > 0 { // Flowise's, before the answer
		if err := t.callList(used.Decoded(), at+".usedTools"); err != nil {
			return err
		}
		t.next()
		v = v.Without("usedTools")
	}
	t.text(content, contentAt)
	t.text(v.Field("refusal"), at)
	if results := v.Field("tool_results"); results.Kind() == value.Object { // fast-agent, by call id
		for id, r := range results.Members() {
			failed, _ := r.Field("isError").BoolVal()
			t.part(resultItem(id, r.Field("content"), failed), at+".tool_results")
		}
	}
	for _, r := range v.Field("tool_results").Elements() { // the form of ElevenLabs
		if result, given := r.Get("result_value"); given {
			failed, _ := r.Field("is_error").BoolVal()
			t.part(resultItem(r.Field("request_id").Text(), result, failed), at+".tool_results")
		}
	}
	for _, p := range v.Field("channels").Field("anthropic-server-tools").Elements() { // fast-agent
		t.part(p.Field("text").Decoded(), at+".channels")
	}
	for _, key := range reasoningKeys {
		if s, ok := v.Field(key).Str(); ok {
			t.open.thought = joinLines(t.open.thought, s)
		}
	}
	return t.callLists(v, at)
}

// withoutStreamed removes the parts that are pieces of calls which are also listed whole.
func withoutStreamed(content, listed value.Value) value.Value {
	ids := map[string]bool{}
	for _, c := range listed.Elements() {
		ids[c.Field("id").Text()] = true
	}
	var out []value.Value
	for _, p := range content.Elements() {
		if !p.Has("partial_json") || !ids[p.Field("id").Text()] {
			out = append(out, p)
		}
	}
	return value.OfList(out...)
}

// callLists reads the calls that a message lists beside its content.
func (t *turns) callLists(v value.Value, at string) error {
	if more := v.Field("additional_kwargs"); more.HasAny("tool_calls") && v.Field("tool_calls").Len() == 0 {
		return t.callLists(more, at+".additional_kwargs") // LangChain's copy of what the provider sent
	}
	for key, list := range v.Members() {
		if !holdsCalls(key, list) {
			continue
		}
		list = list.Decoded() // tables have lists as JSON
		switch {
		case list.IsNull(), list.Kind() == value.String && list.Text() == "":
		case list.Kind() == value.Object && list.At(0).Has("params"):
			for id, c := range list.Members() { // the form of fast-agent, by their ids
				t.callPart(callItem(id, c.Field("params").Field("name").Text(), c.Field("params").Field("arguments")), at+"."+key)
			}
		case list.Kind() == value.Object:
			t.callPart(list, at+"."+key)
		default:
			if err := t.callList(list, at+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

// callList reads a list of calls, except those that the message has already.
func (t *turns) callList(list value.Value, at string) error {
	held := map[string]bool{}
	for i := range t.open.calls {
		if id := t.open.calls[i].ID; id != "" {
			held[id] = true
		}
	}
	return t.objects(list, at, "call", func(c value.Value, at string) error {
		if len(held) > 0 && held[c.FirstText(callIDKeys...)] {
			return nil
		}
		t.callPart(c, at)
		return nil
	})
}

// behindResults completes the agent's open message if results follow its calls.
func (t *turns) behindResults() {
	t.endChunk()
	if t.open.role == transcript.Assistant && len(t.open.results) > 0 {
		t.next()
	}
}

// next completes the open message and opens another one with the same role.
func (t *turns) next() {
	role, id, at := t.open.role, t.open.id, t.open.at
	t.begin(role, at)
	t.open.id, t.open.empty = id, true
}

// callPart adds a call, with its result if the part has both.
func (t *turns) callPart(p value.Value, at string) {
	if t.open.apart && len(t.open.results) > 0 {
		t.next()
	}
	if t.open.role != transcript.Assistant && t.open.role != transcript.User || !t.open.begun {
		t.begin(transcript.Assistant, at)
	}
	c, plain := t.plainCall(p, at)
	if !plain {
		c = t.readCall(p, at)
	}
	if t.open.role == transcript.User {
		c.Executor = cmp.Or(c.Executor, "user")
	}
	t.open.calls, t.open.empty = append(t.open.calls, c), false
	if plain {
		return // it has no result
	}
	in := p
	if !p.HasAny(bothResultKeys...) {
		in = nested(p)
	}
	if !in.HasAny(bothResultKeys...) {
		return
	}
	r := t.readResult(in, at)
	r.ResultID, r.ToolName = c.ID, c.Name
	if r.content.IsNull() && !r.Succeeded && !r.IsError {
		return // the call is there and its result is not yet
	}
	r.of = len(t.open.calls)
	t.answer(r, false)
}

// answer adds a result after the open message.
func (t *turns) answer(m toolMessage, apart bool) {
	t.open.results = append(t.open.results, m)
	t.open.apart = t.open.apart || apart
}

// flush adds the open message to the conversation. Results in a user's message come before its
// text, those in an agent's message after it.
func (t *turns) flush() {
	t.endChunk()
	p := t.open
	t.open = unfinished{parts: p.parts[:0], calls: p.calls[:0], results: p.results[:0]}
	first := len(t.Calls)
	if p.role != transcript.Assistant {
		t.results(p.results, -1)
	}
	nothing := len(p.parts)+len(p.calls) == 0 && p.thought == ""
	if p.begun && !(nothing && (p.empty || len(p.results) > 0)) {
		t.add(&p)
	}
	if p.role == transcript.Assistant {
		t.results(p.results, first)
	}
}

func (t *turns) add(p *unfinished) {
	m := transcript.Message{Role: p.role, HasContent: len(p.parts) > 0, Reasoning: p.thought, Extra: p.extra}
	var plain bool
	if m.Content, plain = joinParts(p.parts); !plain {
		m.Parts = eachOf(value.OfList(p.parts...), typedPart)
	}
	i := t.draft.message(m, p.at)
	for _, c := range p.calls {
		t.call(i, c)
	}
}

// results adds the results of a message whose calls begin at first; -1 if the message follows.
func (t *turns) results(list []toolMessage, first int) {
	for i := range list {
		m := &list[i]
		several := splitResponses(m)
		for _, one := range several {
			t.result(one.Message, one.content, one.at)
		}
		if several != nil {
			continue
		}
		at := t.result(m.Message, m.content, m.at)
		if call := first + m.of - 1; first >= 0 && m.of > 0 && call < len(t.Calls) {
			t.link(call, at, "id")
		}
	}
}
