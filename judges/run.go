package judges

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/team"
)

// Item is one conversation to judge.
type Item struct {
	Conversation *Conversation
	// Calls are the indexes of the calls to judge; nil means all that the log asks
	// about (AllCalls).
	Calls []int
	// Facts returns what is known about a call without a judge; nil knows nothing.
	// It may be called concurrently.
	Facts func(callIndex int) Facts
	// Tag is the caller's own; it comes back in the Outcome.
	Tag any
}

// AllCalls returns the indexes of the calls that a log asks about: all but those
// that stand only as history of another one, and those that a simulated user made.
func AllCalls(conv *Conversation) []int {
	out := make([]int, 0, len(conv.Calls))
	for i := range conv.Calls {
		if c := &conv.Calls[i]; !c.Context && c.Executor != "user" {
			out = append(out, i)
		}
	}
	return out
}

// Outcome is one conversation with all its judgements, ordered by call, then by
// judge, then by rubric; behind the judges of a call stand panels and then cascades.
// A judge that was not asked about a call by a rubric has no result there.
type Outcome struct {
	Item    Item
	Results []Result
}

// RunConfig holds what is no judge's own. The zero value is useful.
type RunConfig struct {
	// ShuffleSeed orders the conversations: a run that stops early has then seen a
	// sample of the log and not its head. 0 keeps the log's order.
	ShuffleSeed uint64
	// Window is from how many conversations the next one is drawn; 0 means 32.
	Window int
	// MaxPending bounds the judgements that are begun or wait for their turn in the
	// output; 0 means 64 times the judges' concurrency. MaxBytes bounds the log text
	// behind them, roughly; 0 means 64 MiB. One conversation is always let in.
	MaxPending int
	MaxBytes   int
	// Progress is told about each finished judgement; it may be called concurrently.
	Progress func(*Result)
	// Stopped is told when a judge is asked no more by a rubric, because its first
	// StopAfter judgements by it, in the order of the input, all failed in the same way.
	// Judges that only cascades ask are not held to that.
	Stopped func(Stop)
	// Panels join the results of judges, Cascades decide who is asked about what. A
	// judge that stands only behind the first tier of cascades, by itself or in a
	// panel, is asked only where a cascade comes to it, unless Always names it.
	Panels   []Panel
	Cascades []Cascade
	Always   []string
}

// Run judges a stream of conversations with all judges at once and hands over the
// outcomes in the stream's order, whatever the concurrency; emit is never called
// concurrently. Within one judge and conversation the requests start rubric by
// rubric and in the order of the calls, so that a server can reuse its prefix
// cache. Memory is bounded by the pending conversations.
//
// A judgement that fails is a Result with an ErrorKind. Run itself fails when items
// or emit fail, when an endpoint says that no request can succeed (an *llm.Error
// that is fatal), or when ctx ends; outcomes that are complete and whose turn it is
// have been handed over by then.
func Run(ctx context.Context, list []*Judge, items iter.Seq2[Item, error], cfg RunConfig, emit func(*Outcome) error) error {
	if len(list) == 0 {
		return errors.New("run: no judge")
	}
	names := map[string]bool{}
	total := 0
	for _, j := range list {
		if names[j.cfg.Name] {
			return fmt.Errorf("run: two judges have the name %q; name one of them", j.cfg.Name)
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
	together, err := newTeam(list, cfg)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	r := &runner{judges: list, team: together, cfg: cfg, emit: emit, done: make(map[int]*job), turns: newTurns(list)}
	r.wake = sync.NewCond(&r.mu)
	defer context.AfterFunc(gctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wake.Broadcast()
	})()
	for _, j := range list {
		r.queues = append(r.queues, newQueue(r.changed))
		r.trials = append(r.trials, make([]trial, len(j.rubrics)))
	}
	for i, q := range r.queues {
		g.Go(func() error { return r.serve(gctx, i, q) })
	}
	g.Go(func() error {
		defer r.produced()
		return r.produce(gctx, items)
	})
	err = g.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err == nil {
		err = r.failure
	}
	return err
}

// job is one conversation on its way.
type job struct {
	seq     int
	item    Item
	bytes   int
	results []Result
	// left counts the judgements that were asked for and are not there.
	left atomic.Int64

	mu sync.Mutex
	// open counts them for each call and rubric, where there is a team.
	open []int
	// joint are the team's results by call.
	joint [][]Result
}

// runner holds the state that the goroutines of one run share.
type runner struct {
	judges []*Judge
	team   *team.Team
	queues []*queue
	trials [][]trial // by judge and rubric
	turns  map[string]*turn
	cfg    RunConfig
	emit   func(*Outcome) error

	mu       sync.Mutex
	wake     *sync.Cond
	pending  int // judgements let in and not handed over
	bytes    int
	active   int // jobs with work left
	next     int // the outcome whose turn it is
	done     map[int]*job
	emitting bool
	full     bool  // what comes next waits for room
	allIn    bool  // nothing more will be admitted
	failure  error // of emit
}

// produce reads conversations, draws the next one, and queues it at every judge.
func (r *runner) produce(ctx context.Context, items iter.Seq2[Item, error]) error {
	rng := rand.New(rand.NewPCG(r.cfg.ShuffleSeed, 0x6a756467))
	next, stop := iter.Pull2(items)
	defer stop()
	var waiting []*job
	seq, begun, windowBytes, open := 0, 0, 0, true
	for {
		for open && (len(waiting) == 0 || len(waiting) < r.cfg.Window && windowBytes < r.cfg.MaxBytes/4) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			item, err, ok := next()
			if !ok {
				open = false
				break
			}
			if err != nil {
				return err
			}
			if item.Conversation == nil {
				return fmt.Errorf("run: item %d has no conversation", seq)
			}
			j := r.newJob(item, seq)
			seq++
			windowBytes += j.bytes
			waiting = append(waiting, j)
		}
		if len(waiting) == 0 {
			return nil
		}
		at := rng.IntN(len(waiting))
		// The oldest goes first when it has waited long: its outcome holds up all
		// later ones.
		// The first ones go first too: they show whether the judges can do their work.
		if waiting[0].seq+2*r.cfg.Window < seq || begun < StopAfter {
			at = 0
		}
		at, err := r.admit(ctx, waiting, at)
		if err != nil {
			return err
		}
		j := waiting[at]
		waiting = append(waiting[:at], waiting[at+1:]...)
		windowBytes -= j.bytes
		begun += len(j.item.Calls)
		if err := r.start(j); err != nil {
			return err
		}
	}
}

func (r *runner) newJob(item Item, seq int) *job {
	if item.Calls == nil {
		item.Calls = AllCalls(item.Conversation)
	}
	n, first, asked := 0, 0, 0
	for i, j := range r.judges {
		n += len(j.rubrics)
		if !r.late(i) {
			first += len(j.rubrics)
			asked++
		}
	}
	j := &job{seq: seq, item: item, bytes: sizeOf(item.Conversation), results: make([]Result, n*len(item.Calls))}
	j.left.Store(int64(first * len(item.Calls)))
	if r.team != nil {
		j.open = make([]int, len(item.Calls)*len(r.judges[0].rubrics))
		for i := range j.open {
			j.open[i] = asked
		}
	}
	return j
}

// sizeOf estimates the bytes of a conversation's text.
func sizeOf(conv *transcript.Conversation) int {
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

// admit waits until there is room for the job that was drawn. When nothing is at
// work any more and there is still no room, what is missing is the outcome whose
// turn it is: then the oldest job goes in instead.
func (r *runner) admit(ctx context.Context, waiting []*job, at int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if err := context.Cause(ctx); err != nil {
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
			r.wake.Broadcast()
		}
		r.wake.Wait()
	}
	r.full = false
	r.pending += len(waiting[at].results)
	r.bytes += waiting[at].bytes
	r.active++
	return at, nil
}

// start queues a job, or hands it over at once when there is nothing to judge.
func (r *runner) start(j *job) error {
	if len(j.results) == 0 {
		return r.finish(j)
	}
	for i, q := range r.queues {
		if !r.late(i) {
			q.push(work{job: j, rubric: -1})
		}
	}
	return nil
}
