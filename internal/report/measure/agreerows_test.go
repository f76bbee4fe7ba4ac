package measure_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// valued gives the scores of runOf values, first of the judge, then of the reference.
func valued(judge, ref []float64) []score.Score {
	var out []score.Score
	for i := range judge {
		two := runOf("p", "p")
		for k, v := range []float64{judge[i], ref[i]} {
			two[k].ConversationID, two[k].Value, two[k].Passed = fmt.Sprint("c", i), new(v), new(v >= 0.5)
		}
		out = append(out, two...)
	}
	return out
}

// TestInterchangeableScores: whether two scores mean the same is asked if both are on 0..1 and the reference has more
// than two values.
func TestInterchangeableScores(t *testing.T) {
	unit := &report.Rubric{Max: 1}
	for name, tt := range map[string]struct {
		judge, ref []float64
		scale      *report.Rubric
		bias       string
	}{
		"a score between":        {[]float64{0.5, 1}, []float64{0.25, 1}, unit, "0.1250"},
		"no scale is known":      {[]float64{0, 1}, []float64{0.25, 0}, nil, "0.3750"},
		"the first is not one":   {[]float64{1, 0.5}, []float64{1, 0.25}, unit, "0.1250"},
		"0 and 1 alone":          {[]float64{0.5, 0.5}, []float64{0, 1}, unit, "absent"},
		"the judge is above 1":   {[]float64{1.5, 1}, []float64{0.25, 1}, nil, "absent"},
		"the reference is below": {[]float64{0.5, 1}, []float64{0.25, -0.5}, nil, "absent"},
		"the reference is above": {[]float64{0.5, 1}, []float64{0.25, 1.5}, nil, "absent"},
		"whole numbers from 0":   {[]float64{0, 1}, []float64{0.25, 1}, &report.Rubric{Max: 1, Integer: true}, "absent"},
		"a scale up to 5":        {[]float64{0.5, 1}, []float64{0.25, 1}, &report.Rubric{Max: 5}, "absent"},
		"a scale from -1":        {[]float64{0.5, 1}, []float64{0.25, 1}, &report.Rubric{Min: -1, Max: 1}, "absent"},
	} {
		in := inputsOf(valued(tt.judge, tt.ref))
		if tt.scale != nil {
			in.Manifest.Rubrics = []report.Rubric{*tt.scale}
			in.Manifest.Rubrics[0].Name = "overall"
		}
		got := "absent"
		if row := buildReport(t, in, measure.Config{}).Agreement[0]; row.Graded != nil {
			got = numberOr(row.Graded.Bias)
		}
		if got != tt.bias {
			t.Errorf("%s: bias %s, want %s", name, got, tt.bias)
		}
	}
}

// TestAgreementWithoutDoubtfulAnswers: what is marked for review is left out of a second row of numbers, and the
// confidence of the judge is compared with whether it is right.
func TestAgreementWithoutDoubtfulAnswers(t *testing.T) {
	scores := runOf("ppfff", "pfffp")
	for i, confidence := range []float64{1, 0.5, 1, 0.5} { // right, wrong, right, right; the last states none
		scores[2*i].Confidence = new(confidence)
	}
	scores[2] = with(scores[2], `{"borderline":true}`, 0) // the first wrong call, which the judge passes
	row := buildReport(t, inputsOf(scores), measure.Config{}).Agreement[0]
	got := fmt.Sprintf("%+v, %d", row.Confusion, row.Verdicts)
	if a := row.Abstain; a != nil {
		got += fmt.Sprintf("; without: %d, %s, %s", a.N, numberOr(a.Coverage), numberOr(a.Accuracy))
		got += ", " + numberOr(a.RecallWrong)
	}
	if c := row.Confidence; c != nil {
		got += fmt.Sprintf("; confidence: %d, %s", c.N, numberOr(c.Brier))
	}
	// Squares of the confidences' errors: 0, 1/4, 0 and 1/4.
	want := "{BothPass:1 JudgeOnlyPass:1 JudgeOnlyFail:1 BothFail:2}, 5; without: 4, 0.8000, 0.7500, 1.0000; " +
		"confidence: 4, 0.1250"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	sure := buildReport(t, inputsOf(runOf("pf", "pp")), measure.Config{}).Agreement[0]
	if sure.Abstain != nil || sure.Confidence != nil {
		t.Errorf("nothing is marked and no confidence stated: %+v, %+v", sure.Abstain, sure.Confidence)
	}
}

// TestItemsWithoutAVerdict: a reference's score without a verdict has a value, and no verdict to compare with. An item
// that a side has nothing to say about is not missing there.
func TestItemsWithoutAVerdict(t *testing.T) {
	scores := runOf("pfpnp", "pfppn")
	scores[5].Passed = nil
	scores = append(scores, scoreOf(score.Judge, "overall", "alone", 0, 'p'))
	row := buildReport(t, inputsOf(scores), measure.Config{}).Agreement[0]
	if row.N != 3 || row.Verdicts != 2 || row.OnlyReference != 1 || row.OnlyJudge != 2 || row.MissingJudge != 0 ||
		row.MissingRef != 0 {
		t.Errorf("%+v", row)
	}
}

// TestAgreementOnTools: the largest tools come first, then by name; those beyond the hundredth share a row, which
// stands by its size. A tool is compared with all others if both are enough.
func TestAgreementOnTools(t *testing.T) {
	var scores []score.Score
	add := func(tool string, judge, ref byte, n int) {
		for i := range n {
			for k, s := range runOf(string(judge), string(ref)) {
				s.ConversationID, s.Tool = fmt.Sprintf("%s-%03d", tool, i), tool
				if scores = append(scores, s); k == 1 && i%4 == 0 && judge != ref { // one of four is right
					scores[len(scores)-1].Passed = new(judge == 'p')
				}
			}
		}
	}
	add("late", 'p', 'p', 40)
	add("wrong", 'p', 'f', 40)
	add("few", 'p', 'f', 29)
	got := func() (out []string) {
		for _, row := range buildReport(t, inputsOf(scores), measure.Config{}).Agreement[0].ByTool {
			p := "untested"
			if row.P != nil {
				p = fmt.Sprint("differs ", *row.P < 0.001)
			}
			out = append(out, fmt.Sprintf("%s %d %s %s", row.Tool, row.N, numberOr(row.Agreement), p))
		}
		return out
	}
	want := []string{"late 40 1.0000 differs true", "wrong 40 0.2500 differs true", "few 29 0.2759 untested"}
	if diff := cmp.Diff(want, got()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i := range 99 {
		add(fmt.Sprintf("tool%02d", i), 'p', 'p', 1+i/98)
	}
	list := got()
	want = append(want, "(other tools) 2 1.0000 untested", "tool98 2 1.0000 untested", "tool00 1 1.0000 untested")
	last := list[len(list)-1]
	diff := cmp.Diff(want, list[:min(len(list), 6)])
	if diff != "" || len(list) != 101 || last != "tool95 1 1.0000 untested" {
		t.Errorf("%d rows, last %s (-want +got):\n%s", len(list), last, diff)
	}
	scores = scores[:80]
	if diff := cmp.Diff([]string{"late 40 1.0000 untested"}, got()); diff != "" {
		t.Errorf("one tool (-want +got):\n%s", diff)
	}
}

// TestReferencesAtOtherLevels: calls are compared with what is known of a conversation, whichever side has the calls;
// results and turns are not reduced, and neither are people's labels of some calls.
func TestReferencesAtOtherLevels(t *testing.T) {
	at := func(source score.Source, name, scope string, call int) score.Score {
		s := scoreOf(source, name, "c", call, 'p')
		s.Scope = scope
		if scope == "turn" {
			s.Turn = 1
		}
		return s
	}
	rows := func(cfg measure.Config, scores ...score.Score) (out []string) {
		for _, row := range buildReport(t, inputsOf(scores), cfg).Agreement {
			out = append(out, fmt.Sprintf("%s %s %s: %d", row.Level, row.Reduction, row.Reduced, row.N))
		}
		return out
	}
	judge, whole := at(score.Judge, "overall", "", 0), at(score.Judge, "overall", "conversation", -1)
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"calls of the judge", rows(measure.Config{}, judge, at(score.Label, "human", "conversation", -1)),
			[]string{"conversation min judge: 1", "conversation mean judge: 1", "conversation share judge: 1"}},
		{"calls of the reference", rows(measure.Config{}, whole, at(score.Label, "human", "", 0)),
			[]string{"conversation min reference: 1", "conversation mean reference: 1", "conversation share reference: 1"}},
		{"results of the judge", rows(measure.Config{}, at(score.Judge, "overall", "result", 0),
			at(score.Label, "human", "conversation", -1)), nil},
		{"results of the reference", rows(measure.Config{}, whole, at(score.Label, "human", "result", 0)), nil},
		{"turns of the judge", rows(measure.Config{}, at(score.Judge, "overall", "turn", -1),
			at(score.Label, "human", "conversation", -1)), nil},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for perConversation, want := range map[int]int{0: 3, 1: 0} {
		row := measure.LabelRow{ConversationID: "c", CallIndex: 0, Sample: measure.RandomSample,
			Whole: labels.Answer{Label: labels.Pass}, PerConversation: perConversation}
		in := inputsOf([]score.Score{whole, at(score.Label, report.PeopleLabelOf(""), "", 0), at(score.Label, "gold", "", 0)})
		l := measure.NewLabels([]measure.LabelRow{row}, &in.Manifest)
		var people, others int
		for _, a := range buildReport(t, in, measure.Config{Labels: l}).Agreement {
			if report.IsPeople(a.Reference) {
				people++
			} else {
				others++
			}
		}
		if people != want || others != 3 {
			t.Errorf("%d calls of a conversation are drawn: %d rows of people's labels, %d of others; want %d and 3",
				perConversation, people, others, want)
		}
	}
}

// TestRefusedRows: a comparison that would be circular has a row that says so, and each of its numbers does.
func TestRefusedRows(t *testing.T) {
	in := inputsOf(runOf("pf", "pf"))
	in.Manifest.Judges = []report.Judge{{Name: "j", CircularWith: []string{"exact"}}}
	rows := buildReport(t, in, measure.Config{}).Agreement
	if len(rows) != 1 || rows[0].Refused != "circular" || !slices.Equal(codesOf(rows[0].Warnings), []string{"circular"}) {
		t.Fatalf("%+v", rows)
	}
	a := &rows[0]
	for i, e := range []report.Estimate{a.BaseRate, a.JudgeRate, a.Accuracy, a.Balanced, a.RecallWrong, a.Specificity,
		a.MCC, a.Kappa, a.AC1, a.Spearman, a.AUC} {
		if e.Value != nil || e.Reason != "circular" {
			t.Errorf("number %d is %+v", i, e)
		}
	}
}

// TestScoresThatCannotBeUsed: a score without what every score has is counted as a bad line; a confidence outside of 0
// to 1 counts as none.
func TestScoresThatCannotBeUsed(t *testing.T) {
	scores := append(runOf("pfp", "pfp"), score.Score{})
	for i, confidence := range []float64{0, -0.1, 1.1} {
		scores[2*i].Confidence = new(confidence)
	}
	r := buildReport(t, inputsOf(scores), measure.Config{})
	if r.Counts.BadLines != 1 || r.Counts.Scores != 6 || !slices.Contains(codesOf(r.Warnings), "bad_lines") {
		t.Errorf("%+v, %v", r.Counts, codesOf(r.Warnings))
	}
	if c := r.Agreement[0].Confidence; c == nil || c.N != 1 || *c.Brier.Value != 1 {
		t.Errorf("%+v", c)
	}
}

// TestJudgesThatApplyTheRules: a judge may apply the rules of a scorer, of its kind, or of one part of it.
func TestJudgesThatApplyTheRules(t *testing.T) {
	for _, tt := range []struct {
		rules, metric string
		want          bool
	}{
		{"mine", "", true}, {"funnel", "", true}, {"funnel", "ast", false}, {"funnel.ast", "ast", true},
		{"funnel.ast", "", false}, {"mine.ast", "ast", true}, {"mine", "ast", false}, {"other", "", false},
	} {
		scores := runOf("pf", "pf")
		for i := range scores {
			if scores[i].Source == score.Deterministic {
				scores[i].Name, scores[i].Metric = "mine", tt.metric
			}
		}
		in := inputsOf(scores)
		in.Manifest.Scorers = []report.Scorer{{Name: "mine", Type: "funnel"}}
		in.Manifest.Judges = []report.Judge{{Name: "j", SharesRules: []string{tt.rules}}}
		if got := buildReport(t, in, measure.Config{}).Agreement[0].SharedRules; got != tt.want {
			t.Errorf("%s and mine %s: %v", tt.rules, tt.metric, got)
		}
	}
}

// TestToolsWithARow: thirty items of a tool are enough for an interval, and a hundred tools have a row each.
func TestToolsWithARow(t *testing.T) {
	var scores []score.Score
	add := func(tool string, n int) {
		for i := range n {
			for _, s := range runOf("p", "pf"[i%2:i%2+1]) {
				s.ConversationID, s.Tool = fmt.Sprintf("%s-%03d", tool, i), tool
				scores = append(scores, s)
			}
		}
	}
	add("enough", 30)
	add("few", 29)
	for i := range 98 {
		add(fmt.Sprintf("tool%02d", i), 1)
	}
	rows := buildReport(t, inputsOf(scores), measure.Config{}).Agreement[0].ByTool
	var got []string
	for _, row := range append(rows[:2:2], rows[len(rows)-1]) {
		got = append(got, fmt.Sprintf("%s %d small %v, interval %v", row.Tool, row.N, row.Small, row.Agreement.HasInterval()))
	}
	want := []string{"enough 30 small false, interval true", "few 29 small true, interval false",
		"tool97 1 small true, interval false"}
	if diff := cmp.Diff(want, got); diff != "" || len(rows) != 100 {
		t.Errorf("%d rows (-want +got):\n%s", len(rows), diff)
	}
}

// TestAnswersWithoutVerdicts: a judge's answers without a verdict are compared with people's labels by the same rubric
// and of the same items, and with nothing else.
func TestAnswersWithoutVerdicts(t *testing.T) {
	rubric := report.Rubric{Name: "topic", Max: 3, Categories: []string{"x", "y", "z"}}
	var scores []score.Score
	for i := range 4 {
		id := fmt.Sprint("c", i)
		add := func(source score.Source, name string, call, at int) {
			s := scoreOf(source, name, id, call, 'p')
			s.Passed, s.Value, s.Category = nil, new(float64(at+1)), rubric.Categories[at]
			scores = append(scores, s)
		}
		add(score.Judge, "topic", 0, i%3)
		add(score.Label, report.PeopleLabelOf("topic"), 0, i%2)
		add(score.Label, report.PeopleLabelOf("topic"), -1, i%2)
		add(score.Label, report.PeopleLabelOf("other"), 0, i%2)
		add(score.Label, report.PeopleLabel, 0, i%2)
		scores = append(scores, scoreOf(score.Label, "human", id, 0, 'p'))
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{rubric}
	var got []string
	for _, row := range buildReport(t, in, measure.Config{}).Agreement {
		line := fmt.Sprintf("%s %s: n %d", row.Reference.Name, row.Level, row.N)
		if row.Ratings != nil {
			line += fmt.Sprint(" ", row.Ratings.Matrix)
		}
		got = append(got, line)
	}
	want := []string{"your labels of topic call: n 4 [[1 0 1] [1 1 0] [0 0 0]]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
