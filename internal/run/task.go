// Package run joins judges and deterministic scorers: it reads logs, judges and scores every call, and
// writes the run directory.
//
// It promises that scores are in log order whatever the concurrency, that the same inputs, configuration and
// replies give the same bytes, that memory does not grow with the log beyond what the report needs, and that
// whatever was answered before an interruption is never asked for again. It prints nothing.
//
// A run takes three steps: [Resolve] reads the logs once and makes the [Spec], [Prepare] makes the [Instruments],
// and [Execute] reads the logs again, judges, and writes the report. A run that was saved needs no endpoint:
// [Report], [Compare], [Calibrate] and [Sheet] read its directory.
package run

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Task holds what a command asks for.
type Task struct {
	Inputs
	instrument.Team
	Scoring
	Reporting
	Origin
}

// Inputs are the logs of a run, with the selection of conversations.
type Inputs struct {
	Logs []input.Log
	// Read says how the logs are read; the run sets IDs, Gold and Parallel.
	Read format.Options
	// Limit limits the conversations that are read; Sample is the number to draw from them, with Seed; 0 means all.
	Limit, Sample int
	Seed          int64
	// Shard is the part of the conversations that this process judges. The run's identity is that of the whole run.
	Shard input.Shard
	// Series names a log that grows while the run stays the same: its name replaces its bytes in the run's
	// identity, and a resumed run covers everything in the log by then. "" means that the log does not grow.
	Series string
	// Prompts makes Resolve measure every prompt, for an estimate.
	Prompts bool
	// Readable is called by Resolve as soon as it is clear that all logs are readable and contain
	// calls; then Resolve reads on. It may be nil.
	Readable func()
}

// Scoring says how a run scores without judges.
type Scoring struct {
	// Scorers lists the scorers; if it is empty, each conversation gets those that apply to it.
	Scorers []deterministic.Config
	// DisplayNames holds the names of scorers in tables.
	DisplayNames map[string]string
	// Metrics lists figures over the whole data set, computed while the log is read.
	Metrics []MetricsOf
	// Execution runs the logged calls in an environment; nil if there is no such check.
	Execution *Execution
}

// Reporting says how a run is reported, and when it is good enough.
type Reporting struct {
	// Report says how the report is made. Its Thresholds decide the verdicts in scores.jsonl.
	Report measure.Config
	// CoverageFloor is the share of judgements that must be scored, 0..1; nil means 0.95.
	CoverageFloor *float64
	// RandomLabels names the labels in the logs that belong to a random sample.
	RandomLabels []string
	Gates        []measure.Gate
	// Idle names rubrics that exist but are not used: Resolve accepts gates on them, and these
	// gates fail at the end because they find nothing.
	Idle []string
	// Against is the directory of an earlier run to compare with; "" for none.
	Against string
	// Measured lists the panels whose weights come from a calibration.
	Measured []MeasuredPanel
}

// Origin says from which configuration and program a run comes, for run.json.
type Origin struct {
	// Config is the resolved configuration, Directory where its relative paths start.
	Config    value.Value
	Directory string
	// Version, Commit and Go identify the program.
	Version, Commit, Go string
}

// ReadOnce reports whether a log is standard input or a pipe.
func (in *Inputs) ReadOnce() bool {
	for i := range in.Logs {
		if in.Logs[i].Once {
			return true
		}
	}
	return false
}

// Observer is notified of what happens. Its functions may be nil and are called concurrently.
type Observer struct {
	// Judged is called for each finished judgement.
	Judged func(*judges.Result)
	// Unreadable is called for each record of a log that cannot be read.
	Unreadable func(error)
	// Outage is called at the beginning and end of an endpoint's outage.
	Outage func(client.Notice)
	// Limits is called once, when judging begins, with a function that says what limits the rate at that time.
	Limits func(func() string)
	// Note is called with lines for the user.
	Note func(line string)
}

func (o *Observer) note(format string, args ...any) { o.line(fmt.Sprintf(format, args...)) }

func (o *Observer) line(text string) {
	if o.Note != nil {
		o.Note(text)
	}
}

// TaskError is a mistake in a task that was found before anything was sent.
type TaskError struct{ Cause error }

func (e *TaskError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *TaskError) Unwrap() error { return e.Cause }
