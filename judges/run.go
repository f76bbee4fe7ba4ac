package judges

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/rubrics"
)

// Item is one conversation to judge.
type Item struct {
	Conversation *Conversation
	// Targets lists the items to judge, each by the rubrics of its scope; nil means all.
	Targets []Target
	// Facts returns what is known about a call without a judge; if it is nil nothing is known. It
	// may be called concurrently.
	Facts func(callIndex int) Facts
	// Skips reports whether the judge with this name skips the conversation; nil skips none.
	Skips func(judge string) bool
	// Tag is the caller's own value. The Outcome returns it.
	Tag any
}

// AllCalls returns the indexes of the calls to judge: all except those that are only history, and
// those of a simulated user.
func AllCalls(conv *Conversation) []int {
	targets := prompt.Targets(conv, rubrics.ScopeCall)
	out := make([]int, len(targets))
	for i, t := range targets {
		out[i] = t.Call
	}
	return out
}

// Outcome is a conversation with all its judgements. They are ordered by target (calls, calls with
// results, turns, the conversation), then by judge, then by rubric; after the judges of a target
// follow panels and cascades. If a judge was not asked about a target by a rubric, for instance
// because of the rubric's When, there is no result.
type Outcome struct {
	Item    Item
	Results []Result
}

// StopAfter is the number of failed judgements after which one judge is stopped for one rubric, if
// all failed in the same way and none gave a score.
const StopAfter = 20

// Stop says that a judge was stopped for one rubric.
type Stop struct {
	Judge, Rubric string
	// Kind is the kind of the failures, First the first of them in the order of the input.
	Kind  string
	First Result
}

// RunConfig holds the settings of a run that do not belong to a judge. The zero value is useful.
type RunConfig struct {
	// ShuffleSeed shuffles the conversations, so that a run that stops early has seen a sample of
	// the log instead of its beginning. 0 keeps the log's order.
	ShuffleSeed uint64
	// Window is the number of waiting conversations from which the next one is drawn; 0 means 32.
	Window int
	// MaxPending limits the judgements that have begun or wait to be emitted; 0 means 64 times the
	// judges' concurrency. MaxBytes roughly limits their log text; 0 means 64 MiB. One
	// conversation is always admitted.
	MaxPending, MaxBytes int
	// Progress is called for each finished judgement. It may be called concurrently.
	Progress func(*Result)
	// Stopped is called if a judge is stopped for a rubric, because its first StopAfter judgements,
	// in the order of the input, all failed in the same way. Judges that only cascades ask are
	// exempt.
	Stopped func(Stop)
	// Panels join results of judges; Cascades decide which judges are asked about an item. A judge
	// that is used only after the first tier of cascades, directly or in a panel, is asked only if
	// a cascade reaches it, unless Always names it.
	Panels   []Panel
	Cascades []Cascade
	Always   []string
}

// Asked reports for each judge of a run whether it is asked about every call, rather than only if a
// cascade reaches it. It fails like Run.
func Asked(list []*Judge, cfg RunConfig) ([]bool, error) {
	out := make([]bool, len(list))
	t, err := newTeam(list, cfg)
	for i := range out {
		out[i] = err != nil || !t.late[i]
	}
	return out, err
}

// Run judges a stream of conversations with all judges at once and emits the outcomes in the
// stream's order, whatever the concurrency. emit is never called concurrently. Within one judge and
// conversation the requests start rubric by rubric and in the order of the calls, so that a server
// can reuse its prefix cache. The pending conversations limit the memory.
//
// A judgement that fails is a Result with an ErrorKind. Run itself fails if items or emit fail, if
// an endpoint says that no request can succeed (a fatal *Error), or if ctx ends. Outcomes that were
// complete and next in order have been emitted by then.
func Run(
	ctx context.Context, list []*Judge, items iter.Seq2[Item, error], cfg RunConfig, emit func(*Outcome) error,
) error {
	r, err := newRunner(list, cfg, emit)
	if err != nil {
		return err
	}
	var gctx context.Context
	r.group, gctx = errgroup.WithContext(ctx)
	defer context.AfterFunc(gctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.room.Broadcast()
	})()
	r.ctx = gctx
	r.group.Go(func() error { return r.produce(items) })
	err = r.group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err == nil {
		err = r.failure
	}
	return err
}

// runner holds the state shared by the goroutines of one run. One goroutine produces jobs; each
// judge has as many workers as there are tasks that may begin, up to its concurrency. A worker that
// finishes a task looks for the next tasks of all judges, so that no judge waits for work. Fields
// below mu are guarded by it.
type runner struct {
	ctx   context.Context
	group *errgroup.Group
	cfg   RunConfig
	team  *team
	emit  func(*Outcome) error
	width int // judgements per target

	mu       sync.Mutex
	room     *sync.Cond // the producer waits for it
	seats    []*seat
	hosts    map[string]*host
	pending  int // admitted and not yet emitted
	bytes    int
	active   int // jobs that are not finished
	next     int // the number of the outcome to emit next
	done     map[int]*job
	emitting bool
	full     bool  // the next job waits for room
	allIn    bool  // all jobs are admitted
	failure  error // the error of emit
}

// job is a conversation that is being judged.
type job struct {
	seq     int
	item    Item
	bytes   int
	results []Result // by target, judge and rubric
	// left counts the judgements that were asked for and have not arrived; open counts them for
	// each target and rubric.
	left int
	open []int
	// joint holds the results of panels and cascades, by target.
	joint [][]Result
}

func newRunner(list []*Judge, cfg RunConfig, emit func(*Outcome) error) (*runner, error) {
	if len(list) == 0 {
		return nil, errors.New("run: no judge")
	}
	names, total := map[string]bool{}, 0
	for _, j := range list {
		if names[j.cfg.Name] {
			return nil, fmt.Errorf("run: two judges have the name %q; name one of them", j.cfg.Name)
		}
		names[j.cfg.Name] = true
		total += j.cfg.Concurrency
	}
	setDefault(&cfg.Window, 32)
	setDefault(&cfg.MaxPending, 64*total)
	setDefault(&cfg.MaxBytes, 64<<20)
	if cfg.ShuffleSeed == 0 {
		cfg.Window = 1
	}
	t, err := newTeam(list, cfg)
	if err != nil {
		return nil, err
	}
	r := &runner{cfg: cfg, team: t, emit: emit, hosts: map[string]*host{}, done: map[int]*job{}}
	r.room = sync.NewCond(&r.mu)
	for i, j := range list {
		s := &seat{Judge: j, first: r.width, late: t.late[i], trials: make([]trial, len(j.rubrics))}
		r.seats = append(r.seats, s)
		at := slices.IndexFunc(r.seats, func(o *seat) bool { return reflect.DeepEqual(o.cfg.Prompt, j.cfg.Prompt) })
		s.alike = r.seats[at]
		r.width += len(j.rubrics)
		if h := j.cfg.Host; h != "" && r.hosts[h] == nil {
			r.hosts[h] = &host{model: j.cfg.Model}
		}
	}
	return r, nil
}

// produce reads conversations, draws the next one, and queues it for every judge.
func (r *runner) produce(items iter.Seq2[Item, error]) error {
	rng := rand.New(rand.NewPCG(r.cfg.ShuffleSeed, 0x6a756467))
	next, stop := iter.Pull2(items)
	defer stop()
	var waiting []*job
	seq, begun, bytes := 0, 0, 0
	for open := true; ; {
		for open && (len(waiting) == 0 || len(waiting) < r.cfg.Window && bytes < r.cfg.MaxBytes/4) {
			if err := context.Cause(r.ctx); err != nil {
				return err
			}
			item, err, ok := next()
			if err != nil {
				return err
			}
			if open = ok; !ok {
				break
			}
			j, err := r.newJob(item, seq)
			if err != nil {
				return err
			}
			seq++
			bytes += j.bytes
			waiting = append(waiting, j)
		}
		if len(waiting) == 0 {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.allIn = true
			r.dispatch()
			return nil
		}
		at := rng.IntN(len(waiting))
		// A conversation that has waited long goes first, because its outcome holds up all later
		// ones. So do the very first ones, which show whether the judges can do their work.
		if waiting[0].seq+2*r.cfg.Window < seq || begun < StopAfter {
			at = 0
		}
		at, err := r.admit(waiting, at)
		if err != nil {
			return err
		}
		bytes -= waiting[at].bytes
		begun += len(waiting[at].item.Targets)
		waiting = append(waiting[:at], waiting[at+1:]...)
	}
}

func (r *runner) newJob(item Item, seq int) (*job, error) {
	conv := item.Conversation
	if conv == nil {
		return nil, fmt.Errorf("run: item %d has no conversation", seq)
	}
	if item.Targets == nil {
		var list []*rubrics.Rubric
		for _, s := range r.seats {
			list = append(list, s.cfg.Rubrics...)
		}
		item.Targets = allTargets(conv, list)
	}
	for _, t := range item.Targets {
		if err := checkTarget(conv, t); err != nil {
			return nil, err
		}
	}
	return &job{seq: seq, item: item, bytes: sizeOf(conv), results: make([]Result, r.width*len(item.Targets))}, nil
}

func sizeOf(conv *Conversation) int {
	n := 256
	for i := range conv.Messages {
		n += len(conv.Messages[i].Content) + 64
	}
	for i := range conv.Calls {
		n += len(conv.Calls[i].RawArguments) + 64
	}
	for i := range conv.Tools {
		n += len(conv.Tools[i].Description) + 64*conv.Tools[i].Parameters.Len() + 64
	}
	return n
}

// admit waits until there is room for the drawn job and queues it. If all work is done and there is
// still no room, the outcome to emit next belongs to a job that was not let in yet: then the oldest
// job goes in instead.
func (r *runner) admit(waiting []*job, at int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if err := context.Cause(r.ctx); err != nil {
			return 0, err
		}
		if r.failure != nil {
			return 0, r.failure
		}
		j := waiting[at]
		if r.pending == 0 || r.pending+len(j.results) <= r.cfg.MaxPending && r.bytes+j.bytes <= r.cfg.MaxBytes {
			break
		}
		if r.active == 0 && !r.emitting {
			at = 0
			break
		}
		if !r.full {
			r.full = true
			r.dispatch()
		}
		r.room.Wait()
	}
	r.full = false
	j := waiting[at]
	r.pending += len(j.results)
	r.bytes += j.bytes
	r.active++
	return at, r.start(j)
}

// start queues a job for the judges that are asked about every item. If there is nothing to judge,
// the job is finished at once.
func (r *runner) start(j *job) error {
	j.open = make([]int, len(j.item.Targets)*len(r.seats[0].rubrics))
	for _, s := range r.seats {
		if s.late || j.item.Skips != nil && j.item.Skips(s.cfg.Name) {
			continue
		}
		for rubric := range s.rubrics {
			for ordinal, t := range j.item.Targets {
				if Asks(s.rubrics[rubric].rubric, j.item.Conversation, t) {
					r.push(s, j, rubric, ordinal)
				}
			}
		}
	}
	if j.left == 0 {
		return r.finish(j)
	}
	r.dispatch()
	return nil
}

func (r *runner) outcome(j *job) *Outcome {
	out := &Outcome{Item: j.item}
	for ordinal := range j.item.Targets {
		for _, res := range j.results[ordinal*r.width:][:r.width] {
			if res.Verdict != "" {
				out.Results = append(out.Results, res)
			}
		}
		if j.joint != nil {
			out.Results = append(out.Results, j.joint[ordinal]...)
		}
	}
	return out
}

// finish emits the job, and those that waited for it, if it is next in order. Whichever goroutine
// comes first emits for all.
func (r *runner) finish(j *job) error {
	r.active--
	r.done[j.seq] = j
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
		r.room.Broadcast()
	}
	r.emitting = false
	return r.failure
}

// handOver calls emit without holding the lock. If emit never returns (it panics, or a failing test
// ends its goroutine), the run fails.
func (r *runner) handOver(j *job) error {
	returned := false
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		if !returned {
			r.failure, r.emitting = errors.New("run: emit did not return"), false
			r.room.Broadcast()
		}
	}()
	err := r.emit(r.outcome(j))
	returned = true
	return err
}
