package scoreset

import "math"

// Column are the scores of one instrument, over calls or over conversations. It keeps
// a number for each different cell, in one byte, then two; where an instrument says
// more than that many different things, it keeps the cells themselves.
type Column struct {
	whole  bool
	cells  []Cell // by number; 0 says nothing
	number map[Cell]uint16

	narrow sparse[uint8]
	wide   sparse[uint16]
	raw    sparse[Cell]
	form   form
	met    int
}

type form uint8

const (
	narrowForm form = iota
	wideForm
	rawForm
)

// NewColumn makes an empty column, over conversations or over calls.
func NewColumn(conversations bool) *Column {
	return &Column{whole: conversations, cells: make([]Cell, 1), number: map[Cell]uint16{{}: 0}}
}

// Whole reports whether the column is over conversations.
func (c *Column) Whole() bool { return c.whole }

// Len is the number of items that have a cell.
func (c *Column) Len() int { return c.met }

// At is what was said of an item, the zero Cell for nothing and for an item of the
// other kind.
func (c *Column) At(i Item) Cell {
	if i.Whole() != c.whole {
		return Cell{}
	}
	return c.at(i.unit)
}

func (c *Column) at(unit uint32) Cell {
	switch c.form {
	case narrowForm:
		return c.cells[c.narrow.get(unit)]
	case wideForm:
		return c.cells[c.wide.get(unit)]
	}
	return c.raw.get(unit)
}

// Put says something of an item. Of several cells for one item the first by their
// order stays; dropped reports that one was left out, as one for an item of the other
// kind is.
func (c *Column) Put(i Item, cell Cell) (dropped bool) {
	if i.Whole() != c.whole {
		return true
	}
	old := c.at(i.unit)
	if old.Has(Met) {
		if old.compare(cell) <= 0 {
			return true
		}
		dropped = true
	} else {
		c.met++
	}
	if c.form == rawForm {
		c.raw.set(i.unit, cell)
		return dropped
	}
	number, ok := c.number[cell]
	if !ok {
		if len(c.cells) == math.MaxUint8+1 && c.form == narrowForm {
			c.wide, c.form = mapped(&c.narrow, func(n uint8) uint16 { return uint16(n) }), wideForm
			c.narrow = sparse[uint8]{}
		}
		if len(c.cells) == math.MaxUint16+1 {
			c.raw, c.form = mapped(&c.wide, func(n uint16) Cell { return c.cells[n] }), rawForm
			c.wide, c.cells, c.number = sparse[uint16]{}, nil, nil
			c.raw.set(i.unit, cell)
			return dropped
		}
		number = uint16(len(c.cells))
		c.cells = append(c.cells, cell)
		c.number[cell] = number
	}
	if c.form == narrowForm {
		c.narrow.set(i.unit, uint8(number))
	} else {
		c.wide.set(i.unit, number)
	}
	return dropped
}
