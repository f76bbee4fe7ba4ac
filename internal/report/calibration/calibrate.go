package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Config tunes a calibration; the zero value takes the defaults.
type Config struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Width is the width of the pass rate's interval that is wanted, 0 for 0.1.
	Width float64
	Seed  uint64
}

// item is one judged call with its label, where it has one.
type item struct {
	conv                       string
	call                       int
	value, verdict, confidence float64 // NaN where missing
	gold                       float64 // NaN where not labelled at random
	test                       bool
}

type instrument struct{ judge, rubric string }

// Calibrate compares the judges of a run with the filled rows of a sheet.
func Calibrate(in report.Inputs, rows []Row, cfg Config) (*report.Calibration, error) {
	cfg.Alpha, cfg.Width = cmp.Or(cfg.Alpha, 0.05), cmp.Or(cfg.Width, 0.1)
	labels := map[itemKey]Row{}
	for _, r := range rows {
		if r.Passed != nil {
			labels[r.key()] = r
		}
	}
	items, met, err := gather(in, labels, cfg.Seed)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	c := &report.Calibration{Schema: report.CalibrationSchema, RunID: in.Manifest.RunID, Alpha: cfg.Alpha, Seed: cfg.Seed, Rows: []report.CalibrationRow{}, Warnings: []report.Warning{}}
	count(c, labels, met)
	for key, list := range items {
		res, err := calibrate(in.Manifest, key, list, cfg)
		if err != nil {
			return nil, fmt.Errorf("calibrate %s by %s: %w", key.rubric, key.judge, err)
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

// gather collects each instrument's calls, sorted, with the labels at random.
func gather(in report.Inputs, labels map[itemKey]Row, seed uint64) (map[instrument][]item, map[itemKey]bool, error) {
	out, met := map[instrument][]item{}, map[itemKey]bool{}
	for s, err := range in.Scores() {
		var bad *score.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read scores: %w", err)
		}
		if s.Source != score.Judge || s.Value == nil || s.Metric != "" || s.Purpose == "qa" {
			continue
		}
		it := item{conv: strings.Clone(s.ConversationID), call: callOf(s.CallIndex), value: *s.Value, verdict: math.NaN(), confidence: math.NaN(), gold: math.NaN()}
		if s.Passed != nil {
			it.verdict = truth(*s.Passed)
		}
		if s.Confidence != nil {
			it.confidence = *s.Confidence
		}
		if r, ok := labels[itemKey{it.conv, it.call}]; ok {
			met[itemKey{it.conv, it.call}] = true
			if r.Sample == Random {
				it.gold = truth(*r.Passed)
			}
		}
		// Halves by conversation; another salt than the draw, so that they are
		// independent of it.
		it.test = hash(seed^0x7465737468616c66, it.conv)&1 == 1
		key := instrument{strings.Clone(s.Judge), strings.Clone(s.Name)}
		out[key] = append(out[key], it)
	}
	for key, list := range out {
		slices.SortFunc(list, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.conv, b.conv), cmp.Compare(a.call, b.call), cmp.Compare(a.value, b.value))
		})
		out[key] = slices.CompactFunc(list, func(a, b item) bool { return a.conv == b.conv && a.call == b.call })
	}
	return out, met, nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// columns are items as package agreement takes them.
type columns struct {
	value, verdict, confidence, gold []float64
	cluster                          []int
}

func columnsOf(list []item, keep func(item) bool) columns {
	var c columns
	var convs []string
	for _, it := range list {
		if !keep(it) {
			continue
		}
		c.value, c.verdict = append(c.value, it.value), append(c.verdict, it.verdict)
		c.confidence, c.gold = append(c.confidence, it.confidence), append(c.gold, it.gold)
		convs = append(convs, it.conv)
	}
	c.cluster = statistic.ClusterIDs(convs)
	return c
}

func labelled(it item) bool { return !math.IsNaN(it.gold) }
