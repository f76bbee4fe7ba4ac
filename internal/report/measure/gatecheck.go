package measure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
)

// PlannedScores holds what gates need to know about a run before it starts.
type PlannedScores struct {
	// Rubrics names the rubrics that judges answer, Scorers the deterministic scores, QA those of
	// them that never decide a gate. Judges names judges, panels and cascades. Idle names rubrics
	// that exist but are not used: gates on them fail at the end because they find nothing.
	Rubrics, Scorers, QA, Judges, Idle []string
	// Scales holds the least and the greatest score of each rubric and scorer.
	Scales map[string][2]float64
	// Categories holds the answers of each rubric with categories.
	Categories map[string][]string
	// Labels names the labels of the logs that gates use. AnyLabel says that the logs could not be
	// searched for labels, so that every name is accepted.
	Labels   []string
	AnyLabel bool
	// Calls says that some instrument scores single calls.
	Calls bool
	// Baseline reads the run with which a gate compares; its error says why that is impossible.
	Baseline func(against string) (report.Manifest, error)
}

// GateLabels returns the names in gates that can only be labels of the logs.
func GateLabels(gates []Gate, p *PlannedScores) []string {
	var out []string
	for _, g := range gates {
		if g.Probe != "" {
			continue
		}
		for _, name := range []string{g.Score, g.Reference} {
			if name != "" && !p.known(name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// CheckGates finds, before a run costs anything, the gates that no score of the run can satisfy.
// Its error has a line for each, with the name that was probably meant.
func CheckGates(gates []Gate, p *PlannedScores) error {
	var wrong []error
	for _, g := range gates {
		if g.Probe != "" {
			continue // the log was made for it
		}
		for _, check := range []func(Gate) error{p.score, p.scale, p.category, p.judge, p.reference, p.tools, p.baseline} {
			if err := check(g); err != nil {
				wrong = append(wrong, fmt.Errorf("gate on %s: %w", g.Score, err))
				break
			}
		}
	}
	return errors.Join(wrong...)
}

// CheckSavedGates is like CheckGates for a report: it finds gates that no score in the report fits.
func CheckSavedGates(gates []Gate, r *report.Report) error {
	titles := words.GateTitles(r)
	slices.Sort(titles)
	titles = slices.Compact(titles)
	var wrong []error
	for _, g := range gates {
		if !slices.Contains(titles, g.Score) {
			wrong = append(wrong, fmt.Errorf("gate on %s: %w", g.Score,
				unknownName("the run has no score of this name", g.Score, titles)))
		}
	}
	return errors.Join(wrong...)
}

func (p *PlannedScores) known(name string) bool {
	return slices.Contains(slices.Concat(p.Rubrics, p.Scorers, p.QA, p.Idle), name)
}

// names returns the names that a gate may use.
func (p *PlannedScores) names() []string {
	labels := slices.Clone(p.Labels)
	slices.Sort(labels)
	return slices.Concat(p.Rubrics, p.Scorers, labels)
}

// label reports whether a name is, or may be, the name of a label.
func (p *PlannedScores) label(name string) bool {
	return slices.Contains(p.Labels, name) || p.AnyLabel && spelling.Nearest(name, p.names()) == ""
}

func (p *PlannedScores) score(g Gate) error {
	switch {
	case slices.Contains(p.QA, g.Score):
		return errors.New("the scorer has purpose qa: it is reported apart and decides no gate")
	case p.known(g.Score), p.label(g.Score):
		return nil
	}
	isPart := func(name string) bool { return strings.HasPrefix(name, g.Score+".") }
	if slices.ContainsFunc(p.Scorers, isPart) {
		parts := slices.DeleteFunc(slices.Clone(p.Scorers), func(name string) bool { return !isPart(name) })
		return fmt.Errorf("it gives a score for each layer; choose one: %s", strings.Join(parts, ", "))
	}
	return unknownName("no rubric, scorer or label of this run has the name", g.Score, append(p.names(), p.Idle...))
}

func (p *PlannedScores) scale(g Gate) error {
	scale, known := p.Scales[g.Score]
	if known && g.MinMean != nil && (*g.MinMean < scale[0] || *g.MinMean > scale[1]) {
		return fmt.Errorf("min_mean is %g, and its scores lie from %g to %g", *g.MinMean, scale[0], scale[1])
	}
	return nil
}

func (p *PlannedScores) category(g Gate) error {
	known := p.Categories[g.Score]
	switch {
	case g.Category == "" || slices.Contains(p.Idle, g.Score) || slices.Contains(known, g.Category):
		return nil
	case known == nil:
		return errors.New("max_rate is about a rubric with categories")
	}
	return unknownName(fmt.Sprintf("no answer can be %s", g.Category), g.Category, known)
}

func (p *PlannedScores) judge(g Gate) error {
	switch {
	case g.Judge == "" || slices.Contains(p.Idle, g.Score):
		return nil
	case !slices.Contains(p.Judges, g.Judge):
		return unknownName(fmt.Sprintf("no judge, panel or cascade of this run is called %s", g.Judge), g.Judge, p.Judges)
	case !slices.Contains(p.Rubrics, g.Score):
		return errors.New("it is not a score of a judge; leave judge out")
	}
	return nil
}

func (p *PlannedScores) reference(g Gate) error {
	switch {
	case g.MinKappa == nil || slices.Contains(p.Idle, g.Score):
		return nil
	case !slices.Contains(p.Rubrics, g.Score):
		return errors.New("min_kappa compares a judge with a reference: it asks for the name of a rubric")
	case g.Reference == "" || slices.Contains(p.Scorers, g.Reference) || p.label(g.Reference):
		return nil
	}
	text := fmt.Sprintf("no scorer or label of this run is called %s, the reference of min_kappa", g.Reference)
	return unknownName(text, g.Reference, p.names()[len(p.Rubrics):])
}

func (p *PlannedScores) tools(g Gate) error {
	if g.By != ByTool || p.Calls || !slices.Contains(p.Scorers, g.Score) {
		return nil
	}
	return errors.New("it scores conversations, and nothing in this run scores single calls, which name the tools; " +
		"add a judge, or a scorer of calls (docs/scorers.md lists them)")
}

// baseline checks that the run to compare with can be read and has the score.
func (p *PlannedScores) baseline(g Gate) error {
	if g.MaxDrop == nil {
		return nil
	}
	m, err := p.Baseline(g.Against)
	if err == nil {
		kind, _, _ := strings.Cut(g.Score, ".")
		rubric := func(r report.Rubric) bool { return r.Name == g.Score }
		scorer := func(s report.Scorer) bool { return s.Name == g.Score || s.Name == kind }
		if slices.Contains(p.Rubrics, g.Score) && !slices.ContainsFunc(m.Rubrics, rubric) ||
			slices.Contains(p.Scorers, g.Score) && !slices.ContainsFunc(m.Scorers, scorer) {
			err = fmt.Errorf("the baseline run %s has no such score", g.Against)
		}
	}
	if err != nil {
		return fmt.Errorf("%w; make it with this configuration, --no-gates and --out %s", err, g.Against)
	}
	return nil
}

// unknownName returns the error for an unknown name, with the name that was probably meant, or with all names.
func unknownName(text, name string, known []string) error {
	const most = 30
	switch near := words.DidYouMean(name, known); {
	case near != "":
		return errors.New(text + near)
	case len(known) == 0:
		return errors.New(text)
	case len(known) > most:
		return fmt.Errorf("%s; known are %s and %d more", text, strings.Join(known[:most], ", "), len(known)-most)
	}
	return fmt.Errorf("%s; known are %s", text, strings.Join(known, ", "))
}
