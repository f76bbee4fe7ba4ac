package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// init copies this built-in rubric under a new name.
const (
	starterRubric     = "overall_call_correctness"
	starterRubricName = "my_call_correctness"
)

func initCommand(a *app) *cobra.Command {
	var flags readFlags
	var from []string
	var out string
	var force bool
	cmd := newCommand("init [--from LOG]", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		s := config.Starter{Endpoint: a.endpointVariable()}
		if err := a.lookInto(ctx, &s, from, out, &flags); err != nil {
			return err
		}
		return a.writeStarter(s, out, force)
	})
	flags.add(cmd)
	cmd.Flags().StringArrayVar(&from, "from", nil, "log to fit the configuration to, repeatable")
	cmd.Flags().StringVar(&out, "out", defaultConfig, "the file to write")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite files that are there")
	return cmd
}

// endpointVariable returns the variable that names the endpoint, "" if none is set.
func (a *app) endpointVariable() string {
	for _, name := range []string{"OPENAI_BASE_URL", "OLLAMA_HOST"} {
		if a.getenv(name) != "" {
			return name
		}
	}
	return ""
}

// lookInto adds what the logs contain.
func (a *app) lookInto(ctx context.Context, s *config.Starter, from []string, out string, flags *readFlags) error {
	if len(from) == 0 {
		return nil
	}
	for _, path := range from {
		if path == "-" {
			return usagef("--from takes files: standard input could not be read again by the run")
		}
		s.Logs = append(s.Logs, relativeTo(filepath.Dir(out), path))
	}
	if err := a.findMapping(ctx, from[0], flags); err != nil {
		return err
	}
	if s.Read = flags.given; s.Read.Tools != "" {
		s.Read.Tools = relativeTo(filepath.Dir(out), s.Read.Tools)
	}
	var total format.Summary
	err := a.eachLog(ctx, from, flags, func(log input.Log, r *format.Reader) error {
		if err := total.Read(r); err != nil {
			return usage(fmt.Errorf("log %s: %w", log.Name, err))
		}
		return nil
	})
	if s.Seen = &total; err == nil && total.Conversations == 0 {
		return errNoConversation(from)
	}
	return err
}

// findMapping sets the mapping of a log in no known format to the one that judge logs inspect suggests.
func (a *app) findMapping(ctx context.Context, path string, flags *readFlags) error {
	if len(flags.given.Map) > 0 || flags.given.InputFormat != "" {
		return nil
	}
	return a.eachLog(ctx, []string{path}, flags, func(log input.Log, r *format.Reader) error {
		defer r.Close()
		_, unknown := r.Next()
		s := format.Summary{Files: make([]format.FileSummary, 1)}
		if err := a.guess(ctx, log, unknown, &s); err != nil {
			return err
		}
		if g := s.Files[0].Guess; g != nil && g.Map != nil {
			flags.given.Map = g.Map
			a.note(log.Name + " is in no known format: it is read by the map that judge logs inspect suggests")
		}
		return nil
	})
}

// relativeTo returns path as it is written in a file of dir.
func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	target, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(absolute, target); err == nil {
		return filepath.ToSlash(rel)
	}
	return target
}

func (a *app) writeStarter(s config.Starter, out string, force bool) error {
	if there(out) && !force {
		return usagef("%s exists: overwrite it with --force, or write another file with --out", out)
	}
	s.Rubric = "rubrics/mine.jsonl"
	mine := filepath.Join(filepath.Dir(out), "rubrics", "mine.jsonl")
	line, err := rubricToEdit()
	if err != nil {
		return err
	}
	text := s.YAML()
	if _, err := config.Read(out, []byte(text)); err != nil {
		return fmt.Errorf("init: the new file cannot be read back: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		return usage(err)
	}
	if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.err, "judge: wrote %s\n", out)
	if there(mine) && !force {
		fmt.Fprintf(a.err, "judge: %s exists and was not changed\n", mine)
		return nil
	}
	if err := os.WriteFile(mine, []byte(line+"\n"), 0o644); err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.err, "judge: wrote %s, a rubric to edit; check it with: judge rubrics lint %s\n", mine, mine)
	return nil
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// rubricToEdit returns a built-in rubric under another name, as one line.
func rubricToEdit() (string, error) {
	list, err := loadRubrics([]string{starterRubric})
	if err != nil {
		return "", err
	}
	v, err := value.ParseString(list[0].Source())
	return v.With("name", value.OfString(starterRubricName)).JSON(), err
}
