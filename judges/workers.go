package judges

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
)

// seat is one judge's place in a run.
type seat struct {
	*Judge
	first int // index of its first result among those of a call
	late  bool
	busy  int    // number of running workers
	tasks []task // waiting tasks, in the order in which they begin
	// trials holds the judge's trial for each rubric.
	trials []trial
	// alike is the first judge that sees conversations in the same form. last is the job that was
	// queued last for one of these judges, record its conversation.
	alike  *seat
	last   *job
	record func() *record
}

// trial counts the first StopAfter judgements of one judge by one rubric, in the order of the
// input. No other judgement begins before they show whether the judge can do its work, so that the
// requests do not depend on the concurrency. Only a judge that answered a rubric before goes on
// meanwhile, with as many judgements as may be in flight; their results wait.
type trial struct {
	begun, failed int
	first         Result
	kind          string
	// passed says that a score arrived, or that the failures differ.
	passed bool
	early  []early
}

// early is a judgement that was finished before its trial was decided.
type early struct {
	task
	Result
}

func (t *trial) stopped() bool { return !t.passed && t.failed == StopAfter }

// holds reports whether the judge must not begin another judgement by the rubric until the trial is
// decided.
func (t *trial) holds(cfg *Config) bool {
	most := StopAfter
	if cfg.Answers {
		most += cfg.Concurrency
	}
	return !t.passed && !t.stopped() && t.begun >= most
}

// host is a server that holds one model at a time and loads another in its place. Its models are
// used one after the other: the next model's turn comes when there is nothing left to ask this one
// for now.
type host struct {
	model    string
	inFlight int
}

// task is one judgement to make.
type task struct {
	job     *job
	record  func() *record
	rubric  int
	ordinal int // index in job.item.Targets
	// nth is the judgement's number among those of its judge by its rubric, from 1; 0 if it is not
	// counted. stopped says that it will not be made.
	nth     int
	stopped bool
	// behind lists the tasks that wait for this one, their pilot. free says that a task waits for
	// no pilot.
	behind []task
	free   bool
}

// pilot makes the tasks that share a prefix with the next task wait for one of them: the task about
// the last item, whose prompt contains the prefixes of all others. There is no pilot before the
// judge has passed its trial, so that the requests do not depend on the concurrency.
func (s *seat) pilot() {
	first := &s.tasks[0]
	if !s.cfg.Pilot || first.free || s.late || !s.trials[first.rubric].passed {
		return
	}
	byRubric := s.cfg.Prompt.Layout == prompt.RubricFirst || s.cfg.Prompt.Layout == ""
	n, at := 0, 0
	for n < len(s.tasks) && s.tasks[n].job == first.job && (!byRubric || s.tasks[n].rubric == first.rubric) {
		if s.tasks[n].ordinal > s.tasks[at].ordinal {
			at = n
		}
		s.tasks[n].free = true
		n++
	}
	pilot := s.tasks[at]
	pilot.behind = slices.Delete(slices.Clone(s.tasks[:n]), at, at+1)
	s.tasks = s.tasks[n-1:]
	s.tasks[0] = pilot
}

func (r *runner) push(s *seat, j *job, rubric, ordinal int) {
	if first := s.alike; first.last != j {
		first.last = j
		first.record = sync.OnceValue(func() *record { return newRecord(j.item.Conversation, s.cfg.Prompt) })
	}
	s.tasks = append(s.tasks, task{job: j, record: s.alike.record, rubric: rubric, ordinal: ordinal})
	j.left++
	if !r.team.empty() {
		j.open[ordinal*len(s.rubrics)+rubric]++
	}
}

// dispatch gives every task that may begin to a worker.
func (r *runner) dispatch() {
	for _, s := range r.seats {
		for s.busy < s.cfg.Concurrency {
			t, ok := r.take(s)
			if !ok {
				break
			}
			s.busy++
			r.group.Go(func() error { return r.work(s, t) })
		}
	}
}

// take removes and returns the first task of a judge, if it may begin now.
func (r *runner) take(s *seat) (task, bool) {
	if len(s.tasks) == 0 || !r.turn(s) {
		return task{}, false
	}
	s.pilot()
	t := s.tasks[0]
	if trial := &s.trials[t.rubric]; !s.late {
		t.stopped = trial.stopped()
		if trial.holds(&s.cfg) {
			return task{}, false
		}
		if s.cfg.Pilot && trial.begun > 0 && !trial.passed && trial.failed == 0 {
			return task{}, false // the first task computes the rubric's own prefix
		}
		trial.begun++
		t.nth = trial.begun
	}
	if h := r.hosts[s.cfg.Host]; h != nil && !t.stopped {
		h.model = s.cfg.Model
		h.inFlight++
	}
	s.tasks[0] = task{}
	s.tasks = s.tasks[1:]
	if len(s.tasks) > 0 && s.tasks[0].job != t.job {
		prepare := s.tasks[0].record // while this one is in flight
		r.group.Go(func() error {
			prepare()
			return nil
		})
	}
	return t, true
}

// turn reports whether a judge's model may be used on its host now. The host's current model keeps
// its turn as long as it has work, or may get work before another model has been asked.
func (r *runner) turn(s *seat) bool {
	if !r.quiet(s) {
		return false
	}
	h := r.hosts[s.cfg.Host]
	if h == nil || h.model == s.cfg.Model {
		return true
	}
	for _, other := range r.seats {
		waits := len(other.tasks) > 0 && (s.cfg.Alone || !other.cfg.Alone)
		if waits && other.cfg.Host == s.cfg.Host && other.cfg.Model == h.model {
			return false
		}
	}
	return h.inFlight == 0 && (r.full || r.allIn)
}

// quiet reports whether no judge is working that must not work at the same time. A judge that is
// asked alone begins when the others have nothing to do.
func (r *runner) quiet(s *seat) bool {
	for _, other := range r.seats {
		if other == s {
			continue
		}
		if other.busy > 0 && (s.cfg.Alone || other.cfg.Alone) || s.cfg.Alone && !other.cfg.Alone && len(other.tasks) > 0 {
			return false
		}
	}
	return !s.cfg.Alone || r.full || r.allIn
}

// work makes one judgement of a judge after the other.
func (r *runner) work(s *seat, t task) error {
	for more := true; more; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		res, err := r.one(s, t)
		if err != nil {
			return err
		}
		if r.cfg.Progress != nil {
			r.cfg.Progress(&res)
		}
		if t, more, err = r.file(s, t, res); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) one(s *seat, t task) (Result, error) {
	in, item := &s.rubrics[t.rubric], &t.job.item
	target := item.Targets[t.ordinal]
	if t.stopped {
		return s.stop(t), nil
	}
	var facts Facts
	if item.Facts != nil && target.HasCall() {
		facts = item.Facts(target.Call)
	}
	return s.judge(r.ctx, in, t.record(), target, facts)
}

// stop returns the result of a judgement by a rubric for which the judge was stopped.
func (s *seat) stop(t task) Result {
	in := &s.rubrics[t.rubric]
	res := s.blank(in, t.job.item.Conversation, t.job.item.Targets[t.ordinal])
	res.Transport = s.cfg.Transport
	res.ErrorKind = KindStopped
	const detail = "not asked: the first %d judgements by this rubric had all failed in the same way"
	res.ErrorDetail = fmt.Sprintf(detail, StopAfter)
	in.decide(&res)
	return res
}

// file stores a result, and the results that waited for it, and returns the judge's next task.
func (r *runner) file(s *seat, t task, res Result) (next task, more bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hosts[s.cfg.Host]; h != nil && !t.stopped {
		h.inFlight--
	}
	if len(t.behind) > 0 {
		s.tasks = append(t.behind, s.tasks...)
	}
	r.addToTrial(s, t, &res)
	trial := &s.trials[t.rubric]
	if undecided := !trial.passed && !trial.stopped(); undecided && t.nth > StopAfter {
		trial.early = append(trial.early, early{t, res})
	} else if err := r.store(s, t, res); err != nil {
		return task{}, false, err
	} else if !undecided {
		waited := trial.early
		trial.early = nil // store may let another worker in, which must not store them again
		for _, e := range waited {
			if err := r.store(s, e.task, e.Result); err != nil {
				return task{}, false, err
			}
		}
	}
	if next, more = r.take(s); !more {
		s.busy--
	}
	r.dispatch()
	r.room.Broadcast()
	return next, more, nil
}

// store stores a result and queues what follows from it. An early result is dropped if the trial
// shows that the judge cannot do its work.
func (r *runner) store(s *seat, t task, res Result) error {
	if t.nth > StopAfter && s.trials[t.rubric].stopped() {
		res = s.stop(t)
	}
	j := t.job
	*r.place(j, s, t.rubric, t.ordinal) = res
	if err := r.advance(j, t.rubric, t.ordinal); err != nil {
		return err
	}
	if j.left--; j.left > 0 {
		return nil
	}
	return r.complete(j)
}

// addToTrial adds a judgement's result to its trial. A judgement that was never sent does not
// count.
func (r *runner) addToTrial(s *seat, t task, res *Result) {
	if t.nth == 0 || t.nth > StopAfter {
		return
	}
	tr := &s.trials[t.rubric]
	if t.nth == 1 {
		tr.first = *res
	}
	unsent := res.Requests == 0 || res.ErrorKind == KindContext || res.ErrorKind == reply.KindDeferred
	if res.Verdict != NoVerdict || unsent || tr.failed > 0 && tr.kind != res.ErrorKind {
		tr.passed = true
	}
	tr.failed++
	tr.kind = res.ErrorKind
	if tr.stopped() && r.cfg.Stopped != nil {
		r.cfg.Stopped(Stop{Judge: res.Judge, Rubric: res.Rubric, Kind: tr.kind, First: tr.first})
	}
}

func (r *runner) place(j *job, s *seat, rubric, ordinal int) *Result {
	return &j.results[ordinal*r.width+s.first+rubric]
}

// answers returns the judges' results for a target and rubric; nil for those that were not asked.
// It needs a team, whose judges have the same rubrics.
func (r *runner) answers(j *job, rubric, ordinal int) []*Result {
	out := make([]*Result, len(r.seats))
	for i, s := range r.seats {
		if res := r.place(j, s, rubric, ordinal); res.Verdict != "" {
			out[i] = res
		}
	}
	return out
}

// advance checks whether all judges that were asked about a judgement have answered, and asks those
// that the cascades need next.
func (r *runner) advance(j *job, rubric, ordinal int) error {
	if r.team.empty() {
		return nil
	}
	open := &j.open[ordinal*len(r.seats[0].rubrics)+rubric]
	if *open--; *open > 0 {
		return nil
	}
	next, err := r.team.nextJudges(rubric, r.answers(j, rubric, ordinal))
	for _, judge := range next {
		r.push(r.seats[judge], j, rubric, ordinal)
	}
	return err
}

// complete compares the rubrics of each target and judge, and computes the results of panels and
// cascades. All answers are there.
func (r *runner) complete(j *job) error {
	for at := 0; at < len(j.results); at += r.width {
		for _, s := range r.seats {
			acrossRubrics(j.results[at+s.first:][:len(s.rubrics)])
		}
	}
	for ordinal := range j.item.Targets {
		if r.team.empty() {
			break
		}
		got := make([][]*Result, len(r.seats[0].rubrics))
		for rubric := range got {
			got[rubric] = r.answers(j, rubric, ordinal)
		}
		list, err := r.team.joint(got)
		if err != nil {
			return err
		}
		j.joint = append(j.joint, list)
	}
	return r.finish(j)
}
