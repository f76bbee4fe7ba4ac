package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// part reads one part of a message.
func (t *turns) part(p value.Value, at string) {
	kind, inner := kindOf(p)
	switch kind {
	case textPart:
		if _, ok := partText(p); ok {
			t.behindResults()
			t.open.parts = append(t.open.parts, p)
		} else {
			t.text(partContent(inner), at)
		}
	case thoughtPart:
		t.behindResults()
		t.open.thought = joinLines(t.open.thought, thoughtText(inner))
	case callPart:
		if calls, ok := writtenCalls(inner.Field("value")); ok && inner.FirstText(callNameKeys...) == "" {
			for _, c := range calls { // the form of LLaMA-Factory
				t.callPart(c, at)
			}
			break
		}
		t.callPart(inner, at)
	case resultPart:
		r := t.readResult(inner, at)
		if r.ResultID == "" && !strings.HasSuffix(inner.Field("type").Text(), "_call_output") {
			r.ResultID = inner.Field("id").Text()
		}
		t.answer(r, true)
	case stepPart:
		if len(t.open.calls)+len(t.open.results) > 0 {
			t.next()
		}
	case skippedPart:
		t.drop(cmp.Or(p.FirstText("type", "part_kind"), p.KeyAt(0)))
	default:
		t.behindResults()
		p = typedPart(p)
		t.partNotText(p, at)
		t.open.parts = append(t.open.parts, p)
	}
}

// text adds content to the open message: a text, or a list of parts. A text after a result begins
// the next message.
func (t *turns) text(v value.Value, at string) {
	switch v.Kind() {
	case value.Null:
	case value.List:
		for i, p := range v.Elements() {
			t.part(p, at+indexed(i))
		}
	case value.String:
		t.behindResults()
		t.open.parts = append(t.open.parts, v)
	default:
		t.behindResults()
		t.open.parts = append(t.open.parts, value.OfString(v.JSON()))
		t.note("content_not_text", at, "the content is "+v.Kind().WithArticle()+", not a text")
	}
}

// chunk adds a piece of a text that the log has in pieces.
func (t *turns) chunk(text string) {
	if len(t.open.results) > 0 {
		t.behindResults()
	}
	t.open.chunk = append(t.open.chunk, text...)
}

// endChunk turns the collected pieces into a part.
func (t *turns) endChunk() {
	if len(t.open.chunk) > 0 {
		t.open.parts = append(t.open.parts, value.OfString(string(t.open.chunk)))
		t.open.chunk = nil
	}
}

// callItem returns a call in the form that turns reads; resultItem returns its result.
func callItem(id, name string, arguments value.Value) value.Value {
	return value.Pairs("type", "tool_call", "id", id, "name", name, "arguments", arguments)
}

func resultItem(id string, content value.Value, failed bool) value.Value {
	return value.Pairs("type", "tool_result", "tool_use_id", id, "content", content, "is_error", failed)
}
