package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/report/document"
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
	return document.Number(e.Value, e.Low, e.High, 2).String()
}

// Percent prints "61.0 %", with ends "61.0 % [52.0, 70.0]", or why there is no
// value.
func (e Estimate) Percent(ends bool) string {
	if e.Value == nil {
		return "undefined (" + e.Why() + ")"
	}
	c := document.Percent(e.Value, e.Low, e.High, 1)
	if !ends {
		return c.Text
	}
	return c.String()
}

func clipAll(names []string, most int) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = document.Shorten(n, 60)
	}
	return document.Some(out, most)
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
