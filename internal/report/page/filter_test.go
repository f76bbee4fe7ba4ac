package page_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/page"
)

// filter is what a person enters. scorer is "VERDICT NAME".
type filter struct{ show, tool, rubric, judge, verdict, scorer, flag string }

// terms returns what the page's script asks for, see asked in list.js.
func (f filter) terms() (out []string) {
	for _, group := range [][][2]string{{{"show", f.show}}, {{"tool", f.tool}},
		{{"rubric", f.rubric}, {"judge", f.judge}, {"verdict", f.verdict}}, {{"scorer", f.scorer}}, {{"flag", f.flag}}} {
		var term []string
		for _, field := range group {
			if field[1] != "" {
				term = append(term, field[0]+"="+field[1])
			}
		}
		if len(term) > 0 {
			out = append(out, strings.Join(term, "\n"))
		}
	}
	return out
}

// matches has the rules of the filter once more, as conditions on an item.
func (f filter) matches(i *page.Item) bool {
	is := func(got, wanted string) bool { return wanted == "" || cmp.Or(got, "none") == wanted }
	some := func(ok func(page.Score) bool) bool { return slices.ContainsFunc(i.Scores, ok) }
	flagged := func(code string) bool {
		return some(func(s page.Score) bool {
			return slices.ContainsFunc(s.Flags, func(x page.Flag) bool { return code == "" || x.Code == code })
		})
	}
	shown := map[string]bool{
		"":                            true,
		page.ShowFailing:              i.Verdict == "fail" && i.Call != nil,
		page.ShowFailingConversations: i.Verdict == "fail" && i.Call == nil,
		page.ShowDisagreements:        i.Disagreement > 0,
		page.ShowFlagged:              flagged(""),
		page.ShowJudgesDiffer:         differ(i),
		page.ShowMissing:              some(func(s page.Score) bool { return s.Status == "unscored" || s.Status == "error" }),
	}[f.show]
	judged := is(i.Verdict, f.verdict)
	if f.rubric != "" || f.judge != "" {
		judged = some(func(s page.Score) bool {
			return s.Source == "judge" && (f.rubric == "" || s.Name == f.rubric) && (f.judge == "" || s.Judge == f.judge) &&
				is(s.Verdict, f.verdict)
		})
	}
	verdict, scorer, _ := strings.Cut(f.scorer, " ")
	scored := f.scorer == "" || some(func(s page.Score) bool {
		return s.Source != "judge" && s.Name == scorer && s.Status != "not_applicable" && is(s.Verdict, verdict)
	})
	return shown && judged && scored && (f.tool == "" || i.Tool == f.tool) && (f.flag == "" || flagged(f.flag))
}

// differ reports whether two judges of the whole call give opposite verdicts.
func differ(i *page.Item) bool {
	verdicts := map[string]bool{}
	for _, s := range i.Scores {
		if s.Source == "judge" && s.Name == "overall_call_correctness" {
			verdicts[s.Verdict] = true
		}
	}
	return verdicts["pass"] && verdicts["fail"]
}

// filters has a filter of every kind, alone and with each list.
func filters() (all []filter) {
	for _, show := range []string{"", page.ShowFailing, page.ShowFailingConversations, page.ShowDisagreements,
		page.ShowFlagged, page.ShowMissing, page.ShowJudgesDiffer} {
		for _, f := range []filter{
			{}, {verdict: "none"}, {verdict: "pass"}, {judge: "judge-a"}, {judge: "judge-a", verdict: "fail"},
			{rubric: "overall_call_correctness", verdict: "pass"}, {rubric: "function_intent_alignment"},
			{rubric: "overall_call_correctness", judge: "judge-b", verdict: "fail"}, {rubric: "no such rubric"},
			{judge: "baseline-rules", verdict: "none"}, {scorer: "fail reward"}, {scorer: "pass schema_check", tool: "refund"},
			{scorer: "none schema_check"}, {flag: "made_up", tool: "get_order"}, {tool: "refund", verdict: "fail"},
		} {
			f.show = show
			all = append(all, f)
		}
	}
	return all
}

// TestTermsAreTheRules: an item has the terms of a filter if it fulfils the filter's conditions.
func TestTermsAreTheRules(t *testing.T) {
	t.Parallel()
	data, err := page.Collect(t.Context(), madeUp(60, ""))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range filters() {
		for _, i := range data.Items {
			has := !slices.ContainsFunc(f.terms(), func(term string) bool {
				n := slices.Index(data.Terms, term)
				return n < 0 || !slices.Contains(i.Terms, uint32(n))
			})
			if has != f.matches(i) {
				t.Errorf("%+v: item %d has the terms: %v", f, i.Order, has)
			}
			if has {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("the filters find %d items in all: they test little", found)
	}
}
