// Sessions of Kimi.
// Written by: kimi-cli under ~/.kimi/sessions (wire.jsonl, and context.jsonl: kimi-context), Kimi Code under
// ~/.kimi-code/sessions (agents/*/wire.jsonl).
// Read: wire protocol 1.1 to 1.10 of kimi-cli, 1.0 to 1.5 of Kimi Code (2026).
// Lost: what subagents of kimi-cli did, status, approvals, and what a compaction replaced.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var kimiWire = format{
	name: "kimi",
	mark: "lines of a wire protocol with messages or events",
	detect: of(func(f value.Value) bool {
		kind := f.Field("type").Text()
		return f.Field("message").HasAll("type", "payload") || strings.HasPrefix(kind, "context.append_") ||
			kind == "agent.message.appended" || kind == "metadata" && f.Has("protocol_version")
	}),
	read:  (*draft).readKimiWire,
	parts: wholeFile,
}

var kimiContext = format{
	name: "kimi-context",
	mark: "lines of the role _checkpoint or _system_prompt",
	detect: anyOf(func(f value.Value) bool {
		return strings.HasPrefix(f.Field("role").Text(), "_")
	}),
	read:  (*draft).readKimiContext,
	parts: wholeFile,
}

// readKimiContext reads the model's messages, one per line. It skips lines whose roles begin with
// an underscore.
func (d *draft) readKimiContext(list value.Value) error {
	return d.eachLine(list, func(t *turns, m value.Value, _, at string) error {
		switch role := m.Field("role").Text(); {
		case role == "_system_prompt":
			return t.whole(transcript.System, m, at)
		case strings.HasPrefix(role, "_"):
			d.drop(role)
			return nil
		}
		return t.message(m, at)
	})
}

// kimiTurns reads the events of a wire file. A call waits for the pieces of its arguments.
type kimiTurns struct {
	turns
	call      value.Value
	arguments strings.Builder
	callAt    string
}

func (d *draft) readKimiWire(list value.Value) error {
	k := kimiTurns{turns: turns{draft: d}}
	err := d.objects(list, "", "line", func(line value.Value, at string) error {
		message := line.Field("message")
		switch kind := line.Field("type").Text(); {
		case message.Has("payload"):
			return k.event(message.Field("type").Text(), message.Field("payload"), at)
		case kind == "context.append_message":
			return k.message(message, at)
		case kind == "agent.message.appended":
			return k.message(message.Inside("message"), at)
		case kind == "context.append_loop_event":
			event := line.Field("event")
			return k.event(event.Field("type").Text(), event, at)
		case kind != "metadata":
			d.drop(kind)
		}
		return nil
	})
	k.endCall()
	k.flush()
	return err
}

func (k *kimiTurns) event(kind string, v value.Value, at string) error {
	if kind != "ToolCallPart" {
		k.endCall()
	}
	switch kind {
	case "TurnBegin", "SteerInput":
		k.begin(transcript.User, at)
		k.text(v.Field("user_input"), at)
	case "StepBegin", "step.begin":
		k.begin(transcript.Assistant, at)
		k.open.empty = true
	case "ContentPart", "content.part":
		k.agent(at)
		if p := v.Inside("part"); p.Field("type").Text() == "text" {
			k.chunk(p.Field("text").Text())
		} else {
			k.part(p, at)
		}
	case "ToolCall":
		k.call, k.callAt = v, at
		k.arguments.WriteString(v.Field("function").Field("arguments").Text())
	case "ToolCallPart":
		k.arguments.WriteString(v.Field("arguments_part").Text())
	case "tool.call":
		return k.message(callItem(v.Field("toolCallId").Text(), v.Field("name").Text(), v.Field("args")), at)
	case "ToolResult", "tool.result":
		result := v.Inside("return_value", "result")
		failed, _ := found(result, "is_error", "isError")
		output, _ := found(result, "output", "message")
		return k.message(resultItem(v.FirstText("tool_call_id", "toolCallId"), output, failed.Text() == "true"), at)
	default:
		k.drop(kind)
	}
	return nil
}

// endCall adds the call whose arguments arrived in pieces.
func (k *kimiTurns) endCall() {
	if k.call.IsNull() {
		return
	}
	k.agent(k.callAt)
	name := k.call.Field("function").Field("name").Text()
	k.part(callItem(k.call.Field("id").Text(), name, value.OfString(k.arguments.String())), k.callAt)
	k.call = value.Value{}
	k.arguments.Reset()
}
