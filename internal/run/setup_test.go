package run

import "context"

// setup is a task with the means to do it.
type setup struct {
	Task
	Means
}

// executeSetup takes the three steps of a run.
func executeSetup(ctx context.Context, p setup, dir string, resume bool, obs Observer) (*Outcome, error) {
	s, err := Resolve(ctx, p.Task, dir)
	if err != nil {
		return nil, err
	}
	p.Resume = resume
	in, err := Prepare(ctx, s, dir, p.Means, obs)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return Execute(ctx, s, in, obs)
}

// identify returns the identity of a task over logs with these hashes.
func (t *Task) identify(hashes []string) (string, map[string]string) {
	s, err := t.resolve()
	if err != nil {
		panic(err)
	}
	s.hashes = hashes
	return s.identify(&s.Team)
}

// estimateOf returns what a task would ask for.
func estimateOf(ctx context.Context, t Task) (Estimate, error) {
	s, err := Resolve(ctx, t, "")
	if err != nil {
		return Estimate{}, err
	}
	return s.Estimate(ctx)
}
