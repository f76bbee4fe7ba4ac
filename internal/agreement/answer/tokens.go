package answer

import (
	"math"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// TokenProbability is one alternative of the score token.
type TokenProbability struct {
	Token   string
	Logprob float64
}

// TokenScore is a score weighted by token probability (G-Eval).
type TokenScore struct {
	Score             stat.Opt
	Coverage          float64  // Σ p over the scale
	Variance, Entropy stat.Opt // of the normalised distribution, entropy in nats
}

// ScoreTokens weighs the whole-number labels of a scale by the probability of the tokens whose
// trimmed text is the label. If the coverage is below minCoverage, everything else is undefined:
// noise is never renormalised.
func ScoreTokens(alternatives []TokenProbability, labels []float64, minCoverage float64) TokenScore {
	p := make([]float64, len(labels))
	var out TokenScore
	for _, a := range alternatives {
		if math.IsNaN(a.Logprob) {
			continue
		}
		for k, l := range labels {
			if strings.TrimSpace(a.Token) == strconv.FormatFloat(l, 'f', -1, 64) {
				p[k] += math.Exp(math.Min(a.Logprob, 700))
			}
		}
	}
	out.Coverage = stat.Sum(p)
	if math.IsInf(out.Coverage, 0) {
		out.Coverage = math.MaxFloat64
	}
	if out.Coverage <= 0 || out.Coverage < minCoverage {
		u := stat.None(stat.LowCoverage)
		out.Score, out.Variance, out.Entropy = u, u, u
		return out
	}
	score, entropy := 0.0, 0.0
	for k, l := range labels {
		share := p[k] / out.Coverage
		score += l * share
		if share > 0 {
			entropy -= share * math.Log(share)
		}
	}
	variance := 0.0
	for k, l := range labels {
		variance += p[k] / out.Coverage * (l - score) * (l - score)
	}
	out.Score, out.Variance, out.Entropy = stat.Some(score), stat.Some(variance), stat.Some(entropy)
	return out
}
