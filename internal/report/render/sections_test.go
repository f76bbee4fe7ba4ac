package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
)

func fullReport(t *testing.T) *report.Report {
	t.Helper()
	r, err := reporttest.Full()
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
			"gold":        "Gold for conversations: reward",
			"comparison":  "B) against runs/",
			"calibration": "Calibration by labels",
			"corrected":   "labels only",
			"confidence":  "confidence mean what it says",
			"size":        "What a run of this size can show",
			"policies":    "Answers that need a second look",
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
