package agreement

import (
	"encoding/json"
	"fmt"
)

// evaluator computes one named statistic from JSON.
type evaluator func(input, params json.RawMessage) (Result, error)

// Evaluate computes the statistic named stat from an input and a params object,
// both JSON; absent params mean the defaults, among them alpha 0.05. The result
// lists its fields in a fixed order; undefined values are null in it. Malformed
// input and unknown names are errors; no input makes it panic or return a number
// that is not finite. See [Statistics] for the names.
func Evaluate(stat string, input, params json.RawMessage) (Result, error) {
	e := evaluatorOf(stat)
	if e == nil {
		return nil, fmt.Errorf("statistic %q is not known", stat)
	}
	r, err := e(input, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stat, err)
	}
	return r, nil
}

// Statistics lists the names Evaluate knows.
func Statistics() []string {
	return []string{
		"binary_metrics", "cohen_kappa", "gwet_ac", "krippendorff_alpha", "fleiss_kappa",
		"both_rates", "mcc", "roc_auc", "pr_auc", "brier", "ece", "threshold_search",
		"correlation", "continuous_agreement", "icc", "test_retest",
		"dawid_skene", "proportion_ci", "mcnemar", "cluster_se",
		"resample_indices", "multiple_testing",
		"ppi_cluster",
		"geval_score", "self_consistency", "panel_aggregate", "verdict",
		"evidence_grounding", "correction_check", "rubric_consistency",
		"distributions",
	}
}

func evaluatorOf(stat string) evaluator {
	for _, family := range []func(string) evaluator{againstGold, betweenRaters, ratesAndClusters, qualityEstimates, oneAnswer} {
		if e := family(stat); e != nil {
			return e
		}
	}
	return nil
}
