package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// plantedConfig converts a configuration to that of its probe: single judges and the schema, on the
// planted log.
func plantedConfig(c *config.Config, path string) *config.Config {
	out := *c
	out.Logs, out.Probe, out.Retest, out.IncludeTextCalls = []string{path}, true, "", false
	out.InputFormat, out.Map, out.Tools, out.Limit, out.Sample = "native", nil, "", 0, 0
	out.Panels, out.Cascades, out.Environment, out.Gold, out.Labels = nil, nil, value.Value{}, "", nil
	out.Scorers = []config.Scorer{{Type: deterministic.SchemaCheck.Name, Config: value.OfObject(), Purpose: "score"}}
	return &out
}

// gatesOf returns the configuration's gates for its kind of run: those on a probe, or the others.
func gatesOf(c *config.Config) []measure.Gate {
	return slices.DeleteFunc(slices.Clone(c.Gates), func(g measure.Gate) bool { return (g.Probe != "") != c.Probe })
}

// repeated returns the configuration and the log of an earlier probe, changed by the flags. It
// changes to the directory from which the probe was started, and makes out absolute.
func (f *probeFlags) repeated(out *string) (*config.Config, []byte, error) {
	dir, err := filepath.Abs(runDirectory(f.again))
	if err == nil {
		*out, err = filepath.Abs(*out)
	}
	if err != nil {
		return nil, nil, err
	}
	m, c, err := saved(dir)
	if err != nil {
		return nil, nil, err
	}
	lines, err := os.ReadFile(filepath.Join(dir, plantedFile))
	if err != nil || !c.Probe {
		return nil, nil, usagef("--again %s: it holds no probe", f.again)
	}
	if _, err := enter(m.Directory, dir); err != nil {
		return nil, nil, err
	}
	f.against = dir
	return c, lines, f.overlay(c, nil)
}

// requestsForCall counts the requests of a configuration's judges for one call and one rubric.
func requestsForCall(c *config.Config) (n int) {
	for i := range c.Judges {
		if n++; c.Judges[i].ScoreMethod == judges.SelfConsistency {
			n += cmp.Or(c.Judges[i].Samples, judges.DefaultSamples) - 1
		}
	}
	return max(1, n)
}
