package judges

import "github.com/judgekit/judge/judges/internal/team"

// newTeam returns who stands together in a run; nil for nobody.
func newTeam(list []*Judge, cfg RunConfig) (*team.Team, error) {
	members := make([]team.Judge, len(list))
	for i, j := range list {
		members[i].Name = j.cfg.Name
		for k := range j.rubrics {
			members[i].Criteria = append(members[i].Criteria, team.Criterion{Rubric: j.rubrics[k].rubric, Mode: j.rubrics[k].mode})
		}
	}
	return team.New(members, team.Config{Panels: cfg.Panels, Cascades: cfg.Cascades, Always: cfg.Always})
}

// Asked reports for each judge of a run whether it is asked about every call, or
// only where a cascade comes to it. The error is that of Run.
func Asked(list []*Judge, cfg RunConfig) ([]bool, error) {
	out := make([]bool, len(list))
	if len(list) == 0 {
		return out, nil
	}
	t, err := newTeam(list, cfg)
	for i := range out {
		out[i] = t == nil || !t.Late(i)
	}
	return out, err
}

// late reports whether a judge is asked only where a cascade comes to it.
func (r *runner) late(judge int) bool { return r.team != nil && r.team.Late(judge) }

// produced closes the queues that get nothing more: those of late judges stay open
// as long as anything is at work.
func (r *runner) produced() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allIn = true
	r.wake.Broadcast()
	for i, q := range r.queues {
		if !r.late(i) || r.active == 0 {
			q.close()
		}
	}
}

// place is where a judge's result for a task belongs.
func (r *runner) place(j *job, judge int, t task) *Result {
	before, width := 0, 0
	for i, other := range r.judges {
		if i < judge {
			before += len(other.rubrics)
		}
		width += len(other.rubrics)
	}
	return &j.results[t.ordinal*width+before+t.rubric]
}

// answers returns the judges' results for a call and rubric; nil for those that were
// not asked. It needs a team, whose judges have the same rubrics.
func (r *runner) answers(j *job, rubric, ordinal int) []*Result {
	out := make([]*Result, len(r.judges))
	for i := range r.judges {
		if res := r.place(j, i, task{rubric: rubric, ordinal: ordinal}); res.Verdict != "" {
			out[i] = res
		}
	}
	return out
}

// advance sees whether all who were asked about a judgement have answered, and asks
// whom the cascades want next.
func (r *runner) advance(j *job, t task) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	open := &j.open[t.ordinal*len(r.judges[0].rubrics)+t.rubric]
	if *open--; *open > 0 {
		return nil
	}
	next, err := r.team.Wanted(t.rubric, r.answers(j, t.rubric, t.ordinal))
	if err != nil {
		return err
	}
	*open = len(next)
	j.left.Add(int64(len(next)))
	for _, judge := range next {
		r.queues[judge].push(work{j, t.rubric, t.ordinal})
	}
	return nil
}

// join makes the results of panels and cascades, now that all answers are there.
func (r *runner) join(j *job) error {
	if r.team == nil {
		return nil
	}
	for ordinal := range j.item.Calls {
		got := make([][]*Result, len(r.judges[0].rubrics))
		for rubric := range got {
			got[rubric] = r.answers(j, rubric, ordinal)
		}
		list, err := r.team.Joint(got)
		if err != nil {
			return err
		}
		j.joint = append(j.joint, list)
	}
	return nil
}
