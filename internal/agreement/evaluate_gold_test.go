package agreement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// againstGold returns the statistics that compare a judge with gold labels.
func againstGold(stat string) evaluator {
	switch stat {
	case "binary_metrics":
		return evalBinary
	case "both_rates":
		return evalBothRates
	case "mcc":
		return evalMCC
	case "roc_auc":
		return evalROCAUC
	case "pr_auc":
		return evalPRAUC
	case "brier":
		return evalBrier
	case "ece":
		return evalECE
	case "threshold_search":
		return evalThreshold
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
		get := func(c *count) float64 {
			if c == nil {
				return 0
			}
			return float64(*c)
		}
		m, err = truth.Confusion{TP: get(in.TP), FP: get(in.FP), FN: get(in.FN), TN: get(in.TN)}.Metrics(), nil
	} else {
		m, dropped, err = binary(in.Gold, in.Score, orDefault(par.Threshold, 0.5))
	}
	return Result{
		{"n", m.TP + m.FP + m.FN + m.TN}, {"dropped", dropped}, {"tp", m.TP}, {"fp", m.FP}, {"fn", m.FN}, {"tn", m.TN},
		{"recall", m.Recall}, {"specificity", m.Specificity}, {"balanced_accuracy", m.BalancedAccuracy},
		{"mcc", m.MCC}, {"youden", m.Youden}, {"prevalence", m.Prevalence}, {"predicted_rate", m.PredictedRate},
	}, err
}

func evalROCAUC(input, params json.RawMessage) (Result, error) {
	var in struct {
		Gold, Score column
		Cluster     names
	}
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	a, err := truth.ClusteredAUC(in.Gold, in.Score, nil, in.Cluster.ids(), par.alpha())
	_, dropped := counted(in.Gold, in.Score)
	r := Result{{"n_pos", a.Pos}, {"n_neg", a.Neg}, {"dropped", dropped}, {"auc", a.AUC}, {"cluster_se", a.SE}}
	return r.interval("cluster_low", "cluster_high", a.CI), err
}

// verdicts are gold and a judge by cluster.
type verdicts struct {
	Gold, Judge column
	Cluster     names
}

func evalBothRates(input, params json.RawMessage) (Result, error) {
	var in verdicts
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	b, err := truth.BothRates(in.Gold, in.Judge, nil, in.Cluster.ids(), par.alpha())
	r := Result{{"balanced_accuracy", b.BalancedAccuracy}, {"youden", b.Youden}}
	r = r.interval("balanced_low", "balanced_high", b.BalancedCI)
	return r.interval("youden_low", "youden_high", b.YoudenInterval), err
}

func evalMCC(input, params json.RawMessage) (Result, error) {
	var in verdicts
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	m, err := truth.MCC(in.Gold, in.Judge, nil, in.Cluster.ids(), par.alpha())
	return Result{{"mcc", m.Value}}.jackknifed(m), err
}

func evalPRAUC(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Score column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	average, err := truth.AveragePrecision(in.Gold, in.Score)
	m, dropped, countErr := binary(in.Gold, in.Score, math.Inf(-1))
	return Result{
		{"n_pos", m.TP}, {"n", m.TP + m.FP + m.FN + m.TN}, {"dropped", dropped}, {"average_precision", average}, {"prevalence", m.Prevalence},
	}, errors.Join(err, countErr)
}

// counted returns how many rows of two columns are whole, and how many are dropped.
func counted(a, b []float64) (n, dropped int) {
	kept, dropped, err := stat.Complete(a, b)
	if err != nil {
		return 0, 0
	}
	return len(kept[0]), dropped
}

func evalBrier(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Prob column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	b, err := truth.BrierScore(in.Gold, in.Prob, nil)
	n, dropped := counted(in.Gold, in.Prob)
	return Result{{"n", n}, {"dropped", dropped}, {"brier", b}}, err
}

func evalECE(input, params json.RawMessage) (Result, error) {
	var in struct{ Confidence, Correct column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	o, err := truth.Overconfidence(in.Correct, in.Confidence, nil)
	n, dropped := counted(in.Confidence, in.Correct)
	return Result{{"n", n}, {"dropped", dropped}, {"overconfidence", o}}, err
}

func evalThreshold(input, params json.RawMessage) (Result, error) {
	var in struct{ Gold, Score column }
	par := struct{ Objective string }{}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	objective := map[string]func(truth.Confusion) stat.Opt{"kappa": truth.Kappa, "youden": truth.Youden}[par.Objective]
	if objective == nil {
		return nil, fmt.Errorf("objective %q is neither kappa nor youden", par.Objective)
	}
	t, err := truth.BestThreshold(in.Gold, in.Score, nil, objective)
	_, dropped := counted(in.Gold, in.Score)
	return Result{{"threshold", t.Threshold}, {"value", t.Value}, {"dropped", dropped}}, err
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
	return c.Metrics(), dropped, nil
}
