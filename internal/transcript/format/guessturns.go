package format

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// turnsAt looks for elements that are whole turns: the user's text, a list of steps that are calls with their
// results, and the agent's answer. It returns the mapping that reads them; nil if they are something else.
func turnsAt(list value.Value, at string) map[string]string {
	for i, turn := range list.Elements() {
		if m := turnTargets(turn.Decoded(), at); m != nil || i == maxElements {
			return m
		}
	}
	return nil
}

func turnTargets(turn value.Value, at string) map[string]string {
	user := textKey(turn, userTextKeys, "")
	if user == "" {
		return nil
	}
	reply := textKey(turn, slices.Concat(agentTextKeys, []string{"output", "final", "text", "content"}), user)
	for key, steps := range turn.Members() {
		call := callTargets(steps.Head().Decoded())
		if !steps.IsList() || call == nil {
			continue
		}
		call["message.user"], call["message.calls"] = step("$", user), step("$", key)+"[*]"
		if reply != "" {
			call["message.reply"] = step("$", reply)
		}
		call["messages"] = inRecord(call, at) + "[*]"
		return call
	}
	return nil
}

// textKey returns the first key, except one, under which v has a text.
func textKey(v value.Value, keys []string, except string) string {
	for _, key := range keys {
		if s, ok := v.Field(key).Str(); ok && s != "" && key != except {
			return key
		}
	}
	return ""
}

// callTargets finds the name, arguments and result of a call in a step, or in one of its objects.
func callTargets(v value.Value) map[string]string {
	at, in := "$", v
	if callTarget(in) == nil {
		for key, inner := range v.Members() {
			if inner.Kind() == value.Object && callTarget(inner) != nil {
				at, in = step("$", key), inner
			}
		}
	}
	out := map[string]string{}
	for target, key := range callTarget(in) {
		out[target] = step(at, key)
	}
	if len(out) == 0 {
		return nil
	}
	for _, place := range []struct {
		at string
		in value.Value
	}{{"$", v}, {at, in}} {
		for key := range place.in.Members() {
			if out["call.result"] == "" && saysResult(key) {
				out["call.result"] = step(place.at, key)
			}
		}
	}
	return out
}

// callTarget returns the keys of a call's name, arguments and id; nil if v is not a call.
func callTarget(v value.Value) map[string]string {
	name := textKey(v, slices.Concat(callNameKeys, []string{"action"}), "")
	_, args := v.FirstKey(slices.Concat(argumentKeys, []string{"action_input", "params"})...)
	if name == "" || args == "" || v.Field(args).Decoded().Kind() != value.Object {
		return nil
	}
	out := map[string]string{"call.name": name, "call.arguments": args}
	if _, id := v.FirstKey(callIDKeys...); id != "" {
		out["call.id"] = id
	}
	return out
}

// wordsOfTurns describes what was found.
func wordsOfTurns(m map[string]string) string {
	return fmt.Sprintf("turns at %s: the user at %s, calls at %s", m["messages"], m["message.user"], m["message.calls"])
}
