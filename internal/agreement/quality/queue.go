package quality

import (
	"math"
	"slices"
)

// QueueItem is one judged item as the debug queue sees it. NaN marks a missing
// number and counts as 0; a missing PPass adds no uncertainty.
type QueueItem struct {
	ID                  string
	JudgePass, DetPass  bool
	HasJudge, HasDet    bool // a conflict needs both
	Confidence, PPass   float64
	Spread              float64
	ContradictionsCount float64
}

// QueueWeights weigh the four signals.
type QueueWeights struct {
	Conflict, Uncertain, Spread, Contradiction float64
}

// RankedItem is an item with its priority.
type RankedItem struct {
	ID    string
	Score float64
}

// RankDisagreements orders items for people to look at, highest first, ties by
// id. It is for learning about errors only: never estimate quality from it.
func RankDisagreements(items []QueueItem, w QueueWeights) []RankedItem {
	out := make([]RankedItem, len(items))
	for i, it := range items {
		s := 0.0
		if it.HasJudge && it.HasDet && it.JudgePass != it.DetPass {
			s += w.Conflict * zeroIfMissing(it.Confidence)
		}
		if !math.IsNaN(it.PPass) {
			s += w.Uncertain * (1 - math.Abs(2*it.PPass-1))
		}
		s += w.Spread * zeroIfMissing(it.Spread)
		s += w.Contradiction * math.Min(1, zeroIfMissing(it.ContradictionsCount))
		out[i] = RankedItem{it.ID, s}
	}
	sortRanked(out)
	return out
}

// sortRanked orders by score descending, then id.
func sortRanked(items []RankedItem) {
	slices.SortStableFunc(items, func(a, b RankedItem) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		}
		return 0
	})
}

func zeroIfMissing(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
