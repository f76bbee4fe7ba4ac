package measure_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// toolRun returns a judge against labels of calls on eight tools, with errors that come by
// conversation; on the tool pay it errs more often by worse.
func toolRun(seed uint64, worse float64) report.Inputs {
	rng := rand.New(rand.NewPCG(seed, 12))
	var scores []score.Score
	for i := range 60 {
		trouble := 0.1
		if rng.Float64() < 0.2 {
			trouble = 0.5
		}
		for call := range 8 {
			tool := []string{"find", "pay", "send", "a", "b", "c", "d", "e"}[call]
			right, err := rng.Float64() < 0.7, trouble
			if tool == "pay" {
				err += worse
			}
			passed := right != (rng.Float64() < err)
			for _, s := range []score.Score{{Source: score.Label, Name: "human", Passed: &right}, {Source: score.Judge, Name: "overall", Judge: "j", Passed: &passed}} {
				s.ConversationID, s.CallIndex, s.Tool, s.Status = fmt.Sprintf("c%02d", i), &call, tool, score.Scored
				s.Value = new(map[bool]float64{true: 1}[*s.Passed])
				scores = append(scores, s)
			}
		}
	}
	return report.Inputs{Scores: reporttest.Each(scores), Manifest: report.Manifest{Judges: []report.Judge{{Name: "j"}}}}
}

// TestToolsStandOutBeyondChance: tools that are alike are seldom named, one that is not mostly.
func TestToolsStandOutBeyondChance(t *testing.T) {
	const runs = 120
	for worse, bounds := range map[float64][2]int{0: {0, 14}, 0.4: {100, runs}} {
		named := 0
		for seed := range uint64(runs) {
			r, err := measure.Build(toolRun(seed, worse), measure.Config{})
			if err != nil {
				t.Fatal(err)
			}
			row, ok := r.Best("j", report.CallLevel)
			if !ok || len(row.ByTool) != 8 {
				t.Fatalf("%+v", row)
			}
			out := row.StandOut(0.05)
			if len(out) > 0 && (worse == 0 || out[0].Tool == "pay") {
				named++
			}
		}
		t.Logf("errors more often by %v: a tool is named in %d of %d runs", worse, named, runs)
		if named < bounds[0] || named > bounds[1] {
			t.Errorf("errors more often by %v: a tool is named in %d of %d runs", worse, named, runs)
		}
	}
}

// TestJudgesOfARunAreRanked: by Youden's J, with the paired difference; one that always passes
// is behind one that finds half of what is wrong, although it is right more often.
func TestJudgesOfARunAreRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var scores []score.Score
	for i := range 240 {
		right := rng.Float64() < 0.9
		finds := right && rng.Float64() < 0.85 || !right && rng.Float64() < 0.4
		for _, s := range []score.Score{{Source: score.Label, Name: "human", Passed: &right},
			{Source: score.Judge, Name: "overall", Judge: "always", Passed: new(true)}, {Source: score.Judge, Name: "overall", Judge: "finds", Passed: &finds}} {
			s.ConversationID, s.CallIndex, s.Tool, s.Status = fmt.Sprintf("c%03d", i), new(int), "t", score.Scored
			s.Value = new(map[bool]float64{true: 1}[*s.Passed])
			scores = append(scores, s)
		}
	}
	r, err := measure.Build(report.Inputs{Scores: reporttest.Each(scores)}, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rankings) != 1 || len(r.Rankings[0].Judges) != 2 || r.Rankings[0].Judges[0].Judge != "finds" {
		t.Fatalf("%+v", r.Rankings)
	}
	if always := r.Rankings[0].Judges[1]; *always.Youden.Value != 0 || *always.Behind.Value >= 0 || *always.Holm > 0.05 || always.N != 240 {
		t.Errorf("%+v", always)
	}
	for _, trust := range r.Headline.Trust {
		if trust.BelowConstant != (trust.Judge == "finds") {
			t.Errorf("%+v", trust)
		}
	}
}
