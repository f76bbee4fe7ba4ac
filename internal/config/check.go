package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/judges"
)

// rule is a condition on a block, with the message if it is not met.
type rule struct {
	wrong   bool
	path    string
	message string
}

func check(n *settings.Node, rules ...rule) {
	for _, r := range rules {
		if r.wrong {
			n.Failf(r.path, "%s", r.message)
		}
	}
}

func (c *Config) ReadNode(n *settings.Node) {
	n.Struct(c)
	c.Scorers, c.Graders = append(c.Scorers, c.Graders...), nil
	each(n, "panels", c.Panels, (*Panel).check)
	each(n, "cascades", c.Cascades, (*Cascade).check)
	each(n, "gates", c.Gates, checkGate)
	c.checkTeam(n)
	check(n, rule{c.Limit > 0 && c.Sample > 0, "sample", "limit and sample cannot be combined"})
	if _, err := judges.NewRedaction(c.Redact); err != nil {
		n.Get("redact").Failf("", "%v", err)
	}
	if block := n.Get("environment"); block != nil {
		checkEnvironment(block)
	}
}

func each[T any](n *settings.Node, name string, list []T, check func(*T, *settings.Node)) {
	for i := range list {
		check(&list[i], n.Get(name).Item(i))
	}
}

func (p *Panel) check(n *settings.Node) {
	w := p.Weights
	given := w.File != "" || w.ByJudge != nil
	check(n,
		rule{len(p.Members) < 2, "members", "want the names of at least two judges"},
		rule{p.Quorum > len(p.Members), "quorum", fmt.Sprintf("is more than the panel's %d members", len(p.Members))},
		rule{given && p.Aggregate != "weighted", "weights", "go with aggregate: weighted only"},
	)
	if p.Aggregate != "weighted" || w.File != "" {
		return // names in a file are known only when it is read
	}
	sum := 0.0
	for _, judge := range slices.Sorted(maps.Keys(w.ByJudge)) {
		sum += w.ByJudge[judge]
		check(n, rule{!slices.Contains(p.Members, judge), "weights." + judge, "is not a member of the panel"})
	}
	for _, m := range p.Members {
		_, ok := w.ByJudge[m]
		check(n, rule{!ok, "weights", m + " has none; give every member its measured balanced accuracy, 0 to " +
			"1, or name the file of judge calibrate"})
	}
	check(n, rule{sum == 0 && len(w.ByJudge) > 0, "weights", "are all 0"})
}

// runFiles lists the reserved names in a run directory.
var runFiles = [...]string{"scores.jsonl", "exchanges.jsonl", "items.jsonl"}

func (c *Cascade) check(n *settings.Node) {
	q := c.Queue
	badQueue := q != "" && (q != filepath.Base(q) || strings.HasPrefix(q, ".") ||
		!strings.HasSuffix(q, ".jsonl") || slices.Contains(runFiles[:], q))
	check(n,
		rule{len(c.Tiers) == 0, "tiers", "want the names of judges and panels, the first one first"},
		rule{badQueue, "queue", "want the name of a new .jsonl file; it is written into the run directory"},
	)
	for i, why := range c.EscalateOn {
		n.Get("escalate_on").Item(i).OneOf(string(why), []string{"borderline", "low_confidence", "error", "contradiction"})
	}
}

func checkGate(g *measure.Gate, n *settings.Node) {
	if g.Tool != "" {
		g.By = measure.ByTool
	}
	asks := g.MinPassRate != nil || g.MinMean != nil || g.MinKappa != nil || g.MinCoverage != nil || g.MaxDrop != nil ||
		g.MaxRate != nil
	if g.Probe != "" {
		other := *g
		other.Probe, other.MinFound, other.Judge, other.Strict = "", nil, "", false
		operators := planted.Names()
		check(n, rule{!slices.Contains(operators, g.Probe), "probe",
			fmt.Sprintf("is %q, must be one of %s", g.Probe, strings.Join(operators, ", "))},
			rule{g.MinFound == nil || other != measure.Gate{}, "",
				"a gate on a probe has min_found, and may have judge and strict: {probe: wrong_value, min_found: 0.8}"})
		return
	}
	check(n,
		rule{g.MinFound != nil, "min_found", "goes with probe, which names the kind of planted faults"},
		rule{g.Score == "", "score", "is missing: a gate names a score, or with probe a kind of planted faults"},
		rule{!asks, "", "asks for nothing; give min_pass_rate, min_mean, min_kappa, min_coverage, max_drop, or max_rate " +
			"with category"},
		rule{(g.MaxRate == nil) != (g.Category == ""), "",
			"max_rate and category go together: the largest share of a category"},
		rule{g.MaxRate != nil && (g.By != "" || g.Tool != ""), "", "max_rate is of all items: leave by and tool out"},
		rule{(g.MaxDrop == nil) != (g.Against == ""), "",
			"max_drop and against go together: against names the baseline run directory"},
		rule{g.Reference != "" && g.MinKappa == nil, "",
			"reference goes with min_kappa: it names the scorer or label that the judge is held against"},
	)
}

// checkTeam checks that panels and cascades name existing judges, and that all names differ.
func (c *Config) checkTeam(n *settings.Node) {
	kinds, seen := map[string]string{}, map[string]int{}
	for _, j := range c.Judges {
		name := cmp.Or(j.Name, j.Model)
		// If two judges have the same name, the second one gets a number.
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, seen[name])
		}
		kinds[name] = "judge"
	}
	take := func(kind, name string, n *settings.Node) {
		check(n, rule{kinds[name] != "" && name != "", "name",
			fmt.Sprintf("%q is the name of a %s already", name, kinds[name])})
		kinds[name] = kind
	}
	each(n, "panels", c.Panels, func(p *Panel, n *settings.Node) {
		for k, m := range p.Members {
			check(n.Get("members").Item(k), rule{kinds[m] != "judge", "", fmt.Sprintf("no judge has the name %q", m)})
		}
		take("panel", p.Name, n)
	})
	queues := map[string]bool{}
	each(n, "cascades", c.Cascades, func(x *Cascade, n *settings.Node) {
		for k, tier := range x.Tiers {
			unknown := kinds[tier] != "judge" && kinds[tier] != "panel"
			check(n.Get("tiers").Item(k), rule{unknown, "", fmt.Sprintf("no judge and no panel has the name %q", tier)})
		}
		take("cascade", x.Name, n)
		check(n, rule{queues[x.QueueFile()], "queue", x.QueueFile() + " is the file of another cascade"})
		queues[x.QueueFile()] = true
	})
}

// checkEnvironment reports what is wrong with an environment block.
func checkEnvironment(n *settings.Node) {
	var c environment.Config
	if !n.Fill(&c) {
		return
	}
	if wrong, ok := errors.AsType[*environment.ConfigError](c.Validate()); ok {
		n.Failf(wrong.Field, "%s", wrong.Message)
	}
}
