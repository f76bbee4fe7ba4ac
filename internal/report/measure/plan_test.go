package measure_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// planOf plans by a run of the world and by labels of 60 of its conversations.
func planOf(t *testing.T, w world, wanted report.Plan) report.JudgePlan {
	t.Helper()
	given := measure.NewLabels(w.filled(t, measure.SheetConfig{Conversations: 60, PerConversation: 2, Queue: -1}), &w.in.Manifest)
	in, plain := w.in, w.in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	p, err := measure.Plan(in, measure.Config{Labels: given}, wanted)
	if err != nil || len(p.Judges) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	return p.Judges[0]
}

// TestPlanKeepsItsWord plans ±5 points from one run, labels as many conversations of new runs as the plan says, and gets them: within
// a fifth of the labels, which is a tenth of the width.
func TestPlanKeepsItsWord(t *testing.T) {
	plan := planOf(t, newWorld(1, 150), report.Plan{HalfWidth: 0.05, Drop: 0.05, Power: 0.8})
	two := plan.WidthLabels[1]
	if two.PerConversation != 2 || *two.JudgedConversations >= *two.Conversations || *two.JudgedLabels != 2**two.JudgedConversations {
		t.Fatalf("two calls of each conversation: %+v", two)
	}
	width, worlds := 0.0, 6
	for seed := range worlds {
		w := newWorld(uint64(seed+10), 5**two.JudgedConversations)
		rows := w.filled(t, measure.SheetConfig{Conversations: *two.JudgedConversations, PerConversation: 2, Queue: -1})
		r := calibrate(t, w, rows).Rows[0].PassRate.Corrected
		width += (*r.High - *r.Low) / 2 / float64(worlds)
	}
	if !(math.Abs(width/0.05-1) <= 0.1) {
		t.Errorf("%d labelled conversations make ±%.3f, planned were ±0.05", *two.JudgedConversations, width)
	}
	if j := *plan.Youden.Value; j < 0.45 || j > 0.8 || plan.Reference != report.PeopleLabel {
		t.Errorf("J against %s is %v, the judge's is 0.63", plan.Reference, j)
	}
	if plan.ICC <= 0 || plan.ICC >= 1 {
		t.Errorf("calls of one conversation share %v of the variance", plan.ICC)
	}
	if plan.OtherTasks == nil || *plan.SameTasks >= *plan.OtherTasks || len(plan.DropLabels) != 3 {
		t.Errorf("the drop: %+v", plan)
	}
}

// TestPlanOfADamagedRun: scores that cannot be read are an error, and no plan.
func TestPlanOfADamagedRun(t *testing.T) {
	in, broken := inputsOf(nil), errors.New("the disk is gone")
	in.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, broken) }
	}
	if p, err := measure.Plan(in, measure.Config{}, report.Plan{HalfWidth: 0.05}); !errors.Is(err, broken) || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestPlanOfWhatNeverFails: nothing is planned if all calls are right.
func TestPlanOfWhatNeverFails(t *testing.T) {
	p, err := measure.Plan(inputsOf([]score.Score{scoreOf(score.Judge, "overall", "a", 0, 'p'), scoreOf(score.Judge, "overall", "b", 0, 'p')}),
		measure.Config{}, report.Plan{HalfWidth: 0.05, Power: 0.8})
	if err != nil || len(p.Judges) != 1 || p.Judges[0].Why == "" || p.Judges[0].WidthLabels != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestPlanOfOneVerdict: nothing can be planned if people, or the judge, pass everything or nothing.
func TestPlanOfOneVerdict(t *testing.T) {
	for _, tt := range []struct{ judge, people, why string }{
		{"pppf", "pppp", "zero_variance"}, {"pppf", "ffff", "zero_variance"}, {"pppp", "pppf", "zero_variance"},
		{"ffff", "pppf", "zero_variance"}, {"pppf", "pfff", ""},
	} {
		var rows []measure.LabelRow
		verdicts := ""
		for i := range 60 {
			said := labels.VerdictAnswer(tt.people[i%4] == 'p')
			rows = append(rows, drawnRow(fmt.Sprintf("c%03d", i), i+1, said))
			verdicts += tt.judge[i%4 : i%4+1]
		}
		in := inputsOf(runOf(verdicts, verdicts))
		given := measure.NewLabels(rows, &in.Manifest)
		plain := in.Scores
		in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
		p, err := measure.Plan(in, measure.Config{Labels: given}, report.Plan{HalfWidth: 0.05, Power: 0.8, Alpha: 0.05})
		if err != nil || len(p.Judges) != 1 {
			t.Fatalf("%+v, %v", p, err)
		}
		j := p.Judges[0]
		if j.Why != tt.why || (j.WidthLabels == nil) != (tt.why != "") || j.DropLabels != nil || j.OtherTasks != nil {
			t.Errorf("judge %s, people %s: %+v", tt.judge, tt.people, j)
		}
		if oneClass := tt.people == "pppp" || tt.people == "ffff"; (j.Reference == "") != oneClass ||
			j.Youden.Defined() == oneClass || oneClass && j.Youden.Reason != "not_applicable" {
			t.Errorf("judge %s, people %s: J against %q is %+v", tt.judge, tt.people, j.Reference, j.Youden)
		}
	}
}
