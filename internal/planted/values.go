package planted

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The doses of wrong_value, from the easiest to find.
const (
	doseRandom     = "random"
	doseUngrounded = "ungrounded" // well-formed, and nowhere in the record
	doseEntity     = "entity"     // of another thing in the same record
)

// wrongValue replaces a value that is in the record, in three doses.
func wrongValue(s *site) (out []Variant) {
	for _, dose := range []struct {
		name string
		of   func(*site, spot) []value.Value
	}{{doseRandom, randomValues}, {doseUngrounded, ungroundedValues}, {doseEntity, otherEntities}} {
		out = append(out, s.firstOf(dose.name, dose.of)...)
	}
	return out
}

// firstOf returns the first mutant for a dose.
func (s *site) firstOf(dose string, of func(*site, spot) []value.Value) []Variant {
	for _, p := range s.grounded(dose) {
		for _, v := range of(s, p) {
			plan := Plan{Kind: Mutant, Dose: dose, Parameter: p.key, Was: p.text(), Is: plainText(v)}
			if dose != doseEntity && occurs(s.record, plan.Is) {
				s.refuse("the value stands in the record")
				continue
			}
			if out := s.changed(plan, s.call.Name, s.with(p, v), true); out != nil {
				return out
			}
		}
	}
	return nil
}

// randomValues returns values of the same type that make no sense.
func randomValues(s *site, p spot) []value.Value {
	if p.v.IsNumber() {
		return []value.Value{value.OfInt(int64(1_000_003 + s.choose("number", 8_000_000)))}
	}
	text := make([]byte, 8)
	for i := range text {
		text[i] = "bcdfghjklmnpqrstvwxz"[s.choose(fmt.Sprint("letter", i), 20)]
	}
	return []value.Value{value.OfString(string(text))}
}

// ungroundedValues returns values that look like the right one, with other digits.
func ungroundedValues(s *site, p spot) (out []value.Value) {
	if i, ok := p.v.Int64(); ok && p.v.IsNumber() && i < 1000 {
		for step := range int64(4) {
			out = append(out, value.OfInt(i+1+step))
		}
		return out
	}
	text := p.text()
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return nil
	}
	for try := range 3 {
		digits := s.otherDigits(text, fmt.Sprint("digits", try))
		if p.v.IsNumber() {
			out = append(out, value.OfNumber(digits))
		} else {
			out = append(out, value.OfString(digits))
		}
	}
	return out
}

// otherDigits replaces the digits of a text; a first digit stays above 0.
func (s *site) otherDigits(text, purpose string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return r
		}
		n++
		return '1' + (r-'0'+rune(s.choose(fmt.Sprint(purpose, n), 8)))%9
	}, text)
}

// otherEntities returns values of other things in the record: those under the same key of a tool's
// result, and words with the same form.
func otherEntities(s *site, p spot) (out []value.Value) {
	keys, messages := map[string]bool{p.key: true}, s.c.Messages[:s.call.Message]
	results := func(visit func(key string, v value.Value)) {
		for i := range messages {
			if messages[i].Role == transcript.ToolRole {
				for key, v := range messages[i].Output.Leaves() {
					visit(key, v)
				}
			}
		}
	}
	results(func(key string, v value.Value) {
		if key != "" && value.Equal(v, p.v) {
			keys[key] = true
		}
	})
	add := func(v value.Value) {
		same := p.v.IsNumber() && v.IsNumber() || v.Kind() == p.v.Kind()
		if same && !similar(v, p.v) && !slices.ContainsFunc(out, func(o value.Value) bool { return value.Equal(o, v) }) {
			out = append(out, v)
		}
	}
	results(func(key string, v value.Value) {
		if keys[key] {
			add(v)
		}
	})
	if form := formOf(p.text()); p.v.Kind() == value.String && strings.Contains(form, "9") {
		for i := range messages {
			for _, word := range strings.FieldsFunc(messages[i].Content, func(r rune) bool {
				return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;()[]{}<>*", r)
			}) {
				if word = strings.TrimRight(word, ".:!?"); formOf(word) == form {
					add(value.OfString(word))
				}
			}
		}
	}
	return shuffled(s, "entity", out)
}

// formOf returns a text with 9 for each run of digits and a for each run of letters.
func formOf(text string) string {
	var out []rune
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if len(out) == 0 || out[len(out)-1] != r || r != '9' && r != 'a' {
			out = append(out, r)
		}
	}
	return string(out)
}

var (
	dateText = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)
	amounts  = regexp.MustCompile(`(?i)(^|_)(amount|price|cost|total|fee|budget|weight|distance|duration|minutes|hours|` +
		`seconds|days|km|miles|length|width|height|radius|speed|temperature|size|mass|force|pressure|volume|area)($|_)`)
	unitNames = regexp.MustCompile(`(?i)(^|_)(unit|units|currency|scale)($|_)`)
)

// wrongUnit shifts a date by a month or a year, multiplies an amount as a wrong unit would, or
// names another unit.
func wrongUnit(s *site) []Variant {
	for _, p := range shuffled(s, "unit", s.spots()) {
		for _, other := range s.otherUnits(p) {
			if occurs(s.record, plainText(other)) {
				s.refuse("the value stands in the record")
				continue
			}
			plan := Plan{Kind: Mutant, Parameter: p.key, Was: p.text(), Is: plainText(other)}
			if out := s.changed(plan, s.call.Name, s.with(p, other), true); out != nil {
				return out
			}
		}
	}
	return nil
}

func (s *site) otherUnits(p spot) (out []value.Value) {
	if at := dateText.FindStringIndex(p.text()); p.v.Kind() == value.String && at != nil {
		day, err := time.Parse(time.DateOnly, p.text()[at[0]:at[1]])
		if err != nil {
			return nil
		}
		for _, shifted := range shuffled(s, "date", []time.Time{day.AddDate(0, 1, 0), day.AddDate(1, 0, 0)}) {
			text := p.text()[:at[0]] + shifted.Format(time.DateOnly) + p.text()[at[1]:]
			out = append(out, value.OfString(text))
		}
		return out
	}
	if x, ok := p.v.Float64(); ok && x != 0 && amounts.MatchString(p.key) {
		for _, factor := range []float64{100, 1000, 60} {
			if i, whole := p.v.Int64(); whole && p.v.Kind() == value.Int {
				out = append(out, value.OfInt(i*int64(factor)))
			} else {
				out = append(out, value.OfFloat(x*factor))
			}
		}
	}
	if unitNames.MatchString(p.key) && s.tool != nil {
		for _, e := range s.tool.Parameters.Field("properties").Field(p.key).Field("enum").Elements() {
			out = append(out, e)
		}
	}
	return out
}
