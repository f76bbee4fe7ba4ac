// Package run is the only place where the two sides meet: it reads logs, has every
// call judged and scored, and writes the run directory.
//
// It promises that scores stand in log order whatever the concurrency, that the
// same inputs, configuration and replies give the same bytes, that memory does not
// grow with the log beyond what the report needs, and that whatever was answered
// before an interruption is never asked for again. It prints nothing.
package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// DefaultCoverageFloor is the share of judgements that must be scored.
const DefaultCoverageFloor = 0.95

// Plan is everything that decides what a run does.
type Plan struct {
	Logs []input.Log
	// Read says how the logs are read; IDs, Gold and Parallel are set by the run.
	Read    transcript.Options
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
	// CoverageFloor is in 0..1; nil means DefaultCoverageFloor.
	CoverageFloor *float64
	// Report says how the report is made. Its Thresholds are those of the run: they
	// decide the verdicts that scores.jsonl holds.
	Report assembly.Config
	Gates  []gate.Gate
	// Against is the directory of an earlier run that the report compares with; "" for
	// none.
	Against string
	// transport replaces the HTTP transport in tests.
	transport http.RoundTripper
	// thresholds are those of Report, taken when the run starts.
	thresholds []report.Threshold
	// Config is the configuration as resolved, for run.json.
	Config value.Value
	// Directory is where relative paths of Config are meant from.
	Directory string
	// Version, Commit and Go say what program this is.
	Version, Commit, Go string
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

// Observer is told what happens. Its functions may be nil and are called
// concurrently.
type Observer struct {
	// Judged is called for each finished judgement.
	Judged func(*judges.Result)
	// Unreadable is called for each record of a log that cannot be read.
	Unreadable func(error)
	// Outage is called with news about an endpoint that does not answer.
	Outage func(client.Notice)
	// Note is called with lines that a person should see.
	Note func(line string)
}

func (o *Observer) note(line string) {
	if o.Note != nil {
		o.Note(line)
	}
}

// Team is the judging side of the plan.
func (p *Plan) Team() *instrument.Team {
	t := &instrument.Team{Judges: p.Judges, Panels: p.Panels}
	for i := range p.Cascades {
		t.Cascades = append(t.Cascades, p.Cascades[i].Cascade)
	}
	return t
}

// identify computes the run's identity: what was asked, of whom, about which bytes.
// Where the files lie, how fast the endpoint is driven and what the report looks
// like are no part of it.
func (p *Plan) identify(hashes []string) (id string, parts map[string]string) {
	text := func(list []string) value.Value {
		elems := make([]value.Value, len(list))
		for i, s := range list {
			elems[i] = value.OfString(s)
		}
		return value.OfList(elems...)
	}
	var shas, judgeIDs []string
	for _, r := range p.Rubrics {
		shas = append(shas, r.Name, r.SHA)
	}
	shas = append(shas, p.thresholdTexts()...)
	for i := range p.Judges {
		judgeIDs = append(judgeIDs, p.Judges[i].Identity())
	}
	judgeIDs = append(judgeIDs, p.Team().Identity()...)
	var scorers []value.Value
	for _, s := range p.Scorers {
		scorers = append(scorers, value.OfString(s.Type), value.OfString(s.Key), value.OfString(s.Purpose), s.Config)
	}
	if p.Execution != nil {
		scorers = append(scorers, p.Execution.Identity())
	}
	number := func(n int64) value.Value { return value.OfInt(n) }
	all := map[string]value.Value{
		"inputs":  text(hashes),
		"rubrics": text(shas),
		"judges":  text(judgeIDs),
		"scorers": value.OfList(scorers...),
		"selection": value.OfList(number(int64(p.Limit)), number(int64(p.Sample)), number(p.Seed),
			value.OfString(p.Read.Format), value.OfBool(p.Read.TextCalls), toolNames(p.Read.Tools)),
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

func toolNames(tools []transcript.Tool) value.Value {
	elems := make([]value.Value, len(tools))
	for i := range tools {
		elems[i] = tools[i].Raw
	}
	return value.OfList(elems...)
}

// digest returns the hex SHA-256 of a value's canonical text.
func digest(v value.Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return hex.EncodeToString(sum[:])
}

// grace is how long requests in flight may take to finish after a run was stopped.
// Their answers are paid for; written down, they are not asked for again.
const grace = 10 * time.Second

// build makes the judges ready to run, over one journal.
func (p *Plan) build(runID string, journal *journal.Journal, obs *Observer) ([]*judges.Judge, func(), error) {
	var list []*judges.Judge
	var clients []*client.Client
	closeAll := func() {
		for _, c := range clients {
			c.Close()
		}
	}
	for i := range p.Judges {
		spec := p.Judges[i]
		var guard *instrument.Guard
		client, err := client.New(spec.Endpoint, client.Config{
			Kind: spec.Kind, PromptVersion: p.instrument(i), Journal: journal, Fresh: p.Fresh, Stale: p.staleFor(spec.Name()),
			Transport: p.transport, Outage: p.Outage, Notice: obs.Outage, Grace: grace, InFlight: p.InFlight,
			Window: func(tokens int) { narrow(guard, &spec, tokens, obs) },
		})
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		clients = append(clients, client)
		cfg := p.config(i, runID)
		cfg.Concurrency = instrument.Workers(client.Concurrency())
		cfg.Log, cfg.Host = obs.note, spec.Host()
		guard = instrument.NewGuard(client, cfg.Prompt.Limit)
		j, err := judges.New(guard, cfg)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		list = append(list, j)
	}
	return list, closeAll, nil
}

// config is what judge i of the plan is in the run of that identity.
func (p *Plan) config(i int, runID string) judges.Config {
	spec := &p.Judges[i]
	cfg := spec.Config
	cfg.Rubrics, cfg.Kind = p.Rubrics, spec.Kind
	identity := instrument.PromptOptions(runID)
	cfg.Prompt.RunKey, cfg.Prompt.Canary, cfg.Prompt.Limit = identity.RunKey, identity.Canary, spec.Limit()
	return cfg
}

// narrow notes that the endpoint came back with a smaller context.
func narrow(guard *instrument.Guard, spec *instrument.Judge, tokens int, obs *Observer) {
	if guard.Narrow(tokens) {
		obs.note(fmt.Sprintf("judge %s: the endpoint came back with a context of %d tokens instead of %d; what does not fit is not sent", spec.Name(), tokens, spec.Limit().Tokens))
	}
}

// RunID is the identity of a run of the plan over logs of the given hashes.
func (p *Plan) RunID(hashes []string) string {
	id, _ := p.identify(hashes)
	return id
}

// Unrecorded makes the judges of the plan ready to answer as in the run of that identity.
// Nothing of what they are asked is kept, and nothing is taken from elsewhere: the same
// call is asked again. stop must be called at the end. The error is a *PlanError.
func (p *Plan) Unrecorded(runID string, note func(string)) (list []*judges.Judge, stop func(), err error) {
	list, stop, err = p.build(runID, nil, &Observer{Note: note})
	if err != nil {
		return nil, nil, &PlanError{err}
	}
	return list, stop, nil
}

// instrument names the prompt version in fingerprints. Two judges with one model at
// different endpoints must not share answers.
func (p *Plan) instrument(i int) string {
	for k := range p.Judges {
		if k != i && p.Judges[k].Config.Model == p.Judges[i].Config.Model {
			return p.Judges[i].Config.Prompt.Version() + " " + p.Judges[i].Config.Name
		}
	}
	return p.Judges[i].Config.Prompt.Version()
}

// fatal reports whether an error says that an endpoint cannot answer at all.
func fatal(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Fatal
}

// interrupted reports whether an error is the end of the context.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
