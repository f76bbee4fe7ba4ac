package jsregex

import (
	"errors"
	"sync/atomic"
	"time"
)

// errSpent means that matches took too long altogether.
var errSpent = errors.New("regular expression: patterns that backtrack have taken their time, no more are matched")

const (
	// budgetTime holds what slow matches may take altogether, and what one of them may take.
	budgetTime = 500 * time.Millisecond
	// A match is slow if it takes longer than this, and than so much for each byte of its text.
	slowTime    = time.Millisecond
	slowPerByte = 100 * time.Nanosecond
	// surelySlow is longer than a busy machine keeps a match waiting.
	surelySlow = 100 * time.Millisecond
)

// Budget bounds the time that the patterns of a log may spend on backtracking, which hostile
// patterns do without end. Matches in time linear in the text cost nothing of it. It is safe
// for concurrent use.
type Budget struct{ spent atomic.Int64 }

// MatchWithin is MatchString within a budget: when it is spent, every match that needs
// backtracking is an error.
func (re *Regexp) MatchWithin(b *Budget, s string) (bool, error) {
	if re.linear != nil && isPlain(s) {
		return re.linear.MatchString(s), nil
	}
	if time.Duration(b.spent.Load()) >= budgetTime {
		return false, errSpent
	}
	text := re.units(s)
	quick := slowTime + slowPerByte*time.Duration(len(s))
	start := time.Now()
	ok, err := re.full.MatchRunes(text)
	took := time.Since(start)
	if err != nil {
		b.spent.Add(int64(budgetTime))
		return false, errTimeout
	}
	if took > quick && took < surelySlow { // was it the pattern, or a busy machine?
		again := time.Now()
		_, _ = re.full.MatchRunes(text)
		if time.Since(again) <= quick {
			return ok, nil
		}
		took = time.Since(start)
	}
	if took > quick {
		b.spent.Add(int64(took))
	}
	return ok, nil
}
