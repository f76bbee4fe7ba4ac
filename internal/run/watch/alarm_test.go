package watch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// world makes days of conversations whose calls are alike.
type world struct {
	rng   *rand.Rand
	tools []string
	// mix drifts from day to day; fails has the failure rate of each tool.
	mix   []float64
	fails []float64
	// alike is the probability that a call repeats the fate of the conversation.
	alike float64
}

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 31)), alike: 0.7}
	for i := range 6 {
		w.tools = append(w.tools, fmt.Sprint("tool", i))
		w.mix = append(w.mix, w.rng.Float64())
		w.fails = append(w.fails, []float64{0.02, 0.05, 0.1, 0.3, 0.1, 0.03}[i])
	}
	return w
}

// day grows a day to n conversations. The rate of failures is multiplied.
func (w *world) day(c *Counter, n int, times float64) {
	for range n {
		id := fmt.Sprint(w.rng.Uint64())
		fate := w.rng.Float64()
		for i := range 1 + w.rng.IntN(8) {
			t := w.tool()
			luck := fate
			if w.rng.Float64() > w.alike {
				luck = w.rng.Float64()
			}
			v := Verdict{Conversation: id, Call: i, Tool: w.tools[t], Passed: luck >= w.fails[t]*times}
			if !v.Passed {
				kind := fmt.Sprint("kind", w.rng.IntN(3))
				v.Group, v.Name = w.tools[t]+kind, kind
			}
			c.Add(v)
		}
	}
}

func (w *world) tool() int {
	total := 0.0
	for _, x := range w.mix {
		total += x
	}
	at := w.rng.Float64() * total
	for i, x := range w.mix {
		if at -= x; at < 0 {
			return i
		}
	}
	return len(w.mix) - 1
}

// drift changes the mix of tools, sometimes abruptly.
func (w *world) drift() {
	for i := range w.mix {
		w.mix[i] = math.Max(0.02, w.mix[i]*math.Exp(0.3*w.rng.NormFloat64()))
		if w.rng.IntN(20) == 0 {
			w.mix[i] = w.rng.Float64()
		}
	}
}

// watched runs a day with a look after each interval, and returns whether it alarmed.
func (w *world) watched(days *[]Day, n int, times float64) (alarmed bool) {
	*days = append(*days, Day{})
	c, last := NewCounter("day"), &(*days)[len(*days)-1]
	for k := range 24 {
		w.day(c, n*(k+1)/24-n*k/24, times)
		looks, alarms := last.Looks, last.Alarms
		*last = c.Day()
		last.Looks, last.Alarms = looks, alarms
		alarmed = len(Look(*days, k == 23)) > 0 || alarmed
	}
	w.drift()
	*days = (*days)[max(0, len(*days)-memory-2):]
	return alarmed
}

// TestQuietDays: at most one quiet day in a hundred alarms, although the calls of a conversation are
// alike and the mix of tools changes.
func TestQuietDays(t *testing.T) {
	for _, n := range []int{30, 200, 1000} {
		quiet, alarms := 0, 0
		for seed := range uint64(20) {
			w, days := newWorld(seed), []Day{}
			for range 6000 / n * 5 / 10 {
				quiet++
				if w.watched(&days, n, 1) {
					alarms++
				}
			}
		}
		t.Logf("%d conversations a day: %d of %d quiet days alarmed", n, alarms, quiet)
		if float64(alarms) > 0.01*float64(quiet) {
			t.Errorf("%d conversations a day: %d of %d quiet days alarmed", n, alarms, quiet)
		}
	}
}

// TestRise: a failure rate that rises from 10 to 20 % at 200 conversations a day is alarmed within two
// days, in at least 80 %.
func TestRise(t *testing.T) {
	const worlds = 200
	first, found := 0, 0
	for seed := range uint64(worlds) {
		w, days := newWorld(1000+seed), []Day{}
		for i := range w.fails {
			w.fails[i] = 0.1
		}
		for range 8 {
			w.watched(&days, 200, 1)
		}
		one := w.watched(&days, 200, 2)
		two := w.watched(&days, 200, 2)
		if one {
			first++
		}
		if one || two {
			found++
		}
	}
	t.Logf("a rise from 10 to 20 %% was alarmed on the first day in %d, within two in %d of %d", first, found, worlds)
	if found < worlds*8/10 {
		t.Errorf("found in %d of %d", found, worlds)
	}
}

// TestNewGroup: a failure that never was before is alarmed although the rate hardly changes.
func TestNewGroup(t *testing.T) {
	w, days := newWorld(5), []Day{}
	for range 8 {
		w.watched(&days, 200, 1)
	}
	c := NewCounter("today")
	w.day(c, 200, 1)
	for i := range 12 {
		id := fmt.Sprint("new", i)
		c.Add(Verdict{Conversation: id, Tool: "tool1", Group: "g9", Name: "empty answer"})
	}
	days = append(days, c.Day())
	found := Look(days, true)
	if len(found) != 1 || found[0].Group != "g9" || found[0].Before.Failed != 0 || found[0].Now.Failed != 12 {
		t.Errorf("%+v", found)
	}
	if again := Look(days, true); len(again) > 0 {
		t.Errorf("alarmed twice: %+v", again)
	}
}

// TestExact compares with Fisher's tea and with a stratified table that was summed by hand.
func TestExact(t *testing.T) {
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("3 of 4 cups", tail(Count{4, 3}, Count{4, 1}), 17.0/70)
	near("all cups", tail(Count{4, 4}, Count{4, 0}), 1.0/70)
	near("nothing before", tail(Count{4, 4}, Count{}), 1)
	near("more failures than calls before", tail(Count{4, 4}, Count{2, 1}), 1.0/3)
	near("fewer than before", tail(Count{4, 1}, Count{4, 3}), 69.0/70)
	near("none of a few", tail(Count{4, 0}, Count{4, 3}), 1)
	near("no failure", tail(Count{4, 0}, Count{9, 0}), 1)
	// Two tools of 1+1 calls with one failure each: both failures are in a in one of four cases.
	two := map[string]Count{"x": {1, 1}, "y": {1, 1}}
	near("two tools", moreFailures(two, map[string]Count{"x": {1, 0}, "y": {1, 0}}), 0.25)
	near("another mix", moreFailures(map[string]Count{"y": {50, 25}}, map[string]Count{"x": {500, 5}, "y": {2, 1}}), tail(Count{50, 25}, Count{2, 1}))
}

// TestSampleIsNested: a larger share contains the smaller, and has about its size.
func TestSampleIsNested(t *testing.T) {
	small, large, n := 0, 0, 20_000
	for i := range n {
		id := fmt.Sprint("conversation ", i)
		a, b := Share(0.1).Holds(id), Share(0.25).Holds(id)
		if a && !b {
			t.Fatalf("%s is in 10 %%, and not in 25 %%", id)
		}
		if a {
			small++
		}
		if b {
			large++
		}
		if !Share(1).Holds(id) {
			t.Fatalf("%s is not in 100 %%", id)
		}
	}
	if !(math.Abs(float64(small)/float64(n)-0.1) <= 0.01) || !(math.Abs(float64(large)/float64(n)-0.25) <= 0.015) {
		t.Errorf("10 %% holds %d, 25 %% holds %d of %d", small, large, n)
	}
	for text, want := range map[string]Share{"10%": 0.1, "0.25": 0.25, "100 %": 1, " 1 ": 1, "1.5%": 0.015, "%": 0, "": 0, "0": 0, "101%": 0, "x": 0, "-1%": 0, "NaN": 0} {
		got, err := ParseShare(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if said := fmt.Sprintf("%q: want a share such as 10%%, above 0 and at most 100%%", text); err != nil && err.Error() != said {
			t.Errorf("%v, want %s", err, said)
		}
	}
}
