package run

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// watch counts what this process does, and notifies the observer. It is safe for concurrent use.
type watch struct {
	spec *Spec
	out  *Outcome
	obs  *Observer
	mu   sync.Mutex
	work directory.Work
}

func newWatch(s *Spec, in *Instruments, out *Outcome, obs *Observer) *watch {
	return &watch{spec: s, out: out, obs: obs, work: directory.Work{Resumes: in.manifest.Work.Resumes}}
}

// reportDamage says which lines of the journal are not used.
func (w *watch) reportDamage() {
	s := &w.out.Journal
	if n := s.TornBytes; n > 0 {
		w.obs.note("the last run was cut off in a write: %d bytes of an unfinished exchange were dropped", n)
	}
	if s.Damaged == 0 {
		return
	}
	w.work.Damaged = s.Damaged
	var lines []string
	for _, n := range s.DamagedLines[:min(s.Damaged, len(s.DamagedLines))] {
		lines = append(lines, fmt.Sprintf("%s:%d", directory.ExchangesFile, n))
	}
	if s.Damaged > len(s.DamagedLines) {
		lines = append(lines, "…")
	}
	w.obs.note("%d damaged lines of the journal are not used, and what they answered is asked again: %s, %s",
		s.Damaged, strings.Join(lines, ", "), s.Damage)
}

// judged counts a finished judgement.
func (w *watch) judged(r *judges.Result) {
	w.mu.Lock()
	w.work.FromJournal += r.Cached
	w.work.Sent += r.Requests - r.Cached
	w.mu.Unlock()
	if w.obs.Judged != nil {
		w.obs.Judged(r)
	}
}

// stopped records that a judge was stopped for a rubric, in the order of the judges and rubrics.
func (w *watch) stopped(s judges.Stop) {
	team := &w.spec.Team
	rank := func(s report.Stop) int {
		judge := slices.IndexFunc(team.Judges, func(j instrument.Judge) bool { return j.Name() == s.Judge })
		return judge*len(team.Rubrics) + slices.IndexFunc(team.Rubrics,
			func(r *rubrics.Rubric) bool { return r.Name == s.Rubric })
	}
	w.mu.Lock()
	list := append(w.out.Manifest.Stopped, report.Stop{
		Judge: s.Judge, Rubric: s.Rubric, Judgements: judges.StopAfter, Kind: s.Kind, Error: s.First.ErrorDetail,
		Place: strings.TrimSpace(s.First.ConversationID + " " + s.First.Target().String()), Reply: s.First.Reply,
	})
	sorting.Stable(list, func(a, b report.Stop) int { return rank(a) - rank(b) })
	w.out.Manifest.Stopped = list
	w.mu.Unlock()
	w.obs.note("judge %s: stopped on %s: the first %d judgements all failed, each as %s", s.Judge, s.Rubric,
		judges.StopAfter, s.Kind)
}
