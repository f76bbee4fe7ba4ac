package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/value"
)

// update rewrites the wanted files: go test ./internal/report/render -update
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func built(t testing.TB, run reporttest.Run) *report.Report {
	t.Helper()
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	floor, drop := 0.9, 5.0
	d := measure.DecideGates([]measure.Gate{
		{Score: "overall_call_correctness", MinPassRate: &floor},
		{Score: "function_call_accuracy", MinMean: &floor, By: "tool", Strict: true},
		{Score: "function_call_accuracy", MaxDrop: &drop, Against: "runs/baseline"},
	}, r, nil)
	r.Gates = d.Results
	return r
}

func TestGolden(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	for format, name := range map[Format]string{
		TextFormat: "report.txt", MarkdownFormat: "report.md", csvFormat: "report.csv", JUnitFormat: "report.xml", JSONFormat: "report.json",
	} {
		t.Run(string(format), func(t *testing.T) {
			var out bytes.Buffer
			if err := Report(&out, r, format, Config{Details: true}); err != nil {
				t.Fatal(err)
			}
			golden(t, name, out.Bytes())
		})
	}
}

func TestGoldenComparison(t *testing.T) {
	a, b := reporttest.New(1, 60), reporttest.New(1, 60)
	for i, s := range b.Scores {
		if s.Name == "function_call_accuracy" && i%3 == 0 {
			zero, fail := 0.0, false
			b.Scores[i].Value, b.Scores[i].Passed = &zero, &fail
		}
	}
	c, err := measure.Compare(a.Inputs(), b.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for format, name := range map[Format]string{TextFormat: "compare.txt", MarkdownFormat: "compare.md"} {
		var out bytes.Buffer
		if err := Comparison(&out, c, format, Config{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); after a wanted change run with -update:\n%s", path, diff)
	}
}

func hostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<svg/onload=alert(1)>`, `javascript:alert(1)`,
		`</style></title><script>`, "<a href=javascript:alert(1)>x", `<div onmouseover="alert(1)" style="position:fixed`, "</p></details></main>", `<!--`, `]]>`, "a\u202egnp.exe", "\u2066x\u2069", "\x1b[31mred\x1b[0m", "\x00\x07", "{{.Policy}}",
		"| a | b |\n|---|---|\n# head\n```", "[x](javascript:alert(1))", "@everyone https://example.com www.example.com",
		"=cmd|' /C calc'!A0", strings.Repeat("<b>", 400_000), "\xff\xfe\xfd",
	}
}

// hostileRun puts every trick of a hostile log where a log can put it.
func hostileRun() reporttest.Run {
	tricks := hostileTexts()
	run := reporttest.New(3, 30)
	for i := range run.Scores {
		s, trick := &run.Scores[i], tricks[i%len(tricks)]
		if s.CallIndex != nil {
			s.Tool = tricks[*s.CallIndex%len(tricks)]
		}
		s.Explanation, s.Evidence, s.CallID, s.Place = trick, trick, trick, trick
		s.ConversationID += tricks[len(s.ConversationID)%len(tricks)]
		if s.Source == "deterministic" {
			s.Name += tricks[i%3]
		}
		s.Correction = value.OfObject(value.Member{Key: trick, Value: value.OfString(trick)})
	}
	return run
}

// withEvidence has every trick as the evidence of some disagreement.
func withEvidence(r *report.Report) *report.Report {
	tricks := hostileTexts()
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		for k := range d.Judgements {
			d.Judgements[k].Evidence = `"` + value.Excerpt(tricks[i%len(tricks)], 600) + `"`
		}
	}
	return r
}

func TestHostileLogsShowAsText(t *testing.T) {
	run := hostileRun()
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r = withEvidence(r)
	for _, f := range Formats() {
		var out bytes.Buffer
		if err := Report(&out, r, f, Config{Color: true}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if f != JSONFormat && out.Len() > 8<<20 {
			t.Errorf("%s: %d bytes", f, out.Len())
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s is no valid UTF-8", f)
		}
		if f == JSONFormat {
			continue // JSON keeps direction characters as data
		}
		for _, bad := range []string{"\u202e", "\u2066", "\x1b[31m", "\x00", "\x07"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s lets %q through", f, bad)
			}
		}
		if f == HTMLFormat || f == MarkdownFormat {
			for _, bad := range []string{"<script", "<img", "<svg/", "<b>x", "<b><", "<!--", "</style></title>", "<a href=javascript", "<div on", "</p></details></main><", "javascript:alert(1)</a"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s holds markup from the log: %q", f, bad)
				}
			}
		}
	}
}

func TestHTMLLoadsNothing(t *testing.T) {
	var out bytes.Buffer
	if err := Report(&out, withEvidence(built(t, hostileRun())), HTMLFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "ZgotmplZ") {
		t.Error("the template engine refused a value")
	}
	// What stands inside quotes is text, whatever it says.
	bare := regexp.MustCompile(`="[^"]*"`).ReplaceAllString(text, "=")
	if attributes := regexp.MustCompile(`<[a-z][^>]*\s(src|on[a-z]+|style|action|srcset|data|formaction)=`).FindString(bare); attributes != "" {
		t.Errorf("the page has %s", attributes)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page links to %s", m[1])
		}
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)
	if style == nil {
		t.Fatal("no style sheet")
	}
	sum := sha256.Sum256([]byte(style[1]))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(html.UnescapeString(text), want) {
		t.Errorf("the policy does not name the style sheet's hash %s", want)
	}
	if !strings.Contains(html.UnescapeString(text), "default-src 'none'") {
		t.Error("no strict policy")
	}
}

func TestTextFitsTheWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		for name, run := range map[string]reporttest.Run{"plain": reporttest.New(1, 60), "hostile": hostileRun()} {
			var out bytes.Buffer
			if err := Report(&out, built(t, run), TextFormat, Config{Width: width, Details: true}); err != nil {
				t.Fatal(err)
			}
			widest := 0
			for line := range strings.Lines(out.String()) {
				widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
			}
			// Numbers are never cut: below 100 columns tables may be wider.
			if width == 100 && widest > width {
				t.Errorf("%s: a line of %d columns at width %d", name, widest, width)
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Errorf("%s: plain text has escapes", name)
			}
		}
	}
}

func TestFormatsWellFormed(t *testing.T) {
	r := built(t, hostileRun())
	var xmlOut, csvOut bytes.Buffer
	if err := writeJUnit(&xmlOut, r, hostileRun().Inputs().Scores); err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(&xmlOut)
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("JUnit is no XML: %v", err)
		}
	}
	if err := writeCSV(&csvOut, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&csvOut).ReadAll()
	if err != nil || len(rows) < 10 {
		t.Fatalf("CSV: %d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && strings.ContainsRune("=+@", rune(c[0])) {
				t.Errorf("a cell begins like a formula: %q", c)
			}
		}
	}
	if err := Report(io.Discard, r, "pdf", Config{}); err == nil {
		t.Error("an unknown format must be refused")
	}
}

func TestEmptyReport(t *testing.T) {
	r, err := measure.Build(report.Inputs{Scores: reporttest.Each(nil)}, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		var out bytes.Buffer
		if err := Report(&out, r, f, Config{Details: true}); err != nil || out.Len() == 0 {
			t.Errorf("%s: %d bytes, %v", f, out.Len(), err)
		}
	}
}

// TestBigReportIsBounded renders the report of 20,000 calls.
func TestBigReportIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a report of 20,000 calls")
	}
	r := built(t, reporttest.New(1, 5750))
	if r.Counts.Calls < 20_000 {
		t.Fatalf("only %d calls", r.Counts.Calls)
	}
	for f, most := range map[Format]int{HTMLFormat: 15 << 20, MarkdownFormat: 1 << 20, TextFormat: 1 << 20} {
		var out bytes.Buffer
		if err := Report(&out, r, f, Config{Details: true}); err != nil {
			t.Fatal(err)
		}
		if out.Len() > most {
			t.Errorf("%s has %d bytes, more than %d", f, out.Len(), most)
		}
	}
}

func TestGoldenCalibration(t *testing.T) {
	run := reporttest.New(1, 80)
	rows, err := measure.Sheet(run.Inputs(), report.Disagreements{}, measure.SheetConfig{Conversations: 30})
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]bool{}
	for _, s := range run.Scores {
		if s.Name == "function_call_accuracy" {
			right[fmt.Sprint(s.ConversationID, *s.CallIndex)] = *s.Passed
		}
	}
	for i, r := range rows {
		label := right[fmt.Sprint(r.ConversationID, r.CallIndex)]
		rows[i].Whole = labels.VerdictAnswer(label)
	}
	c, err := measure.Calibrate(run.Inputs(), rows, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Calibration(&out, c, TextFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "calibration.txt", out.Bytes())
}
