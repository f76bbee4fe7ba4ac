package run

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// TestStoppedJudges: judges that were stopped are listed in the order of the judges and rubrics, whoever was first, each
// with its first failure, and the user is told.
func TestStoppedJudges(t *testing.T) {
	s, out := &Spec{}, &Outcome{Manifest: &directory.Manifest{}}
	s.Judges = []instrument.Judge{{Config: judges.Config{Name: "a"}}, {Config: judges.Config{Name: "b"}}}
	s.Rubrics = []*rubrics.Rubric{{Name: "x"}, {Name: "y"}}
	obs, said := noted()
	w := newWatch(s, &Instruments{manifest: &directory.Manifest{Work: directory.Work{Resumes: 2}}}, out, &obs)
	var want []report.Stop
	for _, name := range []string{"a x", "a y", "b x", "b y"} {
		want = append(want, report.Stop{Judge: name[:1], Rubric: name[2:], Judgements: judges.StopAfter, Kind: "timeout",
			Error: "late", Place: "c call 2", Reply: name})
	}
	for _, i := range []int{3, 1, 0, 2} {
		w.stopped(judges.Stop{Judge: want[i].Judge, Rubric: want[i].Rubric, Kind: "timeout", First: judges.Result{
			ConversationID: "c", Scope: rubrics.ScopeCall, CallIndex: 2, ErrorDetail: "late", Reply: want[i].Reply}})
	}
	if diff := cmp.Diff(want, out.Manifest.Stopped); diff != "" {
		t.Error(diff)
	}
	text := ""
	for i, at := range []int{3, 1, 0, 2} {
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("judge %s: stopped on %s: the first %d judgements all failed, each as timeout", want[at].Judge,
			want[at].Rubric, judges.StopAfter)
	}
	if got := said(); got != text || w.work.Resumes != 2 {
		t.Errorf("%d resumes, told\n%s\nwant\n%s", w.work.Resumes, got, text)
	}
}

// TestWatchedWork: requests that were sent and answers from the journal are counted, and the observer sees every judgement.
func TestWatchedWork(t *testing.T) {
	var seen []string
	w := watch{out: &Outcome{}, obs: &Observer{Judged: func(r *judges.Result) { seen = append(seen, r.Judge) }}}
	w.judged(&judges.Result{Judge: "a", Requests: 5, Cached: 2})
	w.judged(&judges.Result{Judge: "b", Requests: 1, Cached: 1})
	w.obs = &Observer{}
	w.judged(&judges.Result{Judge: "c", Requests: 4})
	if want := (directory.Work{Sent: 7, FromJournal: 3}); w.work != want || !cmp.Equal([]string{"a", "b"}, seen) {
		t.Errorf("%+v, %q", w.work, seen)
	}
}
