package raters

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.of(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}
