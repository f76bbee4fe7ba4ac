package agreement

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// againstGold are the statistics that compare a judge with gold labels.
func againstGold(stat string) evaluator {
	switch stat {
	case "binary_metrics":
		return evalBinary
	case "roc_auc":
		return evalROCAUC
	case "delong_paired":
		return evalDeLong
	case "pr_auc":
		return evalPRAUC
	case "brier":
		return evalBrier
	case "ece":
		return evalECE
	case "threshold_search":
		return evalThreshold
	case "isotonic":
		return evalIsotonic
	case "platt":
		return evalPlatt
	}
	return nil
}

func evalBinary(input, params json.RawMessage) (Result, error) {
	var in struct {
		Gold, Score    column
		TP, FP, FN, TN *count
	}
	var par struct {
		Threshold *float64 `json:"threshold"`
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	var m truth.BinaryMetrics
	var dropped int
	var err error
	if in.TP != nil || in.FP != nil || in.FN != nil || in.TN != nil {
		get := func(c *count) int {
			if c == nil {
				return 0
			}
			return int(*c)
		}
		m, err = truth.Confusion{TP: get(in.TP), FP: get(in.FP), FN: get(in.FN), TN: get(in.TN)}.Metrics()
	} else {
		m, dropped, err = binary(in.Gold, in.Score, orDefault(par.Threshold, 0.5))
	}
	return Result{
		{"n", m.N()}, {"dropped", dropped}, {"tp", m.TP}, {"fp", m.FP}, {"fn", m.FN}, {"tn", m.TN},
		{"accuracy", m.Accuracy}, {"precision", m.Precision}, {"recall", m.Recall}, {"f1", m.F1},
		{"specificity", m.Specificity}, {"npv", m.NPV}, {"balanced_accuracy", m.BalancedAccuracy},
		{"mcc", m.MCC}, {"youden", m.Youden}, {"prevalence", m.Prevalence}, {"predicted_rate", m.PredictedRate},
	}, err
}

func evalROCAUC(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Score column }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	a, err := truth.ROCAUC(in.Gold, in.Score, par.alpha())
	r := Result{{"n_pos", a.Pos}, {"n_neg", a.Neg}, {"dropped", a.Dropped}, {"auc", a.AUC}, {"se", a.SE}}
	return r.interval("ci_low", "ci_high", a.CI), err
}

func evalDeLong(input, params json.RawMessage) (Result, error) {
	var in struct {
		Gold column
		A    column `json:"score_a"`
		B    column `json:"score_b"`
	}
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	d, err := truth.DeLongPaired(in.Gold, in.A, in.B)
	return Result{
		{"auc_a", d.AUCA}, {"auc_b", d.AUCB}, {"diff", d.Diff}, {"se", d.SE}, {"z", d.Z}, {"p", d.P}, {"dropped", d.Dropped},
	}, err
}

func evalPRAUC(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Score column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	p, err := truth.PrecisionRecall(in.Gold, in.Score)
	return Result{
		{"n_pos", p.Pos}, {"n", p.N}, {"dropped", p.Dropped}, {"average_precision", p.AveragePrecision},
		{"auc_trapezoid", p.Trapezoid}, {"prevalence", p.Prevalence},
	}, err
}

func evalBrier(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Prob column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	b, err := truth.BrierScore(in.Gold, in.Prob)
	return Result{
		{"n", b.N}, {"dropped", b.Dropped}, {"brier", b.Brier}, {"log_loss", b.LogLoss}, {"skill", b.Skill},
		{"reliability", b.Reliability}, {"resolution", b.Resolution}, {"uncertainty", b.Uncertainty},
	}, err
}

func evalECE(input, params json.RawMessage) (Result, error) {
	var in struct{ Confidence, Correct column }
	par := struct {
		Bins     count
		Strategy truth.BinStrategy
	}{10, truth.UniformBins}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	e, err := truth.CalibrationError(in.Confidence, in.Correct, int(par.Bins), par.Strategy)
	bins := make([]Result, len(e.Bins))
	for i, b := range e.Bins {
		bins[i] = Result{{"bin", b.Bin}, {"n", b.N}, {"confidence", stat.Some(b.Confidence)}, {"accuracy", stat.Some(b.Accuracy)}}
	}
	return Result{
		{"n", e.N}, {"dropped", e.Dropped}, {"ece", e.ECE}, {"mce", e.MCE}, {"overconfidence", e.Overconfidence}, {"bins", bins},
	}, err
}

func evalThreshold(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Score column }
	par := struct {
		Objective    truth.Objective
		MinPrecision *float64 `json:"min_precision"`
		CostFP       *float64 `json:"cost_fp"`
		CostFN       *float64 `json:"cost_fn"`
	}{Objective: truth.ObjectiveF1}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	t, err := truth.BestThreshold(in.Gold, in.Score, truth.ThresholdSearch{
		Objective: par.Objective, MinPrecision: par.MinPrecision,
		CostFP: orDefault(par.CostFP, 1), CostFN: orDefault(par.CostFN, 1),
	})
	return Result{
		{"threshold", t.Threshold}, {"value", t.Value}, {"predicted_pass", t.PredictedPass},
		{"candidates", t.Candidates}, {"dropped", t.Dropped},
	}, err
}

func evalIsotonic(input, params json.RawMessage) (Result, error) {
	var in struct{ X, Y, W, Query column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	f, err := truth.FitIsotonic(in.X, in.Y, in.W)
	if err != nil {
		return nil, err
	}
	return Result{{"fit", predictAll(f.Predict, in.X)}, {"predict", predictAll(f.Predict, in.Query)}}, nil
}

func evalPlatt(input, params json.RawMessage) (Result, error) {
	var in struct{ Score, Gold, Query column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	f, err := truth.FitPlatt(in.Score, in.Gold)
	return Result{{"a", f.A}, {"b", f.B}, {"predict", predictAll(f.Predict, in.Query)}}, err
}

func predictAll(predict func(float64) stat.Opt, x []float64) []stat.Opt {
	out := make([]stat.Opt, len(x))
	for i, v := range x {
		out[i] = predict(v)
	}
	return out
}

// binary counts gold against a score that passes from the threshold on.
func binary(gold, score []float64, threshold float64) (m truth.BinaryMetrics, dropped int, err error) {
	kept, dropped, err := stat.Complete(gold, score)
	if err != nil {
		return m, 0, err
	}
	var c truth.Confusion
	for i, g := range kept[0] {
		switch passes := kept[1][i] >= threshold; {
		case stat.IsPass(g) && passes:
			c.TP++
		case stat.IsPass(g):
			c.FN++
		case passes:
			c.FP++
		default:
			c.TN++
		}
	}
	m, err = c.Metrics()
	return m, dropped, err
}
