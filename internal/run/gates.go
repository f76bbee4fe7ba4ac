package run

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
)

// checkGates finds gates that no score of the run can satisfy, and baselines that cannot be read.
// dir is the future run directory. labels are the labels in the logs; if it is nil, any possible
// label name is accepted. The error is a *TaskError with one line per gate.
func (s *Spec) checkGates(dir string, labels map[string]bool) error {
	if len(s.Gates) == 0 {
		return nil
	}
	known, err := s.gateNames()
	if err != nil {
		return err
	}
	known.Idle, known.AnyLabel = s.Idle, labels == nil || !s.whole()
	known.Labels = slices.Sorted(maps.Keys(labels))
	known.Baseline = func(against string) (report.Manifest, error) { return baselineManifest(dir, against) }
	if err := measure.CheckGates(s.Gates, known); err != nil {
		return &TaskError{Cause: err}
	}
	return nil
}

// gateLabels returns the names in gates that may be labels.
func (s *Spec) gateLabels() ([]string, error) {
	known, err := s.gateNames()
	if err != nil {
		return nil, err
	}
	return measure.GateLabels(s.Gates, known), nil
}

// gateNames returns the names that gates may use, except labels.
func (s *Spec) gateNames() (*measure.PlannedScores, error) {
	k := &measure.PlannedScores{Calls: len(s.Judges) > 0, Categories: map[string][]string{}, Scales: map[string][2]float64{}}
	for _, r := range s.asking() {
		k.Rubrics = append(k.Rubrics, r.Name)
		k.Categories[r.Name] = r.Output.Categories
		if r.Output.Categories == nil && r.Output.Max > r.Output.Min {
			k.Scales[r.Name] = [2]float64{r.Output.Min, r.Output.Max}
		}
	}
	for _, j := range s.Instruments() {
		k.Judges = append(k.Judges, j.Name)
	}
	for _, c := range s.scorers.Scorers() {
		if c.Purpose == "qa" {
			k.QA = append(k.QA, c.Key)
			continue
		}
		row, err := deterministic.Find(c.Type)
		if err != nil {
			return nil, err
		}
		for _, m := range row.Metrics {
			k.Scorers = append(k.Scorers, c.Key+"."+m.Name)
		}
		if row.Metrics == nil {
			k.Scorers = append(k.Scorers, c.Key)
		}
		k.Calls = k.Calls || row.OfCalls
	}
	if s.Execution != nil {
		k.Scorers = append(k.Scorers, deterministic.ExecutionCheck.Name)
	}
	for _, name := range k.Scorers {
		k.Scales[name] = [2]float64{0, 1}
	}
	return k, nil
}

// baselineManifest returns the manifest of the run with which the run in dir will be compared.
func baselineManifest(dir, against string) (report.Manifest, error) {
	x, errX := filepath.Abs(dir)
	y, errY := filepath.Abs(against)
	if dir != "" && (errors.Join(errX, errY) == nil && x == y || directory.Same(dir, against)) {
		return report.Manifest{}, fmt.Errorf("%s is this very run: it cannot be its own baseline", against)
	}
	m, _, err := directory.Open(against)
	if err != nil {
		return report.Manifest{}, fmt.Errorf("the baseline run: %w", err)
	}
	return m.Manifest, nil
}
