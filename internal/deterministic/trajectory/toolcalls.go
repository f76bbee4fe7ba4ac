package trajectory

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

const maxInt = math.MaxInt

func value64(n int) *big.Int { return big.NewInt(int64(n)) }

// toolCalls is the scorer tool_calls.
type toolCalls struct {
	required, disallowed, sequence []matcher
	hasSequence, includeIncomplete bool
}

// NewToolCalls returns the scorer tool_calls. Its configuration holds required,
// disallowed and sequence (lists of entries, at least one of them not empty) and
// include_incomplete (false). Everything that can be wrong about it is an error
// here, except an argument command or path that a call does not have.
//
// Actual is {events: [{type, data}]}. Results have missing, violated, and, where a
// sequence is configured, sequence_matched.
func NewToolCalls(config value.Value) (scorer.Scorer, error) {
	s := readSettings(config)
	t := &toolCalls{
		required:          s.entries("required"),
		disallowed:        s.entries("disallowed"),
		sequence:          s.entries("sequence"),
		includeIncomplete: s.Flag("include_incomplete", false),
	}
	t.hasSequence = config.Has("sequence")
	if len(t.required)+len(t.disallowed)+len(t.sequence) == 0 {
		s.Fail("config", "asks for nothing: required, disallowed or sequence must have an entry")
	}
	if s.Err != nil {
		return nil, s.Err
	}
	return t, nil
}

// madeCall is one tool_call event.
type madeCall struct {
	index     int
	name      string
	arguments value.Value
	step      int
	complete  bool
	result    value.Value
	text      string // the result text, once it is asked for
	hasText   bool
}

// resultText is a result as patterns see it: a string as it is, everything else as
// JavaScript's JSON.stringify writes it.
func (c *madeCall) resultText() string {
	if !c.hasText {
		c.hasText = true
		if s, ok := c.result.Str(); ok {
			c.text = s
		} else {
			c.text = string(value.AppendJSON(nil, c.result, value.Format{JSNumbers: true}))
		}
	}
	return c.text
}

// readEvents turns events into calls, each with its step and its result. A result
// completes the earliest open call before it with the same id.
func readEvents(events value.Value) []madeCall {
	var calls []madeCall
	open := map[string][]int{}
	turns := 0
	for _, e := range events.Elements() {
		data := e.Field("data")
		switch e.Field("type").Text() {
		case "turn_start":
			turns++
		case "tool_call":
			name, _ := data.Field("toolName").Str()
			id := data.Field("toolCallId").JSON()
			open[id] = append(open[id], len(calls))
			calls = append(calls, madeCall{
				index: len(calls), name: name, arguments: data.Field("arguments"), step: max(0, turns-1),
			})
		case "tool_result":
			id := data.Field("toolCallId").JSON()
			if waiting := open[id]; len(waiting) > 0 {
				c := &calls[waiting[0]]
				c.complete, c.result = true, data.Field("result")
				open[id] = waiting[1:]
			}
		}
	}
	return calls
}

// Score implements scorer.Scorer.
func (t *toolCalls) Score(in scorer.Input) (scorer.Result, error) {
	events, ok := in.Actual.Get("events")
	if !ok || !events.IsList() {
		return scorer.Result{}, scorer.Config("actual.events", "is missing: a list of turn_start, tool_call and tool_result events")
	}
	calls := readEvents(events)
	var missing, violated []value.Value
	var reasons []string
	for i := range t.required {
		satisfied, err := t.satisfied(&t.required[i], calls)
		if err != nil {
			return scorer.Result{}, err
		}
		if !satisfied {
			missing = append(missing, value.OfInt(int64(i)))
			reasons = append(reasons, "missing: "+t.required[i].String())
		}
	}
	for i := range t.disallowed {
		where, err := t.violated(&t.disallowed[i], calls)
		if err != nil {
			return scorer.Result{}, err
		}
		if where != nil {
			violated = append(violated, value.OfInt(int64(i)))
			reasons = append(reasons, fmt.Sprintf("violated: %s by call %d (%s)", &t.disallowed[i], where.index, where.name))
		}
	}
	reached, err := t.walk(calls)
	if err != nil {
		return scorer.Result{}, err
	}
	for i := reached; i < len(t.sequence); i++ {
		reasons = append(reasons, "not reached: "+t.sequence[i].String())
	}
	fields := []value.Member{
		{Key: "missing", Value: value.OfList(missing...)},
		{Key: "violated", Value: value.OfList(violated...)},
	}
	if t.hasSequence {
		fields = append(fields, value.Member{Key: "sequence_matched", Value: value.OfInt(int64(reached))})
	}
	passed := len(reasons) == 0
	if passed {
		reasons = []string{"everything required was called, nothing disallowed"}
	}
	return passFail(passed, strings.Join(reasons, "; "), fields...), nil
}

func (t *toolCalls) eligible(c *madeCall) bool { return c.complete || t.includeIncomplete }

// satisfied tests a required entry on every eligible call: a call without command
// or path is an error even after enough calls have matched.
func (t *toolCalls) satisfied(m *matcher, calls []madeCall) (bool, error) {
	count, last := 0, false
	for i := range calls {
		c := &calls[i]
		if !t.eligible(c) {
			continue
		}
		ok, err := m.matches(c)
		if err != nil {
			return false, err
		}
		if ok && m.inWindow(c.step) {
			count++
			last = last || i == len(calls)-1
		}
	}
	return count >= m.minCount && (last || !m.final), nil
}

// violated returns the first eligible call that matches a disallowed entry. It
// looks at all of them, for the same reason as satisfied.
func (t *toolCalls) violated(m *matcher, calls []madeCall) (*madeCall, error) {
	var first *madeCall
	for i := range calls {
		if !t.eligible(&calls[i]) {
			continue
		}
		ok, err := m.matches(&calls[i])
		if err != nil {
			return nil, err
		}
		if ok && first == nil {
			first = &calls[i]
		}
	}
	return first, nil
}

// walk returns how many entries of the sequence are reached. A sequence matches at
// invocation time, so incomplete calls count. Taking the first call that matches is
// never worse than waiting.
func (t *toolCalls) walk(calls []madeCall) (int, error) {
	reached := 0
	for i := range calls {
		if reached == len(t.sequence) {
			break
		}
		ok, err := t.sequence[reached].matches(&calls[i])
		if err != nil {
			return 0, err
		}
		if ok {
			reached++
		}
	}
	return reached, nil
}
