package crosstab_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/agreement/calibration"
	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/correlation"
	"github.com/judgekit/judge/internal/agreement/crosstab"
	"github.com/judgekit/judge/internal/agreement/raters"
)

// Counted pairs give what the columns themselves give: few values and many, ties,
// missing values, one class, nothing at all.
func TestLikeColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	near := cmpopts.EquateApprox(0, 1e-9)
	for round := range 400 {
		n, scale := random.IntN(60), 1+random.IntN(8)
		if round%50 == 0 {
			n = 20_000 // more different pairs than are collected at once
			scale = 9000
		}
		var table crosstab.Table
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = float64(random.IntN(scale)) / float64(scale)
			y[i] = float64(random.IntN(2))
			if round%7 == 0 {
				y[i] = 1
			}
			if random.IntN(20) == 0 {
				x[i] = math.NaN()
			}
			table.Add(x[i], y[i])
		}
		rank, err := correlation.Correlate(x, y, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rank.Spearman, table.Spearman(), near); diff != "" {
			t.Errorf("round %d: Spearman\n%s", round, diff)
		}
		if diff := cmp.Diff(rank.KendallB, table.KendallB(), near); diff != "" {
			t.Errorf("round %d: tau-b\n%s", round, diff)
		}
		graded, err := correlation.AgreeContinuous(x, y, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		want := crosstab.Graded{N: graded.N, Bias: graded.Bias, MAE: graded.MAE, RMSE: graded.RMSE, CCC: graded.CCC}
		if diff := cmp.Diff(want, table.Graded(), near); diff != "" {
			t.Errorf("round %d: graded\n%s", round, diff)
		}
		auc, err := classification.ROCAUC(y, x, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.AUC(); !cmp.Equal(auc.AUC, got.AUC, near) || auc.Pos != got.Pos || auc.Neg != got.Neg {
			t.Errorf("round %d: AUC %v of %d and %d, want %v of %d and %d", round, got.AUC, got.Pos, got.Neg, auc.AUC, auc.Pos, auc.Neg)
		}
		brier, err := calibration.BrierScore(y, x)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(brier.Brier, table.Brier(), near); diff != "" {
			t.Errorf("round %d: Brier\n%s", round, diff)
		}
		ece, err := calibration.CalibrationError(x, y, 10, calibration.UniformBins)
		if err != nil {
			t.Fatal(err)
		}
		counted, err := table.Calibration(10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ece, counted, near, cmpopts.IgnoreFields(calibration.ECE{}, "Dropped")); diff != "" {
			t.Errorf("round %d: calibration\n%s", round, diff)
		}
	}
}

// The influences of all items on the area sum to nothing, and their sums by cluster
// give the clustered standard error.
func TestInfluence(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		n := 10 + random.IntN(80)
		x, y, cluster := make([]float64, n), make([]float64, n), make([]int, n)
		var table crosstab.Table
		for i := range n {
			x[i], y[i], cluster[i] = float64(random.IntN(6)), float64(random.IntN(2)), i/3
			table.Add(x[i], y[i])
		}
		want, err := classification.ClusteredAUC(y, x, cluster, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		auc := table.AUC()
		if !want.SE.Valid {
			continue
		}
		sums := map[int]float64{}
		total := 0.0
		for i := range n {
			u := auc.Influence(x[i], y[i])
			sums[cluster[i]] += u
			total += u
		}
		squares := 0.0
		for _, u := range sums {
			squares += u * u
		}
		g := float64(len(sums))
		if se := math.Sqrt(squares * g / (g - 1)); math.Abs(se-want.SE.Value) > 1e-9 || math.Abs(total) > 1e-9 {
			t.Errorf("se %v, want %v; the influences sum to %v", se, want.SE, total)
		}
	}
}

// Two scores of each item give the within-item deviation and ICC(1,1) of the columns.
func TestRetest(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for round := range 100 {
		n := 2 + random.IntN(40)
		runs := make([][]float64, n)
		var table crosstab.Table
		for i := range runs {
			x := float64(random.IntN(5))
			runs[i] = []float64{x, x + float64(random.IntN(2))}
			table.Add(runs[i][0], runs[i][1])
		}
		within, icc := table.Retest()
		if want := raters.TestRetest(runs, 3).WithinSD; math.Abs(within.Value-want.Value) > 1e-9 {
			t.Errorf("round %d: within %v, want %v", round, within, want)
		}
		want, err := raters.IntraclassCorrelation(runs, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if got := want.ICC1.Value; icc.Valid != want.ICC1.Valid || math.Abs(icc.Value-got) > 1e-9 {
			t.Errorf("round %d: icc %v, want %v", round, icc, want.ICC1)
		}
	}
}
