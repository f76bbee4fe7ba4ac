// Package run joins judges and deterministic scorers: it reads logs, has every
// call judged and scored, and writes the run directory.
//
// It promises that scores are in log order whatever the concurrency, that the
// same inputs, configuration and replies give the same bytes, that memory does not
// grow with the log beyond what the report needs, and that whatever was answered
// before an interruption is never asked for again. It prints nothing.
//
// A run goes through plan.go, judges.go, execute.go and finish.go.
package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"github.com/judgekit/judge/internal/transcript/format"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/queue"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// defaultCoverageFloor is the share of judgements that must be scored.
const defaultCoverageFloor = 0.95

// Plan is everything that decides what a run does.
type Plan struct {
	Logs []input.Log
	// Read says how the logs are read; IDs, Gold and Parallel are set by the run.
	Read    format.Options
	Rubrics []*rubrics.Rubric
	// Judges may be empty: then only the deterministic half runs.
	Judges []instrument.Judge
	// Panels and Cascades make further scores out of the judges' scores.
	Panels   []judges.Panel
	Cascades []Cascade
	// Measured are the panels whose weights a calibration gives; they are taken when
	// the run starts.
	Measured []MeasuredPanel
	// Scorers is empty for those that fit each conversation.
	Scorers []deterministic.Config
	// DisplayNames are what tables call a scorer, by its name.
	DisplayNames map[string]string
	// Metrics are figures over the data set, computed while the log is read.
	Metrics []MetricsOf
	// Execution runs the logged calls in an environment; nil for no such check.
	Execution *Execution
	// Limit ends after so many conversations, Sample draws so many with Seed; 0 for
	// all.
	Limit, Sample int
	Seed          int64
	// CoverageFloor is in 0..1; nil means 0.95.
	CoverageFloor *float64
	// Report says how the report is made. Its Thresholds are those of the run: they
	// decide the verdicts that scores.jsonl holds.
	Report measure.Config
	// RandomLabels are those labels of the logs that are of a random sample.
	RandomLabels []string
	Gates        []measure.Gate
	// Against is the directory of an earlier run that the report compares with; "" for
	// none.
	Against string
	// transport replaces the HTTP transport in tests.
	transport http.RoundTripper
	// Queue carries the requests of all judges to workers; nil for HTTP.
	Queue *queue.Queue
	// senders carry the requests of each judge in place of HTTP; nil for HTTP.
	senders []llm.Sender
	// thresholds are those of Report, taken when the run starts.
	thresholds []report.Threshold
	// Config is the configuration as resolved, for run.json.
	Config value.Value
	// Directory is where relative paths of Config are meant from.
	Directory string
	// Version, Commit and Go say what program this is.
	Version, Commit, Go string
	// Shard is the part of the conversations that this process judges; the identity of the
	// run is that of the whole.
	Shard input.Shard
	// Reuse are the directories of earlier runs whose good answers are taken.
	Reuse []string
	// merged is the run whose shards are merged, nil for none: nothing is sent.
	merged *merged
	// Fresh asks again for what is in the journal.
	Fresh bool
	// Retry are the kinds of unscored judgements that a resumed run asks again, beside
	// those that got no usable reply.
	Retry []string
	// again are those judgements, found when the run is taken up.
	again map[judgement]bool
	// Outage is how long an endpoint may give no answer; 0 waits for none.
	Outage time.Duration
	// InFlight counts the requests that are under way; it may be nil.
	InFlight *atomic.Int64
}

// Cascade is a cascade of a run, with the file in the run directory for what it leaves
// to people.
type Cascade struct {
	judges.Cascade
	Queue string
}

// MeasuredPanel is a panel whose weights are the reliabilities that a calibration
// measured.
type MeasuredPanel struct {
	// Panel is its name, File the calibration's, for messages.
	Panel, File string
	Calibration *report.Calibration
}

// Observer receives what happens. Its functions may be nil and are called
// concurrently.
type Observer struct {
	// Judged is called for each finished judgement.
	Judged func(*judges.Result)
	// Unreadable is called for each record of a log that cannot be read.
	Unreadable func(error)
	// Outage is called with news about an endpoint that does not answer.
	Outage func(client.Notice)
	// Limits is called once, when judging begins, with what says what limits it just now.
	Limits func(func() string)
	// Note is called with lines that a person should see.
	Note func(line string)
}

func (o *Observer) note(format string, args ...any) { o.line(fmt.Sprintf(format, args...)) }

func (o *Observer) line(text string) {
	if o.Note != nil {
		o.Note(text)
	}
}

// PlanError is a mistake in a plan that was found before anything was done.
type PlanError struct{ Cause error }

func (e *PlanError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *PlanError) Unwrap() error { return e.Cause }

// Team is the judging side of the plan.
func (p *Plan) Team() *instrument.Team {
	t := &instrument.Team{Judges: p.Judges, Panels: p.Panels}
	for i := range p.Cascades {
		t.Cascades = append(t.Cascades, p.Cascades[i].Cascade)
	}
	return t
}

// ReadOnce reports whether a log is standard input or a pipe.
func (p *Plan) ReadOnce() bool {
	return slices.ContainsFunc(p.Logs, func(l input.Log) bool { return l.Once })
}

// scorers are the plan's scorers, ready to run. The error is a *PlanError.
func (p *Plan) scorers() (*deterministic.Log, error) {
	log, err := deterministic.ForLog(p.Scorers)
	if err != nil {
		return nil, &PlanError{err}
	}
	return log, nil
}

// source reads the logs of the plan, as far as its limit or sample goes.
func (p *Plan) source(ctx context.Context, hashes []string, problem func(error)) (*input.Source, error) {
	s := &input.Source{Logs: p.Logs, Hashes: hashes, Options: p.Read, Limit: p.Limit, Shard: p.Shard, Problem: problem}
	if p.Sample > 0 {
		return s, s.Pick(ctx, p.Sample, p.Seed)
	}
	return s, nil
}

// identify computes the run's identity: what was asked, of whom, about which bytes.
// Where the files are, how fast the endpoint is driven and what the report looks
// like are no part of it.
func (p *Plan) identify(hashes []string) (id string, parts map[string]string) {
	var list, team []string
	for _, r := range p.Rubrics {
		list = append(list, r.Name, r.SHA)
	}
	for _, t := range p.thresholds {
		list = append(list, "threshold "+t.String())
	}
	for i := range p.Judges {
		team = append(team, p.Judges[i].Identity())
	}
	team = append(team, p.Team().Identity()...)
	var scorers, tools []value.Value
	for _, s := range p.Scorers {
		scorers = append(scorers, value.OfString(s.Type), value.OfString(s.Key), value.OfString(s.Purpose), s.Config)
	}
	if p.Execution != nil {
		scorers = append(scorers, p.Execution.identity)
	}
	for i := range p.Read.Tools {
		tools = append(tools, p.Read.Tools[i].Raw)
	}
	all := map[string]value.Value{
		"inputs":  value.OfStrings(hashes...),
		"rubrics": value.OfStrings(list...),
		"judges":  value.OfStrings(team...),
		"scorers": value.OfList(scorers...),
		"selection": value.OfList(value.OfInt(int64(p.Limit)), value.OfInt(int64(p.Sample)), value.OfInt(p.Seed),
			value.OfString(p.Read.Format), value.OfBool(p.Read.TextCalls), value.OfList(tools...)),
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

// takeWeights gives the measured panels their weights. The error is a *PlanError where
// a calibration does not know a member, or was made with another instrument.
func (p *Plan) takeWeights() error {
	p.Panels = slices.Clone(p.Panels)
	for _, from := range p.Measured {
		m := report.Manifest{Judges: p.Team().Instruments(), Rubrics: p.scales()}
		for i := range p.Panels {
			panel := &p.Panels[i]
			if panel.Name != from.Panel {
				continue
			}
			overall, byRubric, err := from.Calibration.Weights(m, panel.Members)
			if err != nil {
				return from.wrong(err)
			}
			panel.Weights, panel.RubricWeights = overall, byRubric
		}
	}
	return nil
}

// checkWeights returns a *PlanError if a calibration lacks the weight of a panel's member.
// Whether it was made with the same instruments shows only once the endpoints were asked.
func (p *Plan) checkWeights() error {
	for _, from := range p.Measured {
		for i := range p.Panels {
			if p.Panels[i].Name != from.Panel {
				continue
			}
			if _, _, err := from.Calibration.Accuracies(p.scales(), p.Panels[i].Members); err != nil {
				return from.wrong(err)
			}
		}
	}
	return nil
}

func (m *MeasuredPanel) wrong(err error) error {
	return &PlanError{fmt.Errorf("panel %s: weights from %s: %w", m.Panel, m.File, err)}
}

// scales are the plan's rubrics as a report knows them.
func (p *Plan) scales() []report.Rubric {
	var out []report.Rubric
	if len(p.Judges) == 0 {
		return nil
	}
	for _, r := range p.Rubrics {
		o := r.Output
		out = append(out, report.Rubric{
			Name: r.Name, SHA: r.SHA, Min: o.Min, Max: o.Max, Integer: o.Integer, Low: new(o.Low), High: new(o.High),
			CompareWith: r.CompareWith,
		})
	}
	return out
}

// takeThresholds makes the thresholds that were given for the run part of its
// instruments, before anything is scored: a rubric's take the place of its own pass
// band, a scorer's decide its scores as they are made. So whatever reads the run
// later finds verdicts, bands and identity that agree. A threshold of nothing that
// the run has is noted. The error is a *PlanError.
func (p *Plan) takeThresholds(scorers []string, note func(string)) error {
	given := p.Report.Thresholds
	p.thresholds, p.Report.Thresholds = nil, nil
	for i, t := range given {
		// Of one name the last counts: a flag comes after what the configuration says.
		if !slices.ContainsFunc(given[i+1:], func(later report.Threshold) bool { return later.Name == t.Name }) {
			p.thresholds = append(p.thresholds, t)
		}
	}
	p.Rubrics = slices.Clone(p.Rubrics)
	for _, t := range p.thresholds {
		known := slices.Contains(scorers, t.Name) || t.Name == deterministic.ExecutionCheck.Name
		if known {
			if err := t.OnScale("scorer", 0, 1); err != nil {
				return &PlanError{err}
			}
		}
		for i, r := range p.Rubrics {
			if r.Name != t.Name {
				continue
			}
			// What a judge is sent does not change: it never sees the band.
			decided := *r
			o := &decided.Output
			o.Low, o.High = t.Low, o.Max
			if t.High != nil {
				o.High = *t.High
			}
			if err := t.OnScale("rubric", o.Min, o.Max); err != nil {
				return &PlanError{err}
			}
			p.Rubrics[i], known = &decided, true
		}
		if !known && len(p.Judges) > 0 {
			note(fmt.Sprintf("threshold %s: no rubric and no scorer of this run has that name", t))
		}
	}
	return nil
}

// redecide decides the verdicts of deterministic scores by the thresholds of the run.
func (p *Plan) redecide(scores []score.Score) {
	if len(p.thresholds) == 0 {
		return
	}
	for i := range scores {
		scores[i] = report.Redecide(scores[i], p.thresholds)
	}
}
