// Package team owns what several judges make together: panels that join their scores,
// the model that joins them for a whole log, and cascades that decide who is asked
// about what. It is pure: it gets results and gives results.
package team

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// Judge is what a team knows of a judge: its name in results, and what it judges by.
type Judge struct {
	Name     string
	Criteria []Criterion
}

// Criterion is a rubric with the reading of its bands.
type Criterion struct {
	Rubric *rubrics.Rubric
	Mode   answer.Mode
}

// Config names who stands together. A judge that stands only behind the first tier
// of cascades, by itself or in a panel, is asked only where a cascade comes to it,
// unless Always names it.
type Config struct {
	Panels   []Panel
	Cascades []Cascade
	Always   []string
}

// Team is what a run makes of its judges' answers: panels join them, cascades choose
// among them and say who else must be asked. It is immutable.
type Team struct {
	judges   []Judge
	panels   []teamPanel
	cascades []teamCascade
	// late marks the judges that are asked only where a cascade comes to them.
	late []bool
}

type teamPanel struct {
	Panel
	members []int
}

type teamCascade struct {
	Cascade
	tiers []teamTier
}

// teamTier is one judge, or the panel at index panel.
type teamTier struct {
	members []int
	panel   int // -1 for a judge
}

// New resolves the names of panels and cascades; nil where there are none. The error
// says which name is wrong.
func New(list []Judge, cfg Config) (*Team, error) {
	if len(cfg.Panels) == 0 && len(cfg.Cascades) == 0 {
		return nil, nil
	}
	t := &Team{judges: list, late: make([]bool, len(list))}
	if err := t.sameRubrics(); err != nil {
		return nil, err
	}
	names := map[string]teamTier{}
	for i, j := range list {
		names[j.Name] = teamTier{members: []int{i}, panel: -1}
	}
	for i, p := range cfg.Panels {
		tp, err := t.panel(p, names)
		if err != nil {
			return nil, err
		}
		t.panels = append(t.panels, tp)
		names[p.Name] = teamTier{members: tp.members, panel: i}
	}
	for _, c := range cfg.Cascades {
		tc, err := t.cascade(c, names)
		if err != nil {
			return nil, err
		}
		t.cascades = append(t.cascades, tc)
		names[c.Name] = teamTier{}
	}
	t.decideLate(cfg.Always)
	return t, nil
}

func (t *Team) sameRubrics() error {
	first := t.judges[0]
	for _, j := range t.judges[1:] {
		same := slices.EqualFunc(first.Criteria, j.Criteria, func(a, b Criterion) bool { return a.Rubric.SHA == b.Rubric.SHA })
		if !same {
			return fmt.Errorf("run: panels and cascades need judges with the same rubrics; %s and %s differ", first.Name, j.Name)
		}
	}
	return nil
}

func (t *Team) panel(p Panel, names map[string]teamTier) (teamPanel, error) {
	out := teamPanel{Panel: p}
	if _, taken := names[p.Name]; taken || p.Name == "" {
		return out, fmt.Errorf("run: the name of panel %q is empty or taken; give it one of its own", p.Name)
	}
	if len(p.Members) == 0 {
		return out, fmt.Errorf("run: panel %s has no members", p.Name)
	}
	for _, name := range p.Members {
		m, ok := names[name]
		if !ok || m.panel >= 0 {
			return out, fmt.Errorf("run: panel %s: no judge has the name %q", p.Name, name)
		}
		if slices.Contains(out.members, m.members[0]) {
			return out, fmt.Errorf("run: panel %s: %q is a member twice", p.Name, name)
		}
		out.members = append(out.members, m.members[0])
	}
	return out, nil
}

func (t *Team) cascade(c Cascade, names map[string]teamTier) (teamCascade, error) {
	out := teamCascade{Cascade: c}
	if _, taken := names[c.Name]; taken || c.Name == "" {
		return out, fmt.Errorf("run: the name of cascade %q is empty or taken; give it one of its own", c.Name)
	}
	if len(c.Tiers) == 0 {
		return out, fmt.Errorf("run: cascade %s has no tiers", c.Name)
	}
	for i, name := range c.Tiers {
		tier, ok := names[name]
		if !ok || len(tier.members) == 0 {
			return out, fmt.Errorf("run: cascade %s: no judge and no panel has the name %q", c.Name, name)
		}
		if slices.Contains(c.Tiers[:i], name) {
			return out, fmt.Errorf("run: cascade %s: %q is a tier twice", c.Name, name)
		}
		out.tiers = append(out.tiers, tier)
	}
	for _, r := range c.EscalateOn {
		if !slices.Contains(result.Reasons(), r) {
			return out, fmt.Errorf("run: cascade %s: %q is none of %v", c.Name, r, result.Reasons())
		}
	}
	return out, nil
}

func (t *Team) decideLate(always []string) {
	tiers := map[int]bool{} // the panels that are tiers
	for _, c := range t.cascades {
		for _, tier := range c.tiers[1:] {
			if tier.panel >= 0 {
				tiers[tier.panel] = true
			}
			for _, m := range tier.members {
				t.late[m] = true
			}
		}
	}
	for _, c := range t.cascades {
		for _, m := range c.tiers[0].members {
			t.late[m] = false
		}
	}
	for i, p := range t.panels {
		for _, m := range p.members {
			if !tiers[i] {
				t.late[m] = false
			}
		}
	}
	for i, j := range t.judges {
		if slices.Contains(always, j.Name) {
			t.late[i] = false
		}
	}
}

// Late reports whether a judge, by its index, is asked only where a cascade comes to
// it.
func (t *Team) Late(judge int) bool { return t.late[judge] }

// Wanted returns the judges that have to be asked about a judgement before its
// cascades can come to rest. got holds the judges' results, nil for those that were
// not asked; the results must be complete for all that were.
func (t *Team) Wanted(rubric int, got []*result.Result) ([]int, error) {
	var out []int
	for i := range t.cascades {
		_, missing, err := t.climb(&t.cascades[i], rubric, got)
		if err != nil {
			return nil, err
		}
		for _, m := range missing {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

func (t *Team) tier(tier teamTier, rubric int, got []*result.Result) (result.Result, error) {
	if tier.panel < 0 {
		return *got[tier.members[0]], nil
	}
	return t.join(&t.panels[tier.panel], rubric, got)
}

// join makes a panel's result; all its members must have been asked.
func (t *Team) join(p *teamPanel, rubric int, got []*result.Result) (result.Result, error) {
	list := make([]result.Result, len(p.members))
	for i, m := range p.members {
		list[i] = *got[m]
	}
	by := &t.judges[p.members[0]].Criteria[rubric]
	return p.Join(by.Rubric, list, by.Mode)
}

// Joint returns the results of the panels and cascades of one call: panel by panel
// and rubric by rubric, then the cascades. got gives the judges' results by rubric.
// A panel speaks where all its members were asked.
func (t *Team) Joint(got [][]*result.Result) ([]result.Result, error) {
	var out []result.Result
	for i := range t.panels {
		p := &t.panels[i]
		for rubric := range got {
			if slices.ContainsFunc(p.members, func(m int) bool { return got[rubric][m] == nil }) {
				continue
			}
			res, err := t.join(p, rubric, got[rubric])
			if err != nil {
				return nil, err
			}
			out = append(out, res)
		}
	}
	for i := range t.cascades {
		for rubric := range got {
			tiers, _, err := t.climb(&t.cascades[i], rubric, got[rubric])
			if err != nil {
				return nil, err
			}
			out = append(out, t.cascades[i].result(tiers))
		}
	}
	return out, nil
}
