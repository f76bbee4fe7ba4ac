package format

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// LooksLikeCall reports whether an agent's text contains a call, or something like a call that cannot be
// parsed: a call tag, an "Action:" at the start of a line or a sentence, a fenced or broken JSON object with
// the keys of a call, "name(" with a declared name, or a beginning like a Python call.
func LooksLikeCall(text string, declared func(name string) bool) bool {
	for _, tag := range callTags {
		if strings.Contains(text, tag) {
			return true
		}
	}
	return len(CallsInText(text, nil)) > 0 || namesAction(text) || fencedCall(text) || BrokenCall(text) ||
		pythonCall.MatchString(text) || namesCall(text, declared)
}

// callTags open or close a call in the texts of models: Hermes and Qwen, Llama, Mistral, DeepSeek,
// Anthropic's XML, Harmony, and of programs.
var callTags = []string{
	"<tool_call", "</tool_call", "<|tool_call", "<toolcall", "<tool_use", "<function=", "<function_call",
	"</function_call", "<invoke ", "<|python_tag|>", "[TOOL_CALLS]", "<｜tool▁call", "<|tool▁call", "to=functions.",
	`<details type="tool_calls"`, // Open WebUI
}

// actionLine matches "Action:" or "Action Input:" of a ReAct agent, on a line of its own or after a
// sentence; noAction matches an action such as "none" or "finish", with its input.
var (
	actionLine = regexp.MustCompile(`(?:^|[\n.!?][ \t]*)[ \t>*#_-]*Action(?: Input)?[*_]*:`)
	noAction   = regexp.MustCompile(`(?i)\bAction[*_]*:[*_ \t]*(?:none|n/a|final answer|finish)\b[*_. \t]*` +
		`(?:\n\s*[*_]*Action Input.*)?(?:\n|$)`)
)

// pythonCall matches the beginning of a text that is a Python call, up to its first argument.
var pythonCall = regexp.MustCompile(`^\s*\[?\s*(?:\w+ *= *|await +|print\()?[A-Za-z_][\w.-]*\(\s*(?:[A-Za-z_]\w*\s*=(?:[^=]|$)|["'])`)

// callKeys matches the quoted keys of a written call; looseKeys matches them without quotes, as
// models may write them.
var (
	callKeys  = regexp.MustCompile(`\\?["'](?:` + callWords + `)\\?["']\s*:`)
	looseKeys = regexp.MustCompile(`[{,]\s*(?:` + callWords + `)\s*:`)
)

const callWords = `name|function|function_?[cC]all|tool_calls?|arguments|tool|tool_(?:name|input|args)|action_input`

func namesAction(text string) bool {
	return actionLine.MatchString(text) && actionLine.MatchString(noAction.ReplaceAllString(text, ""))
}

// fencedCall reports whether a fenced block is an object or list with the keys of a call.
func fencedCall(text string) bool {
	blocks := strings.Split(text, "```")
	for i := 1; i < len(blocks); i += 2 {
		body := strings.TrimLeftFunc(blocks[i], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsSpace(r) })
		if beginsObject(body) && callKeys.MatchString(body) {
			return true
		}
	}
	return false
}

// beginsObject reports whether a text begins like an object or a list of objects.
func beginsObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n["), "{")
}

// BrokenCall reports whether a text contains a JSON object with the keys of a call that is cut off
// or cannot be parsed.
func BrokenCall(text string) bool {
	switch keyed := callKeys.MatchString(text); {
	case beginsObject(text) && (keyed || looseKeys.MatchString(text)):
		if !isValue(strings.TrimSpace(text)) {
			return true
		}
	case !keyed:
		return false
	}
	for range maxTextCalls {
		brace := strings.IndexByte(text, '{')
		if brace < 0 {
			return false
		}
		text = text[brace:]
		n, broken := brokenObject(text[:min(len(text), textCallSize)])
		if broken {
			return true
		}
		text = text[n:]
	}
	return false
}

// brokenObject reports whether a text, which begins with a brace, begins with a call's object that
// cannot be parsed. If not, n is how much of the text is settled.
func brokenObject(text string) (n int, broken bool) {
	if key := strings.TrimLeft(text[1:], " \t\r\n"); key == "" || !strings.ContainsRune("\"'\\", rune(key[0])) {
		return 1, false
	}
	var w value.Extent
	n, done := w.Feed([]byte(text))
	switch {
	case !done:
		n = len(text)
	case isValue(text[:n]):
		return n, false
	}
	return 1, callKeys.MatchString(text[:n])
}

// isValue reports whether a text is a JSON or Python value.
func isValue(text string) bool {
	if _, err := value.ParseString(text); err == nil {
		return true
	}
	_, err := pycall.ParseLiteral(text)
	return err == nil
}

// maxToolName limits, in bytes, the name that is searched before a bracket.
const maxToolName = 256

// namesCall reports whether a declared name precedes an opening bracket, alone or after a module's
// name ("functions.search(").
func namesCall(text string, declared func(name string) bool) bool {
	for at := 0; ; {
		bracket := strings.IndexByte(text[at:], '(')
		if bracket < 0 {
			return false
		}
		end := at + bracket
		name := text[max(at, end-maxToolName):end]
		if i := strings.LastIndexFunc(name, outsideName); i >= 0 {
			name = name[i+1:] // the rest of a wide rune is in no name
		}
		for i := 0; i >= 0; i = strings.IndexAny(name, "./:-") {
			if name = strings.TrimLeft(name[i:], "./:-"); name != "" && (declared(name) || declared(latinEnd(name))) {
				return true
			}
		}
		at = end + 1
	}
}

// latinEnd returns the text after the last letter of a script without blanks between words, such as
// Chinese or Japanese: such a letter may precede a tool's name.
func latinEnd(name string) string {
	i := strings.LastIndexFunc(name, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	})
	if i < 0 {
		return name
	}
	_, size := utf8.DecodeRuneInString(name[i:])
	return name[i+size:]
}

// outsideName reports whether a rune separates the name of a tool from other text.
func outsideName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:", r)
}
