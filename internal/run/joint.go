package run

import (
	"maps"
	"slices"

	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run/amendment"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// maxPendingBytes bounds the log text behind the judgements under way. With prompts,
// request bodies and parsed values a run holds several times as much.
const maxPendingBytes = 4 << 20

// pendingEach bounds the judgements under way for each request in flight: enough that
// one slow answer, whose outcome is the next in turn, does not stop the others soon.
const pendingEach = 24

// jointConfig tells the judging about panels and cascades. Panels that need all
// answers before they can speak are not among them.
func (p *Plan) jointConfig() judges.RunConfig {
	cfg := judges.RunConfig{MaxBytes: maxPendingBytes}
	for i := range p.Judges {
		cfg.MaxPending += pendingEach * workers(p.Judges[i].Endpoint.Concurrency)
		if p.Judges[i].AskAlways {
			cfg.Always = append(cfg.Always, p.Judges[i].name())
		}
	}
	for _, panel := range p.Panels {
		if panel.Rule == judges.DawidSkene {
			cfg.Always = append(cfg.Always, panel.Members...)
			continue
		}
		cfg.Panels = append(cfg.Panels, panel)
	}
	for i := range p.Cascades {
		cfg.Cascades = append(cfg.Cascades, p.Cascades[i].Cascade)
	}
	return cfg
}

// amendments says what of the run only its end can decide.
func (p *Plan) amendments(note func(string)) amendment.Config {
	return amendment.Config{
		Panels: p.Panels, Cascades: p.Cascades, Rubrics: p.Rubrics, Note: note,
		Mode: func(judge, rubric string) (mode verdict.Mode) {
			for i := range p.Judges {
				if p.Judges[i].name() == judge {
					mode = p.Judges[i].Config.Modes[rubric]
				}
			}
			return mode
		},
	}
}

// jointIdentity is what panels and cascades add to a run's identity.
func (p *Plan) jointIdentity() []string {
	var out []string
	for i := range p.Judges {
		if p.Judges[i].AskAlways {
			out = append(out, "always "+p.Judges[i].name())
		}
	}
	for _, panel := range p.Panels {
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
	for _, c := range p.Cascades {
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

// jointNames are the names under which panels and cascades score, with what they are
// made of.
func (p *Plan) jointNames() []jointName {
	var out []jointName
	members := map[string][]string{}
	for _, panel := range p.Panels {
		members[panel.Name] = panel.Members
		out = append(out, jointName{panel.Name, panel.Members})
	}
	for _, c := range p.Cascades {
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
		out = append(out, jointName{c.Name, of})
	}
	return out
}

type jointName struct {
	name    string
	members []string
}

// sharedBy are the scorers whose rules any of the named judges applies.
func (p *Plan) sharedBy(names []string) []string {
	for i := range p.Judges {
		if j := &p.Judges[i]; slices.Contains(names, j.name()) && j.Baseline {
			return sharedRules(true)
		}
	}
	return nil
}

// asked reports for each judge whether it is asked about every call.
func (p *Plan) asked() ([]bool, error) {
	list := make([]*judges.Judge, len(p.Judges))
	for i := range p.Judges {
		cfg := p.Judges[i].Config
		cfg.Rubrics = p.Rubrics
		var err error
		if list[i], err = judges.New(&client.Client{}, cfg); err != nil {
			return nil, err
		}
	}
	return judges.Asked(list, p.jointConfig())
}
