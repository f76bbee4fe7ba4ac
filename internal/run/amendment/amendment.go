// Package amendment owns what only the end of a run can say about its scores: answers to
// prompts that the server turns out to have cut, panels that need all answers before they
// speak, and what a cascade then leaves to people.
//
// It promises that the score stream and the queue files stand in log order however they
// are amended, and that an answer that does not count is an error to all that look at it.
// Its memory grows with the doubtful answers and with the ballots of such panels only.
package amendment

import (
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Cascade is a cascade of a run, with the file in the run directory for what it leaves
// to people.
type Cascade struct {
	judges.Cascade
	Queue string
}

// Config says what there is to amend.
type Config struct {
	// Panels are those of the run; the ones that need all answers are joined at the end.
	Panels   []judges.Panel
	Cascades []Cascade
	Rubrics  []*rubrics.Rubric
	// Mode is how a judge reads the bands of a rubric; nil reads all as intervals.
	Mode func(judge, rubric string) verdict.Mode
	// Limit is what a judge has room for; nil knows of none.
	Limit func(judge string) judges.Limit
	// Note is told what a person should know at once; it may be nil.
	Note func(line string)
}

// Ledger collects what the end of a run has to amend. Lines of the score stream are
// counted from 0, the header not among them. It is not safe for concurrent use.
type Ledger struct {
	cfg    Config
	queues []*queueWriter
	lines  int
	// suspects are the answers for whose prompts a server counted tokens, dependents the
	// joint scores that rest on them.
	suspects   []suspect
	dependents []dependent
	elections  []*election
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

// election is one panel under one rubric, joined at the end.
type election struct {
	panel  judges.Panel
	rubric *rubrics.Rubric
	mode   verdict.Mode
	// ballots stand behind the lines at, their answers come from suspects (-1: from
	// an answer beyond doubt), their places are those of the log.
	ballots  []judges.Ballot
	at       []int
	suspects [][]int
	places   []string
}

// Open starts the queue files of a run directory. The ledger must be ended by Close or
// Abandon.
func Open(dir, runID string, cfg Config) (*Ledger, error) {
	a := &Ledger{cfg: cfg}
	for _, panel := range cfg.Panels {
		if panel.Rule != judges.DawidSkene {
			continue
		}
		for _, r := range cfg.Rubrics {
			e := &election{panel: panel, rubric: r}
			if cfg.Mode != nil {
				e.mode = cfg.Mode(panel.Members[0], r.Name)
			}
			a.elections = append(a.elections, e)
		}
	}
	var err error
	a.queues, err = createQueues(dir, runID, cfg.Cascades)
	return a, err
}

// Written counts a line of the score stream.
func (a *Ledger) Written() { a.lines++ }

func (a *Ledger) tell(line string) {
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
func (a *Ledger) see(place string, results []judges.Result, first int) {
	if len(results) == 0 {
		return
	}
	doubtful := map[answerKey][]int{}
	last := map[int]int{} // of a call
	for i := range results {
		r := &results[i]
		key := answerKey{r.CallIndex, r.Rubric, r.Judge}
		last[r.CallIndex] = first + i
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
	for _, e := range a.elections {
		e.see(place, results, last, doubtful)
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

func (a *Ledger) suspect(line int, r *judges.Result) suspect {
	at := slices.Index(a.judges, r.Judge)
	if at < 0 {
		at = len(a.judges)
		a.judges = append(a.judges, r.Judge)
	}
	c := &r.Counted
	return suspect{line, at, seen{c.Tokens, c.ASCII, c.Foreign, c.Script}, r.Output != nil}
}

// see collects the ballots of one conversation.
func (e *election) see(place string, results []judges.Result, last map[int]int, doubtful map[answerKey][]int) {
	at := map[int]int{}
	for i := range results {
		r := &results[i]
		if r.Joint() || r.Rubric != e.rubric.Name {
			continue
		}
		for k, m := range e.panel.Members {
			if m != r.Judge {
				continue
			}
			b, ok := at[r.CallIndex]
			if !ok {
				b = len(e.ballots)
				at[r.CallIndex] = b
				n := len(e.panel.Members)
				e.ballots = append(e.ballots, judges.Ballot{
					ConversationID: r.ConversationID, CallIndex: r.CallIndex, CallID: r.CallID, Tool: r.Tool, Outputs: make([]*float64, n),
				})
				e.at, e.places = append(e.at, last[r.CallIndex]), append(e.places, place)
				e.suspects = append(e.suspects, nil)
			}
			e.ballots[b].Vote(k, r)
			if on := doubtful[answerKey{r.CallIndex, r.Rubric, r.Judge}]; on != nil {
				if e.suspects[b] == nil {
					e.suspects[b] = make([]int, len(e.panel.Members))
					for x := range e.suspects[b] {
						e.suspects[b][x] = -1
					}
				}
				e.suspects[b][k] = on[0]
			}
		}
	}
}

// alarmed returns the suspects whose prompts were cut.
func (a *Ledger) alarmed() map[int]bool {
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

// changes are the lines to void, and the scores to put behind lines.
type changes struct {
	void   map[int]voiding
	insert map[int][]score.Score
	// alarmed are the suspects whose answers do not count.
	alarmed map[int]bool
	// unscored is how many judgements lose their score.
	unscored int
	notes    []string
}

func (a *Ledger) decide() (*changes, error) {
	alarmed := a.alarmed()
	c := &changes{void: map[int]voiding{}, insert: map[int][]score.Score{}, alarmed: alarmed}
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
	for _, e := range a.elections {
		if err := e.decide(alarmed, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *changes) isVoid(suspect int) bool { return c.alarmed[suspect] }

// escalatesErrors reports whether a cascade passes on what has no score.
func (a *Ledger) escalatesErrors(cascade string) bool {
	return slices.ContainsFunc(a.cfg.Cascades, func(c Cascade) bool {
		return c.Name == cascade && (c.EscalateOn == nil || slices.Contains(c.EscalateOn, judges.OnError))
	})
}

func (e *election) decide(alarmed map[int]bool, c *changes) error {
	for b, list := range e.suspects {
		for k, s := range list {
			if s >= 0 && alarmed[s] {
				e.ballots[b].Outputs[k] = nil
			}
		}
	}
	results, warnings, err := e.panel.JoinAll(e.rubric, e.mode, e.ballots)
	if err != nil {
		return err
	}
	c.notes = append(c.notes, warnings...)
	for i := range results {
		s := results[i].Score()
		s.Place = e.places[i]
		c.insert[e.at[i]] = append(c.insert[e.at[i]], s)
	}
	return nil
}

// Note notes what the results of one conversation mean for others: what is left to
// people, and what only the end of the run can decide. Their lines come next.
func (a *Ledger) Note(c *transcript.Conversation, results []judges.Result) error {
	first, before := a.lines, len(a.dependents)
	a.see(c.Source.String(), results, first)
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
func (a *Ledger) Close(path string) (unscored int, err error) {
	c, err := a.decide()
	if err != nil {
		return 0, errors.Join(err, closeQueues(a.queues, nil))
	}
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
func (a *Ledger) Abandon() error { return closeQueues(a.queues, nil) }
