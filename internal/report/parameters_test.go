package report_test

import (
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

func TestBoundedMean(t *testing.T) {
	r := &report.Report{Run: report.Run{Rubrics: []report.Rubric{{Name: "intent", Min: 1, Max: 5}, {Name: "free"}}}}
	below, beyond := -9.0, 9.0
	row := func(source score.Source, name string, low, high float64) *report.ScoreRow {
		half := 0.5
		return &report.ScoreRow{
			Instrument: report.Instrument{Source: string(source), Name: name}, N: 3, Min: &low, Max: &high,
			Mean: report.Estimate{Value: &half, Low: &below, High: &beyond}, PassRate: report.Estimate{Value: &half},
		}
	}
	count := row(score.Label, "turns", 0, 1)
	count.PassRate = report.Estimate{Reason: "no_threshold"}
	metric, single := row(score.Judge, "intent", 2, 4), row(score.Deterministic, "f", 0, 1)
	metric.Metric, single.N = "m", 1
	partly, none := row(score.Label, "reward", 0, 1), row(score.Deterministic, "f", 0, 1)
	partly.PassRate, none.N = report.Estimate{Value: new(0.4)}, 0
	noLow, noHigh := row(score.Deterministic, "f", 0, 1), row(score.Deterministic, "f", 0, 1)
	noLow.Min, noHigh.Max = nil, nil
	for name, c := range map[string]struct {
		row       *report.ScoreRow
		low, high float64
		known     bool
	}{
		"rubric":           {row(score.Judge, "intent", 2, 4), 1, 5, true},
		"rubric off scale": {row(score.Judge, "intent", 2, 6), 1, 5, false},
		"no scale":         {row(score.Judge, "free", 2, 4), 0, 0, false},
		"scorer":           {row(score.Deterministic, "f", 0.2, 1), 0, 1, true},
		"wide scorer":      {row(score.Deterministic, "f", -1, 1), 0, 1, false},
		"verdict label":    {row(score.Label, "human", 0, 1), 0, 1, true},
		"other label":      {count, 0, 1, false},
		"nothing scored":   {&report.ScoreRow{}, 0, 0, false},
		"no item":          {none, 0, 1, false},
		"one item":         {single, 0, 1, true},
		"no smallest":      {noLow, 0, 1, false},
		"no largest":       {noHigh, 0, 1, false},
		"rubric's metric":  {metric, 1, 5, false},
		"graded label":     {partly, 0, 1, false},
		"zeros":            {row(score.Judge, "free", 0, 0), 0, 0, false},
	} {
		mean := r.BoundedMean(c.row)
		if !c.known {
			c.low, c.high = below, beyond
		}
		if mean.HasInterval() && (*mean.Low != c.low || *mean.High != c.high) {
			t.Errorf("%s: %v..%v, want %v..%v", name, *mean.Low, *mean.High, c.low, c.high)
		}
	}
}
