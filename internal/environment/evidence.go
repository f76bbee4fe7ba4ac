package environment

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// OutputResult is a text that the agent must give the user.
type OutputResult struct {
	Text  string
	Found bool
}

// findOutputs applies τ-bench's rule: the text, in lower case, must be part of some reply in lower
// case without its commas. The text keeps its own commas.
func findOutputs(outputs, replies []string) []OutputResult {
	clean := make([]string, len(replies))
	for i, r := range replies {
		clean[i] = strings.ReplaceAll(strings.ToLower(r), ",", "")
	}
	var out []OutputResult
	for _, text := range outputs {
		r := OutputResult{Text: text}
		for _, c := range clean {
			r.Found = r.Found || strings.Contains(c, strings.ToLower(text))
		}
		out = append(out, r)
	}
	return out
}

// Drift is a result of the sandbox that differs from the log's.
type Drift struct {
	Call int
	Name string
	// Logged is the log's text, Got the sandbox's result, both shortened.
	Logged, Got string
	// Unknown says that the sandbox has no such tool.
	Unknown bool
}

// maxShown limits how much of a result is shown.
const maxShown = 400

// drift compares the results with the logged ones. Two failures count as equal, whatever their
// words.
func (o *Outcome) drift(calls []Call) {
	for i, c := range calls {
		if c.Logged == nil {
			continue
		}
		o.Compared++
		res := o.Effects[i].Result
		if res.IsError && c.Failed || identical(res, c.Logged) {
			continue
		}
		o.Drift = append(o.Drift, Drift{
			Call: c.Index, Name: c.Name, Unknown: res.Unknown,
			Logged: value.Excerpt(c.Logged.Content, maxShown), Got: value.Excerpt(res.Value.Python(), maxShown),
		})
	}
}

// identical compares a result with the log's: as JSON if both are JSON,
// else as text. An error may be logged with a leading "Error: ", and no result as
// an empty text.
func identical(res Result, logged *transcript.Message) bool {
	text, isText := res.Value.Str()
	if isText && text == logged.Content || res.Value.IsNull() && logged.Content == "" {
		return true
	}
	if res.IsError {
		rest, ok := strings.CutPrefix(logged.Content, "Error: ")
		return ok && rest == text
	}
	was := logged.Output
	if was.IsNull() {
		parsed, err := value.ParseString(logged.Content)
		if err != nil {
			// Python programs log plain values by their repr.
			return !isText && res.Value.Python() == logged.Content
		}
		was = parsed
	}
	got := res.Value
	if isText {
		parsed, err := value.ParseString(text)
		if err != nil {
			return false
		}
		got = parsed
	}
	return value.Equal(got, was)
}
