package uncertainty

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// ClusterStream is ClusterMean for values that are not kept: it takes them one by
// one and needs the same memory for ten of them and for ten million. The zero value
// is ready.
//
// Sums are compensated (Neumaier), products keep what they round off, so that the
// estimate differs from ClusterMean's by rounding alone and hardly depends on the
// order of the clusters. One thing it cannot tell:
// where the clusters' residuals cancel to nothing, ClusterMean may see a rest of the
// order of 1e-16 and this may see none, or the other way round.
type ClusterStream struct {
	n, clusters, dropped int
	// shift is the first value; all sums are of v - shift.
	shift, low, high float64
	sum, squares     compensated
	// Over clusters with sum s and k items: Σs², Σsk, Σk², Σs²/k.
	ss, sk, kk, perItem compensated

	open       bool
	cluster    int
	openSum    compensated
	openNumber float64
}

// compensated is a sum that carries what the additions lose.
type compensated struct{ total, lost float64 }

func (c *compensated) add(v float64) {
	t := c.total + v
	if math.Abs(c.total) >= math.Abs(v) {
		c.lost += (c.total - t) + v
	} else {
		c.lost += (v - t) + c.total
	}
	c.total = t
}

// addProduct adds a·b with the part that the product rounds off.
func (c *compensated) addProduct(a, b float64) {
	p := a * b
	c.add(p)
	c.lost += math.FMA(a, b, -p)
}

func (c *compensated) value() float64 { return c.total + c.lost }

// addTimes adds factor·d.
func (c *compensated) addTimes(factor float64, d compensated) {
	c.addProduct(factor, d.total)
	c.addProduct(factor, d.lost)
}

// about is Σ(s - k·m)² out of Σs², Σsk and Σk², never below 0. The terms nearly
// cancel, which is why all of them keep what they round off.
func about(m float64, ss, sk, kk compensated) float64 {
	out := ss
	out.addTimes(-2*m, sk)
	square := m * m
	out.addTimes(square, kk)
	out.addTimes(math.FMA(m, m, -square), kk)
	return math.Max(0, out.value())
}

// Add takes one value; NaN is missing and only counted. The values of one cluster
// must follow one another.
func (s *ClusterStream) Add(v float64, cluster int) {
	if math.IsNaN(v) {
		s.dropped++
		return
	}
	if s.n == 0 {
		s.shift, s.low, s.high = v, v, v
	}
	if s.open && cluster != s.cluster {
		s.close()
	}
	s.open, s.cluster = true, cluster
	s.n++
	s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	d := v - s.shift
	s.sum.add(d)
	s.squares.addProduct(d, d)
	s.openSum.add(d)
	s.openNumber++
}

// close takes the cluster that was open into the sums.
func (s *ClusterStream) close() {
	if !s.open {
		return
	}
	t, k := s.openSum.value(), s.openNumber
	s.clusters++
	s.ss.addProduct(t, t)
	s.sk.addProduct(t, k)
	s.kk.add(k * k)
	share := t / k
	s.perItem.addProduct(t, share)
	s.perItem.add(math.FMA(-share, k, t) * share)
	s.open, s.openSum, s.openNumber = false, compensated{}, 0
}

// N is the number of values that were not missing.
func (s *ClusterStream) N() int { return s.n }

// Estimate is what ClusterMean says of the values so far. Values may follow.
func (s *ClusterStream) Estimate(alpha float64) (ClusterSE, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return ClusterSE{}, err
	}
	done := *s
	done.close()
	return done.estimate(alpha), nil
}

func (s *ClusterStream) estimate(alpha float64) ClusterSE {
	out := newClusterSE(s.n, s.clusters, s.dropped)
	if s.n == 0 {
		return out
	}
	n, constant := float64(s.n), s.low == s.high
	m := s.sum.value() / n
	out.Mean = statistic.Some(s.shift + m)
	if s.n < 2 {
		return out
	}
	number := compensated{total: n}
	squares := about(m, s.squares, s.sum, number)
	between := about(m, s.ss, s.sk, s.kk)
	out.fill(squares, between, constant, alpha)
	if s.clusters < 2 {
		return out
	}
	out.ICC = s.icc(m, constant)
	out.Wilson = statistic.NoInterval(statistic.NotApplicable)
	if s.low >= 0 && s.high <= 1 {
		out.Wilson = clusterWilson(n, out.Mean.Value, out.NEff, s.clusters, alpha)
	}
	return out
}

// icc is clusterICC from the sums.
func (s *ClusterStream) icc(m float64, constant bool) statistic.Opt {
	n, g := float64(s.n), float64(s.clusters)
	if s.clusters >= s.n {
		return statistic.None(statistic.TooFew)
	}
	if constant {
		return statistic.None(statistic.ZeroVariance)
	}
	between := about(m, s.perItem, s.sum, compensated{total: n})
	rest := s.squares
	rest.addTimes(-1, s.perItem)
	within := math.Max(0, rest.value())
	msb, msw := between/(g-1), within/(n-g)
	n0 := (n - s.kk.value()/n) / (g - 1)
	return statistic.Ratio(msb-msw, msb+(n0-1)*msw, statistic.ZeroVariance)
}
