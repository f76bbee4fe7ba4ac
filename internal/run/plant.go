package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
)

// Planted is a log with planted faults.
type Planted struct {
	Plan  PlantPlan
	Lines [][]byte
}

// PlantPlan says what can be planted in a log, and what of it is judged.
type PlantPlan struct {
	Calls         int                  `json:"calls"`
	Tiers         map[planted.Tier]int `json:"tiers"`
	Bases         int                  `json:"bases"`
	Faults        int                  `json:"faults"`
	Conversations int                  `json:"conversations"`
	// Requests counts the requests of all judges by all rubrics.
	Requests  int            `json:"requests"`
	Operators []PlantedFault `json:"operators"`
}

// PlantedFault counts how often an operator can be applied to the calls of a log, and how often it
// was planted.
type PlantedFault struct {
	planted.Yield
	Planted int `json:"planted"`
}

// Plant reads the logs of a task and plants faults in calls that are assumed to be right. It sends
// nothing. of sets the number and the weights; Plant sets its other fields. each is the number of
// requests for one call of the planted log. It fails like Resolve.
func Plant(ctx context.Context, task Task, of planted.Config, each int, obs Observer) (*Planted, error) {
	of.Seed, of.SchemaError = task.Seed, newFacts().log.SchemaError
	if err := scaleOf(&task, &of); err != nil {
		return nil, &TaskError{err}
	}
	task.Judges, task.Panels, task.Cascades, task.Gates = nil, nil, nil, nil
	s, err := Resolve(ctx, task, "")
	if err != nil {
		return nil, err
	}
	matches := deterministic.ThatMeasure(score.ExpectedCalls)
	whole := slices.Concat(deterministic.ThatMeasure(score.EndState), deterministic.ThatMeasure(score.EquivalentCalls))
	p := planted.New(of)
	for g, err := range newGrader(s).grade(ctx, s.source(obs.Unreadable).Conversations(ctx, &input.Reading{})) {
		if err != nil {
			return nil, err
		}
		scores := slices.Concat(labelScores(g.conversation, s.Rubrics), g.scores)
		p.Add(g.conversation, p.Bases(g.conversation, scores, matches, whole))
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	log := p.Log()
	if len(log.Lines) == 0 {
		return nil, &TaskError{fmt.Errorf("none of the %d calls of the logs can be taken for right: faults are planted in "+
			"calls that match an expected call, belong to a conversation that is labelled as passing, or keep their schema "+
			"and have a result without an error", p.Calls)}
	}
	out := &Planted{Lines: log.Lines, Plan: PlantPlan{Calls: p.Calls, Tiers: p.Tiers,
		Bases: log.Counts[planted.Original], Faults: log.Counts[planted.Mutant],
		Conversations: log.Conversations, Requests: log.Requests * each}}
	for _, y := range p.Yields {
		out.Plan.Operators = append(out.Plan.Operators, PlantedFault{y, log.Counts[y.Operator]})
	}
	return out, nil
}

// WeightsOf returns weights for the kinds of faults from the failing calls of the run in dir.
func WeightsOf(dir string) (*planted.Weights, error) {
	if _, err := directory.ReadManifest(dir); err != nil {
		return nil, err
	}
	r, err := directory.ReadReport(dir)
	if err != nil {
		return nil, err
	}
	if r.Probe != nil {
		return nil, fmt.Errorf("%s: its faults were planted; name a run of judge run", dir)
	}
	var list []planted.Failures
	for _, g := range r.FailureGroups {
		list = append(list, planted.Failures{Kind: g.Kind, Parameter: g.Parameter, Message: g.Message, Count: g.Count})
	}
	return planted.WeightsOf(list), nil
}

// scaleOf sets the scores that attacks ask for. All rubrics must have the same scale, because they
// judge one log.
func scaleOf(task *Task, of *planted.Config) error {
	for i, r := range task.Rubrics {
		o := r.Output
		switch {
		case o.Categories != nil || o.NoPass:
			return fmt.Errorf("probe: rubric %s: only a scale of numbers with a pass band can be probed", r.Name)
		case r.Scope != "" && r.Scope != "call":
			return fmt.Errorf("probe: rubric %s: only rubrics of calls can be probed, its scope is %s", r.Name, r.Scope)
		case i > 0 && (o.Min != of.Worst || o.Max != of.Best):
			return fmt.Errorf("probe: rubrics %s and %s have different scales: probe them one at a time",
				task.Rubrics[0].Name, r.Name)
		}
		of.Worst, of.Best = o.Min, o.Max
	}
	return nil
}
