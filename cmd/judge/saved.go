package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
)

// saved returns the manifest of a run, nil if it cannot be read, and the resolved configuration.
func saved(dir string) (*directory.Manifest, *config.Config, error) {
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return nil, nil, usage(err)
	}
	c, err := config.Read(filepath.Join(dir, directory.ManifestFile), []byte(m.Config.JSON()))
	return m, c, usage(err)
}

// recording is a saved run with its logs.
type recording struct {
	dir      string
	manifest *directory.Manifest
	config   *config.Config
	// logs has no missing logs.
	logs *input.Source
}

// recorded reads a run directory. It changes to the directory from which the run was started, so
// that relative paths work; the result's dir is relative to that.
func (a *app) recorded(dir string) (*recording, error) {
	m, c, err := saved(dir)
	if err != nil {
		return nil, err
	}
	r := &recording{manifest: m, config: c, logs: &input.Source{}}
	if r.dir, err = enter(m.Directory, dir); err != nil {
		return nil, err
	}
	if r.logs.Options, err = logOptions(c); err != nil {
		return nil, err
	}
	// If its tools are missing, a log can still be shown.
	r.logs.Options.Tools, _ = readTools(c.Tools, func(string) {})
	if r.logs.Logs, err = a.openLogs(c.Logs, r.dir); err != nil {
		r.logs.Logs = nil
	}
	return r, nil
}

// recordedThere is like recorded; back returns to the previous directory.
func (a *app) recordedThere(dir string) (r *recording, back func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if r, err = a.recorded(dir); err != nil {
		return nil, nil, err
	}
	return r, func() { _ = os.Chdir(here) }, nil // the directory existed before
}

// prompter renders the run's prompts again.
func (r *recording) prompter() (*instrument.Prompter, error) {
	c := r.config
	all, err := loadRubrics(c.Rubrics)
	if err != nil {
		return nil, err
	}
	specs := c.Judges
	if len(specs) == 0 {
		specs = []config.Judge{{}}
	}
	list := make([]instrument.Judge, len(specs))
	for i := range specs {
		j := &specs[i]
		list[i] = instrument.Judge{Config: judgeConfig(j), ContextTokens: j.ContextTokens,
			ReasoningGiven: j.Reasoning != nil}
		list[i].Config.Model = cmp.Or(j.Model, baseline.Model)
		list[i].Config.Prompt.Redact = redaction(c, j)
	}
	nameJudges(list)
	// The error says that a judge cannot score as configured; its prompts are the same.
	_ = instrument.Recall(list, all, r.manifest.Profiles, nil)
	return &instrument.Prompter{RunID: r.manifest.RunID, Judges: list, Rubrics: all}, nil
}
