package judges

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Cascade asks cheap judges first. What one tier leaves open goes to the next, which does not see
// the earlier answers. A cascade has results of its own, under its name. What the last tier leaves
// open is for a person.
type Cascade struct {
	// Name is the cascade's name in results.
	Name string
	// Tiers are names of judges and panels, in the order in which they are asked.
	Tiers []string
	// EscalateOn lists the reasons to go to the next tier; nil means all.
	EscalateOn []Reason
}

// Reason is a reason why a cascade goes to the next tier.
type Reason string

// The reasons, in the order in which results list them.
const (
	// OnBorderline: the score is within the margin of the cut, or in the band
	// between fail and pass.
	OnBorderline Reason = "borderline"
	// OnLowConfidence: the confidence is missing or outside its band.
	OnLowConfidence Reason = "low_confidence"
	// OnError: there is no score.
	OnError Reason = "error"
	// OnContradiction: the answer contradicts itself or the facts (a flag of
	// severity 2).
	OnContradiction Reason = "contradiction"
)

var reasons = []Reason{OnBorderline, OnLowConfidence, OnError, OnContradiction}

// ClimbDetail lists the tiers that one judgement of a cascade went through.
type ClimbDetail struct {
	// Tiers are the tiers that were asked. The last answer counts.
	Tiers []ClimbTier
	// Unresolved says that the last tier left the judgement open.
	Unresolved bool
}

// ClimbTier is one tier's answer. Reasons says why it was not enough; nil if it was.
type ClimbTier struct {
	Judge      string
	Output     *float64
	Verdict    string
	Confidence *float64
	Reasons    []Reason
}

func (c *ClimbDetail) value() value.Value {
	return value.Pairs("stands", c.Tiers[len(c.Tiers)-1].Judge, "unresolved", c.Unresolved,
		"tiers", list(c.Tiers, func(t ClimbTier) any { return t.Value() }))
}

// Value returns the tier in the form of score details and queue files.
func (t *ClimbTier) Value() value.Value {
	return value.Pairs("judge", t.Judge, "output", t.Output, "verdict", t.Verdict, "confidence", t.Confidence,
		"escalated", list(t.Reasons, func(r Reason) any { return string(r) }))
}

// reasons returns why a cascade goes on after a result; nil if it does not.
func (c *Cascade) reasons(r *Result) []Reason {
	noScore := r.Verdict == NoVerdict
	holds := map[Reason]bool{
		OnBorderline: r.NearThreshold || r.Verdict == Borderline, OnLowConfidence: r.LowConfidence && !noScore,
		OnError: noScore, OnContradiction: severe(r.Flags),
	}
	var out []Reason
	for _, why := range reasons {
		if holds[why] && (c.EscalateOn == nil || slices.Contains(c.EscalateOn, why)) {
			out = append(out, why)
		}
	}
	return out
}

// result returns the cascade's result from the tiers that were asked. The cost of their requests
// stays with their own results.
func (c *Cascade) result(tiers []Result) Result {
	out := tiers[len(tiers)-1]
	detail := &ClimbDetail{Unresolved: c.reasons(&out) != nil}
	for i := range tiers {
		t := &tiers[i]
		detail.Tiers = append(detail.Tiers, ClimbTier{t.Judge, t.Output, t.Verdict, t.Confidence, c.reasons(t)})
	}
	out.Judge, out.Method, out.Climb, out.Escalate = c.Name, CascadeMethod, detail, detail.Unresolved
	out.Flags = slices.Clone(out.Flags)
	out.Panel, out.Token, out.Sampling, out.Samples, out.Segments = nil, nil, nil, nil, nil
	out.dropCost()
	return out
}

// team computes a run's results of panels and cascades from its judges' answers, and says which
// judges must still be asked. It is immutable; the zero team has neither panels nor cascades.
type team struct {
	judges   []*Judge
	panels   []Panel
	cascades []Cascade
	// tiers maps a name to its judge, or to the judges of its panel.
	tiers map[string]tier
	// late marks the judges that are asked only if a cascade reaches them.
	late []bool
}

// tier holds the indexes of judges, and the panel that joins them; nil for a single judge.
type tier struct {
	members []int
	panel   *Panel
}

// newTeam looks up the names in panels and cascades. Errors say which name is wrong.
func newTeam(list []*Judge, cfg RunConfig) (*team, error) {
	t := &team{
		judges: list, panels: cfg.Panels, cascades: cfg.Cascades, tiers: map[string]tier{},
		late: make([]bool, len(list)),
	}
	for i, j := range list {
		t.tiers[j.cfg.Name] = tier{members: []int{i}}
		if !t.empty() && !slices.EqualFunc(list[0].cfg.Rubrics, j.cfg.Rubrics, sameRubric) {
			return nil, fmt.Errorf("run: panels and cascades need judges with the same rubrics; %s and %s differ",
				list[0].cfg.Name, j.cfg.Name)
		}
	}
	for i := range t.panels {
		p := &t.panels[i]
		members, err := t.resolve("panel", "member", "judge", p.Name, p.Members)
		if err != nil {
			return nil, err
		}
		for _, r := range list[0].cfg.Rubrics {
			if o := r.Output; o.NoPass && o.Categories != nil && p.Rule != answer.PanelMajority {
				return nil, fmt.Errorf("run: panel %s: the categories of rubric %s have no order without pass; "+
					"join them by majority (aggregate: majority), or set pass in the rubric", p.Name, r.Name)
			}
		}
		t.tiers[p.Name] = tier{members, p}
	}
	for _, c := range t.cascades {
		if _, err := t.resolve("cascade", "tier", "judge and no panel", c.Name, c.Tiers); err != nil {
			return nil, err
		}
		for _, why := range c.EscalateOn {
			if !slices.Contains(reasons, why) {
				return nil, fmt.Errorf("run: cascade %s: %q is not one of %v", c.Name, why, reasons)
			}
		}
		t.tiers[c.Name] = tier{}
	}
	t.decideLate(cfg.Always)
	return t, nil
}

func sameRubric(a, b *rubrics.Rubric) bool { return a.SHA == b.SHA }

func (t *team) empty() bool { return len(t.panels) == 0 && len(t.cascades) == 0 }

// resolve returns the judges of a panel or cascade. The other parameters are words for errors: kind
// is "panel" or "cascade", part is what its parts are called, and who says what a part must be.
func (t *team) resolve(kind, part, who, name string, parts []string) (members []int, err error) {
	if _, taken := t.tiers[name]; taken || name == "" {
		return nil, fmt.Errorf("run: the name of %s %q is empty or taken; give it one of its own", kind, name)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("run: %s %s has no %ss", kind, name, part)
	}
	for i, p := range parts {
		of := t.tiers[p]
		if len(of.members) == 0 || kind == "panel" && of.panel != nil {
			return nil, fmt.Errorf("run: %s %s: no %s has the name %q", kind, name, who, p)
		}
		if slices.Contains(parts[:i], p) {
			return nil, fmt.Errorf("run: %s %s: %q is a %s twice", kind, name, p, part)
		}
		members = append(members, of.members...)
	}
	return members, nil
}

// decideLate finds the judges that are used only after the first tier of cascades, directly or in a
// panel that is such a tier.
func (t *team) decideLate(always []string) {
	var first, behind []string
	for _, c := range t.cascades {
		first, behind = append(first, c.Tiers[0]), append(behind, c.Tiers[1:]...)
	}
	for _, p := range t.panels {
		if !slices.Contains(behind, p.Name) {
			first = append(first, p.Name)
		}
	}
	for i, j := range t.judges {
		in := func(name string) bool { return slices.Contains(t.tiers[name].members, i) }
		t.late[i] = slices.ContainsFunc(behind, in) && !slices.ContainsFunc(first, in) &&
			!slices.Contains(always, j.cfg.Name)
	}
}

// nextJudges returns the judges that must still be asked before a judgement's cascades can end. got
// holds the judges' results, nil for those that were not asked; all judges that were asked must
// have answered.
func (t *team) nextJudges(rubric int, got []*Result) ([]int, error) {
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

// climb follows a cascade as far as there are answers. missing lists the judges of the next tier
// that have not been asked.
func (t *team) climb(c *Cascade, rubric int, got []*Result) (tiers []Result, missing []int, err error) {
	for _, name := range c.Tiers {
		tier := t.tiers[name]
		for _, m := range tier.members {
			if got[m] == nil {
				missing = append(missing, m)
			}
		}
		if missing != nil {
			return tiers, missing, nil
		}
		res, err := t.result(tier, rubric, got)
		if err != nil {
			return nil, nil, err
		}
		tiers = append(tiers, res)
		if c.reasons(&res) == nil {
			break
		}
	}
	return tiers, nil, nil
}

// result returns the result of a tier whose members were all asked.
func (t *team) result(of tier, rubric int, got []*Result) (Result, error) {
	if of.panel == nil {
		return *got[of.members[0]], nil
	}
	list := make([]*Result, len(of.members))
	for i, m := range of.members {
		list[i] = got[m]
	}
	return of.panel.join(&t.judges[of.members[0]].rubrics[rubric], list)
}

// joint returns the results of the panels and cascades for one item: panel by panel and rubric by
// rubric, then the cascades. got holds the judges' results by rubric. A panel has a result if all
// its members were asked.
func (t *team) joint(got [][]*Result) ([]Result, error) {
	var out []Result
	for i := range t.panels {
		tier := t.tiers[t.panels[i].Name]
		for rubric := range got {
			if slices.ContainsFunc(tier.members, func(m int) bool { return got[rubric][m] == nil }) {
				continue
			}
			res, err := t.result(tier, rubric, got[rubric])
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
			if len(tiers) == 0 {
				continue // the rubric does not ask about this call
			}
			out = append(out, t.cascades[i].result(tiers))
		}
	}
	return out, nil
}
