package run

import (
	"math"
	"math/bits"
	"slices"

	"github.com/judgekit/judge/judges"
)

// How sure an alarm is. A count within nearWindow below a known window is at
// it; one below clearly times what was predicted is no coincidence; one above inFull
// times that says that the prompt was counted in full.
const (
	nearWindow = 8
	clearly    = 0.75
	inFull     = 0.9
	// learnFrom is how many counts of a script make a prediction; fewer learn nothing.
	learnFrom = 8
	// around is how far below a count the usual number of equal counts is looked for.
	around = 256
)

// cut says of each prompt of one judge whether its server cut it.
//
// A prompt is cut if its count is at the window while the prediction is above it, or if
// it is clearly below the prediction and no longer prompt was counted in full. The
// predictions are learned from the judge's own shorter prompts, by script; where they
// rest on too few counts, limit estimates. A larger count refutes a window: the only one that
// can be suspected is the largest count.
func cut(list []judges.Count, limit judges.Limit) []bool {
	out := make([]bool, len(list))
	top := 0
	for i := range list {
		top = max(top, list[i].Tokens)
	}
	e := &evidence{list: list, top: top, predicted: make([]float64, len(list)), learned: make([]bool, len(list))}
	learned := learn(list, top)
	for i := range list {
		s := &list[i]
		p := learned(s)
		if e.learned[i] = p > 0; !e.learned[i] {
			p = limit.Tokenise(s.ASCII, s.Foreign)
		} else if float64(s.Tokens) >= inFull*p {
			e.full = max(e.full, s.Bytes())
		}
		e.predicted[i] = p
	}
	window := limit.Tokens
	if top > window {
		window = 0 // refuted, or not known
	}
	if top < window-nearWindow || window == 0 {
		if window = 0; e.piled() {
			window = top
		}
	}
	var below []int
	for i := range list {
		s, p := &list[i], e.predicted[i]
		out[i] = window > 0 && s.Tokens >= window-nearWindow && p > float64(window)+0.5
		if !out[i] && e.learned[i] && float64(s.Tokens) < clearly*p && s.Bytes() > e.full {
			below = append(below, i)
		}
	}
	// One prompt alone may be of another kind than the rest.
	if len(below) > 1 {
		for _, i := range below {
			out[i] = true
		}
	}
	return out
}

// evidence is what the replies of one judge say together.
type evidence struct {
	list      []judges.Count
	predicted []float64
	learned   []bool
	// top is the largest count, full the bytes of the longest prompt that was counted in
	// full.
	top, full int
}

// piled reports whether the largest count is one that prompts were cut to: prompts of
// different lengths reach it, more than counts around it have, and it is clearly
// less than one of them should have. Where nothing was learned it must also be a usual
// size of windows.
func (e *evidence) piled() bool {
	n, near, least, most := 0, 0, math.MaxInt, 0
	clear, all := false, true
	for i := range e.list {
		switch s := &e.list[i]; {
		case s.Tokens == e.top:
			n++
			least, most = min(least, s.Bytes()), max(most, s.Bytes())
			above := inFull*e.predicted[i] > float64(e.top)
			clear = clear || above && e.learned[i] && s.Bytes() > e.full
			all = all && above
		case s.Tokens >= e.top-around:
			near++
		}
	}
	usual := e.top >= 1024 && bits.OnesCount(uint(e.top)) == 1
	if n == 1 {
		return clear && usual
	}
	if least == most || float64(n) <= 4*float64(near)/around+1 {
		return false
	}
	size := 1 << bits.Len(uint(e.top-1))
	return clear || all && e.top >= 1024 && e.top >= size-nearWindow
}

// learn returns what a prompt's count should be, 0 where too little is known of its
// script. It learns from the shorter half of each script's prompts, which a server cuts
// last, and from none with the largest count.
func learn(list []judges.Count, top int) func(*judges.Count) float64 {
	lengths, short := map[int][]int{}, map[int][]*judges.Count{}
	for i := range list {
		lengths[list[i].Script] = append(lengths[list[i].Script], list[i].Bytes())
	}
	for _, of := range lengths {
		slices.Sort(of)
	}
	for i := range list {
		s := &list[i]
		if of := lengths[s.Script]; s.Tokens < top && s.Bytes() <= of[len(of)/2] {
			short[s.Script] = append(short[s.Script], s)
		}
	}
	perByte := func(s *judges.Count) (float64, float64) { return float64(s.Tokens), float64(s.Bytes()) }
	models := map[int]func(*judges.Count) float64{}
	for script, from := range short {
		if len(from) < learnFrom {
			continue
		}
		if models[script] = line(from); models[script] != nil {
			continue
		}
		perASCII := ratio(from, perByte)
		if len(short[0]) >= learnFrom {
			perASCII = ratio(short[0], perByte)
		}
		perForeign := perASCII
		if script != 0 {
			perForeign = ratio(from, func(s *judges.Count) (float64, float64) {
				return float64(s.Tokens) - perASCII*float64(s.ASCII), float64(s.Foreign)
			})
		}
		models[script] = func(s *judges.Count) float64 { return perASCII*float64(s.ASCII) + perForeign*float64(s.Foreign) }
	}
	return func(s *judges.Count) float64 {
		if m := models[s.Script]; m != nil {
			return m(s)
		}
		return 0
	}
}

// ratio is the median of the ratios of two numbers of each, at least 0.
func ratio(list []*judges.Count, of func(*judges.Count) (over, under float64)) float64 {
	var all []float64
	for _, s := range list {
		if over, under := of(s); under > 0 {
			all = append(all, over/under)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return max(0, all[len(all)/2])
}

// line returns the count as a sum of a constant and so much for each byte, where a
// server counts that way to the token; nil where it does not. It is a least-squares fit.
func line(list []*judges.Count) func(*judges.Count) float64 {
	var a [3][4]float64 // the normal equations
	for _, s := range list {
		x := [4]float64{1, float64(s.ASCII), float64(s.Foreign), float64(s.Tokens)}
		for i := range 3 {
			for k := range 4 {
				a[i][k] += x[i] * x[k]
			}
		}
	}
	for i := range 3 {
		a[i][i] += 1e-9 * (a[i][i] + 1) // so that they have one solution
	}
	for i := range 3 {
		for r := range 3 {
			f := a[r][i] / a[i][i]
			for c := 0; c < 4 && r != i; c++ {
				a[r][c] -= f * a[i][c]
			}
		}
	}
	predict := func(s *judges.Count) float64 {
		return a[0][3]/a[0][0] + a[1][3]/a[1][1]*float64(s.ASCII) + a[2][3]/a[2][2]*float64(s.Foreign)
	}
	for _, s := range list {
		if math.Abs(predict(s)-float64(s.Tokens)) > 1 {
			return nil
		}
	}
	return predict
}
