package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// view is a conversation as scorers read it. Expensive parts are computed once.
type view struct {
	c *transcript.Conversation
	// made holds the agent's calls to score, without those that are only history; byUser holds a
	// simulated user's.
	made, byUser []*transcript.Call
	// expected is the reference for the agent, wanted the same with only the arguments that count.
	expected []*transcript.ExpectedCall
	wanted   []*transcript.Call
	// known says that there is a reference for the agent, which may be empty.
	known bool
	// only says that no call outside the reference is right.
	only bool
	// partial says that the reference names the arguments that count; the others are free.
	partial bool
	// listed says that the reference lists allowed values; "" if it does not.
	listed string
	// execution is the result of running the calls in an environment, null if they
	// were not run.
	execution value.Value
	happening *happened
	pairing   *pairing
	matched   *matched
}

// matched holds the matches of one way of pairing.
type matched struct {
	by      expectedMatch
	matches []callMatch
	err     error
}

// The reasons that several scorers give.
const (
	noReference      = "the log holds no expected calls"
	partialReference = "the reference names only some arguments of a call"
	noState          = "the log holds no final and expected state"
)

// outcome is a scorer's result for one call or, if call is nil, for the conversation.
type outcome struct {
	call   *transcript.Call
	result Result
	err    error
	// why says why the scorer does not apply; said says that even a default scorer reports it.
	why  string
	said bool
}

// whole returns a list with one outcome, for the conversation.
func whole(result Result, err error) []outcome {
	return []outcome{{result: result, err: err}}
}

func notApplicable(why string) []outcome { return []outcome{{why: why}} }

// ofAgent reports whether a call must be scored.
func ofAgent(c *transcript.Call) bool { return !c.Context && c.Executor != "user" }

func newView(c *transcript.Conversation, execution value.Value) *view {
	v := &view{c: c, execution: execution, made: make([]*transcript.Call, 0, len(c.Calls))}
	for i := range c.Calls {
		switch call := &c.Calls[i]; {
		case ofAgent(call):
			v.made = append(v.made, call)
		case !call.Context:
			v.byUser = append(v.byUser, call)
		}
	}
	if c.Expected != nil {
		v.known = c.Expected.Calls != nil
		v.only = v.known && (c.Expected.Only || len(c.Expected.Calls) == 0)
		v.readReference(c.Expected.Calls)
	}
	return v
}

func (v *view) readReference(calls []transcript.ExpectedCall) {
	v.expected = make([]*transcript.ExpectedCall, 0, len(calls))
	v.wanted = make([]*transcript.Call, 0, len(calls))
	wanted := make([]transcript.Call, len(calls))
	for _, i := range v.c.ExpectedOfAgent() {
		e := &calls[i]
		v.expected = append(v.expected, e)
		wanted[i].Name, wanted[i].Arguments = e.Name, compared(e)
		v.wanted = append(v.wanted, &wanted[i])
		v.partial = v.partial || e.Compare != nil
		if !e.Allowed.IsNull() {
			v.listed = "the reference lists allowed values; ast_equivalence with mode: bfcl reads them"
		}
	}
	if len(v.expected) == 0 && len(calls) > 0 {
		// Only the simulated user should make calls: what the agent should do is unknown.
		v.known = false
	}
}

// compared returns the arguments of an expected call that count.
func compared(e *transcript.ExpectedCall) value.Value {
	if e.Arguments.Kind() != value.Object {
		return value.OfObject()
	}
	if e.Compare == nil {
		return e.Arguments
	}
	var members []value.Member
	for _, key := range e.Compare {
		if arg, ok := e.Arguments.Get(key); ok {
			members = append(members, field(key, arg))
		}
	}
	return value.OfObject(members...)
}

// completeReference returns an error if a call in the reference has no name.
func (v *view) completeReference() error {
	for _, c := range v.wanted {
		if c.Name == "" {
			return configError("expected", "cannot be read as calls: one of them has no name")
		}
	}
	return nil
}

// matches pairs the calls with the expected ones.
func (v *view) matches(m expectedMatch) ([]callMatch, error) {
	m.ignoreExtra = m.ignoreExtra || v.partial
	if v.matched == nil || v.matched.by != m {
		v.matched = &matched{by: m}
		p, err := m.ofLog(v)
		if err == nil {
			v.matched.matches, err = m.matches(p)
		}
		v.matched.err = err
	}
	return v.matched.matches, v.matched.err
}

// pairs pairs the calls of a conversation with its expected ones, like expected_call_match. It
// returns nothing without a reference, if the reference lists allowed values, or if there are too
// many calls to pair.
func (v *view) pairs(m expectedMatch) []metric.Pair {
	if !v.known || v.listed != "" {
		return nil
	}
	matches, err := v.matches(m)
	if err != nil {
		return nil
	}
	pairs := make([]metric.Pair, len(v.wanted), len(v.wanted)+len(matches))
	for i, e := range v.wanted {
		pairs[i] = metric.Pair{Tool: e.Name, Expected: e.Arguments}
	}
	for j, found := range matches {
		c := v.made[j]
		if found.expected >= 0 {
			p := &pairs[found.expected]
			p.Actual, p.SameName = c.Arguments, c.Name == p.Tool
			if p.SameName {
				continue
			}
		}
		pairs = append(pairs, metric.Pair{Tool: c.Name, Actual: c.Arguments})
	}
	return pairs
}

// toolKnown says why a call cannot be checked against the inventory; "" if it can. (A call to a
// tool that is not in the inventory can be checked: it fails.)
func (v *view) toolKnown(c *transcript.Call) string {
	if len(v.c.Tools) == 0 {
		return "the log holds no tool inventory"
	}
	if t := transcript.FindTool(v.c.Tools, c.Name); t != nil && t.Parameters.IsNull() {
		return "the parameters of the tool are not known"
	}
	return ""
}

// eachCall returns, for every call, the outcome of a scorer for one call and the tools.
func (v *view) eachCall(score func(*transcript.Call, []transcript.Tool) (Result, error)) []outcome {
	out := make([]outcome, len(v.made))
	for i, c := range v.made {
		out[i].call = c
		if out[i].why = v.toolKnown(c); out[i].why == "" {
			out[i].result, out[i].err = score(c, v.c.Tools)
		}
	}
	return out
}

// readTool reads one definition: the object with the name, or the one under "function". Its
// parameters are a JSON Schema or a list of parameters; null if there is neither.
func readTool(v value.Value) (transcript.Tool, bool) {
	if inner, ok := v.Get("function"); ok && inner.Kind() == value.Object {
		v = inner
	}
	name, ok := v.Field("name").Str()
	t := transcript.Tool{Name: name}
	for _, key := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if t.Parameters = v.Field(key); !t.Parameters.IsNull() {
			break
		}
	}
	return t, ok
}

// definitions returns the elements of a case's tools: a list, or a single definition.
func definitions(v value.Value) value.Value {
	if v.Kind() == value.Object {
		return value.OfList(v)
	}
	return v
}

// readTools reads the definitions in a case, without those that have no name.
func readTools(v value.Value) []transcript.Tool {
	var tools []transcript.Tool
	for _, e := range definitions(v).Elements() {
		if t, ok := readTool(e); ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// checkTools returns an error if there are no tools or one is not a tool definition.
func checkTools(tools value.Value) error {
	tools = definitions(tools)
	if !tools.IsList() || tools.Len() == 0 {
		return configError("tools", "are missing: give the definitions of the tools")
	}
	for i, v := range tools.Elements() {
		if _, ok := readTool(v); !ok {
			return configError("tools", "definition %d has no name", i)
		}
	}
	return nil
}
