package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

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
}

// suspect is an answer that may be one on half a record.
type suspect struct {
	line          int
	judge         string
	window, bytes int
	scored        bool
}

// dependent is a score that was made of suspects.
type dependent struct {
	line int
	on   []int
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
	a := &amendments{plan: p}
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
			if on := madeOf(doubtful, r); on != nil {
				doubtful[key] = on
				a.dependents = append(a.dependents, dependent{first + i, on})
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

// madeOf are the suspects behind a joint result.
func madeOf(doubtful map[answerKey][]int, r *judges.Result) []int {
	if len(doubtful) == 0 {
		return nil
	}
	var on []int
	add := func(judge string) { on = append(on, doubtful[answerKey{r.CallIndex, r.Rubric, judge}]...) }
	if r.Panel != nil {
		for _, m := range r.Panel.Members {
			add(m.Judge)
		}
	}
	if r.Climb != nil {
		for _, t := range r.Climb.Tiers {
			add(t.Judge)
		}
	}
	return on
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
			e.ballots[b].Outputs[k] = r.Output
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
	type server struct {
		judge  string
		window int
	}
	sizes := map[server]int{}
	differ := map[server]bool{}
	for _, s := range a.suspects {
		key := server{s.judge, s.window}
		if size, ok := sizes[key]; ok && size != s.bytes {
			differ[key] = true
		}
		sizes[key] = s.bytes
	}
	out := map[int]bool{}
	for i, s := range a.suspects {
		if differ[server{s.judge, s.window}] {
			out[i] = true
		}
	}
	return out
}

// changes are the lines to void, with the reason, and the scores to put behind lines.
type changes struct {
	void   map[int]string
	insert map[int][]score.Score
	// unscored is how many judgements lose their score.
	unscored int
	notes    []string
}

func (a *amendments) decide() (*changes, error) {
	c := &changes{void: map[int]string{}, insert: map[int][]score.Score{}}
	alarmed := a.alarmed()
	for i, s := range a.suspects {
		if !alarmed[i] || !s.scored {
			continue
		}
		c.void[s.line] = fmt.Sprintf("prompts of different length came to the same %d tokens: the server cuts them; raise its context size", s.window)
		c.unscored++
	}
	if n := c.unscored; n > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d answers are void: the server cuts prompts to its context size without an error", n))
	}
	for _, d := range a.dependents {
		for _, i := range d.on {
			if alarmed[i] {
				c.void[d.line] = "it was made of answers to prompts that the server cut"
			}
		}
	}
	for _, e := range a.elections {
		if err := e.decide(alarmed, c); err != nil {
			return nil, err
		}
	}
	return c, nil
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

// apply writes the stream at path anew with the changes.
func (c *changes) apply(path string) error {
	if len(c.void) == 0 && len(c.insert) == 0 {
		return nil
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(path + ".amended")
	if err != nil {
		return err
	}
	defer out.Close()
	buffered := bufio.NewWriterSize(out, 1<<16)
	if err := c.copy(bufio.NewReaderSize(in, 1<<16), buffered); err != nil {
		return fmt.Errorf("amend %s: %w", path, err)
	}
	if err := errors.Join(buffered.Flush(), out.Close()); err != nil {
		return err
	}
	return os.Rename(path+".amended", path)
}

func (c *changes) copy(in *bufio.Reader, out *bufio.Writer) error {
	for n := -1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			return nil
		}
		if why, ok := c.void[n]; ok && n >= 0 {
			if line, err = voided(line, why); err != nil {
				return err
			}
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if n < 0 {
			continue
		}
		for i := range c.insert[n] {
			s := &c.insert[n][i]
			if err := s.Check(); err != nil {
				return err
			}
			if _, err := out.Write(append(score.Append(nil, s), '\n')); err != nil {
				return err
			}
		}
	}
}

// voided turns the line of a score into that of an answer that does not count.
func voided(line []byte, why string) ([]byte, error) {
	s, err := score.Parse(bytes.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	if s.Status == score.Scored {
		s.Status, s.Value, s.Passed, s.Label, s.Confidence = score.Unscored, nil, nil, "", nil
		s.Error = &score.Failure{Kind: judges.KindContextAlarm, Message: why}
	}
	return append(score.Append(nil, &s), '\n'), nil
}

// together notes what the results of one conversation mean for others: what is left
// to people, and what only the end of the run can decide. Their lines come next.
func (e *execution) together(c *transcript.Conversation, results []judges.Result) error {
	if e.amendments == nil {
		return nil
	}
	e.amendments.see(c.Source.String(), results, e.amendments.lines)
	for i := range results {
		r := &results[i]
		if r.Climb == nil || !r.Climb.Unresolved {
			continue
		}
		for _, q := range e.queues {
			if q.cascade != r.Judge {
				continue
			}
			if err := q.add(c, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// amend finishes the score stream at path.
func (e *execution) amend(path string) error {
	c, err := e.amendments.decide()
	if err != nil {
		return err
	}
	for _, n := range c.notes {
		e.obs.note(n)
	}
	e.out.Scored -= c.unscored
	return c.apply(path)
}
