package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var tapeAgents = format{
	name: "tapeagents",
	mark: "steps with a kind, and metadata",
	detect: of(func(f value.Value) bool {
		return f.Has("metadata") && f.Field("steps").Head().Has("kind")
	}),
	read: (*draft).readTape,
}

// readTape reads a tape of TapeAgents (ServiceNow, 0.1), whose steps have a kind. A kind that ends in _thought
// is reasoning, in _action a call, in _observation its result; other kinds are kept aside.
func (d *draft) readTape(v value.Value) error {
	d.ID = v.Field("metadata").Field("id").Text()
	d.Extra = foreign(v, "steps")
	t := turns{draft: d}
	defer t.flush()
	return d.objects(v.Field("steps"), "steps", "step", func(s value.Value, at string) error {
		return t.tapeStep(s, s.Field("kind").Text(), at)
	})
}

func (t *turns) tapeStep(s value.Value, kind, at string) error {
	fields := rest(s, "kind", "metadata")
	switch {
	case strings.HasSuffix(kind, "_thought"):
		if t.open.role != transcript.Assistant || len(t.open.results) > 0 {
			t.begin(transcript.Assistant, at)
		}
		t.open.thought = joinLines(t.open.thought, s.FirstText("reasoning", "content", "text", "plan"))
	case strings.HasSuffix(kind, "_action"):
		name := strings.TrimSuffix(kind, "_action")
		t.agent(at)
		t.callPart(callOf(name, fields), at)
	case strings.HasSuffix(kind, "_observation"), kind == "tool_result":
		r := toolMessage{at: at, content: fields}
		readFlags(&r.Message, members(s, "error").Object())
		r.ResultID = s.Field("tool_call_id").Text()
		t.answer(r, true)
	case kind == "question", kind == "user", kind == "task":
		return t.whole(transcript.User, s, at)
	case kind == "assistant", kind == "assistant_step", kind == "final_answer", kind == "system":
		role, _ := roleOf(strings.TrimSuffix(kind, "_step"))
		return t.whole(transcript.Role(cmp.Or(string(role), string(transcript.Assistant))), s, at)
	default:
		t.note("unknown_item", at, "a step of kind "+value.Quote(kind)+" is not read")
	}
	return nil
}
