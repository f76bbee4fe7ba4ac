package run

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// comparisons adds, for every gate that names a baseline, the comparison with it to cfg, and
// returns the comparisons by the baseline's name. If a comparison is impossible, a warning says
// why; the gate then finds no value and fails.
func comparisons(dir string, gates []measure.Gate, cfg *measure.Config) map[string]*report.Comparison {
	out := map[string]*report.Comparison{}
	cfg.Comparisons, cfg.Notes = slices.Clone(cfg.Comparisons), slices.Clone(cfg.Notes)
	for _, c := range cfg.Comparisons {
		out[c.Name] = c
	}
	for _, g := range gates {
		if _, done := out[g.Against]; g.MaxDrop == nil || done {
			continue
		}
		c, err := Against(dir, g.Against, *cfg)
		out[g.Against] = c
		if err != nil {
			cfg.Notes = append(cfg.Notes, words.Warning(words.NoBaseline, g.Score, err))
			continue
		}
		cfg.Comparisons = append(cfg.Comparisons, c)
	}
	return out
}

// Against compares the run in directory dir with an earlier one, which is run A, for the report of
// dir. If their thresholds differ and cfg gives none, those of dir apply to both. Otherwise a gate
// or headline would compare thresholds instead of runs.
func Against(dir, earlier string, cfg measure.Config) (*report.Comparison, error) {
	if directory.Same(dir, earlier) {
		return nil, fmt.Errorf("%s is this very run; it cannot be its own baseline", earlier)
	}
	c := measure.Config{Alpha: cfg.Alpha, Thresholds: cfg.Thresholds}
	if len(c.Thresholds) == 0 {
		a, err := directory.ReadManifest(earlier)
		if err != nil {
			return nil, err
		}
		b, err := directory.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if c.Thresholds = commonThresholds(&a.Manifest, &b.Manifest); len(c.Thresholds) > 0 {
			var list []string
			for _, t := range c.Thresholds {
				list = append(list, t.String())
			}
			c.Notes = append(c.Notes, words.Warning(words.DecidedAlike, strings.Join(list, ", ")))
		}
	}
	out, _, err := Compare(earlier, dir, c)
	return out, err
}

// commonThresholds returns the thresholds of b if they differ from those of a for the same
// instrument.
func commonThresholds(a, b *report.Manifest) []report.Threshold {
	type band struct{ low, high *float64 }
	same := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	bands := map[string]band{}
	for _, r := range a.Rubrics {
		bands[r.Name+"\x00"+r.SHA] = band{r.Low, r.High}
	}
	for _, s := range a.Scorers {
		bands[s.Name+"\x00"+s.Type] = band{s.Low, s.High}
	}
	var out []report.Threshold
	add := func(name, version string, low, high *float64) {
		before, ok := bands[name+"\x00"+version]
		if ok && low != nil && (!same(before.low, low) || !same(before.high, high)) {
			out = append(out, report.Threshold{Name: name, Low: *low, High: high})
		}
	}
	for _, r := range b.Rubrics {
		add(r.Name, r.SHA, r.Low, r.High)
	}
	for _, s := range b.Scorers {
		add(s.Name, s.Type, s.Low, s.High)
	}
	return out
}

// Compare reports what changed from the run in directory a to the run in directory b, and returns
// how [directory.Pair] paired their items. The warnings say what could not be paired, and what else
// differs.
func Compare(a, b string, cfg measure.Config) (*report.Comparison, *directory.Partners, error) {
	mA, inA, err := directory.Open(a)
	if err != nil {
		return nil, nil, err
	}
	mB, inB, err := directory.Open(b)
	if err != nil {
		return nil, nil, err
	}
	var notes []report.Warning
	for _, run := range []struct{ name, status string }{{"A", mA.Status}, {"B", mB.Status}} {
		if run.status == directory.Incomplete {
			notes = append(notes, words.Warning(words.Unfinished, run.name, run.status))
		}
	}
	p, err := directory.Pair(a, b)
	if err != nil {
		return nil, nil, err
	}
	cfg.Notes = slices.Concat(notes, p.Notes(), cfg.Notes)
	inA.Name, inB.Earlier, inB.Calls = a, p.Earlier, p.Calls
	if cfg.EarlierLabels, err = withLabels(a, &inA); err == nil {
		cfg.Labels, err = withLabels(b, &inB)
	}
	if err != nil {
		return nil, nil, err
	}
	out, err := measure.Compare(inA, inB, cfg)
	return out, p, err
}

// withLabels adds to the scores of a run the labels that people gave it.
func withLabels(dir string, in *report.Inputs) (*measure.Labels, error) {
	if !isLabelled(dir) {
		return nil, nil
	}
	given, err := ReadLabelled(dir, &in.Manifest)
	if err != nil {
		return nil, err
	}
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Labels.Into(plain()) }
	return given.Labels, nil
}
