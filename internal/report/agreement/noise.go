package agreement

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// noise compares each judge with its second hearing.
func (b *matcher) noise(r *report.Report) error {
	r.Noise = []report.NoiseRow{}
	for _, again := range b.Series {
		of := b.Manifest.Judge(again.Judge).RetestOf
		if of == "" || !series.IsJudge(again) {
			continue
		}
		key := again.Instrument
		key.Judge = of
		first := b.Table.All[key]
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

func (b *matcher) noiseRow(first, again *series.Series) (report.NoiseRow, error) {
	p := series.Pairing{Table: b.Table, Level: first.Level, Judge: first, Ref: again}
	row := report.NoiseRow{Judge: first.Judge, Rubric: first.Title(), Level: first.Level}
	s := sumsOf(p)
	row.N, row.Conversations = s.n, s.conversations
	shared := report.AgreementRow{Level: report.ConversationLevel} // there is no table by tool
	if err := b.rates(&shared, s); err != nil {
		return row, err
	}
	if err := b.coefficients(&shared, p, s); err != nil {
		return row, err
	}
	row.Kappa = shared.Kappa
	var repeated, flips uncertainty.ClusterStream
	p.Both(func(x, y series.Observation) {
		same := 0.0
		if x.Value == y.Value {
			same = 1
		}
		repeated.Add(same, x.Cluster())
		vx, vy := series.Decided(x, y)
		flips.Add(math.Abs(vx-vy), x.Cluster())
	})
	var err error
	if row.Repeated, err = report.RateOf(&repeated, b.Alpha); err != nil {
		return row, err
	}
	if row.Flips, err = report.RateOf(&flips, b.Alpha); err != nil {
		return row, err
	}
	sd, icc := s.values.Retest()
	row.WithinSD, row.ICC = report.Point(sd), report.Point(icc)
	floor := statistic.None(sd.Reason)
	if sd.Valid {
		floor = statistic.Some(2 * sd.Value / math.Sqrt(float64(s.n)))
	}
	row.Floor = report.Point(floor)
	return row, nil
}
