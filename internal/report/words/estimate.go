package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// whyNot says why a number is undefined.
var whyNot = map[string]string{
	"no_items":               "no items",
	"one_class":              "one class only",
	"zero_variance":          "all values are the same",
	"no_chance_disagreement": "both sides have one verdict, the same",
	"too_few":                "too few items",
	"not_applicable":         "not applicable",
	"not_finite":             "the numbers are too large",
	"no_verdicts":            "no verdicts",
	"no_threshold":           "no pass mark",
	"categories":             "categories have no mean",
	"off_scale":              "values off the scale",
	"no_sample":              "the labels are not a random sample",
	"small_j":                "the judge's J is too small or not known well enough",
	"circular":               "the judge was shown the reference",
	"one_cluster":            "one conversation says nothing of others",
	"one_cluster_decides":    "without one of the conversations there is no value",
	"no_disagreement":        "there is no disagreement to estimate an error from",
	"few_rare":               "too little of the rarer class",
	"few_varied":             "nearly all values are the same",
	"no_gold":                "neither side is gold",
	"too_many_values":        "too many different values",
}

// Why says why there is no value, or no interval; "" if there are both, and for a number that never
// has an interval.
func Why(e report.Estimate) string {
	if words, ok := whyNot[e.Reason]; ok {
		return words
	}
	return e.Reason
}

// Estimate returns "0.61 [0.52, 0.70]", or why there is no value or no interval.
func Estimate(e report.Estimate) string {
	if e.Value == nil {
		return "undefined (" + Why(e) + ")"
	}
	return Number(e, 2).String() + noInterval(e)
}

// noInterval says in brackets why there is no interval.
func noInterval(e report.Estimate) string {
	if e.HasInterval() || e.Reason == "" {
		return ""
	}
	return " (no interval: " + Why(e) + ")"
}

// PercentEstimate returns "61.0 % [52.0, 70.0]", or why there is no value or no interval.
func PercentEstimate(e report.Estimate) string {
	if e.Value == nil {
		return "undefined (" + Why(e) + ")"
	}
	return Percent(e, 1).String() + noInterval(e)
}

func level(r *report.Report) string { return Short(100*(1-r.Alpha)) + " %" }

// mean returns an estimate with two decimals.
func mean(e report.Estimate) Cell { return Number(e, 2) }

// kappa returns a kappa with two decimals, with its interval clipped to the possible values.
func kappa(e report.Estimate) Cell { return mean(e.Clipped(-1, 1)) }

// withoutInterval says why some numbers of a table have no interval; "" if all have one.
func withoutInterval(list ...report.Estimate) string {
	var why []string
	for _, e := range list {
		if e.Defined() && !e.HasInterval() && e.Reason != "" && !slices.Contains(why, Why(e)) {
			why = append(why, Why(e))
		}
	}
	if why == nil {
		return ""
	}
	return "no range: " + strings.Join(why, "; ")
}

// rate returns an estimate of a share, with one decimal.
func rate(e report.Estimate) Cell { return Percent(e, 1) }

func whole(e report.Estimate) Cell { return Percent(e, 0) }

func points(e report.Estimate) string {
	if !e.Defined() {
		return None
	}
	return Fixed(100**e.Value, 1) + " points"
}

// difference returns a difference with two decimals, or more if two would show nothing on a small scale.
func difference(e report.Estimate) Cell {
	const digits = 4
	if e.Defined() && *e.Value != 0 && math.Abs(*e.Value) < 0.005 {
		return Number(e, digits)
	}
	return mean(e)
}

// signed returns a difference with its sign.
func signed(e report.Estimate) Cell {
	c := difference(e)
	if e.Defined() && *e.Value > 0 {
		c.Text = "+" + c.Text
	}
	return c
}

// bar draws a share.
func bar(e report.Estimate, class string) Cell {
	if !e.Defined() {
		return Cell{}
	}
	return Cell{Bar: &Bar{Value: *e.Value, Low: e.Low, High: e.High, Class: class}}
}

// by returns a rubric and its judge.
func by(rubric, judge string) string { return Shorten(rubric, 60) + " by " + Shorten(judge, 40) }

// ofN returns "60.0 % of 12".
func ofN(value string, n int) string {
	if n == 0 {
		return None
	}
	return fmt.Sprintf("%s of %d", value, n)
}
