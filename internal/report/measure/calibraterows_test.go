package measure_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// drawnRow is a labelled row of the random sample.
func drawnRow(id string, rank int, whole labels.Answer) measure.LabelRow {
	return measure.LabelRow{ConversationID: id, Sample: measure.RandomSample, Rank: rank, Probability: 1, Whole: whole}
}

// TestLabelsAreCounted: labels of the sample, of the queue, and of items that no judge scored.
func TestLabelsAreCounted(t *testing.T) {
	in := inputsOf(runOf("ppff", "pppp"))
	pass := labels.VerdictAnswer(true)
	rows := []measure.LabelRow{drawnRow("c000", 1, pass), drawnRow("c009", 2, pass), drawnRow("c001", 3, labels.Answer{}),
		{ConversationID: "c002", Sample: measure.QueueSample, Whole: pass}}
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Random != 1 || c.Queue != 1 || c.Unmatched != 1 || c.Conversations != 1 {
		t.Errorf("%d of the sample in %d conversations, %d of the queue, %d unmatched", c.Random, c.Conversations, c.Queue,
			c.Unmatched)
	}
	got := codesOf(c.Warnings)
	for _, code := range []string{"unmatched", "few_conversations"} {
		if !slices.Contains(got, code) {
			t.Errorf("warnings %v lack %s", got, code)
		}
	}
	if c, err = measure.Calibrate(in, nil, measure.CalibrateConfig{}); err != nil || len(c.Rows) != 0 {
		t.Errorf("without labels: %+v, %v", c.Rows, err)
	}
	if diff := cmp.Diff([]string{"no_random_sample"}, codesOf(c.Warnings)); diff != "" {
		t.Errorf("without labels (-want +got):\n%s", diff)
	}
}

// TestLabelsOfCallsAndTurns: the label of the first turn is for the turn, not for the call of the same number; a rubric
// without a column of its own is named.
func TestLabelsOfCallsAndTurns(t *testing.T) {
	var scores []score.Score
	var rows []measure.LabelRow
	for i := range 4 {
		id := fmt.Sprint("c", i)
		for turn := 1; turn < 3; turn++ {
			s := scoreOf(score.Judge, "ending", id, -1, "pf"[turn-1])
			s.Scope, s.Turn = labels.Turn, turn
			scores = append(scores, s)
			r := drawnRow(id, i+1, labels.Answer{})
			r.CallIndex, r.Turn, r.Scope = -1, turn, labels.Turn
			r.ByRubric = map[string]labels.Answer{"ending": labels.VerdictAnswer(turn == 1)}
			rows = append(rows, r)
		}
		scores = append(scores, scoreOf(score.Judge, "overall", id, 1, 'p'), scoreOf(score.Judge, "aspect", id, 1, 'p'))
		call := drawnRow(id, i+1, labels.VerdictAnswer(false))
		call.CallIndex = 1
		rows = append(rows, call)
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall"}, {Name: "aspect"}, {Name: "ending"}}
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range c.Rows {
		got[r.Rubric] = fmt.Sprintf("%s: n %d, found %s, kept %s", r.Label, r.N, numberOr(r.RecallWrong),
			numberOr(r.Specificity))
	}
	want := map[string]string{
		"ending": "ending: n 8, found 1.0000, kept 1.0000", "overall": "label: n 4, found 0.0000, kept no_items",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(c.Unlabelled) != 1 || c.Unlabelled[0].Rubric != "aspect" {
		t.Errorf("rubrics without labels: %+v", c.Unlabelled)
	}
}

// TestLabelsOfSomeCategories: the last calls need no label, and answers that the question does not apply are compared
// apart.
func TestLabelsOfSomeCategories(t *testing.T) {
	rubric := report.Rubric{Name: "topic", Categories: []string{"money", "travel", "other"}}
	var scores []score.Score
	var rows []measure.LabelRow
	for i, of := range []struct{ said, label string }{
		{"money", "money"}, {"travel", "money"}, {"other", "other"}, {"", "money"}, {"", ""}, {"travel", "-"}, {"money", "-"},
	} {
		id := fmt.Sprint("c", i)
		s := scoreOf(score.Judge, "topic", id, 0, 'n')
		if of.said != "" {
			s = scoreOf(score.Judge, "topic", id, 0, 'p')
			s.Passed, s.Category = nil, of.said
			s.Value = new(float64(1 + slices.Index(rubric.Categories, of.said)))
		}
		scores = append(scores, s)
		answer := labels.Answer{Label: labels.NotApplicable}
		if of.label != "" {
			answer = rubric.Answer(of.label)
		}
		if of.label != "-" {
			r := drawnRow(id, i+1, labels.Answer{})
			r.ByRubric = map[string]labels.Answer{"topic": answer}
			rows = append(rows, r)
		}
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{rubric}
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	row := c.Rows[0]
	// Gold by row, the judge by column.
	matrix := [][]int{{1, 1, 0}, {0, 0, 0}, {0, 0, 1}}
	if diff := cmp.Diff(matrix, row.Ratings.Matrix); diff != "" || numberOr(row.Ratings.Same) != "0.6667" {
		t.Errorf("same %s (-want +got):\n%s", numberOr(row.Ratings.Same), diff)
	}
	a := row.Applies
	if a == nil || a.N != 5 || a.Both != 3 || a.OnlyReference != 1 || a.OnlyJudge != 0 || a.Neither != 1 {
		t.Errorf("applies: %+v", a)
	}
	if row.Threshold.Best.Value != nil || row.PassRate != nil {
		t.Errorf("a rubric without a pass has a threshold or a rate: %+v", row)
	}
}

// TestDamagedScoresOfACalibration: lines that are no scores, and scores of others, are passed over; an error of the
// input ends it.
func TestDamagedScoresOfACalibration(t *testing.T) {
	good := runOf("pf", "pf")
	stream := func(broken error) func() iter.Seq2[score.Score, error] {
		return func() iter.Seq2[score.Score, error] {
			return func(yield func(score.Score, error) bool) {
				for _, s := range good {
					if !yield(score.Score{}, &score.LineError{File: "f", Line: 1, Cause: errors.New("x")}) || !yield(s, nil) {
						return
					}
				}
				if broken != nil {
					yield(score.Score{}, broken)
				}
			}
		}
	}
	in := report.Inputs{Scores: stream(nil)}
	rows, err := measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{})
	if err != nil || len(rows) != 2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{}); err != nil || c == nil {
		t.Error(err)
	}
	gone := errors.New("disk gone")
	in.Scores = stream(gone)
	_, err = measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{})
	if !errors.Is(err, gone) || err.Error() != "read scores: disk gone" {
		t.Errorf("sheet: %v", err)
	}
	_, err = measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if !errors.Is(err, gone) || err.Error() != "calibrate: read scores: disk gone" {
		t.Errorf("calibrate: %v", err)
	}
	if _, err := measure.OwnColumns(in); !errors.Is(err, gone) {
		t.Errorf("columns: %v", err)
	}
}

// TestRowsThatNoTableShows: comparisons in which one side is constant, and labels for another rubric.
func TestRowsThatNoTableShows(t *testing.T) {
	// The judge and the reference decide both ways, or one of them always the same.
	for name, tt := range map[string]struct{ judge, ref, want string }{
		"both ways":       {"pfpf", "ppff", ""},
		"judge passes":    {"pppp", "ppff", report.Constant},
		"judge fails":     {"ffff", "ppff", report.Constant},
		"label passes":    {"ppff", "pppp", report.Constant},
		"label fails":     {"ppff", "ffff", report.Constant},
		"two of four":     {"pf", "pf", ""},
		"only opposed":    {"pf", "fp", ""},
		"nothing decided": {"uu", "pf", ""},
	} {
		var scores []score.Score
		for i := range tt.judge {
			id := fmt.Sprint("c", i)
			scores = append(scores, scoreOf(score.Judge, "overall", id, 0, tt.judge[i]),
				scoreOf(score.Label, "human", id, 0, tt.ref[i]))
		}
		if got := buildReport(t, inputsOf(scores), measure.Config{}).Agreement[0].Unprinted; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	// People's labels by a rubric are for that rubric alone; those of a call as a whole are for the overall rubric.
	scores := []score.Score{}
	for i := range 4 {
		id := fmt.Sprint("c", i)
		for _, rubric := range []string{"overall", "aspect"} {
			scores = append(scores, scoreOf(score.Judge, rubric, id, 0, "pfpf"[i]))
		}
		for _, name := range []string{"", "overall", "aspect"} {
			scores = append(scores, scoreOf(score.Label, report.PeopleLabelOf(name), id, 0, "ppff"[i]))
		}
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall"}, {Name: "aspect"}}
	got := map[string]string{}
	for _, a := range buildReport(t, in, measure.Config{}).Agreement {
		got[a.Rubric+", "+a.Reference.Name] = a.Unprinted
	}
	want := map[string]string{
		"overall, your labels": "", "overall, your labels of overall": "", "aspect, your labels of aspect": "",
		"overall, your labels of aspect": report.AnotherConstruct, "aspect, your labels": report.AnotherConstruct,
		"aspect, your labels of overall": report.AnotherConstruct,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("people's labels (-want +got):\n%s", diff)
	}
}

// TestItemsOfASheet: what only a scorer scored is nothing to label.
func TestItemsOfASheet(t *testing.T) {
	scores := append(runOf("pf", "pf"), scoreOf(score.Deterministic, "exact", "c009", 0, 'p'),
		scoreOf(score.Deterministic, "exact", "c000", 1, 'p'))
	rows, err := measure.Sheet(inputsOf(scores), report.Disagreements{}, measure.SheetConfig{})
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.ConversationID, " ", r.CallIndex))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"c000 0", "c001 0"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestCalibrationThatCannotBe: an error of the statistics names the rubric and the judge.
func TestCalibrationThatCannotBe(t *testing.T) {
	rows := []measure.LabelRow{drawnRow("c000", 1, labels.VerdictAnswer(true)), drawnRow("c001", 2, labels.VerdictAnswer(false))}
	c, err := measure.Calibrate(inputsOf(runOf("pf", "pf")), rows, measure.CalibrateConfig{Alpha: 2})
	if c != nil || err == nil || !strings.HasPrefix(err.Error(), "calibrate overall by j: ") {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestEnoughLabelledConversations: from 20 labelled conversations on numbers are not called rough.
func TestEnoughLabelledConversations(t *testing.T) {
	for n, want := range map[int][]string{19: {"few_conversations"}, 20: nil} {
		letters, rows := strings.Repeat("ppf", 7)[:n], []measure.LabelRow{}
		for i := range n {
			rows = append(rows, drawnRow(fmt.Sprintf("c%03d", i), i+1, labels.VerdictAnswer(letters[i] == 'p')))
		}
		c, err := measure.Calibrate(inputsOf(runOf(letters, letters)), rows, measure.CalibrateConfig{})
		if err != nil {
			t.Fatal(err)
		}
		rough := slices.Contains(c.Rows[0].Warnings, words.Rough)
		if got := codesOf(c.Warnings); !slices.Equal(got, want) || rough != (n < 20) {
			t.Errorf("%d conversations: %v, rough %v", n, got, rough)
		}
	}
	// Nothing in common is not rough, and has no threshold.
	none, err := measure.Calibrate(inputsOf(runOf("pf", "pf")), []measure.LabelRow{drawnRow("c009", 1,
		labels.VerdictAnswer(true))}, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if row := none.Rows[0]; row.N != 0 || slices.Contains(row.Warnings, words.Rough) || row.Threshold.Note != words.NoCut {
		t.Errorf("nothing in common: %+v", row)
	}
}

// TestWhatIsCalibrated: no part of a score, and no judge without a score. A row that is filled for another rubric is
// not a label of the call, and a label of the call with its result is not one either.
func TestWhatIsCalibrated(t *testing.T) {
	var scores []score.Score
	var rows []measure.LabelRow
	for i := range 4 {
		id := fmt.Sprint("c", i)
		add := func(name, metric, scope string, what byte) {
			s := scoreOf(score.Judge, name, id, 0, what)
			s.Metric, s.Scope = metric, scope
			scores = append(scores, s)
		}
		add("overall", "", "", 'p')
		add("overall", "part", "", 'p')
		add("aspect", "", "", 'u')
		add("tone", "", "", 'f')
		add("after", "", labels.Result, 'f')
		call := drawnRow(id, i+1, labels.VerdictAnswer(true))
		if i == 3 {
			call.Whole = labels.Answer{}
		}
		call.ByRubric = map[string]labels.Answer{"tone": labels.VerdictAnswer(false)}
		result := drawnRow(id, i+1, labels.Answer{})
		result.Scope, result.ByRubric = labels.Result, map[string]labels.Answer{"after": labels.VerdictAnswer(i > 0)}
		rows = append(rows, call, result)
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall"}, {Name: "aspect"}, {Name: "tone"}, {Name: "after"}}
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range c.Rows {
		got = append(got, fmt.Sprintf("%s by %s: n %d, found %s, kept %s", r.Rubric, r.Label, r.N, numberOr(r.RecallWrong),
			numberOr(r.Specificity)))
	}
	want := []string{"after by after: n 4, found 1.0000, kept 0.0000", "overall by label: n 3, found no_items, kept 1.0000",
		"tone by tone: n 4, found 1.0000, kept no_items"}
	if diff := cmp.Diff(want, got); diff != "" || len(c.Unlabelled) != 0 || c.Unmatched != 0 || c.Random != 8 {
		t.Errorf("%+v, %d unmatched, %d random (-want +got):\n%s", c.Unlabelled, c.Unmatched, c.Random, diff)
	}
}

// TestLabelsThatShapedTheRubric: they do not measure it, and that is said, also of a single one.
func TestLabelsThatShapedTheRubric(t *testing.T) {
	in := inputsOf(runOf("pfpf", "pfpf"))
	made := labels.Marks(labels.Mark("c000") + " " + labels.Mark("c001"))
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1, MadeFrom: made}}
	na := labels.Answer{Label: labels.NotApplicable}
	rows := []measure.LabelRow{drawnRow("c000", 1, labels.VerdictAnswer(true)), drawnRow("c001", 2, na),
		drawnRow("c002", 3, labels.VerdictAnswer(true))}
	c, err := measure.Calibrate(in, rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want := "1 label"
	if w := c.Warnings[len(c.Warnings)-1]; w.Code != "labels_taught" || !strings.HasPrefix(w.Text, want) || c.Rows[0].N != 1 {
		t.Errorf("n %d, %+v", c.Rows[0].N, c.Warnings)
	}
}

// TestCategoriesBesideVerdicts: answers by category are compared unless there are two of which one passes, because the
// verdicts say the same.
func TestCategoriesBesideVerdicts(t *testing.T) {
	for name, tt := range map[string]struct {
		categories, pass []string
		want             string
	}{
		"two, one passes":   {[]string{"good", "bad"}, []string{"good"}, "none"},
		"two without":       {[]string{"good", "bad"}, nil, "[[2 0] [1 1]]"},
		"three, one passes": {[]string{"good", "bad", "odd"}, []string{"good"}, "[[2 0 0] [1 1 0] [0 0 0]]"},
	} {
		rubric := report.Rubric{Name: "topic", Max: 1, Categories: tt.categories, Pass: tt.pass}
		var scores []score.Score
		var rows []measure.LabelRow
		for i, said := range []string{"good", "good", "good", "bad"} {
			id := fmt.Sprint("c", i)
			s := scoreOf(score.Judge, "topic", id, 0, 'p')
			s.Category, s.Value, s.Passed = said, new(float64(slices.Index(tt.categories, said))), nil
			if tt.pass != nil {
				s.Value, s.Passed = new(map[string]float64{"good": 1}[said]), new(said == "good")
			}
			scores = append(scores, s)
			r := drawnRow(id, i+1, labels.Answer{})
			r.ByRubric = map[string]labels.Answer{"topic": rubric.Answer([]string{"good", "good", "bad", "bad"}[i])}
			rows = append(rows, r)
		}
		in := inputsOf(scores)
		in.Manifest.Rubrics = []report.Rubric{rubric}
		got := "none"
		if r := one(t, in, rows, measure.CalibrateConfig{}).Ratings; r != nil {
			got = fmt.Sprint(r.Matrix)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
