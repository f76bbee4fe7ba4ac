package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

func TestFunnel(t *testing.T) {
	scores := []score.Score{
		scoreOf(score.Deterministic, "schema_check", "c1", 0, 'f'), scoreOf(score.Deterministic, "ast_equivalence", "c1", 0, 'f'),
		scoreOf(score.Deterministic, "schema_check", "c2", 0, 'p'), scoreOf(score.Deterministic, "ast_equivalence", "c2", 0, 'f'),
		scoreOf(score.Deterministic, "schema_check", "c3", 0, 'p'), scoreOf(score.Deterministic, "ast_equivalence", "c3", 0, 'p'),
		scoreOf(score.Deterministic, "schema_check", "c4", 0, 'p'), scoreOf(score.Deterministic, "ast_equivalence", "c4", 0, 'n'),
	}
	f := buildReport(t, inputsOf(scores), measure.Config{}).Funnel
	var got []string
	for _, l := range f.Layers {
		got = append(got, fmt.Sprintf("%s n %d passed %d reached %d lost %d", l.Layer, l.N, l.Passed, l.Reached, l.Lost))
	}
	want := []string{"schema n 4 passed 3 reached 4 lost 1", "ast n 3 passed 1 reached 2 lost 1"}
	if diff := cmp.Diff(want, got); diff != "" || f.Cases != 4 {
		t.Errorf("funnel of %d cases differs (-want +got):\n%s", f.Cases, diff)
	}
}
