package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// callsBy makes a run in which a judge gives call 0 of each conversation the verdict of its letter; tools are the
// tools of the calls, the last one also that of all further calls.
func callsBy(letters string, tools ...string) report.Inputs {
	var scores []score.Score
	for i := range letters {
		if letters[i] == ' ' {
			continue // this run lacks the call
		}
		s := scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), 0, letters[i])
		s.Tool = tools[min(i, len(tools)-1)]
		if letters[i] == 'f' {
			s.Explanation = "new_rule (m): it is wrong."
		}
		scores = append(scores, s)
	}
	return inputsOf(scores)
}

// rowsOf describes rows by their tool, how they are reduced, whether they decide and their numbers.
func rowsOf(rows []report.ChangeRow) (out []string) {
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s %s%s decides %v: n %d, %d broken, %d fixed, %d lost, %d gained", r.Name, r.Tool,
			r.Reduced, r.Decides, r.Mean.N, r.Broken, r.Fixed, r.LostInB, r.GainedInB))
	}
	return out
}

// TestRowsByToolOfCalls: a call to another tool in the other run counts for neither tool, a call of one run alone for
// none, and a tool without a call scored in both runs has no row. What is reduced to conversations follows.
func TestRowsByToolOfCalls(t *testing.T) {
	a := callsBy("ppppp ", "find", "pay", "pay", "pay", "gone", "pay")
	b := callsBy("fpf up", "pay", "pay", "pay", "pay", "gone", "pay")
	want := []string{
		"overall  decides true: n 3, 2 broken, 0 fixed, 2 lost, 1 gained",
		"overall pay decides true: n 2, 1 broken, 0 fixed, 0 lost, 0 gained",
		"overall mean decides false: n 3, 2 broken, 0 fixed, 1 lost, 0 gained",
		"overall min decides false: n 3, 2 broken, 0 fixed, 1 lost, 0 gained",
	}
	if diff := cmp.Diff(want, rowsOf(compare(t, a, b, measure.Config{}).Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestRowsOfTurns: a turn that the other run lacks is no lost score; the conversation's verdict is over the turns that
// both runs decided.
func TestRowsOfTurns(t *testing.T) {
	run := func(conversations ...string) report.Inputs {
		var scores []score.Score
		for i, turns := range conversations {
			for turn, what := range turns {
				s := scoreOf(score.Judge, "overall", fmt.Sprint("c", i), -1, byte(what))
				s.Turn, s.Scope = turn+1, score.ScopeTurn
				scores = append(scores, s)
			}
		}
		return inputsOf(scores)
	}
	c := compare(t, run("pup", "pp", "f"), run("pp", "pf", "fp"), measure.Config{})
	want := []string{"overall  decides true: n 4, 1 broken, 0 fixed, 0 lost, 1 gained"}
	if diff := cmp.Diff(want, rowsOf(c.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if w := c.Changes; w.Worse != 1 || w.Better != 0 || w.Same != 2 || w.Items[0].A != 1 || w.Items[0].B != 0.5 {
		t.Errorf("%+v", w)
	}
}

// TestToolsAndGroupsThatChanged: a tool is named if a call to it failed in one run alone; a group of as many failures
// in both runs is not listed.
func TestToolsAndGroupsThatChanged(t *testing.T) {
	c := compare(t, callsBy("pfpfpf", "find", "find", "find", "pay"), callsBy("pfpppf", "find", "find", "find", "pay"),
		measure.Config{})
	if diff := cmp.Diff([]string{"pay"}, c.Changes.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	var groups []string
	for _, g := range c.FailureGroups {
		groups = append(groups, fmt.Sprintf("%s %d %d", g.Name, g.A, g.B))
	}
	if diff := cmp.Diff([]string{"pay: it is wrong 2 1"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// TestChangesByThePrimaryScore: the conversations change by the score that the comparison is about.
func TestChangesByThePrimaryScore(t *testing.T) {
	a, b := inputsOf(runOf("ppp", "ppp")), inputsOf(runOf("fff", "ppf"))
	for name, worse := range map[string]int{"exact": 1, "overall": 3} {
		w := compare(t, a, b, measure.Config{Primary: name}).Changes
		if w.By.Name != name || w.Worse != worse || w.Same != 3-worse {
			t.Errorf("%s: by %s, %d worse, %d the same", name, w.By.Name, w.Worse, w.Same)
		}
	}
}

// TestReferenceOfYouden: a judge's J is against the manifest's gold, or else the strongest reference; labels that only
// run A has count too.
func TestReferenceOfYouden(t *testing.T) {
	run := func(gold string, labels ...string) report.Inputs {
		var scores []score.Score
		for i := range 40 {
			id := fmt.Sprintf("c%02d", i)
			scores = append(scores, scoreOf(score.Judge, "overall_call_correctness", id, 0, "pppf"[i%4]))
			for _, name := range labels {
				scores = append(scores, scoreOf(score.Label, name, id, 0, "ppff"[i%4]))
			}
		}
		in := inputsOf(scores)
		in.Manifest.Gold = gold
		return in
	}
	people := report.PeopleLabelOf("")
	for _, tt := range []struct {
		a, b      report.Inputs
		reference string
	}{
		{run("zeta", "alpha", "zeta"), run("zeta", "alpha", "zeta"), "zeta"},
		{run("alpha", "alpha", "zeta"), run("alpha", "alpha", "zeta"), "alpha"},
		{run("", people), run(""), people},
		{run("", people), run("", people), people},
		{run("", "alpha"), run(""), ""},
	} {
		row := rowOf(t, compare(t, tt.a, tt.b, measure.Config{}), "overall_call_correctness", "j", "")
		if row.Reference != tt.reference || (row.Youden == nil) != (tt.reference == "") {
			t.Errorf("J %v against %q, want %q", row.Youden, row.Reference, tt.reference)
		}
		// Of 20 passes all are kept, of 20 fails 10 are found.
		if row.Youden != nil && *row.Youden.Value != 0.5 {
			t.Errorf("J %v against %q, want 0.5", *row.Youden.Value, row.Reference)
		}
	}
}

// TestMeansByToolOfBothRuns: a conversation counts for a tool only if both runs call it there.
func TestMeansByToolOfBothRuns(t *testing.T) {
	at := func(conv string, call int, tool string, what byte) score.Score {
		s := scoreOf(score.Judge, "overall", conv, call, what)
		s.Tool = tool
		return s
	}
	a := inputsOf([]score.Score{at("c0", 0, "find", 'p'), at("c1", 0, "find", 'p'), at("c2", 0, "send", 'p')})
	b := inputsOf([]score.Score{at("c0", 1, "pay", 'f'), at("c1", 0, "find", 'f'), at("c2", 0, "send", 'p')})
	c := compare(t, a, paired(b, report.CallPairs{Known: true, Same: 2, OnlyA: 1, OnlyB: 1, Unpaired: 0.5}), measure.Config{})
	want := []string{
		"overall mean decides true: n 3, 2 broken, 0 fixed, 0 lost, 0 gained",
		"overall findmean decides true: n 1, 1 broken, 0 fixed, 0 lost, 0 gained",
		"overall sendmean decides true: n 1, 0 broken, 0 fixed, 0 lost, 0 gained",
		"overall min decides true: n 3, 2 broken, 0 fixed, 0 lost, 0 gained",
		"overall  decides false: n 2, 1 broken, 0 fixed, 0 lost, 0 gained",
		"overall find decides false: n 1, 1 broken, 0 fixed, 0 lost, 0 gained",
		"overall send decides false: n 1, 0 broken, 0 fixed, 0 lost, 0 gained",
	}
	if diff := cmp.Diff(want, rowsOf(c.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestChangeAtTheErrorRate: a p-value equal to the error rate shows a change.
func TestChangeAtTheErrorRate(t *testing.T) {
	for alpha, noise := range map[float64]bool{0.0625: false, 0.06: true} {
		row := compare(t, callsBy("ppppp", "pay"), callsBy("fffff", "pay"), measure.Config{Alpha: alpha}).Rows[0].PassRate
		// Five conversations of five are worse: 2 / 2^5.
		if *row.P.Value != 0.0625 || *row.PHolm.Value != 0.0625 || row.Noise != noise {
			t.Errorf("at %v: p %v, corrected %v, noise %v", alpha, *row.P.Value, *row.PHolm.Value, row.Noise)
		}
	}
}
