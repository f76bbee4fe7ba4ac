package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var escalations = [...]string{"borderline", "low_confidence", "error", "contradiction"}

// modes reads how the pass bands of rubrics are read.
func (o *object) modes(name string) []VerdictMode {
	n := o.get(name)
	if n == nil {
		return nil
	}
	var out []VerdictMode
	modes := o.d.object(n, o.join(name))
	for _, k := range modes.n.keys {
		m := VerdictMode{Rubric: k.name}
		modes.oneOf(k.name, []string{"interval", "bands"}, &m.Mode)
		if m.Mode != "" {
			out = append(out, m)
		}
	}
	return out
}

func (d *decoder) panel(path string, n *node) Panel {
	p := Panel{Line: n.line}
	o := d.object(n, path)
	o.fill(&p)
	if w := o.get("weights"); w != nil && w.kind == value.String {
		p.WeightsFrom = w.scalar.Text()
	} else if w != nil {
		weights := d.object(w, o.join("weights"))
		for _, k := range weights.n.keys {
			if f := weights.number(k.name, 0, 1); f != nil {
				p.Weights = append(p.Weights, Weight{k.name, *f})
			}
		}
	}
	o.done()
	if len(p.Members) < 2 {
		d.fail(n.line, n.col, path+".members", "want the names of at least two judges")
	}
	if p.Quorum > len(p.Members) {
		d.fail(n.line, n.col, path+".quorum", "is more than the panel's %d members", len(p.Members))
	}
	d.weights(path, n, &p)
	return p
}

// weights checks that exactly the members of a weighted panel have weights.
func (d *decoder) weights(path string, n *node, p *Panel) {
	if p.Aggregate != "weighted" {
		if p.Weights != nil || p.WeightsFrom != "" {
			d.fail(n.line, n.col, path+".weights", "go with aggregate: weighted only")
		}
		return
	}
	if p.WeightsFrom != "" {
		return // who is in the file shows when it is read
	}
	sum := 0.0
	for _, w := range p.Weights {
		sum += w.Weight
		if !slices.Contains(p.Members, w.Judge) {
			d.fail(n.line, n.col, path+".weights."+w.Judge, "is no member of the panel")
		}
	}
	for _, m := range p.Members {
		if !slices.ContainsFunc(p.Weights, func(w Weight) bool { return w.Judge == m }) {
			d.fail(n.line, n.col, path+".weights", "%s has none; give every member its measured balanced accuracy, 0 to 1, or name the file of judge calibrate", m)
		}
	}
	if sum == 0 && len(p.Weights) > 0 {
		d.fail(n.line, n.col, path+".weights", "are all 0")
	}
}

func (d *decoder) cascade(path string, n *node) Cascade {
	c := Cascade{Line: n.line}
	o := d.object(n, path)
	o.fill(&c)
	o.done()
	if len(c.Tiers) == 0 {
		d.fail(n.line, n.col, path+".tiers", "want the names of judges and panels, the first one first")
	}
	for i, why := range c.EscalateOn {
		if !slices.Contains(escalations[:], why) {
			d.fail(n.line, n.col, fmt.Sprintf("%s.escalate_on[%d]", path, i), "%s", unknown("value", why, escalations[:]))
		}
	}
	if c.Queue != "" && (c.Queue != filepath.Base(c.Queue) || strings.HasPrefix(c.Queue, ".") || !strings.HasSuffix(c.Queue, ".jsonl") || slices.Contains(runFiles[:], c.Queue)) {
		d.fail(n.line, n.col, path+".queue", "want the name of a new .jsonl file; it is written into the run directory")
	}
	return c
}

// runFiles are names in a run directory that are taken.
var runFiles = [...]string{"scores.jsonl", "exchanges.jsonl", "items.jsonl"}

// team checks that panels and cascades speak of judges that are there, and that all
// names differ.
func (d *decoder) team(c *Config) {
	names, seen := map[string]string{}, map[string]int{}
	for i := range c.Judges {
		name := c.Judges[i].Name
		if name == "" {
			name = c.Judges[i].Model
		}
		// The second judge of one name is called by its number.
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, seen[name])
		}
		names[name] = "judge"
	}
	take := func(what, key string, i int, name string, line int) {
		if names[name] != "" && name != "" {
			d.fail(line, 1, fmt.Sprintf("%s[%d].name", key, i), "%q is the name of a %s already", name, names[name])
		}
		names[name] = what
	}
	for i, p := range c.Panels {
		for k, m := range p.Members {
			if names[m] != "judge" {
				d.fail(p.Line, 1, fmt.Sprintf("panels[%d].members[%d]", i, k), "no judge has the name %q", m)
			}
		}
		take("panel", "panels", i, p.Name, p.Line)
	}
	queues := map[string]bool{}
	for i, x := range c.Cascades {
		for k, tier := range x.Tiers {
			at := fmt.Sprintf("cascades[%d].tiers[%d]", i, k)
			if names[tier] != "judge" && names[tier] != "panel" {
				d.fail(x.Line, 1, at, "no judge and no panel has the name %q", tier)
			}
		}
		take("cascade", "cascades", i, x.Name, x.Line)
		if queues[x.QueueFile()] {
			d.fail(x.Line, 1, fmt.Sprintf("cascades[%d].queue", i), "%s is the file of another cascade", x.QueueFile())
		}
		queues[x.QueueFile()] = true
	}
}

// QueueFile is the name of the cascade's queue in the run directory.
func (c *Cascade) QueueFile() string {
	if c.Queue == "" {
		return "queue.jsonl"
	}
	return c.Queue
}
