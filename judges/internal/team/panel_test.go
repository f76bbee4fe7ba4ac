package team

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

func member(name, output string) result.Result {
	r := result.Result{ConversationID: "c", Rubric: rubrics.Intent, Judge: name, Verdict: result.NoVerdict, Explanation: "by " + name}
	if output != "" {
		x := float64(output[0] - '0')
		r.Output, r.Verdict = &x, result.Fail
		if x >= 3 {
			r.Verdict = result.Pass
		}
	}
	return r
}

func TestPanel(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	tests := []struct {
		panel      Panel
		outputs    []string
		output     string
		verdict    string
		confidence string
		by, kind   string
	}{
		{Panel{}, []string{"5", "2", "4"}, "4", result.Pass, "0.6666666666666666", "by c", ""},
		{Panel{}, []string{"5", "", "4"}, "4.5", result.Pass, "", "by a", ""},
		{Panel{}, []string{"5", "", ""}, "", result.NoVerdict, "", "", result.KindNoQuorum},
		{Panel{Quorum: 1}, []string{"5", "", ""}, "5", result.Pass, "", "by a", ""},
		{Panel{Rule: answer.PanelMajority}, []string{"2", "2", "5", "5"}, "2", result.Fail, "0.5", "by a", ""},
		{Panel{Rule: AnyNegative}, []string{"5", "2", "1"}, "1", result.Fail, "0.6666666666666666", "by c", ""},
		{Panel{Rule: AnyNegative}, []string{"5", "4", ""}, "4", result.Pass, "", "by b", ""},
		{Panel{Rule: Weighted, Weights: map[string]float64{"a": 1, "c": 3}}, []string{"1", "2", "5"}, "4", result.Pass, "0.3333333333333333", "by c", ""},
		{Panel{Rule: answer.PanelWeightedMean, Weights: map[string]float64{"a": 1, "c": 3}}, []string{"1", "2", "5"}, "4", result.Pass, "0.3333333333333333", "by c", ""},
	}
	for _, tc := range tests {
		var list []result.Result
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
			return strconv.FormatFloat(*f, 'f', -1, 64)
		}
		if d := cmp.Diff([]string{tc.output, tc.verdict, tc.confidence, tc.by, tc.kind}, []string{text(got.Output), got.Verdict, text(got.Confidence), got.Explanation, got.ErrorKind}); d != "" {
			t.Errorf("%+v %v: %s", tc.panel, tc.outputs, d)
		}
		if want := `"confidences":{"panel":` + tc.confidence + `}`; tc.confidence != "" && !strings.Contains(got.Score().Details.JSON(), want) {
			t.Errorf("details %s lack %s", got.Score().Details.JSON(), want)
		}
		if s := got.Score(); s.Judge != "panel" || (s.Status == score.Scored) != (tc.output != "") {
			t.Errorf("score %+v", s)
		}
	}
	got, err := (Panel{Name: "jury"}).Join(r, []result.Result{member("a", "5"), member("b", "2"), member("c", "")}, "")
	if err != nil {
		t.Fatal(err)
	}
	const detail = `"panel":{"aggregate":"median","spread":3.0,"members":[{"judge":"a","output":5.0,"verdict":"pass"},{"judge":"b","output":2.0,"verdict":"fail"},{"judge":"c","output":null,"verdict":"error"}]}`
	if text := got.Score().Details.JSON(); !strings.Contains(text, detail) || !strings.Contains(text, `"score_method":"panel"`) {
		t.Errorf("details %s", text)
	}
	other := member("b", "3")
	other.CallIndex = 1
	if _, err := (Panel{}).Join(r, []result.Result{member("a", "3"), other}, ""); err == nil {
		t.Error("results of two calls were joined")
	}
}

// A weighted panel votes on a binary scale: two weak judges do not outvote a strong
// one.
func TestWeightedVote(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Prerequisite)
	list := []result.Result{member("a", "1"), member("b", "1"), member("c", "0")}
	for i := range list {
		list[i].Rubric = r.Name
	}
	got, err := (Panel{Rule: Weighted, Weights: map[string]float64{"a": 0.6, "b": 0.6, "c": 0.95}}).Join(r, list, "")
	if err != nil || *got.Output != 0 || got.Verdict != result.Fail {
		t.Errorf("%v %+v", err, got)
	}
}
