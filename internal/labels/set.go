package labels

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
)

// maxProblems limits how many problems are kept as text.
const maxProblems = 20

// Set is the result of all events in a file. Its problems name lines that are missing or not used.
type Set struct {
	name, runID string
	people      map[string]*person
	seen        map[string]int // the lines of events by their IDs
	highest     map[string]int // the numbers of the writers' last events
	line        int
	problems    []string // the first maxProblems of count
	count       int
}

// person is one person's state.
type person struct {
	// history holds the events that were not undone, in order.
	history  map[Item][]*Event
	order    []*Event
	revealed map[string]bool
	// kept holds blind labels of the sample that were taken back after the reveal. Estimates use
	// them, because the judge's answer must not influence the choice of labels.
	kept map[Item]*Event
}

// State is the current state of one item for one person.
type State struct {
	Item
	Who string
	// Answer is the last label that was not undone; Seen, Frame, Probability, Rank, Seed and
	// PerConversation come from its event.
	Answer
	Seen, Frame     string
	Probability     float64
	Rank            int
	Seed            uint64
	PerConversation int
	Note            string
	// Blind is the last label that was given blind in the random frame, even if it was taken back
	// after the reveal. Estimates use this one.
	Blind Answer
}

func newSet(name, runID string) *Set {
	return &Set{name: name, runID: runID, people: map[string]*person{}, seen: map[string]int{},
		highest: map[string]int{}}
}

// Read reads a whole file; name appears in problems. Labels of another run than runID are not used.
// Every line that is not an event is a problem, including a last line that was cut off.
func Read(data []byte, name, runID string) *Set {
	s := newSet(name, runID)
	for line := range bytes.Lines(data) {
		s.add(bytes.TrimSuffix(line, []byte("\n")))
	}
	return s
}

// Problems returns, in line order, what is missing or not used.
func (s *Set) Problems() []string {
	out := slices.Clone(s.problems)
	if more := s.count - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%s: %d more lines are not used", s.name, more))
	}
	for _, writer := range slices.Sorted(maps.Keys(s.highest)) {
		missing := 0
		for n := 1; n < s.highest[writer]; n++ {
			if s.seen[fmt.Sprintf("%s:%d", writer, n)] == 0 {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, fmt.Sprintf("%s: %d lines of session %s are missing", s.name, missing, writer))
		}
	}
	return out
}

func (s *Set) problem(format string, args ...any) {
	if s.count++; s.count <= maxProblems {
		s.problems = append(s.problems, fmt.Sprintf("%s:%d: ", s.name, s.line)+fmt.Sprintf(format, args...))
	}
}

// add applies the next line.
func (s *Set) add(line []byte) {
	s.line++
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	e, err := parse(line)
	if err != nil {
		s.problem("%v", err)
		return
	}
	first, twice := s.seen[e.ID()]
	switch {
	case e.RunID != s.runID:
		s.problem("a label of another run (%.40s): it is not used", e.RunID)
	case twice:
		s.problem("repeats line %d: it counts once", first)
	default:
		s.seen[e.ID()], s.highest[e.Writer] = s.line, max(s.highest[e.Writer], e.N)
		s.apply(e)
	}
}

func (s *Set) apply(e *Event) {
	p := s.people[e.Who]
	if p == nil {
		p = &person{history: map[Item][]*Event{}, revealed: map[string]bool{}, kept: map[Item]*Event{}}
		s.people[e.Who] = p
	}
	switch e.Action {
	case Reveal:
		p.revealed[e.ConversationID] = true
	case Undo:
		at := slices.IndexFunc(p.order, func(old *Event) bool { return old.ID() == e.Undoes })
		if at < 0 {
			s.problem("undoes an event that is not there")
			return
		}
		undone := p.order[at]
		if p.revealed[undone.ConversationID] && undone.isBlind() {
			p.kept[undone.Item()] = undone
		}
		p.order = slices.Delete(p.order, at, at+1)
		list := p.history[undone.Item()]
		p.history[undone.Item()] = slices.DeleteFunc(list, func(old *Event) bool { return old == undone })
	default:
		p.order = append(p.order, e)
		p.history[e.Item()] = append(p.history[e.Item()], e)
	}
}

// People returns everyone who labelled or noted something, sorted.
func (s *Set) People() []string { return slices.Sorted(maps.Keys(s.people)) }

// Of returns the state of an item for a person.
func (s *Set) Of(who string, item Item) State {
	st := State{Item: item, Who: who}
	p := s.people[who]
	if p == nil {
		return st
	}
	if e := p.kept[item]; e != nil {
		st.rest(e)
	}
	for _, e := range p.history[item] {
		if e.Action == Note {
			st.Note = e.Text
			continue
		}
		st.rest(e)
		st.Answer = e.Answer
	}
	return st
}

// rest copies the circumstances of a label.
func (st *State) rest(e *Event) {
	st.Seen, st.Frame, st.Probability, st.Rank, st.Seed = e.Seen, e.Frame, e.Probability, e.Rank, e.Seed
	st.PerConversation = e.PerConversation
	if e.isBlind() {
		st.Blind = e.Answer
	}
}

// isBlind reports whether estimates may use the event.
func (e *Event) isBlind() bool { return e.Action == Give && e.Seen == Blind && e.Frame == Random }

// States returns all items of a person with a label or a note, sorted by conversation, call, turn and rubric.
func (s *Set) States(who string) []State {
	p := s.people[who]
	if p == nil {
		return nil
	}
	var out []State
	for item, events := range p.history {
		if len(events) > 0 || p.kept[item] != nil {
			out = append(out, s.Of(who, item))
		}
	}
	sorting.Stable(out, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Call, b.Call),
			cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Rubric, b.Rubric))
	})
	return out
}

// Last returns the person's last label or note that was not undone, or nil. An undo takes back this one.
func (s *Set) Last(who string) *Event {
	if p := s.people[who]; p != nil && len(p.order) > 0 {
		return p.order[len(p.order)-1]
	}
	return nil
}

// IsRevealed reports whether the person has seen the verdicts on a conversation.
func (s *Set) IsRevealed(who, conversation string) bool {
	p := s.people[who]
	return p != nil && p.revealed[conversation]
}
