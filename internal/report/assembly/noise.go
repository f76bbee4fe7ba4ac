package assembly

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// noise compares each judge with its retest.
func (b *builder) noise(r *report.Report) error {
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

func (b *builder) noiseRow(first, again *series.Series) (row report.NoiseRow, err error) {
	s := pairsOf(series.Pairing{Items: b.Table.Items, Level: first.Level, Judge: first, Ref: again})
	row = report.NoiseRow{Judge: first.Judge, Rubric: first.Title(), Level: first.Level, N: len(s.both), Conversations: s.conversations}
	if row.Kappa, err = b.kappa(s.decided, refPasses, judgePasses, verdicts, raters.NoWeights); err != nil {
		return row, err
	}
	if row.Repeated, err = report.RateOf(s.both, repeated, b.Alpha); err != nil {
		return row, err
	}
	if row.Flips, err = report.RateOf(s.both, flipped, b.Alpha); err != nil {
		return row, err
	}
	runs := make([][]float64, len(s.both))
	for i, p := range s.both {
		runs[i] = []float64{p.Judge.Value, p.Ref.Value}
	}
	icc, err := raters.IntraclassCorrelation(runs, b.Alpha)
	if err != nil {
		return row, err
	}
	sd := raters.TestRetest(runs, 0).WithinSD
	row.WithinSD, row.ICC, row.Floor = report.Point(sd), report.Point(icc.ICC1), report.Point(sd.Times(2/math.Sqrt(float64(row.N))))
	return row, nil
}

// repeated is 1 where both gave the same value.
func repeated(p series.Pair) float64 {
	if p.Judge.Value == p.Ref.Value {
		return 1
	}
	return 0
}

// flipped is 1 where the verdicts differ.
func flipped(p series.Pair) float64 { return 1 - same(p) }
