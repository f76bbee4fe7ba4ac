package measure

import (
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
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

// TestNewLabels: labels of the random sample count, an item once; without one there are none.
func TestNewLabels(t *testing.T) {
	row := func(call int, sample, label string) LabelRow {
		return LabelRow{ConversationID: "c", CallIndex: call, Sample: sample, Whole: labels.Answer{Label: label}}
	}
	m := &report.Manifest{}
	if l := NewLabels([]LabelRow{row(0, RandomSample, labels.Pass), row(1, RandomSample, labels.Fail), row(1, RandomSample, labels.Pass)}, m); l.Len() != 2 {
		t.Errorf("%d labels", l.Len())
	}
	if l := NewLabels([]LabelRow{row(0, "queue", labels.Pass), row(1, RandomSample, ""), row(2, RandomSample, labels.Defer)}, m); l != nil || l.Len() != 0 {
		t.Errorf("%d labels", l.Len())
	}
}
