package directory

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
)

// pairing is what was found about the conversations of two runs.
type pairing struct {
	// partner gives the id in A of a conversation of B.
	partner map[string]string
	// order gives the calls of a conversation of B their numbers in A, where these
	// are others.
	order map[string][]int32
	// renamed conversations have another id in B and the same content, changed ones
	// another content; byTask are those that their task alone brought together.
	renamed, changed, byTask int
	// ambiguous conversations of either run share their task with another one of the
	// run; otherReference are pairs by id or task with other expected calls.
	ambiguous, otherReference int
	// Calls counts the calls of paired conversations.
	Calls report.CallPairs
}

// pairer pairs the conversations of a and b.
type pairer struct {
	*pairing
	a, b           []itemLine
	taken, matched []bool
}

// pairRuns pairs by content first (of several with one content the same id, else in
// order), then by id, then by task.
func pairRuns(a, b []itemLine) *pairing {
	p := &pairer{
		pairing: &pairing{partner: make(map[string]string, len(b)), order: map[string][]int32{}, Calls: report.CallPairs{Known: true}},
		a:       a, b: b, taken: make([]bool, len(a)), matched: make([]bool, len(b)),
	}
	p.byContent()
	p.byID()
	p.byTasks()
	if all := 2*(p.Calls.Same+p.Calls.Moved) + p.Calls.OnlyA + p.Calls.OnlyB; all > 0 {
		p.Calls.Unpaired = float64(p.Calls.OnlyA+p.Calls.OnlyB) / float64(all)
	}
	return p.pairing
}

func (p *pairer) byContent() {
	ids := make(map[string]int, len(p.a))
	contents := make(map[string][]int, len(p.a))
	for i := range p.a {
		ids[p.a[i].ConversationID] = i
		contents[p.a[i].Content] = append(contents[p.a[i].Content], i)
	}
	for k := range p.b {
		if i, ok := ids[p.b[k].ConversationID]; ok && p.a[i].Content == p.b[k].Content {
			p.take(i, k)
		}
	}
	for k := range p.b {
		if p.matched[k] {
			continue
		}
		left := contents[p.b[k].Content]
		for len(left) > 0 && p.taken[left[0]] {
			left = left[1:]
		}
		contents[p.b[k].Content] = left
		if len(left) > 0 {
			p.take(left[0], k)
		}
	}
}

// byID pairs what has one id, unless the logs name two tasks: an id may be no more than
// a place in a file.
func (p *pairer) byID() {
	ids := make(map[string]int, len(p.a))
	for i := range p.a {
		ids[p.a[i].ConversationID] = i
	}
	for k := range p.b {
		i, ok := ids[p.b[k].ConversationID]
		if !ok || p.matched[k] || p.taken[i] {
			continue
		}
		if x, y := p.a[i].taskKey, p.b[k].taskKey; x.own() && y.own() && (x.Task != y.Task || x.Trial != y.Trial) {
			continue
		}
		p.take(i, k)
	}
}

// byTasks pairs attempts at one task: with the same trial first, then, where each run
// has one attempt at a task, whatever its trial. What is not alone in its run is not
// paired.
func (p *pairer) byTasks() {
	renamed := p.renamed
	for _, key := range []func(k taskKey) [2]string{
		func(k taskKey) [2]string { return [2]string{k.Task, k.Trial} },
		func(k taskKey) [2]string { return [2]string{k.Task, ""} },
	} {
		inA, inB := attempts(p.a, key), attempts(p.b, key)
		for k := range p.b {
			task := key(p.b[k].taskKey)
			if p.matched[k] || task[0] == "" || len(inA[task]) != 1 || len(inB[task]) != 1 || p.taken[inA[task][0]] {
				continue
			}
			if i := inA[task][0]; otherReference(p.a[i].taskKey, p.b[k].taskKey) {
				continue // one number, and two tasks: those of two benchmarks or versions
			}
			p.byTask++
			p.take(inA[task][0], k)
		}
	}
	p.renamed = renamed
	p.leftOver()
}

func attempts(lines []itemLine, key func(taskKey) [2]string) map[[2]string][]int {
	out := make(map[[2]string][]int, len(lines))
	for i := range lines {
		k := key(lines[i].taskKey)
		out[k] = append(out[k], i)
	}
	return out
}

// leftOver counts what could have been paired by its task, and why it was not.
func (p *pairer) leftOver() {
	trial := func(k taskKey) [2]string { return [2]string{k.Task, k.Trial} }
	inA, inB := attempts(p.a, trial), attempts(p.b, trial)
	for k := range p.b {
		task := trial(p.b[k].taskKey)
		if p.matched[k] || task[0] == "" || len(inA[task]) == 0 {
			continue
		}
		switch {
		case len(inA[task]) > 1 || len(inB[task]) > 1:
			p.ambiguous++
		case !p.taken[inA[task][0]]:
			p.otherReference++
		}
	}
}

func otherReference(a, b taskKey) bool {
	return a.Reference != "" && b.Reference != "" && a.Reference != b.Reference
}

func (p *pairer) take(i, k int) {
	p.taken[i], p.matched[k] = true, true
	a, b := &p.a[i], &p.b[k]
	p.partner[b.ConversationID] = a.ConversationID
	if a.ConversationID != b.ConversationID {
		p.renamed++
	}
	if a.Content != b.Content {
		p.changed++
	}
	if order := aligned(a, b, &p.Calls); !inOrderOf(order) {
		p.order[b.ConversationID] = order
	}
}

// Partner returns the id in A of a conversation of B.
func (p *pairing) Partner(id string) (string, bool) {
	partner, ok := p.partner[id]
	return partner, ok
}

// Call returns the number in A of a call of a conversation of B. Where it has no partner
// that is one that no call of A has.
func (p *pairing) Call(id string, index int) int {
	if calls := p.order[id]; index >= 0 && index < len(calls) {
		return int(calls[index])
	}
	return index
}

// Notes say how the conversations were paired and what was left over.
func (p *pairing) Notes() []report.Warning {
	var out []report.Warning
	add := func(code, format string, args ...any) {
		out = append(out, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if p.renamed > 0 {
		add("paired_by_content", "%d conversations have another id in run B and were paired by their content; they are named as in run A", p.renamed)
	}
	if p.byTask > 0 {
		add("paired_by_task", "%d conversations were paired because they are attempts at the same task; they are named as in run A", p.byTask)
	}
	if p.ambiguous > 0 {
		add("ambiguous_tasks", "%d conversations of run B were not paired: several of a run are attempts at the same task, and nothing says which belongs to which", p.ambiguous)
	}
	if p.otherReference > 0 {
		add("other_reference", "%d conversations of run B were not paired: a task of run A has the same id and other expected calls", p.otherReference)
	}
	if c := p.Calls; c.OnlyA+c.OnlyB+c.Moved > 0 {
		add("calls_differ", "of the calls in conversations of both runs %d are the same, %d are the same behind other messages, %d of run A and %d of run B have no partner (%d conversations changed); calls are compared where both runs made them",
			c.Same, c.Moved, c.OnlyA, c.OnlyB, p.changed)
	}
	return out
}
