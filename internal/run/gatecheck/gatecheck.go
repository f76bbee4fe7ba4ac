// Package gatecheck owns the check of gates before they cost anything: whether a run can
// meet them at all, whether their names are right, whether a baseline can be read.
//
// It promises that every gate that cannot be decided is named with what is wrong and what
// was probably meant, and that a log is read only where a name could be that of a label.
package gatecheck

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/spelling"
)

// layerMetrics are the names of the scores that three_layer gives in the place of one.
var layerMetrics = [...]string{"schema_ok", "ast_ok", "exec_ok"}

// callScorers are the scorers that speak of single calls: the others say nothing of
// which tools a conversation calls.
var callScorers = [...]string{"parameter_validation", "schema_check", deterministic.ExpectedCallMatch}

// Plan finds before anything is sent the gates of a plan that no score of the run
// can meet, and baselines that cannot be read. dir is where the run will stand. idle
// are rubrics that are known and not asked for, as in a run without judges: gates on
// them are let through, to fail when they find nothing. The logs are read only where a
// name could be that of a label. Its error is a *run.PlanError with a line for each gate.
func Plan(ctx context.Context, p *run.Plan, dir string, idle []string) error {
	if len(p.Gates) == 0 {
		return nil
	}
	k, err := namesOf(p, idle)
	if err != nil {
		return err
	}
	if err := k.readLabels(ctx, p); err != nil {
		return err
	}
	var wrong []error
	for _, g := range p.Gates {
		for _, find := range []func(gate.Gate) error{k.score, k.judge, k.reference, k.tools, func(g gate.Gate) error { return k.baseline(g, dir) }} {
			if err := find(g); err != nil {
				wrong = append(wrong, fmt.Errorf("gate on %s: %w", g.Score, err))
				break
			}
		}
	}
	if len(wrong) > 0 {
		return &run.PlanError{Cause: errors.Join(wrong...)}
	}
	return nil
}

// gateNames are the names that gates may use.
type gateNames struct {
	rubrics, scorers, judges, qa, idle []string
	// labels are those of the logs that a gate asks for.
	labels map[string]bool
	// calls says that some instrument speaks of single calls; unread that a log cannot
	// be read twice, so that a label may have any name.
	calls, unread bool
}

func namesOf(p *run.Plan, idle []string) (*gateNames, error) {
	k := &gateNames{idle: idle, labels: map[string]bool{}, calls: len(p.Judges) > 0}
	if len(p.Judges) > 0 {
		for _, r := range p.Rubrics {
			k.rubrics = append(k.rubrics, r.Name)
		}
	}
	for i := range p.Judges {
		k.judges = append(k.judges, p.Judges[i].Name())
	}
	for _, j := range p.Team().Joint() {
		k.judges = append(k.judges, j.Name)
	}
	all, err := deterministic.ForLog(p.Scorers)
	if err != nil {
		return nil, &run.PlanError{Cause: err}
	}
	for i, name := range all.Names() {
		kind, purpose := name, ""
		if i < len(p.Scorers) {
			kind, purpose = strings.ReplaceAll(p.Scorers[i].Type, "-", "_"), p.Scorers[i].Purpose
		}
		if purpose == "qa" {
			k.qa = append(k.qa, name)
			continue
		}
		k.calls = k.calls || slices.Contains(callScorers[:], kind)
		if kind != "three_layer" {
			k.scorers = append(k.scorers, name)
			continue
		}
		for _, m := range layerMetrics {
			k.scorers = append(k.scorers, name+"."+m)
		}
	}
	if p.Execution != nil {
		k.scorers = append(k.scorers, run.ExecutionCheck)
	}
	return k, nil
}

func (k *gateNames) known(name string) bool {
	return slices.Contains(k.rubrics, name) || slices.Contains(k.scorers, name) || slices.Contains(k.qa, name)
}

// readLabels looks through the logs for labels of the names that nothing else has.
func (k *gateNames) readLabels(ctx context.Context, p *run.Plan) error {
	wanted := map[string]bool{}
	for _, g := range p.Gates {
		for _, name := range []string{g.Score, g.Reference} {
			if name != "" && !k.known(name) && !slices.Contains(k.idle, name) {
				wanted[name] = true
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if slices.ContainsFunc(p.Logs, func(l input.Log) bool { return l.Name == "-" }) {
		k.unread = true
		return nil
	}
	s := &input.Source{Logs: p.Logs, Options: p.Read, Limit: p.Limit}
	for c, err := range s.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return err
		}
		for i := range c.Labels {
			k.labels[c.Labels[i].Name] = true
			delete(wanted, c.Labels[i].Name)
		}
		if len(wanted) == 0 {
			return nil
		}
	}
	return nil
}

// label reports whether a name is that of a label, or may be.
func (k *gateNames) label(name string) bool {
	return k.labels[name] || k.unread && spelling.Nearest(name, k.names()) == ""
}

// names are all that a gate may be about, in a fixed order.
func (k *gateNames) names() []string {
	labels := make([]string, 0, len(k.labels))
	for name := range k.labels {
		labels = append(labels, name)
	}
	slices.Sort(labels)
	return slices.Concat(k.rubrics, k.scorers, labels)
}

func (k *gateNames) score(g gate.Gate) error {
	switch {
	case slices.Contains(k.qa, g.Score):
		return errors.New("the scorer has purpose qa: it is reported apart and decides no gate")
	case k.known(g.Score), slices.Contains(k.idle, g.Score), k.label(g.Score):
		return nil
	case slices.Contains(k.scorers, g.Score+"."+layerMetrics[0]):
		return fmt.Errorf("it gives a score for each layer; choose one: %s.%s", g.Score, strings.Join(layerMetrics[:], ", "+g.Score+"."))
	}
	return unknown("no rubric, scorer or label of this run has the name", g.Score, append(k.names(), k.idle...))
}

func (k *gateNames) judge(g gate.Gate) error {
	switch {
	case g.Judge == "" || slices.Contains(k.idle, g.Score):
		return nil
	case !slices.Contains(k.judges, g.Judge):
		return unknown(fmt.Sprintf("no judge, panel or cascade of this run is called %s", g.Judge), g.Judge, k.judges)
	case !slices.Contains(k.rubrics, g.Score):
		return errors.New("it is no score of a judge; leave judge out")
	}
	return nil
}

func (k *gateNames) reference(g gate.Gate) error {
	switch {
	case g.MinKappa == nil || slices.Contains(k.idle, g.Score):
		return nil
	case !slices.Contains(k.rubrics, g.Score):
		return errors.New("min_kappa holds a judge against a reference: it asks for the name of a rubric")
	case g.Reference == "" || slices.Contains(k.scorers, g.Reference) || k.label(g.Reference):
		return nil
	}
	others := slices.DeleteFunc(k.names(), func(name string) bool { return slices.Contains(k.rubrics, name) })
	return unknown(fmt.Sprintf("no scorer or label of this run is called %s, which the judge is to be held against", g.Reference), g.Reference, others)
}

func (k *gateNames) tools(g gate.Gate) error {
	if g.By != gate.ByTool || k.calls || !slices.Contains(k.scorers, g.Score) {
		return nil
	}
	return errors.New("it scores conversations, and nothing in this run speaks of their calls and so of tools; add the scorer schema_check, or a judge")
}

// baseline checks that the run to compare with can be read and has the score.
func (k *gateNames) baseline(g gate.Gate, dir string) error {
	hint := "make it with this configuration, --no-gates and --out " + g.Against
	if g.MaxDrop == nil {
		return nil
	}
	if dir != "" && samePath(dir, g.Against) {
		return fmt.Errorf("%s is this very run: it cannot be its own baseline; %s", g.Against, hint)
	}
	if _, err := directory.Inputs(g.Against); err != nil {
		return fmt.Errorf("the baseline run: %w; %s", err, hint)
	}
	m, err := directory.ReadManifest(g.Against)
	if err != nil {
		return err
	}
	if name, _, _ := strings.Cut(g.Score, "."); slices.Contains(k.rubrics, g.Score) && !slices.ContainsFunc(m.Rubrics, func(r report.Rubric) bool { return r.Name == g.Score }) ||
		slices.Contains(k.scorers, g.Score) && !slices.ContainsFunc(m.Scorers, func(s report.Scorer) bool { return s.Name == g.Score || s.Name == name }) {
		return fmt.Errorf("the baseline run %s has no such score; %s", g.Against, hint)
	}
	return nil
}

func samePath(a, b string) bool {
	x, errA := filepath.Abs(a)
	y, errB := filepath.Abs(b)
	return errA == nil && errB == nil && x == y || directory.Same(a, b)
}

// unknown says that a name is not known, and which one was meant or which there are.
func unknown(text, name string, known []string) error {
	const most = 30
	switch near := spelling.Nearest(name, known); {
	case near != "":
		return fmt.Errorf("%s; did you mean %s?", text, near)
	case len(known) == 0:
		return errors.New(text)
	case len(known) > most:
		return fmt.Errorf("%s; known are %s and %d more", text, strings.Join(known[:most], ", "), len(known)-most)
	}
	return fmt.Errorf("%s; known are %s", text, strings.Join(known, ", "))
}

// Saved is Plan for a saved run: it names the gates of a report that are
// about no score of it.
func Saved(r *report.Report, gates []gate.Gate) error {
	var wrong []error
	for _, g := range gates {
		if titles := gate.Titles(r); !slices.Contains(titles, g.Score) {
			slices.Sort(titles)
			wrong = append(wrong, fmt.Errorf("gate on %s: %w", g.Score, unknown("the run has no score of this name", g.Score, slices.Compact(titles))))
		}
	}
	return errors.Join(wrong...)
}
