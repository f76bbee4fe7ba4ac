package directory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Open reads the manifest of a run directory, with the inputs of its report. If its scores are not
// those of a whole run, the error is a *Partial, and the inputs have what there is.
func Open(dir string) (*Manifest, report.Inputs, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, report.Inputs{}, err
	}
	scores := func() iter.Seq2[score.Score, error] { return Scores(dir) }
	some := func(conversations ...string) iter.Seq2[score.Score, error] { return scoresOf(dir, conversations...) }
	return m, report.Inputs{Manifest: m.Manifest, Scores: scores, ScoresOf: some}, m.Whole(dir)
}

// WriteReports writes report.json, report.md and report.html. data is what the page shows.
func WriteReports(dir string, r *report.Report, data *page.Data) error {
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{ReportFile, func(w io.Writer) error { return render.Report(w, r, render.JSONFormat, render.Config{}) }},
		{MarkdownFile, func(w io.Writer) error { return render.Report(w, r, render.MarkdownFormat, render.Config{}) }},
		{HTMLFile, func(w io.Writer) error { return render.Page(w, r, data) }},
	} {
		var b bytes.Buffer
		if err := file.write(&b); err != nil {
			return err
		}
		if err := Replace(filepath.Join(dir, file.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Conversations reads the conversations of logs each time that it is ranged over.
type Conversations = iter.Seq2[*transcript.Conversation, error]

// PageData reads what the page shows of the run in a directory, whose report r is.
func PageData(ctx context.Context, dir string, r *report.Report, conversations Conversations) (*page.Data, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	people, err := ReadLabelled(dir, &m.Manifest)
	if err != nil {
		return nil, err
	}
	return page.Collect(ctx, page.Run{
		Report: r, Conversations: conversations,
		Scores: func() iter.Seq2[score.Score, error] { return people.Labels.Into(Scores(dir)) },
		ScoresOf: func(some ...string) iter.Seq2[score.Score, error] {
			return people.Labels.Into(scoresOf(dir, some...))
		},
	})
}

// Report builds the report of a run directory from its scores, the labels that people gave and its
// calibration, and decides gates; a
// gate with a baseline is decided by comparing with that run's directory. If the
// scores are not those of a whole run, the error is a *Partial beside the report of what
// there is, which says so, and no gate is decided.
func Report(dir string, cfg measure.Config, gates []measure.Gate) (*report.Report, measure.GateDecision, error) {
	m, in, err := Open(dir)
	part, partly := errors.AsType[*Partial](err)
	if partly {
		gates = nil
		cfg.Notes = append(slices.Clone(cfg.Notes), words.Warning(words.PartOfRun, part.Problem))
	} else if err != nil {
		return nil, measure.GateDecision{}, err
	}
	baselines := comparisons(dir, gates, &cfg)
	cfg.Notes = slices.Concat(m.mixed(), cfg.Notes)
	people, err := ReadLabelled(dir, &m.Manifest)
	if err != nil {
		return nil, measure.GateDecision{}, err
	}
	people.into(&in, &cfg)
	r, err := measure.Build(in, cfg)
	switch {
	case err != nil && part != nil:
		return nil, measure.GateDecision{}, part // not even a part can be read
	case err != nil:
		return nil, measure.GateDecision{}, err
	case part != nil:
		return r, measure.GateDecision{}, part
	}
	d := measure.DecideGates(gates, r, baselines)
	r.Gates = d.Results
	return r, d, nil
}

// ReportOf is Report of a run that was just judged, whose table has all its scores.
func ReportOf(dir string, m *Manifest, table *measure.Builder, cfg measure.Config, gates []measure.Gate,
) (*report.Report, measure.GateDecision, error) {
	baselines := comparisons(dir, gates, &cfg)
	table.Annotate(cfg.Comparisons, slices.Concat(m.mixed(), cfg.Notes))
	r, err := table.Finish()
	if err != nil {
		return nil, measure.GateDecision{}, err
	}
	d := measure.DecideGates(gates, r, baselines)
	r.Gates = d.Results
	return r, d, nil
}

// comparisons adds to those of cfg the comparison with the baseline of every gate that
// names one, and returns them by name. A baseline that cannot be compared with is named in
// a warning, and its gates find nothing and fail.
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

// Against compares the run in directory dir with an earlier one, for its report: run A
// is the earlier one. If the thresholds of the two differ and cfg gives none, those of
// dir decide both, since a gate or a headline on two thresholds would be about these.
func Against(dir, earlier string, cfg measure.Config) (*report.Comparison, error) {
	if Same(dir, earlier) {
		return nil, fmt.Errorf("%s is this very run; it cannot be its own baseline", earlier)
	}
	c := measure.Config{Alpha: cfg.Alpha, Thresholds: cfg.Thresholds}
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
			var list []string
			for _, t := range c.Thresholds {
				list = append(list, t.String())
			}
			c.Notes = append(c.Notes, words.Warning(words.DecidedAlike, strings.Join(list, ", ")))
		}
	}
	return Compare(earlier, dir, c)
}

// alike are the thresholds of b if they are not those of a, of the same
// instrument.
func alike(a, b *report.Manifest) []report.Threshold {
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

// Compare says what changed from the run in directory a to the run in directory b, whose
// items are paired by [Pair]. What the pairing could not know, and what else differs, is in
// the warnings.
func Compare(a, b string, cfg measure.Config) (*report.Comparison, error) {
	mA, inA, err := Open(a)
	if err != nil {
		return nil, err
	}
	mB, inB, err := Open(b)
	if err != nil {
		return nil, err
	}
	var notes []report.Warning
	for _, run := range []struct{ name, status string }{{"A", mA.Status}, {"B", mB.Status}} {
		if run.status == Incomplete {
			notes = append(notes, words.Warning(words.Unfinished, run.name, run.status))
		}
	}
	p, err := Pair(a, b)
	if err != nil {
		return nil, err
	}
	cfg.Notes = slices.Concat(notes, p.notes(), cfg.Notes)
	inA.Name, inB.Earlier, inB.Calls = a, p.earlier, p.calls
	return measure.Compare(inA, inB, cfg)
}
