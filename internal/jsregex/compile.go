package jsregex

type opcode uint8

const (
	opMatch   opcode = iota
	opChar           // c
	opSet            // set
	opRun            // set, min, max, lazy: one unit, repeated
	opSplit          // x first, then y
	opJump           // x
	opSave           // register x := position
	opInit           // register x := 0
	opLoop           // x: counter register (x+1: start of the iteration), y: exit; min, max, lazy
	opIterate        // x: first capture register, y: last, to unset; min: the loop's register
	opLoopEnd        // x: counter register, y: the loop; min
	opStart          // ^
	opEnd            // $
	opEdge           // \b; negative: \B
	opBack           // x: group
	opLook           // the sub-program follows; y: behind it; negative
)

type inst struct {
	op       opcode
	back     bool // reads to the left, inside a look-behind
	lazy     bool
	negative bool
	c        uint16
	set      *set
	x, y     int
	min, max int
}

// program is a pattern for the backtracking machine. Registers 2g and 2g+1 hold
// where group g starts and ends, -1 while it is unset; loop registers follow.
type program struct {
	code      []inst
	registers int
	captures  int // registers that belong to groups
	flags     flags
	anchored  bool // only a match at the start of the text is possible
}

type compiler struct {
	program
	back bool
}

func compileProgram(tree *node, groups int, f flags) *program {
	c := &compiler{program: program{captures: 2 * (groups + 1), flags: f}}
	c.registers = c.captures
	first := tree
	for first.kind == kindSequence && len(first.kids) > 0 {
		first = first.kids[0]
	}
	c.anchored = first.kind == kindStart && !f.multiline
	c.node(tree)
	c.emit(inst{op: opMatch})
	return &c.program
}

func (c *compiler) emit(in inst) int {
	in.back = c.back
	c.code = append(c.code, in)
	return len(c.code) - 1
}

func (c *compiler) node(n *node) {
	switch n.kind {
	case kindSet:
		if unit, ok := n.set.single(); ok {
			c.emit(inst{op: opChar, c: unit})
		} else {
			c.emit(inst{op: opSet, set: n.set})
		}
	case kindSequence:
		for i := range n.kids {
			if c.back {
				i = len(n.kids) - 1 - i
			}
			c.node(n.kids[i])
		}
	case kindAlternatives:
		c.alternatives(n.kids)
	case kindCapture:
		open, end := 2*n.group, 2*n.group+1
		if c.back {
			open, end = end, open
		}
		c.emit(inst{op: opSave, x: open})
		c.node(n.kids[0])
		c.emit(inst{op: opSave, x: end})
	case kindLook:
		c.look(n)
	case kindBackreference:
		c.emit(inst{op: opBack, x: n.group})
	case kindStart:
		c.emit(inst{op: opStart})
	case kindEnd:
		c.emit(inst{op: opEnd})
	case kindWordEdge:
		c.emit(inst{op: opEdge, negative: n.negative})
	case kindRepeat:
		c.repeat(n)
	}
}

func (c *compiler) alternatives(kids []*node) {
	var jumps []int
	for i, k := range kids {
		if i == len(kids)-1 {
			c.node(k)
			break
		}
		split := c.emit(inst{op: opSplit})
		c.code[split].x = len(c.code)
		c.node(k)
		jumps = append(jumps, c.emit(inst{op: opJump}))
		c.code[split].y = len(c.code)
	}
	for _, j := range jumps {
		c.code[j].x = len(c.code)
	}
}

func (c *compiler) look(n *node) {
	at := c.emit(inst{op: opLook, negative: n.negative})
	outer := c.back
	c.back = n.behind
	c.node(n.kids[0])
	c.emit(inst{op: opMatch})
	c.back = outer
	c.code[at].y = len(c.code)
}

// repeat compiles a quantifier. One unit repeated has an instruction of its own;
// everything else is a loop with a counter and the place where the iteration
// started, since an optional iteration may not be empty.
func (c *compiler) repeat(n *node) {
	if n.max == 0 {
		return
	}
	if body := n.kids[0]; body.kind == kindSet {
		c.emit(inst{op: opRun, set: body.set, min: n.min, max: n.max, lazy: n.lazy})
		return
	}
	counter := c.registers
	c.registers += 2
	c.emit(inst{op: opInit, x: counter})
	loop := c.emit(inst{op: opLoop, x: counter, min: n.min, max: n.max, lazy: n.lazy})
	c.emit(inst{op: opIterate, x: 2 * n.group, y: 2*n.lastGroup + 1, min: counter})
	c.node(n.kids[0])
	c.emit(inst{op: opLoopEnd, x: counter, y: loop, min: n.min})
	c.code[loop].y = len(c.code)
}
