package instrument

import (
	"maps"
	"slices"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Team is all that scores in a run by judging.
type Team struct {
	Judges   []Judge
	Panels   []judges.Panel
	Cascades []judges.Cascade
}

// maxPendingBytes bounds the log text behind the judgements under way. With prompts,
// request bodies and parsed values a run holds several times as much.
const maxPendingBytes = 4 << 20

// pendingEach bounds the judgements under way for each request in flight: enough that
// one slow answer, whose outcome is the next in turn, does not stop the others soon.
const pendingEach = 24

// RunConfig tells the judging about panels and cascades.
func (t *Team) RunConfig() judges.RunConfig {
	cfg := judges.RunConfig{MaxBytes: maxPendingBytes}
	for i := range t.Judges {
		cfg.MaxPending += pendingEach * Workers(t.Judges[i].Endpoint.Concurrency)
		if t.Judges[i].AskAlways {
			cfg.Always = append(cfg.Always, t.Judges[i].Name())
		}
	}
	cfg.Panels, cfg.Cascades = t.Panels, t.Cascades
	return cfg
}

// Identity is what panels and cascades add to a run's identity.
func (t *Team) Identity() []string {
	var out []string
	for i := range t.Judges {
		if t.Judges[i].AskAlways {
			out = append(out, "always "+t.Judges[i].Name())
		}
	}
	for _, panel := range t.Panels {
		weights := make([]value.Value, len(panel.Members))
		for k, m := range panel.Members {
			weights[k] = value.OfFloat(panel.Weights[m])
		}
		parts := []value.Value{
			value.OfString("panel"), value.OfString(panel.Name), texts(panel.Members),
			value.OfString(string(panel.Rule)), value.OfInt(int64(panel.Quorum)), value.OfList(weights...),
		}
		for _, rubric := range slices.Sorted(maps.Keys(panel.RubricWeights)) {
			parts = append(parts, value.OfString(rubric))
			for _, m := range panel.Members {
				parts = append(parts, value.OfFloat(panel.RubricWeights[rubric][m]))
			}
		}
		out = append(out, value.OfList(parts...).Canonical())
	}
	for _, c := range t.Cascades {
		reasons := make([]string, len(c.EscalateOn))
		for i, r := range c.EscalateOn {
			reasons[i] = string(r)
		}
		out = append(out, value.OfList(value.OfString("cascade"), value.OfString(c.Name), texts(c.Tiers), texts(reasons)).Canonical())
	}
	return out
}

func texts(list []string) value.Value {
	elems := make([]value.Value, len(list))
	for i, s := range list {
		elems[i] = value.OfString(s)
	}
	return value.OfList(elems...)
}

// Joint are the names under which panels and cascades score, with what they are
// made of.
func (t *Team) Joint() []JointScore {
	var out []JointScore
	members := map[string][]string{}
	for _, panel := range t.Panels {
		members[panel.Name] = panel.Members
		out = append(out, JointScore{panel.Name, panel.Members})
	}
	for _, c := range t.Cascades {
		var of []string
		for _, tier := range c.Tiers {
			list := members[tier]
			if list == nil {
				list = []string{tier}
			}
			for _, m := range list {
				if !slices.Contains(of, m) {
					of = append(of, m)
				}
			}
		}
		out = append(out, JointScore{c.Name, of})
	}
	return out
}

// JointScore is a panel or cascade: the name under which it scores, and the judges that
// it is made of.
type JointScore struct {
	Name    string
	Members []string
}

// sharedBy are the scorers whose rules any of the named judges applies.
func (t *Team) sharedBy(names []string) []string {
	for i := range t.Judges {
		if j := &t.Judges[i]; slices.Contains(names, j.Name()) && j.Baseline {
			return sharedRules(true)
		}
	}
	return nil
}

// Asked reports for each judge whether it is asked about every call under the rubrics.
func (t *Team) Asked(list []*rubrics.Rubric) ([]bool, error) {
	all := make([]*judges.Judge, len(t.Judges))
	for i := range t.Judges {
		cfg := t.Judges[i].Config
		cfg.Rubrics = list
		var err error
		if all[i], err = judges.New(&client.Client{}, cfg); err != nil {
			return nil, err
		}
	}
	return judges.Asked(all, t.RunConfig())
}

// sharedRules names the scorers whose rules a judge applies: the built-in baseline
// checks arguments against the tool's schema as they do.
func sharedRules(baseline bool) []string {
	if !baseline {
		return nil
	}
	return []string{"schema_check", "parameter_validation", "three_layer.schema_ok"}
}
