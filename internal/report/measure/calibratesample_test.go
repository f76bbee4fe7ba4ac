package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// drifting returns a run of 200 conversations whose later ones, by id, are the harder ones: of
// the first half nine calls in ten are right, of the second half four. The judge passes
// three calls in four whatever they are.
func drifting(seed uint64) world {
	rng := rand.New(rand.NewPCG(seed, 11))
	w := world{truth: map[[2]string]bool{}}
	var scores []score.Score
	for c := range 200 {
		id := fmt.Sprintf("c%03d", c)
		for call := range 2 {
			w.truth[[2]string{id, fmt.Sprint(call)}] = rng.Float64() < 0.9-0.5*float64(c/100)
			passed := rng.Float64() < 0.75
			value := 0.0
			if passed {
				value = 1
			}
			scores = append(scores, score.Score{ConversationID: id, CallIndex: ptrLabel(call), Tool: "t", Name: "overall", Source: score.Judge,
				Judge: "j", Status: score.Scored, Value: &value, Passed: &passed})
		}
	}
	w.in = report.Inputs{Scores: reporttest.Each(scores), Manifest: report.Manifest{
		Judges: []report.Judge{{Name: "j"}}, Rubrics: []report.Rubric{{Name: "overall", Max: 1}}}}
	return w
}

// fillOnly keeps the labels of the rows for which keep holds.
func fillOnly(rows []measure.LabelRow, keep func(i int, r measure.LabelRow) bool) []measure.LabelRow {
	rows = slices.Clone(rows)
	for i := range rows {
		if !keep(i, rows[i]) {
			rows[i].Whole = labels.Answer{}
		}
	}
	return rows
}

// TestWhoStopsEarlyHasASample: a sheet that is filled in from the top to its half gives the
// same rate as a whole one.
func TestWhoStopsEarlyHasASample(t *testing.T) {
	const runs, truth = 30, 0.65
	sum := 0.0
	for seed := range uint64(runs) {
		w := drifting(seed)
		rows := w.filled(t, measure.SheetConfig{Conversations: 60, Queue: -1, Seed: seed})
		half := fillOnly(rows, func(i int, _ measure.LabelRow) bool { return i < len(rows)/2 })
		p := calibrate(t, w, half).Rows[0].PassRate
		if !p.LabelsOnly.Defined() {
			t.Fatalf("seed %d: %+v", seed, p)
		}
		sum += *p.LabelsOnly.Value
	}
	// The standard error of this mean is below 0.02; by id it would be 0.88.
	if mean := sum / runs; !(math.Abs(mean-truth) <= 0.05) {
		t.Errorf("half filled sheets say %.2f, the truth is %.2f", mean, truth)
	}
}

// TestOneCallOfEachConversation: who labels one call of each conversation reads that the range may be too short.
func TestOneCallOfEachConversation(t *testing.T) {
	w := drifting(1)
	for _, calls := range []int{0, 1, 2} {
		rows := w.filled(t, measure.SheetConfig{Conversations: 60, Queue: -1, PerConversation: calls})
		row := calibrate(t, w, rows).Rows[0]
		if said := slices.Contains(row.Warnings, words.OneCall); said != (calls == 1) || row.PassRate.OneCall != said {
			t.Errorf("%d calls of each conversation: said %v, in the report %v", calls, said, row.PassRate.OneCall)
		}
	}
}

// TestChosenLabelsGiveNoRate: labels of conversations that somebody chose are no sample.
func TestChosenLabelsGiveNoRate(t *testing.T) {
	w := drifting(1)
	rows := w.filled(t, measure.SheetConfig{Conversations: 60, Queue: -1})
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ConversationID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	place := func(r measure.LabelRow) int { return slices.Index(ids, r.ConversationID) }
	for name, c := range map[string]struct {
		keep func(i int, r measure.LabelRow) bool
		want string
	}{
		"the first by id":       {func(_ int, r measure.LabelRow) bool { return place(r) < 20 }, "conversations of the random order"},
		"one deferred of sixty": {func(i int, _ measure.LabelRow) bool { return i/2 != 30 }, ""},
		"six deferred of sixty": {func(i int, _ measure.LabelRow) bool { return i/2%10 != 5 }, "of the first 60 conversations of the random order 6 have no label"},
		"stopped in the middle": {func(i int, _ measure.LabelRow) bool { return i < 41 }, ""},
		"the easy calls":        {func(i int, _ measure.LabelRow) bool { return i%2 == 0 }, "calls of the labelled conversations have no label"},
	} {
		got := calibrate(t, w, fillOnly(rows, c.keep))
		p := got.Rows[0].PassRate
		if refused := p.Corrected.Reason == "no_sample"; refused != (c.want != "") || !strings.Contains(got.Rows[0].NoSample, c.want) {
			t.Errorf("%s: %+v, %q", name, p.Corrected, got.Rows[0].NoSample)
		}
		if c.want != "" && (p.LabelsOnly.HasInterval() || !p.LabelsOnly.Defined()) {
			t.Errorf("%s: the labels are a choice, and their rate is %+v", name, p.LabelsOnly)
		}
		said := slices.ContainsFunc(got.Warnings, func(w report.Warning) bool { return w.Code == "no_sample" })
		if said != (c.want != "") {
			t.Errorf("%s: the warnings are %v", name, got.Warnings)
		}
	}
	// A sheet without ranks shows no order: only a filled one is a sample.
	for i := range rows {
		rows[i].Rank = 0
	}
	if got := calibrate(t, w, rows).Rows[0]; got.NoSample != "" {
		t.Errorf("a filled sheet without ranks: %q", got.NoSample)
	}
	half := fillOnly(rows, func(i int, _ measure.LabelRow) bool { return i < len(rows)/2 })
	if got := calibrate(t, w, half).Rows[0]; !strings.Contains(got.NoSample, "does not say in which random order") {
		t.Errorf("a half filled sheet without ranks: %q", got.NoSample)
	}
}

// TestLabelledUnlikeTheRest: where the judge passes far more of the labelled conversations
// than of the others, these are no sample, whatever the sheet says.
func TestLabelledUnlikeTheRest(t *testing.T) {
	w := drifting(2)
	rows := w.filled(t, measure.SheetConfig{Conversations: 60, Queue: -1})
	drawn := map[string]bool{}
	for _, r := range rows {
		drawn[r.ConversationID] = true
	}
	var scores []score.Score
	for s, err := range w.in.Scores() {
		if err != nil {
			t.Fatal(err)
		}
		if !drawn[s.ConversationID] && *s.CallIndex == 0 {
			s.Passed, s.Value = ptrLabel(false), ptrLabel(0.0)
		}
		scores = append(scores, s)
	}
	w.in.Scores = reporttest.Each(scores)
	got := calibrate(t, w, rows).Rows[0]
	if !strings.Contains(got.NoSample, "of the others (p <0.001)") || got.PassRate.Corrected.Defined() {
		t.Errorf("%q, %+v", got.NoSample, got.PassRate.Corrected)
	}
}

// TestJudgeAmongPeople: two people who err on one call in ten each, and a judge that passes a
// third of what is wrong; then one that says what a third person would.
func TestJudgeAmongPeople(t *testing.T) {
	w := newWorld(3, 200)
	rows := w.filled(t, measure.SheetConfig{Conversations: 200, Queue: -1})
	rng := rand.New(rand.NewPCG(5, 5))
	said := func(right bool, err float64) bool { return right != (rng.Float64() < err) }
	for i := range rows {
		right := *rows[i].Whole.Verdict()
		rows[i].Said = []measure.PersonLabel{{Who: "ann", Answer: labels.VerdictAnswer(said(right, 0.02))}, {Who: "bob", Answer: labels.VerdictAnswer(said(right, 0.02))}}
	}
	p := calibrate(t, w, rows).Rows[0].People
	if p == nil || p.Within || !p.Difference.HasInterval() || *p.Difference.High > -0.02 {
		t.Errorf("a lenient judge among careful people: %+v", p)
	}
	for i := range rows {
		right := *rows[i].Whole.Verdict()
		rows[i].Said = []measure.PersonLabel{{Who: "ann", Answer: labels.VerdictAnswer(said(right, 0.2))}, {Who: "bob", Answer: labels.VerdictAnswer(said(right, 0.2))}}
	}
	if p = calibrate(t, w, rows).Rows[0].People; p == nil || !p.Within {
		t.Errorf("the same judge among careless people: %+v", p)
	}
	for i := range rows {
		rows[i].Said = rows[i].Said[:1]
	}
	if p = calibrate(t, w, rows).Rows[0].People; p != nil {
		t.Errorf("one person is compared with nobody: %+v", p)
	}
}

// TestSomeCallsOfEachConversation: two drawn calls stand for all of their conversation. In conversations
// of one right call or of nine wrong ones, as many of each, a tenth of the calls is right.
func TestSomeCallsOfEachConversation(t *testing.T) {
	w := world{truth: map[[2]string]bool{}}
	var scores []score.Score
	for i := range 200 {
		conv, right := fmt.Sprintf("c%03d", i), i%2 == 0
		for call := range map[bool]int{true: 1, false: 9}[right] {
			w.truth[[2]string{conv, fmt.Sprint(call)}] = right
			scores = append(scores, score.Score{ConversationID: conv, CallIndex: &call, Tool: "t", Name: "overall", Source: score.Judge,
				Judge: "j", Status: score.Scored, Value: ptrLabel(1.0), Passed: ptrLabel(true)})
		}
	}
	w.in = newWorld(1, 1).in
	w.in.Scores = reporttest.Each(scores)
	rows := w.filled(t, measure.SheetConfig{Conversations: 100, PerConversation: 2, Queue: -1, Seed: 3})
	first := map[string][]int{}
	for _, r := range rows {
		first[r.ConversationID] = append(first[r.ConversationID], r.CallIndex)
		want := map[bool]float64{true: 0.5, false: 0.5 * 2 / 9}[w.truth[[2]string{r.ConversationID, "0"}]]
		if !(math.Abs(r.Probability-want) <= 1e-9) {
			t.Errorf("%s: probability %v, want %v", r.ConversationID, r.Probability, want)
		}
	}
	spread := map[int]bool{}
	for id, calls := range first {
		if long := !w.truth[[2]string{id, "0"}]; len(calls) != map[bool]int{true: 2, false: 1}[long] || !slices.IsSorted(calls) {
			t.Errorf("%s: calls %v", id, calls)
		} else if long {
			spread[calls[0]] = true
		}
	}
	if len(first) != 100 || len(spread) < 5 {
		t.Errorf("%d conversations; long ones begin with %v", len(first), spread)
	}
	row := calibrate(t, w, rows).Rows[0]
	short := 0.0
	for id := range first {
		short += map[bool]float64{true: 1}[w.truth[[2]string{id, "0"}]]
	}
	if got, want := *row.PassRate.LabelsOnly.Value, short/(short+9*(100-short)); row.NoSample != "" || !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("the labels say %v, want %v; %q", got, want, row.NoSample)
	}
	// Whoever skips every second drawn call has chosen.
	skipped := fillOnly(rows, func(i int, _ measure.LabelRow) bool { return i%2 == 0 })
	if why := calibrate(t, w, skipped).Rows[0].NoSample; why == "" {
		t.Error("half of the drawn calls were skipped, and they are called a sample")
	}
	// The same labels without their design are those of whole conversations with gaps.
	for i := range rows {
		rows[i].PerConversation = 0
	}
	if why := calibrate(t, w, rows).Rows[0].NoSample; why == "" {
		t.Error("labels of two calls of nine are called whole conversations")
	}
	one := measure.DrawnCalls("c", []int{0, 3, 5, 8}, 1, 7)
	if two := measure.DrawnCalls("c", []int{0, 3, 5, 8}, 2, 7); len(one) != 1 || len(two) != 2 || !slices.Contains(two, one[0]) {
		t.Errorf("one call %v is not among the two %v", one, two)
	}
}
