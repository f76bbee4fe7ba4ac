// Events of Codex.
// Written by: codex exec --json, lines of {type: "item.completed", item} (0.44 and later) or of
// {id, msg} (before). The events of rollout files (codex.go) have the same content.
// Read: 0.2x to 0.154 (2025 and 2026). An item that started and completed comes once.
// Lost: the prompt, which the lines do not hold; plans (todo_list), token counts.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var codexExec = format{
	name: "codex-exec",
	mark: "events with an item of codex exec --json",
	detect: of(func(f value.Value) bool {
		kind := f.Field("type").Text()
		return strings.HasPrefix(kind, "item.") && f.Field("item").Has("type") || kind == "thread.started" ||
			f.Has("id") && f.Field("msg").Has("type")
	}),
	read:  (*draft).readCodexExec,
	parts: wholeFile,
}

func (d *draft) readCodexExec(list value.Value) error {
	var items latest
	for i, line := range list.Elements() {
		switch kind := line.Field("type").Text(); {
		case kind == "thread.started":
			d.ID = line.Field("thread_id").Text()
		case kind == "turn.failed" || kind == "error":
			failure, _ := found(line, "error.message", "message")
			d.note("run_error", indexed(i), value.Quote(failure.Text()))
		case line.Field("msg").Kind() == value.Object:
			d.codexEvent(&items, line.Field("msg"))
		case strings.HasPrefix(kind, "item."):
			d.codexEvent(&items, line.Field("item"))
		default:
			d.drop(kind)
		}
	}
	return d.messageList(value.OfList(items.list...), "")
}

// codexEvent adds what an event says to the items.
func (d *draft) codexEvent(items *latest, v value.Value) {
	id, kind, item := codexItem(v)
	switch {
	case !item.IsNull():
		items.put(id, item)
	case strings.EqualFold(kind, "error"):
		d.note("run_error", "", value.Quote(codexText(v.Inside("item"))))
	default:
		d.drop(kind)
	}
}

// codexItem converts an event to a message, reasoning, or a call with its result; null for other events.
func codexItem(v value.Value) (id, kind string, item value.Value) {
	kind = v.Field("type").Text()
	if item := v.Field("item"); kind == "item_completed" && item.Kind() == value.Object {
		v, kind = item, item.Field("type").Text()
	}
	kind = strings.TrimSuffix(strings.TrimSuffix(kind, "_begin"), "_end")
	id = v.FirstText("call_id", "id")
	switch strings.ReplaceAll(strings.ToLower(kind), "_", "") {
	case "usermessage":
		item = value.Pairs("role", "user", "content", codexText(v))
	case "agentmessage":
		item = value.Pairs("role", "assistant", "content", codexText(v))
	case "reasoning", "agentreasoning":
		item = value.Pairs("type", "reasoning", "text", codexText(v))
	case "commandexecution", "execcommand", "mcptoolcall", "filechange", "patchapply", "websearch", "toolcall":
		item = codexCall(kind, id, v)
	}
	return id, kind, item
}

// codexText returns the text of an item: a member, or the parts of its content.
func codexText(v value.Value) string {
	text := v.FirstText("text", "message")
	for _, list := range []string{"content", "summary_text"} {
		for _, p := range v.Field(list).Elements() {
			text = joinLines(text, p.Text()+p.Field("text").Text())
		}
	}
	return text
}

// codexCall returns the call of an event, with its result if the event has one.
func codexCall(name, id string, v value.Value) value.Value {
	arguments := members(v, "command", "cwd", "changes", "query", "action").Object()
	if call := v.Inside("invocation"); call.Has("tool") {
		name, arguments = call.Field("tool").Text(), call.Field("arguments")
	} else if v.Has("name") {
		name = v.Field("name").Text()
		arguments, _ = v.First("input", "arguments")
	}
	call := callItem(id, name, arguments)
	code := v.Field("exit_code")
	status := v.Field("status").Text()
	success, decided := v.Field("success").BoolVal()
	failed := code.IsNumber() && code.Text() != "0" || status == "failed" || decided && !success
	output, at := found(v, "aggregated_output", "formatted_output", "result.content", "result.Ok.content", "result.Err",
		"error.message", "stdout", "results")
	failed = failed || at == "result.Err" || at == "error.message"
	switch {
	case status == "in_progress" || output.IsNull() && status == "" && !decided && code.IsNull():
		return call
	case output.IsNull():
		output = value.OfString(status)
	}
	return call.With("output", output).With("is_error", value.OfBool(failed))
}
