package measure_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func ptrLabel[T any](v T) *T { return &v }

// world is a judged run of which the truth is known: clustered passes, and a judge
// that passes a third of the wrong calls.
type world struct {
	in    report.Inputs
	truth map[[2]string]bool
}

func newWorld(seed uint64, conversations int) world {
	r := rand.New(rand.NewPCG(seed, 77))
	w := world{truth: map[[2]string]bool{}}
	var scores []score.Score
	for i := range conversations {
		conv, hard := fmt.Sprintf("c%04d", i), 0.35+0.6*r.Float64()
		for call := range 5 {
			right := r.Float64() < hard
			says := right
			if right && r.Float64() < 0.04 || !right && r.Float64() < 0.33 {
				says = !says
			}
			v := 0.0
			if says {
				v = 1
			}
			w.truth[[2]string{conv, fmt.Sprint(call)}] = right
			scores = append(scores, score.Score{ConversationID: conv, CallIndex: ptrLabel(call), Tool: "t", Name: "overall", Source: score.Judge, Judge: "j",
				Status: score.Scored, Value: &v, Passed: &says, Confidence: ptrLabel(0.9 + 0.05*r.Float64())})
		}
	}
	w.in = report.Inputs{Scores: reporttest.Each(scores), Manifest: report.Manifest{RunID: "w", Judges: []report.Judge{{Name: "j", Model: "m"}}, Rubrics: []report.Rubric{{Name: "overall", SHA: "1", Max: 1, Low: ptrLabel(0.7)}}}}
	return w
}

// filled returns the sheet with true labels.
func (w world) filled(t testing.TB, cfg measure.SheetConfig) []measure.LabelRow {
	t.Helper()
	rows, err := measure.Sheet(w.in, report.Disagreements{}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		rows[i].Whole = labels.VerdictAnswer(w.truth[[2]string{r.ConversationID, fmt.Sprint(r.CallIndex)}])
	}
	return rows
}

func calibrate(t testing.TB, w world, rows []measure.LabelRow) *report.Calibration {
	t.Helper()
	c, err := measure.Calibrate(w.in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCorrectedRateCovers: the corrected interval holds the true rate at about its
// nominal rate, the judge's own does not.
func TestCorrectedRateCovers(t *testing.T) {
	const runs = 150
	covered, naive, refused := 0, 0, 0
	for seed := range uint64(runs) {
		w := newWorld(seed, 200)
		p := calibrate(t, w, w.filled(t, measure.SheetConfig{Conversations: 40, Seed: seed})).Rows[0].PassRate
		// The rate is that of the agent, not of these 200 conversations: the mean of
		// the chances that newWorld draws.
		const truth = 0.65
		if p.Corrected.Reason == "no_sample" {
			refused++ // the labelled conversations differ from the others with p < 0.01
			continue
		}
		if *p.Corrected.Low <= truth && truth <= *p.Corrected.High {
			covered++
		}
		if *p.Naive.Low <= truth && truth <= *p.Naive.High {
			naive++
		}
		if *p.Bias.Value < 0 {
			t.Errorf("seed %d: this judge is lenient, its bias came out as %v", seed, *p.Bias.Value)
		}
	}
	t.Logf("corrected covers %d of %d, naive %d, refused %d", covered, runs, naive, refused)
	// Binomial(150, .95): fewer than 134 or all 150 has a chance below 0.6 %.
	if covered < 134 || covered == runs || refused > 5 {
		t.Errorf("the corrected interval covers %d of %d", covered, runs)
	}
	if naive > runs/2 {
		t.Errorf("the naive interval covers %d of %d: the world is no test", naive, runs)
	}
}

func TestQueueLabelsEnterNoEstimate(t *testing.T) {
	w := newWorld(1, 60)
	rows := w.filled(t, measure.SheetConfig{Conversations: 25})
	want := calibrate(t, w, rows)
	extra := slices.Clone(rows)
	drawn := map[string]bool{}
	for _, r := range rows {
		drawn[r.ConversationID] = true
	}
	for key := range w.truth {
		if !drawn[key[0]] && key[1] == "0" {
			extra = append(extra, measure.LabelRow{ConversationID: key[0], CallIndex: 0, Whole: labels.VerdictAnswer(false), Sample: measure.QueueSample})
		}
	}
	got := calibrate(t, w, extra)
	if got.Queue != 35 || got.Random != want.Random {
		t.Errorf("queue %d, random %d", got.Queue, got.Random)
	}
	if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
		t.Errorf("picked items changed the estimates:\n%s", diff)
	}
	only := calibrate(t, w, extra[len(rows):])
	if only.Rows[0].PassRate.Corrected.Value != nil || only.Warnings[0].Code != "no_random_sample" {
		t.Errorf("without a random sample nothing is estimated: %+v", only.Rows[0].PassRate)
	}
}

func TestSheetIsBlindAndStable(t *testing.T) {
	run := reporttest.New(1, 80)
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	write := func() string {
		rows, err := measure.Sheet(run.Inputs(), r.Disagreements, measure.SheetConfig{Conversations: 10, Queue: 5})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := measure.WriteSheet(&out, rows, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := write()
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(run.Scores), func(i, j int) { run.Scores[i], run.Scores[j] = run.Scores[j], run.Scores[i] })
	if diff := cmp.Diff(want, write()); diff != "" {
		t.Errorf("the sheet depends on the order of the stream:\n%s", diff)
	}
	for _, word := range []string{"judge", "not in the conversation", "matches"} {
		if strings.Contains(want, word) {
			t.Errorf("the sheet tells what the judge said: %q", word)
		}
	}
	rows, err := measure.ReadSheet(strings.NewReader(want), "labels.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	convs, queue := map[string]bool{}, 0
	for _, row := range rows {
		if row.Whole.Given() {
			t.Errorf("an empty sheet reads as labelled: %+v", row)
		}
		switch row.Sample {
		case measure.RandomSample:
			convs[row.ConversationID] = true
			if row.Probability != 10.0/80 {
				t.Errorf("probability %v, want 1/8", row.Probability)
			}
		case measure.QueueSample:
			queue++
		}
	}
	if len(convs) != 10 || queue == 0 || queue > 5 {
		t.Errorf("%d conversations, %d of the queue", len(convs), queue)
	}
}

func TestReadSheet(t *testing.T) {
	head := "conversation_id,call_index,label\n"
	good, err := measure.ReadSheet(strings.NewReader("\ufeff"+head+"c1,0,PASS\nc1,1,0\nc2,,\n'=x,2,yes\n"), "l.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []measure.LabelRow{
		{ConversationID: "c1", CallIndex: 0, Whole: labels.VerdictAnswer(true)}, {ConversationID: "c1", CallIndex: 1, Whole: labels.VerdictAnswer(false)},
		{ConversationID: "c2", CallIndex: -1}, {ConversationID: "=x", CallIndex: 2, Whole: labels.VerdictAnswer(true)},
	}
	if diff := cmp.Diff(want, good); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	for in, want := range map[string]string{
		"":                           "l.csv:1: no label sheet",
		"a,b\n":                      "l.csv:1: column conversation_id is missing",
		head + "c1,0,maybe\n":        `l.csv:2: label: "maybe": want pass, fail`,
		head + "c1,0,1\nc1,x,1\n":    `l.csv:3: call_index: "x" is not a call number`,
		head + ",0,1\n":              "l.csv:2: conversation_id: must not be empty",
		head + "c1,0,1\nc1,0,0\n":    "l.csv:3: conversation c1 call 0 is on line 2 already",
		head + "c1,0,\"open\nc2,1,1": "l.csv:",
	} {
		if _, err := measure.ReadSheet(strings.NewReader(in), "l.csv", nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ReadSheet(%q) = %v, want %q", in, err, want)
		}
	}
}

func TestOtherInstrumentsAreRefused(t *testing.T) {
	w := newWorld(2, 40)
	c := calibrate(t, w, w.filled(t, measure.SheetConfig{Conversations: 25}))
	if err := c.Check(w.in.Manifest); err != nil {
		t.Errorf("its own instruments: %v", err)
	}
	for name, change := range map[string]func(*report.Manifest){
		"model":  func(m *report.Manifest) { m.Judges = []report.Judge{{Name: "j", Model: "other"}} },
		"prompt": func(m *report.Manifest) { m.Judges = []report.Judge{{Name: "j", Model: "m", Prompt: "2"}} },
		"rubric": func(m *report.Manifest) {
			m.Rubrics = []report.Rubric{{Name: "overall", SHA: "2", Max: 1, Low: ptrLabel(0.7)}}
		},
		"threshold": func(m *report.Manifest) {
			m.Rubrics = []report.Rubric{{Name: "overall", SHA: "1", Max: 1, Low: ptrLabel(0.8)}}
		},
	} {
		m := w.in.Manifest
		change(&m)
		if err := c.Check(m); err == nil {
			t.Errorf("another %s is accepted", name)
		}
	}
}

func FuzzReadSheet(f *testing.F) {
	f.Add("conversation_id,call_index,label\nc1,0,pass\n")
	f.Add("conversation_id,call_index,label,probability\n'=c,-1,0,0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := measure.ReadSheet(strings.NewReader(text), "f", nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := measure.WriteSheet(&out, rows, nil); err != nil {
			t.Fatal(err)
		}
		again, err := measure.ReadSheet(&out, "again", nil)
		if err != nil {
			t.Fatalf("own sheet does not read: %v", err)
		}
		if len(again) != len(rows) {
			t.Fatalf("%d rows became %d", len(rows), len(again))
		}
	})
}

func TestSheetOfSoManyCalls(t *testing.T) {
	w := newWorld(3, 100)
	for calls, want := range map[int]int{1: 5, 50: 50, 52: 55, 9999: 500} {
		rows, err := measure.Sheet(w.in, report.Disagreements{}, measure.SheetConfig{Calls: calls})
		if err != nil || len(rows) != want {
			t.Errorf("about %d calls: %d rows, want %d (%v)", calls, len(rows), want, err)
		}
	}
}

// TestAppliedCalibration: on the labelled run the corrected rate is told, on another
// the fitted cut is used and no rate is; another instrument is refused.
func TestAppliedCalibration(t *testing.T) {
	w := newWorld(2, 120)
	c := calibrate(t, w, w.filled(t, measure.SheetConfig{Conversations: 60}))
	row := &c.Rows[0]
	row.Threshold.Change, row.Threshold.Best = true, report.Estimate{Value: ptrLabel(0.0)}
	var file bytes.Buffer
	if err := report.WriteJSON(&file, c); err != nil {
		t.Fatal(err)
	}
	c, err := report.ReadCalibration(&file, "f")
	if err != nil {
		t.Fatal(err)
	}
	build := func(id string) *report.Report {
		in := w.in
		in.Manifest.RunID = id
		r, err := measure.Build(in, measure.Config{Calibration: c})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	same, other := build("w"), build("other")
	for _, r := range []*report.Report{same, other} {
		if rate := r.Scores[0].PassRate.Value; rate == nil || *rate != 1 {
			t.Errorf("with a cut of 0 everything passes; the rate is %v", r.Scores[0].PassRate)
		}
		if len(r.Calibration.Rows) != 1 || *r.Calibration.Rows[0].CutInUse != 0 {
			t.Errorf("applied: %+v", r.Calibration.Rows)
		}
	}
	text := strings.Join(same.Summary, "\n")
	if same.Calibration.Rows[0].PassRate == nil || !strings.Contains(text, ", from your ") || !strings.Contains(text, "fitted on labels of this very run") {
		t.Errorf("the labelled run: %s", text)
	}
	text = strings.Join(other.Summary, "\n")
	if other.Calibration.Rows[0].PassRate != nil || strings.Contains(text, ", from your ") || !strings.Contains(text, "no sample of this one") {
		t.Errorf("another run: %s", text)
	}
	for name, edit := range map[string]func(*report.Inputs, *measure.Config){
		"another model": func(in *report.Inputs, _ *measure.Config) {
			in.Manifest.Judges = []report.Judge{{Name: "j", Model: "x"}}
		},
		"no common rubric": func(in *report.Inputs, _ *measure.Config) { in.Manifest.Rubrics = []report.Rubric{{Name: "other"}} },
		"thresholds too": func(_ *report.Inputs, cfg *measure.Config) {
			cfg.Thresholds = []report.Threshold{{Name: "overall", Low: 1}}
		},
	} {
		in, cfg := w.in, measure.Config{Calibration: c}
		edit(&in, &cfg)
		if _, err := measure.Build(in, cfg); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, bad := range []string{"", "{}", `{"schema":"judge.report/v1"}`, `{"schema":"judge.calibration/v9"}`} {
		if _, err := report.ReadCalibration(strings.NewReader(bad), "f"); err == nil {
			t.Errorf("%q is read as a calibration", bad)
		}
	}
}
