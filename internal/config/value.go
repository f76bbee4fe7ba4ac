package config

import (
	"github.com/judgekit/judge/internal/value"
)

// Value returns the configuration in the form of the file: what Read would read
// back. Fields that were not given are left out.
func (c *Config) Value() value.Value {
	var b block
	b.texts("logs", c.Logs)
	b.text("input_format", c.InputFormat)
	b.text("tools", c.Tools)
	b.texts("rubrics", c.Rubrics)
	b.list("judges", len(c.Judges), func(i int) value.Value { return c.Judges[i].value() })
	b.list("panels", len(c.Panels), func(i int) value.Value { return c.Panels[i].value() })
	b.list("cascades", len(c.Cascades), func(i int) value.Value { return c.Cascades[i].value() })
	b.list("scorers", len(c.Scorers), func(i int) value.Value { return c.Scorers[i].value() })
	b.any("environment", c.Environment)
	b.list("gates", len(c.Gates), func(i int) value.Value { return c.Gates[i].value() })
	if len(c.Thresholds) > 0 {
		var bands block
		for _, t := range c.Thresholds {
			text := t.String()
			bands.text(t.Name, text[len(t.Name)+1:])
		}
		b.any("thresholds", bands.value())
	}
	b.number("coverage_floor", c.CoverageFloor)
	b.int("limit", c.Limit)
	b.int("sample", c.Sample)
	b.int64("seed", c.Seed)
	b.bool("retest", c.Retest)
	b.text("gold", c.Gold)
	b.bool("include_text_calls", c.IncludeTextCalls)
	b.texts("redact", c.Redact)
	return b.value()
}

func (j *Judge) value() value.Value {
	var b block
	b.text("name", j.Name)
	b.text("model", j.Model)
	b.text("base_url", j.BaseURL)
	b.text("api_key_env", j.APIKeyEnv)
	b.int("concurrency", j.Concurrency)
	if j.Timeout > 0 {
		b.text("timeout", j.Timeout.String())
	}
	b.int("max_tokens", j.MaxTokens)
	b.int("context_tokens", j.ContextTokens)
	if j.Reasoning != nil {
		b.any("reasoning_tokens", value.OfInt(int64(*j.Reasoning)))
	}
	b.number("temperature", j.Temperature)
	b.int64("seed", j.Seed)
	b.text("transport", j.Transport)
	b.int("max_record_chars", j.MaxRecordChars)
	b.int("max_attempts", j.MaxAttempts)
	b.int("requests_per_minute", j.RequestsPerMinute)
	b.text("examples", j.Examples)
	b.text("datamarking", j.Datamarking)
	b.text("score_method", j.ScoreMethod)
	b.int("samples", j.Samples)
	var modes block
	for _, m := range j.VerdictModes {
		modes.text(m.Rubric, m.Mode)
	}
	if len(modes.members) > 0 {
		b.any("verdict_mode", modes.value())
	}
	b.bool("coerce_numbers", j.CoerceNumbers)
	b.bool("ask_always", j.AskAlways)
	b.any("extra", j.Extra)
	b.params("headers", j.Headers)
	b.params("query", j.Query)
	return b.value()
}

func (s *Scorer) value() value.Value {
	var b block
	b.text("type", s.Type)
	b.text("key", s.Key)
	b.text("display_name", s.DisplayName)
	if s.Purpose != "score" {
		b.text("purpose", s.Purpose)
	}
	b.any("metrics", s.Metrics)
	b.text("label", s.Label)
	if s.Config.Len() > 0 {
		b.any("config", s.Config)
	}
	return b.value()
}

func (g *Gate) value() value.Value {
	var b block
	b.text("score", g.Score)
	b.text("judge", g.Judge)
	b.text("reference", g.Reference)
	b.text("by", g.By)
	b.text("tool", g.Tool)
	b.text("against", g.Against)
	b.number("min_pass_rate", g.MinPassRate)
	b.number("min_mean", g.MinMean)
	b.number("min_kappa", g.MinKappa)
	b.number("min_coverage", g.MinCoverage)
	b.number("max_drop", g.MaxDrop)
	b.bool("strict", g.Strict)
	return b.value()
}

// block collects the members of a mapping and leaves out what was not given.
type block struct{ members []value.Member }

func (b *block) value() value.Value { return value.OfObject(b.members...) }

func (b *block) any(key string, v value.Value) {
	if !v.IsNull() {
		b.members = append(b.members, value.Member{Key: key, Value: v})
	}
}

func (b *block) text(key, s string) {
	if s != "" {
		b.any(key, value.OfString(s))
	}
}

func (b *block) texts(key string, list []string) {
	b.list(key, len(list), func(i int) value.Value { return value.OfString(list[i]) })
}

func (b *block) params(key string, list []Param) {
	var all block
	for _, p := range list {
		all.text(p.Name, p.Value)
	}
	if len(list) > 0 {
		b.any(key, all.value())
	}
}

func (b *block) list(key string, n int, at func(int) value.Value) {
	if n == 0 {
		return
	}
	elems := make([]value.Value, n)
	for i := range elems {
		elems[i] = at(i)
	}
	b.any(key, value.OfList(elems...))
}

func (b *block) int(key string, n int) {
	if n != 0 {
		b.any(key, value.OfInt(int64(n)))
	}
}

func (b *block) int64(key string, n *int64) {
	if n != nil {
		b.any(key, value.OfInt(*n))
	}
}

func (b *block) number(key string, f *float64) {
	if f != nil {
		b.any(key, value.OfFloat(*f))
	}
}

func (b *block) bool(key string, set bool) {
	if set {
		b.any(key, value.OfBool(true))
	}
}
