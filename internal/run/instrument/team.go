package instrument

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Team holds all judges, panels and cascades of a run, and their rubrics.
type Team struct {
	// Judges may be empty: then only the deterministic scorers run.
	Judges  []Judge
	Rubrics []*rubrics.Rubric
	// Panels and Cascades compute further scores from the judges' scores.
	Panels   []judges.Panel
	Cascades []Cascade
}

// Cascade is a cascade with the name of the file, in the run directory, that lists what it leaves to people.
type Cascade struct {
	judges.Cascade
	Queue string
}

// Clone returns a copy whose judges, rubrics and panels can be replaced without changing t.
func (t *Team) Clone() Team {
	return Team{slices.Clone(t.Judges), slices.Clone(t.Rubrics), slices.Clone(t.Panels), t.Cascades}
}

// maxPendingBytes limits the log text of the judgements in progress. With prompts, request bodies
// and parsed values a run needs several times as much memory.
const maxPendingBytes = 4 << 20

// pendingEach is the number of judgements in progress per request in flight: enough that a slow
// answer, whose outcome must be emitted next, does not soon stop the others.
const pendingEach = 24

// RunConfig returns the settings with which judges.Run runs the team.
func (t *Team) RunConfig() judges.RunConfig {
	cfg := judges.RunConfig{MaxBytes: maxPendingBytes, Panels: t.Panels}
	for i := range t.Cascades {
		cfg.Cascades = append(cfg.Cascades, t.Cascades[i].Cascade)
	}
	for i := range t.Judges {
		cfg.MaxPending += pendingEach * client.Workers(t.Judges[i].Endpoint.Concurrency)
		if t.Judges[i].AskAlways {
			cfg.Always = append(cfg.Always, t.Judges[i].Name())
		}
	}
	return cfg
}

// Identity returns what the team adds to its judges' identities: which judges are always asked, and
// the panels and cascades as a report describes them.
func (t *Team) Identity() []string {
	var out []string
	for i := range t.Judges {
		if t.Judges[i].AskAlways {
			out = append(out, "always "+t.Judges[i].Name())
		}
	}
	for _, joint := range t.Instruments()[len(t.Judges):] {
		out = append(out, joint.Name, joint.Prompt)
	}
	return out
}

// Instruments returns the team as a report describes it: the judges, then the panels and cascades
// that use them.
func (t *Team) Instruments() []report.Judge {
	var out []report.Judge
	for i := range t.Judges {
		j := &t.Judges[i]
		out = append(out, report.Judge{
			Name: j.Name(), Model: j.Config.Model, Prompt: j.words(), Baseline: j.Baseline, Asked: j.Asked,
			SharesRules: t.sharedBy([]string{j.Name()}), RetestOf: j.RetestOf,
			Together: j.Together(),
		})
	}
	add := func(name, words string, members []string) {
		out = append(out, report.Judge{Name: name, Prompt: words, SharesRules: t.sharedBy(members), Members: members})
	}
	for i := range t.Panels {
		add(t.Panels[i].Name, t.panelWords(&t.Panels[i]), t.Panels[i].Members)
	}
	for i := range t.Cascades {
		c := &t.Cascades[i]
		var members []string
		for _, tier := range c.Tiers {
			of := []string{tier}
			if p := t.panel(tier); p != nil {
				of = p.Members
			}
			for _, m := range of {
				if !slices.Contains(members, m) {
					members = append(members, m)
				}
			}
		}
		add(c.Name, t.cascadeWords(&c.Cascade), members)
	}
	return out
}

func (t *Team) panel(name string) *judges.Panel {
	if i := slices.IndexFunc(t.Panels, func(p judges.Panel) bool { return p.Name == name }); i >= 0 {
		return &t.Panels[i]
	}
	return nil
}

// sharedBy returns the scorers whose rules one of the named judges applies as well: like them, the
// built-in baseline checks arguments against the tool's schema.
func (t *Team) sharedBy(names []string) []string {
	for i := range t.Judges {
		if j := &t.Judges[i]; slices.Contains(names, j.Name()) && j.Baseline {
			return deterministic.ThatMeasure(score.Form)
		}
	}
	return nil
}

// members describes the members of a panel or cascade, each with its model and prompt: if one of
// them changes, the whole is another instrument.
func (t *Team) members(names []string) string {
	var out []string
	for _, name := range names {
		i := slices.IndexFunc(t.Judges, func(j Judge) bool { return j.Name() == name })
		if i < 0 {
			out = append(out, name)
			continue
		}
		j := &t.Judges[i]
		text := j.Config.Model + ": " + j.words()
		if j.Name() != j.Config.Model {
			text = j.Name() + " is " + text
		}
		out = append(out, "("+text+")")
	}
	return strings.Join(out, " ")
}

// panelWords returns for a panel what words returns for a judge.
func (t *Team) panelWords(panel *judges.Panel) string {
	text := "panel, " + string(panel.Rule)
	if panel.Rule == "" {
		text = "panel, median"
	}
	if panel.Quorum > 0 {
		text += fmt.Sprintf(" of at least %d", panel.Quorum)
	}
	weights := func(by map[string]float64) (list string) {
		for _, m := range panel.Members {
			list += fmt.Sprintf(" %g", by[m])
		}
		return list
	}
	if len(panel.Weights) > 0 {
		text += ", weights" + weights(panel.Weights)
	}
	for _, rubric := range slices.Sorted(maps.Keys(panel.RubricWeights)) {
		text += ", " + rubric + weights(panel.RubricWeights[rubric])
	}
	return text + ": " + t.members(panel.Members)
}

// cascadeWords returns for a cascade what words returns for a judge.
func (t *Team) cascadeWords(c *judges.Cascade) string {
	text := "cascade"
	if len(c.EscalateOn) > 0 {
		text += " on"
		for _, reason := range c.EscalateOn {
			text += " " + string(reason)
		}
	}
	tiers := make([]string, len(c.Tiers))
	for i, tier := range c.Tiers {
		if p := t.panel(tier); p != nil {
			tiers[i] = "(" + t.panelWords(p) + ")"
		} else {
			tiers[i] = t.members([]string{tier})
		}
	}
	return text + ": " + strings.Join(tiers, " then ")
}

// withoutRule returns the rubrics that judge i cannot use: for the built-in baseline, those without a rule.
func (t *Team) withoutRule(i int) (names []string) {
	for _, r := range t.Rubrics {
		if !judges.Answers(t.Judges[i].Config.Model, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// WithoutRule returns the rubrics for which a judge of the team has no rule.
func (t *Team) WithoutRule() []string {
	for i := range t.Judges {
		if names := t.withoutRule(i); len(names) > 0 {
			return names // there is only one set of rules
		}
	}
	return nil
}

// Asked returns the number of rubrics that judge i uses.
func (t *Team) Asked(i int) int { return len(t.Rubrics) - len(t.withoutRule(i)) }

// AsksAny reports whether any judge uses any rubric.
func (t *Team) AsksAny() bool {
	for i := range t.Judges {
		if t.Asked(i) > 0 {
			return true
		}
	}
	return false
}

// Profiles returns the known profiles of the judges' endpoints.
func (t *Team) Profiles() (list []Profile) {
	for i := range t.Judges {
		if profile := t.Judges[i].Profile; profile != nil {
			list = append(list, *profile)
		}
	}
	return list
}

// Silent returns the team's judges as judges that render prompts and send nothing.
func (t *Team) Silent() ([]*judges.Judge, error) {
	list := make([]*judges.Judge, len(t.Judges))
	for i := range t.Judges {
		var err error
		if list[i], err = judges.New(Silent{}, t.JudgeConfig(i, "estimate")); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// JudgeConfig returns the settings of judge i for the run with this id.
func (t *Team) JudgeConfig(i int, runID string) judges.Config {
	spec := &t.Judges[i]
	cfg := spec.Config
	cfg.Rubrics, cfg.Kind = t.Rubrics, spec.Kind
	if spec.Reversed {
		cfg.Rubrics = reversed(t.Rubrics)
	}
	if cfg.Pilot = spec.Kind == llm.KindOpenAI; spec.Pilot != nil {
		cfg.Pilot = *spec.Pilot
	}
	identity := PromptOptions(runID)
	cfg.Prompt.RunKey, cfg.Prompt.Canary, cfg.Prompt.Limit = identity.RunKey, identity.Canary, spec.Limit()
	return cfg
}

// reversed returns rubrics with their examples in reverse order.
func reversed(list []*rubrics.Rubric) (out []*rubrics.Rubric) {
	for _, r := range list {
		other := *r
		other.Examples = slices.Clone(r.Examples)
		slices.Reverse(other.Examples)
		out = append(out, &other)
	}
	return out
}

// PromptVersion returns the prompt version that judge i's fingerprints use. Two judges with the same
// model at different endpoints must not share answers; but a retest does not change the version, so
// that a judge can reuse its answers from a run without the retest.
func (t *Team) PromptVersion(i int) string {
	cfg := &t.Judges[i].Config
	for k := range t.Judges {
		if k != i && t.Judges[k].Config.Model == cfg.Model && t.Judges[k].RetestOf != t.Judges[i].Name() {
			return cfg.Prompt.Version() + " " + cfg.Name
		}
	}
	return cfg.Prompt.Version()
}

// Scales returns the team's rubrics as a report describes them; none without judges.
func (t *Team) Scales() (out []report.Rubric) {
	if len(t.Judges) == 0 {
		return nil
	}
	for _, r := range t.Rubrics {
		o := r.Output
		scale := report.Rubric{
			Name: r.Name, SHA: r.SHA, Min: o.Min, Max: o.Max, Integer: o.Integer, CompareWith: r.CompareWith,
			Categories: o.Categories, Pass: o.Pass, SeesExpected: r.SeesExpected,
		}
		if r.Aligned != nil {
			scale.MadeFrom = labels.Marks(r.Aligned.Labels)
		}
		if !o.NoPass {
			scale.Low, scale.High = new(o.Low), new(o.High)
		}
		out = append(out, scale)
	}
	return out
}
