package measure_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// judgeFree returns a made-up run without judges, with what logs bring along: no scores,
// errors, categories, repeated labels, two schema checks and hostile tools.
func judgeFree(seed uint64, conversations, tools int) reporttest.Run {
	run := reporttest.New(seed, conversations)
	rng := rand.New(rand.NewPCG(seed, 77))
	run.Manifest.Judges, run.Manifest.Rubrics = nil, nil
	run.Manifest.Scorers = append(run.Manifest.Scorers, reporttest.ScorerOf("strict", "schema_check"), reporttest.Scorer("execution_check"))
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

// Scores that are pushed one by one give the report of a stream, with the places of
// its cases; in whatever order they come.
func TestOrderDoesNotMatter(t *testing.T) {
	for _, conversations := range []int{0, 1, 30, 200} {
		for _, tools := range []int{0, 1, 140} {
			run, cfg := judgeFree(uint64(tools), conversations, tools), measure.Config{}
			want := asJSON(t, buildReport(t, report.Inputs{Manifest: run.Manifest, Scores: reporttest.Each(run.Scores)}, cfg))
			for range 2 {
				b := measure.NewBuilder(&run.Manifest, cfg)
				for i := range run.Scores {
					b.Add(&run.Scores[i])
				}
				r, err := b.Finish()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, asJSON(t, r)); diff != "" {
					t.Fatalf("%d conversations, %d tools (-Build +Builder):\n%s", conversations, tools, diff)
				}
				rand.New(rand.NewPCG(1, 2)).Shuffle(len(run.Scores), func(i, k int) { run.Scores[i], run.Scores[k] = run.Scores[k], run.Scores[i] })
			}
		}
	}
}
