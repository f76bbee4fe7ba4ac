package judges

import (
	"cmp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

func answered(name, output string) Result {
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
	r := judgetest.Rubric(t, rubrics.Intent)
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
		{Panel{Rule: answer.PanelMajority}, []string{"2", "2", "5", "5"}, "2", Fail, "0.5", "by a", ""},
		{Panel{Rule: AnyNegative}, []string{"5", "2", "1"}, "1", Fail, "0.6666666666666666", "by c", ""},
		{Panel{Rule: AnyNegative}, []string{"5", "4", ""}, "4", Pass, "", "by b", ""},
		{Panel{Rule: Weighted, Weights: map[string]float64{"a": 1, "c": 3}}, []string{"1", "2", "5"}, "4", Pass, "0.3333333333333333", "by c", ""},
		{Panel{Rule: answer.PanelMean}, []string{"5", "2", "2"}, "3", Pass, "0.3333333333333333", "by b", ""},
		{Panel{Rule: AnyNegative}, []string{"5", "", "1"}, "1", Fail, "", "by c", ""},
		{Panel{Rule: answer.PanelWeightedMean, Weights: map[string]float64{"a": 1, "c": 3}}, []string{"1", "2", "5"}, "4", Pass, "0.3333333333333333", "by c", ""},
	}
	for _, tc := range tests {
		var list []Result
		for i, o := range tc.outputs {
			list = append(list, answered(string(rune('a'+i)), o))
		}
		got, err := joined(tc.panel, r, list)
		if err != nil {
			t.Fatal(err)
		}
		text := func(f *float64) string {
			if f == nil {
				return ""
			}
			return strconv.FormatFloat(*f, 'f', -1, 64)
		}
		if d := gocmp.Diff([]string{tc.output, tc.verdict, tc.confidence, tc.by, tc.kind}, []string{text(got.Output), got.Verdict, text(got.Confidence), got.Explanation, got.ErrorKind}); d != "" {
			t.Errorf("%+v %v: %s", tc.panel, tc.outputs, d)
		}
		if want := `"confidences":{"panel":` + tc.confidence + `}`; tc.confidence != "" && !strings.Contains(got.Score().Details.JSON(), want) {
			t.Errorf("details %s lack %s", got.Score().Details.JSON(), want)
		}
		if s := got.Score(); s.Judge != "panel" || (s.Status == score.Scored) != (tc.output != "") {
			t.Errorf("score %+v", s)
		}
	}
	if _, err := joined(Panel{Rule: "vibes"}, r, []Result{answered("a", "5")}); err == nil ||
		err.Error() != `panel panel: panel rule "vibes" is not known` {
		t.Error(err)
	}
	got, err := joined(Panel{Name: "jury"}, r, []Result{answered("a", "5"), answered("b", "2"), answered("c", "")})
	if err != nil {
		t.Fatal(err)
	}
	const detail = `"panel":{"aggregate":"median","spread":3.0,"members":[{"judge":"a","output":5.0,"verdict":"pass"},{"judge":"b","output":2.0,"verdict":"fail"},{"judge":"c","output":null,"verdict":"error"}]}`
	if text := got.Score().Details.JSON(); !strings.Contains(text, detail) || !strings.Contains(text, `"score_method":"panel"`) {
		t.Errorf("details %s", text)
	}
}

// A weighted panel votes on a binary scale: two weak judges do not outvote a strong
// one.
func TestWeightedVote(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Prerequisite)
	list := []Result{answered("a", "1"), answered("b", "1"), answered("c", "0")}
	for i := range list {
		list[i].Rubric = r.Name
	}
	got, err := joined(Panel{Rule: Weighted, Weights: map[string]float64{"a": 0.6, "b": 0.6, "c": 0.95}}, r, list)
	if err != nil || *got.Output != 0 || got.Verdict != Fail {
		t.Errorf("%v %+v", err, got)
	}
}

// joined returns a panel's result under the interval reading; a panel without a name is
// "panel".
func joined(p Panel, r *rubrics.Rubric, results []Result) (Result, error) {
	p.Name = cmp.Or(p.Name, "panel")
	list := make([]*Result, len(results))
	for i := range results {
		list[i] = &results[i]
	}
	return p.join(&instrument{rubric: r}, list)
}
