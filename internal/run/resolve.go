package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Spec says what a run does: its task with thresholds applied, and what one pass over the logs
// found. It never changes.
type Spec struct {
	Task
	scorers    *deterministic.Log
	thresholds []report.Threshold
	// unknown names the thresholds that nothing of the run has.
	unknown []string
	hashes  []string
	// picked are the indexes of a sample's conversations, nil for all.
	picked []int
	// whole says that the estimate is of all conversations, and not only of the first of a
	// large log.
	whole    bool
	estimate Estimate
	// byRubric counts the calls that each rubric asks about.
	byRubric []int
	// checks has the prompts of each judge if Prompts asks for them.
	checks []instrument.WindowCheck
	// largest has for each judge the sizes of calls that no other call exceeds.
	largest [][]judges.Size
}

// Resolve checks a task and reads its logs once: it hashes them, counts calls and prompts, and
// draws the sample. dir is the run directory, "" for none; if it holds a run already, logs end
// where they ended when that began. Nothing is sent.
//
// The error is a *TaskError, a *transcript.FormatError for a log in no readable form, or a
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
	directory.Bound(dir, s.Logs)
	v := &survey{spec: s, asked: asked, list: list, labels: map[string]bool{}}
	s.largest = make([][]judges.Size, len(list))
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

// takeThresholds makes the given thresholds part of the instruments: a rubric's take the
// place of its own pass band, a scorer's decide its scores as they are made. So whatever
// reads the run later finds verdicts, bands and identity that agree. The error is a
// *TaskError.
func (s *Spec) takeThresholds() error {
	given := s.Report.Thresholds
	s.Report.Thresholds = nil
	for i, t := range given {
		// Of one name the last counts: a flag comes after what the configuration says.
		if slices.ContainsFunc(given[i+1:], func(later report.Threshold) bool { return later.Name == t.Name }) {
			continue
		}
		s.thresholds = append(s.thresholds, t)
		known := slices.Contains(s.scorers.Names(), t.Name) || t.Name == deterministic.ExecutionCheck.Name
		if known {
			if err := t.OnScale("scorer", 0, 1); err != nil {
				return &TaskError{err}
			}
		}
		for i, r := range s.Rubrics {
			if r.Name != t.Name {
				continue
			}
			// What a judge is sent does not change: it never sees the band.
			decided := *r
			o := &decided.Output
			if o.Categories != nil {
				return &TaskError{fmt.Errorf("threshold %s: the answers of rubric %s are categories; its pass says "+
					"which of them pass", t, r.Name)}
			}
			o.NoPass = false
			o.Low, o.High = t.Low, o.Max
			if t.High != nil {
				o.High = *t.High
			}
			if err := t.OnScale("rubric", o.Min, o.Max); err != nil {
				return &TaskError{err}
			}
			s.Rubrics[i], known = &decided, true
		}
		if !known && len(s.Judges) > 0 {
			s.unknown = append(s.unknown, t.String())
		}
	}
	return nil
}

// redecide decides the verdicts of deterministic scores by the thresholds of the run.
func (s *Spec) redecide(scores []score.Score) {
	for i := range scores {
		if len(s.thresholds) > 0 {
			scores[i] = report.Redecide(scores[i], s.thresholds)
		}
	}
}

// checkWeights returns a *TaskError if a calibration lacks the weight of a panel's member.
// Whether it was made with the same instruments shows only once the endpoints were asked.
func (s *Spec) checkWeights() error {
	for _, from := range s.Measured {
		for i := range s.Panels {
			if s.Panels[i].Name != from.Panel {
				continue
			}
			if _, _, err := from.Calibration.Accuracies(s.Scales(), s.Panels[i].Members); err != nil {
				return from.wrong(err)
			}
		}
	}
	return nil
}

// source reads the conversations of the run.
func (s *Spec) source(problem func(error)) *input.Source {
	out := &input.Source{Logs: s.Logs, Hashes: s.hashes, Options: s.Read, Limit: s.Limit, Shard: s.Shard,
		Problem: problem}
	if s.picked != nil {
		out.Pick(s.picked)
	}
	return out
}

// identify computes the run's identity: what was asked, of whom, about which bytes. If the
// files are, how fast the endpoint is driven and what the report looks like do not count. team
// is the run's, with what was found out about its endpoints.
func (s *Spec) identify(team *instrument.Team) (id string, parts map[string]string) {
	var list, judging []string
	for _, r := range team.Rubrics {
		list = append(list, r.Name, r.SHA)
	}
	for _, t := range s.thresholds {
		list = append(list, "threshold "+t.String())
	}
	for i := range team.Judges {
		judging = append(judging, team.Judges[i].Identity())
	}
	judging = append(judging, team.Identity()...)
	var scorers, tools []value.Value
	for _, c := range s.Scorers {
		scorers = append(scorers, value.OfString(c.Type), value.OfString(c.Key), value.OfString(c.Purpose), c.Config)
	}
	if s.Execution != nil {
		scorers = append(scorers, s.Execution.identity)
	}
	for i := range s.Read.Tools {
		tools = append(tools, s.Read.Tools[i].Raw)
	}
	all := map[string]value.Value{
		"inputs":  value.OfStrings(s.hashes...),
		"rubrics": value.OfStrings(list...),
		"judges":  value.OfStrings(judging...),
		"scorers": value.OfList(scorers...),
		"selection": value.OfList(value.OfInt(int64(s.Limit)), value.OfInt(int64(s.Sample)), value.OfInt(s.Seed),
			value.OfString(s.Read.Format), value.OfBool(s.Read.TextCalls), value.OfList(tools...)),
		"prompt": value.OfString(judges.PromptVersion),
	}
	parts = map[string]string{}
	members := make([]value.Member, 0, len(all))
	for _, name := range directory.Parts() {
		parts[name] = digest(all[name])[:16]
		members = append(members, value.Member{Key: name, Value: all[name]})
	}
	return digest(value.OfObject(members...))[:16], parts
}

// digest returns the hex SHA-256 of a value's canonical text.
func digest(v value.Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return hex.EncodeToString(sum[:])
}

// survey is the pass over the logs before a run.
type survey struct {
	spec   *Spec
	asked  []bool // by judge: about every call
	list   []*judges.Judge
	found  finding
	checks []instrument.WindowCheck
	labels map[string]bool
}

// extent holds what a conversation adds to the estimate.
type extent struct {
	index, calls int
	byRubric     []int
}

// read reads the logs and completes the spec.
func (v *survey) read(ctx context.Context) (err error) {
	s := v.spec
	v.found.reading = &input.Reading{}
	sample := input.NewReservoir[extent](s.Sample, uint64(s.Seed), 0x6a75646765)
	source := &input.Source{Logs: s.Logs, Options: s.Read, Limit: s.Limit}
	if s.Sample > 0 { // the limit is on what is drawn
		source.Limit, v.checks = 0, nil
	}
	s.hashes, s.whole, err = source.Survey(ctx, v.found.reading, s.Sample > 0,
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
	slices.SortFunc(sample.Kept, func(a, b extent) int { return a.index - b.index })
	for i, e := range sample.Kept {
		if s.Limit == 0 || i < s.Limit {
			s.picked = append(s.picked, e.index)
			v.add(e)
		}
	}
	s.estimate.Unreadable, s.checks = v.found.reading.Unreadable, v.checks
	return v.found.err()
}

// look notes what a conversation holds, whether it is drawn or not.
func (v *survey) look(ctx context.Context, c *transcript.Conversation) {
	v.found.add(c, v.spec.scorers.Score)
	for i := range c.Labels {
		v.labels[c.Labels[i].Name] = true
	}
	for i := range v.checks {
		v.checks[i].Look(ctx, c)
	}
	s, calls := v.spec, judges.AllCalls(c)
	for i := range v.list {
		if i > 0 && reflect.DeepEqual(s.Judges[i].Config.Prompt, s.Judges[0].Config.Prompt) {
			s.largest[i] = s.largest[0]
			continue
		}
		v.list[i].Sizes(c, calls, func(size judges.Size) { s.largest[i] = keepLargest(s.largest[i], size) })
	}
}

// keepLargest adds a size to a list unless another one exceeds it, and drops those that it exceeds.
func keepLargest(list []judges.Size, size judges.Size) []judges.Size {
	if slices.ContainsFunc(list, func(s judges.Size) bool { return s.Exceeds(size) }) {
		return list
	}
	return append(slices.DeleteFunc(list, size.Exceeds), size)
}

// extentOf counts the calls of a conversation, also those that each rubric asks about.
func (s *Spec) extentOf(index int, c *transcript.Conversation) extent {
	calls := judges.AllCalls(c)
	e := extent{index, len(calls), make([]int, len(s.Rubrics))}
	for i, r := range s.Rubrics {
		for _, call := range calls {
			if r.When.Holds(&c.Calls[call]) {
				e.byRubric[i]++
			}
		}
	}
	return e
}

// add counts the calls of a conversation of the run.
func (v *survey) add(of extent) {
	s, e := v.spec, &v.spec.estimate
	e.Conversations++
	e.Calls += of.calls
	if s.byRubric == nil {
		s.byRubric = make([]int, len(s.Rubrics))
	}
	for k, n := range of.byRubric {
		s.byRubric[k] += n
	}
	for i, always := range v.asked {
		asked, all := 0, 0
		for k, r := range s.Rubrics {
			all += of.byRubric[k]
			if judges.Answers(s.Judges[i].Config.Model, r.Name) {
				asked += of.byRubric[k]
			}
		}
		n := asked * s.Judges[i].Requests()
		if !always {
			e.Escalated += n
			continue
		}
		e.Judgements += all
		e.Requests += n
	}
}

// note tells a person which thresholds decide nothing, which rubrics ask about nothing, and which
// checks a rubric's language switches off.
func (s *Spec) note(obs *Observer) {
	for i, r := range s.Rubrics {
		if len(s.Judges) == 0 {
			break
		}
		if s.whole && r.When != nil && s.byRubric[i] == 0 {
			obs.line(fmt.Sprintf("rubric %s: its condition (when: %s) holds for no call of the log", r.Name, r.When))
		}
		if !r.English() {
			obs.line(fmt.Sprintf("rubric %s: explanations are in %s, so the check that reads English (whether "+
				"the explanation fits the score) is off", r.Name, r.Language))
		}
	}
	for _, t := range s.unknown {
		obs.line(fmt.Sprintf("threshold %s: no rubric and no scorer of this run has that name", t))
	}
}
