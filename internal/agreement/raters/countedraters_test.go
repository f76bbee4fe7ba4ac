package raters_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// Counted ratings give the coefficients of the columns, gaps and all.
func TestCountedRaters(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	scale := []float64{1, 2, 3, 4, 5}
	for round := range 200 {
		judges, units := 2+random.IntN(4), random.IntN(40)
		columns := make([][]float64, judges)
		for j := range columns {
			columns[j] = make([]float64, units)
		}
		counted, err := raters.NewCountedRaters(scale)
		if err != nil {
			t.Fatal(err)
		}
		for u := range units {
			truth := 1 + random.IntN(5)
			row := make([]float64, judges)
			for j := range row {
				row[j] = float64(truth)
				if random.IntN(3) == 0 {
					row[j] = float64(1 + random.IntN(3))
				}
				if random.IntN(5) == 0 {
					row[j] = math.NaN()
				}
				columns[j][u] = row[j]
			}
			if !counted.Add(row) {
				t.Fatal("a declared category was refused")
			}
		}
		for _, level := range []string{raters.LevelNominal, raters.LevelOrdinal, raters.LevelInterval, raters.LevelRatio} {
			want, err := raters.KrippendorffAlpha(columns, level)
			if err != nil {
				t.Fatal(err)
			}
			got, err := counted.Alpha(level)
			if err != nil {
				t.Fatal(err)
			}
			if got.Alpha.Valid != want.Alpha.Valid || got.Alpha.Reason != want.Alpha.Reason || math.Abs(got.Alpha.Value-want.Alpha.Value) > 1e-9 {
				t.Errorf("round %d: %s alpha %v, want %v", round, level, got.Alpha, want.Alpha)
			}
		}
		table := make([][]float64, units)
		for u := range table {
			table[u] = make([]float64, len(scale))
			for j := range columns {
				if v := columns[j][u]; !math.IsNaN(v) {
					table[u][int(v)-1]++
				}
			}
		}
		want, err := raters.FleissGeneralized(table, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if got := counted.Fleiss(); got.Valid != want.Coef.Valid || math.Abs(got.Value-want.Coef.Value) > 1e-9 {
			t.Errorf("round %d: Fleiss %v, want %v", round, got, want.Coef)
		}
	}
	counted, err := raters.NewCountedRaters(scale)
	if err != nil {
		t.Fatal(err)
	}
	if counted.Add([]float64{1, 6}) || counted.Pairable() != 0 {
		t.Error("a rating off the scale was taken")
	}
}

// The linearised error of alpha is that of many data sets drawn the same way.
func TestAlphaInfluence(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	const draws, clusters = 300, 60
	var alphas []float64
	claimed := 0.0
	for range draws {
		counted, err := raters.NewCountedRaters([]float64{1, 2, 3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		var units [][]float64
		var at []int
		for c := range clusters {
			hard := random.IntN(2)
			for range 1 + random.IntN(4) {
				truth := float64(1 + random.IntN(5))
				row := make([]float64, 3)
				for j := range row {
					row[j] = truth
					if random.IntN(6) < 1+2*hard {
						row[j] = float64(1 + random.IntN(5))
					}
				}
				counted.Add(row)
				units, at = append(units, row), append(at, c)
			}
		}
		alpha, err := counted.Alpha(raters.LevelInterval)
		if err != nil {
			t.Fatal(err)
		}
		var totals uncertainty.ClusterTotals
		for i, row := range units {
			totals.Add(alpha.Influence(row), at[i])
		}
		alphas = append(alphas, alpha.Alpha.Value)
		claimed += totals.SE().Value / draws
	}
	mean, spread := 0.0, 0.0
	for _, a := range alphas {
		mean += a / draws
	}
	for _, a := range alphas {
		spread += (a - mean) * (a - mean) / (draws - 1)
	}
	if ratio := claimed / math.Sqrt(spread); ratio < 0.88 || ratio > 1.12 {
		t.Errorf("claimed error %.4f, true error %.4f: ratio %.2f", claimed, math.Sqrt(spread), ratio)
	}
}
