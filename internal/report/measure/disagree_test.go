package measure_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

func TestDisagreementsAreBoundedAndRanked(t *testing.T) {
	d := buildReport(t, reporttest.New(5, 200).Inputs(), measure.Config{}).Disagreements
	if len(d.Items) != 200 || d.Total <= len(d.Items) {
		t.Fatalf("%d listed of %d", len(d.Items), d.Total)
	}
	for i, one := range d.Items {
		if i > 0 && one.Weight > d.Items[i-1].Weight {
			t.Fatalf("rank %d weighs more than the one before", one.Rank)
		}
		if one.Place == "" || one.Judgements[0].Value == nil {
			t.Fatalf("rank %d has no place or value: %+v", one.Rank, one)
		}
	}
}

func TestWeakEvidenceIsNoConflict(t *testing.T) {
	// A schema that holds does not contradict a judge that says the call is wrong.
	schema := func(judge, ref byte) []score.Score {
		return []score.Score{scoreOf(score.Judge, "parameter_completeness_consistency", "c", 0, judge),
			scoreOf(score.Deterministic, "schema_check", "c", 0, ref)}
	}
	if n := buildReport(t, inputsOf(schema('f', 'p')), measure.Config{}).Disagreements.Total; n != 0 {
		t.Errorf("judge fails, schema holds: %d disagreements, want 0", n)
	}
	if n := buildReport(t, inputsOf(schema('p', 'f')), measure.Config{}).Disagreements.Total; n != 1 {
		t.Errorf("judge passes, schema broken: %d disagreements, want 1", n)
	}
}

func TestHostileTextIsBounded(t *testing.T) {
	s := runOf("f", "p")
	s[0].Explanation = strings.Repeat("<script>alert(1)</script>\u202e", 40_000)
	s[0].Evidence = "\xff\xfe" + strings.Repeat("é", 5000)
	r := buildReport(t, inputsOf(s), measure.Config{})
	var out bytes.Buffer
	if err := report.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if len(text) > 40_000 {
		t.Errorf("report.json has %d bytes for one hostile score", len(text))
	}
	if !strings.Contains(text, "…\"") {
		t.Error("a text that was cut must say so")
	}
}

// decided has, for each letter of judges, a judge that decides call 0 of c by an overall rubric, and
// the references.
func decided(t *testing.T, judges string, refs ...score.Score) report.Disagreements {
	t.Helper()
	var all []score.Score
	for i := range judges {
		s := scoreOf(score.Judge, "overall_call_correctness", "c", 0, judges[i])
		s.Judge, s.Confidence = string(rune('j'+i)), new(0.5+0.1*float64(i))
		all = append(all, s)
	}
	in := inputsOf(append(all, refs...))
	in.Manifest.Scorers = []report.Scorer{reporttest.ScorerOf("exact", "function_call_exact_match"), reporttest.ScorerOf("ast", "ast_equivalence")}
	return buildReport(t, in, measure.Config{}).Disagreements
}

// TestOneDisagreementPerCall: a call is one disagreement, of the deciding rubric and the strongest
// reference of its own, however many rubrics, references and judges there are.
func TestOneDisagreementPerCall(t *testing.T) {
	human := func(call int, what byte) score.Score { return scoreOf(score.Label, "human", "c", call, what) }
	scorer := func(name string, what byte) score.Score {
		return scoreOf(score.Deterministic, name, "c", 0, what)
	}
	aspect := scoreOf(score.Judge, "function_intent_alignment", "c", 0, 'f')
	for name, c := range map[string]struct {
		judges string
		refs   []score.Score
		want   []string
	}{
		"two judges count once":        {"ppf", []score.Score{scorer("exact", 'f')}, []string{"call c: k, j say pass, exact says fail"}},
		"each judge on one side":       {"pf", []score.Score{scorer("exact", 'p')}, []string{"call c: k says fail, exact says pass"}},
		"another rubric is no matter":  {"p", []score.Score{aspect, scorer("exact", 'p')}, nil},
		"the label has the last word":  {"p", []score.Score{human(0, 'p'), scorer("exact", 'f'), scorer("ast", 'f')}, nil},
		"the strongest match decides":  {"p", []score.Score{scorer("exact", 'f'), scorer("ast", 'p')}, nil},
		"a schema is another matter":   {"p", []score.Score{scorer("schema_check", 'f')}, nil},
		"a label of the conversation":  {"p", []score.Score{human(-1, 'f')}, []string{"conversation c: j says pass, human says fail"}},
		"is not counted against calls": {"f", []score.Score{human(-1, 'p'), scorer("exact", 'f')}, []string{"conversation c: j says fail, human says pass"}},
		"call and conversation": {"f", []score.Score{human(-1, 'p'), scorer("exact", 'p')}, []string{
			"conversation c: j says fail, human says pass", "call c: j says fail, exact says pass"}},
	} {
		d := decided(t, c.judges, c.refs...)
		var got []string
		for i := range d.Items {
			got = append(got, d.Items[i].Level+" "+d.Items[i].ConversationID+": "+words.Between(&d.Items[i]))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" || d.Total != len(c.want) {
			t.Errorf("%s: %d in all (-want +got):\n%s", name, d.Total, diff)
		}
	}
}

// TestLabelOfAConversationIsOfNoCall: the failing call whose conversation a person fails too is not
// listed before one of a conversation that the person passes.
func TestLabelOfAConversationIsOfNoCall(t *testing.T) {
	var all []score.Score
	for id, human := range map[string]byte{"a": 'p', "b": 'f'} {
		all = append(all, scoreOf(score.Judge, "overall", id, 0, 'f'), scoreOf(score.Label, "human", id, -1, human))
	}
	if first := buildReport(t, inputsOf(all), measure.Config{}).Failing.Items[0]; first.ConversationID != "a" || len(first.Sides) != 1 {
		t.Errorf("first stands %s with %d sides, want a with the judge's alone", first.ConversationID, len(first.Sides))
	}
}
