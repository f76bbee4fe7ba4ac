package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// schemaNames are the files that have a schema.
var schemaNames = []string{"config", "rubric", "log", "score", "report"}

// schemaOf returns the schema of one kind of file; of a file of lines, that of a line. A
// closed one refuses unknown keys in what the program writes, too.
func schemaOf(name string, closed bool) (value.Value, error) {
	switch name {
	case "config":
		return config.Schema()
	case "rubric":
		return value.Parse(rubrics.Schema())
	case "log":
		return value.Parse(transcript.NativeSchema())
	case "score":
		return score.LineSchema(closed)
	case "report":
		return report.JSONSchema(closed)
	}
	return value.Value{}, usagef("schema %q: known are %s", name, strings.Join(schemaNames, ", "))
}

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema " + strings.Join(schemaNames, "|"),
		Short: "the JSON Schema of each file, for editors and validators",
		Long: `the JSON Schema (draft 2020-12) of each file, for editors and validators.

  config  judge.yaml
  rubric  a line of a rubric file
  log     a line of a native log
  score   a line of scores.jsonl
  report  report.json

For completion in an editor with a YAML language server, write the schema to a file
and name it in the first line of judge.yaml:

  # yaml-language-server: $schema=./judge.schema.json`,
		Example: `  judge schema config > judge.schema.json
  judge schema report`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: schemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := schemaOf(args[0], false)
			if err != nil {
				return err
			}
			return writeJSON(a.out, s)
		},
	}
}
