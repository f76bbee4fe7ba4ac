package deterministic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// ErrorRecovery is the name of the scorer for what follows a failed tool call.
const ErrorRecovery = "error_recovery"

// recovery is error_recovery: what does the agent do after a tool result that is
// an error?
//
// Which results are errors says package toolresult: what the log or the result marks as
// one, and else the known forms in which tools report failures.
//
// Each failed call gets one class, from the agent's next call of the same tool
// (the retry) if there is one before the end, else from what it does next:
//
//	recovered             the retry succeeded (field retry: identical or changed)   1
//	changed_retry_failed  the retry had other arguments and failed again            0.5
//	blind_retry           the retry had the same arguments and failed again         0
//	told_user             no retry; the next text to the user speaks of a failure   1
//	ignored               no retry; the next text says nothing of a failure         0
//	other_tool            no retry; the agent went on with another tool, and only
//	                      then or never spoke: whether that is a way around cannot
//	                      be told from the log                                      –
//	log_ends              nothing follows                                           –
//
// A retry whose result the log does not hold counts as log_ends. The score is the
// mean over the failures that have a number; without one there is no score. Fields:
// failures (how many), counts by class, and events with the call's index, the index
// of the result's message, the tool, the class, the error quoted as evidence and
// the reaction quoted; tools are those that were called.
type recovery struct{}

func newRecovery(config value.Value) (scorer.Scorer, error) {
	return recovery{}, scorer.ReadSettings(config).Err
}

// The classes of error_recovery.
const (
	classRecovered    = "recovered"
	classChangedRetry = "changed_retry_failed"
	classBlindRetry   = "blind_retry"
	classToldUser     = "told_user"
	classIgnored      = "ignored"
	classOtherTool    = "other_tool"
	classLogEnds      = "log_ends"
)

var recoveryClasses = [...]string{classRecovered, classChangedRetry, classBlindRetry, classToldUser, classIgnored, classOtherTool, classLogEnds}

// recoveryPoints are the classes that have a number.
func recoveryPoints(class string) (float64, bool) {
	switch class {
	case classRecovered, classToldUser:
		return 1, true
	case classChangedRetry:
		return 0.5, true
	case classBlindRetry, classIgnored:
		return 0, true
	}
	return 0, false
}

// event is one thing that happens in a conversation, as this scorer sees it.
type event struct {
	// call is the index of the call that is made, or whose result this is; -1 for
	// text of the agent.
	call    int
	message int
	result  bool
	failed  bool
	text    string
}

// happened is a conversation as this scorer sees it.
type happened struct {
	calls  []scorer.Call
	events []event
	// reads are tools that are known to change nothing.
	reads []string
}

// Score implements scorer.Scorer. The actual side is a list of messages with roles,
// tool_calls and tool_call_id, or an object with such a list under "messages".
func (recovery) Score(in scorer.Input) (scorer.Result, error) {
	messages := in.Actual
	if list := messages.Field("messages"); list.IsList() {
		messages = list
	}
	return recoveryOf(readHappened(messages)), nil
}

// readHappened reads messages. A result without an id answers the earliest call
// that has none yet.
func readHappened(messages value.Value) *happened {
	h := &happened{}
	open := map[string][]int{}
	var waiting []int
	answered := map[int]bool{}
	for at, m := range messages.Elements() {
		role, _ := m.Field("role").Str()
		text, _ := m.Field("content").Str()
		switch role {
		case "assistant":
			if strings.TrimSpace(text) != "" {
				h.events = append(h.events, event{call: -1, message: at, text: text})
			}
			for _, raw := range m.Field("tool_calls").Elements() {
				c, _ := scorer.ReadOne(raw)
				index := len(h.calls)
				h.calls = append(h.calls, c)
				h.events = append(h.events, event{call: index, message: at})
				if id, ok := raw.Field("id").Str(); ok {
					open[id] = append(open[id], index)
				}
				waiting = append(waiting, index)
			}
		case "tool":
			queue := waiting
			if id, ok := m.Field("tool_call_id").Str(); ok {
				queue = open[id]
			}
			for _, index := range queue {
				if answered[index] {
					continue
				}
				answered[index] = true
				if text == "" {
					text = m.Field("content").JSON()
				}
				failed, flagged := m.Field("is_error").BoolVal()
				if !flagged {
					_, failed = toolresult.Text(text)
				}
				h.events = append(h.events, event{call: index, message: at, result: true, failed: failed, text: text})
				break
			}
			for len(waiting) > 0 && answered[waiting[0]] {
				waiting = waiting[1:]
			}
		}
	}
	return h
}

// failure is one failed call with what followed.
type failure struct {
	call, message     int
	class, retry      string
	evidence, reacted string
}

// recoveryOf classifies every failure.
func recoveryOf(h *happened) scorer.Result {
	var found []failure
	counts := map[string]int{}
	sum, judged := 0.0, 0
	for i := range h.events {
		if e := &h.events[i]; !e.result || !e.failed {
			continue
		}
		f := h.classify(i)
		found = append(found, f)
		counts[f.class]++
		if points, ok := recoveryPoints(f.class); ok {
			sum += points
			judged++
		}
	}
	result := scorer.Result{Fields: recoveryFields(h, found, counts), Reason: "no tool result is an error"}
	if len(found) > 0 {
		result.Reason = fmt.Sprintf("%d failed calls:", len(found))
		for _, class := range recoveryClasses {
			if counts[class] > 0 {
				result.Reason += fmt.Sprintf(" %d %s", counts[class], class)
			}
		}
	}
	if judged > 0 {
		score := sum / float64(judged)
		result.Score = &score
	}
	return result
}

// classify says what followed the failed result at event i.
func (h *happened) classify(i int) failure {
	e := &h.events[i]
	c := &h.calls[e.call]
	f := failure{call: e.call, message: e.message, class: classLogEnds, evidence: value.Excerpt(e.text, maxExcerpt)}
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
			f.class = classOtherTool
			f.reacted = value.Excerpt(h.calls[next.call].Name, maxExcerpt)
		case speaksOfFailure(next.text):
			f.class, f.reacted = classToldUser, value.Excerpt(next.text, maxExcerpt)
		default:
			f.class, f.reacted = classIgnored, value.Excerpt(next.text, maxExcerpt)
		}
		break
	}
	return f
}

// retried classifies a failure whose tool was called again.
func (h *happened) retried(f failure, c *scorer.Call, retry int) failure {
	again := &h.calls[retry]
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
			f.class = classRecovered
		case identical:
			f.class = classBlindRetry
		default:
			f.class = classChangedRetry
		}
	}
	return f
}

func recoveryFields(h *happened, found []failure, counts map[string]int) []value.Member {
	events := make([]value.Value, len(found))
	for i, f := range found {
		retry := value.Value{}
		if f.retry != "" {
			retry = value.OfString(f.retry)
		}
		events[i] = value.OfObject(
			value.Member{Key: "call_index", Value: value.OfInt(int64(f.call))},
			value.Member{Key: "message_index", Value: value.OfInt(int64(f.message))},
			value.Member{Key: "tool", Value: value.OfString(h.calls[f.call].Name)},
			value.Member{Key: "class", Value: value.OfString(f.class)},
			value.Member{Key: "retry", Value: retry},
			value.Member{Key: "evidence", Value: value.OfString(f.evidence)},
			value.Member{Key: "reaction", Value: value.OfString(f.reacted)})
	}
	var byClass []value.Member
	for _, class := range recoveryClasses {
		if counts[class] > 0 {
			byClass = append(byClass, value.Member{Key: class, Value: value.OfInt(int64(counts[class]))})
		}
	}
	return []value.Member{
		{Key: "failures", Value: value.OfInt(int64(len(found)))},
		{Key: "counts", Value: value.OfObject(byClass...)},
		{Key: "events", Value: value.OfList(events...)},
		{Key: "tools", Value: h.tools()},
	}
}

// tools are the names of the tools that were called, sorted.
func (h *happened) tools() value.Value {
	var names []string
	for i := range h.events {
		if e := &h.events[i]; e.call >= 0 && !e.result {
			names = append(names, h.calls[e.call].Name)
		}
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	list := make([]value.Value, len(names))
	for i, name := range names {
		list[i] = value.OfString(name)
	}
	return value.OfList(list...)
}

var admission = regexp.MustCompile(`(?i)\b(error|errors|fail|fails|failed|failure|failing|unable|unfortunately|sorry|apologi[sz]e|cannot|can't|can’t|couldn't|couldn’t|could not|can not|didn't|didn’t|did not|doesn't|doesn’t|does not|isn't|isn’t|wasn't|wasn’t|not found|no (such|matching|record|results?)|invalid|incorrect|issue|problem|trouble|not (able|available|possible|valid))\b`)

// speaksOfFailure reports whether a text to the user admits that something did not
// work. It is a list of words, and errs towards admitting.
func speaksOfFailure(text string) bool { return admission.MatchString(text) }

// maxExcerpt bounds, in bytes, the texts of a log that are quoted.
const maxExcerpt = 200
