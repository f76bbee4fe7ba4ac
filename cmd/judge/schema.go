package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/schemas"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema " + strings.Join(schemas.Names(), "|"),
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
		ValidArgs: schemas.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := schemas.Of(args[0], schemas.Options{})
			if err != nil {
				return usage(err)
			}
			return writeJSON(a.out, s)
		},
	}
}
