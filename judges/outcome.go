package judges

import (
	"errors"

	"github.com/judgekit/judge/judges/internal/result"
)

// outcome puts a job's results in their order.
func (r *runner) outcome(j *job) *Outcome {
	if r.team == nil {
		return &Outcome{Item: j.item, Results: j.results}
	}
	out := &Outcome{Item: j.item}
	for ordinal, width := 0, len(j.results)/max(1, len(j.item.Calls)); ordinal < len(j.item.Calls); ordinal++ {
		for _, res := range j.results[ordinal*width : (ordinal+1)*width] {
			if res.Verdict != "" {
				out.Results = append(out.Results, res)
			}
		}
		out.Results = append(out.Results, j.joint[ordinal]...)
	}
	return out
}

// across holds the rubrics of each call and judge against each other.
func (r *runner) across(j *job) {
	for at := 0; at < len(j.results); {
		for _, judge := range r.judges {
			n := len(judge.rubrics)
			result.AcrossRubrics(j.results[at : at+n])
			at += n
		}
	}
}

// finish hands over the job, and those that waited for it, when its turn has come.
// The goroutine that finds the turn open does it for all.
func (r *runner) finish(j *job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active--; r.allIn && r.active == 0 {
		for _, q := range r.queues {
			q.close()
		}
	}
	r.done[j.seq] = j
	r.wake.Broadcast()
	if r.emitting {
		return nil
	}
	r.emitting = true
	for r.failure == nil {
		next, ok := r.done[r.next]
		if !ok {
			break
		}
		delete(r.done, r.next)
		r.next++
		r.failure = r.handOver(next)
		r.pending -= len(next.results)
		r.bytes -= next.bytes
		r.wake.Broadcast()
	}
	r.emitting = false
	r.wake.Broadcast()
	return r.failure
}

// handOver calls emit without the lock. An emit that never returns (it panics, or
// ends its goroutine as a failing test does) fails the run.
func (r *runner) handOver(j *job) error {
	returned := false
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		if !returned {
			r.failure, r.emitting = errors.New("run: emit did not return"), false
			r.wake.Broadcast()
		}
	}()
	err := r.emit(r.outcome(j))
	returned = true
	return err
}
