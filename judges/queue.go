package judges

import "sync"

// queue is an unbounded list of jobs; what bounds it is admission.
type queue struct {
	mu     sync.Mutex
	wake   *sync.Cond
	jobs   []*job
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.wake = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	q.wake.Signal()
}

// pop waits for the next job; false when the queue is closed and empty.
func (q *queue) pop() (*job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 {
		if q.closed {
			return nil, false
		}
		q.wake.Wait()
	}
	j := q.jobs[0]
	q.jobs[0] = nil
	q.jobs = q.jobs[1:]
	return j, true
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
