package directory

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
)

// Against compares the run in directory dir with an earlier one, for its report: run A
// is the earlier one. Where the thresholds of the two differ and cfg gives none, those of
// dir decide both, since a gate or a headline on two thresholds would be about these.
func Against(dir, earlier string, cfg assembly.Config) (*report.Comparison, error) {
	if Same(dir, earlier) {
		return nil, fmt.Errorf("%s is this very run; it cannot be its own baseline", earlier)
	}
	c := assembly.CompareConfig{Alpha: cfg.Alpha, Thresholds: cfg.Thresholds}
	if len(c.Thresholds) == 0 {
		a, err := ReadManifest(earlier)
		if err != nil {
			return nil, err
		}
		b, err := ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if c.Thresholds = alike(&a.Manifest, &b.Manifest); len(c.Thresholds) > 0 {
			c.Notes = append(c.Notes, report.Warning{Code: "decided_alike", Text: fmt.Sprintf("the thresholds differed; the verdicts of both runs are by those of run B: %s", listed(c.Thresholds))})
		}
	}
	return Compare(earlier, dir, c)
}

// alike are the thresholds of b where they are not those of a, of one and the same
// instrument.
func alike(a, b *report.Manifest) []report.Threshold {
	var out []report.Threshold
	same := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	for _, rb := range b.Rubrics {
		i := slices.IndexFunc(a.Rubrics, func(r report.Rubric) bool { return r.Name == rb.Name && r.SHA == rb.SHA })
		if i >= 0 && rb.Low != nil && (!same(a.Rubrics[i].Low, rb.Low) || !same(a.Rubrics[i].High, rb.High)) {
			out = append(out, report.Threshold{Name: rb.Name, Low: *rb.Low, High: rb.High})
		}
	}
	for _, sb := range b.Scorers {
		i := slices.IndexFunc(a.Scorers, func(s report.Scorer) bool { return s.Name == sb.Name && s.Type == sb.Type })
		if i >= 0 && sb.Low != nil && (!same(a.Scorers[i].Low, sb.Low) || !same(a.Scorers[i].High, sb.High)) {
			out = append(out, report.Threshold{Name: sb.Name, Low: *sb.Low, High: sb.High})
		}
	}
	return out
}

func listed(list []report.Threshold) string {
	out := ""
	for i, t := range list {
		if i > 0 {
			out += ", "
		}
		out += t.String()
	}
	return out
}

// comparisons adds to those of cfg the comparison with the baseline of every gate that
// names one, and gives them by name. A baseline that cannot be compared with is told in
// a warning, and its gates find nothing and fail.
func comparisons(dir string, gates []gate.Gate, cfg *assembly.Config) map[string]*report.Comparison {
	out := map[string]*report.Comparison{}
	cfg.Comparisons = slices.Clone(cfg.Comparisons)
	for _, c := range cfg.Comparisons {
		out[c.Name] = c
	}
	told := map[string]bool{}
	for _, g := range gates {
		if g.MaxDrop == nil || told[g.Against] || out[g.Against] != nil {
			continue
		}
		told[g.Against] = true
		c, err := Against(dir, g.Against, *cfg)
		if err != nil {
			cfg.Notes = append(slices.Clone(cfg.Notes), report.Warning{Code: "no_baseline", Text: fmt.Sprintf("gate on %s: no comparison with the baseline: %v", g.Score, err)})
			continue
		}
		out[g.Against] = c
		cfg.Comparisons = append(cfg.Comparisons, c)
	}
	return out
}
