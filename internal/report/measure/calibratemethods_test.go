package measure_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// confident returns a run of one judge under one rubric whose verdicts are right with the
// chance that its token confidence states; its verbalised one, which is its own, says
// nothing. Each conversation has three calls.
func confident(seed uint64, conversations int) (report.Inputs, []measure.LabelRow) {
	r := rand.New(rand.NewPCG(seed, 5))
	var scores []score.Score
	var rows []measure.LabelRow
	for i := range conversations {
		conv := fmt.Sprintf("c%04d", i)
		for call := range 3 {
			token, says := 0.5+0.5*math.Sqrt(r.Float64()), r.Float64() < 0.6
			truth := says == (r.Float64() < token)
			scores = append(scores, opinion(conv, call, "overall", "j", says, "parsed", map[string]float64{"verbalised": 0.9 + 0.05*r.Float64(), "token": token}))
			rows = append(rows, measure.LabelRow{ConversationID: conv, CallIndex: call, Whole: labels.VerdictAnswer(truth), Sample: measure.RandomSample, Probability: 1})
		}
	}
	return report.Inputs{Scores: reporttest.Each(scores), Manifest: manifest("j")}, rows
}

func manifest(judges ...string) report.Manifest {
	m := report.Manifest{RunID: "w", Rubrics: []report.Rubric{{Name: "overall", Max: 1, Low: ptrLabel(0.7)}, {Name: "tone", Max: 1, Low: ptrLabel(0.7)}}}
	for _, j := range judges {
		m.Judges = append(m.Judges, report.Judge{Name: j, Model: "m"})
	}
	return m
}

// opinion returns a score with confidences by source, of which the verbalised is its own.
func opinion(conv string, call int, rubric, judge string, says bool, method string, confidences map[string]float64) score.Score {
	v := 0.0
	if says {
		v = 1
	}
	var members []value.Member
	for _, source := range []string{"verbalised", "token"} {
		if p, ok := confidences[source]; ok {
			members = append(members, value.Member{Key: source, Value: value.OfFloat(p)})
		}
	}
	s := score.Score{ConversationID: conv, CallIndex: &call, Tool: "t", Name: rubric, Source: score.Judge, Judge: judge, Status: score.Scored, Value: &v, Passed: &says,
		Details: value.OfObject(value.Member{Key: "score_method", Value: value.OfString(method)},
			value.Member{Key: "confidence_source", Value: value.OfString("verbalised")}, value.Member{Key: "confidences", Value: value.OfObject(members...)})}
	if p, ok := confidences["verbalised"]; ok {
		s.Confidence = &p
	}
	return s
}

func one(t testing.TB, in report.Inputs, rows []measure.LabelRow, cfg measure.CalibrateConfig) report.CalibrationRow {
	t.Helper()
	c, err := measure.Calibrate(in, rows, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 1 {
		t.Fatalf("%d rows", len(c.Rows))
	}
	return c.Rows[0]
}

// TestConfidence: the judge's own confidence is compared with whether its verdicts are the
// labels, and its fit is not a reason to read the scores in another way.
func TestConfidence(t *testing.T) {
	in, rows := confident(3, 300)
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	// The stated confidence is 0.925 on average, and 5 of 6 verdicts are right.
	got := c.Rows[0].Confidence
	if got == nil || got.N != 900 || !(math.Abs(*got.Overconfidence.Value-0.092) <= 0.03) || !(math.Abs(*got.Brier.Value-0.147) <= 0.03) {
		t.Errorf("%+v", got)
	}
	var file bytes.Buffer
	if err := report.WriteJSON(&file, c); err != nil {
		t.Fatal(err)
	}
	if c, err = report.ReadCalibration(&file, "f"); err != nil {
		t.Fatal(err)
	}
	r, err := measure.Build(in, measure.Config{Calibration: c})
	if err != nil {
		t.Fatal(err)
	}
	a := r.Calibration
	if !a.OfThisRun || a.Rows[0].PassRate == nil || a.Random != 900 || a.Conversations != 300 {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff(c.Rows[0].Confidence, a.Rows[0].Confidence); d != "" {
		t.Error(d)
	}
}

// two returns a run of two judges and two rubrics: sharp is nearly always right, blunt half
// the time; on tone sharp always passes.
func two(conversations int) (report.Inputs, map[[2]string]bool) {
	r := rand.New(rand.NewPCG(9, 9))
	truth := map[[2]string]bool{}
	var scores []score.Score
	for i := range conversations {
		conv := fmt.Sprintf("c%04d", i)
		for call := range 3 {
			right := r.Float64() < 0.6
			truth[[2]string{conv, fmt.Sprint(call)}] = right
			scores = append(scores,
				opinion(conv, call, "overall", "sharp", right == (r.Float64() < 0.95), "token_weighted", nil),
				opinion(conv, call, "overall", "blunt", right == (r.Float64() < 0.6), "parsed", nil),
				opinion(conv, call, "tone", "sharp", right == (r.Float64() < 0.9), "parsed", nil))
		}
	}
	return report.Inputs{Scores: reporttest.Each(scores), Manifest: manifest("sharp", "blunt")}, truth
}

func TestRetestIsTheSameInstrument(t *testing.T) {
	in, truth := two(80)
	in.Scores = doubled(in, "sharp", "twin")
	in.Manifest = manifest("sharp", "twin")
	in.Manifest.Judges[1].RetestOf = "sharp"
	c, err := measure.Calibrate(in, sheetOf(truth, "label"), measure.CalibrateConfig{})
	if err != nil || len(c.Rows) != 1 || c.Rows[0].Judge != "sharp" {
		t.Errorf("%v %+v", err, c)
	}
}

func doubled(in report.Inputs, judge, twin string) func() iter.Seq2[score.Score, error] {
	var all []score.Score
	for s := range in.Scores() {
		if s.Judge == judge {
			again := s
			again.Judge = twin
			all = append(all, s, again)
		}
	}
	return reporttest.Each(all)
}

func sheetOf(truth map[[2]string]bool, column string) []measure.LabelRow {
	var rows []measure.LabelRow
	for key, right := range truth {
		var call int
		fmt.Sscan(key[1], &call)
		row := measure.LabelRow{ConversationID: key[0], CallIndex: call, Sample: measure.RandomSample, Probability: 1}
		if column == measure.LabelColumn {
			row.Whole = labels.VerdictAnswer(right)
		} else {
			row.ByRubric = map[string]labels.Answer{column: labels.VerdictAnswer(right)}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestLabelsSpeakOfTheirRubric: the label of the whole call calibrates the overall
// rubric alone, and a rubric's own column that rubric.
func TestLabelsSpeakOfTheirRubric(t *testing.T) {
	in, truth := two(40)
	rubrics := func(column string) (calibrated, left []string) {
		c, err := measure.Calibrate(in, sheetOf(truth, column), measure.CalibrateConfig{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.Rows {
			if r.Label != column || r.N == 0 || r.PassRate == nil {
				t.Errorf("%s: %+v", column, r)
			}
			if !slices.Contains(calibrated, r.Rubric) {
				calibrated = append(calibrated, r.Rubric)
			}
		}
		for _, u := range c.Unlabelled {
			left = append(left, u.Rubric)
			if want := "the label is of the whole call: give a column " + u.Rubric + " for this rubric"; u.Note != want {
				t.Errorf("note %q, want %q", u.Note, want)
			}
		}
		return calibrated, left
	}
	for column, want := range map[string][2]string{"label": {"overall", "tone"}, "tone": {"tone", "overall"}} {
		got, left := rubrics(column)
		if d := cmp.Diff([2][]string{{want[0]}, {want[1]}}, [2][]string{got, left}); d != "" {
			t.Errorf("%s: %s", column, d)
		}
	}
	// Where there is one rubric only, the label is that rubric's.
	only := in
	only.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for s, err := range in.Scores() {
				if s.Name == "tone" && !yield(s, err) {
					return
				}
			}
		}
	}
	c, err := measure.Calibrate(only, sheetOf(truth, "label"), measure.CalibrateConfig{})
	if err != nil || len(c.Rows) != 1 || c.Rows[0].Rubric != "tone" || c.Rows[0].Label != "label" {
		t.Errorf("%v %+v", err, c.Rows)
	}
	// The overall rubric's own column goes before the label, row by row.
	rows := sheetOf(truth, "label")
	for i := range rows {
		if i%2 == 0 {
			rows[i].ByRubric, rows[i].Whole = map[string]labels.Answer{"overall": rows[i].Whole}, labels.VerdictAnswer(!*rows[i].Whole.Verdict())
		}
	}
	c, err = measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil || c.Rows[0].Rubric != "overall" || *c.Rows[0].Kappa.Value < 0.7 {
		t.Errorf("%v %+v", err, c.Rows)
	}
}

// TestNoWidthNoInterval: a judge that never errs, and one that always says the same,
// have no intervals of width 0.
func TestNoWidthNoInterval(t *testing.T) {
	for name, says := range map[string]func(right bool) bool{"never errs": func(r bool) bool { return r }, "says one thing": func(bool) bool { return true }} {
		var scores []score.Score
		truth := map[[2]string]bool{}
		for i := range 40 {
			conv, right := fmt.Sprintf("c%03d", i), i%3 > 0
			truth[[2]string{conv, "0"}] = right
			scores = append(scores, opinion(conv, 0, "overall", "j", says(right), "parsed", nil))
		}
		in := report.Inputs{Scores: reporttest.Each(scores), Manifest: manifest("j")}
		row := one(t, in, sheetOf(truth, "label"), measure.CalibrateConfig{})
		for what, e := range map[string]report.Estimate{
			"kappa": row.Kappa, "AUC": row.AUC, "balanced accuracy": row.BalancedAccuracy, "recall": row.RecallWrong, "specificity": row.Specificity,
			"gain": row.Threshold.Gain, "at declared": row.Threshold.AtDeclared, "at best": row.Threshold.AtBest,
			"corrected": row.PassRate.Corrected, "naive": row.PassRate.Naive, "labels": row.PassRate.LabelsOnly,
		} {
			if e.HasInterval() && *e.Low == *e.High {
				t.Errorf("%v, %s: %s", name, what, words.Estimate(e))
			}
		}
	}
}

// TestCutMeetsTheScore: a cut at a value that has no short decimal form is kept whole.
func TestCutMeetsTheScore(t *testing.T) {
	var scores []score.Score
	truth := map[[2]string]bool{}
	for i := range 60 {
		conv, right := fmt.Sprintf("c%03d", i), i%2 == 0
		truth[[2]string{conv, "0"}] = right
		s := opinion(conv, 0, "overall", "j", false, "parsed", nil)
		s.Value = ptrLabel(11.0 / 3)
		if !right {
			s.Value = ptrLabel(1.0)
		}
		scores = append(scores, s)
	}
	in := report.Inputs{Scores: reporttest.Each(scores), Manifest: manifest("j")}
	c, err := measure.Calibrate(in, sheetOf(truth, "label"), measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if cut := c.Rows[0].Threshold; !cut.Change || *cut.Best.Value != 11.0/3 || !strings.Contains(cut.Note, "more than its standard error") {
		t.Errorf("%+v", cut)
	}
	r, err := measure.Build(in, measure.Config{Calibration: c})
	if err != nil || *r.Scores[0].PassRate.Value != 0.5 {
		t.Errorf("%v: with the cut half of the calls pass, not %v", err, r.Scores[0].PassRate)
	}
}

func TestSheetColumns(t *testing.T) {
	rows := []measure.LabelRow{
		{ConversationID: "=1+1", CallIndex: 0, Tool: "@SUM", Call: `=cmd {"a":"b,c"}` + "\u202e\x00\nnext", Place: "-x", Whole: labels.VerdictAnswer(true), ByRubric: map[string]labels.Answer{"tone": labels.VerdictAnswer(false)}, Sample: measure.RandomSample, Probability: 1},
		{ConversationID: "\u2003\u200b+x", CallIndex: 0, Tool: " \n=SUM(A1)", Call: "\t\r\n-2", Place: "\ufeff@x", Note: "＝1"},
		{ConversationID: "c", CallIndex: 1, Call: strings.Repeat("x", 2000), Sample: measure.QueueSample},
	}
	var out bytes.Buffer
	if err := measure.WriteSheet(&out, rows, []string{"tone", "overall"}); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(cells[0], ","), "conversation_id,call_index,tool,call,place,label,tone,overall,note,sample,probability,rank,calls_per_conversation"; got != want {
		t.Errorf("columns %s", got)
	}
	if got, want := cells[1][3], `'=cmd {"a":"b,c"}\u202e\u0000 next`; got != want {
		t.Errorf("call %q, want %q", got, want)
	}
	for _, cell := range slices.Concat(cells[1], cells[2], cells[3]) {
		if seen := strings.TrimSpace(cell); seen != "" && strings.ContainsRune("=+-@＝", []rune(seen)[0]) && cell != "-1" {
			t.Errorf("a spreadsheet takes %q for a formula", cell)
		}
		if len(cell) > 600 {
			t.Errorf("a cell of %d bytes", len(cell))
		}
	}
	again, err := measure.ReadSheet(&out, "f", []report.Rubric{{Name: "overall"}, {Name: "tone"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows[0].ByRubric, again[0].ByRubric); d != "" || again[0].Whole.Label != labels.Pass || again[2].Whole.Given() || again[2].ByRubric != nil {
		t.Errorf("%s %+v", d, again)
	}
	for text, want := range map[string]string{
		"conversation_id,call_index,overal\nc,0,1\n":        "l.csv:1: column overal is not a rubric of this run; did you mean overall?",
		"conversation_id,call_index,note\nc,0,1\n":          "l.csv:1: column label is missing, and no column has the name of a rubric",
		"conversation_id,call_index,tone\nc,0,perhaps\n":    `l.csv:2: tone: "perhaps": want pass, fail`,
		"conversation_id,call_index,tone,tone\nc,0,1,0\n":   "l.csv:1: column tone occurs twice",
		"conversation_id,call_index,tone,weather\nc,0,1,\n": "",
	} {
		_, err := measure.ReadSheet(strings.NewReader(text), "l.csv", []report.Rubric{{Name: "overall"}, {Name: "tone"}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
