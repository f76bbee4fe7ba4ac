package measure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// mixedScopes draws the scores of judges, scorers and labels about calls, results, turns and conversations, each
// series with a chance of one half.
func mixedScopes(rng *rand.Rand) report.Inputs {
	var scores []score.Score
	add := func(source score.Source, judge, name, scope string) {
		if rng.IntN(2) == 0 {
			return
		}
		for c := range 4 {
			for i := range 3 {
				call := i
				if scope == "turn" || scope == "conversation" {
					call = -1
				}
				s := scoreOf(source, name, fmt.Sprintf("c%d", c), call, "ppfnu"[rng.IntN(5)])
				s.Judge, s.Scope = judge, scope
				if scope == "turn" {
					s.Turn = i + 1
				}
				if s.Status == score.Scored && strings.HasPrefix(name, "words") {
					s.Category = map[bool]string{true: "yes", false: "no"}[*s.Passed]
				}
				if scores = append(scores, s); call < 0 {
					break // fewer turns than calls
				}
			}
		}
	}
	for _, scope := range []string{"", "result", "turn", "conversation"} {
		for _, judge := range []string{"a", "b", "b again"} {
			add(score.Judge, judge, "words "+scope, scope)
			add(score.Judge, judge, "grade "+scope, scope)
		}
		add(score.Label, "", "people.words "+scope, scope)
		add(score.Label, "", "human", scope)
	}
	add(score.Deterministic, "", "schema_check", "")
	add(score.Deterministic, "", "state_match", "conversation")
	in := inputsOf(scores)
	for _, scope := range []string{"", "result", "turn", "conversation"} {
		in.Manifest.Rubrics = append(in.Manifest.Rubrics,
			report.Rubric{Name: "words " + scope, Max: 1, Integer: true, Low: new(1.), High: new(1.), Categories: []string{"yes", "no"}, Pass: []string{"yes"}},
			report.Rubric{Name: "grade " + scope, Max: 1, Low: new(.5), High: new(1.)})
	}
	in.Manifest.Judges = []report.Judge{{Name: "a"}, {Name: "b"}, {Name: "b again", RetestOf: "b", Together: true}}
	return in
}

// TestMixedScopes: whatever scopes the scores of a run have, it has a report of at most 30 lines, and is compared.
func TestMixedScopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 1))
	for range 150 {
		a, b := mixedScopes(rng), mixedScopes(rng)
		r := buildReport(t, a, measure.Config{})
		words.Run(r, true, "r")
		if lines := len(words.Card(r, "r")); lines > 30 {
			t.Errorf("%d facts", lines)
		}
		if _, err := measure.Compare(a, b, measure.Config{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompareTurns: turns are compared with turns, conversation by conversation, whatever calls there are.
func TestCompareTurns(t *testing.T) {
	run := func(verdicts string) report.Inputs {
		var scores []score.Score
		for i, what := range []byte(verdicts) {
			s := scoreOf(score.Judge, "tone", fmt.Sprintf("c%d", i/2), -1, what)
			s.Scope, s.Turn = "turn", i%2+1
			scores = append(scores, s, scoreOf(score.Judge, "right", s.ConversationID, i, 'p'))
		}
		return inputsOf(scores)
	}
	c, err := measure.Compare(run("ppppppppppfp"), run("ppppfpfppppp"), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, row := range c.Rows {
		if row.Name == "tone" {
			n++
			if row.Level != report.TurnLevel || !row.Decides || row.PassRate.N != 12 || !near(row.PassRate.Delta, -1./12) {
				t.Errorf("%+v", row)
			}
		}
	}
	flips := ""
	for _, f := range c.Verdicts.Items {
		flips += fmt.Sprint(f.ItemName(), " ", f.Level, " ", f.Broken, "; ")
	}
	if n != 1 || flips != "c2:turn1 turn true; c3:turn1 turn true; c5:turn1 turn false; " {
		t.Errorf("%d rows, %s", n, flips)
	}
}
