package run

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Cascade is a cascade of a run, with the file in the run directory for what it leaves
// to people.
type Cascade struct {
	judges.Cascade
	Queue string
}

// amendments says what there is to amend.
type amendments struct {
	Cascades []Cascade
	// Limit is what a judge has room for; nil knows of none.
	Limit func(judge string) judges.Limit
	// Note is told what a person should know at once; it may be nil.
	Note func(line string)
}

// ledger collects what the end of a run has to amend. Lines of the score stream are
// counted from 0, the header not among them. It is not safe for concurrent use.
type ledger struct {
	cfg    amendments
	queues []*queueWriter
	lines  int
	// suspects are the answers for whose prompts a server counted tokens, dependents the
	// joint scores that rest on them.
	suspects   []suspect
	dependents []dependent
	judges     []string
}

// suspect is an answer that may be one on half a record.
type suspect struct {
	line  int
	judge int // in the ledger's judges
	seen
	scored bool
}

// dependent is a score that was made of suspects. For a cascade on are those of the
// tier that stands, and tiers those of all tiers; an answer that was passed on costs
// nothing when it turns out to be void.
type dependent struct {
	line    int
	on      []int
	cascade string
	tiers   [][]int
}

// openLedger starts the queue files of a run directory. The ledger must be ended by Close or
// Abandon.
func openLedger(dir, runID string, cfg amendments) (*ledger, error) {
	a := &ledger{cfg: cfg}
	var err error
	a.queues, err = createQueues(dir, runID, cfg.Cascades)
	return a, err
}

// Written counts a line of the score stream.
func (a *ledger) Written() { a.lines++ }

func (a *ledger) tell(line string) {
	if a.cfg.Note != nil {
		a.cfg.Note(line)
	}
}

// answerKey names one answer about one conversation.
type answerKey struct {
	call          int
	rubric, judge string
}

// see notes the results of one conversation, whose first line is first; the results
// stand in lines in their order.
func (a *ledger) see(results []judges.Result, first int) {
	if len(results) == 0 {
		return
	}
	doubtful := map[answerKey][]int{}
	for i := range results {
		r := &results[i]
		key := answerKey{r.CallIndex, r.Rubric, r.Judge}
		switch {
		case r.Joint():
			if d := madeOf(doubtful, r); d.on != nil || d.tiers != nil {
				d.line = first + i
				doubtful[key] = d.on
				a.dependents = append(a.dependents, d)
			}
		case r.Counted.Tokens > 0:
			doubtful[key] = []int{len(a.suspects)}
			a.suspects = append(a.suspects, a.suspect(first+i, r))
		}
	}
}

// madeOf finds the suspects behind a joint result.
func madeOf(doubtful map[answerKey][]int, r *judges.Result) (d dependent) {
	if len(doubtful) == 0 {
		return d
	}
	of := func(judge string) []int { return doubtful[answerKey{r.CallIndex, r.Rubric, judge}] }
	if r.Panel != nil {
		for _, m := range r.Panel.Members {
			d.on = append(d.on, of(m.Judge)...)
		}
	}
	if r.Climb != nil {
		tiers, any := make([][]int, len(r.Climb.Tiers)), false
		for i, t := range r.Climb.Tiers {
			tiers[i] = of(t.Judge)
			any = any || tiers[i] != nil
		}
		if any {
			d.cascade, d.tiers, d.on = r.Judge, tiers, tiers[len(tiers)-1]
		}
	}
	return d
}

func (a *ledger) suspect(line int, r *judges.Result) suspect {
	at := slices.Index(a.judges, r.Judge)
	if at < 0 {
		at = len(a.judges)
		a.judges = append(a.judges, r.Judge)
	}
	c := &r.Counted
	return suspect{line, at, seen{c.Tokens, c.ASCII, c.Foreign, c.Script}, r.Output != nil}
}

// alarmed returns the suspects whose prompts were cut.
func (a *ledger) alarmed() map[int]bool {
	out := map[int]bool{}
	for which, name := range a.judges {
		var list []seen
		var at []int
		for i := range a.suspects {
			if s := &a.suspects[i]; s.judge == which {
				list, at = append(list, s.seen), append(at, i)
			}
		}
		var limit judges.Limit
		if a.cfg.Limit != nil {
			limit = a.cfg.Limit(name)
		}
		for i, isCut := range cut(list, limit) {
			if isCut {
				out[at[i]] = true
			}
		}
	}
	return out
}

// changes are the lines to void.
type changes struct {
	void map[int]voiding
	// alarmed are the suspects whose answers do not count.
	alarmed map[int]bool
	// unscored is how many judgements lose their score.
	unscored int
	notes    []string
}

func (a *ledger) decide() *changes {
	alarmed := a.alarmed()
	c := &changes{void: map[int]voiding{}, alarmed: alarmed}
	for i, s := range a.suspects {
		if !alarmed[i] || !s.scored {
			continue
		}
		c.void[s.line] = voiding{why: fmt.Sprintf("the server counted %d tokens for a prompt of %d bytes, fewer than for others like it: it cut the prompt; raise its context size", s.tokens, s.bytes()), open: true}
		c.unscored++
	}
	if n := c.unscored; n > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d answers are void (context_cut): the server cuts prompts to its context size without an error", n))
	}
	for _, d := range a.dependents {
		if !slices.ContainsFunc(d.on, c.isVoid) {
			continue
		}
		v := voiding{why: "it was made of answers to prompts that the server cut", open: d.cascade == "" || a.escalatesErrors(d.cascade)}
		for i, tier := range d.tiers {
			if slices.ContainsFunc(tier, c.isVoid) {
				v.tiers = append(v.tiers, i)
			}
		}
		c.void[d.line] = v
	}
	return c
}

func (c *changes) isVoid(suspect int) bool { return c.alarmed[suspect] }

// escalatesErrors reports whether a cascade passes on what has no score.
func (a *ledger) escalatesErrors(cascade string) bool {
	return slices.ContainsFunc(a.cfg.Cascades, func(c Cascade) bool {
		return c.Name == cascade && (c.EscalateOn == nil || slices.Contains(c.EscalateOn, judges.OnError))
	})
}

// Note notes what the results of one conversation mean for others: what is left to
// people, and what only the end of the run can decide. Their lines come next.
func (a *ledger) Note(c *transcript.Conversation, results []judges.Result) error {
	first, before := a.lines, len(a.dependents)
	a.see(results, first)
	doubtful := a.dependents[before:]
	for i := range results {
		r := &results[i]
		if r.Climb == nil {
			continue
		}
		var tiers [][]int
		for _, d := range doubtful {
			if d.line == first+i {
				tiers = d.tiers
			}
		}
		// What rests on doubtful answers is queued in case they turn out to be void.
		inDoubt := tiers != nil && tiers[len(tiers)-1] != nil && a.escalatesErrors(r.Judge)
		if !r.Climb.Unresolved && !inDoubt {
			continue
		}
		for _, q := range a.queues {
			if q.cascade != r.Judge {
				continue
			}
			if err := q.add(c, r, tiers); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close amends the score stream at path, which is complete and closed, and ends the
// queues. unscored is how many judgements lose their score.
func (a *ledger) Close(path string) (unscored int, err error) {
	c := a.decide()
	if err := closeQueues(a.queues, c.isVoid); err != nil {
		return 0, err
	}
	for _, n := range c.notes {
		a.tell(n)
	}
	return c.unscored, c.apply(path)
}

// Abandon ends the queues of a run that did not come to its end; the files of an earlier
// end stay.
func (a *ledger) Abandon() error { return closeQueues(a.queues, nil) }
