package agreement

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// betweenRaters returns the statistics of raters, graded scores and repeated runs.
func betweenRaters(stat string) evaluator {
	switch stat {
	case "cohen_kappa":
		return evalKappa
	case "gwet_ac":
		return evalGwet
	case "krippendorff_alpha":
		return evalKrippendorff
	case "fleiss_kappa":
		return evalFleiss
	case "correlation":
		return evalCorrelation
	case "continuous_agreement":
		return evalContinuous
	case "icc":
		return evalICC
	case "test_retest":
		return evalRetest
	case "dawid_skene":
		return evalDawidSkene
	}
	return nil
}

func evalKappa(input, params json.RawMessage) (Result, error) {
	var in struct {
		A, B    []label
		Cluster names
	}
	par := struct {
		alphaParam
		Weights raters.Weighting
		Labels  []label
	}{Weights: raters.NoWeights}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c := newCoder(par.Labels)
	a, err := c.code(in.A)
	if err != nil {
		return nil, err
	}
	b, err := c.code(in.B)
	if err != nil {
		return nil, err
	}
	_, dropped := counted(a, b)
	k, err := raters.CohenKappa(a, b, nil, in.Cluster.ids(), c.scale(), par.Weights, par.alpha())
	r := Result{{"n", k.N}, {"dropped", dropped}, {"kappa", k.Value}, {"po", k.PO}, {"pe", k.PE}}
	return r.jackknifed(k.Jackknifed), err
}

func evalGwet(input, params json.RawMessage) (Result, error) {
	var in struct {
		Ratings [][]label
		Cluster names
	}
	var par struct {
		alphaParam
		Weights    raters.Weighting
		Categories []label
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c := newCoder(par.Categories)
	ratings := make([][]float64, len(in.Ratings))
	for i, row := range in.Ratings {
		var err error
		if ratings[i], err = c.code(row); err != nil {
			return nil, fmt.Errorf("rater %d: %w", i+1, err)
		}
	}
	if par.Weights == "identity" {
		par.Weights = raters.NoWeights
	}
	g, err := raters.GwetAC(ratings, nil, in.Cluster.ids(), c.scale(), par.Weights, par.alpha())
	return raterResult(g), err
}

func raterResult(g raters.RaterAgreement) Result {
	r := Result{
		{"n_units", g.Units}, {"n_pairable", g.Pairable}, {"coef", g.Value}, {"pa", g.PA}, {"pe", g.PE},
	}
	return r.jackknifed(g.Jackknifed)
}

func evalKrippendorff(input, params json.RawMessage) (Result, error) {
	var in struct {
		Ratings [][]label
		Cluster names
	}
	par := struct {
		alphaParam
		Level string
	}{Level: raters.LevelNominal}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	ratings, err := codeObserved(in.Ratings, par.Level)
	if err != nil {
		return nil, err
	}
	a, err := raters.ClusteredAlpha(ratings, in.Cluster.ids(), par.Level, par.alpha())
	r := Result{{"alpha", a.Value}, {"do", a.DO}, {"de", a.DE}, {"n_values", a.Values}, {"n_units", a.Units}}
	return r.jackknifed(a.Jackknifed), err
}

// codeObserved numbers text categories by first appearance; only nominal data
// may hold texts, and then no numbers.
func codeObserved(ratings [][]label, level string) ([][]float64, error) {
	at := map[string]float64{}
	numbers := false
	out := make([][]float64, len(ratings))
	for i, row := range ratings {
		out[i] = make([]float64, len(row))
		for j, l := range row {
			out[i][j] = l.number
			if l.isText {
				k, ok := at[l.text]
				if !ok {
					k = float64(len(at))
					at[l.text] = k
				}
				out[i][j] = k
			} else if l.number == l.number { // not missing
				numbers = true
			}
		}
	}
	if len(at) > 0 && (numbers || level != raters.LevelNominal) {
		return nil, fmt.Errorf("text ratings need the nominal level and no numbers beside them")
	}
	return out, nil
}

func evalFleiss(input, params json.RawMessage) (Result, error) {
	var in struct{ Counts []column }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	ratings, categories := spread(in.Counts)
	g, err := raters.FleissKappa(ratings, nil, categories, par.alpha())
	return raterResult(g), err
}

// spread turns units × categories counts into raters × units ratings.
func spread(counts []column) (ratings [][]float64, categories []float64) {
	for i, unit := range counts {
		for k := len(categories); k < len(unit); k++ {
			categories = append(categories, float64(k))
		}
		rater := 0
		for k, n := range unit {
			for range min(int(n), 1000) {
				if rater == len(ratings) {
					ratings = append(ratings, slices.Repeat([]float64{math.NaN()}, len(counts)))
				}
				ratings[rater][i] = float64(k)
				rater++
			}
		}
	}
	return ratings, categories
}

func evalCorrelation(input, params json.RawMessage) (Result, error) {
	var in struct {
		X, Y    column
		Cluster names
	}
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c, err := raters.Correlate(in.X, in.Y, in.Cluster.ids(), par.alpha())
	n, dropped := counted(in.X, in.Y)
	r := Result{{"n", n}, {"dropped", dropped}, {"pearson", c.Pearson.Value}, {"spearman", c.Spearman}, {"kendall_tau_b", c.KendallB}}
	return r.jackknifed(c.Pearson), err
}

func evalContinuous(input, params json.RawMessage) (Result, error) {
	var in struct{ Judge, Det column }
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c, err := raters.AgreeContinuous(in.Judge, in.Det, par.alpha())
	n, dropped := counted(in.Judge, in.Det)
	r := Result{
		{"n", n}, {"dropped", dropped}, {"bias", c.Bias}, {"mae", c.MAE}, {"rmse", c.RMSE}, {"sd_diff", c.SDDiff},
	}
	return append(r.interval("loa_low", "loa_high", c.Limits), Field{"ccc", c.CCC}), err
}

func evalICC(input, params json.RawMessage) (Result, error) {
	var in struct {
		Ratings []column
		Cluster names
	}
	var par alphaParam
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	c, err := raters.IntraclassCorrelation(turned(in.Ratings), in.Cluster.ids(), par.alpha())
	r := Result{{"icc1", c.ICC1}, {"icc2", c.ICC2.Value}}
	return r.jackknifed(c.ICC2), err
}

func evalRetest(input, params json.RawMessage) (Result, error) {
	var in struct{ Runs []column }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	return Result{{"within_sd", raters.WithinSD(turned(in.Runs))}}, nil
}

// turned are columns of rows that may differ in length.
func turned(rows []column) (out [][]float64) {
	for i, row := range rows {
		for len(out) < len(row) {
			out = append(out, slices.Repeat([]float64{math.NaN()}, len(rows)))
		}
		for j, v := range row {
			out[j][i] = v
		}
	}
	return out
}

// ballot is the votes of one judge on one item: null, one vote, or a list.
type ballot []label

func (b *ballot) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		return json.Unmarshal(raw, (*[]label)(b))
	}
	var l label
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	*b = ballot{l}
	return nil
}

func evalDawidSkene(input, params json.RawMessage) (Result, error) {
	var in struct{ Votes [][]ballot }
	par := struct {
		Labels    []label
		MaxIter   count `json:"max_iter"`
		Tol       float64
		Smoothing float64
	}{MaxIter: 100, Tol: 1e-10, Smoothing: 0.01}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if len(par.Labels) == 0 || len(par.Labels) > 1000 || par.MaxIter > 100_000 {
		return nil, fmt.Errorf("%d labels and %d iterations are none or too many", len(par.Labels), par.MaxIter)
	}
	c := newCoder(par.Labels)
	votes := make([][][]int, len(in.Votes))
	for i, item := range in.Votes {
		votes[i] = make([][]int, len(item))
		for j, b := range item {
			for _, l := range b {
				if l.number != l.number && !l.isText {
					continue // a missing vote
				}
				k, ok := c.at[l]
				if !ok {
					return nil, fmt.Errorf("item %d, judge %d: vote is not a declared label", i+1, j+1)
				}
				votes[i][j] = append(votes[i][j], k)
			}
		}
	}
	d, err := raters.DawidSkene(votes, len(par.Labels), raters.ConsensusConfig{MaxIter: int(par.MaxIter), Tol: par.Tol, Smoothing: par.Smoothing})
	if err != nil {
		return nil, err
	}
	confusion := make([][][]stat.Opt, len(d.Confusion))
	for j, m := range d.Confusion {
		confusion[j] = optRows(m, len(par.Labels))
	}
	return Result{
		{"iterations", d.Iterations}, {"log_likelihood", d.LogLikelihood}, {"prior", opts(d.Prior)},
		{"posterior", optRows(d.Posterior, len(par.Labels))}, {"confusion", confusion},
	}, nil
}
