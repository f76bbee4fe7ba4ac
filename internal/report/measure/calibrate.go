package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// CalibrateConfig holds the settings of a calibration; the zero value means the defaults.
type CalibrateConfig struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Width is the wanted width of the pass rate's interval; 0 means [report.WantedWidth].
	Width float64
	Seed  uint64
}

// calibrator holds the scores of a run's judges and people's labels.
type calibrator struct {
	statistics
	*table
	cfg  CalibrateConfig
	rows []LabelRow
	// labels holds the filled rows.
	labels map[itemKey]LabelRow
}

// Calibrate compares the judges of a run with the filled rows of a sheet. A rubric is calibrated by
// the column with its name. The column label is about the whole call, so it is used only for the
// overall rubric, or for the only rubric.
func Calibrate(in report.Inputs, rows []LabelRow, cfg CalibrateConfig) (*report.Calibration, error) {
	cfg.Alpha, cfg.Width = cmp.Or(cfg.Alpha, 0.05), cmp.Or(cfg.Width, report.WantedWidth)
	c := &calibrator{
		statistics: statistics{Alpha: cfg.Alpha}, table: newTable(&in.Manifest, newItems(), runA, nil),
		cfg: cfg, rows: rows, labels: map[itemKey]LabelRow{},
	}
	for _, r := range rows {
		if r.filled() {
			c.labels[r.key()] = r
		}
	}
	for s, err := range judgements(in) {
		if err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		c.add(&s)
	}
	arrangeTables(c.table)
	out := &report.Calibration{
		Schema: report.CalibrationSchema, RunID: in.Manifest.RunID, Alpha: cfg.Alpha, Seed: cfg.Seed,
		Rows: []report.CalibrationRow{}, Unlabelled: []report.UnlabelledRubric{}, Warnings: []report.Warning{},
	}
	judges := c.labelledJudges()
	c.countLabels(out, judges)
	for _, j := range judges {
		known := func(u report.UnlabelledRubric) bool { return u.Rubric == j.Name }
		switch {
		case j.column != "":
			row, err := c.row(j)
			if err != nil {
				return nil, fmt.Errorf("calibrate %s by %s: %w", j.Name, j.Judge, err)
			}
			out.Rows = append(out.Rows, row)
			if n := c.taught(j.series, c.gold(j)); n > 0 {
				out.Warn(words.Warning(words.Taught, words.Counted(n, "label"), j.Name))
			}
			if row.NoSample != "" {
				out.Warn(words.Warning(words.NoSample, row.NoSample))
			}
		case !slices.ContainsFunc(out.Unlabelled, known):
			note := fmt.Sprintf("the label is of the whole call: give a column %s for this rubric", j.Name)
			out.Unlabelled = append(out.Unlabelled, report.UnlabelledRubric{Rubric: j.Name, Note: note})
		}
	}
	sorting.Stable(out.Rows, func(a, b report.CalibrationRow) int {
		kappa := cmp.Compare(b.Kappa.OrLowest(), a.Kappa.OrLowest())
		return cmp.Or(cmp.Compare(a.Rubric, b.Rubric), kappa, cmp.Compare(a.Judge, b.Judge))
	})
	return out, nil
}

// keyOf returns the key of an item on a sheet.
func (c *calibrator) keyOf(i item) itemKey {
	conversation, scope := sheetID(c.conversations.list[i.conversation]), ""
	switch {
	case i.turn > 0:
		scope = labels.Turn
	case i.hindsight:
		scope = labels.Result
	}
	return newKey(conversation, int(i.call), int(i.turn), scope)
}

// labelledJudge holds a judge's answers to one rubric, and which labels apply to them.
type labelledJudge struct {
	*series
	// column is the sheet's column with the labels, "" for none; whole says that labels of the
	// whole call count too.
	column string
	whole  bool
}

// labelledJudges returns what has labels, by rubric and judge: each rubric with the labels in its own column,
// and the rubric about the whole call with those in the column label, if its own is empty.
func (c *calibrator) labelledJudges() []labelledJudge {
	own, whole := map[string]bool{}, false
	for _, r := range c.labels {
		for name := range r.ByRubric {
			own[name] = true
		}
		whole = whole || r.Whole.Given()
	}
	all := dropped(c.judges(), func(sr *series) bool {
		return sr.Metric != "" || !slices.ContainsFunc(sr.cells, func(x cell) bool { return x.has(isScored) })
	})
	sorting.Stable(all, func(a, b *series) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Judge, b.Judge))
	})
	out := make([]labelledJudge, len(all))
	for i, sr := range all {
		only := all[0].Name == all[len(all)-1].Name
		j := labelledJudge{series: sr, whole: whole && (only || report.IsOverall(sr.Name))}
		switch {
		case own[sr.Name]:
			j.column = sr.Name
		case j.whole:
			j.column = LabelColumn
		}
		out[i] = j
	}
	return out
}

// gold returns the labels of the random sample as a series of the judge's items.
func (c *calibrator) gold(j labelledJudge) *series {
	out, categories := &series{}, c.scale[j.Name].Categories
	out.Source, out.Name, out.Level = string(score.Label), report.PeopleLabelOf(j.Name), j.Level
	for number := range uint32(c.count(j.Level)) {
		r := c.labels[c.keyOf(c.at(j.Level, number))]
		if a := r.labelOf(j.Name, j.whole); a.Given() && r.Sample == RandomSample {
			out.put(number, new(answerScore(a, categories)))
		}
	}
	out.cells.grow(c.count(j.Level))
	if out.places != nil {
		out.places.grow(c.count(j.Level))
	}
	return out
}

// countLabels adds the numbers of labels and how many are missing.
func (c *calibrator) countLabels(out *report.Calibration, judges []labelledJudge) {
	met, drawn := map[itemKey]bool{}, map[string]bool{}
	for _, j := range judges {
		for _, o := range c.observations(j.series) {
			if key := c.keyOf(o.of); o.has(isScored | isNotApplicable) {
				met[key] = true
			}
		}
	}
	for key, r := range c.labels {
		switch {
		case !met[key]:
			out.Unmatched++
		case r.Sample == RandomSample:
			out.Random++
			drawn[key.conv] = true
		default:
			out.Queue++
		}
	}
	out.Conversations = len(drawn)
	if out.Random == 0 {
		out.Warn(words.Warning(words.NoRandomSample))
	}
	if out.Unmatched > 0 {
		out.Warn(words.Warning(words.Unmatched, out.Unmatched))
	}
	if out.Random > 0 && out.Conversations < fewConversations {
		out.Warn(words.Warning(words.FewLabelled, out.Conversations, fewConversations))
	}
}

// fewConversations is the number of labelled conversations below which every number is rough.
const fewConversations = 20

// judgements returns the scores of judges that can be labelled.
func judgements(in report.Inputs) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		for s, err := range in.Scores() {
			var bad *score.LineError
			if errors.As(err, &bad) || err == nil && s.Source != score.Judge {
				continue
			}
			if err != nil {
				err = fmt.Errorf("read scores: %w", err)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}
