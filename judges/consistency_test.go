package judges

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

func TestConsistencyAcrossRubrics(t *testing.T) {
	order := []string{"function_intent_alignment", "parameter_completeness_consistency", "prerequisite_satisfaction", "overall_call_correctness"}
	for _, tc := range []struct {
		outputs [4]string
		want    []string
	}{
		{[4]string{"5", "5", "1", "0.9"}, nil},
		{[4]string{"5", "2", "1", "0.9"}, []string{"overall_pass_but_completeness_fail"}},
		{[4]string{"5", "5", "1", "0.2"}, []string{"overall_fail_but_components_perfect", flagWideGap}},
		{[4]string{"5", "bad", "1", "0.2"}, []string{flagWideGap}},
		{[4]string{"5", "2", "1", "bad"}, nil},
	} {
		s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			for i, name := range order {
				if r.Schema.Name == name {
					return judgetest.Text(judgetest.Answer(tc.outputs[i])), nil
				}
			}
			return judgetest.Text(""), nil
		}}
		j, err := New(s, Config{Model: "m", MaxRepairs: -1})
		if err != nil {
			t.Fatal(err)
		}
		check := func(results []Result) {
			var got []string
			for _, f := range results[3].Flags {
				if f.Code == flagWideGap || len(f.Code) > 8 && f.Code[:8] == "overall_" {
					const gap = "overall minus the mean of its components is -0.80"
					if f.Severity != 1 || f.Code == flagWideGap && f.Detail != gap {
						t.Errorf("%s has severity %d: %s", f.Code, f.Severity, f.Detail)
					}
					got = append(got, f.Code)
				}
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%v: %s", tc.outputs, d)
			}
		}
		results, err := j.Call(t.Context(), judgetest.Support(t), 1, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		check(results)
		items := func(yield func(Item, error) bool) { yield(Item{Conversation: judgetest.Support(t)}, nil) }
		if err := Run(t.Context(), []*Judge{j}, items, RunConfig{}, func(o *Outcome) error {
			for at := 0; at < len(o.Results); at += 4 {
				check(o.Results[at : at+4])
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
