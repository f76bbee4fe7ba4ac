package config

import (
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Read reads a judge.yaml. The name only serves messages. The error is of type
// Problems and names every mistake.
func Read(name string, data []byte) (*Config, error) {
	root, problem := parseDocument(name, data)
	if problem != nil {
		return nil, Problems{problem}
	}
	d := &decoder{file: name}
	c := d.config(root)
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	return c, nil
}

func (d *decoder) config(root *node) *Config {
	c := &Config{}
	o := d.object(root, "")
	o.fill(c)
	c.Scorers, c.Graders = append(c.Scorers, c.Graders...), nil
	d.team(c)
	if _, err := judges.NewRedaction(c.Redact); err != nil {
		n := o.get("redact")
		d.fail(n.line, n.col, "redact", "%v", err)
	}
	o.done()
	return c
}

func (d *decoder) judge(path string, n *node) Judge {
	if n.kind == value.String {
		return Judge{Model: n.scalar.Text()}
	}
	var j Judge
	o := d.object(n, path)
	o.fill(&j)
	o.examples("examples", &j.Examples)
	d.datamarking(o.get("datamarking"), o.join("datamarking"), &j)
	if s := o.get("samples"); s != nil && j.ScoreMethod != "self_consistency" {
		d.fail(s.line, s.col, o.join("samples"), "goes with score_method: self_consistency only")
	}
	if extra := o.get("extra"); extra != nil {
		if extra.kind == value.Object {
			j.Extra = extra.value()
		} else {
			d.fail(extra.line, extra.col, path+".extra", "want a mapping of request fields")
		}
	}
	o.leftOut(&j)
	if k := o.key("api_key"); k != nil {
		d.fail(k.line, k.col, path+".api_key", "keys do not belong in a file; put the name of an environment variable under api_key_env")
		o.seen["api_key"] = true
	}
	o.done()
	return j
}

// leftOut puts among the extra fields what has no field of its own: top_p, and the
// sampling settings that are null, which are then not sent.
func (o *object) leftOut(j *Judge) {
	if j.TopP != nil {
		j.Extra, j.TopP = j.Extra.With("top_p", value.OfFloat(*j.TopP)), nil
	}
	for _, name := range [...]string{"temperature", "top_p", "seed", "max_tokens"} {
		if o.key(name) != nil && o.get(name) == nil {
			j.Extra = j.Extra.With(name, value.Value{})
		}
	}
}

// params reads headers, or the parameters of a query.
func (o *object) params(name string) []Param {
	n := o.get(name)
	if n == nil {
		return nil
	}
	if n.kind != value.Object {
		o.d.fail(n.line, n.col, o.join(name), "want a mapping of names to values")
		return nil
	}
	var out []Param
	for i, k := range n.keys {
		item := n.items[i]
		p := Param{Name: k.name, Value: item.scalar.Text()}
		_, variables := p.Expand(func(string) string { return "" })
		switch {
		case item.kind == value.List || item.kind == value.Object || p.Value == "":
			o.d.fail(item.line, item.col, o.join(name)+"."+k.name, "want text, with ${NAME} for an environment variable")
		case p.secret() && len(variables) == 0:
			o.d.fail(item.line, item.col, o.join(name)+"."+k.name, "keys do not belong in a file; put one into an environment variable and write ${NAME} here")
		}
		out = append(out, p)
	}
	return out
}

// datamarking reads true, false, or the sign itself.
func (d *decoder) datamarking(n *node, path string, j *Judge) {
	if n == nil {
		return
	}
	on, isBool := n.scalar.BoolVal()
	sign, isText := n.scalar.Str()
	switch {
	case isBool && on:
		j.Datamarking = judges.DefaultMarker
	case isText && sign != "":
		if err := judges.CheckMarker(sign); err != nil {
			d.fail(n.line, n.col, path, "%v", err)
			return
		}
		j.Datamarking = sign
	case !isBool:
		d.fail(n.line, n.col, path, "want true, false or one symbol to stand between words")
	}
}

func (d *decoder) scorer(path string, n *node) Scorer {
	if n.kind == value.String {
		return Scorer{Type: n.scalar.Text(), Config: value.OfObject(), Purpose: "score"}
	}
	s := Scorer{Purpose: "score"}
	o := d.object(n, path)
	o.fill(&s)
	// A scorer's own fields stand under config or beside type; its constructor
	// checks them.
	own := n.value().Without(append(o.known, "config")...)
	if block := o.get("config"); block != nil {
		if block.kind != value.Object && block.kind != value.Null {
			d.fail(block.line, block.col, path+".config", "want a mapping")
		} else {
			for k, v := range block.value().Members() {
				own = own.With(k, v)
			}
		}
	}
	if own.Kind() != value.Object {
		own = value.OfObject()
	}
	s.Config = own
	return s
}

func (d *decoder) gate(path string, n *node) gate.Gate {
	var g gate.Gate
	o := d.object(n, path)
	o.fill(&g)
	if g.Tool != "" {
		g.By = gate.ByTool
	}
	o.done()
	if g.MinPassRate == nil && g.MinMean == nil && g.MinKappa == nil && g.MinCoverage == nil && g.MaxDrop == nil {
		d.fail(n.line, n.col, path, "asks for nothing; give min_pass_rate, min_mean, min_kappa, min_coverage or max_drop")
	}
	if (g.MaxDrop == nil) != (g.Against == "") {
		d.fail(n.line, n.col, path, "max_drop and against go together: against names the baseline run directory")
	}
	if g.Reference != "" && g.MinKappa == nil {
		d.fail(n.line, n.col, path, "reference goes with min_kappa: it names the scorer or label that the judge is held against")
	}
	return g
}

// thresholds reads a mapping of rubric names to "low" or "low..high".
func (o *object) thresholds(name string, dst *[]report.Threshold) {
	n := o.get(name)
	if n == nil {
		return
	}
	if n.kind != value.Object {
		o.d.fail(n.line, n.col, o.join(name), "want a mapping such as overall_call_correctness: 0.8")
		return
	}
	for i, k := range n.keys {
		t, err := report.ParseThreshold(k.name + "=" + n.items[i].scalar.Text())
		if err != nil {
			o.d.fail(n.items[i].line, n.items[i].col, o.join(name)+"."+k.name, "%v", err)
			continue
		}
		*dst = append(*dst, t)
	}
}

// examples reads where a rubric's examples stand, or how many of them.
func (o *object) examples(name string, dst *string) {
	n := o.get(name)
	if n != nil && n.kind != value.Object && n.kind != value.List {
		if count, err := strconv.Atoi(n.scalar.Text()); err == nil && count >= 0 {
			*dst = strconv.Itoa(count)
			return
		}
	}
	o.oneOf(name, []string{"messages", "prompt", "none"}, dst)
}

func (o *object) duration(name string) time.Duration {
	n := o.get(name)
	if n == nil {
		return 0
	}
	if secs, ok := n.scalar.Float64(); ok && secs > 0 && secs < 1e6 {
		return time.Duration(secs * float64(time.Second))
	}
	if text, ok := n.scalar.Str(); ok {
		if dur, err := time.ParseDuration(text); err == nil && dur > 0 {
			return dur
		}
	}
	o.d.fail(n.line, n.col, o.join(name), "want seconds or a duration such as 90s or 2m")
	return 0
}
