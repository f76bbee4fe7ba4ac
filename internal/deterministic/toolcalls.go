package deterministic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// ToolCalls checks rules about which tools must, may and must not be called.
var ToolCalls = Scorer{
	Name: "tool_calls",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.RequiredCalls,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
		},
	},
	rule: func() Rule { return new(toolCalls) },
}

// toolCalls implements tool_calls: required, disallowed and sequenced calls, matched by JavaScript
// regular expressions. Every mistake in its configuration is an error before anything is scored,
// except an argument command or path that a call does not have.
type toolCalls struct {
	required, disallowed, sequence []entryMatcher
	includeIncomplete              bool
}

func (t *toolCalls) settings() []Setting {
	list := func(name string, to *[]entryMatcher, summary string) Setting {
		read := func(v value.Value) ([]entryMatcher, error) { return readEntries(name, v) }
		return Setting{Name: name, Type: "array", Summary: summary, read: into(to, read)}
	}
	return []Setting{
		list("required", &t.required, "names, or entries `{name, command, path, args, result, min_count, final, "+
			"at_step, before_step}` with JavaScript patterns"),
		list("disallowed", &t.disallowed, "names, or entries `{name, command, path, args, result}`"),
		list("sequence", &t.sequence, "names, or entries `{name, command, path, args}`, in this order"),
		toggle("include_incomplete", &t.includeIncomplete, false, "calls without a result count too"),
	}
}

func (t *toolCalls) validate() error {
	if len(t.required)+len(t.disallowed)+len(t.sequence) == 0 {
		return configError("config", "asks for nothing: required, disallowed or sequence must have an entry")
	}
	return nil
}

func (t *toolCalls) share(patterns *jsregex.Budget) {
	for _, list := range [][]entryMatcher{t.required, t.disallowed, t.sequence} {
		for i := range list {
			list[i].patterns = patterns
		}
	}
}

// madeCall is one call of a trajectory.
type madeCall struct {
	index     int
	name      string
	arguments value.Value
	step      int
	complete  bool
	// result is the result in the form that patterns match.
	result string
}

// otherIDKeys are keys that other logs have for toolCallId: a result under one of them would
// leave its call without a result, and a disallowed call without a result does not count.
var otherIDKeys = []string{"tool_call_id", "toolcallId", "toolCallID", "callId", "call_id", "tool_use_id", "id"}

// readEvents converts events to calls, each with its step and its result. A result that is a string
// stays as it is; everything else is written like JavaScript's JSON.stringify. A result belongs to
// the earliest open call before it with the same id. An event of an unknown type and a call without
// a name are errors, because a disallowed call could hide there.
func readEvents(events value.Value) ([]madeCall, error) {
	var calls []madeCall
	open := map[string][]int{}
	turns := 0
	for i, e := range events.Elements() {
		data := e.Field("data")
		id := data.Field("toolCallId").JSON()
		kind, _ := e.Field("type").Str()
		if other, key := data.FirstKey(otherIDKeys...); key != "" && kind != "turn_start" && !data.Has("toolCallId") {
			return nil, eventError(i, "data."+key, other, "under toolCallId, where the id of a call is read")
		}
		switch kind {
		case "turn_start":
			turns++
		case "tool_call":
			name, ok := data.Field("toolName").Str()
			if !ok || name == "" {
				return nil, eventError(i, "data.toolName", data.Field("toolName"), "the name of the tool")
			}
			open[id] = append(open[id], len(calls))
			calls = append(calls, madeCall{
				index: len(calls), name: name, arguments: data.Field("arguments"), step: max(0, turns-1),
			})
		case "tool_result":
			waiting := open[id]
			if len(waiting) == 0 {
				continue
			}
			c := &calls[waiting[0]]
			c.complete, open[id] = true, waiting[1:]
			result, isText := data.Field("result").Str()
			if !isText {
				result = string(value.AppendJSON(nil, data.Field("result"), value.Format{JSNumbers: true}))
			}
			c.result = result
		default:
			return nil, eventError(i, "type", e.Field("type"), "turn_start, tool_call or tool_result")
		}
	}
	return calls, nil
}

// eventError returns the error for a missing or wrong field of an event.
func eventError(i int, field string, found value.Value, must string) error {
	field = fmt.Sprintf("actual.events[%d].%s", i, field)
	if found.IsNull() {
		return configError(field, "is missing, must be %s", must)
	}
	return configError(field, "is %s, must be %s", value.Excerpt(found.JSON(), 60), must)
}

// Score implements Rule.
func (t *toolCalls) Score(in Input) (Result, error) {
	events := in.Actual.Field("events")
	if !events.IsList() {
		return Result{}, configError("actual.events",
			"is missing: a list of turn_start, tool_call and tool_result events")
	}
	calls, err := readEvents(events)
	if err != nil {
		return Result{}, err
	}
	return t.of(calls)
}

func (t *toolCalls) log(v *view) []outcome {
	calls := make([]madeCall, len(v.made))
	for i, c := range v.made {
		if c.Name == "" {
			return whole(Result{}, unreadableText("call "+strconv.Itoa(c.Index), c.RawArguments))
		}
		calls[i] = madeCall{index: i, name: c.Name, arguments: c.Arguments, step: c.Step, complete: c.Result >= 0}
		if c.Result >= 0 {
			calls[i].result = v.c.Messages[c.Result].Content
		}
	}
	return whole(t.of(calls))
}

func (t *toolCalls) of(calls []madeCall) (Result, error) {
	var missing, violated []value.Value
	var reasons []string
	for i := range t.required {
		found, err := t.matching(&t.required[i], calls)
		if err != nil {
			return Result{}, err
		}
		if !t.required[i].satisfied(found, len(calls)-1) {
			missing = append(missing, value.OfInt(int64(i)))
			reasons = append(reasons, "missing: "+t.required[i].String())
		}
	}
	for i := range t.disallowed {
		found, err := t.matching(&t.disallowed[i], calls)
		if err != nil {
			return Result{}, err
		}
		if len(found) > 0 {
			violated = append(violated, value.OfInt(int64(i)))
			const reason = "violated: %s by call %d (%s)"
			reasons = append(reasons, fmt.Sprintf(reason, &t.disallowed[i], found[0].index, found[0].name))
		}
	}
	reached, err := t.reached(calls)
	if err != nil {
		return Result{}, err
	}
	for i := reached; i < len(t.sequence); i++ {
		reasons = append(reasons, "not reached: "+t.sequence[i].String())
	}
	fields := []value.Member{field("missing", missing), field("violated", violated)}
	if t.sequence != nil {
		fields = append(fields, field("sequence_matched", reached))
	}
	passed := len(reasons) == 0
	if passed {
		reasons = []string{"everything required was called, nothing disallowed"}
	}
	return passFail(passed, strings.Join(reasons, "; "), fields...), nil
}

// matching returns the eligible calls that match an entry. It examines all of them: a call without
// command or path is an error even after enough calls have matched.
func (t *toolCalls) matching(m *entryMatcher, calls []madeCall) (found []*madeCall, err error) {
	for i := range calls {
		c := &calls[i]
		if !c.complete && !t.includeIncomplete {
			continue
		}
		ok, err := m.matches(c)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, c)
		}
	}
	return found, nil
}

// reached returns how many entries of the sequence are reached. The order of invocation counts, so
// incomplete calls do too. It takes the first call that matches, which is never worse than waiting.
func (t *toolCalls) reached(calls []madeCall) (reached int, err error) {
	reached = subsequence(len(t.sequence), len(calls), func(entry, call int) bool {
		if err != nil {
			return false
		}
		var ok bool
		ok, err = t.sequence[entry].matches(&calls[call])
		return ok
	})
	return reached, err
}
