package raters

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// An error counts raters and units from 1, as a person does.
func TestErrorsNameRaterAndUnit(t *testing.T) {
	one := stat.Missing()
	tests := []struct {
		name string
		of   func() error
		want string
	}{
		{"fleiss, lengths", func() error {
			_, err := FleissKappa([][]float64{{0, 1}, {0, 1}, {0}}, nil, []float64{0, 1}, 0.05)
			return err
		}, "rater 3 has 1 units, rater 1 has 2"},
		{"fleiss, category", func() error {
			_, err := FleissKappa([][]float64{{0, 1}, {0, 7}}, nil, []float64{0, 1}, 0.05)
			return err
		}, "rating 7 (rater 2, unit 2)"},
		{"fleiss, a category twice", func() error {
			_, err := FleissKappa([][]float64{{0, 1}, {0, 1}}, nil, []float64{0, 1, 0}, 0.05)
			return err
		}, "category 0 is declared twice"},
		{"kappa, a missing category", func() error {
			_, err := CohenKappa([]float64{0, 1}, []float64{0, 1}, nil, []int{0, 1}, []float64{0, 1, one}, NoWeights, 0.05)
			return err
		}, "category NaN is declared twice or is missing"},
		{"alpha, lengths", func() error {
			_, err := ClusteredAlpha([][]float64{{0, one, 1}, {0, 1}}, nil, "nominal", 0.05)
			return err
		}, "rater 2 has 2 units, rater 1 has 3"},
		{"alpha, clusters of one rater", func() error {
			_, err := ClusteredAlpha([][]float64{{0, 1}}, []int{1}, "nominal", 0.05)
			return err
		}, "alpha needs one cluster per unit"},
		{"alpha, too many values", func() error {
			many := stattest.ScaleTo(maxDistinct + 1)
			_, err := ClusteredAlpha([][]float64{many, many}, nil, "interval", 0.05)
			return err
		}, "10001 distinct values are more than 10000"},
		{"kappa, too many categories", func() error {
			_, err := CohenKappa([]float64{0}, []float64{0}, nil, nil, stattest.ScaleTo(maxCategories+1), NoWeights,
				0.05)
			return err
		}, "1001 categories are more than 1000"},
		{"kappa, a rating", func() error {
			_, err := CohenKappa([]float64{one, 0, 0}, []float64{0, 0, 7}, nil, nil, []float64{0, 1}, NoWeights, 0.05)
			return err
		}, "ratings 0 and 7 (item 2 after dropping)"},
		{"two kappas, a", func() error {
			_, err := KappaDifference([]float64{0}, []float64{7}, []float64{0}, nil, nil, []float64{0, 1}, NoWeights,
				0.05)
			return err
		}, "ratings 0 and 7 (item 1 after dropping)"},
		{"two kappas, b", func() error {
			_, err := KappaDifference([]float64{0}, []float64{0}, []float64{7}, nil, nil, []float64{0, 1}, NoWeights,
				0.05)
			return err
		}, "ratings 0 and 7 (item 1 after dropping)"},
		{"graded scores, lengths", func() error {
			_, err := AgreeContinuous([]float64{1, 2}, []float64{1}, 0.05)
			return err
		}, "columns differ in length: 2 and 1"},
		{"graded scores, alpha", func() error {
			_, err := AgreeContinuous([]float64{1, 2}, []float64{1, 2}, 1)
			return err
		}, "alpha must be between 0 and 1"},
		{"votes, weights", func() error {
			_, err := DawidSkene([][][]int{{{0}, {1}}}, 2, ConsensusConfig{MaxIter: 1, Weights: []float64{1, 1}})
			return err
		}, "2 weights for 1 rows"},
		{"votes, judges", func() error {
			_, err := DawidSkene([][][]int{{{0}, {1}}, {{0}}}, 2, ConsensusConfig{MaxIter: 1})
			return err
		}, "item 2 has 1 judges, item 1 has 2"},
		{"votes, too high", func() error {
			_, err := DawidSkene([][][]int{{{0}, {1}}, {{0}, {1, 2}}}, 2, ConsensusConfig{MaxIter: 1})
			return err
		}, "item 2, judge 2: a vote is not in 0..1"},
		{"votes, too low", func() error {
			_, err := DawidSkene([][][]int{{{-1}, {1}}}, 2, ConsensusConfig{MaxIter: 1})
			return err
		}, "item 1, judge 1: a vote is not in 0..1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.of(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}
