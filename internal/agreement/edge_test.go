package agreement

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// Edges that the text of the definitions settles, one line each: the whole
// result as JSON, no key more or less.
func TestEdges(t *testing.T) {
	tests := []struct{ name, stat, input, params, want string }{
		{"kappa counts the unused scale", "cohen_kappa", `{"a":["no","yes"],"b":["no","no"]}`, `{"labels":["no","yes"]}`,
			`{"n":2,"dropped":0,"kappa":0,"po":0.5,"pe":0.5,"cluster_se":null,"cluster_low":null,"cluster_high":null}`},
		{"no resamples of nothing", "resample_indices", `{"seed":18446744073709551615,"n":0,"resamples":2}`, `{}`, `{"indices":[[],[]]}`},
		{"quorum of half the panel by default", "panel_aggregate", `{"scores":[5,null,null]}`, `{"how":"mean"}`,
			`{"value":null,"used":1,"spread":null,"tie":false}`},
		{"an error is no fail", "verdict", `{"output":null,"confidence":null}`, `{"threshold_low":3,"threshold_high":5}`,
			`{"verdict":"error","borderline":false,"low_confidence":true,"escalate":true}`},
		{"above the interval is a fail", "verdict", `{"output":6,"confidence":1}`, `{"threshold_low":3,"threshold_high":5,"margin":0.5}`,
			`{"verdict":"fail","borderline":false,"low_confidence":false,"escalate":false}`},
		{"overflow is undefined", "continuous_agreement", `{"judge":[1e308,-1e308],"det":[-1e308,1e308]}`, `{}`,
			`{"n":2,"dropped":0,"bias":null,"mae":null,"rmse":null,"sd_diff":null,"loa_low":null,"loa_high":null,"ccc":null}`},
		{"one perfect class", "roc_auc", `{"gold":[true,false],"score":[1,1]}`, `{}`,
			`{"n_pos":1,"n_neg":1,"dropped":0,"auc":0.5,"cluster_se":null,"cluster_low":null,"cluster_high":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Evaluate(tt.stat, json.RawMessage(tt.input), json.RawMessage(tt.params))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var g, w any
			if err := decodeExact(got, &g); err != nil {
				t.Fatal(err)
			}
			if err := decodeExact([]byte(tt.want), &w); err != nil {
				t.Fatal(err)
			}
			if err := compare("", g, w, 1e-12); err != nil {
				t.Errorf("%v in %s", err, got)
			}
			if err := compare("", w, g, 1e-12); err != nil {
				t.Errorf("extra: %v in %s", err, got)
			}
		})
	}
}

// fails takes the error from what a function returns.
func fails[T any](_ T, err error) error { return err }

// TestRefused: what no estimate can be made of is an error in each of them, and no estimate.
func TestRefused(t *testing.T) {
	xs, ys, ones, scale := []float64{1, 0, 1, 1}, []float64{1, 0, 0, 1}, []float64{1, 1, 1, 1}, []float64{0, 1}
	for name, of := range map[string]func(x []float64, c []int, a float64) error{
		"AC": func(x []float64, c []int, a float64) error {
			return fails(raters.GwetAC([][]float64{x, ys}, nil, c, scale, raters.NoWeights, a))
		},
		"alpha": func(x []float64, c []int, a float64) error {
			return fails(raters.ClusteredAlpha([][]float64{x, ys}, c, raters.LevelNominal, a))
		},
		"AUC":        func(x []float64, c []int, a float64) error { return fails(truth.ClusteredAUC(x, ys, nil, c, a)) },
		"both rates": func(x []float64, c []int, a float64) error { return fails(truth.BothRates(x, ys, nil, c, a)) },
		"r":          func(x []float64, c []int, a float64) error { return fails(raters.Correlate(x, ys, c, a)) },
		"Fleiss": func(x []float64, c []int, a float64) error {
			return fails(raters.FleissKappa([][]float64{x, ys}, c, scale, a))
		},
		"pull": func(x []float64, c []int, a float64) error {
			return fails(raters.Pulled([2][]float64{x, ys}, [2][]float64{ys, x}, c, a))
		},
		"ICC": func(x []float64, c []int, a float64) error {
			return fails(raters.IntraclassCorrelation([][]float64{x, ys}, c, a))
		},
		"kappa": func(x []float64, c []int, a float64) error {
			return fails(raters.CohenKappa(x, ys, nil, c, scale, raters.NoWeights, a))
		},
		"two kappas": func(x []float64, c []int, a float64) error {
			return fails(raters.KappaDifference(x, ys, x, ys, c, scale, raters.NoWeights, a))
		},
		"MCC":  func(x []float64, c []int, a float64) error { return fails(truth.MCC(x, ys, nil, c, a)) },
		"mean": func(x []float64, c []int, a float64) error { return fails(interval.WeightedMean(x, ones, c, a)) },
		"PPI": func(x []float64, c []int, a float64) error {
			return fails(truth.PPIClustered(x, ys, nil, c, nil, nil, 0, a))
		},
		"PPI, others": func(x []float64, c []int, a float64) error {
			return fails(truth.PPIClustered(ys, ys, nil, []int{0, 1, 2, 3}, x, c, 0, a))
		},
		"Youden": func(x []float64, c []int, a float64) error { return fails(truth.YoudenDifference(x, ys, ys, c, a)) },
	} {
		each := []int{0, 1, 2, 3}
		if err := of(xs, each, 0.05); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if of(xs, each, 0) == nil || of(xs, each, 1) == nil || of(xs, each, stat.Missing()) == nil {
			t.Errorf("%s: no error of alpha 0, 1 or NaN", name)
		}
		if of(xs[:3], each, 0.05) == nil {
			t.Errorf("%s: columns of different lengths are no error", name)
		}
		if of(xs, each[:3], 0.05) == nil {
			t.Errorf("%s: fewer clusters than items are no error", name)
		}
	}
}

// Undefined values say why.
func TestReasons(t *testing.T) {
	one := []float64{1, 1, 1}
	got := map[string]stat.Reason{
		"auc":      stattest.Must[truth.AUC](t)(truth.ClusteredAUC(one, one, nil, nil, 0.05)).AUC.Reason,
		"kappa":    stattest.Must[raters.Kappa](t)(raters.CohenKappa(one, one, nil, nil, []float64{0, 1}, raters.NoWeights, 0.05)).Value.Reason,
		"corr":     stattest.Must[raters.Correlation](t)(raters.Correlate(one, []float64{1, 2, 3}, nil, 0.05)).Pearson.Value.Reason,
		"corr one": stattest.Must[raters.Correlation](t)(raters.Correlate(one[:1], one[:1], nil, 0.05)).Pearson.Value.Reason,
		"mean":     stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(nil, nil, 0.05)).Mean.Reason,
		"tokens":   answer.ScoreTokens(nil, []float64{0, 1}, 0.5).Score.Reason,
	}
	want := map[string]stat.Reason{
		"auc": stat.OneClass, "kappa": stat.NoChanceDisagreement, "corr": stat.ZeroVariance, "corr one": stat.TooFew,
		"mean": stat.NoItems, "tokens": stat.LowCoverage,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
