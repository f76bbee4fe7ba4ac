package sandbox

import (
	"fmt"

	"github.com/judgekit/judge/internal/value"
)

// node is one object or list of the state. It is opened lazily: until a tool looks
// inside, it is only the value that it was made from. Every change is written to
// the tree's journal, by which the tree finds what a call changed and takes it
// back.
type node struct {
	tree   *tree
	parent *node
	// key is the node's key where the parent is an object.
	key    string
	isList bool
	// base is the node as a value; it holds while clean is set.
	base  value.Value
	clean bool
	open  bool
	// slots are the members or elements in order; removed members of an object stay
	// as dead slots, so that taking a removal back restores the order.
	slots []slot
	index map[string]int
	live  int
}

// slot is one member or element: a scalar value, or a node for a container that
// has been looked at.
type slot struct {
	key  string
	val  value.Value
	node *node
	dead bool
}

// tree is a state with its journal.
type tree struct {
	root    *node
	journal []record
	// frozen stops every write while the module itself is being read.
	frozen bool
}

// record is one change, in a form that can be taken back.
type record struct {
	n    *node
	kind recordKind
	at   int
	old  slot
	list []slot
}

type recordKind uint8

const (
	changedSlot recordKind = iota
	appendedSlot
	removedMember
	changedList
)

func newTree(v value.Value) *tree {
	t := &tree{}
	t.root = t.newNode(v)
	return t
}

func (t *tree) newNode(v value.Value) *node {
	return &node{tree: t, base: v, clean: true, isList: v.IsList()}
}

// unfold opens the node: its slots become editable.
func (n *node) unfold() {
	if n.open {
		return
	}
	n.open = true
	n.slots = make([]slot, n.base.Len())
	for i := range n.slots {
		n.slots[i].val = n.base.At(i)
	}
	n.live = len(n.slots)
	if n.isList {
		return
	}
	n.index = make(map[string]int, len(n.slots))
	for i := range n.slots {
		n.slots[i].key = n.base.KeyAt(i)
		n.index[n.slots[i].key] = i
	}
}

// child returns the node of a container in a slot, nil for a scalar.
func (n *node) child(i int) *node {
	s := &n.slots[i]
	if s.node == nil && (s.val.IsList() || s.val.Kind() == value.Object) {
		s.node = n.tree.newNode(s.val)
		s.node.parent, s.node.key = n, s.key
	}
	return s.node
}

// value returns the node as a value; parts that did not change are shared.
func (n *node) value() value.Value {
	if n.clean {
		return n.base
	}
	if n.isList {
		elems := make([]value.Value, len(n.slots))
		for i := range n.slots {
			elems[i] = n.slots[i].value()
		}
		n.base = value.OfList(elems...)
	} else {
		members := make([]value.Member, 0, n.live)
		for i := range n.slots {
			if !n.slots[i].dead {
				members = append(members, value.Member{Key: n.slots[i].key, Value: n.slots[i].value()})
			}
		}
		n.base = value.OfObject(members...)
	}
	n.clean = true
	return n.base
}

func (s *slot) value() value.Value {
	if s.node != nil {
		return s.node.value()
	}
	return s.val
}

// touch says that the node's base no longer holds, nor that of any node above.
func (n *node) touch() {
	for m := n; m != nil && m.clean; m = m.parent {
		m.clean = false
	}
}

func (n *node) log(r record) {
	r.n = n
	n.tree.journal = append(n.tree.journal, r)
	n.touch()
}

// replace puts a new value into a slot.
func (n *node) replace(i int, s slot) {
	old := n.slots[i]
	n.log(record{kind: changedSlot, at: i, old: old})
	detach(old)
	s.key = old.key
	n.slots[i] = s
	n.attach(i)
}

// put sets a member of an object.
func (n *node) put(key string, s slot) {
	if i, ok := n.index[key]; ok {
		n.replace(i, s)
		return
	}
	s.key = key
	n.log(record{kind: appendedSlot, at: len(n.slots)})
	n.index[key] = len(n.slots)
	n.slots = append(n.slots, s)
	n.live++
	n.attach(len(n.slots) - 1)
}

// drop removes a member of an object.
func (n *node) drop(i int) {
	n.log(record{kind: removedMember, at: i, old: n.slots[i]})
	detach(n.slots[i])
	delete(n.index, n.slots[i].key)
	n.slots[i] = slot{key: n.slots[i].key, dead: true}
	n.live--
}

// push appends an element to a list.
func (n *node) push(s slot) {
	n.log(record{kind: appendedSlot, at: len(n.slots)})
	n.slots = append(n.slots, s)
	n.live++
	n.attach(len(n.slots) - 1)
}

// restructure replaces all elements of a list. The slots that stay keep their
// nodes.
func (n *node) restructure(slots []slot) {
	n.log(record{kind: changedList, list: n.slots})
	for i := range n.slots {
		detach(n.slots[i])
	}
	n.slots = slots
	n.live = len(slots)
	for i := range slots {
		n.attach(i)
	}
}

func detach(s slot) {
	if s.node != nil {
		s.node.parent = nil
	}
}

func (n *node) attach(i int) {
	if c := n.slots[i].node; c != nil {
		c.parent, c.key = n, n.slots[i].key
	}
}

// undo takes back every change after the mark.
func (t *tree) undo(mark int) {
	for i := len(t.journal) - 1; i >= mark; i-- {
		r := &t.journal[i]
		n := r.n
		n.touch()
		switch r.kind {
		case changedSlot:
			detach(n.slots[r.at])
			n.slots[r.at] = r.old
			n.attach(r.at)
		case appendedSlot:
			detach(n.slots[r.at])
			if !n.isList {
				delete(n.index, n.slots[r.at].key)
			}
			n.slots = n.slots[:r.at]
			n.live--
		case removedMember:
			n.slots[r.at] = r.old
			n.index[r.old.key] = r.at
			n.live++
			n.attach(r.at)
		case changedList:
			for j := range n.slots {
				detach(n.slots[j])
			}
			n.slots = r.list
			n.live = len(r.list)
			for j := range n.slots {
				n.attach(j)
			}
		}
		*r = record{}
	}
	t.journal = t.journal[:mark]
}

// writable returns an error while the state may not be changed.
func (n *node) writable() error {
	if n.tree.frozen {
		return fmt.Errorf("the state cannot be changed here")
	}
	return nil
}
