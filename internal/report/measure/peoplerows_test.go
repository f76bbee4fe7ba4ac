package measure_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sealed"
)

// given is a label of call 0 of a conversation, by a rubric or as a whole.
type given struct{ who, conversation, rubric, label, seen, frame string }

// labelSet returns the labels in the order in which they were given.
func labelSet(t *testing.T, list ...given) *labels.Set {
	t.Helper()
	var file bytes.Buffer
	for i, g := range list {
		e := labels.Event{Schema: "judge.label/v1", RunID: "r", Writer: "w", N: i + 1, Who: g.who, Action: labels.Give,
			ConversationID: g.conversation, CallIndex: new(0), Rubric: g.rubric, Answer: labels.Answer{Label: g.label},
			Seen: g.seen, Frame: g.frame, Probability: 0.5, Rank: 3}
		line, err := sealed.Line(&e)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(line)
	}
	set := labels.Read(file.Bytes(), "labels.jsonl", "r")
	if problems := set.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// TestRowsOfPeople: of several people's labels of an item that of the one with more random labels counts, or of the one
// who is named; what was labelled after the reveal, or picked, is no sample.
func TestRowsOfPeople(t *testing.T) {
	const blind, random, picked = labels.Blind, labels.Random, labels.Disagreements
	set := labelSet(t,
		given{"ann", "a", "", labels.Pass, blind, random}, given{"ann", "a", "tone", labels.Fail, blind, random},
		given{"bob", "a", "", labels.Fail, blind, random}, given{"bob", "b", "", labels.Fail, blind, random},
		given{"bob", "c", "", labels.Pass, blind, random}, given{"bob", "d", "", labels.Pass, labels.Revealed, random},
		given{"bob", "e", "", labels.Defer, blind, picked}, given{"bob", "f", "", labels.Pass, labels.Revealed, picked},
		given{"ann", "f", "", labels.Fail, blind, picked}, given{"ann", "b", "tone", labels.Fail, blind, random},
		given{"bob", "g", "", labels.Pass, blind, random},
	)
	type row struct{ Conversation, Whole, Tone, Sample, Said string }
	rows := func(by string) (out []row, list []report.Labeller) {
		p, err := measure.RowsOfLabels(set, by, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Rows {
			said := ""
			for _, s := range r.Said {
				said += fmt.Sprintf("%s%s %s;", s.Who, map[bool]string{true: " " + s.Rubric}[s.Rubric != ""], s.Label)
			}
			out = append(out, row{r.ConversationID, r.Whole.Label, r.ByRubric["tone"].Label, r.Sample, said})
		}
		return out, p.List
	}
	got, list := rows("")
	want := []row{
		{"a", "fail", "fail", "random", "bob fail;ann pass;ann tone fail;"},
		{"b", "fail", "fail", "random", "bob fail;ann tone fail;"},
		{"c", "pass", "", "random", "bob pass;"}, {"f", "pass", "", "queue", ""},
		{"g", "pass", "", "random", "bob pass;"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	people := []report.Labeller{
		{Name: "bob", Random: 4, Picked: 1, Deferred: 1, Revealed: 1, Used: 5}, {Name: "ann", Random: 3, Picked: 1, Used: 2},
	}
	if diff := cmp.Diff(people, list); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	got, list = rows("ann")
	want[0].Whole, want[0].Said = "pass", "ann pass;ann tone fail;bob fail;"
	want[1].Said, want[3].Whole = "ann tone fail;bob fail;", "fail"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows by ann (-want +got):\n%s", diff)
	}
	people[0], people[1] = people[1], people[0]
	people[0].Used, people[1].Used = 4, 3
	if diff := cmp.Diff(people, list); diff != "" {
		t.Errorf("people, ann first (-want +got):\n%s", diff)
	}
	if _, err := measure.RowsOfLabels(set, "cid", 0.05); err == nil ||
		err.Error() != `--by: cid labelled nothing here; these did: ["ann" "bob"]` {
		t.Error(err)
	}
	if p, err := measure.RowsOfLabels(set, "", 2); err == nil || p != nil ||
		!strings.HasPrefix(err.Error(), "agreement of bob and ann: ") {
		t.Errorf("an alpha of 2: %v", err)
	}
	p, err := measure.RowsOfLabels(set, "", 0.05)
	if err != nil || len(p.Pairs) != 1 || p.Pairs[0].N != 1 || p.Pairs[0].Agreed != 0 {
		t.Errorf("pairs %+v, %v", p.Pairs, err)
	}
	if r := p.Rows[0]; r.Probability != 0.5 || r.Rank != 3 || r.CallIndex != 0 {
		t.Errorf("a row: %+v", r)
	}
}

// TestStoredLabelsReadBack: a calibration holds what a sheet's rows of the random sample say.
func TestStoredLabelsReadBack(t *testing.T) {
	rows := []measure.LabelRow{
		{ConversationID: "a", CallIndex: 1, Sample: measure.RandomSample, Whole: labels.VerdictAnswer(true), Note: "n",
			Rank: 2, Seed: 7, PerConversation: 1, ByRubric: map[string]labels.Answer{"tone": labels.VerdictAnswer(false)}},
		{ConversationID: "b", CallIndex: -1, Turn: 2, Scope: labels.Turn, Sample: measure.RandomSample,
			ByRubric: map[string]labels.Answer{}},
		{ConversationID: "c", Sample: measure.QueueSample, Whole: labels.VerdictAnswer(true)},
	}
	data, err := json.Marshal(measure.StoredLabels(rows))
	if err != nil {
		t.Fatal(err)
	}
	var stored []report.StoredLabel
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows[:2], measure.RowsOfStored(stored)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSavedGatesAreKnown: a gate on a score that the saved run does not have is told, with the name that was meant.
func TestSavedGatesAreKnown(t *testing.T) {
	second := scoreOf(score.Judge, "overall", "c000", 0, 'p')
	second.Judge = "k"
	r := buildReport(t, inputsOf(append(runOf("pf", "pf"), second)), measure.Config{})
	err := measure.CheckSavedGates([]measure.Gate{{Score: "zzzzzz"}}, r)
	if err == nil || err.Error() != "gate on zzzzzz: the run has no score of this name; known are exact, overall" {
		t.Error(err)
	}
	err = measure.CheckSavedGates([]measure.Gate{{Score: "exact"}, {Score: "exakt"}, {Score: "overall"}}, r)
	if err == nil || err.Error() != "gate on exakt: the run has no score of this name; did you mean exact?" {
		t.Error(err)
	}
	if err := measure.CheckSavedGates([]measure.Gate{{Score: "exact"}}, r); err != nil {
		t.Error(err)
	}
}

// TestPeopleWithoutACommonItem: people who labelled no item together are not compared with the judge.
func TestPeopleWithoutACommonItem(t *testing.T) {
	pass, fail := labels.VerdictAnswer(true), labels.VerdictAnswer(false)
	rows := []measure.LabelRow{drawnRow("c000", 1, pass), drawnRow("c001", 2, fail), drawnRow("c002", 3, pass)}
	for i, who := range []string{"ann", "bob", "ann"} {
		rows[i].Said = []measure.PersonLabel{{Who: who, Answer: rows[i].Whole}}
	}
	for _, together := range []bool{false, true} {
		if together {
			for i := range rows {
				rows[i].Said = []measure.PersonLabel{{Who: "ann", Answer: pass}, {Who: "bob", Answer: fail}}
			}
		}
		if row := one(t, inputsOf(runOf("pfp", "pfp")), rows, measure.CalibrateConfig{}); (row.People != nil) != together {
			t.Errorf("together %v: %+v", together, row.People)
		}
	}
}
