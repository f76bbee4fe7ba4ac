package watch

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
)

// The rules of the alarm. Chance alone raises an alarm on at most the share falseAlarms of all days. Half of this
// share is for the looks during a day, which compare the day so far with the days before it, and half for the look
// at its end, which compares two days. Half of each part is for the failure rate, half for all groups together.
const (
	falseAlarms = 0.01
	// firstLook is the number of conversations at a day's first look; each further look waits for
	// twice as many. There are at most maxLooks.
	firstLook = 10
	maxLooks  = 12
	// memory is the number of earlier days with which the newest are compared.
	memory = 14
)

// Day counts what was judged on one day. Tests use one call of each conversation, because the calls
// of a conversation are alike.
type Day struct {
	Date          string `json:"date"`
	Conversations int    `json:"conversations"`
	Calls         int    `json:"calls"`
	Failed        int    `json:"failed"`
	// CallSquares, FailedSquares and Products sum calls², failed² and calls·failed over
	// conversations.
	CallSquares   float64 `json:"call_squares"`
	FailedSquares float64 `json:"failed_squares"`
	Products      float64 `json:"products"`
	// Drawn counts, by tool, the one drawn call of each conversation.
	Drawn map[string]Count `json:"drawn"`
	// Users counts the conversations that use a tool. Groups counts, by the id of the group, those
	// whose drawn call of the tool fails in one way.
	Users  map[string]int   `json:"users"`
	Groups map[string]Group `json:"groups,omitempty"`
	// Alarms lists the subjects of the day's alarms.
	Alarms []string `json:"alarms,omitempty"`
	// Looks counts the day's looks; Closed says that the look at its end was made.
	Looks  int  `json:"looks,omitempty"`
	Closed bool `json:"closed,omitempty"`
}

// Count is a number of calls, and how many of them fail.
type Count struct {
	N      int `json:"n"`
	Failed int `json:"failed"`
}

// Group counts the conversations in which calls of one tool fail in one way.
type Group struct {
	Tool string `json:"tool"`
	Name string `json:"name"`
	N    int    `json:"n"`
}

// Alarm says that more calls fail than before, by more than chance explains.
type Alarm struct {
	// Group is the id of a group of failures in report.json; "" for the failure rate of all calls.
	// Tool and Name are the group's.
	Group string `json:"group,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Name  string `json:"name,omitempty"`
	// Days is 1 for the day so far, 2 for the last two days.
	Days int `json:"days"`
	// Now and Before count conversations, by one call of each.
	Now    Count `json:"now"`
	Before Count `json:"before"`
	// P is the probability of at least as many failures without a change, before any correction. There
	// is an alarm if it is at most Limit.
	P     float64 `json:"p"`
	Limit float64 `json:"limit"`
}

// Look makes the looks that are due on the last of the days, which are sorted by date, and returns
// the new alarms. A subject has at most one alarm a day. It changes only the looks and alarms
// recorded in days.
func Look(days []Day, over bool) []Alarm {
	if len(days) < 2 {
		return nil
	}
	today := &days[len(days)-1]
	var found []Alarm
	if looks := looksAt(today.Conversations); looks > today.Looks {
		today.Looks = looks
		found = compare(days[len(days)-1:], days[:len(days)-1], falseAlarms/2/maxLooks)
	}
	if over && !today.Closed {
		today.Closed = true
		if n := len(days) - 2; n > 0 {
			found = append(found, compare(days[n:], days[:n], falseAlarms/2)...)
		}
	}
	return slices.DeleteFunc(found, func(a Alarm) bool {
		known := slices.Contains(today.Alarms, a.Group)
		if !known {
			today.Alarms = append(today.Alarms, a.Group)
		}
		return known
	})
}

// looksAt returns how many looks are due when a day has n conversations.
func looksAt(n int) (looks int) {
	for at := firstLook; n >= at && looks < maxLooks; at *= 2 {
		looks++
	}
	return looks
}

// compare tests a window of days against the days before it. All its tests together raise a false
// alarm with a probability of at most limit.
func compare(window, before []Day, limit float64) (out []Alarm) {
	before = before[max(0, len(before)-memory):]
	a, b := merge(window), merge(before)
	rate := Alarm{Days: len(window), Limit: limit / 2, Now: sum(a.Drawn), Before: sum(b.Drawn)}
	if rate.P = moreFailures(a.Drawn, b.Drawn); rate.P <= rate.Limit {
		out = append(out, rate)
	}
	all := map[string]Group{}
	maps.Copy(all, b.Groups)
	maps.Copy(all, a.Groups)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		g := all[id]
		x := Alarm{Group: id, Tool: g.Tool, Name: g.Name, Days: len(window), Limit: limit / 2 / float64(len(all)),
			Now:    Count{a.Users[g.Tool], a.Groups[id].N},
			Before: Count{b.Users[g.Tool], b.Groups[id].N}}
		if x.P = tail(x.Now, x.Before); x.P <= x.Limit {
			out = append(out, x)
		}
	}
	return out
}

// New returns the names of today's groups of failures that did not occur on the days before,
// largest first.
func New(today *Day, before []Day) (names []string) {
	known := merge(before).Groups
	if len(before) == 0 {
		return nil
	}
	var list []Group
	for _, id := range slices.Sorted(maps.Keys(today.Groups)) {
		if _, old := known[id]; !old {
			list = append(list, today.Groups[id])
		}
	}
	sorting.Stable(list, func(a, b Group) int { return cmp.Compare(b.N, a.N) })
	for _, g := range list {
		names = append(names, fmt.Sprintf("%s (%d)", g.Name, g.N))
	}
	return names
}

// merge adds up days.
func merge(days []Day) Day {
	out := Day{Drawn: map[string]Count{}, Users: map[string]int{}, Groups: map[string]Group{}}
	for i := range days {
		d := &days[i]
		out.Conversations += d.Conversations
		out.Calls += d.Calls
		out.Failed += d.Failed
		out.CallSquares += d.CallSquares
		out.FailedSquares += d.FailedSquares
		out.Products += d.Products
		for tool, c := range d.Drawn {
			out.Drawn[tool] = Count{out.Drawn[tool].N + c.N, out.Drawn[tool].Failed + c.Failed}
		}
		for tool, n := range d.Users {
			out.Users[tool] += n
		}
		for id, g := range d.Groups {
			g.N += out.Groups[id].N
			out.Groups[id] = g
		}
	}
	return out
}

func sum(of map[string]Count) (out Count) {
	for _, c := range of {
		out.N, out.Failed = out.N+c.N, out.Failed+c.Failed
	}
	return out
}

// moreFailures returns the probability of at least as many failures in a if each tool fails as
// often as in b: the exact conditional test of Cochran, Mantel and Haenszel, one-sided. A change in
// the mix of tools does not count as failures.
func moreFailures(a, b map[string]Count) float64 {
	observed, least, p := 0, 0, []float64{1}
	for _, tool := range slices.Sorted(maps.Keys(a)) {
		first, weights := failuresIn(a[tool], b[tool])
		least, observed = least+first, observed+a[tool].Failed
		p = convolve(p, weights)
	}
	return above(p, observed-least)
}

// tail is [moreFailures] for one tool: Fisher's exact test, one-sided.
func tail(a, b Count) float64 {
	first, weights := failuresIn(a, b)
	return above(weights, a.Failed-first)
}

// above sums the probabilities from an index on.
func above(p []float64, from int) (out float64) {
	for _, x := range slices.Backward(p[min(from, len(p)):]) {
		out += x
	}
	return min(1, out)
}

// failuresIn returns the probabilities that first, first+1, … of all failures in a and b are in a,
// if a's calls are drawn at random.
func failuresIn(a, b Count) (first int, p []float64) {
	n, fails := a.N+b.N, a.Failed+b.Failed
	first = max(0, fails-b.N)
	for k := first; k <= min(a.N, fails); k++ {
		p = append(p, math.Exp(logChoose(a.N, k)+logChoose(b.N, fails-k)-logChoose(n, fails)))
	}
	return first, p
}

func logChoose(n, k int) float64 {
	log := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return log(n) - log(k) - log(n-k)
}

// convolve returns the distribution of a sum. Probabilities that are too small to matter become 0.
func convolve(p, q []float64) []float64 {
	const negligible = 1e-30
	out := make([]float64, len(p)+len(q)-1)
	for i, x := range p {
		if x < negligible {
			continue
		}
		for k, y := range q {
			out[i+k] += float64(x * y)
		}
	}
	return out
}
