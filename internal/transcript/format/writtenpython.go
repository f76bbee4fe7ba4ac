package format

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// lines finds calls of declared tools at the beginning of lines; they may extend over several lines.
func (t *textSearch) lines(s string) {
	if len(t.tools) == 0 {
		return
	}
	for at := 0; t.tries < maxTextCalls; at++ {
		i := nextCallBracket(s[at:])
		if i < 0 {
			return
		}
		at += i
		start := max(0, at-textNameSize)
		if line := strings.LastIndexByte(s[start:at], '\n'); line >= 0 {
			start += line + 1
		} else if start > 0 {
			continue
		}
		if name := strings.TrimLeft(s[start:at], " \t`["); name == "" || transcript.FindTool(t.tools, name) == nil {
			continue
		}
		t.tries++
		at = start + t.line(s[start:])
		if at >= len(s) {
			return
		}
	}
}

// line parses the call at the beginning of s and returns how many bytes it examined.
func (t *textSearch) line(s string) int {
	end := strings.IndexByte(s, '\n')
	if end < 0 {
		end = len(s)
	}
	text := strings.Trim(s[:end], " \t\r`;")
	if strings.HasSuffix(text, "(") || strings.HasSuffix(text, ",") {
		if i := strings.Index(s[:min(len(s), textCallSize)], "\n)"); i >= 0 {
			end = i + len("\n)")
			text = strings.Trim(s[:end], " \t\r`;")
		}
	}
	switch {
	case strings.HasSuffix(text, ")") || strings.HasSuffix(text, "]"):
		if !t.python(text, true) {
			t.unreadable(text, noReadableCall)
		}
	case strings.TrimSpace(s[end:]) == "" && !strings.Contains(text, ")"):
		t.unreadable(text, "the call is cut off")
	}
	return end
}

const noReadableCall = "no call that can be read"

const positional = "__positional_"

// python adds the calls in a Python expression, which is one call or a list of calls. For any other
// text it adds nothing and returns false. Unless free is set, all calls must be of declared tools,
// or name their arguments.
func (t *textSearch) python(text string, free bool) bool {
	if len(text) > textCallSize || !strings.Contains(text, "(") {
		return false
	}
	calls, err := pycall.Parse(text, pycall.Plain)
	if err != nil || len(calls) == 0 {
		return false
	}
	for i := range calls {
		tool := transcript.FindTool(t.tools, calls[i].Name)
		if tool == nil && !free && calls[i].Arguments.Has(positional+"0") {
			return false
		}
		if tool != nil {
			calls[i].Arguments = nameArguments(tool, calls[i].Arguments)
		}
	}
	for _, c := range calls {
		t.add(text, transcript.Call{Name: c.Name, Arguments: c.Arguments, RawArguments: c.Arguments.JSON()})
		text = "" // it is taken out of the message once
	}
	return true
}

// nameArguments names unnamed arguments by the tool's parameters.
func nameArguments(t *transcript.Tool, args value.Value) value.Value {
	if !args.Has(positional + "0") {
		return args
	}
	names := t.ParameterNames()
	members := make([]value.Member, 0, args.Len())
	for key, v := range args.Members() {
		if strings.HasPrefix(key, positional) && len(members) < len(names) {
			key = names[len(members)]
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...)
}
