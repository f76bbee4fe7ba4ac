// Package run joins judges and deterministic scorers: it reads logs, has every
// call judged and scored, and writes the run directory.
//
// It promises that scores are in log order whatever the concurrency, that the
// same inputs, configuration and replies give the same bytes, that memory does not
// grow with the log beyond what the report needs, and that whatever was answered
// before an interruption is never asked for again. It prints nothing.
//
// A run takes three steps: [Resolve] reads the logs once and makes the [Spec], [Prepare]
// makes the [Instruments], and [Execute] reads the logs again, judges, and writes the report.
// A run that was saved needs no endpoint: [Report], [Compare], [Calibrate] and [Sheet] read its
// directory.
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

// Inputs are the logs of a run, and which of their conversations count.
type Inputs struct {
	Logs []input.Log
	// Read says how the logs are read; IDs, Gold and Parallel are set by the run.
	Read format.Options
	// Limit caps the conversations that are read, Sample draws a number of them with Seed; 0 means
	// all of them.
	Limit, Sample int
	Seed          int64
	// Shard is the part of the conversations that this process judges. The run's identity is
	// that of the whole.
	Shard input.Shard
	// Series names a log that grows and stays one run: its name stands for its bytes in the run's
	// identity, and a run that is taken up again is about all that the log holds by then. "" is no such
	// log.
	Series string
	// Prompts has Resolve measure every prompt, for an estimate.
	Prompts bool
	// Readable is called by Resolve when all logs turned out to be readable, as far as their
	// beginnings show that, and to hold calls, while it reads on; nil for nothing.
	Readable func()
}

// Scoring says how a run scores without judges.
type Scoring struct {
	// Scorers is empty for those that fit each conversation.
	Scorers []deterministic.Config
	// DisplayNames has the names of scorers in tables.
	DisplayNames map[string]string
	// Metrics are figures over the data set, computed while the log is read.
	Metrics []MetricsOf
	// Execution runs the logged calls in an environment; nil for no such check.
	Execution *Execution
}

// Reporting says how a run is reported, and when it is good enough.
type Reporting struct {
	// Report says how the report is made. Its Thresholds decide the verdicts that
	// scores.jsonl holds.
	Report measure.Config
	// CoverageFloor is the share of judgements that must be scored, in 0..1; nil means 0.95.
	CoverageFloor *float64
	// RandomLabels names the labels of the logs that are of a random sample.
	RandomLabels []string
	Gates        []measure.Gate
	// Idle names rubrics that are known and not judged by: gates on them pass Resolve, and
	// fail at the end because they find nothing.
	Idle []string
	// Against is the directory of an earlier run to compare with, "" for none.
	Against string
	// Measured are the panels whose weights come from a calibration.
	Measured []MeasuredPanel
}

// Origin says which configuration and which program a run comes from, for run.json.
type Origin struct {
	// Config is the configuration as resolved, Directory where its relative paths start.
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

// Observer receives what happens. Its functions may be nil and are called
// concurrently.
type Observer struct {
	// Judged is called for each finished judgement.
	Judged func(*judges.Result)
	// Unreadable is called for each record of a log that cannot be read.
	Unreadable func(error)
	// Outage is called with news about an endpoint that does not answer.
	Outage func(client.Notice)
	// Limits is called once, when judging begins, with a function that names the limit of
	// the rate at that time.
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

// TaskError is a mistake in a task that was found before anything was sent.
type TaskError struct{ Cause error }

func (e *TaskError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *TaskError) Unwrap() error { return e.Cause }
