package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// checkAbsence looks up a claim such as "NONE: no prior get_user call" in the
// history. A claim with a condition ("for this user") is not looked up, because only a
// reader could tell whether an earlier call meets it.
func (c *checker) checkAbsence(f *flags, evidence string) {
	var names []string
	for i := range c.rec.conv.Tools {
		if name := c.rec.conv.Tools[i].Name; len(name) >= 3 && name != c.call.Name {
			names = append(names, name)
		}
	}
	// The longest name first: one may be a part of another.
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range absent(evidence, names) {
		for j := range c.rec.conv.Calls {
			if o := &c.rec.conv.Calls[j]; o.Name == name && c.before(o) && !c.failed(o) {
				f.add(FlagFalseAbsence, 2, "the evidence says that there was no call of %s, and there was one", value.Excerpt(name, 80))
				return
			}
		}
	}
}

// before reports whether the result of call o was known when the call was made.
func (c *checker) before(o *transcript.Call) bool {
	return o.Message < c.call.Message && o.Result >= 0 && o.Result < c.call.Message
}

// failed reports whether a call was refused, never run, or answered with an error.
func (c *checker) failed(o *transcript.Call) bool {
	if o.Proposed || o.Result < 0 || o.Result >= len(c.rec.conv.Messages) {
		return true
	}
	_, failed := c.rec.conv.Failure(o)
	return failed
}

// The words of claims of absence, lower case. A claim that holds other words between
// "no" and the tool is not looked up: it may be about something else than the tool.
var (
	// happenings are what a tool is said not to have.
	happenings = []string{
		"call", "calls", "result", "results", "lookup", "lookups", "invocation", "invocations", "execution", "executions",
		"output", "outputs", "response", "responses", "check", "checks", "request", "requests", "query", "queries", "use",
	}
	// traces are what stands for a happening: "no sign of a NAME call".
	traces = []string{"sign", "evidence", "record", "trace", "instance"}
	// deeds are what was not done to a tool.
	deeds = []string{"call", "called", "calling", "invoke", "invoked", "run", "ran", "use", "used", "execute", "executed", "made", "performed"}
	// negations open a claim about a deed.
	negations = []string{"not", "never", "without", "wasn't", "weren't", "isn't", "hasn't", "hadn't", "didn't", "doesn't"}
	// fillers may stand in any claim, joiners behind a happening or a trace.
	fillers = []string{
		"the", "a", "an", "any", "or", "and", "prior", "earlier", "previous", "preceding", "past", "such", "successful", "completed",
		"separate", "explicit", "corresponding", "recorded", "logged", "single", "tool", "function", "api", "agent's", "assistant's",
	}
	joiners = []string{"to", "of", "from", "with", "via", "using", "through", "by", "for"}
	// auxiliaries stand between a tool and what was not done to it.
	auxiliaries = []string{"was", "were", "is", "are", "has", "had", "been", "yet", "tool", "function"}
	// conditions narrow a claim down, or make it one about something else.
	conditions = []string{
		"for", "with", "about", "that", "which", "on", "in", "using", "containing", "showing", "returning", "whose", "where", "because",
		"since", "if", "needed", "required", "necessary", "warranted", "expected", "missing", "failed", "failing", "fails",
	}
)

// How many words may stand in a claim: between "no" and the tool, behind the tool up to
// what it did not have, and between the tool and what was not done to it.
const (
	wordsBeforeTool = 7
	wordsBehindTool = 4
	wordsOfDeed     = 5
)

// absent returns the names of tools of which a text claims that there was no call, in
// the order of the text. names come longest first.
func absent(text string, names []string) []string {
	words := claimWords(text, names)
	var out []string
	for i := range words {
		if words[i].tool == "" || !claimed(words, i) || slices.Contains(out, words[i].tool) {
			continue
		}
		out = append(out, words[i].tool)
	}
	return out
}

// claimed reports whether the words around a tool's name say that it was not called.
func claimed(words []claimWord, at int) bool {
	return noHappening(words, at) || notDone(words, at)
}

// noHappening finds "no … NAME call", "no … call of NAME" and "no earlier NAME".
func noHappening(words []claimWord, at int) bool {
	named := false // "call of" stands in front
	for i := at - 1; ; i-- {
		if i < 0 || i < at-1-wordsBeforeTool || words[i].end {
			return false
		}
		w := words[i].text
		if w == "no" || w == "without" {
			break
		}
		happens := slices.Contains(happenings, w)
		named = named || happens
		joins := slices.Contains(joiners, w) && i > 0 && (slices.Contains(happenings, words[i-1].text) || slices.Contains(traces, words[i-1].text))
		if words[i].tool == "" && !happens && !joins && !slices.Contains(traces, w) && !slices.Contains(fillers, w) {
			return false
		}
	}
	if named {
		return !conditional(words, at+1)
	}
	for i := at + 1; i <= at+wordsBehindTool; i++ {
		if i >= len(words) || words[i].end || words[i].text == "before" {
			return true
		}
		if slices.Contains(happenings, words[i].text) {
			return !conditional(words, i+1)
		}
		if words[i].tool == "" && !slices.Contains(fillers, words[i].text) {
			return false
		}
	}
	return false
}

// notDone finds "NAME was never called" and "never called NAME".
func notDone(words []claimWord, at int) bool {
	negated := false
	for i := at + 1; i < len(words) && i <= at+wordsOfDeed && !words[i].end; i++ {
		w := words[i].text
		if negated && slices.Contains(deeds, w) {
			return !conditional(words, i+1)
		}
		negated = negated || slices.Contains(negations, w)
		if !negated && !slices.Contains(auxiliaries, w) {
			break
		}
	}
	done := false
	for i := at - 1; i >= 0 && i >= at-wordsOfDeed && !words[i].end; i-- {
		w := words[i].text
		switch {
		case slices.Contains(deeds, w):
			done = true
		case slices.Contains(negations, w):
			return done && !conditional(words, at+1)
		case !slices.Contains(fillers, w) && !slices.Contains(auxiliaries, w):
			return false
		}
	}
	return false
}

// conditional reports whether what follows narrows a claim down.
func conditional(words []claimWord, at int) bool {
	for at < len(words) && !words[at].end && (slices.Contains(auxiliaries, words[at].text) || slices.Contains(fillers, words[at].text)) {
		at++
	}
	return at < len(words) && slices.Contains(conditions, words[at].text)
}

// claimWord is a word of a claim in lower case, the name of a tool, or the end of a
// clause.
type claimWord struct {
	text, tool string
	end        bool
}

// maxClaim bounds the text that is searched for claims, in bytes.
const maxClaim = 8 << 10

// claimWords splits a text; names are the tools that stand as one word, longest first.
func claimWords(text string, names []string) []claimWord {
	s := text[:min(len(text), maxClaim)]
	var out []claimWord
	for i := 0; i < len(s); {
		if n := nameAt(s, i, names); n >= 0 {
			out = append(out, claimWord{tool: names[n]})
			i += len(names[n])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !partOfName(r) {
			if strings.ContainsRune(".,;:!?()", r) {
				out = append(out, claimWord{end: true})
			}
			i += size
			continue
		}
		from := i
		for i < len(s) {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !partOfName(r) && r != '\'' && r != '’' {
				break
			}
			i += size
		}
		out = append(out, claimWord{text: strings.Trim(strings.ReplaceAll(strings.ToLower(s[from:i]), "’", "'"), "'-_")})
	}
	return out
}

func partOfName(r rune) bool { return alphanumeric(r) || r == '_' || r == '-' }

// nameAt returns which name stands at i as a whole word, -1 for none.
func nameAt(s string, i int, names []string) int {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if i > 0 && (partOfName(before) || before == '.' && i > 1 && partOfName(rune(s[i-2]))) {
		return -1
	}
	for n, name := range names {
		if len(s)-i < len(name) || !strings.EqualFold(s[i:i+len(name)], name) {
			continue
		}
		rest := s[i+len(name):]
		after, _ := utf8.DecodeRuneInString(rest)
		if rest != "" && partOfName(after) {
			continue
		}
		if after == '.' && len(rest) > 1 {
			if next, _ := utf8.DecodeRuneInString(rest[1:]); partOfName(next) {
				continue
			}
		}
		return n
	}
	return -1
}
