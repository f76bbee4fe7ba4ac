package agreement

import (
	"encoding/json"
	"fmt"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// ratesAndClusters are the statistics of rates, differences and clustering.
func ratesAndClusters(stat string) evaluator {
	switch stat {
	case "proportion_ci":
		return evalProportion
	case "newcombe_diff":
		return evalNewcombe
	case "mcnemar":
		return evalMcNemar
	case "cluster_se":
		return evalClusterSE
	case "resample_indices":
		return evalResample
	case "cluster_bootstrap":
		return evalClusterBootstrap
	case "paired_bootstrap":
		return evalPairedBootstrap
	case "multiple_testing":
		return evalMultiple
	case "per_tool_regression":
		return evalToolRegression
	case "power":
		return evalPower
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

func evalNewcombe(input, params json.RawMessage) (Result, error) {
	var in struct{ K1, N1, K2, N2 float64 }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	d, err := interval.NewcombeDiff(in.K1, in.N1, in.K2, in.N2, par.alpha())
	return Result{{"diff", d.Value}}.interval("low", "high", d.CI), err
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
		{"se_cr1", c.SECR1}, {"deff", c.Deff}, {"n_eff", c.NEff},
	}
	return r.interval("ci_low", "ci_high", c.CI), err
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

// resampleIndices draws resamples of size n with replacement, as the bootstraps draw them:
// resample b takes n consecutive draws of one stream whose initial state is the seed.
func resampleIndices(seed uint64, n, resamples int) ([][]int, error) {
	if n < 0 || resamples < 0 || resamples > maxIndices || n > 0 && resamples > maxIndices/n {
		return nil, fmt.Errorf("%d resamples of %d indices: want 0 to %d together", resamples, n, maxIndices)
	}
	s := stat.StreamAt(seed, 0)
	out := make([][]int, resamples)
	for b := range out {
		out[b] = make([]int, n)
		for i := range out[b] {
			out[b][i] = s.Index(uint64(n))
		}
	}
	return out, nil
}

// bootstrapMean bootstraps the mean of values by cluster, from its sum and number in each.
func bootstrapMean(values []float64, cluster []int, cfg interval.Bootstrap) (interval.Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, values)
	if err != nil {
		return interval.Resampled{}, err
	}
	totals := make([]float64, 2*g)
	for i, v := range kept[0] {
		totals[2*index[i]] += v
		totals[2*index[i]+1]++
	}
	mean := func(sums []float64) stat.Opt { return stat.Ratio(sums[0], sums[1], stat.NoItems) }
	return interval.ResampleClusters(totals, 2, mean, cfg)
}

func evalClusterBootstrap(input, params json.RawMessage) (Result, error) {
	var in struct {
		Values  column
		Cluster names
	}
	var par bootstrapParams
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	cfg, err := par.config(len(in.Values))
	if err != nil {
		return nil, err
	}
	b, err := bootstrapMean(in.Values, stat.ClusterIDs(in.Cluster), cfg)
	r := Result{{"estimate", b.Estimate}, {"se", b.SE}}
	r = r.interval("ci_low", "ci_high", b.CI)
	return append(r, Field{"used", b.Used}, Field{"n_clusters", b.Clusters}), err
}

func evalPairedBootstrap(input, params json.RawMessage) (Result, error) {
	var in struct {
		A, B    column
		Cluster names
	}
	var par bootstrapParams
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	cfg, err := par.config(len(in.A))
	if err != nil {
		return nil, err
	}
	var cluster []int
	if in.Cluster != nil {
		cluster = stat.ClusterIDs(in.Cluster)
	}
	b, err := interval.PairedBootstrap(in.A, in.B, cluster, cfg)
	r := Result{{"estimate", b.Estimate}, {"se", b.SE}}
	r = r.interval("ci_low", "ci_high", b.CI)
	return append(r, Field{"p", b.P}, Field{"used", b.Used}), err
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

func evalToolRegression(input, params json.RawMessage) (Result, error) {
	var in struct{ Tools json.RawMessage }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	var tools []interval.RateChange
	var names []string
	err := members(in.Tools, func(name string, raw json.RawMessage) error {
		var c struct{ K1, N1, K2, N2 count }
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		names = append(names, name)
		tools = append(tools, interval.RateChange{K1: int(c.K1), N1: int(c.N1), K2: int(c.K2), N2: int(c.N2)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err := interval.TestRates(tools, par.alpha())
	if err != nil {
		return nil, err
	}
	out := Result{}
	for i, t := range rows {
		c := tools[i]
		d, err := interval.NewcombeDiff(float64(c.K1), float64(c.N1), float64(c.K2), float64(c.N2), par.alpha())
		if err != nil {
			return nil, err
		}
		row := Result{{"diff", d.Value}, {"p", t.P}, {"p_holm", t.PHolm}, {"flagged", nil}}
		if t.P.Valid {
			row[3].Value = t.Flagged
		}
		out = append(out, Field{names[i], row})
	}
	return out, nil
}

func evalPower(input, params json.RawMessage) (Result, error) {
	var in struct {
		Kind        string
		SD, N, Deff float64
	}
	in.Deff = 1
	var par struct {
		alphaParam
		Power *float64
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if in.Kind != "mde_mean" {
		return nil, fmt.Errorf("kind %q is not known", in.Kind)
	}
	d, err := interval.DetectableMean(in.SD, in.N, in.Deff, par.alpha(), orDefault(par.Power, 0.8))
	return Result{{"value", d}, {"ceil", nil}}, err
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
