package judges

import (
	"context"
	"fmt"

	"github.com/judgekit/judge/judges/internal/result"
)

// StopAfter is how many judgements of one judge by one rubric must fail in the same way,
// with no score among them, before it is asked no more.
const StopAfter = 20

// KindStopped is the failure of a judgement that was not asked for, because the first
// StopAfter by its rubric had failed.
const KindStopped = "stopped"

// Stop says that a judge was not asked any further by one rubric.
type Stop struct {
	Judge, Rubric string
	// Kind is that of the failures, First the first of them in the order of the input.
	Kind  string
	First Result
}

// trial is the beginning of one judge's work by one rubric: the first StopAfter
// judgements in the order of the input. No other begins before it is known whether the
// judge can do its work, so that what is asked does not depend on the concurrency.
type trial struct {
	begun, failed int
	first         Result
	kind          string
	// passed says that a score came, or that failures differ.
	passed bool
}

func (t *trial) stopped() bool { return !t.passed && t.failed == StopAfter }

// begin takes the next judgement of a judge by a rubric, and waits until it may be made.
// nth counts them from 1; stopped says that it must not be made.
func (r *runner) begin(ctx context.Context, which, rubric int) (nth int, stopped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.trials[which][rubric]
	t.begun++
	nth = t.begun
	for nth > StopAfter && !t.passed && !t.stopped() && ctx.Err() == nil {
		r.wake.Wait()
	}
	return nth, nth > StopAfter && t.stopped()
}

// tried takes the result of a judgement into its trial. What was never sent says nothing
// about the judge.
func (r *runner) tried(which int, t task, res *Result) {
	if t.nth == 0 || t.nth > StopAfter {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	tr := &r.trials[which][t.rubric]
	if t.nth == 1 {
		tr.first = *res
	}
	if res.Output != nil || res.Requests == 0 || res.ErrorKind == KindContext || tr.failed > 0 && tr.kind != res.ErrorKind {
		tr.passed = true
	}
	tr.failed++
	tr.kind = res.ErrorKind
	if tr.stopped() && r.cfg.Stopped != nil {
		r.cfg.Stopped(Stop{Judge: res.Judge, Rubric: res.Rubric, Kind: tr.kind, First: tr.first})
	}
	r.wake.Broadcast()
}

// stopped is the result of a judgement that is not made.
func (j *Judge) stopped(in *instrument, conv *Conversation, callIndex int) Result {
	call := &conv.Calls[callIndex]
	res := Result{
		ConversationID: conv.ID, CallIndex: callIndex, CallID: call.ID, Tool: call.Name,
		Rubric: in.rubric.Name, RubricSHA: in.rubric.SHA, Judge: j.cfg.Name, Transport: j.cfg.Transport, Method: j.cfg.Method,
		ErrorKind: KindStopped, ErrorDetail: fmt.Sprintf("not asked: the first %d judgements by this rubric had all failed in the same way", StopAfter),
	}
	result.Decide(&res, in.rubric, in.mode)
	result.EscalateSevere(&res)
	return res
}
