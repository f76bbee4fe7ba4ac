package series

import (
	"cmp"
	"math"
	"slices"
)

// Bits say what is known of one score.
type Bits uint16

// The bits of a score. A cell without Met was never scored nor tried.
const (
	Met Bits = 1 << iota
	HasValue
	HasVerdict
	Passed
	Repaired
	Severe // it has a flag of severity 2
	NotApplicable
	Failed // its status is error
	Borderline
	LowConfidence
	Escalated // it was marked for a second look
	Shortened // the judge was shown a shortened record
)

// SecondLook are the marks of an answer that is neither pass nor fail until resolved.
const SecondLook = Escalated | Borderline | LowConfidence | Severe

// confSteps is how finely confidences are kept: in steps of 1/confSteps.
const (
	confSteps = 10_000
	noConf    = math.MaxUint16
)

// Cell is what one instrument says of one item; the zero Cell says nothing.
type Cell struct {
	// Value is 0 unless HasValue is set.
	Value float64
	item  uint32 // the number of the call or conversation
	conf  uint16
	Bits  Bits
}

// newCell makes a cell. confidence is in [0, 1], or nil; others are taken for none.
func newCell(value, confidence *float64, bits Bits) Cell {
	c := Cell{conf: noConf, Bits: bits | Met}
	if value != nil {
		c.Value = *value
		c.Bits |= HasValue
	}
	if confidence != nil && *confidence >= 0 && *confidence <= 1 {
		c.conf = uint16(math.Round(*confidence * confSteps))
	}
	return c
}

// Has reports whether a bit is set.
func (c Cell) Has(b Bits) bool { return c.Bits&b != 0 }

// Number is the value, NaN for none.
func (c Cell) Number() float64 { return NaNIf(!c.Has(HasValue), c.Value) }

// Verdict is 1 for a pass, 0 for a fail and NaN for none.
func (c Cell) Verdict() float64 {
	switch {
	case !c.Has(HasVerdict):
		return math.NaN()
	case c.Has(Passed):
		return 1
	}
	return 0
}

// Confidence is in [0, 1] in steps of 1/10,000, NaN for none.
func (c Cell) Confidence() float64 {
	if c.conf == noConf || !c.Has(Met) {
		return math.NaN()
	}
	return float64(c.conf) / confSteps
}

// compare orders cells by item; of one item, a score with a value stands before one
// without, then the rest decides.
func (c Cell) compare(d Cell) int {
	return cmp.Or(cmp.Compare(c.item, d.item), cmp.Compare(d.Bits&HasValue, c.Bits&HasValue),
		cmp.Compare(c.Value, d.Value), cmp.Compare(c.Bits, d.Bits), cmp.Compare(c.conf, d.conf))
}

// column are the scores of one instrument, 16 bytes each.
type column []Cell

func (c *column) put(item Item, cell Cell) {
	cell.item = item.number
	*c = append(*c, cell)
}

// settle gives items their final numbers and puts cells in order. Of several cells for
// one item the first by their order stays; dropped counts the others.
func (c *column) settle(numbers []uint32) (dropped int) {
	all := *c
	for i := range all {
		all[i].item = numbers[all[i].item]
	}
	if !slices.IsSortedFunc(all, Cell.compare) {
		slices.SortFunc(all, Cell.compare)
	}
	kept := slices.CompactFunc(all, func(x, y Cell) bool { return x.item == y.item })
	*c = slices.Clip(kept)
	return len(all) - len(kept)
}

// at is what was said of the item with a number, the zero Cell for nothing.
func (c column) at(number uint32) Cell {
	i, ok := slices.BinarySearchFunc(c, number, func(cell Cell, n uint32) int { return cmp.Compare(cell.item, n) })
	if !ok {
		return Cell{}
	}
	return c[i]
}
