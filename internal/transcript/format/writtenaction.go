package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// prose searches a text without tags: its actions and, between them, objects and lines.
func (t *textSearch) prose(s string) {
	for t.tries < maxTextCalls {
		from, to := nextAction(s)
		if from < 0 {
			break
		}
		t.tries++
		t.plain(s[:from])
		body, rest := s[to:], ""
		if next, _ := nextAction(body); next >= 0 {
			body, rest = body[:next], body[next:]
		}
		// The agent's text after "Observation:" is the result.
		body, _, _ = strings.Cut(body, "\nObservation")
		t.action(body)
		s = rest
	}
	t.plain(s)
}

func (t *textSearch) plain(s string) {
	t.objects(s)
	t.lines(s)
}

// nextAction finds the next label "Action:" at the beginning of a line, possibly with a number or
// in bold. It returns its beginning and end, or -1.
func nextAction(s string) (from, to int) {
	const word = "Action"
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return -1, -1
		}
		from, at = at+i, at+i+len(word)
		line := strings.TrimRight(s[max(0, from-textNameSize):from], " \t*#>-")
		if line != "" && line[len(line)-1] != '\n' {
			continue
		}
		after := strings.TrimLeft(s[at:min(len(s), at+textNameSize)], " 0123456789*")
		if colon, ok := strings.CutPrefix(after, ":"); ok {
			colon = strings.TrimLeft(colon, "*")
			return from, min(len(s), at+textNameSize) - len(colon)
		}
	}
}

// noActions lists the names of actions that are answers and not calls.
var noActions = []string{"", "none", "n/a", "finish", "final answer"}

// action parses the text after "Action:". Prose is not a call.
func (t *textSearch) action(body string) {
	known, text := len(t.found), unfenced(body)
	name, input, given := strings.Cut(text, "Action Input")
	_, input, colon := strings.Cut(input, ":")
	name = strings.Trim(name, " \t\r\n`'\"*")
	switch {
	case strings.HasPrefix(text, "{"):
		t.objects(body)
		if len(t.found) == known {
			t.unreadable(text, "no JSON object with a name and arguments")
		}
	case given && colon && !strings.Contains(name, "\n") && len(name) <= textNameSize:
		if !slices.Contains(noActions, strings.ToLower(name)) {
			t.named(strings.TrimSpace(body), name, unfenced(strings.TrimLeft(input, "*")))
		}
	case strings.HasPrefix(text, "[") && t.python(text, false):
	default:
		t.actionLine(body)
	}
}

// actionLine parses an action on one line: a tool's name, a Python call, name[text],
// name{arguments} or name: {arguments}.
func (t *textSearch) actionLine(body string) {
	text := strings.TrimSpace(body)
	line, _, _ := strings.Cut(text, "\n")
	line = strings.Trim(line, " \t\r`*")
	name, input, bracket := strings.Cut(line, "[")
	braced, object, brace := strings.Cut(text, "{")
	braced = strings.TrimRight(braced, ": \t")
	function, _, _ := strings.Cut(line, "(")
	switch {
	case transcript.FindTool(t.tools, line) != nil:
		t.add(line, transcript.Call{Name: line, Arguments: value.OfObject()})
	case strings.HasSuffix(line, ")") && isName(function):
		if !t.python(line, true) {
			t.unreadable(line, noReadableCall)
		}
	case brace && isName(braced) && strings.HasSuffix(object, "}"):
		t.named(text, braced, "{"+object)
	case bracket && strings.HasSuffix(input, "]") && isName(name):
		if !slices.Contains(noActions, strings.ToLower(name)) {
			t.named(line, name, strings.TrimSuffix(input, "]"))
		}
	default:
		t.plain(body)
	}
}

func isName(s string) bool {
	return s != "" && len(s) <= textNameSize && !strings.ContainsFunc(s, func(r rune) bool { return !inName(r) })
}

func inName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-/", r)
}

// named adds the call of a tool with the text of its input: an object, or the tool's only argument.
func (t *textSearch) named(written, name, input string) {
	c := transcript.Call{Name: name}
	if input == "" || input[0] == '{' {
		readArguments(&c, input)
	} else {
		t.oneInput(&c, input)
	}
	t.add(written, c)
}

// oneInput makes a text the argument of a call: of the tool's only parameter, if known, else as free text.
func (t *textSearch) oneInput(c *transcript.Call, text string) {
	text = unquotedText(text)
	if tool := transcript.FindTool(t.tools, c.Name); tool != nil {
		if names := tool.ParameterNames(); len(names) == 1 {
			c.Arguments = value.Pairs(names[0], value.OfString(text))
			c.RawArguments = c.Arguments.JSON()
			return
		}
	}
	c.FreeText(text)
}

// unquotedText removes the quotes around a text that is one quoted string.
func unquotedText(s string) string {
	if len(s) >= 2 && s[0] == '"' {
		if v, err := value.ParseString(s); err == nil && v.Kind() == value.String {
			return v.Text()
		}
	}
	return s
}
