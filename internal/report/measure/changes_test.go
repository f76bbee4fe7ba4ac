package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// verdicts makes a run in which a judge gives call 0 of each conversation the verdict of its letter.
func verdicts(letters string, why string) report.Inputs {
	var scores []score.Score
	for i := range len(letters) {
		s := scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), 0, letters[i])
		s.Tool = "pay"
		if letters[i] == 'f' {
			s.Explanation = why
		}
		scores = append(scores, s)
	}
	return inputsOf(scores)
}

// TestChanges: conversations that changed by the deciding score are counted and listed, the worse ones first; and the
// groups of failures are new, gone or another number.
func TestChanges(t *testing.T) {
	c, err := measure.Compare(verdicts("pppppfpp", "old_rule (m): it is old."), verdicts("fffffpup", "new_rule (m): it is new."),
		measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w := c.Changes
	if w.Worse != 5 || w.Better != 1 || w.Same != 1 || *w.Split != 0.21875 || w.By.Name != "overall" {
		t.Errorf("%+v", w)
	}
	if diff := cmp.Diff([]string{"pay"}, w.Tools); diff != "" {
		t.Error(diff)
	}
	first, last := w.Items[0], w.Items[5]
	if len(w.Items) != 6 || first.ConversationID != "c00" || !first.Worse || first.A != 1 || first.B != 0 || last.ConversationID != "c05" || last.Worse {
		t.Errorf("%+v", w.Items)
	}
	var groups []string
	for _, g := range c.FailureGroups {
		groups = append(groups, fmt.Sprintf("%s %d %d", g.Name, g.A, g.B))
	}
	if diff := cmp.Diff([]string{"pay: it is new 0 5", "pay: it is old 1 0"}, groups); diff != "" {
		t.Error(diff)
	}
}

// TestChangesAgreeWithTheExit: what the first line calls clear is what fails the job.
func TestChangesAgreeWithTheExit(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		clear bool
	}{
		{"pppppppp", "pppppppp", false}, {"pppppppp", "fppppppp", false}, {"pppppppp", "fffffppp", false}, {"pppppppppppppppp", "ffffffffpppppppp", true},
		{"ffffffffpppppppp", "pppppppppppppppp", false}, {"fpfpfpfp", "pfpfpfpf", false},
	} {
		got, err := measure.Compare(verdicts(c.a, "x"), verdicts(c.b, "x"), measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		passed := measure.Regressions(got, 0, false).Passed
		for _, r := range got.Rows {
			if ch := r.Primary(); ch.P.Defined() && ch.Delta.HasInterval() && (*ch.P.Value <= got.Alpha) == (*ch.Delta.Low <= 0 && *ch.Delta.High >= 0) {
				t.Errorf("%s, %s: p %v beside %v to %v", c.a, c.b, *ch.P.Value, *ch.Delta.Low, *ch.Delta.High)
			}
		}
		if !measure.Regressions(got, 0.01, false).Passed && !c.clear {
			t.Errorf("%s, %s: a least effect is exceeded by a change that is not proven", c.a, c.b)
		}
		if says := got.Leading().Primary().Outcome() == report.Worse; says != c.clear || passed == c.clear {
			t.Errorf("%s, %s: says %v, passes %v: %s", c.a, c.b, says, passed, got.Summary[0])
		}
	}
}
