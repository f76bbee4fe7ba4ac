package run

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

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// Report builds the report of a run directory from its scores, the labels that people gave and its
// calibration, and decides gates; a gate with a baseline is decided by a comparison with that run.
// If the run is not complete, the error is a *directory.Partial beside a report of what there is,
// which says so, and no gate is decided.
func Report(dir string, cfg measure.Config, gates []measure.Gate) (*report.Report, measure.GateDecision, error) {
	m, in, err := directory.Open(dir)
	part, partly := errors.AsType[*directory.Partial](err)
	if partly {
		gates = nil
		cfg.Notes = append(slices.Clone(cfg.Notes), words.Warning(words.PartOfRun, part.Problem))
	} else if err != nil {
		return nil, measure.GateDecision{}, err
	}
	baselines := comparisons(dir, gates, &cfg)
	cfg.Notes = slices.Concat(mixed(m), cfg.Notes)
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
	}
	if err := addNames(dir, r); err != nil {
		return nil, measure.GateDecision{}, err
	}
	if part != nil {
		return r, measure.GateDecision{}, part
	}
	return r, decideGates(gates, r, baselines), nil
}

// finishReport is like Report, for a run that has just been judged and whose table has all its
// scores.
func finishReport(dir string, m *directory.Manifest, table *measure.Builder, cfg measure.Config, gates []measure.Gate,
) (*report.Report, measure.GateDecision, error) {
	baselines := comparisons(dir, gates, &cfg)
	table.Annotate(cfg.Comparisons, slices.Concat(mixed(m), cfg.Notes))
	r, err := table.Finish()
	if err == nil {
		err = addNames(dir, r)
	}
	if err != nil {
		return nil, measure.GateDecision{}, err
	}
	return r, decideGates(gates, r, baselines), nil
}

// Plan computes how many conversations and labels are needed to show what is wanted, from the
// scores and labels of a run directory.
func Plan(dir string, cfg measure.Config, wanted report.Plan) (*report.Plan, error) {
	m, in, err := directory.Open(dir)
	if err != nil {
		return nil, err
	}
	people, err := ReadLabelled(dir, &m.Manifest)
	if err != nil {
		return nil, err
	}
	people.into(&in, &cfg)
	return measure.Plan(in, cfg, wanted)
}

// decideGates decides gates and adds the decisions to the report.
func decideGates(gates []measure.Gate, r *report.Report, baselines map[string]*report.Comparison) measure.GateDecision {
	d := measure.DecideGates(gates, r, baselines)
	r.Gates = d.Results
	return d
}

// mixed warns about each judge whose answers arrived by more than one transport, because they are
// not comparable.
func mixed(m *directory.Manifest) (out []report.Warning) {
	for i, c := range m.Transports {
		same := func(o directory.TransportCount) bool { return o.Judge == c.Judge }
		if slices.IndexFunc(m.Transports, same) < i {
			continue
		}
		var ways []string
		for _, t := range llm.Ladder() {
			for _, o := range m.Transports {
				if same(o) && o.Transport == t {
					ways = append(ways, fmt.Sprintf("%d by %s", o.Answers, t))
				}
			}
		}
		if len(ways) > 1 {
			list := strings.Join(ways, ", ")
			out = append(out, words.Warning(words.MixedTransports, c.Judge, list, directory.ScoresFile))
		}
	}
	return out
}

// PageData reads the data of the page for the run in a directory, whose report is r.
func PageData(ctx context.Context, dir string, r *report.Report, conversations directory.Conversations,
) (*page.Data, error) {
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	people, err := ReadLabelled(dir, &m.Manifest)
	if err != nil {
		return nil, err
	}
	return page.Collect(ctx, page.Run{
		Report: r, Conversations: conversations,
		Scores: func() iter.Seq2[score.Score, error] { return people.Labels.Into(directory.Scores(dir)) },
		ScoresOf: func(some ...string) iter.Seq2[score.Score, error] {
			return people.Labels.Into(directory.ScoresOf(dir, some...))
		},
	})
}

// WriteReports writes report.json, report.md and report.html. data is the page's data.
func WriteReports(dir string, r *report.Report, data *page.Data) error {
	as := func(format render.Format) func(io.Writer) error {
		return func(w io.Writer) error { return render.Report(w, r, format, render.Config{}) }
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{directory.ReportFile, as(render.JSONFormat)},
		{directory.MarkdownFile, as(render.MarkdownFormat)},
		{directory.HTMLFile, func(w io.Writer) error { return render.Page(w, r, data) }},
	} {
		var b bytes.Buffer
		if err := file.write(&b); err != nil {
			return err
		}
		if err := directory.Replace(filepath.Join(dir, file.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
