package render

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// measure is a number of the CSV form over n items.
type measure struct {
	name string
	n    int
	e    report.Estimate
}

// writeCSV writes one table with a row per number of the report: scores, scores by tool,
// agreement, noise, and the consensus of judges. The columns are the same for every row;
// a number that is undefined is empty. Cells that a spreadsheet would run as a formula
// get a quote before them.
func writeCSV(w io.Writer, r *report.Report) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"section", "source", "judge", "name", "level", "tool", "reference", "reduction",
		"measure", "n", "value", "low", "high", "reason"}}
	add := func(head []string, list ...measure) {
		for _, m := range list {
			row := append(head[:8:8], m.name, strconv.Itoa(m.n), digits(m.e.Value), digits(m.e.Low), digits(m.e.High), m.e.Reason)
			for i := range row {
				row[i] = cell(row[i])
			}
			rows = append(rows, row)
		}
	}
	for _, s := range r.Scores {
		add([]string{"scores", s.Source, s.Judge, s.Title(), s.Level, "", "", ""},
			measure{"mean", s.N, s.Mean}, measure{"pass_rate", s.Judged, s.PassRate},
			measure{"coverage", s.N + s.Unscored + s.Errors, s.Coverage},
			measure{"detectable_from_target", s.Judged, s.Detectable.FromTarget},
			measure{"detectable_between_runs", s.Judged, s.Detectable.BetweenRuns})
	}
	for _, t := range r.ByTool {
		for _, s := range t.Scores {
			add([]string{"by_tool", s.Source, s.Judge, s.Title(), s.Level, t.Tool, "", ""},
				measure{"mean", s.N, s.Mean}, measure{"pass_rate", s.N, s.PassRate})
		}
	}
	for _, a := range r.Agreement {
		addAgreement(add, a)
	}
	for _, n := range r.Noise {
		add([]string{"noise", "judge", n.Judge, n.Rubric, n.Level, "", "", ""}, measure{"repeated", n.N, n.Repeated},
			measure{"flip_rate", n.N, n.Flips}, measure{"within_sd", n.N, n.WithinSD}, measure{"floor", n.N, n.Floor})
	}
	for _, c := range r.Consensus {
		add([]string{"consensus", "judge", c.Panel, c.Rubric, c.Level, "", "", ""}, measure{"fleiss_kappa", c.N, c.Fleiss},
			measure{"alpha_verdicts", c.N, c.Nominal}, measure{"alpha_values", c.N, c.Values})
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write csv report: %w", err)
	}
	return nil
}

func addAgreement(add func([]string, ...measure), a report.AgreementRow) {
	head := []string{"agreement", "judge", a.Judge, a.Rubric, a.Level, "", a.Reference.Title(), a.Reduction}
	n := a.Verdicts
	add(head, measure{"base_rate", n, a.BaseRate}, measure{"judge_rate", n, a.JudgeRate}, measure{"accuracy", n, a.Accuracy},
		measure{"balanced_accuracy", n, a.Balanced}, measure{"recall_wrong", n, a.RecallWrong},
		measure{"specificity", n, a.Specificity}, measure{"mcc", n, a.MCC}, measure{"kappa", n, a.Kappa},
		measure{"ac1", n, a.AC1}, measure{"spearman", n, a.Spearman}, measure{"auc", n, a.AUC})
	if g := a.Graded; g != nil {
		add(head, measure{"bias", a.N, g.Bias}, measure{"mae", a.N, g.MAE}, measure{"rmse", a.N, g.RMSE}, measure{"ccc", a.N, g.CCC})
	}
	for _, t := range a.ByTool {
		head[5] = t.Tool
		add(head, measure{"accuracy", t.N, t.Agreement}, measure{"kappa", t.N, t.Kappa})
	}
}

// digits are all digits of a number, for programs.
func digits(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

// cell guards against spreadsheets that run what begins like a formula; numbers
// are left alone.
func cell(text string) string {
	text = value.Visible(text)
	start := strings.TrimLeft(text, " \u00a0\u2003\u3000")
	if start == "" || !strings.ContainsRune("=+-@＝＋－＠", []rune(start)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitWords `xml:"failure,omitempty"`
	Skipped *junitWords `xml:"skipped,omitempty"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitWords struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes the report as JUnit XML: a suite of gates, whose failures are
// failures, and a suite of scores, which only inform: a score that could not be
// measured is skipped, never failed.
func writeJUnit(w io.Writer, r *report.Report) error {
	gates, scores := junitSuite{Name: "gates", Tests: len(r.Gates)}, junitSuite{Name: "scores", Tests: len(r.Scores)}
	for _, g := range r.Gates {
		c := junitCase{Class: "gates", Name: value.Visible(g.Name())}
		if g.Passed {
			c.Out = value.Visible(g.Line)
		} else {
			c.Failure = &junitWords{value.Visible(g.Line)}
			gates.Failures++
		}
		gates.Cases = append(gates.Cases, c)
	}
	for i := range r.Scores {
		s := &r.Scores[i]
		c := junitCase{Class: "scores." + s.Source, Name: value.Visible(s.Words() + " (" + s.Level + ")")}
		if s.N > 0 {
			c.Out = fmt.Sprintf("n %d, mean %s, pass rate %s, missing %d", s.N, mean(r.BoundedMean(s)), rate(s.PassRate), s.Unscored+s.Errors)
		} else {
			c.Skipped = &junitWords{fmt.Sprintf("no scores: %d unscored, %d errors, %d not applicable", s.Unscored, s.Errors, s.NotApplicable)}
			scores.Skipped++
		}
		scores.Cases = append(scores.Cases, c)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}{Name: "judge", Tests: gates.Tests + scores.Tests, Failures: gates.Failures, Suites: []junitSuite{gates, scores}}, "", " ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	if err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	return nil
}
