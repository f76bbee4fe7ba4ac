package team

import (
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// Two good judges and three that guess: the model finds out who is who, the majority
// does not.
func TestJoinAllFindsTheReliableMembers(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Prerequisite)
	rng := rand.New(rand.NewPCG(1, 2))
	p := Panel{Name: "jury", Rule: DawidSkene, Members: []string{"a", "b", "c", "d", "e"}}
	var ballots []Ballot
	var truth []float64
	for range 600 {
		x := float64(rng.IntN(2))
		b := Ballot{ConversationID: "c", Tool: "t"}
		for k := range p.Members {
			y := x
			if k < 2 && rng.Float64() < 0.04 || k >= 2 && rng.Float64() < 0.38 {
				y = 1 - x
			}
			b.Outputs = append(b.Outputs, &y)
		}
		truth, ballots = append(truth, x), append(ballots, b)
	}
	got, warnings, err := p.JoinAll(r, "", ballots)
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	right, byVote := 0, 0
	for i := range got {
		if *got[i].Output == truth[i] {
			right++
		}
		votes := 0.0
		for _, o := range ballots[i].Outputs {
			votes += *o
		}
		if (votes >= 3) == (truth[i] == 1) {
			byVote++
		}
		if c := got[i].Confidence; c == nil || *c < 0.5 || *c > 1 {
			t.Errorf("confidence %v", c)
		}
	}
	if right < 560 || right <= byVote {
		t.Errorf("%d of 600 right, %d by vote", right, byVote)
	}
}

func TestJoinAllScalesAndQuorum(t *testing.T) {
	n := func(f float64) *float64 { return &f }
	p := Panel{Name: "jury", Rule: DawidSkene, Members: []string{"a", "b", "c"}}
	ballots := []Ballot{
		{Outputs: []*float64{n(0.9), n(0.8), n(0.2)}}, {Outputs: []*float64{n(0.1), n(0.2), n(0.9)}},
		{Outputs: []*float64{n(0.9), nil, nil}}, {Outputs: []*float64{nil, nil, nil}}, {Outputs: []*float64{n(0.9), n(1), n(0.8)}},
	}
	got, _, err := p.JoinAll(judgetest.Rubric(t, rubrics.Overall), "", ballots)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{result.Pass, result.Fail, result.NoVerdict, result.NoVerdict, result.Pass}
	for i := range got {
		if got[i].Verdict != want[i] || got[i].Output != nil && *got[i].Output != 0 && *got[i].Output != 1 {
			t.Errorf("ballot %d: %+v", i, got[i])
		}
	}
	if got[2].ErrorKind != result.KindNoQuorum || got[2].Score().Error == nil {
		t.Errorf("%+v", got[2])
	}
	five := []Ballot{{Outputs: []*float64{n(5), n(5), n(4)}}, {Outputs: []*float64{n(1), n(1), n(2)}}, {Outputs: []*float64{n(5), n(5), n(5)}}}
	if got, _, err = p.JoinAll(judgetest.Rubric(t, rubrics.Intent), "", five); err != nil || *got[0].Output != 5 || *got[1].Output != 1 {
		t.Errorf("%v %+v", err, got)
	}
	if got, _, err = p.JoinAll(judgetest.Rubric(t, rubrics.Intent), "", nil); err != nil || len(got) != 0 {
		t.Errorf("no ballots: %v %v", err, got)
	}
}
