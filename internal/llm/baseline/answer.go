package baseline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// scale maps the findings to the grades of one rubric.
type scale struct {
	low, high float64 // the lowest and highest grade of the rubric
	best      float64 // the grade of a call if no rule fired
	of        func(*rule) float64
	step      float64 // what each further finding costs
}

// The built-in rubrics. The baseline has rules for these only.
const (
	intent       = "function_intent_alignment"
	completeness = "parameter_completeness_consistency"
	prerequisite = "prerequisite_satisfaction"
	overall      = "overall_call_correctness"
)

// HasRules reports whether the baseline can grade by the rubric with this name. It can for the four
// built-in rubrics.
func HasRules(rubric string) bool {
	_, ok := scaleOf(rubric)
	return ok
}

// scaleOf returns the scale of a rubric; ok is false if no rule has a grade for it.
func scaleOf(rubric string) (s scale, ok bool) {
	switch rubric {
	case intent:
		return scale{1, 5, 5, func(r *rule) float64 { return r.intent }, 0}, true
	case completeness:
		return scale{1, 5, 5, func(r *rule) float64 { return r.parameters }, 0}, true
	case prerequisite:
		return scale{0, 1, 1, func(r *rule) float64 { return r.prerequisite }, 0}, true
	case overall:
		return scale{0, 1, clean, func(r *rule) float64 { return r.overall }, 0.05}, true
	}
	return scale{}, false
}

// verdict holds the parts of an answer before it becomes JSON.
type verdict struct {
	value       float64 // 0..1, a share of the rubric's own scale
	confidence  float64
	explanation string
	evidence    string
	fix         value.Value
}

const clean = 0.95 // the overall grade of a call against which no rule fired

func (g *grader) verdict(rubric string) verdict {
	s, _ := scaleOf(rubric)
	confidence := 0.75
	var worst *finding
	var reasons []string
	for i := range g.findings {
		f := &g.findings[i]
		figure := s.of(&f.rule)
		if figure >= s.best {
			continue
		}
		if worst == nil || figure < s.of(&worst.rule) {
			worst = f
		}
		if f.overall < 0.3 && f.prerequisite == 1 { // read off the schema, not guessed
			confidence = 0.95
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s): %s.", f.code, f.fault, f.detail))
	}
	if worst == nil {
		return verdict{
			value: (s.best - s.low) / (s.high - s.low), confidence: 0.8,
			explanation: "Checked by fixed rules: the tool and its arguments are valid, the values are grounded in the " +
				"conversation, and the history is consistent with the call.",
			evidence: evidence("no rule found a fault in the call", g.good, g.call.name),
		}
	}
	grade := max(s.of(&worst.rule)-s.step*float64(len(reasons)-1), s.low)
	v := verdict{
		value: (grade - s.low) / (s.high - s.low), confidence: confidence,
		explanation: strings.Join(reasons, " "), evidence: evidence(worst.detail, worst.quote),
	}
	if rubric != prerequisite {
		v.fix = g.fix
	}
	return v
}

// evidence quotes the first text that can be quoted, else it returns "NONE: " and otherwise.
func evidence(otherwise string, texts ...string) string {
	for _, text := range texts {
		if q := quotable(text); q != "" {
			return `"` + q + `"`
		}
	}
	return "NONE: " + otherwise
}

// quotable returns the longest run of s, near its beginning, that can stand between double quotes
// unchanged: no quotes, no line breaks, whole words only.
func quotable(s string) string {
	const reach, most = 400, 100
	if len(s) > reach {
		s = strings.ToValidUTF8(s[:reach], "")
		if i := strings.LastIndexByte(s, ' '); i > 0 {
			s = s[:i]
		}
	}
	best, breaks := "", func(r rune) bool { return strings.ContainsRune("\"\n\r\t\\“”«»", r) || r == utf8.RuneError }
	for part := range strings.FieldsFuncSeq(s, breaks) {
		part = strings.TrimSpace(part)
		if len(part) > most {
			i := strings.LastIndexByte(part[:most], ' ')
			if i <= 0 {
				continue
			}
			part = part[:i]
		}
		if len(part) > len(best) {
			best = part
		}
	}
	for range words(best) {
		return best // it has a word
	}
	return ""
}

// plain renders a value for prose: one short line without quote characters.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune("\"'`“”«»‘’", r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return clip(strings.TrimSpace(s), 60)
}

// clip shortens a text to n runes.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

// answer returns the verdict as an object. It has those properties of the answer's schema that a
// judge can fill, in the schema's order.
func (v verdict) answer(schema value.Value) value.Value {
	var members []value.Member
	add := func(key string, v value.Value) { members = append(members, value.Member{Key: key, Value: v}) }
	for key, p := range schema.Field("properties").Members() {
		switch key {
		case "explanation":
			add(key, value.OfString(clip(v.explanation, limitOf(p))))
		case "evidence":
			add(key, value.OfString(clip(v.evidence, limitOf(p))))
		case "output":
			add(key, number(p, v.value))
		case "confidence":
			add(key, number(p, v.confidence))
		case "correction":
			fix := v.fix
			if fix.IsNull() {
				fix = value.OfObject()
			}
			add(key, fix)
		}
	}
	return value.OfObject(members...)
}

func limitOf(p value.Value) int {
	if f, ok := p.Field("maxLength").Float64(); ok && f >= 0 && f < 1e6 {
		return int(f)
	}
	return 1000
}

// number maps a share (0..1) onto the schema's range. Integers are rounded half up.
func number(p value.Value, share float64) value.Value {
	low, high := 0.0, 1.0
	if f, ok := p.Field("minimum").Float64(); ok {
		low = f
	}
	if f, ok := p.Field("maximum").Float64(); ok && f >= low {
		high = f
	} else if high < low {
		high = low
	}
	x := low + share*(high-low)
	if strings.EqualFold(p.Field("type").Text(), "integer") {
		return value.OfInt(int64(min(math.Floor(x+0.5), high)))
	}
	return value.OfNumber(strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64))
}
