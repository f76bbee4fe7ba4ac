package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// rule is one published rule. Its figures are caps: a call that breaks the rule gets at most these
// grades.
type rule struct {
	code         string
	fault        string
	overall      float64 // 0..1
	intent       float64 // 1..5
	parameters   float64 // 1..5
	prerequisite float64 // 0 or 1
}

// The rules, in the order in which they are checked. docs/baseline.md prints them.
var (
	unknownTool   = rule{"unknown_tool", "the tool is not in the inventory", 0, 1, 3, 1}
	unparsable    = rule{"unparsable_arguments", "the arguments are not a JSON object", 0, 3, 1, 1}
	pythonLiteral = rule{"python_literal",
		"the arguments are a Python literal, which many runtimes do not read", 0.75, 5, 4, 1}
	missingRequired = rule{"missing_required", "a required parameter is absent", 0.1, 4, 1, 1}
	wrongType       = rule{"wrong_type", "an argument has another type than the schema says", 0.2, 5, 2, 1}
	notInEnum       = rule{"not_in_enum", "an argument is not in the schema's enum", 0.2, 4, 2, 1}
	unknownArgument = rule{"unknown_argument", "an argument is not in the schema", 0.3, 4, 2, 1}
	emptyRequired   = rule{"empty_required", "a required text is empty", 0.3, 4, 2, 1}
	placeholderArg  = rule{"placeholder_value",
		"an argument looks like a placeholder and was not said before", 0.2, 4, 1, 0}
	ungroundedID = rule{"ungrounded_identifier",
		"an identifier, date or address in the arguments occurs nowhere before the call", 0.3, 4, 2, 0}
	ungroundedValue = rule{"ungrounded_value",
		"a value appears nowhere in the conversation (the agent may have computed it)", 0.8, 5, 4, 1}
	repeatFailure = rule{"repeats_failed_call",
		"the same call with the same arguments has failed before", 0.2, 2, 3, 0}
	repeatSuccess = rule{"repeats_done_call",
		"the same call with the same arguments has succeeded before, and nothing has changed since", 0.4, 2, 4, 1}
	guessAfterFail = rule{"guess_after_failure",
		"this tool has failed before, and the new arguments rest on nothing learned since", 0.4, 3, 2, 0}
	retryAfterFail = rule{"retry_after_failure",
		"this tool has failed before in this conversation", 0.65, 4, 4, 1}
	ignoresError = rule{"ignores_error",
		"the last outcome is an error, and a change of state follows without the user's word", 0.5, 3, 4, 0}
	brokenChange = rule{"earlier_change_failed",
		"an earlier change of state failed, was never done, and another is tried", 0.6, 4, 4, 0}
	unconfirmed = rule{"unconfirmed_change",
		"the call changes state, and the user's last message neither agrees nor asks for it", 0.4, 3, 4, 0}
	severalChanges = rule{"several_changes_at_once",
		"a second change of state follows without a new word of the user", 0.65, 3, 4, 0}
	manyFailures = rule{"many_failures", "three or more calls of this conversation have failed", 0.65, 4, 4, 1}
)

// finding is a rule that fired, with its evidence.
type finding struct {
	rule
	detail string // follows "…: " in the explanation; plain text
	quote  string // verbatim from the record, "" when something is absent
}

// grader applies the rules to one record.
type grader struct {
	*record
	tool     *tool
	findings []finding
	seen     *corpus
	good     string      // evidence for the call, verbatim; may be ""
	fix      value.Value // a correction; null if there is nothing to correct
}

// fire records that a rule fired. Only its first finding is kept.
func (g *grader) fire(r rule, quote, format string, args ...any) {
	if !slices.ContainsFunc(g.findings, func(f finding) bool { return f.rule == r }) {
		g.findings = append(g.findings, finding{r, fmt.Sprintf(format, args...), quote})
	}
}

// run applies every rule. It accepts records of any shape.
func (g *grader) run() {
	g.tool = g.tools[g.call.name]
	g.seen = newCorpus(g.messages)
	switch {
	case g.call.bad:
		g.fire(unparsable, g.call.unparsed, "the arguments of %s cannot be read", g.call.name)
	case g.tool == nil && len(g.tools) > 0:
		g.fire(unknownTool, g.call.name, "%s is not one of the %d tools", g.call.name, len(g.tools))
		if name := spelling.Nearest(g.call.name, slices.Sorted(maps.Keys(g.tools))); name != "" {
			g.fix = value.OfObject(
				value.Member{Key: "name", Value: value.OfString(name)},
				value.Member{Key: "parameters", Value: g.call.params})
		}
	case g.tool != nil && g.tool.schema.Kind() == value.Object:
		g.checkSchema(g.tool.schema, g.call.params, "", 0)
	}
	if g.call.python {
		g.fire(pythonLiteral, g.call.unparsed, "the arguments of %s are not JSON", g.call.name)
	}
	if !g.call.bad {
		g.checkGrounding()
	}
	g.checkHistory()
	if g.changes(g.call.name) {
		g.checkChange()
	}
}

// checkHistory compares the call with earlier calls.
func (g *grader) checkHistory() {
	failures, changedSince := 0, false
	var lastFailed, lastSame *event
	for e := range g.newest() {
		if e.failed {
			failures++
			lastFailed = cmp.Or(lastFailed, e)
		}
		switch {
		case e.key != g.call.key:
		case e.failed:
			g.fire(repeatFailure, e.output, "%s failed with exactly these arguments", e.name)
		case !changedSince:
			g.fire(repeatSuccess, e.output, "%s was already answered with exactly these arguments", e.name)
		}
		if e.name == g.call.name && e.failed {
			lastSame = cmp.Or(lastSame, e)
		}
		changedSince = changedSince || g.changes(e.name) && !e.failed
	}
	switch {
	case lastSame == nil:
	case g.learnedSince(lastSame):
		g.fire(retryAfterFail, lastSame.output, "%s has failed before", lastSame.name)
	default:
		g.fire(guessAfterFail, lastSame.output,
			"%s has failed before and its new arguments are not from anything said since", lastSame.name)
	}
	if failures >= 3 {
		g.fire(manyFailures, lastFailed.output, "%d calls have failed so far", failures)
	}
}

// changes reports whether the tool with this name changes state.
func (g *grader) changes(name string) bool {
	t := g.tools[name]
	return t != nil && changesState(t.name, t.description)
}

// learnedSince reports whether a message after the failed call e contains the value of an argument
// that the judged call has and e did not have, or had with another value.
func (g *grader) learnedSince(e *event) bool {
	since := newCorpus(g.messages[min(e.at+1, len(g.messages)):])
	for k, v := range g.call.params.Members() {
		if old, ok := e.params.Get(k); ok && value.Equal(old, v) {
			continue
		}
		found := false
		leaves(v, func(leaf value.Value) { found = found || since.has(leaf.Text()) })
		if found {
			return true
		}
	}
	return false
}

// checkChange applies the rules for calls that change state.
func (g *grader) checkChange() {
	user, text := -1, ""
	for i := len(g.messages) - 1; i >= 0; i-- {
		if g.messages[i].role == "user" {
			user, text = i, g.messages[i].text
			break
		}
	}
	if user < 0 {
		return // nobody to ask
	}
	g.checkConsent(user, text)
	since := 0
	done := map[string]bool{}
	var broken, newest *event
	for e := range g.newest() {
		newest = cmp.Or(newest, e)
		switch {
		case !g.changes(e.name):
		case e.failed && !done[e.name] && e.name != g.call.name:
			broken = cmp.Or(broken, e)
		case !e.failed:
			done[e.name] = true
			if e.at > user {
				since++
			}
		}
	}
	if broken != nil {
		g.fire(brokenChange, broken.output, "%s failed and was not done later", broken.name)
	}
	if since > 0 {
		g.fire(severalChanges, text, "%d changes of state were made since the user's last message", since)
	}
	if g.messages[len(g.messages)-1].role == "tool" && newest != nil && newest.failed && newest.name != g.call.name {
		g.fire(ignoresError, newest.output, "%s has just failed", newest.name)
	}
}

// agreeing lists words of consent. The tool's own verb counts as well.
const agreeing = " yes yep yeah yup sure ok okay confirm confirmed confirming proceed ahead correct please agreed " +
	"agree fine absolutely definitely great perfect works approved accept thanks want need like would could can "

// checkConsent looks for consent in the user's last message. The first message
// of a conversation is a request, and a request is consent.
func (g *grader) checkConsent(user int, text string) {
	asked := false
	for _, m := range g.messages[:user] {
		asked = asked || (m.role == "assistant" && m.text != "")
	}
	if !asked || !latin(text) {
		return
	}
	own := nameWords(g.call.name)
	for word := range words(text) {
		if strings.Contains(agreeing, " "+word+" ") {
			return
		}
		for _, w := range own {
			if len(w) > 2 && strings.HasPrefix(word, w) {
				return
			}
		}
	}
	g.fire(unconfirmed, text, "%s changes state and the user has not agreed", g.call.name)
}
