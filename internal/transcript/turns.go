package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// turns reads messages of any framework. The words that say what a part is are in one
// table, partKinds, and the names of fields in lists of synonyms, so that a framework
// whose messages differ by names only needs no code of its own.
//
// A framework may write the texts, calls and results of several steps into one message, or
// one message in several pieces. turns collects pieces until something shows that the
// message is complete: another role, a text behind a result, the start of a step.
type turns struct {
	*draft
	open unfinished
	// sameID says that messages with the same id are pieces of one message.
	sameID bool
	// role decides on roles that are not among the usual words; nil for the note
	// unknown_role.
	role func(word string) Role
}

// unfinished is a message that may not be complete yet.
type unfinished struct {
	begun   bool
	role    Role
	id, at  string
	parts   []value.Value
	empty   bool
	thought string
	calls   []Call
	results []toolMessage
	// apart says that a result came as a part of its own, behind its call.
	apart bool
	extra value.Value
}

// toolMessage is a result that waits for its message to be complete.
type toolMessage struct {
	Message
	content value.Value
	at      string
}

// list reads a list of messages and completes the last one.
func (t *turns) list(list value.Value, name string) error {
	err := t.objects(list, name, "message", t.message)
	t.flush()
	return err
}

// anyMessages reads a list of messages of any framework.
func (d *draft) anyMessages(list value.Value, name string) error {
	t := turns{draft: d}
	return t.list(list, name)
}

// message reads one message, in its wrapping or without.
func (t *turns) message(v value.Value, at string) error {
	outer := v
	v, inner := unwrapMessage(v)
	if inner != "" {
		at += "." + inner
	}
	if pydanticAI(v) {
		t.pydantic(v, at)
		return nil
	}
	word := roleWord(outer, v)
	role, known := roleOf(word)
	switch kind, _ := kindOf(v); {
	case known:
	case word == "" && (kind == callPart || kind == resultPart || kind == bothParts || kind == thoughtPart):
		t.bare(v, at) // an item of a flat list is a call or a result by itself
		return nil
	case word == "":
		return wrong(at+".role", "the message has no role (its keys are %s)", firstKeys(v))
	case t.role != nil:
		role = t.role(word)
	default:
		t.note("unknown_role", at, "the role "+quote(word)+" is kept as user")
		role = User
	}
	if role == ToolRole && v.Has("param_dict") {
		t.bare(v, at) // API-Bank writes a call and its result as one message of the API
		return nil
	}
	if word == "function_call" || word == "tool_call" { // ShareGPT's
		if calls, ok := writtenCalls(v.Field("value")); ok {
			t.begin(Assistant, at)
			t.callList(value.OfList(calls...), at+".value")
			return nil
		}
	}
	if id := v.Field("id").Text(); !t.continues(role, id) {
		t.begin(role, at)
		t.open.id = id
	}
	if role == ToolRole && !hasResultParts(v) {
		t.open.begun = false
		t.answer(t.readResult(v, at), true)
		return nil
	}
	t.body(v, at)
	t.open.extra = messageExtra(v)
	return nil
}

// continues reports whether a message is the next piece of the open one.
func (t *turns) continues(role Role, id string) bool {
	return t.sameID && id != "" && id == t.open.id && role == t.open.role && len(t.open.results) == 0
}

// begin starts a message.
func (t *turns) begin(role Role, at string) {
	t.flush()
	t.open = unfinished{begun: true, role: role, at: at}
}

// whole starts a message with the content and the calls that v has.
func (t *turns) whole(role Role, v value.Value, at string) {
	t.begin(role, at)
	t.body(v, at)
}

// bare reads a part that stands where a message does.
func (t *turns) bare(v value.Value, at string) {
	if kind, _ := kindOf(v); kind != resultPart && t.open.role != Assistant {
		t.begin(Assistant, at)
	}
	if v.Has("param_dict") {
		t.callPart(v, at, bothParts)
		return
	}
	t.part(v, at)
}

// body reads the content of a message, then its lists of calls.
func (t *turns) body(v value.Value, at string) {
	content, key := firstOf(v, contentKeys)
	if inner := content; inner.Kind() == value.Object && inner.Has("parts") {
		content, key = inner.Field("parts"), key+".parts" // Gemini's content of an event
	}
	switch {
	case content.IsList():
		for i, p := range content.Elements() {
			t.part(p, at+"."+place(key, i))
		}
	case !content.IsNull():
		t.text(content)
	}
	for _, key := range reasoningKeys {
		if s, ok := v.Field(key).Str(); ok {
			t.open.thought = joinLines(t.open.thought, s)
		}
	}
	for _, key := range callListKeys {
		t.callList(v.Field(key), at+"."+key)
	}
}

// callList reads the calls that a message lists beside its content. Calls that its
// content held already are the same ones.
func (t *turns) callList(list value.Value, at string) {
	if list.Kind() == value.Object {
		list = value.OfList(list)
	}
	for i, c := range list.Elements() {
		if id := firstText(c, callIDKeys...); id != "" && t.holds(id) || c.Kind() != value.Object {
			continue
		}
		t.callPart(c, at+indexed(i), bothParts)
	}
}

func (t *turns) holds(id string) bool {
	for i := range t.open.calls {
		if t.open.calls[i].ID == id {
			return true
		}
	}
	return false
}

// part reads one part of a message.
func (t *turns) part(p value.Value, at string) {
	kind, inner := kindOf(p)
	switch kind {
	case textPart:
		t.text(partContent(inner))
	case thoughtPart:
		t.behindResults()
		t.open.thought = joinLines(t.open.thought, thoughtText(inner))
	case callPart, bothParts:
		t.callPart(inner, at, kind)
	case resultPart:
		r := t.readResult(inner, at)
		if r.ResultID == "" {
			r.ResultID = inner.Field("id").Text()
		}
		t.answer(r, true)
	case stepPart:
		if len(t.open.calls)+len(t.open.results) > 0 {
			t.next()
		}
	case skippedPart:
		t.drop(firstText(p, "type", "part_kind"))
	case otherPart:
		t.behindResults()
		t.open.parts = append(t.open.parts, typedPart(p))
	}
}

// text adds a text to the open message. A text behind a result is the next message.
func (t *turns) text(v value.Value) {
	t.behindResults()
	switch {
	case v.Kind() == value.String:
		t.open.parts = append(t.open.parts, textOf(v.Text()))
	case v.IsList():
		for _, p := range v.Elements() {
			if s, ok := p.Str(); ok {
				p = textOf(s)
			}
			t.open.parts = append(t.open.parts, typedPart(p))
		}
	case !v.IsNull():
		t.open.parts = append(t.open.parts, textOf(v.JSON()))
	}
}

// behindResults completes the open message of the agent if results follow its calls.
func (t *turns) behindResults() {
	if t.open.role == Assistant && len(t.open.results) > 0 {
		t.next()
	}
}

// next completes the open message and opens another one of the same role.
func (t *turns) next() {
	role, id, at := t.open.role, t.open.id, t.open.at
	t.flush()
	t.open = unfinished{begun: true, role: role, id: id, at: at, empty: true}
}

// callPart adds a call, with its result where the part holds both.
func (t *turns) callPart(p value.Value, at string, kind partKind) {
	if t.open.apart && len(t.open.results) > 0 {
		t.next()
	}
	if t.open.role != Assistant && t.open.role != User || !t.open.begun {
		t.begin(Assistant, at)
	}
	c := t.readCall(p, at)
	if t.open.role == User {
		c.Executor = "user"
	}
	t.open.calls, t.open.empty = append(t.open.calls, c), false
	in := p
	if !hasAny(p, bothResultKeys...) {
		in = nested(p)
	}
	if kind != bothParts || !hasAny(in, bothResultKeys...) {
		return
	}
	r := t.readResult(in, at)
	r.ResultID, r.ToolName = c.ID, c.Name
	if r.content.IsNull() && !r.Succeeded && !r.IsError {
		return // the call is there and its result is not yet
	}
	t.answer(r, false)
}

// answer adds a result behind the open message.
func (t *turns) answer(m toolMessage, apart bool) {
	t.open.results = append(t.open.results, m)
	t.open.apart = t.open.apart || apart
}

// flush adds the open message to the conversation. Results that the user's message carries
// come before its text, those of the agent's message after it.
func (t *turns) flush() {
	p := t.open
	t.open = unfinished{}
	if p.role != Assistant {
		t.results(p.results)
	}
	nothing := len(p.parts)+len(p.calls) == 0 && p.thought == ""
	if p.begun && !(nothing && (p.empty || len(p.results) > 0)) {
		t.add(&p)
	}
	if p.role == Assistant {
		t.results(p.results)
	}
}

func (t *turns) add(p *unfinished) {
	m := Message{Role: p.role, Reasoning: p.thought, Extra: p.extra}
	var texts []string
	for _, part := range p.parts {
		s, ok := partText(part)
		if !ok {
			t.content(&m, value.OfList(p.parts...), p.at)
			texts = nil
			break
		}
		texts = append(texts, s)
	}
	if texts != nil {
		m.Content, m.HasContent = strings.Join(texts, "\n"), true
	}
	i := t.draft.message(m, p.at)
	for _, c := range p.calls {
		t.call(i, c)
	}
}

func (t *turns) results(list []toolMessage) {
	for _, m := range list {
		for _, r := range t.splitResponses(m) {
			t.result(r.Message, r.content, r.at)
		}
	}
}
