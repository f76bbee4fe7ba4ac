package measure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// TestPrimaryEndpoint: which row of a comparison is the primary endpoint, and what is said if there is none of a name.
func TestPrimaryEndpoint(t *testing.T) {
	type row struct {
		judge, name, metric, tool, reduced string
		repeats                            bool // it does not decide
	}
	many := make([]row, 31)
	for i := range many {
		many[i] = row{name: fmt.Sprintf("score%02d", i)}
	}
	long := strings.Repeat("x", 81)
	for _, tt := range []struct {
		title, primary string
		rubrics        int
		rows           []row
		want           string
	}{
		{"an overall rubric", "", 2, []row{{judge: "j", name: "tone"}, {judge: "j", name: "overall"}}, "1"},
		{"the first of two judges", "", 2, []row{{judge: "j", name: "overall"}, {judge: "k", name: "overall"}}, "0"},
		{"the only rubric", "", 1, []row{{judge: "j", name: "tone"}}, "0"},
		{"none of two rubrics is overall", "", 2, []row{{judge: "j", name: "tone"}}, "none"},
		{"a scorer", "", 1, []row{{name: "overall"}}, "none"},
		{"a part of a score", "", 1, []row{{judge: "j", name: "overall", metric: "m"}}, "none"},
		{"the lowest of the calls", "", 1, []row{{judge: "j", name: "overall", reduced: report.ReduceMin},
			{judge: "j", name: "overall", reduced: report.ReduceMean}}, "1"},
		{"one tool", "", 1, []row{{judge: "j", name: "overall", tool: "pay"}}, "none"},
		{"a row that repeats another", "", 1, []row{{judge: "j", name: "overall", repeats: true}}, "none"},
		{"a scorer by its name", "exact", 1, []row{{judge: "j", name: "overall"}, {name: "exact"}}, "1"},
		{"a part by its name", "a.m", 1, []row{{name: "a"}, {name: "a", metric: "m"}}, "1"},
		{"no tool by a name", "exact", 1, []row{{name: "exact", tool: "pay"}},
			"primary endpoint exact: no score of this name is in both runs; known are "},
		{"a similar name", "exakt", 1, []row{{name: "exact"}, {name: "other"}},
			"primary endpoint exakt: no score of this name is in both runs; did you mean exact?"},
		{"known names, each once and sorted", "zzzz", 1, []row{{name: "other"}, {name: "exact"}, {name: "exact"},
			{name: "hidden", repeats: true}},
			"primary endpoint zzzz: no score of this name is in both runs; known are exact, other"},
		{"a long name", long, 1, []row{{name: "exact"}}, "primary endpoint " + long[:79] +
			"…: no score of this name is in both runs; known are exact"},
		{"a name of 80 characters", long[:80], 1, []row{{name: "exact"}}, "primary endpoint " + long[:80] +
			": no score of this name is in both runs; known are exact"},
	} {
		c := &comparer{b: &table{manifest: &report.Manifest{Rubrics: make([]report.Rubric, tt.rubrics)}},
			out: &report.Comparison{}}
		for _, r := range tt.rows {
			c.out.Rows = append(c.out.Rows, report.ChangeRow{Instrument: report.Instrument{Judge: r.judge, Name: r.name,
				Metric: r.metric}, Tool: r.tool, Reduced: r.reduced, Decides: !r.repeats})
		}
		got := "none"
		if err := c.endpoint(tt.primary); err != nil {
			got = err.Error()
		}
		for i, row := range c.out.Rows {
			if row.IsPrimary {
				got = strings.TrimPrefix(fmt.Sprint(got, " ", i), "none ")
			}
		}
		if got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.title, got, tt.want)
		}
	}
	c := &comparer{b: &table{manifest: &report.Manifest{}}, out: &report.Comparison{}}
	for _, r := range many {
		c.out.Rows = append(c.out.Rows, report.ChangeRow{Instrument: report.Instrument{Name: r.name}, Decides: true})
	}
	if err := c.endpoint("zzzz"); err == nil || !strings.HasSuffix(err.Error(), " score28, score29, 1 more") {
		t.Error(err)
	}
}

// TestCorrectionByKind: rates lead and are corrected together, the means beside them on their own, and so are tools,
// rows that repeat others and the primary endpoint; where there is no rate the mean leads.
func TestCorrectionByKind(t *testing.T) {
	change := func(n int, p float64) report.Change {
		return report.Change{N: n, P: report.Estimate{Value: &p}, Freedom: 20, Detectable: report.Estimate{Value: new(1.)}}
	}
	row := func(n int, rate, mean float64) report.ChangeRow {
		return report.ChangeRow{Decides: true, PassRate: change(n, rate), Mean: change(9, mean)}
	}
	rows := []report.ChangeRow{row(9, 0.01, 0.02), row(9, 0.03, 0.5), row(0, 0.9, 0.02), row(9, 0.04, 0.04),
		row(9, 0.02, 0.03), row(9, 0.02, 0.6), row(9, 0.06, 0.7)}
	rows[2].PassRate.P = report.Undefined(stat.NoItems) // no rate, so the mean leads
	rows[3].Tool, rows[4].IsPrimary, rows[5].Decides = "pay", true, false
	c := &comparer{statistics: statistics{Alpha: 0.05}, out: &report.Comparison{Rows: rows}}
	c.correct()
	text := func(c report.Change) string {
		if !c.PHolm.Defined() {
			return fmt.Sprint(c.PHolm.Reason, " ", c.CorrectedFor, " ", c.Noise)
		}
		return fmt.Sprintf("%g of %d %v %.4f", *c.PHolm.Value, c.CorrectedFor, c.Noise, *c.Detectable.Value)
	}
	var got []string
	for _, r := range c.out.Rows {
		got = append(got, text(r.PassRate)+"; "+text(r.Mean))
	}
	want := []string{
		"0.04 of 4 false 1.2249; 0.08 of 4 true 1.2249", "0.06 of 4 true 1.2249; 1 of 4 true 1.2249",
		"no_items 0 true; 0.06 of 4 true 1.2249", "0.04 of 1 false 1.0000; 0.04 of 1 false 1.0000",
		"0.02 of 1 false 1.0000; 0.09 of 4 true 1.2249", "0.02 of 1 false 1.0000; 0.6 of 1 true 1.0000",
		"0.06 of 4 true 1.2249; 1 of 4 true 1.2249",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestGoldOfAComparison: a difference is divided by J against the strongest reference that measures the same, decides
// in both directions, and of which the judge knows nothing.
func TestGoldOfAComparison(t *testing.T) {
	label := func(name string) string { return string(score.Label) + "/" + name }
	human, people, ofTone := label("human"), label(report.PeopleLabel), label(report.PeopleLabelOf("tone"))
	for _, tt := range []struct {
		name string
		inA  []string
		inB  []string
		m    report.Manifest
		want string
	}{
		{"a label", nil, []string{human}, report.Manifest{}, "human"},
		{"nothing", nil, nil, report.Manifest{}, ""},
		{"people before a label", nil, []string{human, people}, report.Manifest{}, report.PeopleLabel},
		{"people before a label, in the other order", nil, []string{people, human}, report.Manifest{}, report.PeopleLabel},
		{"people of another rubric", nil, []string{ofTone, human}, report.Manifest{}, "human"},
		{"people of the earlier run", []string{people}, []string{human}, report.Manifest{}, report.PeopleLabel},
		{"a label of the earlier run", []string{human}, nil, report.Manifest{}, ""},
		{"the first of two labels", nil, []string{human, label("other")}, report.Manifest{}, "human"},
		{"the judge saw it", nil, []string{human},
			report.Manifest{Judges: []report.Judge{{Name: "j", CircularWith: []string{"human"}}}}, ""},
		{"the judge applies its rules", nil, []string{human},
			report.Manifest{Judges: []report.Judge{{Name: "j", SharesRules: []string{"human"}}}}, ""},
		{"a named label", nil, []string{people, human}, report.Manifest{Gold: "human"}, "human"},
	} {
		tables := [2]*table{}
		for i, list := range [][]string{tt.inA, tt.inB} {
			tables[i] = newTable(&tt.m, newItems(), runA, nil)
			for _, one := range list {
				source, name, _ := strings.Cut(one, "/")
				tables[i].seriesOf(report.Instrument{Source: source, Name: name, Level: report.CallLevel})
			}
		}
		c := &comparer{a: tables[0], b: tables[1], out: &report.Comparison{B: tables[1].header()}}
		judge := &series{Instrument: report.Instrument{Source: string(score.Judge), Judge: "j", Name: "overall",
			Level: report.CallLevel}}
		if got := c.goldOf(seriesPair{judge, judge}, report.CallLevel).Name; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if got := c.goldOf(seriesPair{judge, judge}, report.ConversationLevel).Name; got != "" {
			t.Errorf("%s: %q is about conversations", tt.name, got)
		}
	}
}
