package deterministic

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// ErrorRecovery grades what the agent does after a tool has failed.
var ErrorRecovery = Scorer{
	Name: "error_recovery",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.Recovery,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
		},
		Needs:   score.NeedsResults,
		ToolsIn: "tools",
	},
	rule: func() Rule { return new(recovery) },
}

// recovery is error_recovery: what does the agent do after a tool result that is
// an error?
//
// Package toolresult decides which results are errors: what the log or the result marks as
// one, and else the known forms in which tools report failures.
//
// Each failed call gets one class, from the agent's next call of the same tool
// (the retry) if there is one before the end, else from what it does next:
//
//	recovered             the retry succeeded (field retry: identical or changed)   1
//	changed_retry_failed  the retry had other arguments and failed again            0.5
//	blind_retry           the retry had the same arguments and failed again         0
//	told_user             no retry; the next text to the user mentions a failure     1
//	ignored               no retry; the next text does not mention a failure         0
//	other_tool            no retry; the agent went on with another tool, and only
//	                      then or is silent: whether that is a way around cannot
//	                      be seen in the log                                       –
//	log_ends              nothing follows                                           –
//
// A retry without a result in the log counts as log_ends. The score is the mean over the failures
// with a number; without any there is no score. Fields: failures (their number), counts by class,
// tools (those that were called), and events, each with the call's index, the index of the result's
// message, the tool, the class, and quotes of the error and of the reaction.
type recovery struct{}

func (*recovery) settings() []Setting { return nil }

// Score implements Rule. The actual side is a list of messages with roles,
// tool_calls and tool_call_id, or an object with such a list under "messages".
func (*recovery) Score(in Input) (Result, error) {
	v, err := caseView(in)
	if err != nil {
		return Result{}, err
	}
	return recoveryOf(v.happened()), nil
}

func (*recovery) log(v *view) []outcome { return whole(recoveryOf(v.happened()), nil) }

// recoveryClasses lists the classes of error_recovery, in the order of the reasons, with their
// points; a negative number means no points.
var recoveryClasses = []struct {
	name   string
	points float64
}{
	{"recovered", 1}, {"changed_retry_failed", 0.5}, {"blind_retry", 0}, {"told_user", 1}, {"ignored", 0},
	{"other_tool", -1}, {"log_ends", -1},
}

// recoveryOf classifies every failure.
func recoveryOf(h *happened) Result {
	var found []value.Value
	counts := map[string]int{}
	for i := range h.events {
		e := &h.events[i]
		if !e.failed {
			continue
		}
		class, retry, reaction := h.classify(i)
		counts[class]++
		found = append(found, value.OfObject(field("call_index", e.call), field("message_index", e.message),
			field("tool", h.calls[e.call].Name), field("class", class), field("retry", retry),
			field("evidence", value.Excerpt(e.text, maxExcerpt)),
			field("reaction", value.Excerpt(reaction, maxExcerpt))))
	}
	reason := "no tool result is an error"
	if len(found) > 0 {
		reason = fmt.Sprintf("%d failed calls:", len(found))
	}
	var byClass []value.Member
	sum, judged := 0.0, 0
	for _, class := range recoveryClasses {
		n := counts[class.name]
		if n == 0 {
			continue
		}
		reason += fmt.Sprintf(" %d %s", n, class.name)
		byClass = append(byClass, field(class.name, n))
		if class.points >= 0 {
			sum += class.points * float64(n)
			judged += n
		}
	}
	result := Result{Reason: reason, Fields: []value.Member{
		field("failures", len(found)),
		field("counts", value.OfObject(byClass...)),
		field("events", found),
		field("tools", h.tools()),
	}}
	if judged > 0 {
		result.Score = new(sum / float64(judged))
	}
	return result
}

// classify describes what followed the failed result at event i: the class, "identical" or
// "changed" if there was a retry, and the reaction.
func (h *happened) classify(i int) (class string, retry value.Value, reaction string) {
	c := &h.calls[h.events[i].call]
	for _, next := range h.events[i+1:] {
		if next.call >= 0 && !next.result && h.calls[next.call].Name == c.Name {
			return h.retried(c, next.call)
		}
	}
	for _, next := range h.events[i+1:] {
		switch {
		case next.result:
			continue
		case next.call >= 0:
			return "other_tool", retry, h.calls[next.call].Name
		case admission.MatchString(next.text):
			return "told_user", retry, next.text
		}
		return "ignored", retry, next.text
	}
	return "log_ends", retry, ""
}

// retried classifies a failure whose tool was called again.
func (h *happened) retried(c *transcript.Call, at int) (class string, retry value.Value, reaction string) {
	again := &h.calls[at]
	identical := again.Malformed == c.Malformed && value.Equal(again.Arguments, c.Arguments)
	class, retry = "log_ends", value.OfString("changed")
	if identical {
		retry = value.OfString("identical")
	}
	for _, e := range h.events {
		switch {
		case !e.result || e.call != at:
		case !e.failed:
			class = "recovered"
		case identical:
			class = "blind_retry"
		default:
			class = "changed_retry_failed"
		}
	}
	return class, retry, again.Name + again.Arguments.JSON()
}

// admission matches text to the user that admits that something did not work. It is a list of
// words, and rather matches too much.
var admission = regexp.MustCompile(`(?i)\b(error|errors|fail|fails|failed|failure|failing|unable|unfortunately` +
	`|sorry|apologi[sz]e|cannot|can't|can’t|couldn't|couldn’t|could not|can not|didn't|didn’t` +
	`|did not|doesn't|doesn’t|does not|isn't|isn’t|wasn't|wasn’t|not found|no (such|matching|record|results?)` +
	`|invalid|incorrect|issue|problem|trouble|not (able|available|possible|valid))\b`)

// maxExcerpt limits, in bytes, the quoted texts of a log.
const maxExcerpt = 200

// event is one event in a conversation.
type event struct {
	// call is the index of the call that is made or answered; -1 for a text of the agent.
	call    int
	message int
	result  bool
	failed  bool
	text    string
}

// happened lists the events of a conversation: the agent's texts, its calls and their results.
type happened struct {
	calls  []transcript.Call
	events []event
}

func (v *view) happened() *happened {
	if v.happening != nil {
		return v.happening
	}
	h := &happened{calls: v.c.Calls, events: make([]event, 0, len(v.c.Messages)+len(v.c.Calls))}
	v.happening = h
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		if m.Role == transcript.Assistant && strings.TrimSpace(m.Content) != "" {
			h.events = append(h.events, event{call: -1, message: i, text: m.Content})
		}
		for _, at := range m.Calls { // also in a message with an unknown role
			if ofAgent(&h.calls[at]) {
				h.events = append(h.events, event{call: at, message: i})
			}
		}
		if m.Role == transcript.ToolRole && m.Result >= 0 && ofAgent(&h.calls[m.Result]) {
			_, failed := v.c.Failure(&h.calls[m.Result])
			h.events = append(h.events, event{m.Result, i, true, failed, m.Content})
		}
	}
	return h
}

// caseView reads the chat messages of a case, a list or an object with one under "messages", as a
// logged conversation.
func caseView(in Input) (*view, error) {
	messages := in.Actual
	if list := messages.Field("messages"); list.IsList() {
		messages = list
	}
	log := value.OfObject(field("messages", messages), field("tools", definitions(in.Tools))).JSON()
	r := format.Open(context.Background(), "actual", strings.NewReader(log), format.Options{Format: "openai-chat"})
	defer r.Close()
	c, err := r.Next()
	if err != nil {
		return nil, configError("actual", "must be chat messages: %v", err)
	}
	v := newView(c, value.Value{})
	if len(v.made) == 0 {
		err = callsOnlyInText(in)
	}
	return v, err
}

// tools returns the names of the called tools, sorted.
func (h *happened) tools() []string {
	names := make([]string, 0, len(h.calls))
	for i := range h.events {
		if e := &h.events[i]; e.call >= 0 && !e.result {
			names = append(names, h.calls[e.call].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
