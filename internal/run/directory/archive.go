package directory

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
)

// Report builds the report of a run directory from its scores, and decides gates; a
// gate with a baseline is decided by comparing with that run's directory. Where the
// scores are not those of a whole run, the error is a *Partial beside the
// report of what there is, which says so, and no gate is decided.
func Report(dir string, cfg assembly.Config, gates []gate.Gate) (*report.Report, gate.Decision, error) {
	in, err := Inputs(dir)
	var part *Partial
	if errors.As(err, &part) {
		gates = nil
		cfg.Notes = append(slices.Clone(cfg.Notes), report.Warning{Code: "partial",
			Text: part.Problem + ": what follows is of a part, and no gate is decided by it; judge run --resume makes it whole"})
	} else if err != nil {
		return nil, gate.Decision{}, err
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, gate.Decision{}, err
	}
	baselines := comparisons(dir, gates, &cfg)
	cfg.Notes = slices.Concat(m.Mixed(), cfg.Notes)
	r, err := assembly.Build(in, cfg)
	switch {
	case err != nil && part != nil:
		return nil, gate.Decision{}, part // not even a part can be read
	case err != nil:
		return nil, gate.Decision{}, err
	case part != nil:
		return r, gate.Decision{}, part
	}
	recallRecords(filepath.Join(dir, ReportFile), r)
	d := gate.Decide(gates, r, baselines)
	r.Gates = d.Results
	return r, d, nil
}
