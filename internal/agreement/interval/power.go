package interval

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// PowerQuestion names what [Power] computes.
type PowerQuestion string

// The questions. The n_* give a number of items, mde_mean a difference,
// power_mean a probability.
const (
	MDEMean          PowerQuestion = "mde_mean"           // SD, N, Deff
	NMean            PowerQuestion = "n_mean"             // SD, Delta, Deff
	NTwoProportions  PowerQuestion = "n_two_prop"         // P1, P2: per arm
	NMcNemar         PowerQuestion = "n_mcnemar"          // P10, P01: paired items
	NMiller          PowerQuestion = "n_miller"           // Omega2, Sigma2A/B, KA/KB, Delta
	NWilsonHalfwidth PowerQuestion = "n_wilson_halfwidth" // P, Halfwidth
	PowerMean        PowerQuestion = "power_mean"         // SD, N, Delta, Deff: both tails
)

// PowerDesign holds the inputs; each question reads the fields named beside it.
// A Deff of 0 means 1.
type PowerDesign struct {
	SD, N, Delta, Deff       float64
	P1, P2                   float64
	P10, P01                 float64
	Omega2, Sigma2A, Sigma2B float64 // variance over questions, and of one sample per question
	KA, KB                   float64 // samples per question
	P, Halfwidth             float64
	Alpha, Power             float64
}

// PowerAnswer is the value and, for numbers of items, the integer to use.
type PowerAnswer struct {
	Value, Ceil stat.Opt
}

// Power answers a design question with normal approximations.
func Power(q PowerQuestion, d PowerDesign) (PowerAnswer, error) {
	if err := stat.CheckAlpha(d.Alpha); err != nil {
		return PowerAnswer{}, err
	}
	if !(d.Power > 0 && d.Power < 1) {
		return PowerAnswer{}, fmt.Errorf("power must lie between 0 and 1, got %v", d.Power)
	}
	if d.Deff == 0 {
		d.Deff = 1
	}
	v, err := d.value(q)
	if err != nil {
		return PowerAnswer{}, err
	}
	out := PowerAnswer{Value: v, Ceil: stat.None(stat.NotApplicable)}
	if q != MDEMean && q != PowerMean && v.Valid {
		out.Ceil = stat.Some(math.Ceil(v.Value))
	}
	return out, nil
}

func (d PowerDesign) value(q PowerQuestion) (stat.Opt, error) {
	za, zb := stat.Critical(d.Alpha), stat.NormalQuantile(d.Power)
	z2 := (za + zb) * (za + zb)
	switch q {
	case MDEMean:
		if d.N <= 0 {
			return stat.None(stat.NoItems), nil
		}
		return stat.Some((za + zb) * d.SD * math.Sqrt(d.Deff/d.N)), nil
	case NMean:
		return stat.Ratio(z2*d.SD*d.SD*d.Deff, d.Delta*d.Delta, stat.ZeroVariance), nil
	case NTwoProportions:
		mid, diff := (d.P1+d.P2)/2, d.P1-d.P2
		s := za*math.Sqrt(2*mid*(1-mid)) + zb*math.Sqrt(d.P1*(1-d.P1)+d.P2*(1-d.P2))
		return stat.Ratio(s*s, diff*diff, stat.ZeroVariance), nil
	case NMcNemar:
		diff, discordant := d.P10-d.P01, d.P10+d.P01
		s := za*math.Sqrt(discordant) + zb*math.Sqrt(discordant-diff*diff)
		return stat.Ratio(s*s, diff*diff, stat.ZeroVariance), nil
	case NMiller:
		if !(d.KA > 0 && d.KB > 0) {
			return stat.None(stat.NoItems), nil
		}
		return stat.Ratio(z2*(d.Omega2+d.Sigma2A/d.KA+d.Sigma2B/d.KB), d.Delta*d.Delta, stat.ZeroVariance), nil
	case NWilsonHalfwidth:
		return itemsForHalfwidth(d.P, d.Halfwidth, za), nil
	case PowerMean:
		if d.SD == 0 || !(d.N > 0) {
			return stat.None(stat.ZeroVariance), nil
		}
		shift := d.Delta / (d.SD * math.Sqrt(d.Deff/d.N))
		return stat.Some(stat.NormalCDF(shift-za) + stat.NormalCDF(-shift-za)), nil
	}
	return stat.Opt{}, fmt.Errorf("power question %q is not known", q)
}

// itemsForHalfwidth is the smallest n whose Wilson interval at rate p is no
// wider than ± h; the half-width falls with n.
func itemsForHalfwidth(p, h, z float64) stat.Opt {
	const most = 1 << 52
	if !(p >= 0 && p <= 1 && h > 0) || wilsonHalfwidth(p, most, z) > h {
		return stat.None(stat.NotApplicable)
	}
	low, high := 0.0, 1.0
	for wilsonHalfwidth(p, high, z) > h {
		low, high = high, high*2
	}
	for high-low > 1 {
		mid := math.Floor((low + high) / 2)
		if wilsonHalfwidth(p, mid, z) > h {
			low = mid
		} else {
			high = mid
		}
	}
	return stat.Some(high)
}
