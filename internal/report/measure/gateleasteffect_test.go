package measure_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// jobs is from how many simulated jobs each figure of TestLeastEffect is. The table of
// docs/ci.md is of: go test ./internal/report/measure -run LeastEffect -jobs 1000 -v
var jobs = flag.Int("jobs", 0, "simulate so many jobs for each cell of the table in docs/ci.md, and log it")

// world is an agent of which 85 % of the calls are right, and drop fewer in run B; a judge
// that passes 95 % of the right calls and fails 70 % of the wrong ones (J 0.65); and labels
// on a share of the conversations.
type gateWorld struct {
	conversations int
	drop, labels  float64
}

// runs are two runs of the world. Calls of a conversation are alike, a fifth of the calls
// comes out anew in run B, and the judge decides alike what is the same in both.
func (w gateWorld) runs(seed uint64) (a, b report.Inputs) {
	rng := rand.New(rand.NewPCG(seed, uint64(w.conversations)))
	var scores [2][]score.Score
	const alike = 0.3
	for i := range w.conversations {
		id, difficulty, labelled := fmt.Sprintf("c%04d", i), rng.NormFloat64(), rng.Float64() < w.labels
		for call := range 1 + rng.IntN(4) {
			own, judged := rng.NormFloat64(), rng.Float64()
			for run := range scores {
				if run == 1 && rng.Float64() < 0.2 {
					own, judged = rng.NormFloat64(), rng.Float64()
				}
				add := func(source score.Source, name, judge string, passed bool) {
					scores[run] = append(scores[run], score.Score{ConversationID: id, CallIndex: ptrGate(call), Tool: "t", Name: name,
						Source: source, Judge: judge, Status: score.Scored, Value: ptrGate(map[bool]float64{true: 1}[passed]), Passed: &passed})
				}
				hard := math.Sqrt(alike)*difficulty + math.Sqrt(1-alike)*own
				right := hard < stat.NormalQuantile(0.85-w.drop*float64(run))
				passes := map[bool]float64{true: 0.95, false: 0.3}[right]
				add(score.Judge, "overall_call_correctness", "j", judged < passes)
				for k := range 3 {
					add(score.Judge, fmt.Sprintf("other_%d", k), "j", math.Mod(judged+float64(k+1)/5, 1) < passes)
				}
				add(score.Deterministic, "schema_check", "", right || judged < 0.5)
				if labelled {
					add(score.Label, "human", "", right)
				}
			}
		}
	}
	m := report.Manifest{Judges: []report.Judge{{Name: "j"}}}
	return report.Inputs{Scores: reporttest.Each(scores[0]), Manifest: m}, report.Inputs{Scores: reporttest.Each(scores[1]), Manifest: m}
}

// fails returns the share of so many jobs that --fail-on-regression fails with a least effect.
func (w gateWorld) fails(t *testing.T, least float64, jobs int) float64 {
	t.Helper()
	failed := 0
	for seed := range uint64(jobs) {
		a, b := w.runs(seed + 1)
		if !measure.Regressions(gateCompare(t, a, b), least, false).Passed {
			failed++
		}
	}
	return float64(failed) / float64(jobs)
}

// The cells of the table.
var (
	drops        = []float64{0, 0.02, 0.03, 0.08, 0.15}
	sizes        = []int{100, 300, 1000}
	gateLabelled = []float64{0, 0.2, 1}
)

// TestLeastEffect: with --min-effect 0.03 a true drop of 2 points fails at most one job in
// twenty, whatever the judge and the labels, and one of 8 points is found as docs/ci.md says.
func TestLeastEffect(t *testing.T) {
	const least = 0.03
	if *jobs > 0 {
		for _, n := range sizes {
			for _, labels := range gateLabelled {
				line := fmt.Sprintf("| %d | %.0f %% |", n, 100*labels)
				for _, drop := range drops {
					line += fmt.Sprintf(" %.0f %% |", 100*gateWorld{n, drop, labels}.fails(t, least, *jobs))
				}
				t.Log(line)
			}
		}
		return
	}
	const n, few, labels = 300, 40, 0.2
	if share := (gateWorld{n, 0.02, labels}).fails(t, least, few); share > 0.05 {
		t.Errorf("a true drop of 2 points fails %.0f %% of the jobs", 100*share)
	}
	published := publishedPower(t, n, labels)
	if share := (gateWorld{n, 0.08, labels}).fails(t, least, few); !(math.Abs(share-published) <= 0.2) {
		t.Errorf("a true drop of 8 points fails %.0f %% of the jobs, docs/ci.md says %.0f %%", 100*share, 100*published)
	}
	if share := (gateWorld{n, 0.02, labels}).fails(t, 0, few); share < 0.1 {
		t.Errorf("without a least effect %.0f %% fail: the simulation shows nothing", 100*share)
	}
}

// publishedPower returns the share for a true drop of 8 points in the table of docs/ci.md.
func publishedPower(t *testing.T, n int, labels float64) float64 {
	t.Helper()
	page, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, found := strings.Cut(string(page), fmt.Sprintf("\n| %d | %.0f %% |", n, 100*labels))
	cells := strings.Split(row, "|")
	share := 0.0
	if !found || len(cells) < len(drops) {
		t.Fatalf("docs/ci.md has no row of %d conversations with labels on %.0f %%", n, 100*labels)
	}
	if _, err := fmt.Sscanf(cells[3], "%f", &share); err != nil {
		t.Fatal(err)
	}
	return share / 100
}
