package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// of returns a score of call 0 of a conversation by a name.
func of(conversation, name, tool string, passed bool) score.Score {
	return score.Score{ConversationID: conversation, CallIndex: new(0), Tool: tool, Name: name, Source: score.Deterministic,
		Status: score.Scored, Value: new(map[bool]float64{true: 1, false: 0.2}[passed]), Passed: &passed, Explanation: "because"}
}

// each yields scores, and a line that is none.
func each(list ...score.Score) func() iter.Seq2[score.Score, error] {
	return func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			if !yield(score.Score{}, &score.LineError{}) {
				return
			}
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// TestJUnitByCall: a call that fails is a failure only where its own gate failed, by its
// tool and judge too; what is missing is skipped; scores without a gate are no cases.
func TestJUnitByCall(t *testing.T) {
	missing := of("c2", "strict", "pay", false)
	missing.Value, missing.Passed, missing.Status = nil, nil, score.Unscored
	missing.Error = &score.Failure{Kind: "truncated", Message: "cut off"}
	graded := of("c2", "strict", "get", true)
	graded.Passed = nil
	mine, other, aside := of("c3", "judged", "get", false), of("c3", "judged", "get", false), of("c3", "strict", "get", false)
	mine.Judge, other.Judge, aside.Purpose = "judge-a", "judge-b", "qa"
	mine.Explanation = strings.Repeat("y", 2000)
	r := &report.Report{Gates: []report.GateResult{
		{Score: "strict", Measure: "min_pass_rate", Line: "FAIL  strict"},
		{Score: "lenient", Measure: "min_pass_rate", Passed: true, Line: "pass  lenient"},
		{Score: "bytool", Tool: "pay", Measure: "min_mean", Line: "FAIL  bytool on pay"},
		{Score: "bytool", Tool: "get", Measure: "min_mean", Passed: true, Line: "pass  bytool on get"},
		{Score: "kappa", Measure: "min_kappa", Line: "FAIL  kappa"},
		{Score: "judged", Judge: "judge-a", Measure: "min_mean", Line: "FAIL  judged"},
	}}
	scores := each(of("c1", "strict", "pay", false), of("c1", "strict", "get", true), of("c1", "lenient", "pay", false),
		of("c1", "free", "pay", false), of("c1", "bytool", "pay", false), of("c1", "bytool", "get", false),
		missing, graded, of("c2", "kappa", "get", false), of("c3", "free", "get", false), mine, other, aside)
	var out bytes.Buffer
	if err := Report(&out, r, JUnitFormat, Config{Scores: scores}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var lines []string
	tests, failures := 0, 0
	for _, s := range got.Suites {
		lines = append(lines, fmt.Sprintf("%s: %d tests, %d failures, %d skipped", s.Name, s.Tests, s.Failures, s.Skipped))
		tests, failures = tests+s.Tests, failures+s.Failures
		for _, c := range s.Cases {
			switch {
			case c.Class == "gates":
			case c.Failure != nil:
				lines = append(lines, c.Name+" FAILS "+c.Failure.Message)
			case c.Skipped != nil:
				lines = append(lines, c.Name+" skipped "+c.Skipped.Message)
			default:
				lines = append(lines, c.Name+" passes")
			}
		}
	}
	want := []string{
		"gates: 6 tests, 4 failures, 0 skipped", "scores: 0 tests, 0 failures, 0 skipped",
		"c1: 5 tests, 2 failures, 2 skipped",
		"call 0 pay: strict FAILS 0.2 because (FAIL  strict)", "call 0 get: strict passes",
		"call 0 pay: lenient skipped fails, and its gate does not: 0.2 because",
		"call 0 pay: bytool FAILS 0.2 because (FAIL  bytool on pay)",
		"call 0 get: bytool skipped fails, and its gate does not: 0.2 because",
		"c2: 3 tests, 0 failures, 3 skipped",
		"call 0 pay: strict skipped unscored: truncated: cut off", "call 0 get: strict skipped no pass mark: 1",
		"call 0 get: kappa skipped fails, and its gate does not: 0.2 because",
		"c3: 1 tests, 1 failures, 0 skipped", "call 0 get: judged by judge-a FAILS 0.2 " + strings.Repeat("y", 995) + "…",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if got.Tests != tests || got.Failures != failures {
		t.Errorf("%d tests and %d failures of %d and %d", got.Tests, got.Failures, tests, failures)
	}
}

// TestJUnitStreams: cases are written as they are read; memory holds one conversation.
func TestJUnitStreams(t *testing.T) {
	const many = 200_000
	written := 0
	scores := func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for i := range many {
				if i == many-1 && written > 0 && written < many*50 {
					t.Errorf("%d bytes are written before the last score is read", written)
				}
				if !yield(of(fmt.Sprint("c", i), "strict", "<pay>", false), nil) {
					return
				}
			}
		}
	}
	r := &report.Report{Gates: []report.GateResult{{Score: "strict", Measure: "min_pass_rate"}}}
	w := writerFunc(func(b []byte) (int, error) { written += len(b); return len(b), nil })
	if err := writeJUnit(w, r, scores); err != nil {
		t.Fatal(err)
	}
	full := writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite })
	if err := writeJUnit(full, r, nil); err == nil || !strings.Contains(err.Error(), "write junit report") {
		t.Errorf("a full disk: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestJUnitNamesGroups: a call that fails says in which group it is, whichever score fails it.
func TestJUnitNamesGroups(t *testing.T) {
	scores := each(of("c1", "strict", "pay", false), of("c1", "free", "pay", false), of("c2", "strict", "get", true))
	r, err := measure.Build(report.Inputs{Scores: scores}, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r.Gates = []report.GateResult{{Score: "strict", Measure: "min_pass_rate", Line: "FAIL  strict"}}
	var out bytes.Buffer
	if err := Report(&out, r, JUnitFormat, Config{Scores: scores}); err != nil {
		t.Fatal(err)
	}
	g := r.FailureGroups[0]
	if want := "because (FAIL  strict) [" + g.ID + ": pay: because]"; !strings.Contains(out.String(), want) ||
		strings.Count(out.String(), g.ID) != 1 {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
