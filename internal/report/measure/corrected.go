package measure

import (
	"fmt"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// applyCalibration makes verdicts follow the fitted thresholds, if the calibration has any. It
// fails if the calibration belongs to another instrument, or to none of this run's.
func (b *Builder) applyCalibration() error {
	c := b.cfg.Calibration
	if err := c.Check(*b.manifest); err != nil {
		return err
	}
	out := &report.Applied{Calibration: *c, OfThisRun: c.RunID == b.manifest.RunID}
	out.Rows, out.Unlabelled = []report.CalibrationRow{}, []report.UnlabelledRubric{}
	for _, r := range c.Rows {
		if !b.manifest.HasJudgement(r.Judge, r.Rubric) {
			continue
		}
		if r.Threshold.Change {
			r.CutInUse = r.Threshold.Best.Value
		}
		if !out.OfThisRun {
			r.PassRate = nil // the labels are not a sample of this run
		}
		out.Rows = append(out.Rows, r)
	}
	if len(out.Rows) == 0 {
		return fmt.Errorf("calibration %s: none of its judges and rubrics is in this run", c.RunID)
	}
	for _, u := range c.Unlabelled {
		if _, ok := b.manifest.Rubric(u.Rubric); ok {
			out.Unlabelled = append(out.Unlabelled, u)
		}
	}
	b.applied, b.decide = out, decider(nil, out)
	return nil
}

// sampled corrects the rates of the judges' overall rubrics by labels of the log that cover a
// random sample of its conversations, and the rates of all rubrics by people's labels.
func (b *Builder) sampled(r *report.Report) {
	names := b.manifest.RandomLabels
	for _, label := range b.references() {
		people := b.cfg.Labels != nil && report.IsPeople(label.Instrument)
		if !people && (label.Source != string(score.Label) || !slices.Contains(names, label.Name)) {
			continue
		}
		for _, judge := range b.judges() {
			wanted := r.IsWhole(judge.Name)
			if people {
				wanted = judge.Level == label.Level && sameConstruct(r, judge.Name, label.Instrument)
			}
			part := judge.Level == report.ResultLevel || judge.Level == report.TurnLevel
			if judge.Metric == "" && wanted && (people || !part) && b.decides(judge) {
				r.Corrected = append(r.Corrected, b.correct(r, judge, label, people))
			}
		}
	}
	b.unsample(r)
	for _, name := range names {
		if !slices.ContainsFunc(b.references(), func(sr *series) bool { return sr.Name == name }) {
			b.cfg.Notes = append(b.cfg.Notes, words.Warning(words.NoSuchLabel, words.Shorten(name, 60)))
		}
	}
}

// unsample makes the rows of labels that are a selection describe only the labelled items, each
// counted once, and removes their intervals, also by tool.
func (b *Builder) unsample(r *report.Report) {
	chosen := func(in report.Instrument) bool {
		return in.Source == string(score.Label) && headliner{r}.chosen(in.Name)
	}
	for i := range r.Scores {
		if row := &r.Scores[i]; chosen(row.Instrument) {
			mean, rate, _ := b.estimates(b.items.observations(b.byKey[row.Instrument]))
			row.Mean, row.PassRate = report.NoSample(mean.Value), report.NoSample(rate.Value)
			row.Detectable = report.Detectable{FromTarget: report.NoSample(nil), BetweenRuns: report.NoSample(nil)}
		}
	}
	for _, tool := range slices.Concat(r.ByTool, r.ByToolConversations) {
		for i := range tool.Scores { // the rows share them
			if s := &tool.Scores[i]; chosen(s.Instrument) {
				s.Mean, s.PassRate = report.NoSample(s.Mean.Value), report.NoSample(s.PassRate.Value)
			}
		}
	}
}

// correct returns a judge's rate corrected by a label. If one is about calls and the other about
// conversations, a conversation passes if all its calls do.
func (b *Builder) correct(r *report.Report, judge, label *series, people bool) report.LabelCorrection {
	out := report.LabelCorrection{Judge: judge.Judge, Rubric: judge.Name, Label: label.Name, Level: judge.Level}
	if judge.Level != label.Level {
		out.Level = report.ConversationLevel
		if judge.Level == report.CallLevel {
			judge = b.reduced(judge, report.ReduceMin)
		} else {
			label = b.reduced(label, report.ReduceMin)
		}
	}
	all := dropped(b.pairs(judge, label), func(p pair) bool { return !p.judge.has(isDecided) })
	if n := b.taught(judge, label); n > 0 {
		r.Warnings = append(r.Warnings, words.Warning(words.Taught, words.Counted(n, "label"), judge.Name))
	}
	choice, name := "", label.Name
	if people {
		choice, name = b.cfg.Labels.NoSample(label.Name, b.labelledItems(all)), ""
	}
	if choice != "" {
		unweigh(all)
	}
	s := b.statistics.correct(all, judge.Judge, name, report.WantedWidth, choice)
	out.N, out.Labelled, out.CorrectedRate, out.NoSample = len(all), s.LabeledClusters, s.CorrectedRate, s.NoSample
	out.Labels = s.Passes + s.Fails
	if w := words.Warning(words.NoSample, out.NoSample); out.NoSample != "" && !slices.Contains(r.Warnings, w) {
		r.Warnings = append(r.Warnings, w)
	}
	return out
}

// labelledItems yields, for each pair, the conversation's id on a sheet, and whether the pair has a label.
func (s *items) labelledItems(all []pair) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, p := range all {
			if !yield(sheetID(s.conversations.list[p.of.conversation]), p.ref.has(isDecided|isNotApplicable)) {
				return
			}
		}
	}
}
