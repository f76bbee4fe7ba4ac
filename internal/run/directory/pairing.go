package directory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// Partners pairs the conversations and calls of two runs, a and b. Each has at most one partner.
type Partners struct {
	// without says which runs have no items.jsonl, as the beginning of a sentence ("run B has"); "" if
	// both have one. If it is set, conversations are paired by their ids.
	without        string
	a, b           []itemLine
	taken, matched []bool
	// partner maps ids of b to ids of a, inB ids of a to ids of b.
	partner, inB map[string]string
	// order maps a conversation of b to the numbers that its calls have in a, if they differ.
	order map[string][]int
	// renamed counts pairs with different ids and the same content, changed pairs with different
	// content, byTask pairs that only their task brought together.
	renamed, changed, byTask int
	// ambiguous counts conversations that share their task with another one of the same run;
	// otherReference counts pairs by task with different expected calls.
	ambiguous, otherReference int
	// Calls counts the calls of paired conversations.
	Calls report.CallPairs
}

// pairRuns pairs first by content (conversations with equal content by id, else in order), then by
// id, then by task.
func pairRuns(a, b []itemLine) *Partners {
	p := &Partners{
		a: a, b: b, taken: make([]bool, len(a)), matched: make([]bool, len(b)),
		partner: make(map[string]string, len(b)), inB: make(map[string]string, len(b)), order: map[string][]int{},
		Calls: report.CallPairs{Known: true},
	}
	p.step(func(l *itemLine) string { return l.ConversationID + "\x00" + l.Content }, nil)
	p.step(func(l *itemLine) string { return l.Content }, nil)
	// An id may be just a position in a file: do not pair two conversations whose logs name different tasks.
	p.step(func(l *itemLine) string { return l.ConversationID }, func(x, y *itemLine) bool {
		return !x.named() || !y.named() || x.Task == y.Task && x.Trial == y.Trial
	})
	p.byTasks()
	if all := 2*(p.Calls.Same+p.Calls.Moved) + p.Calls.OnlyA + p.Calls.OnlyB; all > 0 {
		p.Calls.Unpaired = float64(p.Calls.OnlyA+p.Calls.OnlyB) / float64(all)
	}
	return p
}

// step pairs lines with equal keys, in order, if ok allows the pair; a nil ok allows all. Lines
// with the key "" are not paired.
func (p *Partners) step(key func(*itemLine) string, ok func(x, y *itemLine) bool) {
	inA := groups(p.a, key)
	for k := range p.b {
		of := key(&p.b[k])
		if p.matched[k] || of == "" {
			continue
		}
		left := inA[of]
		for len(left) > 0 && p.taken[left[0]] {
			left = left[1:]
		}
		inA[of] = left
		if len(left) > 0 && (ok == nil || ok(&p.a[left[0]], &p.b[k])) {
			p.take(left[0], k)
		}
	}
}

// groups returns the indexes of the lines by key.
func groups(lines []itemLine, key func(*itemLine) string) map[string][]int {
	out := make(map[string][]int, len(lines))
	for i := range lines {
		k := key(&lines[i])
		out[k] = append(out[k], i)
	}
	return out
}

// named reports whether the log itself names the task.
func (k *taskKey) named() bool { return strings.HasPrefix(k.Task, ownTask) }

// byTasks pairs attempts at the same task: first those with the same trial, then, if each run has
// only one attempt at a task, regardless of trials. Tasks with the same number from two benchmarks
// or versions are not paired.
func (p *Partners) byTasks() {
	task := func(l *itemLine) string {
		if !l.named() {
			return ""
		}
		return l.Task
	}
	trial := func(l *itemLine) string {
		if task(l) == "" {
			return ""
		}
		return l.Task + "\x00" + l.Trial
	}
	oneTask := func(x, y *itemLine) bool {
		return x.Reference == "" || y.Reference == "" || x.Reference == y.Reference
	}
	renamed, before := p.renamed, len(p.partner)
	for _, key := range []func(*itemLine) string{trial, task} {
		inA, inB := groups(p.a, key), groups(p.b, key)
		p.step(key, func(x, y *itemLine) bool {
			return len(inA[key(y)]) == 1 && len(inB[key(y)]) == 1 && oneTask(x, y)
		})
	}
	p.byTask, p.renamed = len(p.partner)-before, renamed
	// Count the conversations that have a counterpart but could not be paired.
	inA, inB := groups(p.a, trial), groups(p.b, trial)
	for k := range p.b {
		of := trial(&p.b[k])
		switch {
		case p.matched[k] || of == "" || len(inA[of]) == 0:
		case len(inA[of]) > 1 || len(inB[of]) > 1:
			p.ambiguous++
		case !p.taken[inA[of][0]]:
			p.otherReference++
		}
	}
}

func (p *Partners) take(i, k int) {
	p.taken[i], p.matched[k] = true, true
	a, b := &p.a[i], &p.b[k]
	p.partner[b.ConversationID], p.inB[a.ConversationID] = a.ConversationID, b.ConversationID
	if a.ConversationID != b.ConversationID {
		p.renamed++
	}
	if a.Content != b.Content {
		p.changed++
	}
	order := aligned(a, b, &p.Calls)
	for k, i := range order {
		if i != k {
			p.order[b.ConversationID] = order
		}
	}
}

// aligned returns, for each call of b, the number of its partner in a, or a number that no call of
// a has. Calls are partners if they look the same to a judge; the remaining calls are paired, in
// order, if they have the same tool and arguments. Calls are never paired only because of their
// position. sums counts the results.
func aligned(a, b *itemLine, sums *report.CallPairs) []int {
	out := make([]int, len(b.Calls))
	for k := range out {
		out[k] = len(a.Calls) + k
	}
	taken := make([]bool, len(a.Calls))
	match := func(left, right []string) (n int) {
		if len(left) != len(a.Calls) || len(right) != len(b.Calls) {
			return 0 // an older version wrote no hashes
		}
		waiting := make(map[string][]int, len(left))
		for i, hash := range left {
			if !taken[i] {
				waiting[hash] = append(waiting[hash], i)
			}
		}
		for k, hash := range right {
			if list := waiting[hash]; out[k] >= len(a.Calls) && len(list) > 0 {
				waiting[hash] = list[1:]
				out[k], taken[list[0]] = list[0], true
				n++
			}
		}
		return n
	}
	same := match(a.Calls, b.Calls)
	moved := match(a.Bare, b.Bare)
	sums.Same += same
	sums.Moved += moved
	sums.OnlyA += len(a.Calls) - same - moved
	sums.OnlyB += len(b.Calls) - same - moved
	return out
}

// Earlier converts an item of run b to its names in run a. An item that only b has gets names that
// a does not have.
func (p *Partners) Earlier(id string, call int) (idInA string, callInA int) {
	if p.without != "" {
		return id, call
	}
	if calls := p.order[id]; call >= 0 && call < len(calls) {
		call = calls[call]
	}
	if partner, ok := p.partner[id]; ok {
		return partner, call
	}
	return "\x00" + id, call
}

// Of returns the item of run b for an item of run a, if there is one. A call of -1 is the whole
// conversation; the calls of the partner may differ.
func (p *Partners) Of(id string, call int) (idInB string, callInB int, ok bool) {
	if p.without != "" {
		return id, call, true
	}
	if idInB, ok = p.inB[id]; !ok || call < 0 {
		return idInB, -1, ok
	}
	if order := p.order[idInB]; order != nil {
		call = slices.Index(order, call)
	}
	return idInB, call, call >= 0
}

// Shared counts the conversations that both runs have; 0 if a run has no items.jsonl.
func (p *Partners) Shared() int { return len(p.inB) }

// Notes describe how the conversations were paired and what was left over.
func (p *Partners) Notes() []report.Warning {
	if p.without != "" {
		return []report.Warning{words.Warning(words.PairedByID, p.without, ItemsFile)}
	}
	var out []report.Warning
	add := func(n int, format string) {
		if n > 0 {
			out = append(out, words.Warning(format, words.Counted(n, "conversation")))
		}
	}
	add(p.renamed, words.PairedByContent)
	add(p.byTask, words.PairedByTask)
	add(p.ambiguous, words.AmbiguousTasks)
	add(p.otherReference, words.OtherReference)
	if c := p.Calls; c.OnlyA+c.OnlyB+c.Moved > 0 {
		out = append(out, words.Warning(words.CallsDiffer, c.Same, c.Moved, c.OnlyA, c.OnlyB,
			words.Counted(p.changed, "conversation")))
	}
	return out
}

// Pair pairs the runs in directories a and b.
//
// Conversations are paired by their content, so that a new id or another order of the logs does not
// separate them. Those whose content occurs in only one run are paired by id, because a task that
// an agent runs again may keep its name but not its words; the rest are paired by their task. The
// calls of paired conversations are paired if they are the same call.
func Pair(a, b string) (*Partners, error) {
	mA, errA := ReadManifest(a)
	mB, errB := ReadManifest(b)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	linesA, knownA, errA := readItems(a, mA.RunID)
	linesB, knownB, errB := readItems(b, mB.RunID)
	switch err := cmp.Or(errA, errB); {
	case err != nil:
		return nil, err
	case knownA && knownB:
		return pairRuns(linesA, linesB), nil
	case knownA:
		return &Partners{without: "run B has"}, nil
	case knownB:
		return &Partners{without: "run A has"}, nil
	}
	return &Partners{without: "both runs have"}, nil
}
