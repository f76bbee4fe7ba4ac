package measure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// layerLines writes the layers of a funnel, with the tools and cases that each loses.
func layerLines(f *report.Funnel) (out []string) {
	for _, l := range f.Layers {
		line := fmt.Sprintf("%s: %d of %d pass (%g), %d of %d lost", l.Layer, l.Passed, l.N, *l.Rate.Value, l.Lost, l.Reached)
		for _, loss := range l.ByTool {
			line += fmt.Sprintf(", %s %d", loss.Tool, loss.Count)
		}
		for _, c := range l.Cases {
			line += "; " + c.ItemName()
		}
		out = append(out, line)
	}
	return out
}

// TestFunnelOfConversations: the calls' layer is reduced to conversations, whose failing call names the tool; what
// an earlier layer lost does not reach a later one; matches that end wrongly and the opposite are named.
func TestFunnelOfConversations(t *testing.T) {
	var scores []score.Score
	for i, of := range []struct{ schema, ast, execution string }{
		{"pf", "p", "p"}, {"pp", "f", "p"}, {"p", "p", "f"}, {"p", "p", "p"}, {"", "p", "n"},
		{"p", "n", "p"},
	} {
		id := fmt.Sprint("c", i+1)
		for call, what := range of.schema {
			s := scoreOf(score.Deterministic, "schema_check", id, call, byte(what))
			s.Tool, s.Place = fmt.Sprint("tool", call), "log:"+id
			scores = append(scores, s)
		}
		scores = append(scores, scoreOf(score.Deterministic, "ast_equivalence", id, -1, of.ast[0]),
			scoreOf(score.Deterministic, "execution_check", id, -1, of.execution[0]))
	}
	f := buildReport(t, inputsOf(scores), measure.Config{}).Funnel
	want := []string{
		"schema: 4 of 5 pass (0.8), 1 of 5 lost, tool1 1; c1",
		"ast: 4 of 5 pass (0.8), 1 of 4 lost, (no tool) 1; c2",
		"execution: 4 of 5 pass (0.8), 1 of 3 lost, (no tool) 1; c3",
	}
	if diff := cmp.Diff(want, layerLines(f)); diff != "" || f.Cases != 6 || f.Source != "separate" {
		t.Errorf("%d cases of %s (-want +got):\n%s", f.Cases, f.Source, diff)
	}
	if c := f.Layers[0].Cases[0]; c.Tool != "tool1" || c.Place != "log:c1" {
		t.Errorf("the lost case: %+v", c)
	}
	for name, crossing := range map[string]*report.Crossing{"c2": f.Alternatives, "c3": f.Misleading} {
		if crossing.Count != 1 || crossing.Cases[0].ConversationID != name {
			t.Errorf("want one crossing, %s, got %+v", name, crossing)
		}
	}
}

// TestFunnelOfOneScorer: the layers of a scorer that decides all of them come before separate scorers, and of two
// such scorers the first by name counts. One layer is no funnel.
func TestFunnelOfOneScorer(t *testing.T) {
	layered := func(name, id string, schema, ast byte) []score.Score {
		a, b := scoreOf(score.Deterministic, name, id, 0, schema), scoreOf(score.Deterministic, name, id, 0, ast)
		a.Metric, b.Metric = "schema_ok", "ast_ok"
		return []score.Score{a, b}
	}
	var scores []score.Score
	for i := range 3 {
		id := fmt.Sprint("c", i)
		scores = append(scores, layered("second", id, 'f', 'f')...)
		scores = append(scores, layered("first", id, 'p', "pff"[i])...)
		scores = append(scores, scoreOf(score.Deterministic, "schema_check", id, 0, 'f'))
	}
	in := inputsOf(scores)
	in.Manifest.Scorers = append(in.Manifest.Scorers, reporttest.ScorerOf("first", "three_layer"),
		reporttest.ScorerOf("second", "three_layer"))
	f := buildReport(t, in, measure.Config{}).Funnel
	want := []string{"schema: 3 of 3 pass (1), 0 of 3 lost", "ast: 1 of 3 pass (0.333333), 2 of 3 lost, t 2; c1:0; c2:0"}
	if diff := cmp.Diff(want, layerLines(f)); diff != "" || f.Source != "three_layer" || f.Alternatives != nil {
		t.Errorf("source %s, crossings %v (-want +got):\n%s", f.Source, f.Alternatives, diff)
	}
	one := inputsOf([]score.Score{scoreOf(score.Deterministic, "schema_check", "c", 0, 'f')})
	if f := buildReport(t, one, measure.Config{}).Funnel; f != nil {
		t.Errorf("a funnel of one layer: %+v", f)
	}
}

// TestFunnelOfManyTools: twenty tools have a row of their own, the others share one; five cases are named.
func TestFunnelOfManyTools(t *testing.T) {
	var scores []score.Score
	for i := range 23 {
		for _, name := range []string{"schema_check", "ast_equivalence"} {
			s := scoreOf(score.Deterministic, name, fmt.Sprintf("c%02d", i), 0, 'f')
			s.Tool = fmt.Sprintf("tool%02d", i)
			scores = append(scores, s)
		}
	}
	f := buildReport(t, inputsOf(scores), measure.Config{}).Funnel
	schema := f.Layers[0]
	last := schema.ByTool[len(schema.ByTool)-1]
	if rest := (report.Loss{Tool: report.OtherTools, Count: 3}); len(schema.ByTool) != 21 || last != rest {
		t.Errorf("%d rows, the last is %+v", len(schema.ByTool), last)
	}
	if lines := layerLines(f); !strings.HasSuffix(lines[0], "; c00:0; c01:0; c02:0; c03:0; c04:0") {
		t.Errorf("the named cases: %s", lines[0])
	}
	if ast := f.Layers[1]; ast.Reached != 0 || ast.Lost != 0 || ast.N != 23 {
		t.Errorf("what the schema lost reaches the next layer: %+v", ast)
	}
}
