package agreement

import (
	"encoding/json"
	"fmt"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
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
	p, err := interval.ProportionCI(in.K, in.N, par.alpha())
	r := Result{{"p", p.P}}
	r = r.interval("wilson_low", "wilson_high", p.Wilson)
	r = r.interval("cp_low", "cp_high", p.ClopperPearson)
	r = r.interval("jeffreys_low", "jeffreys_high", p.Jeffreys)
	return r.interval("agresti_low", "agresti_high", p.AgrestiCoull), err
}

func evalNewcombe(input, params json.RawMessage) (Result, error) {
	var in struct{ K1, N1, K2, N2 float64 }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	d, err := interval.NewcombeDiff(in.K1, in.N1, in.K2, in.N2, par.alpha())
	return Result{{"diff", d.Diff}}.interval("low", "high", d.CI), err
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
	var m interval.McNemar
	var err error
	switch {
	case in.B != nil && in.C != nil:
		n := -1
		if in.N != nil {
			n = int(*in.N)
		}
		m, err = interval.McNemarCounts(int(*in.B), int(*in.C), n)
	case in.Gold != nil:
		m, err = mcNemar(in.Gold, in.A, in.BPred)
	default:
		return nil, fmt.Errorf("input needs b and c, or gold, a and b_pred")
	}
	return Result{
		{"b", m.B}, {"c", m.C}, {"p_exact", m.PExact}, {"p_midp", m.PMid}, {"chi2", m.Chi2}, {"p_chi2", m.PChi2},
		{"chi2_cc", m.Chi2CC}, {"p_chi2_cc", m.PChi2CC}, {"diff", m.Diff}, {"diff_se", m.DiffSE},
	}, err
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
		{"n", c.N}, {"n_clusters", c.Clusters}, {"mean", c.Mean}, {"se_iid", c.SEIID}, {"se_miller", c.SEMiller},
		{"se_cr0", c.SECR0}, {"se_cr1", c.SECR1}, {"deff", c.Deff}, {"n_eff", c.NEff}, {"icc", c.ICC},
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
	indices, err := stattest.ResampleIndices(uint64(in.Seed), int(in.N), int(in.Resamples))
	return Result{{"indices", list(indices)}}, err
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

// mcNemar counts the items that one of two predictions alone has right.
func mcNemar(gold, a, b []float64) (interval.McNemar, error) {
	kept, _, err := stat.Complete(gold, a, b)
	if err != nil {
		return interval.McNemar{}, err
	}
	onlyA, onlyB := 0, 0
	for i, g := range kept[0] {
		rightA, rightB := stat.IsPass(kept[1][i]) == stat.IsPass(g), stat.IsPass(kept[2][i]) == stat.IsPass(g)
		if rightA && !rightB {
			onlyA++
		} else if rightB && !rightA {
			onlyB++
		}
	}
	return interval.McNemarCounts(onlyA, onlyB, len(kept[0]))
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
	a, err := interval.AdjustP(in.P, par.alpha())
	return Result{
		{"bonferroni", a.Bonferroni}, {"holm", a.Holm}, {"hochberg", a.Hochberg}, {"bh", a.BH}, {"by", a.BY},
		{"reject_holm", a.RejectHolm}, {"reject_bh", a.RejectBH},
	}, err
}

func evalToolRegression(input, params json.RawMessage) (Result, error) {
	var in struct{ Tools json.RawMessage }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	var tools []interval.ToolCounts
	err := members(in.Tools, func(name string, raw json.RawMessage) error {
		var c struct{ B, C, N, K1, N1, K2, N2 *count }
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		get := func(v *count, missing int) int {
			if v == nil {
				return missing
			}
			return int(*v)
		}
		tools = append(tools, interval.ToolCounts{
			Tool: name, Paired: c.B != nil || c.C != nil, B: get(c.B, 0), C: get(c.C, 0), N: get(c.N, -1),
			K1: get(c.K1, 0), N1: get(c.N1, 0), K2: get(c.K2, 0), N2: get(c.N2, 0),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err := interval.PerToolRegression(tools, par.alpha())
	out := Result{}
	for _, t := range rows {
		out = append(out, Field{t.Tool, Result{
			{"diff", t.Diff}, {"p", t.P}, {"p_holm", t.PHolm}, {"p_bh", t.BH}, {"flagged", t.Flagged},
		}})
	}
	return out, err
}

func evalPower(input, params json.RawMessage) (Result, error) {
	var in struct {
		Kind                 interval.PowerQuestion
		SD, N, Delta, Deff   float64
		P1, P2, P10, P01     float64
		Omega2, P, Halfwidth float64
		Sigma2A              float64 `json:"sigma2_a"`
		Sigma2B              float64 `json:"sigma2_b"`
		KA                   float64 `json:"k_a"`
		KB                   float64 `json:"k_b"`
	}
	var par struct {
		alphaParam
		Power *float64
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	a, err := interval.Power(in.Kind, interval.PowerDesign{
		SD: in.SD, N: in.N, Delta: in.Delta, Deff: in.Deff, P1: in.P1, P2: in.P2, P10: in.P10, P01: in.P01,
		Omega2: in.Omega2, Sigma2A: in.Sigma2A, Sigma2B: in.Sigma2B, KA: in.KA, KB: in.KB,
		P: in.P, Halfwidth: in.Halfwidth, Alpha: par.alpha(), Power: orDefault(par.Power, 0.8),
	})
	return Result{{"value", a.Value}, {"ceil", a.Ceil}}, err
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
	case "norm_cdf":
		v = stat.NormalCDF(in.X)
	case "norm_sf":
		v = stat.NormalCDF(-in.X)
	case "norm_ppf":
		v = stat.NormalQuantile(in.P)
	case "t_cdf":
		v = stat.StudentCDF(in.X, in.DF)
	case "t_sf":
		v = stat.StudentCDF(-in.X, in.DF)
	case "t_ppf":
		v = stat.StudentQuantile(in.P, in.DF)
	case "chi2_sf":
		v = stat.ChiSquareSurvival(in.X, in.DF)
	case "chi2_cdf":
		v = 1 - stat.ChiSquareSurvival(in.X, in.DF)
	case "beta_cdf":
		v = stat.BetaCDF(in.X, in.A, in.B)
	case "beta_ppf":
		v = stat.BetaQuantile(in.P, in.A, in.B)
	case "f_cdf":
		v = stat.FCDF(in.X, in.DF1, in.DF2)
	case "f_sf":
		v = 1 - stat.FCDF(in.X, in.DF1, in.DF2)
	case "f_ppf":
		v = stat.FQuantile(in.P, in.DF1, in.DF2)
	case "binom_cdf":
		v = stat.BinomialCDF(in.K, in.N, in.P)
	case "binom_pmf":
		v = stat.BinomialPMF(in.K, in.N, in.P)
	default:
		return nil, fmt.Errorf("distribution function %q is not known", in.Fn)
	}
	return Result{{"value", stat.Some(v)}}, nil
}
