package measure_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// numberOr returns a number with four digits, or the reason why there is none.
func numberOr(e report.Estimate) string {
	if e.Value == nil {
		return e.Reason
	}
	return fmt.Sprintf("%.4f", *e.Value)
}

// scoredAs returns the score of call 0 of a conversation by a judge: a value, and a verdict p, f, or - for none.
func scoredAs(id string, v float64, verdict byte) score.Score {
	s := scoreOf(score.Judge, "overall", id, 0, 'p')
	s.Value, s.Passed = &v, map[byte]*bool{'p': new(true), 'f': new(false)}[verdict]
	return s
}

// TestMeansAndRates: the mean is over the values, the pass rate over the verdicts; categories without a verdict have no
// mean.
func TestMeansAndRates(t *testing.T) {
	word := func(id, category string, v float64, verdict byte) score.Score {
		s := scoredAs(id, v, verdict)
		s.Category = category
		return s
	}
	for name, tt := range map[string]struct {
		scores                 []score.Score
		mean, rate, judged, of string
	}{
		"1 and 0":     {[]score.Score{scoredAs("a", 1, 'p'), scoredAs("b", 0, 'f')}, "0.5000", "0.5000", "2", "0 to 1"},
		"grades":      {[]score.Score{scoredAs("a", 4, 'p'), scoredAs("b", 1, 'f')}, "2.5000", "0.5000", "2", "1 to 4"},
		"no verdicts": {[]score.Score{scoredAs("a", 1, '-'), scoredAs("b", 0, '-')}, "0.5000", "no_threshold", "0", "0 to 1"},
		"some verdicts": {[]score.Score{scoredAs("a", 1, 'p'), scoredAs("b", 0, 'f'), scoredAs("c", 1, '-')},
			"0.6667", "0.5000", "2", "0 to 1"},
		"categories": {[]score.Score{word("a", "x", 1, '-'), word("b", "y", 2, '-')},
			"categories", "no_threshold", "0", "- to -"},
		"categories that pass": {[]score.Score{word("a", "x", 1, 'p'), word("b", "y", 0, 'f')},
			"0.5000", "0.5000", "2", "0 to 1"},
		"categories, one without a verdict": {[]score.Score{word("a", "x", 1, 'p'), word("b", "y", 2, '-')},
			"1.0000", "1.0000", "1", "1 to 1"},
	} {
		row := buildReport(t, inputsOf(tt.scores), measure.Config{}).Scores[0]
		end := func(f *float64) string {
			if f == nil {
				return "-"
			}
			return fmt.Sprint(*f)
		}
		got := []string{numberOr(row.Mean), numberOr(row.PassRate), fmt.Sprint(row.Judged)}
		got = append(got, end(row.Min)+" to "+end(row.Max))
		if diff := cmp.Diff([]string{tt.mean, tt.rate, tt.judged, tt.of}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMissingScores: coverage is what the error rate leaves; the first missing score in log order is named for each
// kind, also those without a message are counted; a repeated score counts once.
func TestMissingScores(t *testing.T) {
	var scores []score.Score
	add := func(what byte, kind string) {
		s := scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", len(scores)), 0, what)
		s.Place = fmt.Sprint("log:", 12-len(scores))
		if s.Error != nil {
			s.Error.Kind = kind
		}
		scores = append(scores, s)
	}
	for range 8 {
		add('p', "")
	}
	add('u', "truncated")
	add('u', "truncated")
	add('e', "config")
	none := scoreOf(score.Judge, "overall", "c11", 0, 'u')
	none.Error = nil
	r := buildReport(t, inputsOf(append(scores, none, scores[0])), measure.Config{})
	row := r.Scores[0]
	if row.N != 8 || row.Unscored != 3 || row.Errors != 1 {
		t.Errorf("%d scored, %d unscored, %d errors", row.N, row.Unscored, row.Errors)
	}
	errors, covered := row.ErrorRate, row.Coverage
	if numberOr(errors) != "0.3333" || numberOr(covered) != "0.6667" ||
		*covered.Low != *report.Rounded(1 - *errors.High) || *covered.High != *report.Rounded(1 - *errors.Low) {
		t.Errorf("coverage %+v beside errors %+v", covered, errors)
	}
	if r.Counts.Duplicates != 1 || r.Counts.Scores != 13 {
		t.Errorf("%d duplicates of %d scores", r.Counts.Duplicates, r.Counts.Scores)
	}
	want := []report.KindCount{
		{Source: "judge", Kind: "config", Count: 1, First: "c10 call 0, overall by j: m"},
		{Source: "judge", Kind: "truncated", Count: 2, First: "c09 call 0, overall by j: m"}, // log:3 before log:4
		{Source: "judge", Kind: "unscored", Count: 1},
	}
	if diff := cmp.Diff(want, r.Counts.Unscored); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	// Line 9 is before line 10.
	early, late := scoreOf(score.Judge, "overall", "b", 0, 'u'), scoreOf(score.Judge, "overall", "a", 0, 'u')
	early.Place, late.Place = "log:9", "log:10"
	r = buildReport(t, inputsOf([]score.Score{late, early}), measure.Config{})
	if got := r.Counts.Unscored[0].First; got != "b call 0, overall by j: m" {
		t.Errorf("the first is %q", got)
	}
}

// TestRunsThatCountAsZero: what a benchmark counts as 0 is told beside the mean.
func TestRunsThatCountAsZero(t *testing.T) {
	zero := func(id string, counted int64) score.Score {
		s := scoreOf(score.Label, "reward", id, -1, 'n')
		s.Details = value.Pairs(score.CountedAs, counted)
		return s
	}
	scores := []score.Score{scoreOf(score.Label, "reward", "a", -1, 'p'), scoreOf(score.Label, "reward", "b", -1, 'p'),
		scoreOf(score.Label, "reward", "c", -1, 'f'), zero("d", 0), zero("e", 1), zero("g", 1),
		scoreOf(score.Label, "reward", "f", -1, 'n')}
	row := buildReport(t, inputsOf(scores), measure.Config{}).Scores[0]
	if row.CountedZero != 1 || row.MeanWithZeros == nil || *row.MeanWithZeros != 0.5 || numberOr(row.Mean) != "0.6667" {
		t.Errorf("%d count as zero, mean %s, with them %v", row.CountedZero, numberOr(row.Mean), row.MeanWithZeros)
	}
	if row = buildReport(t, inputsOf(scores[:3]), measure.Config{}).Scores[0]; row.MeanWithZeros != nil {
		t.Errorf("none counts as zero, and the mean with them is %v", *row.MeanWithZeros)
	}
}

// TestChecksOfAnswers: flags by severity and number, confidence, and the answers that were repaired or about a record
// that was shortened.
func TestChecksOfAnswers(t *testing.T) {
	flag := func(code string, severity int) score.Flag { return score.Flag{Code: code, Severity: severity} }
	var scores []score.Score
	for i, of := range []struct {
		what    byte
		details string
		sure    float64
		flags   []score.Flag
	}{
		{'p', `{"repairs":1}`, 0.5, []score.Flag{flag("mild", 1), flag("odd", 1)}},
		{'f', `{"repairs":2,"context_truncated":true}`, 0, []score.Flag{flag("mild", 1), flag("harm", 2)}},
		{'p', `{"repairs":0,"context_truncated":false}`, 1, []score.Flag{flag("also", 1)}}, {'p', `{}`, 0.5, nil},
	} {
		s := scoreOf(score.Judge, "overall", fmt.Sprint("c", i), 0, of.what)
		s.Details, s.Confidence, s.Flags = with(s, of.details, 0).Details, new(of.sure), of.flags
		scores = append(scores, s)
	}
	check := buildReport(t, inputsOf(scores), measure.Config{}).JudgeChecks[0]
	part := func(p report.Part) string { return fmt.Sprintf("%d %s", p.N, numberOr(p.PassRate)) }
	got := []string{fmt.Sprint(check.N), numberOr(check.Severe), numberOr(check.Confidence), part(check.Repaired),
		part(check.Clean), part(check.Shortened)}
	for _, f := range check.Flags {
		got = append(got, fmt.Sprintf("%s %d: %d, %s", f.Code, f.Severity, f.Count, numberOr(f.Rate)))
	}
	want := []string{"4", "0.2500", "0.5000", "2 0.5000", "2 1.0000", "1 0.0000", "harm 2: 1, 0.2500", "mild 1: 2, 0.5000",
		"also 1: 1, 0.2500", "odd 1: 1, 0.2500"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestListsOfAnEmptyReport: lists that are always in report.json are empty lists there, not null.
func TestListsOfAnEmptyReport(t *testing.T) {
	text := asJSON(t, buildReport(t, inputsOf(nil), measure.Config{}))
	for _, list := range []string{"scores", "by_tool", "agreement", "judge_vs_judge", "consensus", "noise", "judge_checks",
		"gates", "failure_groups", "unscored"} {
		if !strings.Contains(text, `"`+list+`": []`) {
			t.Errorf("%s is no empty list:\n%s", list, text)
		}
	}
}

// TestJudgesBesideAPanel: a panel is not compared with its own members, whichever comes first; one judge alone is not
// ranked.
func TestJudgesBesideAPanel(t *testing.T) {
	var scores []score.Score
	for i := range 12 {
		id := fmt.Sprintf("c%02d", i)
		for _, judge := range []string{"panel", "a", "b", "c"} {
			s := scoreOf(score.Judge, "overall", id, 0, "pf"[i%2])
			s.Judge = judge
			scores = append(scores, s)
		}
		scores = append(scores, scoreOf(score.Label, "human", id, 0, "pppf"[i%4]))
	}
	in := inputsOf(scores)
	in.Manifest.Judges = []report.Judge{
		{Name: "panel", Members: []string{"a", "b"}}, {Name: "a"}, {Name: "b"}, {Name: "c"},
	}
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1}}
	r := buildReport(t, in, measure.Config{})
	var pairs []string
	for _, p := range r.JudgeVsJudge {
		pairs = append(pairs, p.A+" "+p.B)
	}
	if diff := cmp.Diff([]string{"panel c", "a b", "a c", "b c"}, pairs); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	if len(r.Rankings) != 1 || len(r.Rankings[0].Judges) != 4 {
		t.Errorf("rankings: %+v", r.Rankings)
	}
	if r = buildReport(t, inputsOf(runOf("pfpf", "pfpf")), measure.Config{}); r.Rankings != nil {
		t.Errorf("one judge is ranked: %+v", r.Rankings)
	}
}

// TestLabelsThatShapedARubric: labels of conversations that shaped the rubric do not measure it, and that is told.
func TestLabelsThatShapedARubric(t *testing.T) {
	var scores []score.Score
	for i := range 6 {
		id := fmt.Sprint("c", i)
		scores = append(scores, scoreOf(score.Judge, "overall", id, 0, "pf"[i%2]),
			scoreOf(score.Label, "human", id, 0, "pf"[i%2]))
	}
	in := inputsOf(scores)
	made := labels.Marks(labels.Mark("c0") + " " + labels.Mark("c3") + " " + labels.Mark("elsewhere"))
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1, MadeFrom: made}}
	in.Manifest.RandomLabels = []string{"human"}
	r := buildReport(t, in, measure.Config{})
	if n := r.Agreement[0].N; n != 4 {
		t.Errorf("%d labels measure the rubric, want 4", n)
	}
	said := ""
	for _, w := range r.Warnings {
		if w.Code == "labels_taught" {
			said = w.Text
		}
	}
	if !strings.Contains(said, "2 labels") {
		t.Errorf("of the labels that shaped the rubric it is said: %q", said)
	}
}

// TestDifferenceByYoudenOfRows: a difference is divided by J for all calls together, for each conversation as a whole
// by labels of conversations, and for no single tool.
func TestDifferenceByYoudenOfRows(t *testing.T) {
	run := func(shift int) report.Inputs {
		var scores []score.Score
		for i := range 60 {
			id := fmt.Sprintf("c%02d", i)
			for call := range 2 {
				right, said := (i+call)%3 > 0, (i+call+shift)%3 > 0 || i%7 == 0
				scores = append(scores, scoreOf(score.Judge, "overall", id, call, map[bool]byte{true: 'p', false: 'f'}[said]),
					scoreOf(score.Label, "human", id, call, map[bool]byte{true: 'p', false: 'f'}[right]))
			}
		}
		return inputsOf(scores)
	}
	for _, row := range compare(t, run(0), run(0), measure.Config{}).Rows {
		wanted := row.Source == "judge" && row.Tool == "" && row.Reduced != report.ReduceMin
		if (row.Youden != nil) != wanted {
			t.Errorf("%s %s %s: J %v", row.Words(), row.Tool, row.Reduced, row.Youden)
		}
		if row.Youden != nil && (row.Reference != "human" || math.IsNaN(*row.Youden.Value)) {
			t.Errorf("J %v against %s", row.Youden, row.Reference)
		}
	}
}

// TestBandsOfScorers: a scorer's threshold, of the run or of the report, decides the mean of a conversation's calls,
// from below or from above; without one a mean has no verdict. The caller's manifest stays as it is.
func TestBandsOfScorers(t *testing.T) {
	var scores []score.Score
	for i, values := range [][]float64{{0.2, 0.4}, {0.2, 1}, {0.8, 1}} {
		id := fmt.Sprint("c", i)
		scores = append(scores, scoreOf(score.Judge, "overall", id, -1, 'p'))
		for call, v := range values {
			s := scoreOf(score.Deterministic, "exact", id, call, 'p')
			s.Value = &v
			scores = append(scores, s)
		}
	}
	for name, tt := range map[string]struct {
		low, high  *float64
		thresholds []report.Threshold
		want       report.Confusion
	}{
		"none":      {nil, nil, nil, report.Confusion{}},
		"from 0.6":  {new(0.6), nil, nil, report.Confusion{BothPass: 2, JudgeOnlyPass: 1}},
		"up to 0.5": {nil, new(0.5), nil, report.Confusion{BothPass: 1, JudgeOnlyPass: 2}},
		"between":   {new(0.5), new(0.7), nil, report.Confusion{BothPass: 1, JudgeOnlyPass: 2}},
		"of the report": {nil, nil, []report.Threshold{{Name: "exact", Low: 0.9}},
			report.Confusion{BothPass: 1, JudgeOnlyPass: 2}},
		"before that of the run": {new(0.), nil, []report.Threshold{{Name: "exact", Low: 0.95}},
			report.Confusion{JudgeOnlyPass: 3}},
	} {
		in := inputsOf(scores)
		in.Manifest.Scorers = []report.Scorer{{Name: "exact", Low: tt.low, High: tt.high}}
		for _, a := range buildReport(t, in, measure.Config{Thresholds: tt.thresholds}).Agreement {
			if a.Reduction == report.ReduceMean && a.Confusion != tt.want {
				t.Errorf("%s: %+v, want %+v", name, a.Confusion, tt.want)
			}
		}
		if s := in.Manifest.Scorers[0]; s.Low != tt.low || s.High != tt.high {
			t.Errorf("%s: the caller's manifest has changed: %+v", name, s)
		}
	}
}

// TestOrderOfRows: judges, scorers and labels, each in the order of the manifest and then by name; parts of a reward
// come last, and so do scores for quality assurance.
func TestOrderOfRows(t *testing.T) {
	var scores []score.Score
	add := func(source score.Source, name, judge, metric, purpose string) {
		s := scoreOf(source, name, "c", 0, 'p')
		s.Judge, s.Metric, s.Purpose = judge, metric, purpose
		scores = append(scores, s)
	}
	add(score.Label, "human", "", "", "")
	add(score.Label, "db_match", "", "", "")
	add(score.Deterministic, "style", "", "", "qa")
	add(score.Deterministic, "a", "", "m", "")
	add(score.Deterministic, "a", "", "", "")
	add(score.Deterministic, "z", "", "", "")
	for _, rubric := range []string{"tone", "overall", "extra"} {
		for _, judge := range []string{"second", "first", "another"} {
			add(score.Judge, rubric, judge, "", "")
		}
	}
	in := inputsOf(scores)
	in.Manifest.Judges = []report.Judge{{Name: "first"}, {Name: "second"}}
	in.Manifest.Rubrics = []report.Rubric{{Name: "tone"}, {Name: "overall"}}
	in.Manifest.Scorers = []report.Scorer{{Name: "z"}}
	var got []string
	for _, row := range buildReport(t, in, measure.Config{}).Scores {
		got = append(got, row.Words())
	}
	want := []string{
		"tone by first", "overall by first", "extra by first", "tone by second", "overall by second", "extra by second",
		"tone by another", "overall by another", "extra by another", "z", "a", "a.m", "human", "db_match", "style",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
