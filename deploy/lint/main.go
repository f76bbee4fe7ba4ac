// Command lint checks the files of deploy: the Kubernetes Job against the types of the API,
// with every unknown field an error, the Containerfile with BuildKit's own parser, and the
// Compose file with the loader of docker compose. It is
// a module of its own, so that judge needs neither.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	err := errors.Join(job("../kubernetes-job.yaml"), containerfile("../Containerfile"), compose("../compose.yaml"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func job(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(data, &j); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s := j.Spec
	switch {
	case j.APIVersion != "batch/v1" || j.Kind != "Job":
		return fmt.Errorf("%s: is a %s %s", path, j.APIVersion, j.Kind)
	case s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion || s.BackoffLimitPerIndex == nil:
		return fmt.Errorf("%s: FailIndex needs an Indexed job with backoffLimitPerIndex", path)
	case s.Template.Spec.RestartPolicy != "Never":
		return fmt.Errorf("%s: podFailurePolicy needs restartPolicy Never", path)
	}
	return nil
}

// compose reads the Compose file as docker compose does, with its schema and variables.
func compose(path string) error {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithEnv([]string{
		"QUEUE_TOKEN=t", "BASE_URL_A=http://a/v1", "BASE_URL_B=http://b/v1",
	}))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(project.Services) != 3 {
		return fmt.Errorf("%s: %d services, want the queue and two workers", path, len(project.Services))
	}
	return nil
}

func containerfile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	ast, err := parser.Parse(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var found []error
	warn := func(name, description, _, message string, at []parser.Range) {
		line := 0
		if len(at) > 0 {
			line = at[0].Start.Line
		}
		found = append(found, fmt.Errorf("%s:%d: %s: %s", path, line, name, message))
	}
	for _, w := range ast.Warnings {
		found = append(found, fmt.Errorf("%s: %s", path, w.Short))
	}
	_, _, err = instructions.Parse(ast.AST, linter.New(&linter.Config{Warn: warn}))
	return errors.Join(append(found, err)...)
}
