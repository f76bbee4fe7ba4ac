package agreement

import (
	"encoding/json"
	"math"

	"github.com/judgekit/judge/internal/agreement/quality"
	"github.com/judgekit/judge/internal/agreement/statistic"
)

// qualityEstimates are the statistics of the agent's true quality and of what
// to label next.
func qualityEstimates(stat string) evaluator {
	switch stat {
	case "ppi_mean":
		return evalPPI
	case "ppi_stratified":
		return evalPPIStratified
	case "ppi_cluster":
		return evalPPICluster
	case "active_mean":
		return evalActive
	case "labeling_probabilities":
		return evalLabeling
	case "rogan_gladen":
		return evalRogan
	case "disagreement_rank":
		return evalQueue
	}
	return nil
}

type ppiParams struct {
	alphaParam
	Lambda *lambda
}

func (p ppiParams) lambda() float64 {
	if p.Lambda == nil {
		return quality.AutoLambda
	}
	return float64(*p.Lambda)
}

func evalPPI(input, params json.RawMessage) (Result, error) {
	var in struct {
		Y, Yhat   column
		Unlabeled column `json:"yhat_unlabeled"`
	}
	var par ppiParams
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	p, err := quality.PPIMean(in.Y, in.Yhat, in.Unlabeled, par.lambda(), par.alpha())
	r := Result{{"estimate", p.Estimate}, {"se", p.SE}}
	r = r.interval("ci_low", "ci_high", p.CI)
	r = append(r, Field{"lambda", p.Lambda}, Field{"rectifier", p.Rectifier}, Field{"judge_only", p.JudgeOnly},
		Field{"classical", p.Classical}, Field{"classical_se", p.ClassicalSE})
	return r.interval("classical_ci_low", "classical_ci_high", p.ClassicalCI), err
}

func evalPPIStratified(input, params json.RawMessage) (Result, error) {
	var in struct{ Strata json.RawMessage }
	var par ppiParams
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	var strata []quality.PPIStratum
	err := members(in.Strata, func(name string, raw json.RawMessage) error {
		var s struct {
			Y, Yhat   column
			Unlabeled column `json:"yhat_unlabeled"`
			Weight    *float64
		}
		err := json.Unmarshal(raw, &s)
		strata = append(strata, quality.PPIStratum{Name: name, Y: s.Y, Yhat: s.Yhat, Unl: s.Unlabeled, Weight: s.Weight})
		return err
	})
	if err != nil {
		return nil, err
	}
	p, err := quality.PPIStratify(strata, par.lambda(), par.alpha())
	return Result{{"estimate", p.Estimate}, {"se", p.SE}}.interval("ci_low", "ci_high", p.CI), err
}

func evalPPICluster(input, params json.RawMessage) (Result, error) {
	var in struct {
		Y, Yhat          column
		Cluster          names
		Unlabeled        column `json:"yhat_unlabeled"`
		UnlabeledCluster names  `json:"cluster_unlabeled"`
	}
	var par ppiParams
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	p, err := quality.PPIClustered(in.Y, in.Yhat, statistic.ClusterIDs(in.Cluster), in.Unlabeled, statistic.ClusterIDs(in.UnlabeledCluster), par.lambda(), par.alpha())
	r := Result{{"estimate", p.Estimate}, {"se", p.SE}}
	r = r.interval("ci_low", "ci_high", p.CI)
	return append(r, Field{"n_clusters_labeled", p.LabeledClusters}, Field{"n_clusters_unlabeled", p.UnlabeledClusters}), err
}

func evalActive(input, params json.RawMessage) (Result, error) {
	var in struct{ Y, Yhat, Pi column }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	a, err := quality.EstimateActive(in.Y, in.Yhat, in.Pi, par.alpha())
	r := Result{{"estimate", a.Estimate}, {"se", a.SE}}
	r = r.interval("ci_low", "ci_high", a.CI)
	return append(r, Field{"n_labeled", a.Labeled}, Field{"ess", a.ESS}), err
}

func evalLabeling(input, params json.RawMessage) (Result, error) {
	var in struct{ Uncertainty column }
	var par struct {
		Budget float64
		Mix    *float64
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	pi, err := quality.LabelingProbabilities(in.Uncertainty, par.Budget, orDefault(par.Mix, 0.5))
	return Result{{"pi", opts(pi)}}, err
}

func evalRogan(input, params json.RawMessage) (Result, error) {
	var in struct{ N, K, M1, TP, M0, TN count }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	g, err := quality.CorrectRate(quality.RoganGladenCounts{
		N: int(in.N), K: int(in.K), M1: int(in.M1), TP: int(in.TP), M0: int(in.M0), TN: int(in.TN),
	}, par.alpha())
	r := Result{
		{"naive", g.Naive}, {"sensitivity", g.Sensitivity}, {"specificity", g.Specificity},
		{"estimate", g.Estimate}, {"unclipped", g.Unclipped}, {"se_delta", g.SEDelta},
	}
	r = r.interval("delta_low", "delta_high", g.Delta)
	return r.interval("lr_low", "lr_high", g.LR), err
}

func evalQueue(input, params json.RawMessage) (Result, error) {
	var in struct {
		Items []struct {
			ID             json.RawMessage
			JudgePass      *bool `json:"judge_pass"`
			DetPass        *bool `json:"det_pass"`
			Confidence     *float64
			PPass          *float64 `json:"p_pass"`
			Spread         *float64
			Contradictions *float64
		}
	}
	par := struct {
		Conflict      float64 `json:"w_conflict"`
		Uncertain     float64 `json:"w_uncertain"`
		Spread        float64 `json:"w_spread"`
		Contradiction float64 `json:"w_contradiction"`
	}{2, 1, 0.5, 1}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	nan := math.NaN()
	items := make([]quality.QueueItem, len(in.Items))
	for i, it := range in.Items {
		items[i] = quality.QueueItem{
			HasJudge: it.JudgePass != nil, JudgePass: it.JudgePass != nil && *it.JudgePass,
			HasDet: it.DetPass != nil, DetPass: it.DetPass != nil && *it.DetPass,
			Confidence: orDefault(it.Confidence, nan), PPass: orDefault(it.PPass, nan),
			Spread: orDefault(it.Spread, nan), ContradictionsCount: orDefault(it.Contradictions, nan),
		}
		if json.Unmarshal(it.ID, &items[i].ID) != nil {
			items[i].ID = string(it.ID)
		}
	}
	ranked := quality.RankDisagreements(items, quality.QueueWeights(par))
	order, score := make([]string, len(ranked)), make([]statistic.Opt, len(ranked))
	for i, r := range ranked {
		order[i], score[i] = r.ID, statistic.Some(r.Score)
	}
	return Result{{"order", order}, {"score", score}}, nil
}
