package measure_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func ptr[T any](v T) *T { return &v }

func asJSON(t testing.TB, r *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestUndefinedIsNullWithReason(t *testing.T) {
	r := buildReport(t, inputsOf(runOf("pppp", "pppp")), measure.Config{})
	a := r.Agreement[0]
	for name, e := range map[string]report.Estimate{"kappa": a.Kappa, "recall_wrong": a.RecallWrong, "auc": a.AUC, "spearman": a.Spearman, "mcc": a.MCC, "balanced": a.Balanced} {
		if e.Value != nil || e.Reason == "" {
			t.Errorf("%s = %v (reason %q), want null with a reason", name, e.Value, e.Reason)
		}
	}
	codes := codesOf(a.Warnings)
	for _, want := range []string{"one_class", "judge_one_class", "few_items", "few_conversations"} {
		if !slices.Contains(codes, want) {
			t.Errorf("warnings %v lack %s", codes, want)
		}
	}
	if text := asJSON(t, r); strings.Contains(text, "NaN") || !strings.Contains(text, `"value": null`) {
		t.Error("report.json must hold null and no NaN")
	}
}

func TestNothingScored(t *testing.T) {
	for name, scores := range map[string][]score.Score{
		"no scores":    nil,
		"all unscored": runOf("uu", "nn"),
		"errors":       runOf("ee", "ee"),
	} {
		r := buildReport(t, inputsOf(scores), measure.Config{})
		for _, s := range r.Scores {
			if s.N != 0 || s.Mean.Value != nil || s.PassRate.Value != nil {
				t.Errorf("%s: %s has numbers: %+v", name, s.Name, s)
			}
		}
		if len(r.Summary) == 0 {
			t.Errorf("%s: no summary", name)
		}
	}
}

func TestOrderOfTheStreamDoesNotMatter(t *testing.T) {
	run := reporttest.New(7, 40)
	want := asJSON(t, buildReport(t, run.Inputs(), measure.Config{}))
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(run.Scores), func(i, j int) { run.Scores[i], run.Scores[j] = run.Scores[j], run.Scores[i] })
		got := asJSON(t, buildReport(t, run.Inputs(), measure.Config{}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("a shuffled stream gives another report:\n%s", diff)
		}
	}
}

// TestMissingIsNeitherPassNorFail drops scores once by removing them and once by
// marking them unscored: every mean, rate and comparison must be the same.
func TestMissingIsNeitherPassNorFail(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(5) {
		run := reporttest.New(seed, 30)
		removed, marked := run, run
		removed.Scores, marked.Scores = nil, nil
		for _, s := range run.Scores {
			if r.Float64() < 0.2 {
				s.Status, s.Value, s.Passed, s.Confidence, s.Flags = score.Unscored, nil, nil, nil, nil
				marked.Scores = append(marked.Scores, s)
				continue
			}
			removed.Scores, marked.Scores = append(removed.Scores, s), append(marked.Scores, s)
		}
		a, b := buildReport(t, removed.Inputs(), measure.Config{}), buildReport(t, marked.Inputs(), measure.Config{})
		for i := range a.Scores {
			if diff := cmp.Diff([]report.Estimate{a.Scores[i].Mean, a.Scores[i].PassRate}, []report.Estimate{b.Scores[i].Mean, b.Scores[i].PassRate}); diff != "" {
				t.Fatalf("seed %d: %s changed by missing scores:\n%s", seed, a.Scores[i].Name, diff)
			}
		}
		for i := range a.Agreement {
			x, y := a.Agreement[i], b.Agreement[i]
			if x.Confusion != y.Confusion || x.N != y.N || !cmp.Equal(x.Kappa, y.Kappa) {
				t.Fatalf("seed %d: agreement with %s changed by missing scores: %+v, %+v", seed, x.Reference.Name, x.Confusion, y.Confusion)
			}
		}
		if diff := cmp.Diff(a.Disagreements, b.Disagreements, cmp.Comparer(func(x, y report.Side) bool { return x.Name == y.Name && cmp.Equal(x.Value, y.Value) })); diff != "" {
			t.Fatalf("seed %d: disagreements changed by missing scores:\n%s", seed, diff)
		}
	}
}

func TestThresholds(t *testing.T) {
	good := map[string]string{"overall=0.5": "overall=0.5", " a = 3..5 ": "a=3..5", "a=-1..-0.5": "a=-1..-0.5"}
	for in, want := range good {
		got, err := report.ParseThreshold(in)
		if err != nil || got.String() != want {
			t.Errorf("ParseThreshold(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a", "=1", "a=", "a=x", "a=1..", "a=2..1", "a=NaN", "a=1..Inf"} {
		if got, err := report.ParseThreshold(in); err == nil {
			t.Errorf("ParseThreshold(%q) = %v, want an error", in, got)
		}
	}
	run := reporttest.New(1, 20)
	low, _ := report.ParseThreshold("overall_call_correctness=0")
	r := buildReport(t, run.Inputs(), measure.Config{Thresholds: []report.Threshold{low}})
	for _, s := range r.Scores {
		if s.Name == low.Name && *s.PassRate.Value != 1 {
			t.Errorf("with threshold 0 everything passes, got %v", *s.PassRate.Value)
		}
	}
	if run.Scores[0].Passed == nil || r.Run.Thresholds[0] != "overall_call_correctness=0" {
		t.Error("the scores themselves must not change, and the report must name the threshold")
	}
}

func TestBadLinesAreCounted(t *testing.T) {
	good := runOf("pf", "pf")
	in := report.Inputs{Scores: func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for _, s := range good {
				if !yield(s, nil) || !yield(score.Score{}, &score.LineError{File: "f", Line: 1, Cause: errors.New("x")}) {
					return
				}
			}
		}
	}}
	r := buildReport(t, in, measure.Config{})
	if r.Counts.BadLines != 4 || r.Counts.Scores != 4 || !slices.Contains(codesOf(r.Warnings), "bad_lines") {
		t.Errorf("counts %+v, warnings %v", r.Counts, r.Warnings)
	}
	broken := errors.New("disk gone")
	in.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, broken) }
	}
	if _, err := measure.Build(in, measure.Config{}); !errors.Is(err, broken) {
		t.Errorf("an input error must end the report, got %v", err)
	}
}

func TestDuplicatesCountOnce(t *testing.T) {
	s := runOf("ppff", "pfpf")
	r := buildReport(t, inputsOf(append(slices.Clone(s), s...)), measure.Config{})
	once := buildReport(t, inputsOf(s), measure.Config{})
	if r.Counts.Duplicates != 8 || r.Scores[0].N != 4 || r.Agreement[0].Confusion != once.Agreement[0].Confusion {
		t.Errorf("duplicates %d, n %d, %+v", r.Counts.Duplicates, r.Scores[0].N, r.Agreement[0].Confusion)
	}
}

func TestJSONReadsBack(t *testing.T) {
	r := buildReport(t, reporttest.New(2, 20).Inputs(), measure.Config{})
	text := asJSON(t, r)
	again, err := report.ReadJSON(strings.NewReader(text), "report.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, asJSON(t, again)); diff != "" {
		t.Errorf("report.json changed on the way:\n%s", diff)
	}
	for in, want := range map[string]string{
		`{"schema":"judge.report/v2"}`: "unknown schema",
		`{}`:                           "no report",
		`nothing`:                      "no report",
		`{"schema":"judge.report/v1","alpha":""}`: "alpha: wrong type",
	} {
		if _, err := report.ReadJSON(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadJSON(%s) = %v, want %q", in, err, want)
		}
	}
}

func TestManyToolsAreFolded(t *testing.T) {
	var scores []score.Score
	for i := range 140 {
		s := scoreOf(score.Judge, "overall", fmt.Sprintf("c%03d", i), 0, 'p')
		s.Tool = fmt.Sprintf("tool%03d", i)
		scores = append(scores, s)
	}
	r := buildReport(t, inputsOf(scores), measure.Config{})
	last := r.ByTool[len(r.ByTool)-1]
	if len(r.ByTool) != 101 || last.Folded != 40 || last.Calls != 40 || last.Scores[0].N != 40 {
		t.Errorf("%d rows, last %+v", len(r.ByTool), last)
	}
}

// BenchmarkBuild builds a report from 100,000 scores.
func BenchmarkBuild(b *testing.B) {
	run := reporttest.New(1, 4000)
	run.Scores = run.Scores[:100_000]
	for b.Loop() {
		if _, err := measure.Build(run.Inputs(), measure.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}

// What a run of this size can show follows from its own variance.
func TestDetectable(t *testing.T) {
	var scores []score.Score
	for i := range 400 {
		scores = append(scores, scoreOf(score.Deterministic, "exact", fmt.Sprintf("c%03d", i), 0, map[bool]byte{true: 'p', false: 'f'}[i%5 > 0]))
	}
	row := buildReport(t, inputsOf(scores), measure.Config{}).Scores[0]
	// (t(.975; ν)+z(.8))·0.4·√(1/399) with ν = 400·0.16/(1-3·0.16) = 123, and √2 of it.
	if d := row.Detectable.FromTarget.Value; d == nil || !(math.Abs(*d-0.05649) <= 1e-5) {
		t.Errorf("from a target %v", row.Detectable.FromTarget)
	}
	if ratio := *row.Detectable.BetweenRuns.Value / *row.Detectable.FromTarget.Value; !(math.Abs(ratio-math.Sqrt2) <= 1e-4) {
		t.Errorf("between runs %v times as much", ratio)
	}
}
