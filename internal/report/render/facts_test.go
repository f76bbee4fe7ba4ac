package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// crowded returns a report with more of everything than has room in the short text: judges,
// gates, warnings, comparisons, stopped judges, long names.
func crowded(t *testing.T) *report.Report {
	run := reporttest.New(1, 60)
	for i := range 12 {
		for _, s := range run.Scores {
			if s.Source == score.Judge && s.Judge == "judge-a" {
				s.Judge = strings.Repeat("another judge ", 5) + fmt.Sprint(i)
				run.Scores = append(run.Scores, s)
			}
		}
	}
	r := built(t, run)
	for i := range 50 {
		r.Warnings = append(r.Warnings, report.Warning{Code: "w", Text: strings.Repeat(fmt.Sprint("a long warning ", i, " "), 30)})
		r.Gates = append(r.Gates, report.GateResult{Score: fmt.Sprint("score ", i), Measure: "min_mean", Line: "FAIL  it"})
		r.Stopped = append(r.Stopped, report.Stop{Judge: "j", Rubric: "r", Kind: "refusal", Error: strings.Repeat("no ", 200)})
		r.Comparisons = append(r.Comparisons, &report.Comparison{Name: strings.Repeat("earlier ", 20)})
		r.Noise = append(r.Noise, report.NoiseRow{Judge: "j", Rubric: "overall", N: 3, Flips: report.Estimate{Value: new(0.5)}})
	}
	for i := range r.Failing.Items {
		r.Failing.Items[i].Sides[0].Explanation = strings.Repeat("because of this ", 50)
		r.Failing.Items[i].Place = strings.Repeat("folder/", 40) + "log.jsonl:12"
	}
	return r
}

// TestShortTextIsShort: at most 30 lines, whatever there is to say and however narrow the
// terminal, and the pass rate and the trust are never cut.
func TestShortTextIsShort(t *testing.T) {
	hostile := built(t, hostileRun())
	for name, r := range map[string]*report.Report{"plain": built(t, reporttest.New(1, 60)), "hostile": hostile, "crowded": crowded(t)} {
		for _, width := range []int{0, 60, 80, 300} {
			var out bytes.Buffer
			cfg := Config{Width: width, Run: "runs/latest"}
			if err := Report(&out, r, TextFormat, cfg); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			if n := strings.Count(text, "\n"); n > words.MaxLines || n < 8 {
				t.Errorf("%s at width %d: %d lines\n%s", name, width, n, text)
			}
			for _, want := range []string{"tool calls in ", "How often is the agent right?", "judge report runs/latest --details"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s at width %d: no %q\n%s", name, width, want, text)
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > max(width, 100) && !strings.Contains(line, "judge show") {
					t.Errorf("%s: %d columns at width %d: %s", name, n, width, line)
				}
			}
		}
	}
}

// TestShortTextHasColour on a terminal alone.
func TestShortTextHasColour(t *testing.T) {
	for _, color := range []bool{true, false} {
		var out bytes.Buffer
		r := built(t, reporttest.New(1, 20))
		if err := Report(&out, r, TextFormat, Config{Color: color}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\x1b[1mHow often") != color {
			t.Errorf("color %t: %q", color, out.String()[:80])
		}
	}
}

// TestShortTextWithoutJudge: each way of having little to say is readable.
func TestShortTextWithoutJudge(t *testing.T) {
	fail := func(source score.Source, name string, call *int) score.Score {
		return score.Score{ConversationID: "c", CallIndex: call, Name: name, Source: source, Status: score.Scored,
			Value: new(0.0), Passed: new(false), Explanation: "why not"}
	}
	for name, test := range map[string]struct {
		scores []score.Score
		want   []string
	}{
		"nothing":  {nil, []string{"0 tool calls in 0 conversations · nothing was scored"}},
		"scorer":   {[]score.Score{fail(score.Deterministic, "schema_check", new(0))}, []string{"0 % of 1 call", "says schema_check", "1 × why not (c:0)"}},
		"label":    {[]score.Score{fail(score.Label, "human", nil)}, []string{"0 % of 1 conversation", "by the label human", "1 × why not (c)"}},
		"no label": {[]score.Score{judged(fail(score.Judge, "overall", new(0)))}, []string{"Not known yet", "(1 of 1, says j)"}},
	} {
		var out bytes.Buffer
		r, err := measure.Build(report.Inputs{Scores: reporttest.Each(test.scores)}, measure.Config{})
		if err == nil {
			err = Report(&out, r, TextFormat, Config{})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
}

func judged(s score.Score) score.Score {
	s.Judge = "j"
	return s
}

// TestMarkdownIsShort: at most 60 lines are open, the rest is folded, and all fits into a
// comment.
func TestMarkdownIsShort(t *testing.T) {
	for name, r := range map[string]*report.Report{"plain": built(t, reporttest.New(1, 60)), "crowded": crowded(t)} {
		var out bytes.Buffer
		if err := Report(&out, r, MarkdownFormat, Config{Run: "runs/latest"}); err != nil {
			t.Fatal(err)
		}
		open, depth := 0, 0
		for line := range strings.Lines(out.String()) {
			if depth == 0 {
				open++
			}
			depth += strings.Count(line, "<details") - strings.Count(line, "</details>")
		}
		if open > 60 || depth != 0 || out.Len() > 65_536 {
			t.Errorf("%s: %d open lines, %d details not closed, %d bytes", name, open, depth, out.Len())
		}
	}
}
