package deterministic

import (
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// logNothing stands for scorers that read no conversation.
func logNothing(*view, *entry) []outcome {
	return notApplicable("it reads a judge's reply, not a conversation")
}

// logTrajectory applies trajectory_match, each preset in the form that it reads.
func logTrajectory(v *view, e *entry) []outcome {
	config := e.Config.Config
	if config.Field("preset").Text() == "tau2_actions" {
		return logActions(v, e)
	}
	if !v.known {
		return notApplicable(noReference)
	}
	if v.listed {
		return notApplicable(listsValues)
	}
	in := scorer.Input{Actual: callForms(v.made), Expected: callForms(v.wanted)}
	switch config.Field("preset").Text() {
	case "agentevals":
		expected, why := v.referenceMessages(config.Field("trajectory_match_mode").Text())
		if why != "" {
			return notApplicable("%s", why)
		}
		in = scorer.Input{Actual: v.messages(), Expected: expected}
	case "adk":
		in = scorer.Input{Actual: oneInvocation(in.Actual), Expected: oneInvocation(in.Expected)}
	case "deepeval":
		in = scorer.Input{Actual: withParameters(in.Actual), Expected: withParameters(in.Expected)}
	case "azure":
		if len(v.expected) == 0 {
			return notApplicable("no step is expected, and the preset needs one")
		}
		names := make([]value.Value, len(v.expected))
		for i := range names {
			names[i] = value.OfString(v.expected[i].Name)
		}
		in.Expected = value.OfObject(value.Member{Key: "names", Value: value.OfList(names...)})
	}
	return whole(e.scorer.Score(in))
}

// messages returns the conversation as chat messages.
func (v *view) messages() value.Value {
	list := make([]value.Value, 0, len(v.c.Messages))
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		var calls []value.Value
		for _, at := range m.Calls {
			if v.scored(at) {
				c := typed(&v.c.Calls[at])
				calls = append(calls, chatCall(&c))
			}
		}
		list = append(list, chatMessage(m.Role, m.Content, calls))
	}
	return value.OfList(list...)
}

func chatMessage(role transcript.Role, content string, calls []value.Value) value.Value {
	members := []value.Member{
		{Key: "role", Value: value.OfString(string(role))},
		{Key: "content", Value: value.OfString(content)},
	}
	if len(calls) > 0 {
		members = append(members, value.Member{Key: "tool_calls", Value: value.OfList(calls...)})
	}
	return value.OfObject(members...)
}

func chatCall(c *scorer.Call) value.Value {
	form := callForm(c)
	return value.OfObject(value.Member{Key: "function", Value: form.With("arguments", value.OfString(form.Field("arguments").JSON()))})
}

// callForms writes calls as a list of {name, arguments}.
func callForms(calls []scorer.Call) value.Value {
	list := make([]value.Value, len(calls))
	for i := range calls {
		list[i] = callForm(&calls[i])
	}
	return value.OfList(list...)
}

// callForm writes a call. Malformed arguments are a list, which is never read as
// arguments.
func callForm(c *scorer.Call) value.Value {
	if c.Malformed {
		return callObject(c.Name, value.OfList())
	}
	return callObject(c.Name, c.Arguments)
}

func callObject(name string, args value.Value) value.Value {
	return value.OfObject(
		value.Member{Key: "name", Value: value.OfString(name)},
		value.Member{Key: "arguments", Value: args})
}

// referenceMessages returns the reference as chat messages: those of the log where
// it holds them, else one message with all expected calls, which is enough where
// roles do not count.
func (v *view) referenceMessages(mode string) (messages value.Value, why string) {
	if raw := v.c.Expected.Raw; raw.IsList() && raw.Len() > 0 && raw.At(0).Has("role") {
		return raw, ""
	}
	if mode == "" || mode == "strict" {
		return messages, "strict compares whole trajectories, and the reference holds calls only"
	}
	calls := make([]value.Value, len(v.wanted))
	for i := range calls {
		calls[i] = chatCall(&v.wanted[i])
	}
	return value.OfList(chatMessage(transcript.Assistant, "", calls)), ""
}

func oneInvocation(calls value.Value) value.Value {
	return value.OfObject(value.Member{Key: "invocations", Value: value.OfList(calls)})
}

func withParameters(calls value.Value) value.Value {
	list := make([]value.Value, calls.Len())
	for i, c := range calls.Elements() {
		list[i] = value.OfObject(
			value.Member{Key: "name", Value: c.Field("name")},
			value.Member{Key: "input_parameters", Value: c.Field("arguments")})
	}
	return value.OfList(list...)
}

// logActions applies the preset tau2_actions: the agent's expected calls against its own,
// the user's against the user's.
func logActions(v *view, e *entry) []outcome {
	if v.c.Expected == nil || v.c.Expected.Calls == nil {
		return notApplicable(noReference)
	}
	if e.quiet && !v.hasRequestors() {
		return notApplicable("the reference does not say who should call")
	}
	made := value.OfObject(value.Member{Key: "assistant", Value: callForms(v.made)}, value.Member{Key: "user", Value: v.userCalls()})
	return whole(e.scorer.Score(scorer.Input{Actual: made, Expected: v.actions()}))
}

func (v *view) hasRequestors() bool {
	return slices.ContainsFunc(v.c.Expected.Calls, func(e transcript.ExpectedCall) bool { return e.Requestor != "" })
}

// userCalls returns the calls of the simulated user.
func (v *view) userCalls() value.Value {
	var list []value.Value
	for i := range v.c.Calls {
		if c := &v.c.Calls[i]; c.Executor == "user" && !c.Context && !c.Malformed {
			list = append(list, callObject(c.Name, c.Arguments))
		}
	}
	return value.OfList(list...)
}

// actions returns the whole reference with the arguments that count and who should call.
func (v *view) actions() value.Value {
	list := make([]value.Value, len(v.c.Expected.Calls))
	for i, e := range v.c.Expected.Calls {
		args := e.Arguments
		if args.Kind() != value.Object {
			args = value.OfObject()
		}
		action := callObject(e.Name, args)
		if e.Compare != nil {
			keys := make([]value.Value, len(e.Compare))
			for j, key := range e.Compare {
				keys[j] = value.OfString(key)
			}
			action = action.With("compare_args", value.OfList(keys...))
		}
		if e.Requestor != "" {
			action = action.With("requestor", value.OfString(e.Requestor))
		}
		list[i] = action
	}
	return value.OfList(list...)
}
