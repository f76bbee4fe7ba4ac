package raters

import (
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestIntervalsComputedApart has coefficients of two raters of twelve items in six conversations, with their errors and
// intervals, computed from the definitions apart from this package.
func TestIntervalsComputedApart(t *testing.T) {
	a := []float64{1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 2, 2}
	b := []float64{1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 2, 1}
	cluster, scale := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, []float64{0, 1, 2}
	cohen := stattest.Must[Kappa](t)(CohenKappa(a, b, nil, cluster, scale, NoWeights, 0.05))
	quadratic := stattest.Must[Kappa](t)(CohenKappa(a, b, nil, cluster, scale, Quadratic, 0.05))
	fleiss := stattest.Must[RaterAgreement](t)(FleissKappa([][]float64{a, b}, cluster, scale, 0.05))
	gwet := stattest.Must[RaterAgreement](t)(GwetAC([][]float64{a, b}, nil, cluster, scale, NoWeights, 0.05))
	for name, tt := range map[string]struct {
		of                   stat.Opt
		se                   stat.Opt
		ci                   stat.Interval
		value, err, low, top float64
	}{
		"Cohen": {cohen.Value, cohen.SE, cohen.CI, 0.441860465116279, 0.15780909473420954,
			-0.11077438276653667, 0.8114988912756442},
		"Cohen, quadratic weights": {quadratic.Value, quadratic.SE, quadratic.CI, 0.625, 0.21749181939030424,
			0.18890518868803874, 0.9007546069375277},
		"Fleiss": {fleiss.Value, fleiss.SE, fleiss.CI, 0.4385964912280701, 0.15639101013946122,
			-0.11727013939090247, 0.8103965456105895},
		"Gwet": {gwet.Value, gwet.SE, gwet.CI, 0.5259259259259259, 0.16567166253137888,
			0.00443493708571307, 0.8623695486495566},
	} {
		for what, x := range map[string]struct {
			got  stat.Opt
			want float64
		}{"value": {tt.of, tt.value}, "error": {tt.se, tt.err}, "low": {tt.ci.Low, tt.low}, "high": {tt.ci.High, tt.top}} {
			if !x.got.Valid || !(math.Abs(x.got.Value-x.want) <= 1e-7) {
				t.Errorf("%s, %s: %v, want %v", name, what, x.got, x.want)
			}
		}
	}
	if cohen.N != 12 || cohen.Clusters != 6 || gwet.Units != 12 || gwet.Pairable != 12 || fleiss.Freedom != 5 {
		t.Errorf("%+v\n%+v\n%+v", cohen, gwet, fleiss)
	}
}

// TestAlphaIsChecked: no coefficient has an interval at an error rate of 0 or 1.
func TestAlphaIsChecked(t *testing.T) {
	x, scale := []float64{0, 1, 1}, []float64{0, 1}
	for name, of := range map[string]func(alpha float64) error{
		"Cohen":  func(alpha float64) error { _, err := CohenKappa(x, x, nil, nil, scale, NoWeights, alpha); return err },
		"Fleiss": func(alpha float64) error { _, err := FleissKappa([][]float64{x, x}, nil, scale, alpha); return err },
		"Gwet": func(alpha float64) error {
			_, err := GwetAC([][]float64{x, x}, nil, nil, scale, NoWeights, alpha)
			return err
		},
		"a difference": func(alpha float64) error {
			_, err := KappaDifference(x, x, x, nil, nil, scale, NoWeights, alpha)
			return err
		},
		"Krippendorff": func(alpha float64) error {
			_, err := ClusteredAlpha([][]float64{x, x}, nil, LevelNominal, alpha)
			return err
		},
		"ICC":         func(alpha float64) error { _, err := IntraclassCorrelation([][]float64{x, x}, nil, alpha); return err },
		"correlation": func(alpha float64) error { _, err := Correlate(x, x, nil, alpha); return err },
		"a pull": func(alpha float64) error {
			_, err := Pulled([2][]float64{x, x}, [2][]float64{x, x}, nil, alpha)
			return err
		},
	} {
		for alpha, want := range map[float64]string{0: "alpha must be between 0 and 1, got 0", 1: "alpha must be between 0 and 1, got 1"} {
			if err := of(alpha); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}
