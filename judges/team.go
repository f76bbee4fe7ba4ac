package judges

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// CascadeMethod is the method of a score that stands at the end of a cascade.
const CascadeMethod Method = "cascade"

// Reason is why a cascade does not rest with a tier's answer.
type Reason string

// The reasons, in the order in which they are told.
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

// Reasons returns all reasons.
func Reasons() []Reason { return []Reason{OnBorderline, OnLowConfidence, OnError, OnContradiction} }

// Cascade asks cheap judges first: what one tier leaves open goes to the next one,
// which does not see the earlier answers. What stands at the end is an instrument of
// its own. What the last tier leaves open too is for a person.
type Cascade struct {
	// Name is the cascade's name in results.
	Name string
	// Tiers are names of judges and panels, in the order in which they are asked.
	Tiers []string
	// EscalateOn are the reasons to go on; nil means all.
	EscalateOn []Reason
}

// ClimbDetail is the way of one judgement through a cascade.
type ClimbDetail struct {
	// Tiers are those that were asked; the last one's answer stands.
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

func (c *ClimbDetail) value() value.Value {
	tiers := make([]value.Value, len(c.Tiers))
	for i := range c.Tiers {
		tiers[i] = c.Tiers[i].Value()
	}
	return value.OfObject(
		value.Member{Key: "stands", Value: value.OfString(c.Tiers[len(c.Tiers)-1].Judge)},
		value.Member{Key: "unresolved", Value: value.OfBool(c.Unresolved)},
		value.Member{Key: "tiers", Value: value.OfList(tiers...)},
	)
}

// Value returns the tier as it stands in score details and queue files.
func (t *ClimbTier) Value() value.Value {
	reasons := make([]value.Value, len(t.Reasons))
	for i, r := range t.Reasons {
		reasons[i] = value.OfString(string(r))
	}
	return value.OfObject(
		value.Member{Key: "judge", Value: value.OfString(t.Judge)},
		value.Member{Key: "output", Value: number64(t.Output)},
		value.Member{Key: "verdict", Value: value.OfString(t.Verdict)},
		value.Member{Key: "confidence", Value: number64(t.Confidence)},
		value.Member{Key: "escalated", Value: value.OfList(reasons...)},
	)
}

// reasons returns why a cascade goes on after a result; nil where it rests.
func (c *Cascade) reasons(r *Result) []Reason {
	severe := slices.ContainsFunc(r.Flags, func(f score.Flag) bool { return f.Severity >= 2 })
	noScore := r.Verdict == NoVerdict
	var out []Reason
	for _, x := range []struct {
		why   Reason
		holds bool
	}{
		{OnBorderline, r.NearThreshold || r.Verdict == Borderline}, {OnLowConfidence, r.LowConfidence && !noScore},
		{OnError, noScore}, {OnContradiction, severe},
	} {
		if x.holds && (c.EscalateOn == nil || slices.Contains(c.EscalateOn, x.why)) {
			out = append(out, x.why)
		}
	}
	return out
}

// team is what a run makes of its judges' answers: panels join them, cascades choose
// among them and say who else must be asked.
type team struct {
	judges   []*Judge
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

// newTeam resolves the names of panels and cascades; nil where there are none. A
// judge that stands only behind the first tier of cascades, by itself or in a panel,
// is asked only where a cascade comes to it, unless it is among always.
func newTeam(list []*Judge, cfg RunConfig) (*team, error) {
	if len(cfg.Panels) == 0 && len(cfg.Cascades) == 0 {
		return nil, nil
	}
	t := &team{judges: list, late: make([]bool, len(list))}
	if err := t.sameRubrics(); err != nil {
		return nil, err
	}
	names := map[string]teamTier{}
	for i, j := range list {
		names[j.cfg.Name] = teamTier{members: []int{i}, panel: -1}
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

func (t *team) sameRubrics() error {
	first := t.judges[0]
	for _, j := range t.judges[1:] {
		same := slices.EqualFunc(first.rubrics, j.rubrics, func(a, b instrument) bool { return a.rubric.SHA == b.rubric.SHA })
		if !same {
			return fmt.Errorf("run: panels and cascades need judges with the same rubrics; %s and %s differ", first.cfg.Name, j.cfg.Name)
		}
	}
	return nil
}

func (t *team) panel(p Panel, names map[string]teamTier) (teamPanel, error) {
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

func (t *team) cascade(c Cascade, names map[string]teamTier) (teamCascade, error) {
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
		if !slices.Contains(Reasons(), r) {
			return out, fmt.Errorf("run: cascade %s: %q is none of %v", c.Name, r, Reasons())
		}
	}
	return out, nil
}

func (t *team) decideLate(always []string) {
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
		if slices.Contains(always, j.cfg.Name) {
			t.late[i] = false
		}
	}
}

// Asked reports for each judge of a run whether it is asked about every call, or
// only where a cascade comes to it. The error is that of Run.
func Asked(list []*Judge, cfg RunConfig) ([]bool, error) {
	out := make([]bool, len(list))
	if len(list) == 0 {
		return out, nil
	}
	t, err := newTeam(list, cfg)
	for i := range out {
		out[i] = t == nil || !t.late[i]
	}
	return out, err
}

// wanted returns the judges that have to be asked about a judgement before its
// cascades can come to rest. got holds the judges' results, nil for those that were
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
// tier that it has come to and that have not been asked.
func (t *team) climb(c *teamCascade, rubric int, got []*Result) (tiers []Result, missing []int, err error) {
	for _, tier := range c.tiers {
		for _, m := range tier.members {
			if got[m] == nil {
				missing = append(missing, m)
			}
		}
		if missing != nil {
			return tiers, missing, nil
		}
		res, err := t.tier(tier, rubric, got)
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

func (t *team) tier(tier teamTier, rubric int, got []*Result) (Result, error) {
	if tier.panel < 0 {
		return *got[tier.members[0]], nil
	}
	return t.join(&t.panels[tier.panel], rubric, got)
}

// join makes a panel's result; all its members must have been asked.
func (t *team) join(p *teamPanel, rubric int, got []*Result) (Result, error) {
	list := make([]Result, len(p.members))
	for i, m := range p.members {
		list[i] = *got[m]
	}
	in := &t.judges[p.members[0]].rubrics[rubric]
	return p.Join(in.rubric, list, in.mode)
}

// joint returns the results of the panels and cascades of one call: panel by panel
// and rubric by rubric, then the cascades. got gives the judges' results by rubric.
// A panel speaks where all its members were asked.
func (t *team) joint(got [][]*Result) ([]Result, error) {
	var out []Result
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

// result is what stands at the end of a climb.
func (c *Cascade) result(tiers []Result) Result {
	last := tiers[len(tiers)-1]
	detail := &ClimbDetail{Unresolved: c.reasons(&last) != nil}
	for i := range tiers {
		t := &tiers[i]
		detail.Tiers = append(detail.Tiers, ClimbTier{t.Judge, t.Output, t.Verdict, t.Confidence, c.reasons(t)})
	}
	out := last
	out.Judge, out.Method, out.Climb, out.Escalate = c.Name, CascadeMethod, detail, detail.Unresolved
	out.Flags = slices.Clone(last.Flags)
	out.Panel, out.Token, out.Sampling, out.Samples = nil, nil, nil, nil
	// The requests are those of the tiers' own results.
	none := Result{}
	out.Usage, out.Requests, out.Cached, out.Latency, out.Repairs = none.Usage, 0, 0, 0, 0
	out.Window, out.PromptBytes = 0, 0
	return out
}

// Joint reports whether a result was made from other results, without requests.
func (r *Result) Joint() bool { return r.Panel != nil || r.Climb != nil }
