package result

import (
	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/value"
)

// Sampling describes the samples of a judgement under self-consistency.
type Sampling struct {
	// Valid and Failed count samples; failed ones are left out of everything else.
	Valid, Failed int
	// Majority is the value of most samples (a tie goes to the lower one), Median
	// and Variance (n-1, nil below two samples) describe the samples.
	Majority, Median, Variance *float64
	// PassShare is the share of samples in the pass band.
	PassShare *float64
	// Tie says that two values had equally many samples.
	Tie bool
}

// NewSampling takes over what statistics say about the samples.
func NewSampling(c *answer.Consistency) *Sampling {
	return &Sampling{
		Valid: c.Valid, Failed: c.Failed, Majority: c.Majority.Pointer(), Median: c.Median.Pointer(),
		Variance: c.Variance.Pointer(), PassShare: c.PassShare.Pointer(), Tie: c.MajorityIsATie,
	}
}

func (s *Sampling) value() value.Value {
	d := details{}
	d.add("valid", value.OfInt(int64(s.Valid)))
	d.add("failed", value.OfInt(int64(s.Failed)))
	for _, p := range []struct {
		key string
		f   *float64
	}{{"majority", s.Majority}, {"median", s.Median}, {"variance", s.Variance}, {"pass_share", s.PassShare}} {
		if p.f != nil {
			d.add(p.key, value.OfFloat(*p.f))
		}
	}
	d.add("tie", value.OfBool(s.Tie))
	return value.OfObject(d.members...)
}
