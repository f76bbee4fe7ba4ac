package jsregex

import (
	"sync"
	"unicode/utf8"
)

// The budget of one MatchString. A step is one instruction, one unit compared by a
// back-reference, or 8 units passed by a repeated class. 20 million steps take a
// few tenths of a second; 2 million saved choices take 32 MB.
const (
	maxSteps = 20_000_000
	maxStack = 2_000_000
)

// entry is something to return to, or to undo, when a path fails.
type entry struct {
	kind  entryKind
	pc    int32 // where to go on; for an undo, the register
	pos   int32 // where in the text; for an undo, the value
	limit int32 // for a run: the last position it may shrink or grow to
}

type entryKind uint8

const (
	choice entryKind = iota // go on at pc, pos
	undo                    // restore a register
	shrink                  // a greedy run: give back one unit, down to limit
	grow                    // a lazy run: take one more unit, up to limit
)

type machine struct {
	*program
	text  []uint16
	regs  []int32
	stack []entry
	steps int
}

var machines = sync.Pool{New: func() any { return new(machine) }}

func (p *program) match(s string) (bool, error) {
	m := machines.Get().(*machine)
	defer machines.Put(m)
	if len(s) > 1<<30 {
		return false, ErrTimeout
	}
	m.program, m.steps = p, maxSteps
	m.text = appendUnits(m.text[:0], s)
	defer m.release()
	for start := int32(0); int(start) <= len(m.text); start++ {
		m.regs = m.regs[:0]
		for range p.registers {
			m.regs = append(m.regs, -1)
		}
		m.stack = m.stack[:0]
		if m.run(0, start) {
			return true, nil
		}
		if m.steps < 0 {
			return false, ErrTimeout
		}
		if p.anchored {
			break
		}
	}
	return false, nil
}

// release drops what would keep much memory in the pool.
func (m *machine) release() {
	m.program = nil
	if cap(m.text) > 1<<16 {
		m.text = nil
	}
	if cap(m.stack) > 1<<14 {
		m.stack = nil
	}
}

func appendUnits(dst []uint16, s string) []uint16 {
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			dst = append(dst, 0xd800+uint16(r>>10), 0xdc00+uint16(r&0x3ff))
			continue
		}
		if r < 0 || r > utf8.MaxRune {
			r = utf8.RuneError
		}
		dst = append(dst, uint16(r))
	}
	return dst
}

func (m *machine) push(e entry) {
	if len(m.stack) >= maxStack {
		m.steps = -1
		return
	}
	m.stack = append(m.stack, e)
}

// set changes a register and remembers how to undo it.
func (m *machine) set(register int, v int32) {
	if m.regs[register] != v {
		m.push(entry{kind: undo, pc: int32(register), pos: m.regs[register]})
		m.regs[register] = v
	}
}

// backtrack undoes and returns to the last choice above base; false when there is
// none.
func (m *machine) backtrack(base int) (pc, pos int32, ok bool) {
	for len(m.stack) > base {
		top := &m.stack[len(m.stack)-1]
		switch top.kind {
		case undo:
			m.regs[top.pc] = top.pos
		case choice:
			pc, pos = top.pc, top.pos
			m.stack = m.stack[:len(m.stack)-1]
			return pc, pos, true
		case shrink, grow:
			if pc, pos, ok = m.again(top); ok {
				return pc, pos, true
			}
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
	return 0, 0, false
}

// again moves a run by one unit; false when it has no further choice.
func (m *machine) again(e *entry) (pc, pos int32, ok bool) {
	if e.pos == e.limit {
		return 0, 0, false
	}
	in := &m.code[e.pc]
	forward := int32(1)
	if in.back {
		forward = -1
	}
	if e.kind == shrink {
		e.pos -= forward
		return e.pc + 1, e.pos, true
	}
	if !m.unitIn(in, e.pos) {
		return 0, 0, false
	}
	e.pos += forward
	return e.pc + 1, e.pos, true
}

// next returns the unit that an instruction reads at pos, in its direction.
func (m *machine) next(in *inst, pos int32) (uint16, bool) {
	if in.back {
		pos--
	}
	if pos < 0 || int(pos) >= len(m.text) {
		return 0, false
	}
	return m.text[pos], true
}

func (m *machine) unitIn(in *inst, pos int32) bool {
	c, ok := m.next(in, pos)
	return ok && in.set.has(c)
}

func step(in *inst, pos int32) int32 {
	if in.back {
		return pos - 1
	}
	return pos + 1
}

// run executes from pc at pos until a match, or until every choice made in this
// run has failed. It recurses only for look-around, whose nesting is bounded. On
// success the choices of the run stay on the stack.
func (m *machine) run(pc, pos int32) bool {
	base := len(m.stack)
	for {
		if m.steps--; m.steps < 0 {
			return false
		}
		in := &m.code[pc]
		ok := true
		switch in.op {
		case opMatch:
			return true
		case opChar:
			var c uint16
			c, ok = m.next(in, pos)
			ok = ok && c == in.c
			pos = step(in, pos)
			pc++
		case opSet:
			ok = m.unitIn(in, pos)
			pos = step(in, pos)
			pc++
		case opRun:
			pos, ok = m.runOf(in, pc, pos)
			pc++
		case opSplit:
			m.push(entry{kind: choice, pc: int32(in.y), pos: pos})
			pc = int32(in.x)
		case opJump:
			pc = int32(in.x)
		case opSave:
			m.set(in.x, pos)
			pc++
		case opInit:
			m.set(in.x, 0)
			pc++
		case opLoop, opIterate, opLoopEnd:
			pc, ok = m.loop(in, pc, pos)
		case opBack:
			pos, ok = m.backReference(in, pos)
			pc++
		case opLook:
			ok = m.look(in, pc, pos)
			pc = int32(in.y)
		default:
			ok = m.assertion(in, pos)
			pc++
		}
		if !ok {
			if m.steps < 0 {
				return false
			}
			if pc, pos, ok = m.backtrack(base); !ok {
				return false
			}
		}
	}
}

// runOf takes one class repeatedly: as often as it can, or as rarely when lazy.
func (m *machine) runOf(in *inst, pc, start int32) (pos int32, ok bool) {
	want := in.max
	if in.lazy {
		want = in.min
	}
	pos = start
	n := 0
	for ; n < want && m.unitIn(in, pos); n++ {
		pos = step(in, pos)
	}
	m.steps -= n / 8
	if n < in.min {
		return pos, false
	}
	direction := step(in, 0)
	switch {
	case !in.lazy && n > in.min:
		m.push(entry{kind: shrink, pc: pc, pos: pos, limit: start + direction*int32(in.min)})
	case in.lazy && in.max > in.min:
		most := min(in.max, len(m.text)+1) // beyond the text there is nothing to take
		m.push(entry{kind: grow, pc: pc, pos: pos, limit: start + direction*int32(most)})
	}
	return pos, true
}

// loop executes the three instructions of a general quantifier.
func (m *machine) loop(in *inst, pc, pos int32) (next int32, ok bool) {
	switch in.op {
	case opIterate:
		m.set(in.min+1, pos)
		for r := in.x; r <= in.y; r++ {
			m.set(r, -1)
		}
		return pc + 1, true
	case opLoopEnd:
		count := m.regs[in.x]
		if int(count) >= in.min && m.regs[in.x+1] == pos {
			return pc, false // an optional iteration may not be empty
		}
		m.set(in.x, count+1)
		return int32(in.y), true
	}
	body, exit := pc+1, int32(in.y)
	count := int(m.regs[in.x])
	switch {
	case count < in.min:
		return body, true
	case count >= in.max:
		return exit, true
	case in.lazy:
		m.push(entry{kind: choice, pc: body, pos: pos})
		return exit, true
	}
	m.push(entry{kind: choice, pc: exit, pos: pos})
	return body, true
}

// backReference takes the text of a group again; an unset group is empty.
func (m *machine) backReference(in *inst, pos int32) (int32, bool) {
	start, end := m.regs[2*in.x], m.regs[2*in.x+1]
	if start < 0 || end < 0 {
		return pos, true
	}
	n := end - start
	m.steps -= int(n)
	from := pos
	if in.back {
		from = pos - n
	}
	if from < 0 || int(from+n) > len(m.text) {
		return pos, false
	}
	for i := range n {
		a, b := m.text[start+i], m.text[from+i]
		if a != b && (!m.flags.ignoreCase || canonical(a) != canonical(b)) {
			return pos, false
		}
	}
	if in.back {
		return from, true
	}
	return from + n, true
}

// look runs the sub-program behind pc at pos. What it captured stays, and is undone
// when the pattern returns to before it; its choices are dropped. A negative one
// leaves nothing.
func (m *machine) look(in *inst, pc, pos int32) bool {
	base := len(m.stack)
	found := m.run(pc+1, pos)
	if m.steps < 0 {
		return false
	}
	if !found {
		return in.negative
	}
	if in.negative {
		for len(m.stack) > base {
			if top := m.stack[len(m.stack)-1]; top.kind == undo {
				m.regs[top.pc] = top.pos
			}
			m.stack = m.stack[:len(m.stack)-1]
		}
		return false
	}
	kept := m.stack[:base]
	for _, e := range m.stack[base:] {
		if e.kind == undo {
			kept = append(kept, e)
		}
	}
	m.stack = kept
	return true
}

func (m *machine) assertion(in *inst, pos int32) bool {
	switch in.op {
	case opStart:
		return pos == 0 || m.flags.multiline && isLineEnd(m.text[pos-1])
	case opEnd:
		return int(pos) == len(m.text) || m.flags.multiline && isLineEnd(m.text[pos])
	}
	before := pos > 0 && isWord(m.text[pos-1])
	after := int(pos) < len(m.text) && isWord(m.text[pos])
	return (before != after) != in.negative
}
