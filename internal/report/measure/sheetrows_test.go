package measure_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// sheetRubrics are a rubric with verdicts, one whose categories pass or fail, and one whose categories do neither.
func sheetRubrics() []report.Rubric {
	return []report.Rubric{
		{Name: "overall", Max: 1, Low: new(0.5)},
		{Name: "tone", Categories: []string{"kind", "Rude"}, Pass: []string{"kind"}},
		{Name: "topic", Categories: []string{"money", "travel"}},
	}
}

// TestSheetCells: which words a cell may hold, by column.
func TestSheetCells(t *testing.T) {
	pass, fail := labels.VerdictAnswer(true), labels.VerdictAnswer(false)
	rubrics := sheetRubrics()
	for _, tt := range []struct {
		column, cell string
		want         labels.Answer
		err          string
	}{
		{"label", "Pass", pass, ""}, {"label", "1", pass, ""}, {"label", "YES", pass, ""}, {"label", "true", pass, ""},
		{"label", "1.0", pass, ""}, {"label", "fail", fail, ""}, {"label", "0", fail, ""}, {"label", "no", fail, ""},
		{"label", "False", fail, ""}, {"label", "0.0", fail, ""}, {"label", "  ", labels.Answer{}, ""},
		{"label", "not_applicable", labels.Answer{},
			`label: "not_applicable": want pass, fail, 1, 0, yes, no, true, false, or empty`},
		{"overall", "n/a", labels.Answer{Label: labels.NotApplicable}, ""},
		{"overall", "Not Applicable", labels.Answer{Label: labels.NotApplicable}, ""},
		{"overall", "not_applicable", labels.Answer{Label: labels.NotApplicable}, ""},
		{"overall", "2", labels.Answer{}, `overall: "2": want pass, fail, 1, 0, yes, no, true, false, or empty`},
		{"tone", "KIND", rubrics[1].Answer("kind"), ""}, {"tone", "rude", rubrics[1].Answer("Rude"), ""},
		{"tone", "pass", pass, ""}, {"tone", "fail", fail, ""},
		{"tone", "yes", labels.Answer{}, `tone: "yes": want kind, Rude, not_applicable, or empty`},
		{"topic", "travel", rubrics[2].Answer("travel"), ""},
		{"topic", "n/a", labels.Answer{Label: labels.NotApplicable}, ""},
		{"topic", "pass", labels.Answer{}, `topic: "pass": want money, travel, not_applicable, or empty`},
	} {
		text := "conversation_id,call_index," + tt.column + "\nc,0,\"" + tt.cell + "\"\n"
		rows, err := measure.ReadSheet(strings.NewReader(text), "l.csv", rubrics)
		if tt.err != "" {
			if err == nil || err.Error() != "l.csv:2: "+tt.err {
				t.Errorf("%s %q:\ngot  %v\nwant %s", tt.column, tt.cell, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", tt.column, tt.cell, err)
			continue
		}
		got := rows[0].Whole
		if tt.column != "label" {
			got = rows[0].ByRubric[tt.column]
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.column, tt.cell, diff)
		}
	}
}

// TestSheetColumnsAreChecked: the numbers of a row, what it is about, and the names of columns.
func TestSheetColumnsAreChecked(t *testing.T) {
	const scoped = "conversation_id,call_index,label,scope,turn\n"
	const scopeError = "l.csv:2: scope: a turn needs a number in the column turn, a result one in call_index"
	for _, tt := range []struct{ text, want string }{
		{"conversation_id,call_index,label,probability\nc,0,,1\n", ""},
		{"conversation_id,call_index,label,probability\nc,0,,0\n", ""},
		{"conversation_id,call_index,label,probability\nc,0,,1.1\n",
			`l.csv:2: probability: "1.1" is not a number from 0 to 1`},
		{"conversation_id,call_index,label,probability\nc,0,,-1\n",
			`l.csv:2: probability: "-1" is not a number from 0 to 1`},
		{"conversation_id,call_index,label,probability\nc,0,,NaN\n",
			`l.csv:2: probability: "NaN" is not a number from 0 to 1`},
		{"conversation_id,call_index,label,rank\nc,0,,0\n", ""},
		{"conversation_id,call_index,label,rank\nc,0,,-1\n", `l.csv:2: rank: "-1" is not a place in the random order`},
		{"conversation_id,call_index,label,rank\nc,0,,x\n", `l.csv:2: rank: "x" is not a place in the random order`},
		{"conversation_id,call_index,label,calls_per_conversation\nc,0,,0\n", ""},
		{"conversation_id,call_index,label,calls_per_conversation\nc,0,,-1\n",
			`l.csv:2: calls_per_conversation: "-1" is not a number of calls, 0 for all`},
		{"conversation_id,call_index,label\nc,-1,\n", ""},
		{"conversation_id,call_index,label\nc,-2,\n", `l.csv:2: call_index: "-2" is not a call number`},
		{scoped + "c,,,turn,2\n", ""}, {scoped + "c,3,,result,\n", ""}, {scoped + "c,3,,call,0\n", ""},
		{scoped + "c,,,conversation,\n", ""},
		{scoped + "c,,,turn,-1\n", `l.csv:2: turn: "-1" is not the number of a turn`},
		{scoped + "c,,,turn,x\n", `l.csv:2: turn: "x" is not the number of a turn`},
		{scoped + "c,,,turn,0\n", scopeError}, {scoped + "c,1,,call,2\n", scopeError}, {scoped + "c,,,result,\n", scopeError},
		{scoped + "c,0,,result,\n", ""},
		{scoped + "c,0,,step,\n", `l.csv:2: scope: "step": want call, result, turn or conversation`},
		{scoped + "c,1,,turn,2\nc,,,turn,2\n", "l.csv:3: conversation c call -1 is on line 2 already"},
		{scoped + "c,1,,,\nc,1,,result,\n", ""},
		{"conversation_id,label\nc,\n", "l.csv:1: column call_index is missing"},
		{"conversation_id,call_index\nc,0\n", "l.csv:1: column label is missing, and no column has the name of a rubric"},
		{"conversation_id,call_index,tone\nc,0,\n", ""},
		{"conversation_id,call_index,label,label\nc,0,,\n", "l.csv:1: column label occurs twice"},
		{"conversation_id,call_index,tone,tone\nc,0,,\n", "l.csv:1: column tone occurs twice"},
		{"conversation_id,call_index,label,mine,mine\nc,0,,,\n", ""}, // a column of one's own
		{"conversation_id,call_index,label,tonee\nc,0,,\n",
			"l.csv:1: column tonee is not a rubric of this run; did you mean tone?"},
	} {
		got := ""
		if _, err := measure.ReadSheet(strings.NewReader(tt.text), "l.csv", sheetRubrics()); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestSheetReadsBack: every field of a row comes back from the sheet.
func TestSheetReadsBack(t *testing.T) {
	rubrics := sheetRubrics()
	rows := []measure.LabelRow{
		{ConversationID: "=c", CallIndex: 2, Tool: "pay", Call: `pay(to="x")`, Place: "log:3",
			Whole:    labels.VerdictAnswer(false),
			ByRubric: map[string]labels.Answer{"tone": rubrics[1].Answer("Rude"), "topic": {Label: labels.NotApplicable}},
			Note:     "late, too", Sample: measure.RandomSample, Probability: 0.25, Rank: 4, PerConversation: 2},
		{ConversationID: "d", CallIndex: -1, Turn: 3, Scope: labels.Turn, Sample: measure.QueueSample},
		{ConversationID: "d", CallIndex: 0, Scope: labels.Result},
	}
	for _, n := range []int{3, 1} { // without a scope the sheet has no columns for it
		var out bytes.Buffer
		if err := measure.WriteSheet(&out, rows[:n], []string{"tone", "topic"}); err != nil {
			t.Fatal(err)
		}
		if scoped := strings.Contains(out.String(), ",scope,turn\n"); scoped != (n == 3) {
			t.Errorf("columns of scopes %v:\n%s", scoped, out.String())
		}
		got, err := measure.ReadSheet(&out, "l.csv", rubrics)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows[:n], got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestQueueOfASheet: so many disagreements are added, whose conversation was not drawn and which the judge scored.
func TestQueueOfASheet(t *testing.T) {
	var scores []score.Score
	for i := range 80 {
		scores = append(scores, scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), 0, 'p'))
	}
	in := inputsOf(scores)
	queue := report.Disagreements{}
	for i := range 80 {
		ref := report.CaseRef{ConversationID: fmt.Sprintf("c%02d", i), CallIndex: new(0), Place: fmt.Sprint("log:", i)}
		queue.Items = append(queue.Items, report.Disagreement{CaseRef: ref, Level: report.CallLevel})
	}
	unknown := report.CaseRef{ConversationID: "c00", CallIndex: new(7)}
	queue.Items = slices.Insert(queue.Items, 0, report.Disagreement{CaseRef: unknown, Level: report.CallLevel})
	for _, tt := range []struct{ draw, queue, random, queued int }{
		{1, 0, 1, 50}, {1, 3, 1, 3}, {1, -1, 1, 0}, {79, 5, 79, 1}, {0, 2, 30, 2},
	} {
		rows, err := measure.Sheet(in, queue, measure.SheetConfig{Conversations: tt.draw, Queue: tt.queue})
		if err != nil {
			t.Fatal(err)
		}
		random, drawn := 0, map[string]bool{}
		for i, r := range rows {
			switch {
			case r.Sample == measure.RandomSample:
				random++
				drawn[r.ConversationID] = true
				if r.Rank != i+1 || r.Probability != float64(tt.random)/80 {
					t.Errorf("row %d: rank %d, probability %v", i, r.Rank, r.Probability)
				}
			case drawn[r.ConversationID] || r.CallIndex != 0 || r.Probability != 0 || r.Place == "":
				t.Errorf("of the queue: %+v", r)
			}
		}
		if random != tt.random || len(rows)-random != tt.queued {
			t.Errorf("%+v: %d rows drawn, %d of the queue", tt, random, len(rows)-random)
		}
	}
}

// TestOwnColumnsOfRubrics: the label of a call as a whole is no answer to a rubric with categories, nor to one about
// turns or results.
func TestOwnColumnsOfRubrics(t *testing.T) {
	turn := scoreOf(score.Judge, "ending", "c", -1, 'p')
	turn.Scope, turn.Turn = labels.Turn, 1
	in := inputsOf([]score.Score{scoreOf(score.Judge, "overall", "c", 0, 'p'), turn})
	in.Manifest.Rubrics = append(sheetRubrics(), report.Rubric{Name: "ending"})
	got, err := measure.OwnColumns(in)
	if diff := cmp.Diff([]string{"tone", "topic", "ending"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestPlannedConversations: so many conversations as hold the wanted number of calls on average, at least one, and no
// more than there are.
func TestPlannedConversations(t *testing.T) {
	for _, tt := range []struct {
		sizes        []int
		wanted, want int
	}{
		{[]int{2, 4}, 3, 1}, {[]int{2, 4}, 4, 2}, {[]int{2, 4}, 99, 2}, {[]int{5, 5}, 0, 1}, {nil, 5, 0}, {[]int{0, 0}, 5, 0},
		{[]int{1, 1, 1, 1}, 3, 3},
	} {
		if got := measure.PlannedConversations(slices.Values(tt.sizes), tt.wanted); got != tt.want {
			t.Errorf("%v, wanted %d: %d conversations, want %d", tt.sizes, tt.wanted, got, tt.want)
		}
	}
}
