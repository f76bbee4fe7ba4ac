package run

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

// amendments are what only the end of a run can say about its scores: answers on
// prompts that the server turns out to have cut, and panels that need all answers.
// Lines of the score stream are counted from 0, the header not among them.
type amendments struct {
	plan  *Plan
	lines int
	// suspects are answers whose prompt came to a context window's size, dependents
	// the joint scores that rest on them.
	suspects   []suspect
	dependents []dependent
	elections  []*election
	// met is what the first prompt at each window was like, told which windows a
	// person has been told of.
	met  map[cutter]int
	told map[cutter]bool
}

// cutter is one judge's endpoint at one context size.
type cutter struct {
	judge  string
	window int
}

// suspect is an answer that may be one on half a record.
type suspect struct {
	line          int
	judge         string
	window, bytes int
	scored        bool
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

func newAmendments(p *Plan) *amendments {
	a := &amendments{plan: p, met: map[cutter]int{}, told: map[cutter]bool{}}
	for _, panel := range p.Panels {
		if panel.Rule != judges.DawidSkene {
			continue
		}
		for _, r := range p.Rubrics {
			e := &election{panel: panel, rubric: r}
			for i := range p.Judges {
				if p.Judges[i].name() == panel.Members[0] {
					e.mode = p.Judges[i].Config.Modes[r.Name]
				}
			}
			a.elections = append(a.elections, e)
		}
	}
	return a
}

// answerKey names one answer about one conversation.
type answerKey struct {
	call          int
	rubric, judge string
}

// see notes the results of one conversation, whose first line is first; the results
// stand in lines in their order.
func (a *amendments) see(place string, results []judges.Result, first int) {
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
		case r.Window != 0:
			doubtful[key] = []int{len(a.suspects)}
			a.suspects = append(a.suspects, suspect{first + i, r.Judge, r.Window, r.PromptBytes, r.Output != nil})
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

// alarm returns what a person should know at once: a second prompt of another length
// has come to a window that one came to before. "" for nothing new.
func (a *amendments) alarm(r *judges.Result) string {
	if r.Window == 0 || r.Joint() {
		return ""
	}
	key := cutter{r.Judge, r.Window}
	size, seen := a.met[key]
	if !seen {
		a.met[key] = r.PromptBytes
	}
	if !seen || size == r.PromptBytes || a.told[key] {
		return ""
	}
	a.told[key] = true
	return fmt.Sprintf("judge %s: prompts of different length came to the same %d tokens: the server cuts them, and their answers will be void; better stop here, raise its context size and start anew", r.Judge, r.Window)
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

// alarmed returns the suspects that are more than chance: prompts of different
// length came to the same window.
func (a *amendments) alarmed() map[int]bool {
	sizes := map[cutter]int{}
	differ := map[cutter]bool{}
	for _, s := range a.suspects {
		key := cutter{s.judge, s.window}
		if size, ok := sizes[key]; ok && size != s.bytes {
			differ[key] = true
		}
		sizes[key] = s.bytes
	}
	out := map[int]bool{}
	for i, s := range a.suspects {
		if differ[cutter{s.judge, s.window}] {
			out[i] = true
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

func (a *amendments) decide() (*changes, error) {
	alarmed := a.alarmed()
	c := &changes{void: map[int]voiding{}, insert: map[int][]score.Score{}, alarmed: alarmed}
	for i, s := range a.suspects {
		if !alarmed[i] || !s.scored {
			continue
		}
		c.void[s.line] = voiding{why: fmt.Sprintf("prompts of different length came to the same %d tokens: the server cuts them; raise its context size", s.window), open: true}
		c.unscored++
	}
	if n := c.unscored; n > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d answers are void: the server cuts prompts to its context size without an error", n))
	}
	for _, d := range a.dependents {
		if !slices.ContainsFunc(d.on, c.isVoid) {
			continue
		}
		v := voiding{why: "it was made of answers to prompts that the server cut", open: d.cascade == "" || a.plan.escalatesErrors(d.cascade)}
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
func (p *Plan) escalatesErrors(cascade string) bool {
	return slices.ContainsFunc(p.Cascades, func(c Cascade) bool {
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

// together notes what the results of one conversation mean for others: what is left
// to people, and what only the end of the run can decide. Their lines come next.
func (e *execution) together(c *transcript.Conversation, results []judges.Result) error {
	if e.amendments == nil {
		return nil
	}
	first, before := e.amendments.lines, len(e.amendments.dependents)
	e.amendments.see(c.Source.String(), results, first)
	doubtful := e.amendments.dependents[before:]
	for i := range results {
		r := &results[i]
		if line := e.amendments.alarm(r); line != "" {
			e.obs.note(line)
		}
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
		inDoubt := tiers != nil && tiers[len(tiers)-1] != nil && e.plan.escalatesErrors(r.Judge)
		if !r.Climb.Unresolved && !inDoubt {
			continue
		}
		for _, q := range e.queues {
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

// amend finishes the score stream at path, and the queues.
func (e *execution) amend(path string) error {
	c, err := e.amendments.decide()
	if err != nil {
		return errors.Join(err, closeQueues(e.queues, nil))
	}
	if err := closeQueues(e.queues, c.isVoid); err != nil {
		return err
	}
	for _, n := range c.notes {
		e.obs.note(n)
	}
	e.out.Scored -= c.unscored
	return c.apply(path)
}
