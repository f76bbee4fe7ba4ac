package agreement

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// qualityEstimates returns the statistics of the agent's true quality.
func qualityEstimates(stat string) evaluator {
	switch stat {
	case "ppi_cluster":
		return evalPPICluster
	}
	return nil
}

type ppiParams struct {
	alphaParam
	Lambda *lambda
}

func (p ppiParams) lambda() float64 {
	if p.Lambda == nil {
		return truth.AutoLambda
	}
	return float64(*p.Lambda)
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
	p, err := truth.PPIClustered(in.Y, in.Yhat, nil, stat.ClusterIDs(in.Cluster), in.Unlabeled, stat.ClusterIDs(in.UnlabeledCluster), par.lambda(), par.alpha())
	r := Result{{"estimate", p.Estimate}, {"cluster_se", p.SE}}
	r = r.interval("t_low", "t_high", p.CI)
	return append(r, Field{"n_clusters_labeled", p.LabeledClusters}), err
}
