package view

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// labelling is one person labelling the calls of a run. It decides what the person may see: nothing
// that judge or scorers said about a queued conversation, until all its queued calls are labelled.
type labelling struct {
	run  *run
	file *labels.File
	who  string
	// rubric names what the labels are about, "" for the call as a whole; of holds its categories.
	rubric string
	of     report.Rubric
	seed   uint64
	calls  int // about how many to label
	each   int // how many of each conversation, 0 for all
	now    func() time.Time

	mu    sync.Mutex
	begun bool            // the person labels, so the plan is blind on every page
	read  map[string]bool // conversations whose verdicts were sent
	made  *plan
}

// plan is the random order of the judged conversations; the person labels the first planned ones.
type plan struct {
	*judged
	of      identity // the scores that it was made from
	order   []string
	rank    map[string]int // from 1, for all conversations
	planned int
}

// place identifies an item: Call is -1 for a turn and a conversation, Turn and Scope are as in labels.Item.
type place struct {
	Conversation string `json:"conversation"`
	Call         int    `json:"call"`
	Turn         int    `json:"turn,omitempty"`
	Scope        string `json:"scope,omitempty"`
}

func placeOf(i labels.Item) place { return place{i.Conversation, i.Call, i.Turn, i.Scope} }

// task is an item to label, with the person's label and note.
type task struct {
	place
	Tool string `json:"tool"`
	labels.Answer
	Note     string `json:"note,omitempty"`
	Revealed bool   `json:"revealed,omitempty"`
}

// queueState is a queue as the page shows it.
type queueState struct {
	Who   string `json:"who"`
	Frame string `json:"frame"`
	// Rubric names what the labels are about, "" for the call as a whole.
	Rubric string `json:"rubric"`
	// Tasks lists the calls to label, in order.
	Tasks    []task   `json:"tasks"`
	Problems []string `json:"problems,omitempty"`
}

// maxQueue limits the tasks of a queue that is not a random sample.
const maxQueue = 500

// plan returns the plan. If again is set and the run has grown, it is made again.
func (l *labelling) plan(ctx context.Context, again bool) (*plan, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.run.identity()
	if l.made != nil && (!again || l.made.of == of) {
		return l.made, nil
	}
	if of.size == 0 {
		return nil, fmt.Errorf("%s holds no scores yet", l.run.Name)
	}
	j, err := readJudged(ctx, of.path, l.rubric, l.run.Manifest.ScoredBy())
	if err != nil {
		return nil, err
	}
	if j.total == 0 {
		return nil, &requestError{http.StatusConflict, l.nothing()}
	}
	p := &plan{judged: j, of: of, order: measure.UntaughtFirst(j.order(l.seed), &l.run.Manifest.Manifest),
		planned: measure.PlannedConversations(j.drawn(l.each), l.calls)}
	p.rank = make(map[string]int, len(p.order))
	for i, id := range p.order {
		p.rank[id] = i + 1
	}
	l.made = p
	return p, nil
}

// nothing says why there is nothing to label.
func (l *labelling) nothing() string {
	var names []string
	for i := range l.run.Manifest.Rubrics {
		names = append(names, l.run.Manifest.Rubrics[i].Name)
	}
	if len(names) == 0 {
		return "no scorer scored a call of this run: there is nothing to label"
	}
	if l.rubric != "" {
		return "no judge scored an item of this run by this rubric: there is nothing to label"
	}
	return "no judge scored a call of this run: label by a rubric, with judge view --rubric " +
		strings.Join(names, " or ")
}

// queue lists the tasks of a frame.
func (l *labelling) queue(ctx context.Context, frame string) (*queueState, error) {
	p, err := l.plan(ctx, true)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.begun = true
	l.mu.Unlock()
	q := &queueState{Who: l.who, Frame: frame, Rubric: l.rubric}
	if frame == labels.Random {
		for _, id := range p.order[:p.planned] {
			q.Tasks = append(q.Tasks, p.tasks(id, l.drawn(p, id))...)
		}
	} else if q.Tasks, err = l.picked(ctx, p, frame); err != nil {
		return nil, err
	}
	err = l.file.View(func(s *labels.Set) {
		q.Problems = s.Problems()
		for i := range q.Tasks {
			l.fill(&q.Tasks[i], s)
		}
	})
	return q, err
}

// picked returns the tasks of a frame that is not a random sample, with all calls of each
// conversation. It skips planned conversations, which must stay blind.
func (l *labelling) picked(ctx context.Context, p *plan, frame string) ([]task, error) {
	s, err := l.run.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var out []task
	seen := map[string]bool{}
	for _, id := range s.picked(frame, p.level()) {
		if len(out) >= maxQueue {
			break
		}
		if r := p.rank[id]; !seen[id] && r > p.planned {
			seen[id] = true
			out = append(out, p.tasks(id, p.indexes(id))...)
		}
	}
	return out, nil
}

// drawn returns those calls of a conversation that belong to the random sample.
func (l *labelling) drawn(p *plan, conversation string) []int {
	return measure.DrawnCalls(conversation, p.indexes(conversation), l.each, l.seed)
}

// tasks returns some calls of a conversation as tasks.
func (p *plan) tasks(conversation string, calls []int) []task {
	var out []task
	for _, i := range p.items[conversation] {
		if slices.Contains(calls, index(i.Item)) {
			out = append(out, task{place: placeOf(i.Item), Tool: i.tool})
		}
	}
	return out
}

// press is the message that the page sends for a key press.
type press struct {
	place
	Frame string `json:"frame"`
	// Action is label, note or undo. Label is pass, fail, defer or not_applicable, or "" if Category is set.
	Action   string `json:"action"`
	Label    string `json:"label"`
	Category string `json:"category"`
	Note     string `json:"note"`
}

// press writes a line and returns its task after the line is on the disk. The last label of a
// conversation reveals its verdicts.
func (l *labelling) press(ctx context.Context, p press) (*task, error) {
	plan, err := l.plan(ctx, false)
	if err != nil {
		return nil, err
	}
	e, err := l.event(plan, p)
	if err != nil {
		return nil, err
	}
	if _, err = l.file.Append(*e, l.now()); err != nil {
		return nil, err
	}
	if err = l.reveal(plan, e); err != nil {
		return nil, err
	}
	out := &task{place: placeOf(e.Item())}
	return out, l.file.View(func(s *labels.Set) { l.fill(out, s) })
}

// item returns the item for a label.
func (l *labelling) item(p place) labels.Item {
	return labels.Item{Conversation: p.Conversation, Call: p.Call, Turn: p.Turn, Scope: p.Scope, Rubric: l.rubric}
}

// fill adds the person's label and note to a task.
func (l *labelling) fill(t *task, s *labels.Set) {
	st := s.Of(l.who, l.item(t.place))
	t.Answer, t.Note, t.Revealed = st.Answer, st.Note, s.IsRevealed(l.who, t.Conversation)
}

// event returns the line for a key press, including what the person has seen so far.
func (l *labelling) event(plan *plan, p press) (*labels.Event, error) {
	e := &labels.Event{Who: l.who, Action: p.Action, ConversationID: p.Conversation, Turn: p.Turn, Scope: p.Scope,
		Rubric: l.rubric, Text: p.Note, Frame: cmp.Or(p.Frame, labels.Random), Seed: l.seed, Seen: labels.Blind}
	if p.Call >= 0 {
		e.CallIndex = &p.Call
	}
	var err error
	if e.Answer, err = l.answer(p); err != nil {
		return nil, err
	}
	if p.Action == labels.Undo {
		var last *labels.Event
		if err := l.file.View(func(s *labels.Set) { last = s.Last(l.who) }); err != nil {
			return nil, err
		}
		if last == nil {
			return nil, &requestError{http.StatusConflict, "there is nothing to undo"}
		}
		e.ConversationID, e.CallIndex, e.Frame, e.Undoes = last.ConversationID, last.CallIndex, last.Frame, last.ID()
		e.Turn, e.Scope = last.Turn, last.Scope
	}
	item := e.Item()
	item.Rubric = ""
	if p.Action == labels.Reveal || !plan.has(item) {
		return nil, &requestError{http.StatusBadRequest, fmt.Sprintf("%s cannot be labelled", item)}
	}
	if e.Frame == labels.Random {
		drawn := l.drawn(plan, e.ConversationID)
		if !slices.Contains(drawn, index(item)) {
			return nil, &requestError{http.StatusBadRequest, fmt.Sprintf("%s is not in the random sample", item)}
		}
		e.Rank, e.PerConversation = plan.rank[e.ConversationID], l.each
		e.Probability = float64(max(e.Rank, plan.planned)*len(drawn)) /
			float64(len(plan.order)*len(plan.items[e.ConversationID]))
	}
	seen, err := l.seen(e.ConversationID)
	if seen {
		e.Seen = labels.Revealed
	}
	return e, err
}

// answer returns the label for a key press.
func (l *labelling) answer(p press) (labels.Answer, error) {
	switch {
	case p.Category == "":
		return labels.Answer{Label: p.Label}, nil
	case slices.Contains(l.of.Categories, p.Category):
		return l.of.Answer(p.Category), nil
	}
	return labels.Answer{}, &requestError{http.StatusBadRequest,
		fmt.Sprintf("%.40q is not an answer of %s", p.Category, l.rubric)}
}

// seen reports whether the person has seen the verdicts on a conversation: they were revealed, or
// this process sent them.
func (l *labelling) seen(conversation string) (seen bool, err error) {
	l.mu.Lock()
	seen = l.read[conversation]
	l.mu.Unlock()
	if seen {
		return true, nil
	}
	err = l.file.View(func(s *labels.Set) { seen = s.IsRevealed(l.who, conversation) })
	return seen, err
}

// reveal writes, once, that the person now sees the verdicts on the event's conversation, if all
// its calls (in the random sample: the drawn ones) are labelled.
func (l *labelling) reveal(p *plan, e *labels.Event) error {
	left, known, wanted := 0, false, p.indexes(e.ConversationID)
	if e.Frame == labels.Random {
		wanted = l.drawn(p, e.ConversationID)
	}
	err := l.file.View(func(s *labels.Set) {
		known = s.IsRevealed(l.who, e.ConversationID)
		for _, t := range p.tasks(e.ConversationID, wanted) {
			if s.Of(l.who, l.item(t.place)).Label == "" {
				left++
			}
		}
	})
	if err != nil || known || left > 0 || e.Action == labels.Undo {
		return err
	}
	note := *e
	note.Action, note.Answer, note.Text, note.Seen = labels.Reveal, labels.Answer{}, "", labels.Revealed
	_, err = l.file.Append(note, l.now())
	return err
}

// isBlind reports whether verdicts on a conversation must not be sent: it is in the person's plan
// and not completely labelled yet.
func (l *labelling) isBlind(conversation string) (bool, error) {
	l.mu.Lock()
	begun, p := l.begun, l.made
	l.mu.Unlock()
	if begun && p == nil {
		var err error
		if p, err = l.plan(l.run.ctx, false); err != nil {
			return true, err
		}
	}
	if !begun || p.rank[conversation] == 0 || p.rank[conversation] > p.planned {
		return false, nil
	}
	seen, err := l.seen(conversation)
	return !seen, err
}

// sent remembers that the verdicts on a conversation were sent.
func (l *labelling) sent(conversation string) {
	l.mu.Lock()
	l.read[conversation] = true
	l.mu.Unlock()
}

// card shows an item to a person.
type card struct {
	opened
	// From is the first message of the item, if it is a turn.
	From int `json:"from,omitempty"`
	// Items holds what judge and scorers said; nil while the conversation is blind.
	Items []*page.Item `json:"items,omitempty"`
}

// card returns an item to label, with the conversation as far as the judge saw it; a call has its
// result. What the judge, scorers and the log's reference say is added only after the person has
// labelled the whole conversation.
func (l *labelling) card(ctx context.Context, p place) (*card, error) {
	revealed := false
	err := l.file.View(func(s *labels.Set) { revealed = s.IsRevealed(l.who, p.Conversation) })
	if err != nil {
		return nil, err
	}
	out := &card{opened: l.run.opened(ctx, p.Conversation, !revealed)}
	end := 0
	if out.of != nil {
		out.From, end = judges.MessagesOf(out.of, p.target())
	}
	if revealed {
		out.Items, err = l.run.itemsOf(ctx, p.Conversation)
	} else if out.Conversation != nil {
		cutBehind(out.Conversation, end)
	}
	return out, err
}

// target returns the item as a target for judges.
func (p place) target() judges.Target {
	switch {
	case p.Scope != "":
		return judges.Target{Scope: rubrics.Scope(p.Scope), Call: p.Call, Turn: p.Turn}
	case p.Call < 0:
		return judges.Target{Scope: rubrics.ScopeConversation}
	}
	return judges.OfCall(p.Call)
}

// cutBehind removes the messages from end on, and their calls. Results of the remaining calls stay.
func cutBehind(c *page.Conversation, end int) {
	c.Messages = c.Messages[:min(len(c.Messages), end)]
	if from := slices.IndexFunc(c.Calls, func(k page.Call) bool { return k.Message >= end }); from >= 0 {
		c.Calls = c.Calls[:from]
	}
}
