package deterministic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/value"
)

// best returns the greatest total in units of 1e-4, and the most pairs that reach
// it, by trying everything.
func best(scores []float64, rows, cols, row int, used int) (total int64, pairs int) {
	if row == rows {
		return 0, 0
	}
	total, pairs = best(scores, rows, cols, row+1, used)
	for j := range cols {
		s := scores[row*cols+j]
		if used&(1<<j) != 0 || s <= 0 {
			continue
		}
		t, p := best(scores, rows, cols, row+1, used|1<<j)
		t, p = t+int64(math.Round(s*1e4)), p+1
		if t > total || t == total && p > pairs {
			total, pairs = t, p
		}
	}
	return total, pairs
}

func TestAssignIsOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	levels := []float64{0, 0, 0.3, 0.3, 0.4, 0.6, 0.7, 0.8333, 1, -0.2}
	for range 3000 {
		rows, cols := random.IntN(6), random.IntN(6)
		scores := make([]float64, rows*cols)
		for i := range scores {
			scores[i] = levels[random.IntN(len(levels))]
		}
		wantTotal, wantPairs := best(scores, rows, cols, 0, 0)
		var total int64
		seen := map[int]bool{}
		pairs := assign(scores, rows, cols)
		last := -1
		for _, p := range pairs {
			if seen[p.actual] || p.expected <= last || p.score <= 0 {
				t.Fatalf("%v is no assignment of %v", pairs, scores)
			}
			seen[p.actual], last = true, p.expected
			total += int64(math.Round(p.score * 1e4))
		}
		if total != wantTotal || len(pairs) != wantPairs {
			t.Fatalf("%dx%d %v: got %d in %d pairs, want %d in %d", rows, cols, scores, total, len(pairs), wantTotal, wantPairs)
		}
	}
}

func TestPerfectFindsWhatExists(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 3000 {
		n := 1 + random.IntN(5)
		fits := make([]bool, n*n)
		scores := make([]float64, n*n)
		for i := range fits {
			if fits[i] = random.IntN(5) < 2; fits[i] {
				scores[i] = 1
			}
		}
		_, most := best(scores, n, n, 0, 0)
		ok := perfect(n, func(i, j int) bool { return fits[i*n+j] }) < 0
		if ok != (most == n) {
			t.Fatalf("%v: %v, but %d can be matched", fits, ok, most)
		}
		if ok {
			found++
		}
	}
	if found == 0 || found == 3000 {
		t.Error("the property was not put to the test")
	}
}

func TestAccuracyProperties(t *testing.T) {
	// The order of the calls never matters in set mode, and leaving a call out never
	// helps.
	checkRules(t, []rule{
		{"reversed", "function_call_accuracy", "", `"[a(x=1), b(x=2), a(x=3)]"`, `"[a(x=3), a(x=1), b(y=2)]"`, "", `{"score":0.8}`},
		{"reversed again", "function_call_accuracy", "", `"[a(x=3), b(x=2), a(x=1)]"`, `"[b(y=2), a(x=1), a(x=3)]"`, "", `{"score":0.8}`},
	})
}

func TestPairs(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, pairs := l.Grade(support(t), value.Value{})
	want := []metric.ToolRow{{Tool: "cancel", Expected: 1, Made: 1, Unexpected: 1, Parameters: []metric.ParameterRow{{Parameter: "id", N: 1, Present: 1, Equal: 1}}}}
	if diff := cmp.Diff(want, rows(pairs)); diff != "" {
		t.Error(diff)
	}
	c := support(t)
	c.Expected = nil
	if _, pairs := l.Grade(c, value.Value{}); pairs != nil {
		t.Error(pairs)
	}
}

func BenchmarkAssign(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	const n = 30
	scores := make([]float64, n*n)
	for i := range scores {
		scores[i] = float64(random.IntN(11)) / 10
	}
	b.ReportAllocs()
	for b.Loop() {
		assign(scores, n, n)
	}
}

// rows returns the table of all pairs, without a bound.
func rows(pairs []metric.Pair) []metric.ToolRow {
	t := metric.NewTable(0, 0)
	for _, p := range pairs {
		t.Add(p)
	}
	return t.Rows()
}
