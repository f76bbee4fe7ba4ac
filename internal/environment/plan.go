package environment

import (
	"slices"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Plan is one conversation's check: what to run from which state, and what is wanted.
type Plan struct {
	// Start is the state that both runs start in; null for the environment's own.
	Start value.Value
	// Calls are the logged calls to run.
	Calls []Call
	// WantState is the expected state, if it is given.
	WantState *value.Value
	// WantCalls are the calls that lead to the expected state; nil if it is not known this way,
	// empty if no call is right.
	WantCalls []Call
	// Assertions must be true for the final state.
	Assertions []Assertion
	// Outputs are the texts that the agent must give the user, Replies what it
	// wrote; CheckOutputs makes them count.
	Outputs, Replies []string
	CheckOutputs     bool
	// Unfinished says that the run did not end by itself: then the reward is 0.
	Unfinished bool
	// Compare says what counts as a difference.
	Compare state.Options
	// Reads are tools that change nothing, so that the environment may lack them.
	Reads []string
	// Skipped are the logged calls that are not run.
	Skipped []Skip
}

// Call is a call to run.
type Call struct {
	// Index is the call's index in the conversation, or in the expected calls.
	Index int
	// Name is the tool's name in the environment.
	Name      string
	Arguments value.Value
	// Logged is the result in the log, or nil; Failed says that the logged
	// call failed.
	Logged *transcript.Message
	Failed bool
	// Decoded holds the arguments with lists and objects in strings decoded; null if no string
	// contains one. The call is run with them if it then has the logged result.
	Decoded value.Value
}

// Skip is a logged call that is not run, with the reason: "refused", "unanswered", "user",
// "malformed", "proposed" or "failed".
type Skip struct {
	Index  int
	Reason string
}

// Plan returns the check of one conversation. An error says that the conversation lacks what the
// config requires, such as its start state; it is a *ConfigError.
func (m *Maker) Plan(conv transcript.Conversation) (Plan, error) {
	c := m.config
	p := Plan{
		Start: m.state, Compare: m.options, Assertions: c.Assertions, Reads: c.Reads,
		CheckOutputs: c.Outputs || c.Preset == tauBench,
	}
	if c.StateAt != "" {
		var err error
		if p.Start, err = at(conv, "state_at", c.StateAt); err != nil {
			return Plan{}, err
		}
	}
	for i := range conv.Calls {
		call := &conv.Calls[i]
		if reason := c.Replay.skips(conv, call); reason != "" {
			p.Skipped = append(p.Skipped, Skip{call.Index, reason})
			continue
		}
		p.Calls = append(p.Calls, m.call(conv, call))
	}
	if err := m.expect(&p, conv); err != nil {
		return Plan{}, err
	}
	if conv.Expected != nil {
		p.Outputs = conv.Expected.Outputs
	}
	if p.CheckOutputs {
		p.Replies = replies(conv)
	}
	if c.Preset == tauBench {
		ended, known := conv.Terminated()
		p.Unfinished = known && !ended
	}
	return p, nil
}

// expect sets what is expected of the final state.
func (m *Maker) expect(p *Plan, conv transcript.Conversation) error {
	c := m.config
	if c.AssertionsAt != "" {
		if list, ok := conv.Extra.Pointer(c.AssertionsAt); ok {
			own, err := parseAssertions(c.AssertionsAt, list)
			if err != nil {
				return err
			}
			p.Assertions = slices.Concat(p.Assertions, own)
		}
	}
	switch c.Expected.From {
	case wantNothing:
	case wantState:
		p.WantState = m.want
		if c.Expected.At != "" {
			want, err := at(conv, "expected.at", c.Expected.At)
			if err != nil {
				return err
			}
			p.WantState = &want
		}
	default:
		if e := conv.Expected; e == nil || e.Calls == nil && e.Raw.IsNull() && !e.Only {
			return nil
		}
		p.WantCalls = []Call{}
		ofUser := c.Replay.User || conv.Solo()
		for i, e := range conv.Expected.Calls {
			if e.Requestor == "user" && !ofUser {
				continue
			}
			p.WantCalls = append(p.WantCalls, Call{Index: i, Name: m.name(e.Name), Arguments: e.Arguments})
		}
		if len(p.WantCalls) == 0 && len(conv.Expected.Calls) > 0 {
			p.WantCalls = nil // only the user is expected to act
		}
	}
	return nil
}

func at(conv transcript.Conversation, field, pointer string) (value.Value, error) {
	v, ok := conv.Extra.Pointer(pointer)
	if !ok {
		return v, badField(field, "conversation %s holds nothing at %s", conv.ID, pointer)
	}
	return v, nil
}

func (m *Maker) name(logged string) string {
	for _, t := range slices.Backward(m.config.Tools) {
		if t.Name == logged {
			return t.Value
		}
	}
	return logged
}

// skips returns why a call is not run; "" if it is.
func (r Replay) skips(conv transcript.Conversation, call *transcript.Call) string {
	answered := call.Result >= 0
	switch {
	case call.Proposed && !r.Unanswered:
		return "proposed"
	case call.Refused && !r.Refused:
		return "refused"
	case call.Executor == "user" && !r.User:
		return "user"
	case call.Malformed && !r.Malformed:
		return "malformed"
	case !answered && !r.Unanswered:
		return "unanswered"
	}
	if _, failed := conv.Failure(call); failed && answered && r.SkipFailed && !call.Refused {
		return "failed"
	}
	return ""
}

// call returns a logged call in the form in which it is run.
func (m *Maker) call(conv transcript.Conversation, logged *transcript.Call) Call {
	c := Call{Index: logged.Index, Name: m.name(logged.Name), Arguments: logged.Arguments}
	if logged.Result >= 0 && logged.Result < len(conv.Messages) {
		c.Logged = &conv.Messages[logged.Result]
		_, c.Failed = conv.Failure(logged)
	}
	always := m.config.Replay.DecodeStrings
	if always != nil && !*always || always == nil && m.config.Preset != tauBench {
		return c
	}
	decoded, found := decodeStrings(conv, logged.Name, logged.Arguments)
	switch {
	case always != nil:
		c.Arguments = decoded
	case found && c.Logged != nil:
		c.Decoded = decoded
	}
	return c
}

// decodeStrings decodes lists and objects in strings, unless the tool's schema requires a string
// there.
func decodeStrings(conv transcript.Conversation, tool string, args value.Value) (decoded value.Value, found bool) {
	for key, v := range args.Members() {
		text, ok := v.Str()
		if !ok || text == "" || text[0] != '[' && text[0] != '{' || wantsString(conv, tool, key) {
			continue
		}
		inner, err := value.ParseString(text)
		if err != nil {
			if inner, err = pycall.ParseLiteral(text); err != nil {
				continue
			}
		}
		args, found = args.With(key, inner), true
	}
	return args, found
}

func wantsString(conv transcript.Conversation, tool, key string) bool {
	t := transcript.FindTool(conv.Tools, tool)
	return t != nil && t.Parameters.Field("properties").Field(key).Field("type").Text() == "string"
}

// replies returns what the agent wrote to the user: its messages without calls. A message whose
// calls are only written and never ran went to the user unchanged.
func replies(conv transcript.Conversation) []string {
	ran := func(call int) bool { return !conv.Calls[call].Proposed }
	var out []string
	for _, msg := range conv.Messages {
		if msg.Role == transcript.Assistant && msg.HasContent && !slices.ContainsFunc(msg.Calls, ran) {
			out = append(out, msg.Content)
		}
	}
	return out
}
