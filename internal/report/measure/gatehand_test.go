package measure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// TestRegressionsDecide: what fails --fail-on-regression, row by row.
func TestRegressionsDecide(t *testing.T) {
	// worse is a clear drop of 10 points whose interval begins at 2.
	worse := func(change func(*report.ChangeRow)) report.ChangeRow {
		return droppedBy(10, func(r *report.ChangeRow) {
			r.PassRate.PHolm = pointAt(0.01)
			if change != nil {
				change(r)
			}
		})
	}
	noise := worse(func(r *report.ChangeRow) { r.PassRate.Noise, r.Name = true, "noise" })
	quiet := worse(func(r *report.ChangeRow) { r.PassRate.Noise = true })
	same := worse(func(r *report.ChangeRow) {
		r.Name, r.PassRate.Constant = "same", true
		r.PassRate.PHolm, r.PassRate.Delta, r.PassRate.Noise = report.Estimate{}, pointAt(0), true
	})
	untested := worse(func(r *report.ChangeRow) { r.PassRate.PHolm = report.Estimate{} })
	unpaired := worse(func(r *report.ChangeRow) { r.PassRate.N = 0 })
	aside := worse(func(r *report.ChangeRow) { r.Decides = false })
	onTool := worse(func(r *report.ChangeRow) { r.Tool = "pay" })
	otherTool := worse(func(r *report.ChangeRow) { r.Tool, r.Name = "pay", "other" })
	every := worse(func(r *report.ChangeRow) { r.Reduced = report.ReduceMin })
	mean := worse(func(r *report.ChangeRow) { r.Reduced = report.ReduceMean })
	primary := worse(func(r *report.ChangeRow) { r.IsPrimary = true })
	less := worse(func(r *report.ChangeRow) { r.Name, r.PassRate.Delta = "less", ranged(-0.17, -0.09, -0.01) })
	byYouden := worse(func(r *report.ChangeRow) {
		r.IsPrimary, r.ByYouden = true, new(ranged(-0.4, -0.2, -0.05))
	})
	for name, tt := range map[string]struct {
		rows  []report.ChangeRow
		least float64
		tools bool
		want  []string
	}{
		"a clear drop":     {[]report.ChangeRow{noise, worse(nil)}, 0, false, []string{"j|call|| n 50: -0.1 fails "}},
		"noise":            {[]report.ChangeRow{noise}, 0, false, []string{"||| n 1:  passes "}},
		"constant":         {[]report.ChangeRow{same, noise}, 0, false, []string{"||| n 2:  passes "}},
		"no test":          {[]report.ChangeRow{untested}, 0, false, []string{"||| n 0:  fails not_measured"}},
		"no item":          {[]report.ChangeRow{unpaired}, 0, false, []string{"||| n 0:  fails not_measured"}},
		"does not decide":  {[]report.ChangeRow{aside, noise}, 0, false, []string{"||| n 1:  passes "}},
		"a tool, unasked":  {[]report.ChangeRow{noise, onTool}, 0, false, []string{"||| n 1:  passes "}},
		"a tool of no row": {[]report.ChangeRow{noise, otherTool}, 0, true, []string{"||| n 1:  passes "}},
		"only a tool":      {[]report.ChangeRow{onTool}, 0, true, []string{"||| n 0:  fails not_measured"}},
		"a tool that does not decide": {[]report.ChangeRow{quiet, worse(func(r *report.ChangeRow) {
			r.Tool, r.Decides = "pay", false
		})}, 0, true, []string{"||| n 1:  passes "}},
		"a tool without items": {[]report.ChangeRow{quiet, worse(func(r *report.ChangeRow) {
			r.Tool, r.PassRate.N = "pay", 0
		})}, 0, true, []string{"||| n 1:  passes "}},
		"a tool with one item": {[]report.ChangeRow{quiet, worse(func(r *report.ChangeRow) {
			r.Tool, r.PassRate.N = "pay", 1
		})}, 0, true, []string{"j|call||pay n 1: -0.1 fails "}},
		"a tool reduced in another way": {[]report.ChangeRow{quiet, worse(func(r *report.ChangeRow) {
			r.Tool, r.Reduced = "pay", report.ReduceMean
		})}, 0, true, []string{"||| n 1:  passes "}},
		"one item": {[]report.ChangeRow{worse(func(r *report.ChangeRow) { r.PassRate.N = 1 })}, 0, false,
			[]string{"j|call|| n 1: -0.1 fails "}},
		"no item of the primary": {[]report.ChangeRow{worse(func(r *report.ChangeRow) {
			r.IsPrimary, r.PassRate.N = true, 0
		})}, 0.01, false, []string{"||| n 0:  fails not_measured"}},
		"noise besides the primary": {[]report.ChangeRow{primary, noise}, 0.021, false, []string{"||| n 1:  passes "}},
		"what does not decide besides": {[]report.ChangeRow{primary, worse(func(r *report.ChangeRow) {
			r.Name, r.Decides = "aside", false
		})}, 0.021, false, []string{"||| n 1:  passes "}},
		"a tool besides the primary": {[]report.ChangeRow{primary, otherTool}, 0.021, false, []string{"||| n 1:  passes "}},
		"a tool of the row":          {[]report.ChangeRow{quiet, onTool}, 0, true, []string{"j|call||pay n 50: -0.1 fails "}},
		"least just below":           {[]report.ChangeRow{primary}, 0.019, false, []string{"j|call|| n 50: -0.1 fails "}},
		"least just above":           {[]report.ChangeRow{primary}, 0.021, false, []string{"||| n 1:  passes "}},
		"on the true scale":          {[]report.ChangeRow{byYouden}, 0.04, false, []string{"j|call|| n 50: -0.2 fails "}},
		"besides the primary": {[]report.ChangeRow{primary, less}, 0.021, false,
			[]string{"||| n 1:  passes ", "j|call|| n 50: -0.09 passes "}},
		"besides a failing one": {[]report.ChangeRow{primary, less}, 0.019, false,
			[]string{"j|call|| n 50: -0.1 fails "}},
		"no remark without a least effect": {[]report.ChangeRow{noise, onTool}, 0, false, []string{"||| n 1:  passes "}},
		// Without a primary endpoint all rows decide, but not "every call passes": p 0.03 and 0.05, both 0.059.
		"no primary, one": {[]report.ChangeRow{mean, every}, 0.01, false, []string{"j|call|mean| n 50: -0.1 fails "}},
		"no primary, two": {[]report.ChangeRow{worse(nil), less}, 0.01, false, []string{"||| n 2:  passes "}},
		// A tool is corrected for the other tools alone.
		"tools apart": {[]report.ChangeRow{worse(nil), onTool}, 0.01, true,
			[]string{"j|call|| n 50: -0.1 fails ", "j|call||pay n 50: -0.1 fails "}},
	} {
		t.Run(name, func(t *testing.T) {
			d := measure.Regressions(&report.Comparison{Alpha: 0.05, Rows: tt.rows}, tt.least, tt.tools)
			var got []string
			for _, res := range d.Results {
				if got = append(got, briefly(res)); res.Measure != "regression" {
					t.Errorf("measure %q", res.Measure)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if fails := strings.Contains(strings.Join(got, "\n"), " fails "); d.Passed == fails || (d.ExitCode == 100) != fails {
				t.Errorf("passed %v, exit code %d", d.Passed, d.ExitCode)
			}
		})
	}
}

// TestKappaByTool: every tool is decided; one without a kappa is undecided if another has one.
func TestKappaByTool(t *testing.T) {
	tool := func(name string, kappa report.Estimate, rate float64, small bool) report.ToolPair {
		return report.ToolPair{Tool: name, N: 40, Small: small, Kappa: kappa, JudgeRate: pointAt(rate)}
	}
	none := report.Estimate{Reason: "one_class"}
	row := func(change func(*report.AgreementRow), tools ...report.ToolPair) report.AgreementRow {
		a := report.AgreementRow{
			Judge: "j", Rubric: "overall", Level: report.CallLevel, Direction: report.BothDirection, Kappa: pointAt(0.9),
			Reference: report.Instrument{Name: "gold", Source: "deterministic"}, Verdicts: 40, ByTool: tools,
		}
		if change != nil {
			change(&a)
		}
		return a
	}
	few := []report.Warning{{Code: "few_conversations"}}
	for name, tt := range map[string]struct {
		row  report.AgreementRow
		gate measure.Gate
		want []string
	}{
		"tools": {row(nil, tool("a", ranged(0.2, 0.3, 0.5), 0.5, false), tool("b", ranged(0.2, 0.3, 0.49), 0.5, false),
			tool("c", none, 0.5, false)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0.3 against gold passes ", "j|call||b n 40: 0.3 against gold fails ",
				"j|call||c n 40: one_class against gold passes undecided"}},
		"strict": {row(nil, tool("a", pointAt(0.6), 0.5, false), tool("c", none, 0.5, false)),
			measure.Gate{By: "tool", Strict: true},
			[]string{"j|call||a n 40: 0.6 against gold passes ", "j|call||c n 40: one_class against gold fails not_measured"}},
		"one tool": {row(nil, tool("a", pointAt(0.6), 0.5, false), tool("b", pointAt(0.1), 0.5, false)),
			measure.Gate{By: "tool", Tool: "a"}, []string{"j|call||a n 40: 0.6 against gold passes "}},
		"only passes": {row(nil, tool("a", pointAt(0), 1, false)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0 against gold fails "}},
		"only fails": {row(nil, tool("a", pointAt(0), 0, false)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0 against gold fails "}},
		"only passes on few items": {row(nil, tool("a", pointAt(0), 1, true)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0 against gold passes undecided"}},
		"only passes in few conversations": {row(func(a *report.AgreementRow) { a.Warnings = few },
			tool("a", pointAt(0), 1, false)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0 against gold passes undecided"}},
		"both verdicts, no interval": {row(nil, tool("a", pointAt(0), 0.9, false)), measure.Gate{By: "tool"},
			[]string{"j|call||a n 40: 0 against gold passes undecided"}},
		"no kappa at all": {row(nil, tool("a", none, 0.5, false)), measure.Gate{By: "tool"},
			[]string{"||| n 0: no_items fails not_measured"}},
		"of conversations": {row(func(a *report.AgreementRow) { a.Level = report.ConversationLevel }),
			measure.Gate{By: "tool"}, []string{"||| n 0: by_conversation fails not_measured"}},
		"circular": {row(func(a *report.AgreementRow) { a.Refused = "circular" }), measure.Gate{},
			[]string{"||| n 0: circular fails not_measured"}},
		"shared rules": {row(func(a *report.AgreementRow) { a.SharedRules = true }), measure.Gate{},
			[]string{"||| n 0: shared_rules fails not_measured"}},
		"all tools, only passes": {row(func(a *report.AgreementRow) { a.Kappa, a.JudgeRate = pointAt(0), pointAt(1) }),
			measure.Gate{}, []string{"j|call|| n 40: 0 against gold fails "}},
		"all tools, both verdicts": {row(func(a *report.AgreementRow) { a.Kappa, a.JudgeRate = pointAt(0.1), pointAt(0.5) }),
			measure.Gate{}, []string{"j|call|| n 40: 0.1 against gold passes undecided"}},
		"all tools, few conversations": {row(func(a *report.AgreementRow) {
			a.Kappa, a.JudgeRate, a.Warnings = pointAt(0), pointAt(1), few
		}), measure.Gate{}, []string{"j|call|| n 40: 0 against gold passes undecided"}},
		"another judge": {row(nil), measure.Gate{Judge: "k"}, []string{"k||| n 0: no_such_score fails not_measured"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.gate.Score, tt.gate.MinKappa = "overall", new(0.5)
			checkGate(t, tt.gate, &report.Report{Agreement: []report.AgreementRow{tt.row}}, nil, tt.want...)
		})
	}
}

// TestGatesBeforeARun: a gate that no score of the run can satisfy is told before the run costs anything.
func TestGatesBeforeARun(t *testing.T) {
	p := &measure.PlannedScores{
		Rubrics: []string{"overall", "tone"}, Scorers: []string{"funnel.ast", "funnel.exec", "schema_check"},
		QA: []string{"style"}, Judges: []string{"jury"}, Idle: []string{"unused"}, Labels: []string{"human", "expert"},
		Scales: map[string][2]float64{"overall": {1, 5}}, Categories: map[string][]string{"tone": {"kind", "rude"}},
		Baseline: func(against string) (m report.Manifest, err error) {
			if against == "gone" {
				return m, errors.New("no run there")
			}
			return report.Manifest{Rubrics: []report.Rubric{{Name: "overall"}}, Scorers: []report.Scorer{{Name: "funnel"}}}, nil
		},
	}
	const remedy = "; make it with this configuration, --no-gates and --out "
	for _, tt := range []struct {
		gate measure.Gate
		want string
	}{
		{measure.Gate{Score: "overall", MinMean: new(1.)}, ""},
		{measure.Gate{Score: "overall", MinMean: new(5.)}, ""},
		{measure.Gate{Score: "overall", MinMean: new(0.9)}, "min_mean is 0.9, and its scores lie from 1 to 5"},
		{measure.Gate{Score: "overall", MinMean: new(5.5)}, "min_mean is 5.5, and its scores lie from 1 to 5"},
		{measure.Gate{Score: "tone", MinMean: new(9.)}, ""}, // of unknown scale
		{measure.Gate{Score: "human"}, ""},
		{measure.Gate{Score: "unused", Judge: "nobody", Category: "x", MinKappa: new(0.)}, ""},
		{measure.Gate{Score: "style"}, "the scorer has purpose qa: it is reported apart and decides no gate"},
		{measure.Gate{Score: "funnel"}, "it gives a score for each layer; choose one: funnel.ast, funnel.exec"},
		{measure.Gate{Score: "zzzzzz"}, "no rubric, scorer or label of this run has the name; known are overall, tone, " +
			"funnel.ast, funnel.exec, schema_check, expert, human, unused"},
		{measure.Gate{Score: "sch", Judge: "nobody"}, "no rubric, scorer or label of this run has the name; known " +
			"are overall, tone, funnel.ast, funnel.exec, schema_check, expert, human, unused"},
		{measure.Gate{Probe: "zzzzzz"}, ""},
		{measure.Gate{Score: "tone", Category: "rude"}, ""},
		{measure.Gate{Score: "tone", Category: "rudee"}, "no answer can be rudee; did you mean rude?"},
		{measure.Gate{Score: "overall", Category: "rude"}, "max_rate is about a rubric with categories"},
		{measure.Gate{Score: "overall", Judge: "jury"}, ""},
		{measure.Gate{Score: "overall", Judge: "juri"},
			"no judge, panel or cascade of this run is called juri; did you mean jury?"},
		{measure.Gate{Score: "schema_check", Judge: "jury"}, "it is not a score of a judge; leave judge out"},
		{measure.Gate{Score: "overall", MinKappa: new(0.)}, ""},
		{measure.Gate{Score: "overall", MinKappa: new(0.), Reference: "schema_check"}, ""},
		{measure.Gate{Score: "overall", MinKappa: new(0.), Reference: "human"}, ""},
		{measure.Gate{Score: "overall", MinKappa: new(0.), Reference: "zzzzzz"}, "no scorer or label of this run is called " +
			"zzzzzz, the reference of min_kappa; known are funnel.ast, funnel.exec, schema_check, expert, human"},
		{measure.Gate{Score: "schema_check", MinKappa: new(0.)},
			"min_kappa compares a judge with a reference: it asks for the name of a rubric"},
		{measure.Gate{Score: "schema_check", By: "tool"}, "it scores conversations, and nothing in this run scores single " +
			"calls, which name the tools; add a judge, or a scorer of calls (docs/scorers.md lists them)"},
		{measure.Gate{Score: "overall", By: "tool"}, ""},
		{measure.Gate{Score: "overall", MaxDrop: new(1.), Against: "base"}, ""},
		{measure.Gate{Score: "funnel.ast", MaxDrop: new(1.), Against: "base"}, ""},
		{measure.Gate{Score: "human", MaxDrop: new(1.), Against: "base"}, ""},
		{measure.Gate{Score: "tone", MaxDrop: new(1.), Against: "base"},
			"the baseline run base has no such score" + remedy + "base"},
		{measure.Gate{Score: "schema_check", MaxDrop: new(1.), Against: "base"},
			"the baseline run base has no such score" + remedy + "base"},
		{measure.Gate{Score: "overall", MaxDrop: new(1.), Against: "gone"}, "no run there" + remedy + "gone"},
	} {
		want, got := tt.want, ""
		if want != "" {
			want = "gate on " + tt.gate.Score + ": " + want
		}
		if err := measure.CheckGates([]measure.Gate{tt.gate}, p); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v:\ngot  %s\nwant %s", tt.gate, got, want)
		}
	}
	gates := []measure.Gate{
		{Score: "mine", Reference: "gold"}, {Score: "overall", Reference: "schema_check"},
		{Score: "overall"}, {Probe: "p", Reference: "q"},
	}
	if diff := cmp.Diff([]string{"mine", "gold"}, measure.GateLabels(gates, p)); diff != "" {
		t.Errorf("names that can only be labels (-want +got):\n%s", diff)
	}
	p.Calls = true
	if err := measure.CheckGates([]measure.Gate{{Score: "schema_check", By: "tool"}}, p); err != nil {
		t.Errorf("another instrument scores calls: %v", err)
	}
	// If the logs could not be searched, every name may be a label, unless it looks like a misspelled one.
	p.AnyLabel = true
	if err := measure.CheckGates([]measure.Gate{{Score: "zzzzzz"}}, p); err != nil {
		t.Errorf("a name that may be a label: %v", err)
	}
	if err := measure.CheckGates([]measure.Gate{{Score: "schema_chek"}}, p); err == nil {
		t.Error("a misspelled scorer is taken for a label")
	}
}

// TestNamesOfUnknownGates: all names that a gate could have are listed, up to thirty of them. A name with a dot may be
// that of a scorer of one's own.
func TestNamesOfUnknownGates(t *testing.T) {
	names := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("r%02d", i))
		}
		return out
	}
	for n, known := range map[int]string{
		0: "", 1: "; known are r00", 30: "; known are " + strings.Join(names(30), ", "),
		31: "; known are " + strings.Join(names(30), ", ") + " and 1 more",
		33: "; known are " + strings.Join(names(30), ", ") + " and 3 more",
	} {
		want := "gate on zzzzzz: no rubric, scorer or label of this run has the name" + known
		err := measure.CheckGates([]measure.Gate{{Score: "zzzzzz"}}, &measure.PlannedScores{Rubrics: names(n)})
		if err == nil || err.Error() != want {
			t.Errorf("%d names:\ngot  %v\nwant %s", n, err, want)
		}
	}
	p := &measure.PlannedScores{Scorers: []string{"my.check"}, Baseline: func(string) (report.Manifest, error) {
		return report.Manifest{Scorers: []report.Scorer{{Name: "my.check"}}}, nil
	}}
	if err := measure.CheckGates([]measure.Gate{{Score: "my.check", MaxDrop: new(1.), Against: "base"}}, p); err != nil {
		t.Error(err)
	}
}
