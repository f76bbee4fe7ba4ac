package deterministic

import (
	"fmt"
	"regexp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

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
// A retry whose result the log does not hold counts as log_ends. The score is the
// mean over the failures that have a number; without one there is no score. Fields:
// failures (how many), counts by class, and events with the call's index, the index
// of the result's message, the tool, the class, the error quoted as evidence and
// the reaction quoted; tools are those that were called.
type recovery struct{}

func (*recovery) settings() []Setting { return nil }

// Score implements Scorer. The actual side is a list of messages with roles,
// tool_calls and tool_call_id, or an object with such a list under "messages".
func (*recovery) Score(in Input) (Result, error) {
	v, err := caseView(in)
	if err != nil {
		return Result{}, err
	}
	return recoveryOf(v.happened()), nil
}

func (*recovery) log(v *view) []outcome { return whole(recoveryOf(v.happened()), nil) }

// The classes of error_recovery in the order of the reasons, and their points; a
// negative number is none.
var recoveryClasses = []struct {
	name   string
	points float64
}{
	{"recovered", 1}, {"changed_retry_failed", 0.5}, {"blind_retry", 0}, {"told_user", 1}, {"ignored", 0},
	{"other_tool", -1}, {"log_ends", -1},
}

// failure is one failed call with what followed.
type failure struct {
	call, message     int
	class, retry      string
	evidence, reacted string
}

// recoveryOf classifies every failure.
func recoveryOf(h *happened) Result {
	var found []failure
	counts := map[string]int{}
	for i := range h.events {
		if e := &h.events[i]; e.result && e.failed {
			f := h.classify(i)
			found = append(found, f)
			counts[f.class]++
		}
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
		byClass = append(byClass, intField(class.name, n))
		if class.points >= 0 {
			sum += class.points * float64(n)
			judged += n
		}
	}
	result := Result{Reason: reason, Fields: []value.Member{
		intField("failures", len(found)),
		field("counts", value.OfObject(byClass...)),
		listField("events", h.failures(found)),
		namesField("tools", h.tools()),
	}}
	if judged > 0 {
		score := sum / float64(judged)
		result.Score = &score
	}
	return result
}

// classify describes what followed the failed result at event i.
func (h *happened) classify(i int) failure {
	e := &h.events[i]
	c := h.calls[e.call]
	f := failure{call: e.call, message: e.message, class: "log_ends", evidence: value.Excerpt(e.text, maxExcerpt)}
	for _, next := range h.events[i+1:] {
		if next.call < 0 || next.result || h.calls[next.call].Name != c.Name {
			continue
		}
		return h.retried(f, c, next.call)
	}
	for _, next := range h.events[i+1:] {
		switch {
		case next.result:
			continue
		case next.call >= 0:
			f.class = "other_tool"
			f.reacted = value.Excerpt(h.calls[next.call].Name, maxExcerpt)
		case admitsFailure(next.text):
			f.class, f.reacted = "told_user", value.Excerpt(next.text, maxExcerpt)
		default:
			f.class, f.reacted = "ignored", value.Excerpt(next.text, maxExcerpt)
		}
		break
	}
	return f
}

// retried classifies a failure whose tool was called again.
func (h *happened) retried(f failure, c *transcript.Call, retry int) failure {
	again := h.calls[retry]
	identical := again.Malformed == c.Malformed && value.Equal(again.Arguments, c.Arguments)
	f.retry = "changed"
	if identical {
		f.retry = "identical"
	}
	f.reacted = value.Excerpt(again.Name+again.Arguments.JSON(), maxExcerpt)
	for _, e := range h.events {
		if !e.result || e.call != retry {
			continue
		}
		switch {
		case !e.failed:
			f.class = "recovered"
		case identical:
			f.class = "blind_retry"
		default:
			f.class = "changed_retry_failed"
		}
	}
	return f
}

func (h *happened) failures(found []failure) []value.Value {
	events := make([]value.Value, len(found))
	for i, f := range found {
		retry := field("retry", value.Value{})
		if f.retry != "" {
			retry = textField("retry", f.retry)
		}
		events[i] = value.OfObject(intField("call_index", f.call), intField("message_index", f.message),
			textField("tool", h.calls[f.call].Name), textField("class", f.class), retry,
			textField("evidence", f.evidence), textField("reaction", f.reacted))
	}
	return events
}

var admission = regexp.MustCompile(`(?i)\b(error|errors|fail|fails|failed|failure|failing|unable|unfortunately` +
	`|sorry|apologi[sz]e|cannot|can't|can’t|couldn't|couldn’t|could not|can not|didn't|didn’t` +
	`|did not|doesn't|doesn’t|does not|isn't|isn’t|wasn't|wasn’t|not found|no (such|matching|record|results?)|invalid|incorrect|issue` +
	`|problem|trouble|not (able|available|possible|valid))\b`)

// admitsFailure reports whether a text to the user admits that something did not
// work. It is a list of words, and errs towards admitting.
func admitsFailure(text string) bool { return admission.MatchString(text) }

// maxExcerpt bounds, in bytes, the texts of a log that are quoted.
const maxExcerpt = 200
