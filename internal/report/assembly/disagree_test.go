package assembly_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func TestDisagreementsAreBoundedAndRanked(t *testing.T) {
	d := buildReport(t, reporttest.New(5, 200).Inputs(), assembly.Config{}).Disagreements
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
		return []score.Score{scoreOf(score.Judge, "overall", "c", 0, judge), scoreOf(score.Deterministic, "schema_check", "c", 0, ref)}
	}
	if n := buildReport(t, inputsOf(schema('f', 'p')), assembly.Config{}).Disagreements.Total; n != 0 {
		t.Errorf("judge fails, schema holds: %d disagreements, want 0", n)
	}
	if n := buildReport(t, inputsOf(schema('p', 'f')), assembly.Config{}).Disagreements.Total; n != 1 {
		t.Errorf("judge passes, schema broken: %d disagreements, want 1", n)
	}
}

func TestHostileTextIsBounded(t *testing.T) {
	s := runOf("f", "p")
	s[0].Explanation = strings.Repeat("<script>alert(1)</script>\u202e", 40_000)
	s[0].Evidence = "\xff\xfe" + strings.Repeat("é", 5000)
	r := buildReport(t, inputsOf(s), assembly.Config{})
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

// A conflict in which a stronger reference sides with the judge comes behind one in
// which nobody does: it is likely a valid alternative to the expected call.
func TestBackedDisagreementsComeLater(t *testing.T) {
	m := report.Manifest{Scorers: []report.Scorer{{Name: "function_call_exact_match"}}}
	var scores []score.Score
	for _, c := range []struct {
		id    string
		human byte
	}{{"a-alternative", 'p'}, {"b-error", 'f'}} {
		judge := scoreOf(score.Judge, "overall", c.id, 0, 'p')
		judge.Confidence = new(0.9)
		scores = append(scores, judge, scoreOf(score.Deterministic, "function_call_exact_match", c.id, 0, 'f'), scoreOf(score.Label, "human", c.id, 0, c.human))
	}
	in := inputsOf(scores)
	in.Manifest = m
	items := buildReport(t, in, assembly.Config{}).Disagreements.Items
	if len(items) != 2 || items[0].ConversationID != "b-error" || len(items[0].SidesWithJudge) != 0 {
		t.Fatalf("first %+v", items)
	}
	if got := items[1].SidesWithJudge; len(got) != 1 || got[0] != "human" || items[1].Weight >= items[0].Weight/2 {
		t.Errorf("second: sides with the judge %v, weight %v after %v", got, items[1].Weight, items[0].Weight)
	}
}
