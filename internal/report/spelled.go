package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reasons say in words why a number is undefined.
var reasons = map[string]string{
	"no_items":               "no items",
	"one_class":              "one class only",
	"zero_variance":          "all values are the same",
	"no_chance_disagreement": "both sides have one verdict, the same",
	"too_few":                "too few items",
	"not_applicable":         "not applicable",
	"not_finite":             "the numbers are too large",
	"no_verdicts":            "no verdicts",
	"no_threshold":           "no pass mark",
	"off_scale":              "values off the scale",
	"circular":               "the judge was shown the reference",
}

// Why says in words why there is no value, "" where there is one.
func (e Estimate) Why() string {
	if e.Value != nil {
		return ""
	}
	if words, ok := reasons[e.Reason]; ok {
		return words
	}
	return e.Reason
}

// Doubt says of a kappa without an interval why it has none: its standard error is 0
// where nothing varies. It is "" where there is an interval, or another reason.
func (e Estimate) Doubt() string {
	switch {
	case e.Value == nil || e.HasInterval():
		return ""
	case *e.Value == 1:
		return "no disagreement to estimate an error from"
	case *e.Value == 0:
		return "one verdict"
	}
	return ""
}

// Doubt says why the row's kappa has no interval, "" where it has one or is undefined.
func (row *AgreementRow) Doubt() string {
	c := row.Confusion
	pass, right := c.BothPass+c.JudgeOnlyPass, c.BothPass+c.JudgeOnlyFail
	switch {
	case !row.Kappa.Defined() || row.Kappa.HasInterval():
		return ""
	case row.Conversations < 2:
		return "one conversation"
	case c.JudgeOnlyPass+c.JudgeOnlyFail == 0:
		return "no disagreement to estimate an error from"
	case pass == 0 || pass == row.Verdicts || right == 0 || right == row.Verdicts:
		return "one verdict"
	}
	return ""
}

// KappaWords is the row's kappa, clipped for display, with the doubt where it has no
// interval.
func (row *AgreementRow) KappaWords() string {
	text := row.Kappa.Clipped(-1, 1).String()
	if doubt := row.Doubt(); doubt != "" {
		text += " (" + doubt + ")"
	}
	return text
}

// Kappa is String, with the doubt about a kappa that has no interval.
func (e Estimate) Kappa() string {
	if doubt := e.Doubt(); doubt != "" {
		return e.String() + " (" + doubt + ")"
	}
	return e.String()
}

// String prints "0.61 [0.52, 0.70]", or why there is no value.
func (e Estimate) String() string {
	if e.Value == nil {
		return "undefined (" + e.Why() + ")"
	}
	text := fixed(*e.Value)
	if e.HasInterval() {
		text += " [" + fixed(*e.Low) + ", " + fixed(*e.High) + "]"
	}
	return text
}

// Percent prints "61.0 %", with ends "61.0 % [52.0, 70.0]", or why there is no
// value.
func (e Estimate) Percent(ends bool) string {
	if e.Value == nil {
		return "undefined (" + e.Why() + ")"
	}
	text := strconv.FormatFloat(100**e.Value, 'f', 1, 64) + " %"
	if ends && e.HasInterval() {
		text += fmt.Sprintf(" [%.1f, %.1f]", 100**e.Low, 100**e.High)
	}
	return text
}

func fixed(f float64) string {
	text := strconv.FormatFloat(f, 'f', 2, 64)
	if text == "-0.00" {
		return "0.00"
	}
	return text
}

// Count is a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func clipAll(names []string, most int) []string {
	out := make([]string, 0, most)
	for i, n := range names {
		if i == most {
			return append(out, fmt.Sprintf("and %d more", len(names)-most))
		}
		out = append(out, Clip(n, 60))
	}
	return out
}

// Clip shortens text from a log to max characters and says so; invalid bytes become
// U+FFFD. The result is a copy: the text of a score shares the memory of its line.
func Clip(text string, max int) string {
	if len(text) <= max {
		return strings.Clone(strings.ToValidUTF8(text, "\uFFFD"))
	}
	n, at := 0, len(text)
	for i := range text {
		if n == max {
			at = i
			break
		}
		n++
	}
	out := strings.Clone(strings.ToValidUTF8(text[:at], "\uFFFD"))
	if at == len(text) {
		return out
	}
	return fmt.Sprintf("%s… (%d more characters)", out, utf8.RuneCountInString(text[at:]))
}
