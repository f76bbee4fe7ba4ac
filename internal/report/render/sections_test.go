package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// fullReport has every section that a report can have.
func fullReport(t *testing.T) *report.Report {
	t.Helper()
	run := reporttest.New(1, 60)
	earlier := reporttest.New(1, 60)
	run.Manifest.Judges = append(run.Manifest.Judges, report.Judge{Name: "judge-a again", RetestOf: "judge-a"})
	var again []score.Score
	for i, s := range run.Scores {
		if s.Source != score.Judge {
			if s.Name == "reward" && i%2 == 0 && *s.Value == 0 {
				run.Scores[i].Value, run.Scores[i].Passed = new(0.5), new(false)
			}
			continue
		}
		if s.Status == score.Scored {
			run.Scores[i].Details = value.OfObject(value.Member{Key: "quotes", Value: value.OfInt(2)}, value.Member{Key: "quotes_grounded", Value: value.OfInt(1)})
		}
		if s.Judge == "judge-a" {
			s.Judge = "judge-a again"
			again = append(again, s)
		}
	}
	run.Scores = append(run.Scores, again...)
	in := run.Inputs()
	sheet, err := measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{Conversations: 30})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sheet {
		sheet[i].Passed = new(i%3 > 0)
	}
	labels, err := measure.Calibrate(in, sheet, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := measure.Compare(earlier.Inputs(), in, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.Name = "runs/<b>earlier</b>"
	r, err := measure.Build(in, measure.Config{Calibration: labels, Comparisons: []*report.Comparison{c}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEverySectionInEveryFormat holds each format for people to all that a report can
// say, by a number or a word that only that section has.
func TestEverySectionInEveryFormat(t *testing.T) {
	r := fullReport(t)
	for _, f := range []Format{TextFormat, MarkdownFormat, HTMLFormat} {
		var out bytes.Buffer
		if err := Report(&out, r, f, Config{Details: true}); err != nil {
			t.Fatal(err)
		}
		for section, want := range map[string]string{
			"gold":        "Taken as gold for conversations: reward",
			"comparison":  "B) against runs/",
			"calibration": "Calibration by labels",
			"corrected":   "labels only",
			"trust":       "go unchecked",
			"confidences": "How well each confidence separates",
			"size":        "What a run of this size can show",
			"policies":    "Answers that call for a second look",
			"graded":      "Graded scores as numbers",
			"peers":       "Judge against judge",
			"consensus":   "All judges at once",
			"noise":       "asked twice",
			"answers":     "What the judge quotes",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s has no section for %s (%q)", f, section, want)
			}
		}
		if f != TextFormat && strings.Contains(out.String(), "<b>earlier</b>") {
			t.Errorf("%s: the name of a run is markup", f)
		}
	}
}

func TestGoldenSections(t *testing.T) {
	r := fullReport(t)
	for format, name := range map[Format]string{TextFormat: "full.txt", MarkdownFormat: "full.md"} {
		var out bytes.Buffer
		if err := Report(&out, r, format, Config{Details: true}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
}

// TestKappaMap has a row for each judge and rubric that were compared with gold, in the colour
// of kappa.
func TestKappaMap(t *testing.T) {
	r := fullReport(t)
	table := kappaMap(r)
	if len(table.Rows) == 0 || !table.PageOnly || len(table.Heads) != len(table.Kinds) {
		t.Fatalf("%+v", table)
	}
	seen := map[string]bool{}
	for _, row := range table.Rows {
		if name := row.Cells[0].Text; seen[name] || len(row.Cells) != len(table.Heads) {
			t.Errorf("%s stands twice, or has %d cells", name, len(row.Cells))
		}
		seen[row.Cells[0].Text] = true
	}
	half, low, high := 0.5, 0.1, 0.8
	a := report.AgreementRow{Verdicts: 40, Kappa: report.Estimate{Value: &half, Low: &low, High: &high}}
	if c := kappaColour(&a); c.Text != "0.50" || c.Ends != "n 40" || c.Class != "k3" {
		t.Errorf("%+v", c)
	}
	for _, few := range []report.AgreementRow{{Verdicts: 29, Kappa: a.Kappa}, {Verdicts: 40, Kappa: report.Estimate{Value: &half,
		Low: new(-0.1), High: &high}}} {
		if c := kappaColour(&few); c.Class != "k3 weak" {
			t.Errorf("%+v", c)
		}
	}
	if c := kappaColour(&report.AgreementRow{Refused: "circular"}); c.Class != "" || c.Ends != "circular" {
		t.Errorf("%+v", c)
	}
}
