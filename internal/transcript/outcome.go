package transcript

import (
	"slices"

	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// Failure says whether a call failed, and how that is known: "flag" (the log or the result marks
// it), "refused", or the form in which the result says so (package toolresult). A call without a
// result has not failed.
func (c *Conversation) Failure(call *Call) (by string, failed bool) {
	if call.Refused {
		return "refused", true
	}
	if call.Result < 0 || call.Result >= len(c.Messages) {
		return "", false
	}
	m := &c.Messages[call.Result]
	switch {
	case m.IsError:
		return "flag", true
	case m.Succeeded:
		return "", false
	case m.Output.Kind() == value.Object:
		return toolresult.Value(m.Output)
	}
	return toolresult.Text(m.Content)
}

// Crashed reports whether the conversation's run ended in an error before its task was named, as in
// some τ-bench logs: then the expected behaviour is unknown.
func (c *Conversation) Crashed() bool { return c.Expected == nil && c.Extra.Field("info").Has("error") }

// Terminated says whether the run of the conversation ended by itself, if the log says so: under
// its key "terminated" (for τ-bench logs, from their last message), or by τ²'s termination_reason.
func (c *Conversation) Terminated() (ended, known bool) {
	for _, keys := range []value.Value{c.Extra, c.Sample} {
		if ended, known = keys.Field("terminated").BoolVal(); known {
			return ended, true
		}
	}
	reason := c.Sample.Field("termination_reason").Text()
	return reason == "user_stop" || reason == "agent_stop", reason != ""
}

// Solo reports whether the agent works without a user, as in τ²-bench's solo runs: no message and no call is
// the user's. The agent then also makes the calls that the reference expects from a user.
func (c *Conversation) Solo() bool {
	ofUser := func(m Message) bool { return m.Role == User }
	byUser := func(call Call) bool { return call.Executor == "user" }
	return !slices.ContainsFunc(c.Messages, ofUser) && !slices.ContainsFunc(c.Calls, byUser)
}

// ExpectedOfAgent returns the indexes of the expected calls that the agent should make: all except
// the user's, if there is a user. It is nil if no calls are expected at all.
func (c *Conversation) ExpectedOfAgent() []int {
	if c.Expected == nil {
		return nil
	}
	var of []int
	solo := c.Solo()
	for i := range c.Expected.Calls {
		if solo || c.Expected.Calls[i].Requestor != "user" {
			of = append(of, i)
		}
	}
	return of
}
