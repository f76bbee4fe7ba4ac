package baseline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm/baseline/literal"
)

// scale is one rubric's reading of the findings.
type scale struct {
	low, high float64 // of the figures in Rule
	of        func(*Rule) float64
	graded    bool // each further finding costs a little more
}

// scaleOf picks the figures by the rubric's name; a rubric that is not known is
// read as the overall grade.
func scaleOf(rubric string) scale {
	switch low := strings.ToLower(rubric); {
	case strings.Contains(low, "intent"):
		return scale{1, 5, func(r *Rule) float64 { return r.Intent }, false}
	case strings.Contains(low, "parameter"):
		return scale{1, 5, func(r *Rule) float64 { return r.Parameters }, false}
	case strings.Contains(low, "prerequisite"):
		return scale{0, 1, func(r *Rule) float64 { return r.Prerequisite }, false}
	}
	return scale{0, 1, func(r *Rule) float64 { return r.Overall }, true}
}

// verdict is an answer before it is spelled.
type verdict struct {
	value       float64 // 0..1 on the rubric's own scale
	confidence  float64
	explanation string
	evidence    string
	fix         literal.Node
}

const clean = 0.95 // the overall grade of a call against which no rule speaks

func (g *grader) verdict(rubric string) verdict {
	s := scaleOf(rubric)
	best := s.high
	if s.graded {
		best = clean
	}
	grade := best
	var against []finding
	for _, f := range g.findings {
		if v := s.of(f.rule); v < best {
			against = append(against, f)
			grade = min(grade, v)
		}
	}
	if len(against) == 0 {
		return g.praise((grade - s.low) / (s.high - s.low))
	}
	if s.graded {
		grade = max(grade-0.05*float64(len(against)-1), 0)
	}
	v := verdict{value: (grade - s.low) / (s.high - s.low), confidence: 0.75}
	worst := against[0]
	var reasons []string
	for _, f := range against {
		if s.of(f.rule) < s.of(worst.rule) {
			worst = f
		}
		if f.rule.Overall < 0.3 && f.rule.Prerequisite == 1 { // read off the schema, not guessed
			v.confidence = 0.95
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s): %s.", f.rule.Code, f.rule.Says, f.detail))
	}
	v.explanation = strings.Join(reasons, " ")
	if q := quotable(worst.quote); q != "" {
		v.evidence = `"` + q + `"`
	} else {
		v.evidence = "NONE: " + worst.detail
	}
	if !strings.Contains(rubric, "prerequisite") {
		v.fix = g.fix
	}
	return v
}

func (g *grader) praise(value float64) verdict {
	v := verdict{value: value, confidence: 0.8}
	v.explanation = "Checked by fixed rules: the tool and its arguments are valid, the values are grounded in the conversation, and the history is consistent with the call."
	if q := quotable(g.good); q != "" {
		v.evidence = `"` + q + `"`
	} else if q := quotable(g.call.name); q != "" {
		v.evidence = `"` + q + `"`
	} else {
		v.evidence = "NONE: nothing speaks against the call"
	}
	return v
}

// quotable returns the longest run of s, near its beginning, that may stand
// between double quotes as it is: no quotes, no line breaks, whole words.
func quotable(s string) string {
	const reach, most = 400, 100
	if len(s) > reach {
		s = strings.ToValidUTF8(s[:reach], "")
		if i := strings.LastIndexByte(s, ' '); i > 0 {
			s = s[:i]
		}
	}
	best := ""
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("\"\n\r\t\\“”«»", r) || r == utf8.RuneError }) {
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

// plain makes a value fit for prose: one short line without quote characters.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune("\"'`“”«»‘’", r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return clip(strings.TrimSpace(s), 60)
}

// clip cuts to n runes.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

// spell writes the verdict as a JSON object that fits the answer's schema, in the
// schema's order of properties.
func (v verdict) spell(schema *literal.Node) []byte {
	props := schema.Get("properties")
	if !props.Is(literal.Object) || len(props.Keys) == 0 {
		props = &literal.Node{Kind: literal.Object}
		for _, k := range []string{"explanation", "evidence", "output", "confidence", "correction"} {
			props.Keys, props.List = append(props.Keys, k), append(props.List, literal.Node{Kind: literal.Object})
		}
	}
	b := []byte{'{'}
	for i, k := range props.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(literal.AppendString(b, k), ':')
		p := &props.List[i]
		switch k {
		case "explanation":
			b = literal.AppendString(b, clip(v.explanation, limitOf(p)))
		case "evidence":
			b = literal.AppendString(b, clip(v.evidence, limitOf(p)))
		case "output":
			b = appendNumber(b, p, v.value)
		case "confidence":
			b = appendNumber(b, p, v.confidence)
		case "correction":
			b = v.appendFix(b, p)
		default:
			b = appendInstance(b, p, 0)
		}
	}
	return append(b, '}')
}

func limitOf(p *literal.Node) int {
	if f, ok := p.Get("maxLength").Float(); ok && f >= 0 && f < 1e6 {
		return int(f)
	}
	return 1000
}

// appendNumber maps a share (0..1) onto the bounds that a schema gives. An
// integer is rounded half up.
func appendNumber(b []byte, p *literal.Node, share float64) []byte {
	low, high := 0.0, 1.0
	if f, ok := p.Get("minimum").Float(); ok {
		low = f
	}
	if f, ok := p.Get("maximum").Float(); ok && f >= low {
		high = f
	} else if high < low {
		high = low
	}
	x := low + share*(high-low)
	if strings.EqualFold(p.Get("type").Str(), "integer") {
		return strconv.AppendInt(b, int64(min(math.Floor(x+0.5), high)), 10)
	}
	return strconv.AppendFloat(b, math.Round(x*1e4)/1e4, 'f', -1, 64)
}

func (v verdict) appendFix(b []byte, p *literal.Node) []byte {
	fix := []byte("{}")
	if v.fix.Kind == literal.Object {
		fix = literal.Append(nil, &v.fix)
	}
	if p.Get("type").Str() == "string" {
		return literal.AppendString(b, string(fix))
	}
	return append(b, fix...)
}

// appendInstance writes some small value that fits a schema.
func appendInstance(b []byte, p *literal.Node, depth int) []byte {
	if c := p.Get("const"); c != nil {
		return literal.Append(b, c)
	}
	if e := p.Get("enum"); e.Is(literal.Array) && len(e.List) > 0 {
		return literal.Append(b, &e.List[0])
	}
	t := p.Get("type")
	if t.Is(literal.Array) && len(t.List) > 0 {
		t = &t.List[0]
	}
	switch t.Str() {
	case "string":
		n := 0
		if f, ok := p.Get("minLength").Float(); ok {
			n = int(min(max(f, 0), 1000))
		}
		return literal.AppendString(b, strings.Repeat("x", n))
	case "integer", "number":
		return appendNumber(b, p, 0)
	case "boolean":
		return append(b, "false"...)
	case "array":
		return append(b, "[]"...)
	case "null":
		return append(b, "null"...)
	}
	b = append(b, '{')
	if props := p.Get("properties"); props.Is(literal.Object) && depth < 8 {
		for i, k := range props.Keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(literal.AppendString(b, k), ':')
			b = appendInstance(b, &props.List[i], depth+1)
		}
	}
	return append(b, '}')
}
