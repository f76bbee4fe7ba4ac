// Steps of an action and its observation.
// Written by: ReAct agents, benchmarks and scripts of many people: {task, steps: [{thought, action, action_input,
// observation}], answer}; LangChain's intermediate_steps, [[action, observation]]; DSPy's trajectories of numbered
// keys, Dify's agent_thoughts, steps of smolagents (tool_calls and observations). Also sessions of such records:
// {session_id, turns: [{user_text, steps, reply}]}, or a row for each turn; steps that are calls with their results.
// Read: an action that is a text and no call is a call of "action" with that text.
// Lost: nothing; other keys of a step are not read.

package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var actionSteps = format{
	name: "action-steps",
	mark: "steps with an action and an observation",
	detect: loosely(of(func(f value.Value) bool {
		list, _ := actionTurns(f)
		return list != nil
	})),
	read: (*draft).readActionSteps,
	parts: func(v value.Value, add func(part)) { // the rows of a session are its turns
		id := v.FirstText(eventSessionKeys...)
		add(part{conversation: id, alone: id == "", text: v.Raw()})
	},
}

// hasActions reports whether a record has steps with an action.
func hasActions(v value.Value) bool {
	list, _ := stepsOf(v)
	first := list.Head()
	if first.Has("task") { // smolagents begins with it
		first = list.At(1)
	}
	pair := first.Len() == 2 && first.Head().HasAll("tool", "tool_input")
	_, named := first.Field("action").Str()
	call := isCall(first) || isCall(first.Field("action")) || named && first.HasAny(argumentKeys...)
	asked, _ := v.FirstKey(askedKeys...)
	return first.HasAll("action", "observation") || first.HasAll("tool", "tool_input", "observation") ||
		first.HasAll("tool_calls", "observations") || first.HasAll("action", "action_input") || pair ||
		call && first.HasAny(bothResultKeys...) && !v.HasAny(roleKeys...) && asked.Kind() == value.String
}

// actionTurns returns the turns of a record: the record itself, or the elements of a list in it, if
// they have steps with an action.
func actionTurns(v value.Value) (turns []value.Value, path string) {
	if hasActions(v) {
		return []value.Value{v}, ""
	}
	list, path := findList(v, "turns", "rounds", "exchanges", "interactions", "episodes", "conversation", "dialogue", "dialog",
		"messages")
	if turns = list.Slice(); slices.ContainsFunc(turns, hasActions) {
		return turns, path
	}
	return nil, ""
}

// stepsOf returns the steps of a record.
func stepsOf(v value.Value) (list value.Value, path string) {
	numbered := v.Field("trajectory")
	if !numbered.Has("tool_name_0") {
		return findList(v, stepPaths...)
	}
	var steps []value.Value
	for i := 0; numbered.Has(fmt.Sprintf("tool_name_%d", i)); i++ { // DSPy's
		at := func(key string) value.Value { return numbered.Field(fmt.Sprintf("%s_%d", key, i)) }
		steps = append(steps, value.Pairs("thought", at("thought"), "tool", at("tool_name"), "tool_input", at("tool_args"),
			"observation", at("observation")))
	}
	return value.OfList(steps...), "trajectory"
}

var (
	stepPaths = []string{"steps", "trajectory", "intermediate_steps", "history", "turns", "events", "trace", "calls",
		"tool_calls", "tools_used", "actions", "tools", "tool_uses", "agent_thoughts"}
	askedKeys = append([]string{"task", "input", "instruction", "goal"}, userTextKeys...)
)

// readActionSteps reads the records of one conversation.
func (d *draft) readActionSteps(list value.Value) error {
	for _, v := range list.Elements() {
		if err := d.actionRecord(v); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) actionRecord(v value.Value) error {
	turns, path := actionTurns(v)
	d.ID = v.FirstText(append(slices.Clone(eventSessionKeys), "id")...)
	tools, _ := found(v, toolPaths...)
	d.useTools(tools)
	if path != "" {
		d.Extra = foreign(v, path, "id", "tools")
		d.say(transcript.System, v.FirstText(systemPaths...), "system")
	}
	for i, turn := range turns {
		at := ""
		if path != "" {
			at = place(path, i) + "."
		}
		if err := d.actionTurn(turn, at); err != nil {
			return err
		}
	}
	return nil
}

// actionTurn reads the question, the steps and the answer of a turn; at is the place of the turn with a dot.
func (d *draft) actionTurn(v value.Value, at string) error {
	list, path := stepsOf(v)
	asked, askedAt := v.FirstKey(askedKeys...)
	answer, answerAt := v.FirstKey(append([]string{"final_answer", "output", "result"}, agentTextKeys...)...)
	if said, key := v.FirstKey("agent", "bot", "ai"); answer.IsNull() && strings.ContainsAny(said.Text(), " .!?\n") { // no name
		answer, answerAt = said, key
	}
	if at == "" {
		d.Extra = foreign(v, path, askedAt, answerAt, "id", "tools")
	}
	if !asked.IsNull() {
		if err := d.prompt(asked, at+askedAt); err != nil {
			return err
		}
	}
	t := turns{draft: d}
	defer t.flush()
	for i, s := range list.Elements() {
		if s.IsList() && s.Len() == 2 { // a pair of LangChain
			s = s.Head().With("observation", s.At(1))
		}
		t.step(s, place(at+path, i))
	}
	if _, isText := answer.Str(); isText {
		t.begin(transcript.Assistant, at+answerAt)
		t.text(answer, at+answerAt)
	}
	return nil
}

func (t *turns) step(s value.Value, at string) {
	t.begin(transcript.Assistant, at)
	t.open.empty = true
	t.open.thought = s.FirstText("thought", "reasoning", "thinking", "log")
	if task := s.Field("task"); !task.IsNull() && !s.Has("tool_calls") { // smolagents'
		t.begin(transcript.User, at)
		t.text(task, at)
		return
	}
	if s.HasAll("tool_calls", "observations") {
		calls := s.Field("tool_calls").Slice()
		for i, c := range calls {
			if c = c.Inside("function").With("id", c.Field("id")); i == len(calls)-1 {
				c = c.With("output", s.Field("observations"))
			}
			if c.Field("name").Text() == "python_interpreter" { // its arguments are code
				c = c.With("arguments", under("code", c.Field("arguments")))
			}
			t.callPart(c, at+".tool_calls")
		}
		return
	}
	if calls := callsOfThought(s); calls != nil {
		for _, c := range calls {
			t.part(c, at)
		}
		return
	}
	call := actionCall(s)
	if call.IsNull() && isCall(s) {
		t.callPart(s, at)
		return
	}
	if call.IsNull() {
		t.text(s.Field("action"), at)
		return
	}
	result := s.Field("observation")
	_, isText := s.Field("action").Str()
	if result.IsNull() && (!isText || s.HasAny(argumentKeys...)) { // else the response is the model's
		result, _ = s.First(bothResultKeys...)
	}
	if !result.IsNull() {
		call = call.With("output", result)
	}
	t.part(call, at)
}

// callsOfThought returns the calls in a thought of Dify, which names its tools as "a;b" and has
// arguments and results under these names; nil for other steps.
func callsOfThought(s value.Value) (calls []value.Value) {
	input, results := s.Field("tool_input").Decoded(), s.Field("observation").Decoded()
	for name := range strings.SplitSeq(s.Field("tool").Text(), ";") {
		if input.Field(name).Kind() != value.Object {
			return nil
		}
		call := callItem("", name, input.Field(name))
		if result := results.Field(name); !result.IsNull() {
			call = call.With("output", result)
		}
		calls = append(calls, call)
	}
	return calls
}

// actionCall returns the call of a step; null if none.
func actionCall(s value.Value) value.Value {
	action := s.Field("action").Decoded()
	input, given := s.First(append([]string{"action_input"}, argumentKeys...)...)
	name, isText := action.Str()
	switch {
	case s.Has("tool"):
		if name = s.Field("tool").Text(); name == "" {
			return value.Value{}
		}
		return callItem("", name, under("input", input.Decoded()))
	case isText && strings.TrimSpace(name) == "" || action.IsNull():
		return value.Value{}
	case isText && given:
		return callItem("", name, under("input", input.Decoded()))
	case isText:
		if calls, ok := pythonCalls(name); ok && len(calls) == 1 {
			return callItem("", calls[0].Field("name").Text(), calls[0].Field("arguments"))
		}
		return callItem("", "action", value.Pairs("action", name))
	}
	arguments, given := action.First(argumentKeys...)
	if name = action.FirstText(append([]string{"action", "type"}, callNameKeys...)...); !given {
		arguments = action.Without(append([]string{"action", "type"}, callNameKeys...)...)
	}
	return callItem(action.FirstText(callIDKeys...), name, under("input", arguments.Decoded()))
}
