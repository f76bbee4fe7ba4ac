package judges

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

func member(name, output string) Result {
	r := Result{ConversationID: "c", Rubric: rubrics.Intent, Judge: name, Verdict: NoVerdict, Explanation: "by " + name}
	if output != "" {
		x := float64(output[0] - '0')
		r.Output, r.Verdict = &x, Fail
		if x >= 3 {
			r.Verdict = Pass
		}
	}
	return r
}

func TestPanel(t *testing.T) {
	r := builtin(t, rubrics.Intent)
	tests := []struct {
		panel      Panel
		outputs    []string
		output     string
		verdict    string
		confidence string
		by, kind   string
	}{
		{Panel{}, []string{"5", "2", "4"}, "4", Pass, "0.6666666666666666", "by c", ""},
		{Panel{}, []string{"5", "", "4"}, "4.5", Pass, "", "by a", ""},
		{Panel{}, []string{"5", "", ""}, "", NoVerdict, "", "", KindNoQuorum},
		{Panel{Quorum: 1}, []string{"5", "", ""}, "5", Pass, "", "by a", ""},
		{Panel{Rule: agreement.PanelMajority}, []string{"2", "2", "5", "5"}, "2", Fail, "0.5", "by a", ""},
		{Panel{Rule: agreement.PanelWeightedMean, Weights: map[string]float64{"a": 1, "c": 3}}, []string{"1", "2", "5"}, "4", Pass, "0.3333333333333333", "by c", ""},
	}
	for _, tc := range tests {
		var list []Result
		for i, o := range tc.outputs {
			list = append(list, member(string(rune('a'+i)), o))
		}
		got, err := tc.panel.Join(r, list, "")
		if err != nil {
			t.Fatal(err)
		}
		text := func(f *float64) string {
			if f == nil {
				return ""
			}
			return number(*f)
		}
		if d := cmp.Diff([]string{tc.output, tc.verdict, tc.confidence, tc.by, tc.kind}, []string{text(got.Output), got.Verdict, text(got.Confidence), got.Explanation, got.ErrorKind}); d != "" {
			t.Errorf("%+v %v: %s", tc.panel, tc.outputs, d)
		}
		if s := got.Score(); s.Judge != "panel" || (s.Status == score.Scored) != (tc.output != "") {
			t.Errorf("score %+v", s)
		}
	}
	other := member("b", "3")
	other.CallIndex = 1
	if _, err := (Panel{}).Join(r, []Result{member("a", "3"), other}, ""); err == nil {
		t.Error("results of two calls were joined")
	}
}

func TestCascade(t *testing.T) {
	sure, unsure := answerText("5"), answerText("3")
	judge := func(name, reply string) (*Judge, *scripted) {
		s := replies(reply)
		return intentJudge(t, s, func(c *Config) { c.Name = name }), s
	}
	for _, tc := range []struct {
		replies    []string
		asked      int
		unresolved bool
	}{
		{[]string{sure, sure, sure}, 1, false},
		{[]string{unsure, sure, sure}, 2, false},
		{[]string{"no answer", unsure, sure}, 3, false},
		{[]string{unsure, unsure, unsure}, 3, true},
	} {
		var c Cascade
		var last *scripted
		for i, reply := range tc.replies {
			j, s := judge(string(rune('a'+i)), reply)
			c.Tiers, last = append(c.Tiers, j), s
		}
		got, err := c.Call(t.Context(), support(t), 1, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got[0].Tiers) != tc.asked || got[0].Unresolved != tc.unresolved || got[0].Final().Judge != string(rune('a'+tc.asked-1)) {
			t.Errorf("%v: %d tiers, unresolved %v", tc.replies, len(got[0].Tiers), got[0].Unresolved)
		}
		// A later tier is asked exactly as if it were alone.
		if tc.asked == 3 {
			alone, s := judge("c", sure)
			judgeOne(t, alone)
			if d := cmp.Diff(s.reqs[0], last.reqs[0]); d != "" {
				t.Error(d)
			}
		}
	}
}
