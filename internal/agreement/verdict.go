package agreement

import (
	"fmt"
	"math"
	"slices"
)

// VerdictMode is how a score becomes a verdict.
type VerdictMode string

// Interval passes iff low <= output <= high. Bands fails below low, passes from
// high on, and is borderline between.
const (
	VerdictInterval VerdictMode = "interval"
	VerdictBands    VerdictMode = "bands"
)

// VerdictRule holds the bands of a rubric. Margin is how near to Low an output
// counts as borderline in interval mode: 0.5 on 1..5, 0.1 on 0..1, 0 (never) on
// a binary scale.
type VerdictRule struct {
	Mode                          VerdictMode
	Low, High                     float64
	ConfidenceLow, ConfidenceHigh float64
	Margin                        float64
}

// Verdict is the reading of one answer. A low-confidence answer keeps its
// verdict and its flag; it is for the report to say which policy it used.
type Verdict struct {
	Verdict       string // pass, fail, borderline (bands only) or error
	Borderline    bool
	LowConfidence bool // confidence missing or outside its band
	Escalate      bool // borderline, low confidence, or error
}

// Decide reads one answer; a missing output is an error, never a fail.
func Decide(output, confidence float64, rule VerdictRule) (Verdict, error) {
	v := Verdict{LowConfidence: !(confidence >= rule.ConfidenceLow && confidence <= rule.ConfidenceHigh)}
	switch {
	case rule.Mode != VerdictInterval && rule.Mode != VerdictBands && rule.Mode != "":
		return Verdict{}, fmt.Errorf("verdict mode %q is neither interval nor bands", rule.Mode)
	case math.IsNaN(output):
		v.Verdict = "error"
	case rule.Mode == VerdictBands && output < rule.Low:
		v.Verdict = "fail"
	case rule.Mode == VerdictBands && output < rule.High:
		v.Verdict, v.Borderline = "borderline", true
	case rule.Mode == VerdictBands:
		v.Verdict = "pass"
	default:
		v.Verdict = "fail"
		if rule.Low <= output && output <= rule.High {
			v.Verdict = "pass"
		}
		// 0.8 is within 0.1 of 0.7 for the author of a rubric, if not in binary.
		v.Borderline = rule.Margin > 0 && math.Abs(output-rule.Low) <= rule.Margin+1e-9
	}
	v.Escalate = v.Borderline || v.LowConfidence || v.Verdict == "error"
	return v, nil
}

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
