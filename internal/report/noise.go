package report

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// NoiseRow says what changes when a judge is asked the same twice: a difference between
// two runs below this is none.
type NoiseRow struct {
	Judge         string `json:"judge"`
	Rubric        string `json:"rubric"`
	Level         string `json:"level"`
	N             int    `json:"n"`
	Conversations int    `json:"conversations"`
	// Repeated is the share of items with the same score, Flips that of items whose
	// verdict changed.
	Repeated Estimate `json:"repeated"`
	Flips    Estimate `json:"flip_rate"`
	// WithinSD is the standard deviation of a score about its item's own mean, in
	// units of the rubric; ICC is ICC(1,1).
	WithinSD Estimate `json:"within_sd"`
	ICC      Estimate `json:"icc"`
	Kappa    Estimate `json:"kappa"`
	// Floor is the least difference of two runs' means over these items that is more
	// than noise: 2·WithinSD/√N.
	Floor Estimate `json:"floor"`
}

// noise compares each judge with its second hearing.
func (b *matcher) noise(r *Report) error {
	r.Noise = []NoiseRow{}
	for _, again := range b.series {
		of := b.manifest.Judge(again.Judge).RetestOf
		if of == "" || !isJudge(again) {
			continue
		}
		key := again.Instrument
		key.Judge = of
		first := b.table.all[key]
		if first == nil {
			continue
		}
		row, err := b.noiseRow(first, again)
		if err != nil {
			return fmt.Errorf("noise of %s on %s: %w", of, again.Title(), err)
		}
		r.Noise = append(r.Noise, row)
	}
	return nil
}

func (b *matcher) noiseRow(first, again *series) (NoiseRow, error) {
	p := pairing{b.table, first.Level, first, again}
	row := NoiseRow{Judge: first.Judge, Rubric: first.Title(), Level: first.Level}
	s := sumsOf(p)
	row.N, row.Conversations = s.n, s.conversations
	shared := AgreementRow{Level: ConversationLevel} // there is no table by tool
	if err := b.rates(&shared, s); err != nil {
		return row, err
	}
	if err := b.coefficients(&shared, p, s); err != nil {
		return row, err
	}
	row.Kappa = shared.Kappa
	var repeated, flips uncertainty.ClusterStream
	p.both(func(x, y observation) {
		same := 0.0
		if x.Value == y.Value {
			same = 1
		}
		repeated.Add(same, x.cluster())
		vx, vy := decided(x, y)
		flips.Add(math.Abs(vx-vy), x.cluster())
	})
	var err error
	if row.Repeated, err = streamRate(&repeated, b.Alpha); err != nil {
		return row, err
	}
	if row.Flips, err = streamRate(&flips, b.Alpha); err != nil {
		return row, err
	}
	sd, icc := s.values.Retest()
	row.WithinSD, row.ICC = point(sd), point(icc)
	floor := statistic.None(sd.Reason)
	if sd.Valid {
		floor = statistic.Some(2 * sd.Value / math.Sqrt(float64(s.n)))
	}
	row.Floor = point(floor)
	return row, nil
}

// Detectable says which true changes a run of this size can show at all, with 80 %
// power and before any correction for many tests, in units of the rate or mean that it
// stands beside.
type Detectable struct {
	// FromTarget is against a fixed number, BetweenRuns between two independent runs
	// of this size. The same items twice show smaller ones: see Compare.
	FromTarget  Estimate `json:"from_target"`
	BetweenRuns Estimate `json:"between_runs"`
}

// detectable is the smallest true difference that the mean of these values can show.
func detectable(m uncertainty.ClusterSE, alpha float64) (statistic.Opt, error) {
	if !m.SEIID.Valid || !m.Deff.Valid || m.SEIID.Value == 0 {
		return statistic.None(statistic.ZeroVariance), nil
	}
	n := float64(m.N)
	const power = 0.8
	answer, err := uncertainty.Power(uncertainty.MDEMean, uncertainty.PowerDesign{
		SD: m.SEIID.Value * math.Sqrt(n), N: n, Deff: m.Deff.Value, Alpha: alpha, Power: power,
	})
	return answer.Value, err
}

// detectableOf says what the mean of these values can show.
func detectableOf(values *uncertainty.ClusterStream, alpha float64) (Detectable, error) {
	m, err := values.Estimate(alpha)
	if err != nil {
		return Detectable{}, err
	}
	d, err := detectable(m, alpha)
	return Detectable{FromTarget: point(d), BetweenRuns: point(d.Times(math.Sqrt2))}, err
}
