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
	c.Logs = o.strings("logs")
	o.string("input_format", &c.InputFormat)
	o.string("tools", &c.Tools)
	c.Rubrics = o.strings("rubrics")
	o.each("judges", func(path string, n *node) { c.Judges = append(c.Judges, d.judge(path, n)) })
	o.each("panels", func(path string, n *node) { c.Panels = append(c.Panels, d.panel(path, n)) })
	o.each("cascades", func(path string, n *node) { c.Cascades = append(c.Cascades, d.cascade(path, n)) })
	d.team(c)
	for _, word := range []string{"scorers", "graders"} {
		o.each(word, func(path string, n *node) { c.Scorers = append(c.Scorers, d.scorer(path, n)) })
	}
	if env := o.get("environment"); env != nil {
		c.Environment = env.value()
	}
	o.each("gates", func(path string, n *node) { c.Gates = append(c.Gates, d.gate(path, n)) })
	o.thresholds("thresholds", &c.Thresholds)
	c.CoverageFloor = o.number("coverage_floor", 0, 1)
	o.int("limit", 0, &c.Limit)
	o.int("sample", 0, &c.Sample)
	c.Seed = o.int64("seed")
	o.bool("retest", &c.Retest)
	o.string("gold", &c.Gold)
	o.string("out", &c.Out)
	o.bool("include_text_calls", &c.IncludeTextCalls)
	c.Redact = o.strings("redact")
	if _, err := judges.NewRedaction(c.Redact); err != nil {
		n := o.get("redact")
		d.fail(n.line, n.col, "redact", "%v", err)
	}
	o.done()
	return c
}

// Transports are the ways to ask for structured output.
var transports = [...]string{"json_schema", "tools", "json_object", "prompt_only"}

func (d *decoder) judge(path string, n *node) Judge {
	if n.kind == value.String {
		return Judge{Model: n.scalar.Text(), Line: n.line}
	}
	j := Judge{Line: n.line}
	o := d.object(n, path)
	o.string("name", &j.Name)
	o.required("model", &j.Model)
	o.string("base_url", &j.BaseURL)
	o.string("api_key_env", &j.APIKeyEnv)
	o.int("concurrency", 1, &j.Concurrency)
	j.Timeout = o.duration("timeout")
	o.int("max_tokens", 1, &j.MaxTokens)
	o.int("context_tokens", 256, &j.ContextTokens)
	if r := o.int64("reasoning_tokens"); r != nil {
		budget := int(*r)
		j.Reasoning = &budget
	}
	j.Temperature = o.number("temperature", 0, 2)
	j.Seed = o.int64("seed")
	o.oneOf("transport", transports[:], &j.Transport)
	o.int("max_record_chars", 1000, &j.MaxRecordChars)
	o.int("max_attempts", 1, &j.MaxAttempts)
	o.int("requests_per_minute", 1, &j.RequestsPerMinute)
	o.examples("examples", &j.Examples)
	d.datamarking(o.get("datamarking"), o.join("datamarking"), &j)
	d.method(o, &j)
	if extra := o.get("extra"); extra != nil {
		if extra.kind == value.Object {
			j.Extra = extra.value()
		} else {
			d.fail(extra.line, extra.col, path+".extra", "want a mapping of request fields")
		}
	}
	o.leftOut(&j, o.number("top_p", 0, 1))
	j.Headers, j.Query = o.params("headers"), o.params("query")
	if k := o.key("api_key"); k != nil {
		d.fail(k.line, k.col, path+".api_key", "keys do not belong in a file; put the name of an environment variable under api_key_env")
		o.seen["api_key"] = true
	}
	o.done()
	return j
}

// leftOut puts among the extra fields what has no field of its own: top_p, and the
// sampling settings that are null, which are then not sent.
func (o *object) leftOut(j *Judge, p *float64) {
	if p != nil {
		j.Extra = j.Extra.With("top_p", value.OfFloat(*p))
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

// commonScorerKeys are what every scorer block may hold beside its own fields.
var commonScorerKeys = [...]string{"type", "key", "display_name", "purpose", "metrics", "label", "config"}

func (d *decoder) scorer(path string, n *node) Scorer {
	if n.kind == value.String {
		return Scorer{Type: n.scalar.Text(), Config: value.OfObject(), Purpose: "score", Line: n.line}
	}
	s := Scorer{Line: n.line, Purpose: "score"}
	o := d.object(n, path)
	o.required("type", &s.Type)
	o.string("key", &s.Key)
	o.string("display_name", &s.DisplayName)
	o.oneOf("purpose", []string{"score", "qa"}, &s.Purpose)
	o.string("label", &s.Label)
	if m := o.get("metrics"); m != nil {
		s.Metrics = m.value()
	}
	// A scorer's own fields stand under config or beside type; its constructor
	// checks them.
	own := n.value().Without(commonScorerKeys[:]...)
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

func (d *decoder) gate(path string, n *node) Gate {
	g := Gate{Line: n.line}
	o := d.object(n, path)
	o.required("score", &g.Score)
	o.string("judge", &g.Judge)
	o.string("reference", &g.Reference)
	o.oneOf("by", []string{gate.ByTool}, &g.By)
	if o.string("tool", &g.Tool); g.Tool != "" {
		g.By = gate.ByTool
	}
	o.string("against", &g.Against)
	g.MinPassRate = o.number("min_pass_rate", 0, 1)
	g.MinMean = o.number("min_mean", -1e9, 1e9)
	g.MinKappa = o.number("min_kappa", -1, 1)
	g.MinCoverage = o.number("min_coverage", 0, 1)
	g.MaxDrop = o.number("max_drop", 0, 100)
	o.bool("strict", &g.Strict)
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
