package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// CalibrateConfig tunes a calibration; the zero value takes the defaults.
type CalibrateConfig struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Width is the width of the pass rate's interval that is wanted, 0 for 0.1.
	Width float64
	Seed  uint64
}

// judged are all answers of one judge under one rubric.
type judged struct {
	judge, rubric string
	// column is the sheet's column that the labels are from, "" for none.
	column string
	// choice says why the labels are no random sample, "" if they are one.
	choice string
	items  []labelledItem // by conversation and call
}

// labelledItem is one judged call with its label, where it has one.
type labelledItem struct {
	itemKey
	value, verdict float64       // NaN where missing
	confidence     float64       // NaN if the judge states none
	gold           float64       // NaN where not labelled at random
	said           []PersonLabel // by people, of this rubric
	test           bool          // in the half that tests
}

// Calibrate compares the judges of a run with the filled rows of a sheet. A rubric is
// calibrated by the column that has its name; the column label is for the whole
// call, and so for the overall rubric only, or for the one rubric that there is.
func Calibrate(in report.Inputs, rows []LabelRow, cfg CalibrateConfig) (*report.Calibration, error) {
	cfg.Alpha, cfg.Width = cmp.Or(cfg.Alpha, 0.05), cmp.Or(cfg.Width, 0.1)
	labels := map[itemKey]LabelRow{}
	for _, r := range rows {
		if r.Passed != nil || len(r.ByRubric) > 0 {
			labels[r.key()] = r
		}
	}
	list, err := gatherJudged(in, cfg.Seed)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	assignLabels(list, labels, rows)
	c := &report.Calibration{
		Schema: report.CalibrationSchema, RunID: in.Manifest.RunID, Alpha: cfg.Alpha, Seed: cfg.Seed,
		Rows: []report.CalibrationRow{}, Unlabelled: []report.UnlabelledRubric{}, Warnings: []report.Warning{},
	}
	countLabels(c, list, labels)
	for _, j := range list {
		known := func(u report.UnlabelledRubric) bool { return u.Rubric == j.rubric }
		switch {
		case j.column != "":
			row, err := calibrateRow(in.Manifest, j, cfg)
			if err != nil {
				return nil, fmt.Errorf("calibrate %s by %s: %w", j.rubric, j.judge, err)
			}
			c.Rows = append(c.Rows, row)
			if row.NoSample != "" {
				c.Warn(words.Warning(words.NoSample, row.NoSample))
			}
		case !slices.ContainsFunc(c.Unlabelled, known):
			note := fmt.Sprintf("the label is of the whole call: give a column %s for this rubric", j.rubric)
			c.Unlabelled = append(c.Unlabelled, report.UnlabelledRubric{Rubric: j.rubric, Note: note})
		}
	}
	slices.SortFunc(c.Rows, func(a, b report.CalibrationRow) int {
		kappa := cmp.Compare(b.Kappa.OrLowest(), a.Kappa.OrLowest())
		return cmp.Or(cmp.Compare(a.Rubric, b.Rubric), kappa, cmp.Compare(a.Judge, b.Judge))
	})
	return c, nil
}

// countLabels fills in the numbers of labels and how many are lacking.
func countLabels(c *report.Calibration, list []*judged, labels map[itemKey]LabelRow) {
	judged, drawn := map[itemKey]bool{}, map[string]bool{}
	for _, j := range list {
		for _, it := range j.items {
			judged[it.itemKey] = true
		}
	}
	for key, r := range labels {
		switch {
		case !judged[key]:
			c.Unmatched++
		case r.Sample == RandomSample:
			c.Random++
			drawn[key.conv] = true
		default:
			c.Queue++
		}
	}
	c.Conversations = len(drawn)
	if c.Random == 0 {
		c.Warn(words.Warning(words.NoRandomSample))
	}
	if c.Unmatched > 0 {
		c.Warn(words.Warning(words.Unmatched, c.Unmatched))
	}
	if c.Random > 0 && c.Conversations < fewConversations {
		c.Warn(words.Warning(words.FewLabelled, c.Conversations, fewConversations))
	}
}

// fewConversations is below how many labelled conversations every number is rough.
const fewConversations = 20

// judgements are the scores of judges that can be labelled.
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

// gatherJudged collects each judge's answers under each rubric, by rubric and judge. A retest is
// not an instrument of its own.
func gatherJudged(in report.Inputs, seed uint64) ([]*judged, error) {
	byName := map[[2]string]*judged{}
	var list []*judged
	for s, err := range judgements(in) {
		if err != nil {
			return nil, err
		}
		if s.Value == nil || s.Metric != "" || s.Purpose == "qa" || in.Manifest.Judge(s.Judge).RetestOf != "" {
			continue
		}
		j := byName[[2]string{s.Name, s.Judge}]
		if j == nil {
			j = &judged{judge: strings.Clone(s.Judge), rubric: strings.Clone(s.Name)}
			byName[[2]string{j.rubric, j.judge}] = j
			list = append(list, j)
		}
		j.add(s, seed)
	}
	for _, j := range list {
		slices.SortFunc(j.items, func(a, b labelledItem) int {
			return cmp.Or(a.itemKey.compare(b.itemKey), cmp.Compare(a.value, b.value))
		})
		j.items = slices.CompactFunc(j.items, func(a, b labelledItem) bool { return a.itemKey == b.itemKey })
	}
	slices.SortFunc(list, func(a, b *judged) int {
		return cmp.Or(cmp.Compare(a.rubric, b.rubric), cmp.Compare(a.judge, b.judge))
	})
	return list, nil
}

// add takes over one score, whose strings share the memory of its line. Halves are by
// conversation, with another salt than the draw, so that they are independent of it.
func (j *judged) add(s score.Score, seed uint64) {
	key := itemKey{strings.Clone(sheetID(s.ConversationID)), callOf(s.CallIndex)}
	it := labelledItem{
		itemKey: key, value: *s.Value, verdict: math.NaN(), gold: math.NaN(), confidence: math.NaN(),
		test: drawHash(seed^0x7465737468616c66, key.conv)&1 == 1,
	}
	if s.Passed != nil {
		it.verdict = asNumber(*s.Passed)
	}
	if s.Confidence != nil {
		it.confidence = *s.Confidence
	}
	j.items = append(j.items, it)
}

// assignLabels gives each rubric its labels: those of its own column, and for the rubric of
// the whole call those of the column label where its own is empty; and finds out whether
// these are a random sample.
func assignLabels(list []*judged, labels map[itemKey]LabelRow, rows []LabelRow) {
	own, whole := map[string]bool{}, false
	for _, r := range labels {
		for name := range r.ByRubric {
			own[name] = true
		}
		whole = whole || r.Passed != nil
	}
	only := len(list) > 0 && list[0].rubric == list[len(list)-1].rubric
	for _, j := range list {
		ofAll := whole && (only || report.IsOverall(j.rubric))
		switch {
		case own[j.rubric]:
			j.column = j.rubric
		case ofAll:
			j.column = LabelColumn
		default:
			continue
		}
		for i := range j.items {
			r := labels[j.items[i].itemKey]
			if passed, ok := r.labelOf(j.rubric, ofAll); ok && r.Sample == RandomSample {
				j.items[i].gold = asNumber(passed)
			}
			j.items[i].said = ofRubric(r.Said, j.rubric, ofAll)
		}
		j.choice = chosen(progressOf(rows, j.rubric, ofAll), func(yield func(string, bool) bool) {
			for _, it := range j.items {
				if !yield(it.conv, hasGold(it)) {
					return
				}
			}
		})
	}
}

// selection are some items as package agreement takes them.
type selection struct {
	items   []labelledItem
	cluster []int
}

// pick takes the items for which all of keep hold.
func pick(list []labelledItem, keep ...func(labelledItem) bool) selection {
	var s selection
	var conversations []string
	for _, it := range list {
		if !slices.ContainsFunc(keep, func(k func(labelledItem) bool) bool { return !k(it) }) {
			s.items, conversations = append(s.items, it), append(conversations, it.conv)
		}
	}
	s.cluster = stat.ClusterIDs(conversations)
	return s
}

// column is a number per item.
func (s selection) column(of func(labelledItem) float64) []float64 {
	out := make([]float64, len(s.items))
	for i, it := range s.items {
		out[i] = of(it)
	}
	return out
}

func goldOf(it labelledItem) float64    { return it.gold }
func valueOf(it labelledItem) float64   { return it.value }
func verdictOf(it labelledItem) float64 { return it.verdict }

func hasGold(it labelledItem) bool { return !math.IsNaN(it.gold) }

// inHalf are the items of the half that fits, or of the one that tests.
func inHalf(test bool) func(labelledItem) bool {
	return func(it labelledItem) bool { return it.test == test }
}
