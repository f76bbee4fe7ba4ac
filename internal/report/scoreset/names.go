package scoreset

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// names numbers strings in the order of their first appearance. The texts stand one
// behind the other, the table holds numbers only.
type names struct {
	texts []byte
	ends  []int
	// at is an open hash table of numbers plus one, 0 for an empty place.
	at   []uint32
	seed maphash.Seed
	last uint32
}

func (n *names) len() int { return len(n.ends) }

// text is the name with a number.
func (n *names) text(number uint32) []byte {
	start := 0
	if number > 0 {
		start = n.ends[number-1]
	}
	return n.texts[start:n.ends[number]]
}

// add finds or makes the number of a name; fresh says that it is new.
func (n *names) add(name string) (number uint32, fresh bool) {
	if len(n.ends) > 0 && string(n.text(n.last)) == name {
		return n.last, false
	}
	if n.at == nil {
		n.seed, n.at = maphash.MakeSeed(), make([]uint32, 64)
	}
	place := n.find(name)
	if known := n.at[place]; known > 0 {
		n.last = known - 1
		return n.last, false
	}
	n.last = uint32(len(n.ends))
	n.texts = append(n.texts, name...)
	n.ends = append(n.ends, len(n.texts))
	n.at[place] = n.last + 1
	if 4*len(n.ends) > 3*len(n.at) {
		n.grow()
	}
	return n.last, true
}

// find is the place of a name in the table, or the empty place where it belongs.
func (n *names) find(name string) int {
	mask := len(n.at) - 1
	place := int(maphash.String(n.seed, name)) & mask
	for n.at[place] > 0 && string(n.text(n.at[place]-1)) != name {
		place = (place + 1) & mask
	}
	return place
}

func (n *names) grow() {
	n.at = make([]uint32, 2*len(n.at))
	mask := len(n.at) - 1
	for i := range n.ends {
		place := int(maphash.Bytes(n.seed, n.text(uint32(i)))) & mask
		for n.at[place] > 0 {
			place = (place + 1) & mask
		}
		n.at[place] = uint32(i) + 1
	}
}

// sorted are the numbers in the order of their names.
func (n *names) sorted() []uint32 {
	order := make([]uint32, len(n.ends))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return bytes.Compare(n.text(x), n.text(y)) })
	return order
}
