package render

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// full is a disk without room.
var full = writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite })

// twoRuns returns a comparison of two small runs.
func twoRuns(t *testing.T) *report.Comparison {
	t.Helper()
	a := reporttest.New(1, 10)
	c, err := measure.Compare(a.Inputs(), a.Worse("function_call_accuracy", 0.5, 1).Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFullDisk: whatever is written, a disk without room is told.
func TestFullDisk(t *testing.T) {
	r, c := built(t, reporttest.New(1, 10)), twoRuns(t)
	columns := compareFile(t, "t.csv", strings.NewReader("g,j\n1,1\n0,0\n1,0\n"), measure.AgreeConfig{Gold: "g", Judges: []string{"j"}})
	scored := of("c1", "strict", "pay", true)
	long := scored
	long.Explanation = strings.Repeat("x", 5000)
	tests := map[string]func(io.Writer) error{
		"page":       func(w io.Writer) error { return Page(w, r, nil) },
		"events":     func(w io.Writer) error { return OTel(w, stream(scored), OTelConfig{}) },
		"items":      func(w io.Writer) error { return ItemsCSV(w, "r", stream(scored)) },
		"long items": func(w io.Writer) error { return ItemsCSV(w, "r", stream(long, long)) },
		"Parquet":    func(w io.Writer) error { return ItemsParquet(w, "r", stream(scored)) },
		"labels":     func(w io.Writer) error { return LabelsCSV(w, "r", labels.Read(nil, "labels.jsonl", "r")) },
		"many events": func(w io.Writer) error {
			return OTel(w, stream(slices.Repeat([]score.Score{scored}, maxRecords)...), OTelConfig{})
		},
	}
	for _, f := range []Format{TextFormat, JSONFormat, MarkdownFormat, HTMLFormat} {
		tests["comparison as "+string(f)] = func(w io.Writer) error { return Comparison(w, c, f, Config{}) }
		tests["calibration as "+string(f)] = func(w io.Writer) error { return Calibration(w, &report.Calibration{}, f, Config{}) }
		tests["alignment as "+string(f)] = func(w io.Writer) error { return Alignment(w, &report.Alignment{}, f, Config{}) }
		tests["columns as "+string(f)] = func(w io.Writer) error { return Columns(w, columns, f, Config{}) }
	}
	for _, f := range Formats() {
		tests["report as "+string(f)] = func(w io.Writer) error { return Report(w, r, f, Config{}) }
	}
	for name, write := range tests {
		if err := write(full); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: %v", name, err)
		}
		if err := write(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{ItemsCSV(full, "r", stream(scored)), "write items: short write"}, {ItemsCSV(full, "r", stream(long, long)), "write items: short write"},
		{ItemsParquet(full, "r", stream(scored)), "write items: short write"},
		{LabelsCSV(full, "r", labels.Read(nil, "labels.jsonl", "r")), "write labels: short write"},
		{Report(full, r, TextFormat, Config{}), "write text: short write"},
		{Report(full, r, MarkdownFormat, Config{}), "write markdown: short write"},
		{Report(full, r, csvFormat, Config{}), "write csv report: short write"},
		{Report(full, r, JUnitFormat, Config{}), "write junit report: short write"},
		{Report(io.Discard, r, "pdf", Config{}), `format "pdf" cannot be written`},
		{Comparison(io.Discard, c, csvFormat, Config{}), `format "csv" cannot be written`},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("%v, want %s", tt.err, tt.want)
		}
	}
}

// TestScoresThatCannotBeRead: a report about scores of which the rest cannot be read is not taken for whole.
func TestScoresThatCannotBeRead(t *testing.T) {
	gone := errors.New("the disk is gone")
	broken := func(at int) func() iter.Seq2[score.Score, error] {
		return func() iter.Seq2[score.Score, error] {
			at--
			return func(yield func(score.Score, error) bool) {
				if yield(of("c1", "strict", "pay", false), nil) && at <= 0 {
					yield(score.Score{}, gone)
				}
			}
		}
	}
	r := &report.Report{Gates: []report.GateResult{{Score: "strict", Measure: "min_pass_rate"}}}
	for at := range 2 { // the scores are read twice
		err := Report(io.Discard, r, JUnitFormat, Config{Scores: broken(at + 1)})
		if !errors.Is(err, gone) || err.Error() != "write junit report: the disk is gone" {
			t.Errorf("pass %d: %v", at+1, err)
		}
	}
	if err := OTel(io.Discard, broken(1)(), OTelConfig{}); !errors.Is(err, gone) || err.Error() != "write verdicts: the disk is gone" {
		t.Error(err)
	}
}

// TestCSVWhole: a row for each number of each section, with what it is of.
func TestCSVWhole(t *testing.T) {
	n := 0
	next := func() report.Estimate { // 1, 2, 3 …
		n++
		return report.Estimate{Value: new(float64(n))}
	}
	in := report.Instrument{Name: "=x", Metric: "m", Judge: "j", Source: "judge", Level: "call"}
	row := report.ScoreRow{Instrument: in, N: 10, Judged: 7, Unscored: 2, Errors: 3, Mean: report.Estimate{Value: new(1e-9), Low: new(-0.5), High: new(2.0), Reason: "why"},
		PassRate: next(), Coverage: next(), Detectable: report.Detectable{FromTarget: next(), BetweenRuns: next()},
		Categories: []report.CategoryShare{{Category: "two words", Share: next()}}, Applies: &report.Counted{Of: 12, Rate: next()}}
	a := report.AgreementRow{Judge: "j", Rubric: "r", Level: "call", Reference: report.Instrument{Name: "ref", Metric: "m"}, Reduction: "min", N: 9, Verdicts: 8,
		BaseRate: next(), JudgeRate: next(), Accuracy: next(), Balanced: next(), RecallWrong: next(), Specificity: next(), MCC: next(), Kappa: next(), AC1: next(),
		Spearman: next(), AUC: next(), Graded: &report.Graded{Bias: next(), MAE: next(), RMSE: next(), CCC: next()},
		ByTool: []report.ToolPair{{Tool: "t1", N: 5, Agreement: next(), Kappa: next()}}}
	r := &report.Report{Scores: []report.ScoreRow{row}, Agreement: []report.AgreementRow{a},
		ByTool:    []report.ToolRow{{Tool: "t2", Scores: []report.ToolScore{{Instrument: in, N: 4, Mean: next(), PassRate: next()}}}},
		Noise:     []report.NoiseRow{{Judge: "j", Rubric: "r", Level: "call", N: 3, Repeated: next(), Flips: next(), WithinSD: next(), Floor: next()}},
		Consensus: []report.ConsensusRow{{Panel: "p", Rubric: "r", Level: "call", N: 2, Same: next(), Fleiss: next(), Gwet: next(), Nominal: next(), Values: next()}}}
	var out bytes.Buffer
	if err := Report(&out, r, csvFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	const want = `section,source,judge,name,level,tool,reference,reduction,measure,n,value,low,high,reason
scores,judge,j,'=x.m,call,,,,mean,10,0.000000001,-0.5,2,why
scores,judge,j,'=x.m,call,,,,pass_rate,7,1,,,
scores,judge,j,'=x.m,call,,,,coverage,15,2,,,
scores,judge,j,'=x.m,call,,,,detectable_from_target,7,3,,,
scores,judge,j,'=x.m,call,,,,detectable_between_runs,7,4,,,
scores,judge,j,'=x.m,call,,,,category:two_words,10,5,,,
scores,judge,j,'=x.m,call,,,,applies,12,6,,,
by_tool,judge,j,'=x.m,call,t2,,,mean,4,24,,,
by_tool,judge,j,'=x.m,call,t2,,,pass_rate,4,25,,,
agreement,judge,j,r,call,,ref.m,min,base_rate,8,7,,,
agreement,judge,j,r,call,,ref.m,min,judge_rate,8,8,,,
agreement,judge,j,r,call,,ref.m,min,accuracy,8,9,,,
agreement,judge,j,r,call,,ref.m,min,balanced_accuracy,8,10,,,
agreement,judge,j,r,call,,ref.m,min,recall_wrong,8,11,,,
agreement,judge,j,r,call,,ref.m,min,specificity,8,12,,,
agreement,judge,j,r,call,,ref.m,min,mcc,8,13,,,
agreement,judge,j,r,call,,ref.m,min,kappa,8,14,,,
agreement,judge,j,r,call,,ref.m,min,ac1,8,15,,,
agreement,judge,j,r,call,,ref.m,min,spearman,8,16,,,
agreement,judge,j,r,call,,ref.m,min,auc,8,17,,,
agreement,judge,j,r,call,,ref.m,min,bias,9,18,,,
agreement,judge,j,r,call,,ref.m,min,mae,9,19,,,
agreement,judge,j,r,call,,ref.m,min,rmse,9,20,,,
agreement,judge,j,r,call,,ref.m,min,ccc,9,21,,,
agreement,judge,j,r,call,t1,ref.m,min,accuracy,5,22,,,
agreement,judge,j,r,call,t1,ref.m,min,kappa,5,23,,,
noise,judge,j,r,call,,,,repeated,3,26,,,
noise,judge,j,r,call,,,,flip_rate,3,27,,,
noise,judge,j,r,call,,,,within_sd,3,28,,,
noise,judge,j,r,call,,,,floor,3,29,,,
consensus,judge,p,r,call,,,,pairwise_agreement,2,30,,,
consensus,judge,p,r,call,,,,fleiss_kappa,2,31,,,
consensus,judge,p,r,call,,,,ac1,2,32,,,
consensus,judge,p,r,call,,,,alpha_verdicts,2,33,,,
consensus,judge,p,r,call,,,,alpha_values,2,34,,,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestFormats: the formats in the order of the help.
func TestFormats(t *testing.T) {
	if got := Formats(); !slices.Equal(got, []Format{"text", "json", "markdown", "html", "junit", "csv"}) {
		t.Errorf("%q", got)
	}
}

// TestDetails: text has every table only if it is asked for, the other formats always.
func TestDetails(t *testing.T) {
	r, c := built(t, reporttest.New(1, 20)), twoRuns(t)
	calibration := &report.Calibration{Rows: []report.CalibrationRow{{Judge: "j", Rubric: "r"}}}
	alignment := &report.Alignment{}
	columns := compareFile(t, "t.csv", strings.NewReader("g,x.a,x.b,x.c,x.d\n"+strings.Repeat("1,1,0,1,1\n0,0,0,1,0\n", 9)),
		measure.AgreeConfig{Gold: "g", Judges: []string{"x.*"}})
	for name, tt := range map[string]struct {
		write func(io.Writer, Format, Config) error
		whole []Format
	}{
		"report":      {func(w io.Writer, f Format, cfg Config) error { return Report(w, r, f, cfg) }, []Format{MarkdownFormat, HTMLFormat}},
		"comparison":  {func(w io.Writer, f Format, cfg Config) error { return Comparison(w, c, f, cfg) }, []Format{MarkdownFormat, HTMLFormat}},
		"calibration": {func(w io.Writer, f Format, cfg Config) error { return Calibration(w, calibration, f, cfg) }, []Format{MarkdownFormat, HTMLFormat}},
		"alignment":   {func(w io.Writer, f Format, cfg Config) error { return Alignment(w, alignment, f, cfg) }, []Format{MarkdownFormat, HTMLFormat}},
		"columns":     {func(w io.Writer, f Format, cfg Config) error { return Columns(w, columns, f, cfg) }, nil},
	} {
		for _, f := range append([]Format{TextFormat}, tt.whole...) {
			var short, long bytes.Buffer
			if err := errors.Join(tt.write(&short, f, Config{}), tt.write(&long, f, Config{Details: true})); err != nil {
				t.Fatal(err)
			}
			if (short.String() == long.String()) != (f != TextFormat) {
				t.Errorf("%s as %s: %d bytes, with details %d", name, f, short.Len(), long.Len())
			}
		}
	}
}

// TestJUnitWhole: a report with everything that JUnit can tell, to the letter.
func TestJUnitWhole(t *testing.T) {
	judged := of("c2", "judged", "pay", false)
	judged.Source, judged.Judge, judged.Explanation = score.Judge, "j", "no <reason>"
	bare, failed, whole := of("c2", "strict", "", true), of("c2", "strict", "get", true), of("c2", "strict", "", false)
	bare.Value, bare.Passed, bare.Status = nil, nil, score.NotApplicable
	failed.Value, failed.Passed, failed.Status, failed.Error = nil, nil, score.Error, &score.Failure{Kind: "timeout", Message: "late"}
	whole.CallIndex, whole.Explanation = nil, ""
	loose := of("c3", "loose", "pay", false)
	graded := of("c3", "covered", "pay", false)
	r := &report.Report{
		Run: report.Run{Thresholds: []string{"loose=0.1"}},
		Gates: []report.GateResult{
			{Score: "strict", Measure: "min_pass_rate", Line: "FAIL  strict"}, {Score: "judged", Measure: "min_mean", Passed: true, Line: "pass  judged"},
			{Score: "loose", Measure: "min_mean", Line: "FAIL  loose"}, {Score: "covered", Measure: "min_coverage", Line: "FAIL  covered"},
		},
		Scores: []report.ScoreRow{
			{Instrument: report.Instrument{Name: "strict", Source: "deterministic", Level: "call"}, N: 1},
			{Instrument: report.Instrument{Name: "judged", Judge: "j", Source: "judge", Level: "call"}, Unscored: 2, Errors: 1, NotApplicable: 3},
		},
	}
	scores := each(of("c1\x1b", "strict", "pay\x1b", true), judged, bare, failed, whole, loose, graded)
	var out bytes.Buffer
	if err := Report(&out, r, JUnitFormat, Config{Scores: scores}); err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="judge" tests="13" failures="4">
 <testsuite name="gates" tests="4" failures="3" skipped="0">
  <testcase classname="gates" name="strict min_pass_rate">
   <failure message="FAIL  strict"></failure>
  </testcase>
  <testcase classname="gates" name="judged min_mean">
   <system-out>pass  judged</system-out>
  </testcase>
  <testcase classname="gates" name="loose min_mean">
   <failure message="FAIL  loose"></failure>
  </testcase>
  <testcase classname="gates" name="covered min_coverage">
   <failure message="FAIL  covered"></failure>
  </testcase>
 </testsuite>
 <testsuite name="scores" tests="2" failures="0" skipped="1">
  <testcase classname="scores.deterministic" name="strict (call)">
   <system-out>n 1, mean –, pass rate –, missing 0</system-out>
  </testcase>
  <testcase classname="scores.judge" name="judged by j (call)">
   <skipped message="no scores: unscored 2, errors 1, not applicable 3"></skipped>
  </testcase>
 </testsuite>
 <testsuite name="c1\u001b" tests="1" failures="0" skipped="0">
  <testcase classname="c1\u001b" name="call 0 pay\u001b: strict">
   <system-out>1</system-out>
  </testcase>
 </testsuite>
 <testsuite name="c2" tests="4" failures="1" skipped="3">
  <testcase classname="c2" name="call 0 pay: judged by j">
   <skipped message="fails, and its gate does not: 0.2 no &lt;reason&gt;"></skipped>
  </testcase>
  <testcase classname="c2" name="call 0: strict">
   <skipped message="not_applicable"></skipped>
  </testcase>
  <testcase classname="c2" name="call 0 get: strict">
   <skipped message="error: timeout: late"></skipped>
  </testcase>
  <testcase classname="c2" name="strict">
   <failure message="0.2 (FAIL  strict)"></failure>
  </testcase>
 </testsuite>
 <testsuite name="c3" tests="2" failures="0" skipped="1">
  <testcase classname="c3" name="call 0 pay: loose">
   <system-out>0.2</system-out>
  </testcase>
  <testcase classname="c3" name="call 0 pay: covered">
   <skipped message="fails, and its gate does not: 0.2 because"></skipped>
  </testcase>
 </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestJUnitOfNothing: scores without a gate are no cases, and their conversations no suites.
func TestJUnitOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := Report(&out, &report.Report{}, JUnitFormat, Config{Scores: each(of("c1", "free", "pay", false))}); err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="judge" tests="0" failures="0">
 <testsuite name="gates" tests="0" failures="0" skipped="0"></testsuite>
 <testsuite name="scores" tests="0" failures="0" skipped="0"></testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestJUnitLongTexts: every text is cut at 1000 characters.
func TestJUnitLongTexts(t *testing.T) {
	long := strings.Repeat("x", 1001)
	s := &junitSuite{}
	s.add(junitCase{Out: long, Failure: &junitWords{long}, Skipped: &junitWords{long}})
	want := strings.Repeat("x", 999) + "…"
	if c := s.Cases[0]; c.Out != want || c.Failure.Message != want || c.Skipped.Message != want {
		t.Errorf("%d, %d and %d bytes", len(c.Out), len(c.Failure.Message), len(c.Skipped.Message))
	}
}

// TestJUnitReasons: a call is in the group of the most exact reason why it fails; what passes, an extra score, and
// scores of results and turns are no reasons.
func TestJUnitReasons(t *testing.T) {
	exact := of("c1", "schema_check", "pay", false)
	exact.Details = value.Pairs("errors", []value.Value{value.Pairs("path", "/a", "keyword", "type", "message", "is a string")})
	weak := of("c1", "strict", "pay", false)
	why, better := groups.Of(&weak, ""), groups.Of(&exact, "")
	r := &report.Report{
		Gates:         []report.GateResult{{Score: "strict", Measure: "min_pass_rate", Line: "FAIL"}, {Score: "graded", Measure: "min_mean"}},
		FailureGroups: []report.FailureGroup{{ID: why.ID(), Name: "weak"}, {ID: better.ID(), Name: "exact"}},
	}
	for _, tt := range []struct {
		name   string
		change func(*score.Score)
		want   string
	}{
		{"a reason", func(*score.Score) {}, "exact"},
		{"of a result", func(s *score.Score) { s.Scope = score.ScopeResult }, "weak"},
		{"of a turn", func(s *score.Score) { s.Scope = score.ScopeTurn }, "weak"},
		{"an extra score", func(s *score.Score) { s.Purpose = "qa" }, "weak"},
		{"it passes", func(s *score.Score) { s.Passed, s.Value = new(true), new(1.0) }, "weak"},
		{"it has no verdict", func(s *score.Score) { s.Passed = nil }, "weak"},
		{"of another call", func(s *score.Score) { s.CallIndex = new(1) }, "weak"},
	} {
		graded := of("c1", "graded", "pay", true)
		graded.Passed = nil
		more := exact
		tt.change(&more)
		for _, list := range [][]score.Score{{weak, more, graded}, {more, weak, graded}} {
			var out bytes.Buffer
			if err := Report(&out, r, JUnitFormat, Config{Scores: each(list...)}); err != nil {
				t.Fatal(err)
			}
			id := map[string]string{"weak": why.ID(), "exact": better.ID()}[tt.want]
			for _, want := range []string{`"0.2 because (FAIL) [` + id + ": " + tt.want + `]"`, `"no pass mark: 1"`} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s: no %s in\n%s", tt.name, want, out.String())
				}
			}
		}
	}
}

// TestOneEvent: one export, to the letter.
func TestOneEvent(t *testing.T) {
	var out bytes.Buffer
	s := score.Score{ConversationID: "c", CallIndex: new(0), CallID: "k", Tool: "f", Name: "tone", Source: score.Judge, Judge: "m",
		Status: score.Scored, Value: new(2.0), Label: "warm"}
	cfg := OTelConfig{Time: time.Unix(1795200000, 5), Run: report.Manifest{Version: "1.2", RunID: "r", Rubrics: []report.Rubric{{Name: "tone"}, {Name: "strict", Max: 1}}}}
	if err := OTel(&out, stream(s), cfg); err != nil {
		t.Fatal(err)
	}
	text := func(key, value string) string { return `{"key":"` + key + `","value":{"stringValue":"` + value + `"}}` }
	want := `{"resourceLogs":[{"resource":{"attributes":[` + text("service.name", "judge") + `]},"scopeLogs":[{"scope":{"name":"judge","version":"1.2"},` +
		`"logRecords":[{"timeUnixNano":"1795200000000000005","severityNumber":9,"attributes":[` + text("gen_ai.evaluation.name", "tone") +
		`,{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":2.0}},` + text("gen_ai.evaluation.score.label", "warm") + "," +
		text("judge.evaluator.id", "m") + "," + text("judge.evaluator.type", "llm") + "," + text("judge.conversation.id", "c") +
		`,{"key":"judge.call.index","value":{"intValue":"0"}},` + text("gen_ai.tool.call.id", "k") + "," + text("gen_ai.tool.name", "f") + "," +
		text("test.case.name", "c") + "," + text("judge.run.id", "r") + `],"eventName":"gen_ai.evaluation.result"}],` +
		`"schemaUrl":"https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"}]}]}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	if err := OTel(&out, stream(score.Score{Source: score.Label}), cfg); err != nil || out.Len() > 0 {
		t.Errorf("labels are written as %s, %v", out.String(), err)
	}
	// A scorer with the name of a rubric has no scale; a failure of an unknown kind has the convention's word for it.
	strict := of("c", "strict", "pay", false)
	odd := score.Score{ConversationID: "c", Name: "strict", Source: score.Judge, Judge: "m", Status: score.Unscored, Error: &score.Failure{Kind: "odd"}}
	records, _ := written(t, cfg, strict, odd)
	if _, scaled := records[0]["judge.score.max"]; scaled || records[0]["gen_ai.evaluation.score.label"] != "fail" {
		t.Errorf("%v", records[0])
	}
	if r := records[1]; r["error.type"] != "_OTHER" || r["judge.error.kind"] != "odd" || r["judge.score.max"] != 1.0 {
		t.Errorf("%v", r)
	}
}

// TestEscape: GitHub shows every text as it is; an underscore inside a word needs no escape.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a_b": "a_b", "a_1": "a_1", "1_ä": "1_ä", "_a": `\_a`, "a_": `a\_`, "a__b": `a\_\_b`, "a _b": `a \_b`, "a_ b": `a\_ b`, "_": `\_`,
		"<b>&": "&lt;b&gt;&amp;", "a|b\\c": `a\|b\\c`, "`x` *y* [z]": "\\`x\\` \\*y\\* \\[z\\]", "~#!${}": `\~\#\!\$\{\}`,
		"https://www.x.y @me": "https&#58;//www&#46;x.y &#64;me", "\x1b": `\\u001b`,
	} {
		if got := escape(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// parts returns a document with one open section.
func parts(title string, parts ...words.Part) *words.Document {
	return &words.Document{Sections: []words.Section{{Title: title, Parts: parts}}}
}

// TestFactsAsText: short answers, those in blocks apart, as many lines of each as all have room for.
func TestFactsAsText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 40))
	for _, tt := range []struct {
		name  string
		facts words.Facts
		want  string
	}{
		{"blocks stand apart", words.Facts{{Name: "A", Lines: []string{"one"}}, {Name: "B", Block: true, Lines: []string{"two"}}, {Name: "C", Lines: []string{"three"}},
			{Name: "D?", Lines: []string{"four", "five"}}}, "A: one\n\nB\n  two\n\nC: three\nD? four\n   five\n"},
		{"a block comes first", words.Facts{{Name: "B", Block: true, Lines: []string{"two"}}, {Name: "E", Block: true, Items: []string{"x"}}}, "B\n  two\n\nE\n  x\n"},
		{"more than six", words.Facts{{Name: "A", Lines: []string{"1", "2", "3", "4"}, Items: []string{"5", "6", "7", "8"}}},
			"A: 1\n   2\n   3\n   4\n   5\n   6\n   2 more\n"},
		{"whole", words.Facts{{Name: "A", Whole: true, Lines: []string{"1", "2", "3", "4", "5", "6", "7"}}}, "A: 1\n   2\n   3\n   4\n   5\n   6\n   7\n"},
		{"an empty line", words.Facts{{Name: "A", Whole: true, Lines: []string{"", "1"}}}, "A:\n   1\n"},
		{"thirty lines", words.Facts{{Name: "A", Whole: true, Lines: slices.Repeat([]string{"x"}, 27)}, {Name: "B", Block: true, Lines: []string{"y"}}},
			"A: x\n" + strings.Repeat("   x\n", 26) + "\nB\n  y\n"},
		{"one more", words.Facts{{Name: "A", Whole: true, Lines: slices.Repeat([]string{"x"}, 28)}, {Name: "B", Block: true, Lines: []string{"y"}}},
			"A: x\n" + strings.Repeat("   x\n", 27) + "B\n  y\n"},
		{"a long one", words.Facts{{Name: "A", Lines: []string{long}}},
			"A: word word word word word word word word word word word\n   word word word word word word word word word word word w…\n"},
		{"a long one that has room", words.Facts{{Name: "A", Most: 4, Lines: []string{long}}},
			"A: word word word word word word word word word word word\n   word word word word word word word word word word word\n" +
				"   word word word word word word word word word word word\n   word word word word word word word\n"},
	} {
		var out bytes.Buffer
		if err := writeText(&out, parts("", tt.facts), Config{Width: 60}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestTextInColour: names are bold, bad ones red; without colour nothing is.
func TestTextInColour(t *testing.T) {
	d := parts("Title", words.Facts{{Name: "A", Lines: []string{"one"}}, {Name: "B", Bad: true, Lines: []string{"two"}}, {Lines: []string{"three"}}})
	for color, want := range map[bool]string{
		true:  "\x1b[1mTitle\x1b[0m\n\x1b[1mA: \x1b[0mone\n\x1b[1;31mB: \x1b[0mtwo\nthree\n",
		false: "Title\nA: one\nB: two\nthree\n",
	} {
		var out bytes.Buffer
		if err := writeText(&out, d, Config{Color: color}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("colour %v: %s", color, diff)
		}
	}
}

// TestListsAndTables: how text and Markdown show lists, tables with groups, and what is left out.
func TestListsAndTables(t *testing.T) {
	table := words.NewTable("lr", "name", "n")
	table.Most = 2
	table.Group("group " + strings.Repeat("g", 120))
	table.Add("one\x1b", 1)
	table.Add("two", 20)
	table.Add("three", 3)
	last := words.NewTable("ll", "a", "b")
	last.Add("x", "y\x1b")
	list := words.List{Items: []words.Item{{Title: "plain"}, {Title: "words", Words: "why"}, {Title: "lines", Lines: []string{"l1", "l2"}}}, Most: 3, More: "are elsewhere"}
	d := &words.Document{Sections: []words.Section{{Parts: []words.Part{words.Sentence{Text: "first"}, list}}, {Title: "Second", Parts: []words.Part{table}}, {Title: "Third",
		Parts: []words.Part{words.Heading{Text: "head"}}}, {Parts: []words.Part{words.List{Items: []words.Item{{Title: "last\x1b"}}}, last}}}}
	want := map[string]string{
		"text": "  first\nplain\nwords\n     why\nlines\n     l1\n     l2\n\nSecond\n  name         n\n  --------------\n" +
			"  group " + strings.Repeat("g", 89) + "…\n    one\\u001b  1\n  2 more rows are in the JSON form\n\nThird\n head\n" +
			"last\\u001b\n  a  b\n  ----------\n  x  y\\u001b\n",
		"markdown": "first\n\n- plain\n<details><summary>words</summary>\n\nwhy\n\n</details>\n<details><summary>lines</summary>\n\n\n\n" +
			"> l1\n\n> l2\n\n</details>\n\n### Second\n\n|  | name | n |\n|:--|:--|--:|\n| group " + strings.Repeat("g", 120) +
			" | one\\\\u001b | 1 |\n\n2 more rows are in the JSON form.\n\n### Third\n\n#### head\n\n- last\\\\u001b\n" +
			"\n| a | b |\n|:--|:--|\n| x | y\\\\u001b |\n",
	}
	if diff := cmp.Diff(want, rendered(t, d)); diff != "" {
		t.Error(diff)
	}
}

// TestFoldedSections: sections that do not fit into a comment are named.
func TestFoldedSections(t *testing.T) {
	section := func(name string, size int) words.Section {
		return words.Section{Name: name, Title: name + " title", Do: "do", Parts: []words.Part{words.Sentence{Text: strings.Repeat("x", size)}}}
	}
	var out bytes.Buffer
	d := &words.Document{Title: "T", Foot: "foot", Sections: []words.Section{section("Aa", 40_000), section("Bb", 30_000), section("Cc", 10), section("Dd", 30_000)}}
	if err := writeMarkdown(&out, d); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), strings.Repeat("x", 40_000), "X")
	const want = "## T\n\n<details><summary>Details: aa, bb, cc, dd</summary>\n\n<details><summary>Aa title</summary>\n\ndo\n\nX\n\n</details>\n" +
		"\n<details><summary>Cc title</summary>\n\ndo\n\nxxxxxxxxxx\n\n</details>\n\nToo long for a comment, see report.html: Bb title; Dd title.\n" +
		"\n</details>\n\n<sub>foot</sub>\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOneSectionTooLong: a single section that does not fit is named too.
func TestOneSectionTooLong(t *testing.T) {
	var out bytes.Buffer
	long := words.Section{Name: "Aa", Title: "Aa title", Do: "do", Parts: []words.Part{words.Sentence{Text: strings.Repeat("x", 60_000)}}}
	if err := writeMarkdown(&out, &words.Document{Sections: []words.Section{long}}); err != nil {
		t.Fatal(err)
	}
	const want = "<details><summary>Details: aa</summary>\n\nToo long for a comment, see report.html: Aa title.\n\n</details>\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestFactsAsMarkdown: if all answers would take more than 30 lines, each has fewer.
func TestFactsAsMarkdown(t *testing.T) {
	var facts words.Facts
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		facts = append(facts, words.Fact{Name: name, Lines: []string{"1", "2", "3", "4", "5", "6", "7"}})
	}
	facts = append(facts, words.Fact{Name: "G", Block: true, Lines: []string{"1"}}, words.Fact{Lines: []string{"bare"}})
	var out bytes.Buffer
	if err := writeMarkdown(&out, parts("", facts)); err != nil {
		t.Fatal(err)
	}
	want := "- **G**\n  - 1\n- bare\n"
	for _, name := range []string{"F", "E", "D", "C", "B", "A"} {
		want = "- **" + name + ":** 1\n  - 2\n  - 3\n  - 4 more\n" + want
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestManyFactsAsMarkdown: answers that just fit are whole, and each fact keeps its first line, however many there are.
func TestManyFactsAsMarkdown(t *testing.T) {
	for n, want := range map[int]string{5: "- **F:** 1\n  - 2\n  - 3\n  - 4\n  - 5\n  - 6\n", 6: "- **F:** 1\n  - 2\n  - 3\n  - 4\n  - 2 more\n", 40: "- **F:** 1\n  - 5 more\n"} {
		facts := slices.Repeat(words.Facts{{Name: "F", Lines: []string{"1", "2", "3", "4", "5", "6"}}}, n)
		var out bytes.Buffer
		if err := writeMarkdown(&out, parts("", facts)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Repeat(want, n), out.String()); diff != "" {
			t.Errorf("%d facts: %s", n, diff)
		}
	}
}

// TestSuitesStop: nothing more is read for a reader that has stopped.
func TestSuitesStop(t *testing.T) {
	r := &report.Report{Gates: []report.GateResult{{Score: "strict", Measure: "min_pass_rate"}}}
	for stop := range 4 {
		n := 0
		for range suites(r, each(of("c1", "strict", "pay", true), of("c2", "strict", "pay", true))) {
			if n == stop {
				break
			}
			n++
		}
		if n != stop {
			t.Errorf("%d suites before the stop, want %d", n, stop)
		}
	}
}
