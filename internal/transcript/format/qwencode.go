// Sessions of Qwen Code.
// Written by: Qwen Code, one session a file under ~/.qwen/projects: lines like Claude Code's whose messages are
// Gemini's contents.
// Read: 0.11 to 0.25 (2026). Older versions write the sessions of the Gemini CLI (geminicli.go).
// Lost: telemetry and other lines of type system.

package format

import "github.com/judgekit/judge/internal/value"

var qwenCode = format{
	name: "qwen-code",
	mark: "lines with a sessionId whose message has parts",
	detect: of(func(f value.Value) bool {
		return f.HasAll("sessionId", "type") && (f.Field("message").Has("parts") || f.Has("systemPayload"))
	}),
	read:  (*draft).readQwenCode,
	parts: claudeParts,
}

func (d *draft) readQwenCode(list value.Value) error {
	head := list.Head()
	d.ID = claudeSession(head)
	d.Extra = members(head, "cwd", "version", "gitBranch", "model").Object()
	t := turns{draft: d}
	defer t.flush()
	for i, line := range newLines(list) {
		if err := t.qwenLine(line, indexed(i)); err != nil {
			return err
		}
	}
	return nil
}

func (t *turns) qwenLine(line value.Value, at string) error {
	message := line.Field("message")
	if line.Field("type").Text() != "tool_result" {
		return t.message(message, at)
	}
	failed := geminiFailed(line.Field("toolCallResult").Field("status"))
	return t.geminiResults(message.Field("parts"), failed, at)
}

// geminiResults reads the results of calls from parts in Gemini's form (functionResponse).
func (t *turns) geminiResults(parts value.Value, failed bool, at string) error {
	for _, p := range parts.Elements() {
		if r := p.Field("functionResponse"); r.Kind() == value.Object {
			content, wrong := geminiOutput(r)
			if err := t.message(resultItem(r.Field("id").Text(), content, failed || wrong), at); err != nil {
				return err
			}
		}
	}
	return nil
}

// geminiOutput returns the content of a result in the form of the Gemini API, and whether it says
// that the call failed.
func geminiOutput(functionResponse value.Value) (content value.Value, failed bool) {
	response := functionResponse.Field("response")
	content, key := response.FirstKey("output", "error")
	if key == "" {
		return response, false
	}
	return content, key == "error"
}
