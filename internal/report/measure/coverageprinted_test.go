package measure_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// printed are the numbers with an interval that reports have, by their key in JSON, with the
// statistic of the page that they are.
var printed = map[string]string{
	"pass_rate": "pass rate, base rate", "pass_rate_a": "pass rate, base rate",
	"pass_rate_b": "pass rate, base rate", "base_rate": "pass rate, base rate",
	"judge_rate": "pass rate, base rate", "error_rate": "pass rate, base rate",
	"coverage": "pass rate, base rate", "rate": "pass rate, base rate", "a": "pass rate, base rate",
	"b": "pass rate, base rate", "abstain": "pass rate, base rate", "as_is": "pass rate, base rate",
	"lowest": "pass rate, base rate", "highest": "pass rate, base rate", "severe": "pass rate, base rate",
	"confidence": "pass rate, base rate", "naive": "pass rate, base rate", "labels_only": "pass rate, base rate",
	"within_one": "pass rate, base rate", "same_category": "pass rate, base rate",
	"agreement": "same verdict", "accuracy": "same verdict", "same_as_majority": "same verdict",
	"recall_wrong":   "recall of failures",
	"recall":         "recall of failures",
	"specificity":    "specificity",
	"precision_fail": "precision of fails",
	"precision_pass": "precision of passes",
	"mean":           "mean rating", "mean_reference": "mean rating", "mean_judge": "mean rating", "bias": "paired difference",
	"delta":                "paired difference",
	"difference_by_youden": "difference divided by J",
	"kappa":                "kappa", "kappa_at_best": "kappa", "kappa_at_declared": "kappa",
	"kappa_categories": "kappa of ratings",
	"kappa_quadratic":  "kappa, quadratic", "weighted_kappa": "kappa, quadratic",
	"ac1":            "AC1",
	"ac_categories":  "AC2, quadratic",
	"fleiss_kappa":   "Fleiss' kappa",
	"alpha_verdicts": "alpha, nominal",
	"alpha":          "alpha, ordinal",
	"alpha_values":   "alpha, interval", "alpha_interval": "alpha, interval",
	"pearson":           "Pearson's r",
	"icc":               "ICC(2,1)",
	"balanced_accuracy": "balanced accuracy",
	"youden":            "Youden's J",
	"mcc":               "MCC",
	"auc":               "AUC of a score",

	"difference_from_best": "J, difference of judges",
	"corrected":            "corrected pass rate (PPI)",
}

// intervals collects the keys of all objects that have both ends of an interval.
func intervals(v any, key string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if v["low"] != nil && v["high"] != nil && v["value"] != nil {
			into[key] = true
		}
		for k, inner := range v {
			intervals(inner, k, into)
		}
	case []any:
		for _, inner := range v {
			intervals(inner, key, into)
		}
	}
}

// Every number that any report prints with an interval is measured on the page.
func TestEveryPrintedIntervalIsMeasured(t *testing.T) {
	found := map[string]bool{}
	collect := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := report.WriteJSON(&text, v); err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(text.Bytes(), &tree); err != nil {
			t.Fatal(err)
		}
		intervals(tree, "", found)
	}
	r := rand.New(rand.NewPCG(1, 1))
	s := simulatedWorld{equal, 0.7, 0.8, shared, size}.draw(r, 150)
	run := reporttest.New(5, 150)
	collect(measure.Build(run.Inputs(), measure.Config{}))
	collect(measure.Build(s.inputs(s.judge), measure.Config{}))
	collect(measure.Compare(run.Inputs(), run.Worse("overall_call_correctness", 1.0/3, 1).Inputs(), measure.Config{}))
	collect(measure.Compare(s.inputs(s.second), s.inputs(s.third), measure.Config{}))
	var rows []measure.LabelRow
	for i := range len(s.gold) / 2 {
		rows = append(rows, measure.LabelRow{ConversationID: conversation(s.cluster[i]), CallIndex: i,
			Whole: labels.VerdictAnswer(s.gold[i] == 1), Sample: measure.RandomSample, Probability: 1, Rank: s.cluster[i] + 1, Seed: 1})
	}
	collect(measure.Calibrate(s.inputs(s.judge), rows, measure.CalibrateConfig{}))
	for _, cfg := range []measure.AgreeConfig{
		{Gold: "gold", Judges: []string{"first", "second"}, Confidence: []string{"sure"}},
		{Gold: "goldrating", Judges: []string{"rating"}, Categories: []string{"1..5"}},
		{Gold: "gold", Judges: []string{"score"}, Threshold: &measure.Cut{Low: 0, High: 99}},
		{Gold: "goldrating", Judges: []string{"score"}, Scale: measure.Interval},
		{Judges: []string{"first", "second", "third"}},
	} {
		cfg.Cluster = "conversation"
		collect(measure.Agree("world", strings.NewReader(s.table()), cfg))
	}
	names := map[string]bool{}
	for _, st := range statistics() {
		names[st.name] = true
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if !names[printed[key]] {
			t.Errorf("%q has an interval and is not on the page", key)
		}
	}
	for key := range printed {
		if !found[key] {
			t.Errorf("%q is no number with an interval any more", key)
		}
	}
}
