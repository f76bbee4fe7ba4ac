package instrument

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/judges"
)

// Words names, beside the model, everything that makes the judge the instrument it
// is: the version of the prompt and whatever is set otherwise than by default. Two
// judges with the same words measure alike. How the answer is transported, how many
// tokens it may take and where the server stands change no measurement and are left
// out, and so is the seed.
func (j *Judge) Words() string {
	c := &j.Config
	parts := []string{c.Prompt.Version()}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c.Prompt.ExamplesInSystem {
		add("examples in the system message")
	}
	if list := c.Prompt.Redact.Patterns(); len(list) > 0 {
		add("redacted by %q", list)
	}
	switch n := c.Prompt.MaxExamples; {
	case n < 0:
		add("no examples")
	case n > 0:
		add("up to %d examples", n)
	}
	switch n := c.Prompt.MaxRecordBytes; {
	case n < 0:
		add("records in full")
	case n != 0 && n != judges.DefaultMaxRecordBytes:
		add("records of up to %d bytes", n)
	}
	if n := c.Prompt.KeepLast; n > 0 && n != judges.DefaultKeepLast {
		add("last %d lines kept", n)
	}
	usual := 0.0
	switch c.Method {
	case "", judges.Parsed:
	case judges.SelfConsistency:
		n := c.Samples
		if n == 0 {
			n = judges.DefaultSamples
		}
		add("%s of %d", c.Method, n)
		usual = judges.SampleTemperature
	default:
		add("%s", c.Method)
	}
	if c.Temperature != nil && *c.Temperature != usual {
		add("temperature %s", number(*c.Temperature))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Modes)) {
		if c.Modes[name] != "" && c.Modes[name] != "interval" {
			add("%s for %s", c.Modes[name], name)
		}
	}
	if c.CoerceNumbers {
		add("numbers as text taken")
	}
	var extra []string
	for _, f := range c.Extra {
		switch {
		case !f.LeavesOut():
			extra = append(extra, f.Name+"="+string(f.Value))
		case f.Name != "seed" && f.Name != "max_tokens":
			extra = append(extra, f.Name+" left out")
		}
	}
	slices.Sort(extra)
	return strings.Join(append(parts, extra...), ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// members names the judges behind a panel or cascade, each with its model and prompt:
// the whole is another instrument when one of them is.
func (t *Team) members(names []string) string {
	var out []string
	for _, name := range names {
		i := slices.IndexFunc(t.Judges, func(j Judge) bool { return j.Name() == name })
		if i < 0 {
			out = append(out, name)
			continue
		}
		j := &t.Judges[i]
		text := j.Config.Model + ": " + j.Words()
		if j.Name() != j.Config.Model {
			text = j.Name() + " is " + text
		}
		out = append(out, "("+text+")")
	}
	return strings.Join(out, " ")
}

// panelPrompt is what Words is for a panel.
func (t *Team) panelPrompt(panel *judges.Panel) string {
	text := "panel, " + string(panel.Rule)
	if panel.Rule == "" {
		text = "panel, median"
	}
	if panel.Quorum > 0 {
		text += fmt.Sprintf(" of at least %d", panel.Quorum)
	}
	weights := func(by map[string]float64) string {
		var list []string
		for _, m := range panel.Members {
			list = append(list, number(by[m]))
		}
		return strings.Join(list, " ")
	}
	if len(panel.Weights) > 0 {
		text += ", weights " + weights(panel.Weights)
	}
	for _, rubric := range slices.Sorted(maps.Keys(panel.RubricWeights)) {
		text += ", " + rubric + " " + weights(panel.RubricWeights[rubric])
	}
	return text + ": " + t.members(panel.Members)
}

// cascadePrompt is what Words is for a cascade.
func (t *Team) cascadePrompt(c *judges.Cascade) string {
	text := "cascade"
	if len(c.EscalateOn) > 0 {
		text += " on"
		for _, reason := range c.EscalateOn {
			text += " " + string(reason)
		}
	}
	text += ": "
	for i, tier := range c.Tiers {
		if i > 0 {
			text += " then "
		}
		if k := slices.IndexFunc(t.Panels, func(x judges.Panel) bool { return x.Name == tier }); k >= 0 {
			text += "(" + t.panelPrompt(&t.Panels[k]) + ")"
			continue
		}
		text += t.members([]string{tier})
	}
	return text
}

// Instruments are the judges of the team as a report knows them, panels and cascades
// behind the judges they are made of.
func (t *Team) Instruments() []report.Judge {
	var out []report.Judge
	for i := range t.Judges {
		j := &t.Judges[i]
		out = append(out, report.Judge{Name: j.Name(), Model: j.Config.Model, Prompt: j.Words(), Baseline: j.Baseline, Asked: j.Asked, SharesRules: sharedRules(j.Baseline), RetestOf: j.RetestOf})
	}
	prompts := map[string]string{}
	for i := range t.Panels {
		prompts[t.Panels[i].Name] = t.panelPrompt(&t.Panels[i])
	}
	for i := range t.Cascades {
		prompts[t.Cascades[i].Name] = t.cascadePrompt(&t.Cascades[i])
	}
	for _, j := range t.Joint() {
		out = append(out, report.Judge{Name: j.Name, Prompt: prompts[j.Name], SharesRules: t.sharedBy(j.Members), Members: j.Members})
	}
	return out
}
