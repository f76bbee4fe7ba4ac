package judges

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Cascade asks cheap judges first: what one tier leaves open goes to the next one,
// which does not see the earlier answers. The cascade is an instrument of its own.
// What the last tier leaves open too is for a person.
type Cascade struct {
	// Name is the cascade's name in results.
	Name string
	// Tiers are names of judges and panels, in the order in which they are asked.
	Tiers []string
	// EscalateOn are the reasons to go on; nil means all.
	EscalateOn []Reason
}

// Reason is why a cascade goes on after a tier's answer.
type Reason string

// The reasons, in the order in which results list them.
const (
	// OnBorderline: the score lies within the margin of the cut, or in the band
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

// ClimbDetail lists the tiers of a cascade that one judgement went through.
type ClimbDetail struct {
	// Tiers are those that were asked; the last one's answer counts.
	Tiers []ClimbTier
	// Unresolved says that the last tier left it open.
	Unresolved bool
}

// ClimbTier is what one tier said, and why that was not enough; Reasons is nil for
// an answer that was.
type ClimbTier struct {
	Judge      string
	Output     *float64
	Verdict    string
	Confidence *float64
	Reasons    []Reason
}

func (c *ClimbDetail) object() object {
	return object{
		member("stands", c.Tiers[len(c.Tiers)-1].Judge), member("unresolved", c.Unresolved),
		member("tiers", list(c.Tiers, func(t ClimbTier) any { return t.Value() })),
	}
}

// Value returns the tier as score details and queue files write it.
func (t *ClimbTier) Value() value.Value {
	return member("", object{
		member("judge", t.Judge), member("output", t.Output), member("verdict", t.Verdict),
		member("confidence", t.Confidence),
		member("escalated", list(t.Reasons, func(r Reason) any { return string(r) })),
	}).Value
}

// reasons returns why a cascade goes on after a result; nil where it ends.
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

// result is the cascade's, of the tiers that were asked. Their requests stay with
// their own results.
func (c *Cascade) result(tiers []Result) Result {
	out := tiers[len(tiers)-1]
	detail := &ClimbDetail{Unresolved: c.reasons(&out) != nil}
	for i := range tiers {
		t := &tiers[i]
		detail.Tiers = append(detail.Tiers, ClimbTier{t.Judge, t.Output, t.Verdict, t.Confidence, c.reasons(t)})
	}
	out.Judge, out.Method, out.Climb, out.Escalate = c.Name, CascadeMethod, detail, detail.Unresolved
	out.Flags = slices.Clone(out.Flags)
	out.Panel, out.Token, out.Sampling, out.Samples = nil, nil, nil, nil
	none := Result{}
	out.Usage, out.Counted = none.Usage, none.Counted
	out.Requests, out.Cached, out.Latency, out.Repairs = 0, 0, 0, 0
	return out
}

// team is what a run makes of its judges' answers: panels join them, cascades choose
// among them and say who else must be asked. It is immutable; the zero team is nobody.
type team struct {
	judges   []*Judge
	panels   []Panel
	cascades []Cascade
	// tiers are the judge or the judges of the panel of each name.
	tiers map[string]tier
	// late marks the judges that are asked only where a cascade reaches them.
	late []bool
}

// tier is the indexes of judges, and the panel that joins them, nil for one judge.
type tier struct {
	members []int
	panel   *Panel
}

// newTeam resolves the names of panels and cascades. The error says which name is wrong.
func newTeam(list []*Judge, cfg RunConfig) (*team, error) {
	t := &team{
		judges: list, panels: cfg.Panels, cascades: cfg.Cascades, tiers: map[string]tier{}, late: make([]bool, len(list)),
	}
	for i, j := range list {
		t.tiers[j.cfg.Name] = tier{members: []int{i}}
		if !t.empty() && !slices.EqualFunc(list[0].cfg.Rubrics, j.cfg.Rubrics, sameRubric) {
			return nil, fmt.Errorf("run: panels and cascades need judges with the same rubrics; %s and %s differ",
				list[0].cfg.Name, j.cfg.Name)
		}
	}
	for i := range t.panels {
		if err := t.addPanel(&t.panels[i]); err != nil {
			return nil, err
		}
	}
	for i := range t.cascades {
		if err := t.addCascade(&t.cascades[i]); err != nil {
			return nil, err
		}
	}
	t.decideLate(cfg.Always)
	return t, nil
}

func sameRubric(a, b *rubrics.Rubric) bool { return a.SHA == b.SHA }

func (t *team) empty() bool { return len(t.panels) == 0 && len(t.cascades) == 0 }

// named reports an error for a name that is empty or taken.
func (t *team) named(kind, name string) error {
	if _, taken := t.tiers[name]; taken || name == "" {
		return fmt.Errorf("run: the name of %s %q is empty or taken; give it one of its own", kind, name)
	}
	return nil
}

func (t *team) addPanel(p *Panel) error {
	if err := t.named("panel", p.Name); err != nil {
		return err
	}
	if len(p.Members) == 0 {
		return fmt.Errorf("run: panel %s has no members", p.Name)
	}
	out := tier{panel: p}
	for _, name := range p.Members {
		m, ok := t.tiers[name]
		if !ok || m.panel != nil {
			return fmt.Errorf("run: panel %s: no judge has the name %q", p.Name, name)
		}
		if slices.Contains(out.members, m.members[0]) {
			return fmt.Errorf("run: panel %s: %q is a member twice", p.Name, name)
		}
		out.members = append(out.members, m.members[0])
	}
	t.tiers[p.Name] = out
	return nil
}

func (t *team) addCascade(c *Cascade) error {
	if err := t.named("cascade", c.Name); err != nil {
		return err
	}
	if len(c.Tiers) == 0 {
		return fmt.Errorf("run: cascade %s has no tiers", c.Name)
	}
	for i, name := range c.Tiers {
		if len(t.tiers[name].members) == 0 {
			return fmt.Errorf("run: cascade %s: no judge and no panel has the name %q", c.Name, name)
		}
		if slices.Contains(c.Tiers[:i], name) {
			return fmt.Errorf("run: cascade %s: %q is a tier twice", c.Name, name)
		}
	}
	for _, r := range c.EscalateOn {
		if !slices.Contains(reasons, r) {
			return fmt.Errorf("run: cascade %s: %q is none of %v", c.Name, r, reasons)
		}
	}
	t.tiers[c.Name] = tier{}
	return nil
}

// decideLate finds the judges that are used only behind the first tier of cascades, by
// themselves or in a panel that is such a tier.
func (t *team) decideLate(always []string) {
	set := func(late bool, names ...string) {
		for _, name := range names {
			for _, m := range t.tiers[name].members {
				t.late[m] = late
			}
		}
	}
	behind := map[string]bool{}
	for _, c := range t.cascades {
		set(true, c.Tiers[1:]...)
		for _, name := range c.Tiers[1:] {
			behind[name] = true
		}
	}
	for _, c := range t.cascades {
		set(false, c.Tiers[0])
	}
	for _, p := range t.panels {
		if !behind[p.Name] {
			set(false, p.Name)
		}
	}
	for i, j := range t.judges {
		t.late[i] = t.late[i] && !slices.Contains(always, j.cfg.Name)
	}
}

// wanted returns the judges that have to be asked about a judgement before its
// cascades can end. got holds the judges' results, nil for those that were
// not asked; the results must be complete for all that were.
func (t *team) wanted(rubric int, got []*Result) ([]int, error) {
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

// climb follows a cascade as far as there are answers. missing are the judges of the
// tier that it has reached and that have not been asked.
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

// result is that of a tier all of whose members were asked.
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

// joint returns the results of the panels and cascades of one call: panel by panel
// and rubric by rubric, then the cascades. got gives the judges' results by rubric.
// A panel has a result where all its members were asked.
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
			out = append(out, t.cascades[i].result(tiers))
		}
	}
	return out, nil
}
