package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// schemaNames lists the files that have a schema.
var schemaNames = []string{"config", "rubric", "log", "score", "report"}

// schemaOf returns the schema of a kind of file, or of its lines. A closed schema also refuses
// unknown keys in files that this program writes.
func schemaOf(name string, closed bool) (value.Value, error) {
	switch name {
	case "config":
		return config.Schema()
	case "rubric":
		return value.Parse(rubrics.Schema())
	case "log":
		return value.Parse(format.NativeSchema())
	case "score":
		return score.LineSchema(closed)
	case "report":
		return report.JSONSchema(closed)
	}
	return value.Value{}, usagef("schema %q: known are %s", name, strings.Join(schemaNames, ", "))
}

func schemaCommand(a *app) *cobra.Command {
	use := "schema " + strings.Join(schemaNames, "|")
	cmd := newCommand(use, cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		s, err := schemaOf(args[0], false)
		if err != nil {
			return err
		}
		return writeJSON(a.out, s)
	})
	cmd.ValidArgs = schemaNames
	return cmd
}
