package stat

import (
	"fmt"
)

// Critical is z = Φ⁻¹(1-α/2).
func Critical(alpha float64) float64 { return NormalQuantile(1 - alpha/2) }

// CriticalT is the Student quantile at 1-α/2.
func CriticalT(alpha, df float64) float64 { return StudentQuantile(1-alpha/2, df) }

// CheckAlpha is an error unless alpha lies inside (0,1).
func CheckAlpha(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("alpha must lie between 0 and 1, got %v", alpha)
	}
	return nil
}
