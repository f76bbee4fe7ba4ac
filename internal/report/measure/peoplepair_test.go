package measure

import (
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
)

// TestPeoplePair: kappa of two people by hand, over verdicts and categories: 5 of 7 alike, 2 of 7 by chance.
func TestPeoplePair(t *testing.T) {
	said := func(answers string) (out []labels.State) {
		for i, text := range strings.Fields(answers) {
			answer := labels.Answer{Label: text}
			switch text {
			case "billing", "tech":
				answer = labels.Answer{Label: labels.Named, Category: text}
			case "-":
				continue
			}
			out = append(out, labels.State{Item: labels.Item{Conversation: []string{"c1", "c2"}[i/4%2], Call: i, Rubric: "r"}, Blind: answer})
		}
		return out
	}
	na := labels.NotApplicable + " "
	got, err := peoplePair("ann", "bob",
		said("billing billing billing tech  tech pass fail "+na+na+labels.Defer+" tech"),
		said("billing billing tech    tech  tech pass pass "+na+"pass pass -"), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 7 || got.Agreed != 5 || got.Conversations != 2 || got.NotApplicable != 2 || got.BothNotApplicable != 1 {
		t.Errorf("%+v", got)
	}
	if got.Kappa.Value == nil || math.Abs(*got.Kappa.Value-0.6) > 1e-12 {
		t.Errorf("kappa %+v, want 0.6", got.Kappa)
	}
	if none, err := peoplePair("ann", "bob", said("pass"), said("-"), 0.05); err != nil || none.N != 0 || none.Kappa.Value != nil {
		t.Errorf("nothing in common: %+v, %v", none, err)
	}
}
