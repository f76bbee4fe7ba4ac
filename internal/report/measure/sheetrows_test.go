package measure_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

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
		{"conversation_id,call_index,label,probability\nc,0,,x\n",
			`l.csv:2: probability: "x" is not a number from 0 to 1`},
		{"conversation_id,call_index,label,calls_per_conversation\nc,0,,x\n",
			`l.csv:2: calls_per_conversation: "x" is not a number of calls, 0 for all`},
		{"conversation_id,call_index,label,note\nc,0,pass\nd,0\n", ""}, // rows may end early
		{"conversation_id,call_index,label,note\nc,0,pass,more,yet\n", ""},
		{"", "l.csv:1: no label sheet: the first line must name the columns conversation_id,call_index,tool,call,place," +
			"label,note,sample,probability,rank,calls_per_conversation"},
		{"conversation_id,call_index,label\nc,0,\"pass\n", "l.csv:2: no CSV: a quote is open or misplaced"},
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

// TestSheetThatCannotBeRead: an error of the file itself is told, with its name, and so is one of writing.
func TestSheetThatCannotBeRead(t *testing.T) {
	gone := errors.New("disk gone")
	in := io.MultiReader(strings.NewReader("conversation_id,call_index,label\nc,0,\n"), iotest.ErrReader(gone))
	if _, err := measure.ReadSheet(in, "l.csv", nil); err == nil || err.Error() != "read l.csv: disk gone" {
		t.Error(err)
	}
	pipe, out := io.Pipe()
	pipe.CloseWithError(gone)
	if err := measure.WriteSheet(out, nil, nil); err == nil || err.Error() != "write labels: disk gone" {
		t.Error(err)
	}
	// A column of the sheet is not a misspelled rubric.
	text := "conversation_id,call_index,label,note\nc,0,,\n"
	if _, err := measure.ReadSheet(strings.NewReader(text), "l.csv", []report.Rubric{{Name: "notes"}}); err != nil {
		t.Error(err)
	}
}

// TestKindsOfItemsOnASheet: calls, their results, turns and whole conversations are drawn each on their own, and a
// disagreement is queued once.
func TestKindsOfItemsOnASheet(t *testing.T) {
	at := func(id, scope string, call, turn int) score.Score {
		s := scoreOf(score.Judge, "overall", id, call, 'p')
		s.Scope, s.Turn = scope, turn
		return s
	}
	in := inputsOf([]score.Score{
		at("c", "", 0, 0), at("c", "", 1, 0), at("c", "result", 1, 0), at("c", "turn", -1, 2), at("c", "conversation", -1, 0),
		at("c", "", 1, 0), at("d", "", 0, 0),
	})
	twice := report.Disagreement{CaseRef: report.CaseRef{ConversationID: "d", CallIndex: new(0)}, Level: report.CallLevel}
	queue := report.Disagreements{Items: []report.Disagreement{twice, twice}}
	want := []string{"random c -1  0", "random c 0  0", "random c 1  0", "random c 1 result 0", "random c -1 turn 2",
		"queue d 0  0"}
	rows, err := measure.Sheet(in, queue, measure.SheetConfig{Conversations: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %s %d %s %d", r.Sample, r.ConversationID, r.CallIndex, r.Scope, r.Turn))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDrawnByHash: what is drawn follows from SHA-256 of the seed (8 bytes, big endian), the id of the conversation
// and, after a zero byte, the call; so the same seed always draws the same. Conversations whose labels shaped a rubric
// come last.
func TestDrawnByHash(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e"}
	for seed, want := range map[uint64]string{0: "b c e a d", 1: "a c e b d", 7: "b e a d c"} {
		if got := strings.Join(measure.LabelOrder(slices.Values(ids), seed), " "); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
	calls := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	if diff := cmp.Diff([]int{2, 5, 6}, measure.DrawnCalls("c", calls, 3, 7)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m := &report.Manifest{Rubrics: []report.Rubric{{Name: "x"}, {Name: "y", MadeFrom: labels.Marks(labels.Mark("b"))}}}
	if got := strings.Join(measure.UntaughtFirst(measure.LabelOrder(slices.Values(ids), 7), m), " "); got != "e a d c b" {
		t.Error(got)
	}
	var rows []measure.LabelRow
	for _, id := range ids {
		rows = append(rows, measure.LabelRow{ConversationID: id, CallIndex: 1}, measure.LabelRow{ConversationID: id})
	}
	got := ""
	for _, r := range measure.InTurn(rows, nil, 6) {
		got += fmt.Sprintf("%s%d ", r.ConversationID, r.CallIndex)
	}
	if got != "b0 b1 c0 c1 e0 e1 " {
		t.Error(got)
	}
}

// TestWhichLabelsAreASample: labels are a random sample if they follow the random order with few gaps, as far as they
// go.
func TestWhichLabelsAreASample(t *testing.T) {
	const noRate = "; no corrected rate is given"
	const picked = "the others are picked, not a random sample" + noRate
	type conversation struct {
		rank, labelled, calls, drawn int
		seed                         uint64
	}
	upTo := func(last int, without ...int) (out []conversation) {
		for rank := 1; rank <= last; rank++ {
			c := conversation{rank: rank, labelled: 1, calls: 1}
			if slices.Contains(without, rank) {
				c.labelled = 0
			}
			out = append(out, c)
		}
		return out
	}
	older := func(list []conversation) []conversation {
		for i := range list {
			list[i].rank = 0
		}
		return list
	}
	for _, tt := range []struct {
		name string
		list []conversation
		want string
	}{
		{"all", upTo(20), ""}, {"whoever stops early", upTo(9, 5, 6, 7, 8, 9), ""},
		{"one of twenty is left out", upTo(20, 5), ""},
		{"two are", upTo(20, 5, 6), "of the first 20 conversations of the random order 2 have no label: " + picked},
		{"an older sheet, filled in", older(upTo(20, 3)), ""},
		{"an older sheet with gaps", older(upTo(20, 3, 4)), "2 of the 20 conversations of the sheet have no label, and " +
			"it does not say in which random order they stand: the labelled ones may have been picked" + noRate},
		{"two seeds", []conversation{{1, 1, 1, 0, 7}, {2, 1, 1, 0, 8}},
			"the labels are of several random orders: together they are not a random sample" + noRate},
		{"one seed", []conversation{{1, 1, 1, 0, 7}, {2, 1, 1, 0, 7}}, ""},
		{"one call of twenty is left out", []conversation{{1, 19, 20, 0, 0}, {2, 1, 1, 0, 0}}, ""},
		{"two calls are", []conversation{{1, 18, 20, 0, 0}, {2, 1, 1, 0, 0}},
			"2 of the 20 calls of the labelled conversations have no label: " + picked},
		{"in the last conversation", []conversation{{1, 20, 20, 0, 0}, {2, 1, 9, 0, 0}}, ""},
		{"the drawn calls", []conversation{{1, 1, 9, 1, 0}, {2, 1, 1, 1, 0}}, ""},
		{"not all drawn calls", []conversation{{1, 1, 9, 2, 0}, {2, 1, 1, 2, 0}},
			"1 of the 2 calls of the labelled conversations have no label: " + picked},
	} {
		pass := labels.VerdictAnswer(true)
		rows := []measure.LabelRow{{ConversationID: "queued", Sample: measure.QueueSample, Whole: pass, Rank: 99, Seed: 99}}
		var calls []score.Score
		for i, c := range tt.list {
			id := fmt.Sprintf("c%02d", i)
			for call := range c.calls {
				r := measure.LabelRow{ConversationID: id, CallIndex: call, Sample: measure.RandomSample, Rank: c.rank,
					PerConversation: c.drawn, Seed: c.seed}
				if call < c.labelled {
					r.Whole = pass
				}
				rows = append(rows, r)
				calls = append(calls, score.Score{ConversationID: id, Passed: new(call < c.labelled)})
			}
		}
		l := measure.NewLabels(rows, &report.Manifest{})
		each := func(yield func(string, bool) bool) {
			for _, s := range calls {
				if !yield(s.ConversationID, *s.Passed) {
					return
				}
			}
		}
		if got := l.NoSample(report.PeopleLabelOf(""), each); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
		if got := l.NoSample(report.PeopleLabelOf("tone"), each); got != "" {
			t.Errorf("%s: labels of a rubric that has none: %s", tt.name, got)
		}
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
		{[]int{1, 1, 1, 1}, 3, 3}, {[]int{3, 2, 2}, 5, 3},
	} {
		if got := measure.PlannedConversations(slices.Values(tt.sizes), tt.wanted); got != tt.want {
			t.Errorf("%v, wanted %d: %d conversations, want %d", tt.sizes, tt.wanted, got, tt.want)
		}
	}
}
