package planted

import (
	"regexp"
	"strings"
)

// natural is the number of failing calls that the natural weights count as, in addition to the user's.
const natural = 10

// Failures counts failing calls with the same reason: its kind, the wrong parameter and a message,
// as in a report. Parameter and Message may be "".
type Failures struct {
	Kind, Parameter, Message string
	Count                    int
}

// kinds says, by words in the reason, which operator plants such a failure; the first match counts.
var kinds = []struct {
	operator string
	words    *regexp.Regexp
}{
	{"", regexp.MustCompile(`unpars|cannot be read|: arguments\b|python_literal`)},
	{"duplicate_call", regexp.MustCompile(`repeat|duplicate|redundant|wasted`)},
	{"premature_call", regexp.MustCompile(`premature|prerequisite|guess|unconfirmed|confirm|too early`)},
	{"unwanted_call", regexp.MustCompile(`unwanted|unneeded|unnecessary|relevance|several_changes|ignores_error`)},
	{"swapped_values", regexp.MustCompile(`swap`)},
	{"wrong_tool", regexp.MustCompile(`tool\b|: name\b|function.?name|(wrong|unknown).?(tool|function)|intent`)},
	{"missing_required", regexp.MustCompile(`required|missing|lacks|omitted`)},
	{"invented_parameter", regexp.MustCompile(`additionalproperties|extra:|unexpected|invented|unknown.?(arg|param)`)},
	{"wrong_type", regexp.MustCompile(`type\b|type_`)},
	{"wrong_unit", regexp.MustCompile(`unit\b|units\b|currency|date\b`)},
	{"wrong_value", regexp.MustCompile(`value|enum|const\b|pattern|format|minimum|maximum|ground|parameter|argument`)},
}

// operator returns the operator that plants such failures; "" if none does. If a parameter is wrong
// in an unnamed way, it is a wrong value.
func (f *Failures) operator() string {
	for _, text := range []string{f.Kind, f.Message} {
		for _, k := range kinds {
			if k.words.MatchString(strings.ToLower(text)) {
				return k.operator
			}
		}
	}
	if f.Parameter != "" {
		return "wrong_value"
	}
	return ""
}

// Weights holds the share of all faults that each operator represents.
type Weights struct {
	// Failures counts the user's failing calls from which the shares come, Unlike the failing calls
	// that no operator plants.
	Failures, Unlike int
	// Share is by operator.
	Share map[string]float64
}

// WeightsOf returns the weights of operators from a user's failing calls. The natural weights count
// as ten more calls, so that every operator keeps some weight.
func WeightsOf(list []Failures) *Weights {
	out := &Weights{Share: map[string]float64{}}
	for i := range list {
		if name := list[i].operator(); name != "" {
			out.Share[name] += float64(list[i].Count)
			out.Failures += list[i].Count
		} else {
			out.Unlike += list[i].Count
		}
	}
	sum := 0.0
	for _, o := range Operators() {
		sum += o.Weight
	}
	for _, o := range Operators() {
		out.Share[o.Name] = (out.Share[o.Name] + natural*o.Weight/sum) / float64(out.Failures+natural)
	}
	return out
}
