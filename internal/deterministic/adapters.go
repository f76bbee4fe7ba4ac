package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/bfcl"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// whole is the outcome of the conversation as one.
func whole(result scorer.Result, err error) []outcome {
	return []outcome{{call: -1, result: result, err: err}}
}

func notApplicable(format string, args ...any) []outcome {
	return []outcome{{call: -1, why: fmt.Sprintf(format, args...)}}
}

// The reasons that several adapters give.
const (
	noReference = "the log holds no expected calls"
	noState     = "the log holds no final and expected state"
	listsValues = "the reference lists allowed values; ast_equivalence with mode: bfcl reads them"
)

// logTrace applies coverage: the names of the calls, and the row's sample.
func logTrace(v *view, e *entry) []outcome {
	c, ok := e.scorer.(*coverage)
	if !ok {
		return nil
	}
	return v.coverage(c)
}

func (v *view) coverage(c *coverage) []outcome {
	trace := v.made
	if slices.ContainsFunc(trace, func(c scorer.Call) bool { return c.Unreadable }) {
		// In a trace an empty name is a name.
		trace = slices.Clone(trace)
		for i := range trace {
			trace[i].Unreadable = false
		}
	}
	return whole(c.of(trace, v.c.Sample))
}

// logReference is coverage without a configuration: required are the names of the
// reference, each as often as it stands there, or else the sample's function_calls.
func logReference(v *view, _ *entry) []outcome {
	if v.known {
		return v.coverage(&coverage{multiset: true, required: namesOf(v.wanted)})
	}
	names, err := nameList(v.c.Sample.Field("function_calls"))
	if err != nil {
		return notApplicable(noReference)
	}
	return v.coverage(&coverage{required: names})
}

// logPairs applies a scorer of all calls against all expected ones. A reference
// that names the arguments that count leaves the others free.
func logPairs(v *view, e *entry) []outcome {
	if !v.known {
		return notApplicable(noReference)
	}
	if _, namesOnly := e.scorer.(relevance); v.listed && !namesOnly {
		return notApplicable(listsValues)
	}
	return v.pair(e)
}

func (v *view) pair(e *entry) []outcome {
	s, ok := v.freed(e.scorer).(pairScorer)
	if !ok {
		return nil
	}
	expected, err := s.reference(v.wanted)
	if err != nil {
		return whole(scorer.Result{}, err)
	}
	return whole(s.pair(s.sideOf(v.made), expected))
}

// freed returns the scorer that ignores arguments which the reference does not
// compare.
func (v *view) freed(s scorer.Scorer) scorer.Scorer {
	if !v.partial {
		return s
	}
	switch s := s.(type) {
	case *accuracy:
		c := *s
		c.ignoreExtra = true
		return &c
	case *exactMatch:
		c := *s
		c.ignoreExtra = true
		return &c
	case *expectedMatch:
		c := *s
		c.ignoreExtra = true
		return &c
	}
	return s
}

// logOneCall applies a scorer that compares one call with one.
func logOneCall(v *view, e *entry) []outcome {
	if !v.known {
		return notApplicable(noReference)
	}
	if len(v.expected) != 1 {
		return notApplicable("it compares one call with one, and %d are expected", len(v.expected))
	}
	return v.pair(e)
}

// callScorer is a scorer of one call and the tools.
type callScorer interface {
	call(c *scorer.Call, tools inventory) (scorer.Result, error)
}

// logEachCall applies a scorer of one call and the tools to every call.
func logEachCall(v *view, e *entry) []outcome {
	s, ok := e.scorer.(callScorer)
	if !ok {
		return nil
	}
	out := make([]outcome, len(v.calls))
	for i, at := range v.calls {
		out[i].call = at
		if out[i].why = v.toolKnown(at); out[i].why == "" {
			out[i].result, out[i].err = s.call(&v.made[i], v.tools)
		}
	}
	return out
}

// logMatches applies expected_call_match: one score for each call.
func logMatches(v *view, e *entry) []outcome {
	out := make([]outcome, len(v.calls))
	for i, at := range v.calls {
		out[i] = outcome{call: at, why: noReference}
		if v.listed {
			out[i].why = listsValues
		}
	}
	m, ok := v.freed(e.scorer).(*expectedMatch)
	if !v.known || v.listed || !ok || len(out) == 0 {
		return out
	}
	matches, err := v.matches(m)
	for i := range out {
		out[i].why, out[i].err = "", err
		if err != nil {
			continue
		}
		out[i].result = yesNo(matches[i].exact, matches[i].reason, matches[i].fields()...)
	}
	return out
}

// logEvents applies tool_calls.
func logEvents(v *view, e *entry) []outcome {
	return whole(e.scorer.Score(scorer.Input{Actual: v.events()}))
}

// logAST applies ast_equivalence: the calls against the expected ones, one to one, or,
// in mode bfcl, the calls against a reference of allowed values.
func logAST(v *view, e *entry) []outcome {
	if !v.known {
		return notApplicable(noReference)
	}
	mode := e.Config.Config.Field("mode").Text()
	switch {
	case v.listed && (mode == "bfcl" || e.quiet), mode == "bfcl" && len(v.expected) == 0:
		return v.leaderboard(e)
	case v.listed:
		return notApplicable(listsValues)
	case mode == "bfcl":
		return notApplicable("the reference does not list allowed values")
	case v.partial:
		return notApplicable("the reference names only some arguments of a call")
	}
	return v.equivalentCalls(e)
}

// equivalentCalls says whether the calls that were made are, one to one and in any
// order, equivalent to the expected ones.
func (v *view) equivalentCalls(e *entry) []outcome {
	n := len(v.expected)
	result := func(ok bool, reason string) []outcome {
		return []outcome{{call: -1, result: yesNo(ok, reason, value.Member{Key: "equivalent", Value: value.OfBool(ok)})}}
	}
	switch {
	case len(v.calls) != n:
		return result(false, fmt.Sprintf("%d calls made, %d expected", len(v.calls), n))
	case n == 0:
		return result(true, "no call is expected and none was made")
	case n > maxASTCalls:
		return notApplicable("%d calls are too many to pair", n)
	}
	s, ok := e.scorer.(*bfcl.Equivalence)
	if !ok {
		return nil
	}
	if slices.ContainsFunc(v.wanted, func(c scorer.Call) bool { return c.Unreadable }) {
		return whole(scorer.Result{}, scorer.Config("expected", "cannot be read as calls"))
	}
	if _, ok := perfect(n, func(row, col int) bool { return s.Same(&v.made[col], &v.wanted[row]) }); !ok {
		return result(false, fmt.Sprintf("the %d calls are not the expected ones", n))
	}
	return result(true, fmt.Sprintf("all %d calls are equivalent to the expected ones", n))
}

// maxASTCalls bounds the pairs that are compared: the square of it.
const maxASTCalls = 1000

// leaderboard applies mode bfcl. Unless the category is configured it follows from
// the reference and the tools.
func (v *view) leaderboard(e *entry) []outcome {
	s := e.scorer
	expected := make([]value.Value, len(v.expected))
	for i := range v.expected {
		expected[i] = value.OfObject(value.Member{Key: v.expected[i].Name, Value: v.expected[i].Allowed})
	}
	if e.Config.Config.Field("category").IsNull() {
		category := "simple"
		switch {
		case len(expected) == 0:
			category = "irrelevance"
		case len(expected) > 1:
			category = "parallel"
		case len(v.c.Tools) > 1:
			category = "multiple"
		}
		config := e.Config.Config.With("mode", value.OfString("bfcl")).With("category", value.OfString(category))
		var err error
		if s, err = bfcl.NewAST(config); err != nil {
			return []outcome{{call: -1, err: err}}
		}
	}
	list := make([]value.Value, len(v.calls))
	for i, at := range v.calls {
		c := &v.c.Calls[at]
		list[i] = value.OfObject(value.Member{Key: c.Name, Value: c.Arguments})
	}
	tools := make([]value.Value, len(v.c.Tools))
	for i := range tools {
		tools[i] = v.c.Tools[i].Raw
	}
	return whole(s.Score(scorer.Input{Actual: value.OfList(list...), Expected: value.OfList(expected...), Tools: value.OfList(tools...)}))
}

// logRecovery applies error_recovery.
func logRecovery(v *view, _ *entry) []outcome {
	return []outcome{{call: -1, result: recoveryOf(v.happened())}}
}

// logEfficiency applies tool_efficiency.
func logEfficiency(v *view, e *entry) []outcome {
	s, ok := e.scorer.(*efficiency)
	if !ok || len(v.calls) == 0 {
		return notApplicable("no call was made")
	}
	return []outcome{{call: -1, result: s.of(v.happened())}}
}

// happened is what happened in the conversation: the agent's texts, its calls and their
// results.
func (v *view) happened() *happened {
	if v.happening != nil {
		return v.happening
	}
	h := &happened{
		calls:  make([]scorer.Call, len(v.c.Calls)),
		events: make([]event, 0, len(v.c.Messages)+len(v.c.Calls)),
	}
	v.happening = h
	for i := range v.c.Calls {
		c := &v.c.Calls[i]
		h.calls[i] = scorer.Call{Name: c.Name, Arguments: c.Arguments, Malformed: c.Malformed}
	}
	for i := range v.c.Tools {
		if v.c.Tools[i].Raw.Field("annotations").Field("readOnlyHint").Text() == "true" {
			h.reads = append(h.reads, v.c.Tools[i].Name)
		}
	}
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		switch m.Role {
		case transcript.Assistant:
			if strings.TrimSpace(m.Content) != "" {
				h.events = append(h.events, event{call: -1, message: i, text: m.Content})
			}
			for _, at := range m.Calls {
				if v.scored(at) {
					h.events = append(h.events, event{call: at, message: i})
				}
			}
		case transcript.ToolRole:
			if m.Result >= 0 && v.scored(m.Result) {
				_, failed := v.c.Failure(&v.c.Calls[m.Result])
				h.events = append(h.events, event{call: m.Result, message: i, result: true, failed: failed, text: m.Content})
			}
		}
	}
	return h
}

// states returns the log's states for execution-grounded scorers: final_state (or
// exec_error) and expected_state among its own keys, or the state of the reference.
func (v *view) states() (actual, expected value.Value, ok bool) {
	want, given := v.c.Extra.Get("expected_state")
	if !given && v.c.Expected != nil {
		want, given = v.c.Expected.Raw.Get("state")
	}
	final, reached := v.c.Extra.Get("final_state")
	failed, broken := v.c.Extra.Get("exec_error")
	actual = value.OfObject()
	if reached {
		actual = actual.With("final_state", final)
	}
	if broken {
		actual = actual.With("exec_error", failed)
	}
	expected = value.OfObject(value.Member{Key: "state", Value: want})
	return actual, expected, given && (reached || broken)
}

// logStates applies execution_check.
func logStates(v *view, e *entry) []outcome {
	actual, expected, ok := v.states()
	if !ok {
		return notApplicable(noState)
	}
	var replies, outputs []value.Value
	for i := range v.c.Messages {
		if m := &v.c.Messages[i]; m.Role == transcript.Assistant && m.HasContent {
			replies = append(replies, value.OfString(m.Content))
		}
	}
	if v.c.Expected != nil {
		for _, o := range v.c.Expected.Outputs {
			outputs = append(outputs, value.OfString(o))
		}
	}
	if ended, known := v.c.Terminated(); known {
		actual = actual.With("terminated", value.OfBool(ended))
	}
	return whole(e.scorer.Score(scorer.Input{
		Actual:   actual.With("responses", value.OfList(replies...)),
		Expected: expected.With("outputs", value.OfList(outputs...)),
	}))
}

// logLayers applies three_layer: at most one call against at most one. The third
// verdict is that of the environment, where there is one; of conversations with more
// calls it is the only one.
func logLayers(v *view, e *entry) []outcome {
	ran, known := v.execution.Field("exec_ok").BoolVal()
	several := len(v.calls) > 1 || len(v.expected) > 1 || v.partial || v.listed
	if several && known {
		result := layersResult(nil, nil, &ran, nil, v.execution.Field("diff"))
		result.Reason += ": schema and equivalence are of one whole call against one"
		return []outcome{{call: -1, result: result}}
	}
	if !v.known {
		return notApplicable(noReference)
	}
	if several {
		return notApplicable("it compares one whole call with one; %d were made, %d are expected", len(v.calls), len(v.expected))
	}
	s, ok := e.scorer.(*threeLayer)
	if !ok {
		return nil
	}
	var made, wanted *scorer.Call
	if len(v.made) == 1 {
		if why := v.toolKnown(v.calls[0]); why != "" {
			return notApplicable("%s", why)
		}
		made = &v.made[0]
	}
	if len(v.wanted) == 1 {
		if wanted = &v.wanted[0]; wanted.Unreadable {
			return whole(scorer.Result{}, scorer.Config("expected.call", "cannot be read as one call: %.80s", callForm(wanted).JSON()))
		}
	}
	if known {
		return whole(s.judge(made, wanted, v.tools, &ran, v.execution.Field("diff")))
	}
	actual, expected, _ := v.states()
	execOK, diff := executed(actual, expected)
	return whole(s.judge(made, wanted, v.tools, execOK, diffList(diff)))
}
