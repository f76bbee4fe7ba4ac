package measure_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// panel makes scores of several judges on one rubric, a digit 1..5 for each item,
// "-" for a missing answer; a score passes from 3 on.
func panel(columns map[string]string) []score.Score {
	var out []score.Score
	for judge, column := range columns {
		for i, c := range column {
			s := scoreOf(score.Judge, "intent", fmt.Sprintf("c%02d", i/2), i%2, 'u')
			if c != '-' {
				v := float64(c - '0')
				s = scoreOf(score.Judge, "intent", fmt.Sprintf("c%02d", i/2), i%2, map[bool]byte{true: 'p', false: 'f'}[v >= 3])
				s.Value = &v
			}
			s.Judge = judge
			out = append(out, s)
		}
	}
	return out
}

func near(e report.Estimate, want float64) bool {
	return e.Value != nil && math.Abs(*e.Value-want) < 1e-5
}

func intentRubric() []report.Rubric {
	return []report.Rubric{{Name: "intent", Min: 1, Max: 5, Integer: true, Low: new(3.0), High: new(5.0)}}
}

// All judges are held against each other, the members of a panel by themselves, and a
// panel never against its own members.
func TestConsensus(t *testing.T) {
	columns := map[string]string{
		"a": "5432154321543215",
		"b": "5432254321443215",
		"c": "1432154-21543255",
	}
	in := inputsOf(panel(map[string]string{"a": columns["a"], "b": columns["b"], "c": columns["c"], "p": columns["a"]}))
	in.Manifest.Rubrics = intentRubric()
	in.Manifest.Judges = []report.Judge{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "p", Members: []string{"a", "b"}}}
	r := buildReport(t, in, measure.Config{})
	if len(r.Consensus) != 2 || r.Consensus[0].Panel != "" || len(r.Consensus[0].Judges) != 3 || r.Consensus[1].Panel != "p" || len(r.Consensus[1].Judges) != 2 {
		t.Fatalf("rows %+v", r.Consensus)
	}
	var values [][]float64
	for _, name := range []string{"a", "b", "c"} {
		var column []float64
		for _, c := range columns[name] {
			v := float64(c - '0')
			if c == '-' {
				v = math.NaN()
			}
			column = append(column, v)
		}
		values = append(values, column)
	}
	want, err := raters.ClusteredAlpha(values, nil, raters.LevelOrdinal, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	row := r.Consensus[0]
	if row.N != 16 || row.Scale != raters.LevelOrdinal || !near(row.Values, want.Value.Value) || !row.Values.HasInterval() || !row.Fleiss.Defined() {
		t.Errorf("row %+v, want alpha %v", row, want.Value)
	}
	for _, p := range r.JudgeVsJudge {
		if p.A == "p" && p.B != "c" || p.B == "p" && p.A != "c" {
			t.Errorf("%s is compared with its member: %+v", p.A, p)
		}
	}
}

// TestHalo: rubrics that are asked together pull each other if their scores go together more than when
// each is asked alone.
func TestHalo(t *testing.T) {
	var scores []score.Score
	for _, of := range []struct{ judge, rubric, values string }{
		{"a", "intent", "1234512345123451"}, {"a", "use", "5134215342513421"},
		{"b", "intent", "1234512345123452"}, {"b", "use", "1234512345123452"},
	} {
		for i, v := range of.values {
			s := scoreOf(score.Judge, of.rubric, fmt.Sprintf("c%02d", i/2), i%2, 'p')
			s.Judge, s.Value, s.Passed = of.judge, new(float64(v-'0')), new(v >= '4')
			scores = append(scores, s)
		}
	}
	in := inputsOf(scores)
	for _, name := range []string{"intent", "use"} {
		in.Manifest.Rubrics = append(in.Manifest.Rubrics, report.Rubric{Name: name, Min: 1, Max: 5, Integer: true, Low: new(4.), High: new(5.)})
	}
	for _, together := range []string{"b", "a"} {
		in.Manifest.Judges = []report.Judge{{Name: "a", Together: together == "a"}, {Name: "b", RetestOf: "a", Together: together == "b"}}
		r := buildReport(t, in, measure.Config{})
		if len(r.Noise) != 2 || !r.Noise[0].Together || len(r.Halo) != 1 {
			t.Fatalf("noise %+v, halo %+v", r.Noise, r.Halo)
		}
		h := r.Halo[0]
		alone, joint := h.Alone, h.Together
		if together == "a" {
			alone, joint = joint, alone
		}
		if h.Judge != "a" || h.A+" "+h.B != "intent use" || h.N != 16 || !near(joint, 1) || *alone.Value > 0.5 ||
			!(math.Abs(*h.More.Value-(*h.Together.Value-*h.Alone.Value)) <= 1e-12) || h.More.Low == nil ||
			(*h.More.Low > 0) != (together == "b") {
			t.Errorf("%+v", h)
		}
	}
	in.Manifest.Judges = []report.Judge{{Name: "a"}, {Name: "b", RetestOf: "a"}}
	if r := buildReport(t, in, measure.Config{}); r.Halo != nil || r.Noise[0].Together {
		t.Errorf("a plain retest has a halo: %+v", r.Halo)
	}
}

// A judge's second hearing is noise, not a judge: it stands in one table alone.
func TestNoise(t *testing.T) {
	scores := panel(map[string]string{"a": "5432154321543215", "a again": "5432254321543212"})
	for i := range 16 {
		scores = append(scores, scoreOf(score.Label, "human", fmt.Sprintf("c%02d", i/2), i%2, 'p'))
	}
	in := inputsOf(scores)
	in.Manifest.Rubrics = intentRubric()
	in.Manifest.Judges = []report.Judge{{Name: "a"}, {Name: "a again", RetestOf: "a"}}
	r := buildReport(t, in, measure.Config{})
	if len(r.Noise) != 1 {
		t.Fatalf("noise %+v", r.Noise)
	}
	n := r.Noise[0]
	if n.Judge != "a" || n.N != 16 || !near(n.Repeated, 14.0/16) || !near(n.Flips, 1.0/16) || !near(n.WithinSD, math.Sqrt((0.5+4.5)/16)) || !n.ICC.Defined() {
		t.Errorf("noise %+v", n)
	}
	if len(r.JudgeVsJudge) != 0 || len(r.Agreement) != 1 || len(r.JudgeChecks) != 1 || len(r.Judges()) != 1 {
		t.Errorf("the second hearing is taken for a judge: %d peers, %d agreements, %d checks, judges %v", len(r.JudgeVsJudge), len(r.Agreement), len(r.JudgeChecks), r.Judges())
	}
}
