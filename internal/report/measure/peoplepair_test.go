package measure

import (
	"math"
	"slices"
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
			case "billing", "tech", "other":
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
		said("billing billing billing tech  tech pass fail "+na+na+labels.Defer+" tech pass"),
		said("billing billing tech    tech  tech pass pass "+na+"pass pass - "+na), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 7 || got.Agreed != 5 || got.Conversations != 2 || got.NotApplicable != 3 || got.BothNotApplicable != 1 {
		t.Errorf("%+v", got)
	}
	if got.Kappa.Value == nil || !(math.Abs(*got.Kappa.Value-0.6) <= 1e-12) {
		t.Errorf("kappa %+v, want 0.6", got.Kappa)
	}
	none, err := peoplePair("ann", "bob", said("pass"), said("-"), 0.05)
	if err != nil || none.N != 0 || none.Kappa.Value != nil || none.Kappa.Reason != "too_few" || none.Conversations != 0 {
		t.Errorf("nothing in common: %+v, %v", none, err)
	}
	// A category is no verdict, however many there are.
	four, err := peoplePair("ann", "bob", said("billing tech other fail"), said("billing tech fail other"), 0.05)
	if err != nil || four.N != 4 || four.Agreed != 2 {
		t.Errorf("%+v, %v", four, err)
	}
	if _, err := peoplePair("ann", "bob", said("pass fail"), said("pass fail"), 2); err == nil ||
		!strings.HasPrefix(err.Error(), "agreement of ann and bob: ") {
		t.Errorf("an alpha of 2: %v", err)
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

// TestLabelsForARubric: a person's label for the rubric itself counts, else, if the rubric is about the whole, that of
// the whole item.
func TestLabelsForARubric(t *testing.T) {
	pass, fail := labels.VerdictAnswer(true), labels.VerdictAnswer(false)
	all := []PersonLabel{{"ann", "", pass}, {"ann", "tone", fail}, {"bob", "", fail}, {"cid", "topic", pass}}
	for _, tt := range []struct {
		rubric string
		whole  bool
		want   []PersonLabel
	}{
		{"tone", true, []PersonLabel{all[1], all[2]}}, {"tone", false, []PersonLabel{all[1]}},
		{"", true, []PersonLabel{all[0], all[2]}}, {"topic", false, []PersonLabel{all[3]}}, {"none", false, nil},
	} {
		if got := ofRubric(all, tt.rubric, tt.whole); !slices.Equal(got, tt.want) {
			t.Errorf("%s, whole %v: %v, want %v", tt.rubric, tt.whole, got, tt.want)
		}
	}
}

// TestUseOfLabels: the first label of an item counts for each rubric, blind ones of the random order before what was
// picked; the first note stays.
func TestUseOfLabels(t *testing.T) {
	pass, fail := labels.VerdictAnswer(true), labels.VerdictAnswer(false)
	of := func(rubric, frame, note string, blind, answer labels.Answer) labels.State {
		return labels.State{Item: labels.Item{Conversation: "c", Rubric: rubric}, Frame: frame, Note: note, Blind: blind,
			Answer: answer}
	}
	rows := map[itemKey]*LabelRow{}
	var used []bool
	for _, st := range []labels.State{
		of("", labels.Random, "", labels.Answer{}, pass),        // after the reveal
		of("tone", labels.Disagreements, "first", fail, pass),   // blind once, then picked
		of("tone", labels.Random, "second", pass, pass),         // known
		of("", labels.Disagreements, "", labels.Answer{}, pass), // picked, of a drawn item
		of("", labels.Random, "third", pass, pass), of("", labels.Random, "", fail, fail),
	} {
		used = append(used, use(rows, &st))
	}
	if want := []bool{false, true, false, false, true, false}; !slices.Equal(used, want) {
		t.Errorf("used %v, want %v", used, want)
	}
	r := rows[newKey("c", 0, 0, "")]
	if len(rows) != 1 || r.Sample != RandomSample || r.Whole != pass || r.ByRubric["tone"] != fail || r.Note != "first" {
		t.Errorf("%d rows, %+v", len(rows), r)
	}
}
