package run

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Spec says what a run does: its task with thresholds applied, and what one pass over the logs
// found. It never changes.
type Spec struct {
	Task
	scorers    *deterministic.Log
	thresholds []report.Threshold
	// unknown lists the thresholds whose name nothing in the run has.
	unknown []string
	hashes  []string
	// picked holds the indexes of a sample's conversations; nil means all.
	picked []int
	// share is the part of the logs that the estimate covers; 1 means all.
	share    float64
	estimate Estimate
	// byRubric counts the items that each rubric asks about; together counts the requests saved by
	// judges that ask by all rubrics of a scope at once.
	byRubric []int
	together int
	// checks holds the sizes of each judge's prompts if Prompts requests them.
	checks []instrument.WindowCheck
	// largest holds, for each judge, the sizes of items that no other item exceeds.
	largest [][]judges.Size
}

// Resolve checks a task and reads its logs once: it hashes them, counts calls and prompts, and
// draws the sample. dir is the run directory, "" for none. If it holds a run already, the logs are
// read up to the length that they had when the run began. It sends nothing.
//
// The error is a *TaskError, a *transcript.FormatError for a log in an unknown format, or a
// *NothingError if there is nothing to judge or score.
func Resolve(ctx context.Context, task Task, dir string) (*Spec, error) {
	s, err := task.resolve()
	if err != nil {
		return nil, err
	}
	list, err := s.Silent()
	if err != nil {
		return nil, &TaskError{err}
	}
	asked, err := judges.Asked(list, s.RunConfig())
	if err != nil {
		return nil, &TaskError{err}
	}
	if err := s.checkWeights(); err != nil {
		return nil, err
	}
	if s.Series == "" {
		directory.Bound(dir, s.Logs)
	}
	v := &survey{spec: s, asked: asked, list: list, labels: map[string]bool{}}
	s.largest, s.byRubric = make([][]judges.Size, len(list)), make([]int, len(s.Rubrics))
	if s.Prompts {
		v.checks = instrument.NewWindowChecks(list)
	}
	if err := v.read(ctx); err != nil {
		return nil, err
	}
	return s, s.checkGates(dir, v.labels)
}

// resolve applies the thresholds, without reading the logs.
func (t *Task) resolve() (*Spec, error) {
	s := &Spec{Task: *t}
	s.Logs, s.Team = slices.Clone(t.Logs), t.Team.Clone()
	var err error
	if s.scorers, err = deterministic.ForLog(t.Scorers); err != nil {
		return nil, &TaskError{err}
	}
	return s, s.takeThresholds()
}

// source returns a reader for the run's conversations.
func (s *Spec) source(problem func(error)) *input.Source {
	out := &input.Source{Logs: s.Logs, Hashes: s.hashes, Options: s.Read, Limit: s.Limit, Shard: s.Shard,
		Problem: problem}
	if s.picked != nil {
		out.Pick(s.picked)
	}
	return out
}

// survey is the pass over the logs before a run.
type survey struct {
	spec   *Spec
	asked  []bool // by judge: it is asked about every call
	list   []*judges.Judge
	found  finding
	checks []instrument.WindowCheck
	labels map[string]bool
}

// extent holds what a conversation adds to the estimate.
type extent struct {
	index, calls int
	byRubric     []int
	skips        []bool // by judge
	// together counts the requests that a judge saves by asking about all rubrics of a scope at once.
	together int
}

// read reads the logs and completes the spec.
func (v *survey) read(ctx context.Context) (err error) {
	s := v.spec
	v.found.reading = &input.Reading{}
	sample := input.NewReservoir[extent](s.Sample, uint64(s.Seed), 0x6a75646765)
	source := &input.Source{Logs: s.Logs, Options: s.Read, Limit: s.Limit}
	if len(s.Gates) == 0 { // a gate may ask for a label that no conversation has
		source.Readable = s.Readable
	}
	if s.Sample > 0 { // the limit applies to the sample
		source.Limit, v.checks = 0, nil
	}
	s.hashes, s.share, err = source.Survey(ctx, v.found.reading, s.Sample > 0 || s.Prompts,
		func(index int, c *transcript.Conversation) {
			v.look(ctx, c)
			switch {
			case s.Sample > 0:
				sample.Offer(s.extentOf(index, c))
			case s.Shard.Holds(c.ID):
				v.add(s.extentOf(index, c))
			}
		})
	if err != nil {
		return err
	}
	sorting.Stable(sample.Kept, func(a, b extent) int { return a.index - b.index })
	for i, e := range sample.Kept {
		if s.Limit == 0 || i < s.Limit {
			s.picked = append(s.picked, e.index)
			v.add(e)
		}
	}
	s.estimate.Unreadable, s.checks = v.found.reading.Unreadable, v.checks
	return v.found.err()
}

// look measures a conversation, even if it is not in the sample.
func (v *survey) look(ctx context.Context, c *transcript.Conversation) {
	v.found.add(c, v.spec.asking(), v.spec.scorers.Score)
	for i := range c.Labels {
		v.labels[c.Labels[i].Name] = true
	}
	for i := range v.checks {
		v.checks[i].Look(ctx, c)
	}
	s := v.spec
	for i := range v.list {
		if i > 0 && reflect.DeepEqual(s.Judges[i].Config.Prompt, s.Judges[0].Config.Prompt) {
			s.largest[i] = s.largest[0]
			continue
		}
		v.list[i].Sizes(c, func(size judges.Size) { s.largest[i] = keepLargest(s.largest[i], size) })
	}
}

// asking returns the rubrics that some judge uses.
func (s *Spec) asking() []*rubrics.Rubric {
	if len(s.Judges) == 0 {
		return nil
	}
	return s.Rubrics
}

// keepLargest adds a size to a list unless another one exceeds it, and removes those that it
// exceeds.
func keepLargest(list []judges.Size, size judges.Size) []judges.Size {
	if slices.ContainsFunc(list, func(s judges.Size) bool { return s.Exceeds(size) }) {
		return list
	}
	return append(slices.DeleteFunc(list, size.Exceeds), size)
}

// extentOf counts the calls of a conversation, and the items that each rubric asks about.
func (s *Spec) extentOf(index int, c *transcript.Conversation) extent {
	e := extent{index, len(judges.AllCalls(c)), make([]int, len(s.Rubrics)), make([]bool, len(s.Judges)),
		judges.SavedTogether(s.asking(), c)}
	for i := range s.Judges {
		e.skips[i] = s.Judges[i].Skips(c)
	}
	for i, r := range s.Rubrics {
		e.byRubric[i] = len(judges.Targets(c, r))
	}
	return e
}

// add adds a conversation of the run to the estimate.
func (v *survey) add(of extent) {
	s, e := v.spec, &v.spec.estimate
	e.Conversations++
	e.Calls += of.calls
	for k, n := range of.byRubric {
		s.byRubric[k] += n
	}
	for i, always := range v.asked {
		if of.skips[i] {
			continue
		}
		asked, all := 0, 0
		for k, r := range s.Rubrics {
			all += of.byRubric[k]
			if judges.Answers(s.Judges[i].Config.Model, r.Name) {
				asked += of.byRubric[k]
			}
		}
		if s.Judges[i].Together() {
			asked -= of.together
		}
		n := asked * s.Judges[i].Requests()
		if !always {
			e.Escalated += n
			continue
		}
		e.Judgements += all
		e.Requests += n
		if s.Judges[i].Together() {
			s.together += of.together * s.Judges[i].Requests()
		}
	}
}

// note tells the user which thresholds decide nothing, which rubrics ask about nothing, and which
// checks are off because of a rubric's language.
func (s *Spec) note(obs *Observer) {
	for i, r := range s.asking() {
		if s.whole() && r.When != nil && s.byRubric[i] == 0 {
			obs.line(fmt.Sprintf("rubric %s: its condition (when: %s) holds for no call of this run", r.Name, r.When))
		}
		if s.whole() && r.SeesExpected && s.byRubric[i] == 0 {
			obs.line(fmt.Sprintf("rubric %s: it sees what is expected, and no conversation of this run says which "+
				"calls or answer that is", r.Name))
		}
		if !r.English() {
			obs.line(fmt.Sprintf("rubric %s: explanations are in %s, so the check that reads English (whether "+
				"the explanation fits the score) is off", r.Name, r.Language))
		}
	}
	for _, line := range s.unknown {
		obs.line(line)
	}
}
