package report

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/report/document"
)

// Sensitivity says in words which drop of a pass rate these items could have shown at
// all: no change found is worth little where only a landslide would have been seen.
func (c *Comparison) Sensitivity() string {
	best, worst := math.Inf(1), math.Inf(-1)
	var bestName, worstName string
	rates := 0
	for _, r := range c.Rows {
		if !r.Decides || r.Tool != "" || r.PassRate.N == 0 {
			continue
		}
		rates++
		v := r.PassRate.Detectable.Value
		if v == nil {
			continue
		}
		if *v < best {
			best, bestName = *v, r.Words()
		}
		if *v > worst {
			worst, worstName = *v, r.Words()
		}
	}
	switch {
	case rates == 0:
		return ""
	case bestName == "":
		return "Which drop these items could have shown cannot be said: no verdict varies between the runs."
	case bestName == worstName:
		return fmt.Sprintf("These items would have shown a true drop of %s from %s points on (80 %% power, before correction); a smaller one can hide.", bestName, document.Fixed(100*best, 1))
	}
	return fmt.Sprintf("These items would have shown a true drop from %s points on in %s, the most sensitive score, and from %s points on in %s, the least (80 %% power, before correction); smaller ones can hide.",
		document.Fixed(100*best, 1), bestName, document.Fixed(100*worst, 1), worstName)
}
