package judges

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// task is one judgement to make.
type task struct {
	job     *job
	record  *record
	rubric  int
	ordinal int // index into job.item.Calls
	// nth is its place among the judgements of its judge by its rubric, 0 where nobody
	// counts; stopped says that it is not made.
	nth     int
	stopped bool
}

// serve works through one judge's queue with as many workers as the judge may have
// requests in flight. Workers take tasks from one channel, so that requests start
// in the order in which they stand there; a goroutine for each task would not.
func (r *runner) serve(ctx context.Context, which int, q *queue) error {
	judge := r.judges[which]
	g, gctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(gctx, func() {
		q.cancel()
		r.changed()
	})()
	tasks := make(chan task)
	workers := 0
	submit := func(t task) bool {
		select {
		case tasks <- t:
			return true
		default:
		}
		if workers < judge.cfg.Concurrency {
			workers++
			g.Go(func() error { return r.work(gctx, which, t, tasks) })
			return true
		}
		select {
		case tasks <- t:
			return true
		case <-gctx.Done():
			return false
		}
	}
	r.feed(gctx, q, which, submit)
	close(tasks)
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// feed submits the tasks of each job: rubric by rubric, calls in time order.
func (r *runner) feed(ctx context.Context, q *queue, which int, submit func(task) bool) {
	judge := r.judges[which]
	var j *job
	var rec *record
	for {
		w, ok := q.pop()
		if !ok {
			return
		}
		if w.job != j {
			j, rec = w.job, newRecord(w.job.item.Conversation, judge.cfg.Prompt)
		}
		if w.rubric >= 0 {
			r.enter(ctx, which)
			if !submit(task{job: j, record: rec, rubric: w.rubric, ordinal: w.ordinal}) {
				return
			}
			continue
		}
		for rubric := range judge.rubrics {
			for k := range j.item.Calls {
				t := task{job: j, record: rec, rubric: rubric, ordinal: k}
				if !r.late(which) {
					t.nth, t.stopped = r.begin(ctx, which, rubric)
				}
				if !t.stopped {
					r.enter(ctx, which)
				}
				if !submit(t) {
					return
				}
			}
		}
	}
}

// work makes one judgement after the other, the given one first.
func (r *runner) work(ctx context.Context, which int, t task, tasks <-chan task) error {
	for ok := true; ok; t, ok = <-tasks {
		if err := r.one(ctx, which, t); err != nil {
			return err
		}
	}
	return nil
}

// one makes one judgement and files it at its place.
func (r *runner) one(ctx context.Context, which int, t task) error {
	judge, j := r.judges[which], t.job
	if err := context.Cause(ctx); err != nil {
		return err
	}
	call := j.item.Calls[t.ordinal]
	if call < 0 || call >= len(j.item.Conversation.Calls) {
		return fmt.Errorf("judge call %d of %s: the conversation has %d calls", call, j.item.Conversation.ID, len(j.item.Conversation.Calls))
	}
	var facts Facts
	if j.item.Facts != nil {
		facts = j.item.Facts(call)
	}
	in := &judge.rubrics[t.rubric]
	var res Result
	var err error
	if t.stopped {
		res = judge.stopped(in, j.item.Conversation, call)
	} else if res, err = judge.judge(ctx, in, t.record, call, facts); err != nil {
		return err
	} else {
		defer r.leave(which) // at the end: what the answer leads to is known by then
	}
	r.tried(which, t, &res)
	at := r.place(j, which, t)
	*at = res
	if r.cfg.Progress != nil {
		r.cfg.Progress(at)
	}
	if r.team != nil {
		if err := r.advance(j, t); err != nil {
			return err
		}
	}
	if j.left.Add(-1) == 0 {
		r.across(j)
		if err := r.join(j); err != nil {
			return err
		}
		return r.finish(j)
	}
	return nil
}
