package main

import (
	"os"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/rubrics"
)

// alignConfig leaves one judge and one rubric in the configuration of a run, and adds the judge that
// proposes.
func alignConfig(c *config.Config, m *directory.Manifest, f *alignFlags) error {
	var names []string
	for _, j := range m.Judges {
		if len(j.Members) == 0 && j.RetestOf == "" {
			names = append(names, j.Name)
		}
	}
	at := slices.Index(names, f.judge)
	if len(names) == 1 && f.judge == "" {
		at = 0
	}
	switch {
	case len(c.Judges) == 0 || at >= len(c.Judges):
		return usagef("the run has no language model as its judge; judge run LOG --model MODEL makes one")
	case f.judge == "" && at < 0:
		return usagef("the run has %d judges; choose one with --judge: %s", len(names), strings.Join(names, ", "))
	case at < 0:
		return usagef("the run has no judge %q; it has %s", f.judge, strings.Join(names, ", "))
	case c.Judges[at].Model == baseline.Model:
		return usagef("%s has rules of its own and reads no rubric: there is nothing to align", baseline.Model)
	}
	judge := c.Judges[at]
	judge.Name = names[at]
	c.Judges = []config.Judge{judge}
	if f.with != "" || f.withURL != "" {
		other := judge
		other.Name, other.ContextTokens = "proposals", 0
		if f.with != "" {
			other.Model = f.with
		}
		if f.withURL != "" {
			other.BaseURL, other.Replicas = f.withURL, nil
		}
		c.Judges = append(c.Judges, other)
	}
	all, err := loadRubrics(c.Rubrics)
	if err != nil {
		return err
	}
	c.Rubrics = []string{f.rubric}
	i := slices.IndexFunc(all, func(r *rubrics.Rubric) bool { return r.Name == f.rubric })
	if i >= 0 && all[i].File != "" {
		if _, err := os.Stat(all[i].File); err == nil {
			c.Rubrics = []string{all[i].File}
		}
	}
	c.Panels, c.Cascades, c.Gates, c.Thresholds, c.Retest = nil, nil, nil, nil, ""
	return nil
}
