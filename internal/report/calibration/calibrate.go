package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Config tunes a calibration; the zero value takes the defaults.
type Config struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Width is the width of the pass rate's interval that is wanted, 0 for 0.1.
	Width float64
	// Risk is the share of wrong verdicts that is borne where a judge is trusted
	// alone, 0 for 0.1, and Delta the chance that it is more, 0 for 0.1.
	Risk, Delta float64
	Seed        uint64
}

// item is one judged call with its label, where it has one.
type item struct {
	conv           string
	call           int
	value, verdict float64 // NaN where missing
	confidences    []sourced
	gold           float64 // NaN where not labelled at random
	test           bool
}

// sourced is a confidence and where it comes from.
type sourced struct {
	source string
	p      float64
}

type instrument struct{ judge, rubric string }

// judged is everything that one judge said under one rubric.
type judged struct {
	instrument
	// own is the source of the confidence that the scores carry as theirs.
	own string
	// column is the sheet's column that the labels are from.
	column string
	items  []item
}

// Calibrate compares the judges of a run with the filled rows of a sheet. A rubric is
// calibrated by the column that has its name; the column label speaks of the whole
// call, and so of the overall rubric only, or of the one rubric that there is.
func Calibrate(in report.Inputs, rows []Row, cfg Config) (*report.Calibration, error) {
	cfg.Alpha, cfg.Width = cmp.Or(cfg.Alpha, 0.05), cmp.Or(cfg.Width, 0.1)
	cfg.Risk, cfg.Delta = cmp.Or(cfg.Risk, 0.1), cmp.Or(cfg.Delta, 0.1)
	labels := map[itemKey]Row{}
	for _, r := range rows {
		if r.Labelled() {
			labels[r.key()] = r
		}
	}
	list, met, err := gather(in, labels, cfg.Seed)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	c := &report.Calibration{
		Schema: report.CalibrationSchema, RunID: in.Manifest.RunID, Alpha: cfg.Alpha, Seed: cfg.Seed,
		Rows: []report.CalibrationRow{}, Unlabelled: []report.UnlabelledRubric{}, Warnings: []report.Warning{},
	}
	count(c, labels, met)
	list = slices.DeleteFunc(list, func(j *judged) bool {
		if j.column == "" && !slices.ContainsFunc(c.Unlabelled, func(u report.UnlabelledRubric) bool { return u.Rubric == j.rubric }) {
			c.Unlabelled = append(c.Unlabelled, report.UnlabelledRubric{Rubric: j.rubric,
				Note: fmt.Sprintf("the label is of the whole call: give a column %s for this rubric", j.rubric)})
		}
		return j.column == ""
	})
	for _, j := range list {
		res, err := calibrate(in.Manifest, j, cfg)
		if err != nil {
			return nil, fmt.Errorf("calibrate %s by %s: %w", j.rubric, j.judge, err)
		}
		c.Rows = append(c.Rows, res)
	}
	slices.SortFunc(c.Rows, func(a, b report.CalibrationRow) int {
		return cmp.Or(cmp.Compare(a.Rubric, b.Rubric), cmp.Compare(orLow(b.Kappa), orLow(a.Kappa)), cmp.Compare(a.Judge, b.Judge))
	})
	return c, nil
}

func orLow(e report.Estimate) float64 {
	if e.Value == nil {
		return math.Inf(-1)
	}
	return *e.Value
}

func count(c *report.Calibration, labels map[itemKey]Row, met map[itemKey]bool) {
	convs := map[string]bool{}
	for key, r := range labels {
		switch {
		case !met[key]:
			c.Unmatched++
		case r.Sample == Random:
			c.Random++
			convs[key.conv] = true
		default:
			c.Queue++
		}
	}
	c.Conversations = len(convs)
	warn := func(code, format string, args ...any) {
		c.Warnings = append(c.Warnings, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if c.Random == 0 {
		warn("no_random_sample", "no filled row is of the random sample: nothing can be estimated from picked items")
	}
	if c.Unmatched > 0 {
		warn("unmatched", "labels that meet no judged call of this run: %d", c.Unmatched)
	}
	const few = 20
	if c.Random > 0 && c.Conversations < few {
		warn("few_conversations", "labelled conversations: %d; intervals need about %d", c.Conversations, few)
	}
}

// gather collects what each judge said under each rubric, by rubric and judge, its
// calls sorted, with the labels at random.
func gather(in report.Inputs, labels map[itemKey]Row, seed uint64) ([]*judged, map[itemKey]bool, error) {
	byName, met := map[instrument]*judged{}, map[itemKey]bool{}
	again := map[string]bool{} // a second hearing is no further instrument
	for _, j := range in.Manifest.Judges {
		again[j.Name] = j.RetestOf != ""
	}
	for s, err := range in.Scores() {
		var bad *score.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read scores: %w", err)
		}
		if s.Source != score.Judge || s.Value == nil || s.Metric != "" || s.Purpose == "qa" || again[s.Judge] {
			continue
		}
		j := byName[instrument{s.Judge, s.Name}]
		if j == nil {
			j = &judged{instrument: instrument{strings.Clone(s.Judge), strings.Clone(s.Name)}}
			byName[j.instrument] = j
		}
		it := j.read(s)
		// Halves by conversation; another salt than the draw, so that they are
		// independent of it.
		it.test = hash(seed^0x7465737468616c66, it.conv)&1 == 1
		if _, ok := labels[itemKey{it.conv, it.call}]; ok {
			met[itemKey{it.conv, it.call}] = true
		}
		j.items = append(j.items, it)
	}
	list := make([]*judged, 0, len(byName))
	for _, j := range byName {
		list = append(list, j)
		slices.SortFunc(j.items, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.conv, b.conv), cmp.Compare(a.call, b.call), cmp.Compare(a.value, b.value))
		})
		j.items = slices.CompactFunc(j.items, func(a, b item) bool { return a.conv == b.conv && a.call == b.call })
	}
	slices.SortFunc(list, func(a, b *judged) int {
		return cmp.Or(cmp.Compare(a.rubric, b.rubric), cmp.Compare(a.judge, b.judge))
	})
	assign(list, labels)
	return list, met, nil
}

// read takes over one score.
func (j *judged) read(s score.Score) item {
	it := item{conv: strings.Clone(sheetID(s.ConversationID)), call: callOf(s.CallIndex), value: *s.Value, verdict: math.NaN(), gold: math.NaN()}
	if s.Passed != nil {
		it.verdict = indicator(*s.Passed)
	}
	all, own := report.ConfidencesOf(s)
	for source, p := range all {
		it.confidences = append(it.confidences, sourced{j.intern(source), p})
	}
	slices.SortFunc(it.confidences, func(a, b sourced) int { return cmp.Compare(a.source, b.source) })
	if s.Confidence != nil && len(j.items) == 0 {
		j.own = strings.Clone(own)
	}
	return it
}

// intern keeps one copy of the name of a source.
func (j *judged) intern(source string) string {
	if n := len(j.items); n > 0 {
		for _, c := range j.items[n-1].confidences {
			if c.source == source {
				return c.source
			}
		}
	}
	return strings.Clone(source)
}

// assign gives each rubric its labels: those of its own column, and for the rubric of
// the whole call those of the column label where its own is empty.
func assign(list []*judged, labels map[itemKey]Row) {
	own, whole := map[string]bool{}, false
	for _, r := range labels {
		for name := range r.ByRubric {
			own[name] = true
		}
		whole = whole || r.Passed != nil
	}
	only := len(list) > 0 && list[0].rubric == list[len(list)-1].rubric
	for _, j := range list {
		speaksOfAll := whole && (only || strings.HasPrefix(j.rubric, "overall"))
		switch {
		case own[j.rubric]:
			j.column = j.rubric
		case speaksOfAll:
			j.column = LabelColumn
		default:
			continue
		}
		for i := range j.items {
			it := &j.items[i]
			r, ok := labels[itemKey{it.conv, it.call}]
			if !ok || r.Sample != Random {
				continue
			}
			if passed, ok := r.ByRubric[j.rubric]; ok {
				it.gold = indicator(passed)
			} else if speaksOfAll && r.Passed != nil {
				it.gold = indicator(*r.Passed)
			}
		}
	}
}

// indicator is 1 where b holds.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// columns are items as package agreement takes them.
type columns struct {
	value, verdict, gold []float64
	cluster              []int
}

func columnsOf(list []item, keep func(item) bool) columns {
	var c columns
	var convs []string
	for _, it := range list {
		if !keep(it) {
			continue
		}
		c.value, c.verdict = append(c.value, it.value), append(c.verdict, it.verdict)
		c.gold = append(c.gold, it.gold)
		convs = append(convs, it.conv)
	}
	c.cluster = stat.ClusterIDs(convs)
	return c
}

func labelled(it item) bool { return !math.IsNaN(it.gold) }

// inHalf are the labelled items of the half that fits, or of the one that tests.
func inHalf(test bool) func(item) bool {
	return func(it item) bool { return labelled(it) && it.test == test }
}
