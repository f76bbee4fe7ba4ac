package agreement

import (
	"encoding/json"
	"fmt"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// ratesAndClusters returns the statistics of rates, differences and clustering.
func ratesAndClusters(stat string) evaluator {
	switch stat {
	case "proportion_ci":
		return evalProportion
	case "mcnemar":
		return evalMcNemar
	case "cluster_se":
		return evalClusterSE
	case "resample_indices":
		return evalResample
	case "multiple_testing":
		return evalMultiple
	case "distributions":
		return evalDistribution
	}
	return nil
}

func evalProportion(input, params json.RawMessage) (Result, error) {
	var in struct{ K, N float64 }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	wilson, err := interval.Wilson(in.K, in.N, par.alpha())
	if err != nil {
		return nil, err
	}
	exact, err := interval.ClopperPearson(in.K, in.N, par.alpha())
	r := Result{{"p", wilson.Value}}
	return r.interval("wilson_low", "wilson_high", wilson.CI).interval("cp_low", "cp_high", exact.CI), err
}

func evalMcNemar(input, params json.RawMessage) (Result, error) {
	var in struct {
		Gold  column
		A     column
		BPred column `json:"b_pred"`
		B, C  *count
		N     *count
	}
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	var b, c int
	switch {
	case in.B != nil && in.C != nil:
		b, c = int(*in.B), int(*in.C)
	case in.Gold != nil:
		kept, _, err := stat.Complete(in.Gold, in.A, in.BPred)
		if err != nil {
			return nil, err
		}
		for i, g := range kept[0] {
			rightA, rightB := stat.IsPass(kept[1][i]) == stat.IsPass(g), stat.IsPass(kept[2][i]) == stat.IsPass(g)
			if rightA && !rightB {
				b++
			} else if rightB && !rightA {
				c++
			}
		}
	default:
		return nil, fmt.Errorf("input needs b and c, or gold, a and b_pred")
	}
	p, err := interval.McNemar(b, c)
	return Result{{"b", b}, {"c", c}, {"p_exact", stat.Some(p)}}, err
}

func evalClusterSE(input, params json.RawMessage) (Result, error) {
	var in struct {
		Values  column
		Cluster names
	}
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c, err := interval.ClusterMean(in.Values, stat.ClusterIDs(in.Cluster), par.alpha())
	r := Result{
		{"n", c.N}, {"n_clusters", c.Clusters}, {"mean", c.Mean}, {"se_iid", c.SEIID},
		{"se", c.SE}, {"freedom", c.Symmetric}, {"effective", c.Effective},
	}
	r = r.interval("t_low", "t_high", c.CI).interval("mean_low", "mean_high", c.MeanCI)
	return r.interval("wilson_low", "wilson_high", c.Wilson), err
}

func evalResample(input, params json.RawMessage) (Result, error) {
	var in struct {
		Seed         seed
		N, Resamples count
	}
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	indices, err := resampleIndices(uint64(in.Seed), int(in.N), int(in.Resamples))
	return Result{{"indices", list(indices)}}, err
}

// maxIndices bounds the memory of resampleIndices.
const maxIndices = 20_000_000

// resampleIndices draws resamples of size n with replacement, as the oracle of the golden cases draws them:
// resample b takes n consecutive draws of one stream whose initial state is the seed.
func resampleIndices(seed uint64, n, resamples int) ([][]int, error) {
	if n < 0 || resamples < 0 || resamples > maxIndices || n > 0 && resamples > maxIndices/n {
		return nil, fmt.Errorf("%d resamples of %d indices: want 0 to %d together", resamples, n, maxIndices)
	}
	s := stattest.StreamAt(seed, 0)
	out := make([][]int, resamples)
	for b := range out {
		out[b] = make([]int, n)
		for i := range out[b] {
			out[b][i] = s.Index(uint64(n))
		}
	}
	return out, nil
}

func evalMultiple(input, params json.RawMessage) (Result, error) {
	var in struct{ P column }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	holm, err := interval.Holm(in.P)
	reject := make([]*bool, len(holm))
	for i, p := range holm {
		if p.Valid {
			reject[i] = new(p.Value <= par.alpha())
		}
	}
	return Result{{"holm", holm}, {"reject_holm", reject}}, err
}

func evalDistribution(input, params json.RawMessage) (Result, error) {
	var in struct {
		Fn             string
		X, P, DF       float64
		A, B           float64
		DF1, DF2, K, N float64
	}
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	var v float64
	switch in.Fn {
	case "norm_ppf":
		v = stat.NormalQuantile(in.P)
	case "t_cdf":
		v = 1 - stat.StudentTwoSided(in.X, in.DF)/2
		if in.X < 0 {
			v = 1 - v
		}
	case "t_ppf":
		v = stat.StudentQuantile(in.P, in.DF)
	case "beta_ppf":
		v = stat.BetaQuantile(in.P, in.A, in.B)
	case "binom_cdf":
		v = stat.BinomialCDF(in.K, in.N, in.P)
	default:
		return nil, fmt.Errorf("distribution function %q is not known", in.Fn)
	}
	return Result{{"value", stat.Some(v)}}, nil
}
