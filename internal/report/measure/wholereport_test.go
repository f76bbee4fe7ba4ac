package measure_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

var update = flag.Bool("update", false, "write the results in testdata anew")

// brief writes a value of JSON without what is null, empty or false, and an estimate as its value and interval, or as
// the reason why there is none.
func brief(d *json.Decoder) string {
	token, _ := d.Token()
	if token == nil || token == false || token == "" {
		return ""
	}
	open, nested := token.(json.Delim)
	if !nested {
		return fmt.Sprint(token)
	}
	var parts []string
	of, isEstimate := map[string]string{}, true
	for d.More() {
		key := ""
		if open == '{' {
			name, _ := d.Token()
			key = name.(string)
		}
		isEstimate = isEstimate && slices.Contains([]string{"value", "low", "high", "reason"}, key)
		if v := brief(d); v != "" {
			of[key] = v
			parts = append(parts, strings.TrimPrefix(key+": "+v, ": "))
		}
	}
	end, _ := d.Token()
	switch {
	case len(parts) == 0:
		return ""
	case isEstimate && of["low"] == "":
		return strings.TrimSpace(of["value"] + " " + of["reason"])
	case isEstimate:
		return strings.TrimSpace(fmt.Sprintf("%s [%s %s] %s", of["value"], of["low"], of["high"], of["reason"]))
	}
	return open.String() + inLines(parts) + fmt.Sprint(end)
}

// inLines joins parts, several in a line of about 118 columns.
func inLines(parts []string) string {
	lines, nested := []string{""}, false
	for i, part := range parts {
		if i < len(parts)-1 {
			part += ", "
		}
		last := &lines[len(lines)-1]
		if isNested := strings.Contains(part, "\n"); *last != "" && (isNested || nested || len(*last)+len(part) > 118) {
			lines = append(lines, part)
			nested = isNested
			continue
		}
		*last, nested = *last+part, strings.Contains(part, "\n")
	}
	if len(lines) == 1 && !nested {
		return lines[0]
	}
	for i, line := range lines {
		lines[i] = "\n " + strings.ReplaceAll(strings.TrimSpace(line), "\n", "\n ")
	}
	return strings.Join(lines, "") + "\n"
}

// sameAsFile compares a result with a file in testdata.
func sameAsFile(t *testing.T, name string, of any) {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	file, got := filepath.Join("testdata", name), brief(d)+"\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// mixedRun returns a run with two judges, their panel and a retest of one of them, rubrics of every kind, scorers of
// calls and conversations, and labels. shift makes some answers and some verdicts of the scorers different.
func mixedRun(shift int) report.Inputs {
	var scores []score.Score
	tools := []string{"find", "pay", "send"}
	add := func(source score.Source, name, judge, id string, call int, v float64, passed bool) *score.Score {
		s := scoreOf(source, name, id, call, 'p')
		s.Judge, s.Value, s.Passed = judge, &v, &passed
		s.Place = "log.jsonl:" + id[1:]
		if call >= 0 {
			s.Tool = tools[(call+len(scores)/40)%3]
		}
		scores = append(scores, s)
		return &scores[len(scores)-1]
	}
	number := func(b bool) float64 { return map[bool]float64{true: 1}[b] }
	for i := range 14 {
		id := fmt.Sprintf("c%02d", i+1)
		right := true
		for call := range 1 + i%4 {
			at := i*5 + call*3
			good := at%4 != 0
			right = right && good
			for k, judge := range []string{"j", "k", "jury", "j again"} {
				v := []float64{0.1, 0.3, 0.5, 0.7, 0.9}[(at*(k+2)+shift*i)%5]
				if good && (at+k)%3 > 0 {
					v = 0.8
				}
				s := add(score.Judge, "overall", judge, id, call, v, v >= 0.5)
				s.Confidence = new(float64(50+(at*7+k)%50) / 100)
				switch (at + k*5 + shift) % 11 {
				case 0:
					s.Status, s.Value, s.Passed = score.Unscored, nil, nil
					s.Confidence, s.Error = nil, &score.Failure{Kind: "truncated", Message: "cut off"}
				case 1:
					s.Status, s.Value, s.Passed, s.Confidence = score.NotApplicable, nil, nil, nil
				case 2:
					s.Details = value.Pairs("repairs", 1, "quotes", 3, "quotes_grounded", 2, "borderline", true)
				case 3:
					s.Details = value.Pairs("escalate", true, "low_confidence", true, "correction_effect", "repaired",
						"correction_matches_expected", k == 0, "constructive_score", 0.25)
				case 4:
					s.Flags = []score.Flag{{Code: "ungrounded", Severity: 2}, {Code: "odd", Severity: 1}}
				case 5:
					s.Explanation, s.Confidence = "The amount is "+fmt.Sprint(at)+".", nil
				}
			}
			for k, judge := range []string{"j", "k"} {
				grade := float64(1 + (at+k+shift)%5)
				add(score.Judge, "tone", judge, id, call, grade, grade >= 3)
				s := add(score.Judge, "topic", judge, id, call, float64((at+k*call)%3), false)
				s.Passed, s.Category = nil, []string{"money", "travel", "other"}[(at+k*call)%3]
			}
			s := add(score.Deterministic, "schema_check", "", id, call, number(good || at%8 == shift), good || at%8 == shift)
			if !*s.Passed {
				s.Explanation = "amount is missing"
			}
			if at%5 != 1 {
				v := number(good)
				if at%7 == 2 {
					v = 0.5
				}
				add(score.Label, "human", "", id, call, v, v >= 0.5)
			}
		}
		add(score.Judge, "goal", "j", id, -1, number(i%3 > 0), i%3 > 0)
		if i%2 == 0 {
			s := add(score.Judge, "ending", "j", id, -1, number(i%4 > 0), i%4 > 0)
			s.Scope, s.Turn = labels.Turn, 1+i%3
		}
		s := add(score.Deterministic, "function_call_accuracy", "", id, -1, number(right), right)
		s.Details = value.Pairs("not_called", value.OfList(value.OfString(tools[i%3])))
		s = add(score.Label, "reward", "", id, -1, number(i%5 > 1), i%5 > 1)
		if i == 6 {
			s.Status, s.Value, s.Passed, s.Details = score.NotApplicable, nil, nil, value.Pairs(score.CountedAs, 0)
		}
		add(score.Deterministic, "three_layer", "", id, -1, 1, true).Purpose = "qa"
	}
	in := inputsOf(scores)
	in.Manifest.RunID, in.Manifest.RandomLabels = fmt.Sprint("mixed", shift), []string{"reward"}
	in.Manifest.Judges = []report.Judge{{Name: "j", Model: "m1", Asked: true, Together: true}, {Name: "k", Model: "m2"},
		{Name: "jury", Members: []string{"j", "k"}}, {Name: "j again", Model: "m1", RetestOf: "j"}}
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", SHA: "1", Max: 1, Low: new(0.5)},
		{Name: "tone", SHA: "2", Min: 1, Max: 5, Integer: true, Low: new(3.0)},
		{Name: "topic", SHA: "3", Max: 2, Categories: []string{"money", "travel", "other"}},
		{Name: "goal", SHA: "4", Max: 1, Low: new(0.5)}, {Name: "ending", SHA: "5", Max: 1, Low: new(0.5)}}
	return in
}

// mixedLabels returns labels of the first n conversations of the random order of a mixed run: of each call as a whole,
// of some calls by a second person, and of the topic of each.
func mixedLabels(t *testing.T, in report.Inputs, n int) []measure.LabelRow {
	t.Helper()
	rows, err := measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{Conversations: n, Queue: -1})
	if err != nil {
		t.Fatal(err)
	}
	topic := in.Manifest.Rubrics[2]
	for i := range rows {
		r := &rows[i]
		r.Whole = labels.VerdictAnswer(i%3 > 0)
		r.Said = []measure.PersonLabel{{Who: "ann", Answer: r.Whole}}
		if i%4 == 1 {
			r.Whole = labels.Answer{Label: labels.NotApplicable}
		}
		if i%2 == 0 {
			r.Said = append(r.Said, measure.PersonLabel{Who: "bob", Answer: labels.VerdictAnswer(i%5 > 1)})
		}
		if i%3 != 1 {
			r.Said = append(r.Said, measure.PersonLabel{Who: "cid", Answer: labels.VerdictAnswer(i%4 > 1)})
		}
		if i%7 == 2 {
			r.Said[len(r.Said)-1].Answer = labels.Answer{Label: labels.NotApplicable}
		}
		if r.CallIndex >= 0 {
			r.ByRubric = map[string]labels.Answer{"topic": topic.Answer(topic.Categories[i%5%3])}
		}
	}
	return rows
}

// ofOneJudge leaves the agreement of the judge j in a report, without the warnings, and the first disagreements.
func ofOneJudge(r *report.Report) *report.Report {
	r.Run.Scorers = nil
	r.Agreement = slices.DeleteFunc(r.Agreement, func(a report.AgreementRow) bool {
		return a.Judge != "j" || a.Rubric == "tone" || a.Reduction == report.ReduceShare
	})
	for i := range r.Agreement {
		r.Agreement[i].Warnings = nil
	}
	r.Disagreements.Items = r.Disagreements.Items[:6]
	r.ByToolConversations, r.ByTool, r.Failing.Items = r.ByToolConversations[:1], r.ByTool[:1], r.Failing.Items[:6]
	r.JudgeChecks = r.JudgeChecks[:2]
	return r
}

// TestWholeReport: the numbers of the report of a mixed run, without and with people's labels.
func TestWholeReport(t *testing.T) {
	sameAsFile(t, "report.txt", ofOneJudge(buildReport(t, mixedRun(0), measure.Config{})))
	in := mixedRun(0)
	given := measure.NewLabels(mixedLabels(t, in, 10), &in.Manifest)
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	r := buildReport(t, in, measure.Config{Labels: given, Alpha: 0.1})
	r.Scores = slices.DeleteFunc(r.Scores, func(s report.ScoreRow) bool { return !report.IsPeople(s.Instrument) })
	sameAsFile(t, "labelled.txt", map[string]any{"scores": r.Scores, "corrected": r.Corrected, "headline": r.Headline,
		"disagreements": ofOneJudge(r).Disagreements, "warnings": r.Warnings, "summary": r.Summary})
}

// TestWholeComparison: the numbers of the comparison of two mixed runs.
func TestWholeComparison(t *testing.T) {
	a, b := mixedRun(0), mixedRun(1)
	b.Manifest.Judges[1].Model, b.Manifest.Rubrics[1].SHA = "m3", "9"
	c := compare(t, a, b, measure.Config{})
	c.A.Scorers, c.B.Scorers, c.Verdicts.Items = nil, nil, c.Verdicts.Items[:6]
	c.ByToolConversations = c.ByToolConversations[:1]
	c.Rows = slices.DeleteFunc(c.Rows, func(r report.ChangeRow) bool {
		return r.Judge != "j" && r.Judge != "" || r.Tool != "" && r.Tool != "pay" || r.Name == "tone"
	})
	sameAsFile(t, "comparison.txt", c)
}

// TestWholeCalibration: every number of the calibration of a mixed run.
func TestWholeCalibration(t *testing.T) {
	in := mixedRun(0)
	c, err := measure.Calibrate(in, mixedLabels(t, in, 12), measure.CalibrateConfig{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	sameAsFile(t, "calibration.txt", c)
}

// TestWholePlan: every number of the plan by a mixed run, without and with labels.
func TestWholePlan(t *testing.T) {
	wanted := report.Plan{HalfWidth: 0.1, Drop: 0.1, Power: 0.8}
	p, err := measure.Plan(mixedRun(0), measure.Config{}, wanted)
	if err != nil {
		t.Fatal(err)
	}
	sameAsFile(t, "plan.txt", p)
	in := mixedRun(0)
	given := measure.NewLabels(mixedLabels(t, in, 14), &in.Manifest)
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	if p, err = measure.Plan(in, measure.Config{Labels: given}, wanted); err != nil {
		t.Fatal(err)
	}
	p.Judges = p.Judges[:1]
	sameAsFile(t, "plan-labelled.txt", p)
}

// TestWholeTable: every number of the agreement of columns, with gold and without.
func TestWholeTable(t *testing.T) {
	var text strings.Builder
	text.WriteString("conversation,tool,gold,a,b,c,score,sure,p,q,r,grade,rated,again\n")
	for i := range 48 {
		cell := func(k int) string { return []string{"pass", "fail", "pass", "", "pass", "fail", "pass"}[(i*k+i/7)%7] }
		fmt.Fprintf(&text, "%d,%s,%s,%s,%s,%s,%g,%g,%s,%s,%s,%d,%d,%s\n", i/3, []string{"find", "pay"}[i/5%2], cell(1), cell(2),
			cell(3), cell(5), float64(i*13%29)/29, float64(i*7%10)/10, cell(4), cell(9), cell(6), 1+i%5, 1+i*i%5, []string{"2", "1", "", "5", "3", "4"}[i*5%6])
	}
	for name, cfg := range map[string]measure.AgreeConfig{
		"gold": {Gold: "gold", Judges: []string{"a", "b", "score"}, Confidence: []string{"sure"}, By: []string{"tool"},
			Cluster: "conversation", Threshold: &measure.Cut{Low: 0.5, High: 1}},
		"blind":  {Judges: []string{"a", "b", "c"}, Cluster: "conversation"},
		"people": {People: []string{"p", "q", "r"}, Judges: []string{"a"}},
		"grades": {Gold: "grade", Judges: []string{"rated", "again"}, Categories: []string{"1..5"}, Scale: measure.Ordinal},
	} {
		r, err := measure.Agree("t.csv", strings.NewReader(text.String()), cfg)
		if err != nil {
			t.Fatal(err)
		}
		sameAsFile(t, "table-"+name+".txt", r)
	}
}
