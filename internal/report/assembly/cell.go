package assembly

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report/measure"
)

// bits are flags of one score.
type bits uint16

// The bits of a score. A cell without isMet was neither scored nor tried.
const (
	isMet bits = 1 << iota
	isScored
	isDecided // it has a verdict
	isPassed
	isRepaired
	isSevere // it has a flag of severity 2
	isNotApplicable
	isError
	isBorderline
	isUnsure
	isEscalated // it was marked for a second look
	isShortened // the judge was shown a shortened record
)

// secondLook are the marks of an answer that needs a review before it counts.
const secondLook = isEscalated | isBorderline | isUnsure | isSevere

// Confidences are kept in steps of 1/confidenceSteps.
const (
	confidenceSteps = 10_000
	noConfidence    = math.MaxUint16
)

// cell is the score of one item by one instrument, in 16 bytes; the zero cell is none.
type cell struct {
	value float64 // 0 unless isScored is set
	item  uint32  // the number of the call or conversation
	steps uint16  // of confidence
	bits  bits
}

// newCell makes a cell. confidence is in [0, 1], or nil; others count as none.
func newCell(item uint32, value, confidence *float64, b bits) cell {
	c := cell{item: item, steps: noConfidence, bits: b | isMet}
	if value != nil {
		c.value = *value
		c.bits |= isScored
	}
	if confidence != nil && *confidence >= 0 && *confidence <= 1 {
		c.steps = uint16(math.Round(*confidence * confidenceSteps))
	}
	return c
}

// has reports whether one of the bits is set.
func (c cell) has(b bits) bool { return c.bits&b != 0 }

// number is the value, NaN for none.
func (c cell) number() float64 { return nanIf(!c.has(isScored), c.value) }

// verdict is 1 for a pass, 0 for a fail and NaN for none.
func (c cell) verdict() float64 { return nanIf(!c.has(isDecided), measure.One(c.has(isPassed))) }

// confidence is in [0, 1] in steps of 1/10,000, NaN for none.
func (c cell) confidence() float64 {
	return nanIf(c.steps == noConfidence || !c.has(isMet), float64(c.steps)/confidenceSteps)
}

// compare orders cells by item; of one item, a score with a value comes before one
// without, then the rest decides.
func (c cell) compare(d cell) int {
	if c.item != d.item {
		return cmp.Compare(c.item, d.item)
	}
	return cmp.Or(cmp.Compare(d.bits&isScored, c.bits&isScored), cmp.Compare(c.value, d.value),
		cmp.Compare(c.bits, d.bits), cmp.Compare(c.steps, d.steps))
}

// column are cells of one instrument, an item once and in order when it is settled.
type column []cell

// settle gives items their final numbers and puts cells in order. Of several cells for
// one item the first by their order stays; dropped counts the others.
func (c *column) settle(numbers []uint32) (dropped int) {
	all := *c
	for i := range all {
		all[i].item = numbers[all[i].item]
	}
	slices.SortFunc(all, cell.compare)
	*c = slices.CompactFunc(all, func(x, y cell) bool { return x.item == y.item })
	return len(all) - len(*c)
}

// at is the cell of the item with a number, the zero cell for none.
func (c column) at(number uint32) cell {
	i, ok := slices.BinarySearchFunc(c, number, func(x cell, n uint32) int { return cmp.Compare(x.item, n) })
	if !ok {
		return cell{}
	}
	return c[i]
}

// nanIf is NaN where b holds, else v.
func nanIf(b bool, v float64) float64 {
	if b {
		return math.NaN()
	}
	return v
}
