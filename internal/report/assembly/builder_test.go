package assembly_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// judgeFree is a made-up run without judges, with what logs bring along: no scores,
// errors, categories, repeated labels, two schema checks and hostile tools.
func judgeFree(seed uint64, conversations, tools int) reporttest.Run {
	run := reporttest.New(seed, conversations)
	rng := rand.New(rand.NewPCG(seed, 77))
	run.Manifest.Judges, run.Manifest.Rubrics = nil, nil
	run.Manifest.Scorers = append(run.Manifest.Scorers, report.Scorer{Name: "strict", Type: "schema_check"}, report.Scorer{Name: "execution_check"})
	var out []score.Score
	for _, s := range run.Scores {
		if s.Source == score.Judge {
			continue
		}
		if s.CallIndex != nil && tools > 0 {
			s.Tool = fmt.Sprintf("tool_%03d", (*s.CallIndex*31+len(s.ConversationID)+rng.IntN(3))%tools)
		}
		s.Place = "log.jsonl:" + s.ConversationID[1:]
		switch rng.IntN(25) {
		case 0:
			s.Status, s.Value, s.Passed = score.NotApplicable, nil, nil
		case 1:
			s.Status, s.Value, s.Passed, s.Error = score.Error, nil, nil, &score.Failure{Kind: "config", Message: "m"}
		case 2:
			s.Passed = nil
		case 3:
			out = append(out, s)
		}
		out = append(out, s)
		if s.Name == "schema_check" && rng.IntN(2) == 0 {
			s.Name = "strict"
			out = append(out, s)
		}
		if s.Source == score.Label {
			s.Name, s.Source = "execution_check", score.Deterministic
			out = append(out, s)
			s.Name, s.Purpose, s.Details = "three_layer", "qa", value.Value{}
			out = append(out, s)
		}
	}
	run.Scores = out
	return run
}

func pushed(t *testing.T, run reporttest.Run, cfg assembly.Config, limit int) *report.Report {
	t.Helper()
	b := assembly.NewBuilder(&run.Manifest, cfg)
	if limit > 0 {
		b = assembly.NewChunkedBuilder(&run.Manifest, cfg, limit)
	}
	for i := range run.Scores {
		if err := b.Add(&run.Scores[i]); err != nil {
			t.Fatal(err)
		}
	}
	r, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// built is the report by Build, with the places from the scores.
func built(t *testing.T, run reporttest.Run, cfg assembly.Config) *report.Report {
	t.Helper()
	in := run.Inputs()
	in.Place = nil
	r, err := assembly.BuildTable(in, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBuilderIsBuild(t *testing.T) {
	for _, conversations := range []int{0, 1, 2, 30, 400} {
		for _, tools := range []int{0, 1, 40} {
			for seed := range uint64(3) {
				run := judgeFree(seed, conversations, tools)
				want := asJSON(t, built(t, run, assembly.Config{}))
				if diff := cmp.Diff(want, asJSON(t, reporttest.Build(t, report.Inputs{Manifest: run.Manifest, Scores: reporttest.Each(run.Scores)}, assembly.Config{}))); diff != "" {
					t.Fatalf("%d conversations, %d tools, seed %d (-every score at hand +Build):\n%s", conversations, tools, seed, diff)
				}
				for _, limit := range []int{0, 1, 100} {
					if diff := cmp.Diff(want, asJSON(t, pushed(t, run, assembly.Config{}, limit))); diff != "" {
						t.Fatalf("%d conversations, %d tools, seed %d, chunks of %d scores (-Build +Builder):\n%s", conversations, tools, seed, limit, diff)
					}
				}
			}
		}
	}
}

// With more tools than rows only the interval of the last row is not known.
func TestBuilderFoldsTools(t *testing.T) {
	run, cfg := judgeFree(3, 300, 40), assembly.Config{MaxTools: 7}
	want := built(t, run, cfg)
	if diff := cmp.Diff(want, pushed(t, run, cfg, 0)); diff != "" {
		t.Errorf("one chunk (-Build +Builder):\n%s", diff)
	}
	got := pushed(t, run, cfg, 50)
	last := &want.ByTool[len(want.ByTool)-1]
	if last.Folded == 0 || len(want.ByTool) != 8 {
		t.Fatalf("%d rows, the last folds %d", len(want.ByTool), last.Folded)
	}
	for i := range last.Scores {
		for _, e := range []*report.Estimate{&last.Scores[i].Mean, &last.Scores[i].PassRate} {
			e.Low, e.High = nil, nil
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("chunks (-Build without the last interval +Builder):\n%s", diff)
	}
}

func TestBuilderRefusesJudges(t *testing.T) {
	s := reporttest.ScoreOf(score.Judge, "overall", "c", 0, 'p')
	if err := assembly.NewBuilder(&report.Manifest{}, assembly.Config{}).Add(&s); err == nil || !strings.Contains(err.Error(), "overall") {
		t.Errorf("error %v", err)
	}
}

// Scores of a conversation that stand apart are joined all the same.
func TestBuildWithoutOrder(t *testing.T) {
	run := judgeFree(5, 60, 5)
	want := asJSON(t, built(t, run, assembly.Config{}))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(run.Scores), func(i, k int) { run.Scores[i], run.Scores[k] = run.Scores[k], run.Scores[i] })
	in := report.Inputs{Manifest: run.Manifest, Scores: reporttest.Each(run.Scores)}
	if diff := cmp.Diff(want, asJSON(t, reporttest.Build(t, in, assembly.Config{}))); diff != "" {
		t.Errorf("-in order +shuffled:\n%s", diff)
	}
}
