package reporttest

import (
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Full builds a report with every section that a report can have.
func Full() (*report.Report, error) {
	run := New(1, 60)
	earlier := New(1, 60)
	run.Manifest.Judges = append(run.Manifest.Judges, report.Judge{Name: "judge-a again", RetestOf: "judge-a"})
	var again []score.Score
	for i, s := range run.Scores {
		if s.Source != score.Judge {
			if s.Name == "reward" && i%2 == 0 && *s.Value == 0 {
				run.Scores[i].Value, run.Scores[i].Passed = new(0.5), new(false)
			}
			continue
		}
		if s.Status == score.Scored {
			run.Scores[i].Details = value.OfObject(value.Member{Key: "quotes", Value: value.OfInt(2)}, value.Member{Key: "quotes_grounded", Value: value.OfInt(1)})
		}
		if s.Judge == "judge-a" {
			s.Judge = "judge-a again"
			again = append(again, s)
		}
	}
	run.Scores = append(run.Scores, again...)
	in := run.Inputs()
	sheet, err := measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{Conversations: 30})
	if err != nil {
		return nil, err
	}
	for i := range sheet {
		sheet[i].Whole = labels.VerdictAnswer(i%3 > 0)
	}
	calibration, err := measure.Calibrate(in, sheet, measure.CalibrateConfig{})
	if err != nil {
		return nil, err
	}
	c, err := measure.Compare(earlier.Inputs(), in, measure.Config{})
	if err != nil {
		return nil, err
	}
	c.Name = "runs/<b>earlier</b>"
	return measure.Build(in, measure.Config{Calibration: calibration, Comparisons: []*report.Comparison{c}})
}
