package judges

import (
	"sync"
	"sync/atomic"
)

// work is what a judge has to do for a job: all of it, or one judgement.
type work struct {
	job *job
	// rubric is -1 for everything.
	rubric, ordinal int
}

// queue is an unbounded list of work; what bounds it is admission.
type queue struct {
	mu     sync.Mutex
	wake   *sync.Cond
	jobs   []work
	closed bool
	// idle says that its reader waits and that there is nothing to read; waits is called
	// when that begins.
	idle  atomic.Bool
	waits func()
}

func newQueue(waits func()) *queue {
	q := &queue{waits: waits}
	q.wake = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(w work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, w)
	q.idle.Store(false)
	q.wake.Signal()
}

// pop waits for the next work; false when the queue is closed and empty.
func (q *queue) pop() (work, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for told := false; len(q.jobs) == 0; {
		q.idle.Store(true)
		switch {
		case !told:
			told = true
			q.mu.Unlock()
			q.waits()
			q.mu.Lock()
		case q.closed:
			return work{}, false
		default:
			q.wake.Wait()
		}
	}
	w := q.jobs[0]
	q.jobs[0] = work{}
	q.jobs = q.jobs[1:]
	return w, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}

// cancel closes the queue and drops what is in it.
func (q *queue) cancel() {
	q.mu.Lock()
	q.jobs = nil
	q.mu.Unlock()
	q.close()
}
