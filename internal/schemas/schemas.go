// Package schemas owns the JSON Schemas of the files that this program reads and
// writes, for editors and validators.
//
// It promises draft 2020-12, that what the program writes is valid by them, and that
// the configuration's schema knows the keys that the configuration's reader knows.
// Schemas of written files let unknown keys pass, so that a file of a later version
// of the same form is valid too; the configuration's refuses them, as its reader does.
package schemas

import (
	_ "embed"
	"fmt"
	"reflect"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// The names of the files.
const (
	Config = "config"
	Rubric = "rubric"
	Log    = "log"
	Score  = "score"
	Report = "report"
)

// Names returns the names of all files that have a schema.
func Names() []string { return []string{Config, Rubric, Log, Score, Report} }

// Options tunes a schema.
type Options struct {
	// Closed refuses unknown keys in what the program writes, too: for tests that
	// nothing is written which the schema does not name.
	Closed bool
}

//go:embed rubric.json
var rubricJSON []byte

//go:embed log.json
var logJSON []byte

// Of returns the schema of one kind of file; of a file of lines, that of a line.
func Of(name string, opts Options) (value.Value, error) {
	switch name {
	case Config:
		return configSchema()
	case Rubric:
		return value.Parse(rubricJSON)
	case Log:
		return value.Parse(logJSON)
	case Score:
		return scoreSchema(opts)
	case Report:
		return reportSchema(opts)
	}
	return value.Value{}, fmt.Errorf("schema %q: known are config, rubric, log, score, report", name)
}

// header is the first line of a score stream.
type header struct {
	Schema string `json:"schema" jsonschema:"enum=judge.scores/v1"`
	RunID  string `json:"run_id"`
}

// byStatus says that a score has a value exactly when it is scored.
const byStatus = `{
 "if": {"properties": {"status": {"const": "scored"}}},
 "then": {"properties": {"value": {"type": "number"}}},
 "else": {"properties": {"value": {"type": "null"}, "passed": {"type": "null"}}}
}`

func scoreSchema(opts Options) (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge scores", Description: "A line of scores.jsonl: the header, or one score.", Closed: opts.Closed,
		Types: map[reflect.Type]string{
			reflect.TypeFor[score.Source](): `{"type":"string","enum":["judge","deterministic","label"]}`,
			reflect.TypeFor[score.Status](): `{"type":"string","enum":["scored","unscored","not_applicable","error"]}`,
		},
		Patches: map[string]string{"Score": byStatus},
	}, header{}, score.Score{})
}

func reportSchema(opts Options) (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge report", Description: "report.json of a run directory (" + report.Schema + ").", Closed: opts.Closed,
	}, report.Report{})
}
