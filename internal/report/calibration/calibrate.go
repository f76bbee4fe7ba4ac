package calibration

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Schema is the version of a calibration file.
const Schema = "judge.calibration/v1"

// Calibration is what a filled sheet says about a run's judges.
type Calibration struct {
	Schema string  `json:"schema"`
	RunID  string  `json:"run_id"`
	Alpha  float64 `json:"alpha"`
	Seed   uint64  `json:"seed"`
	// Labelled counts the filled rows that met a judge's score, by sample.
	Random        int `json:"random_labels"`
	Queue         int `json:"queue_labels"`
	Conversations int `json:"random_conversations"`
	Unmatched     int `json:"unmatched_labels"`
	// Rows has a row per judge and rubric, the best judge of a rubric first.
	Rows     []Result         `json:"rows"`
	Warnings []report.Warning `json:"warnings"`
}

// Result is one judge on one rubric.
type Result struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Instrument is the hash of judge, model, prompt, rubric and pass band that
	// the calibration is bound to.
	Instrument string `json:"instrument"`
	// N are the labelled items of the random sample that the judge scored.
	N             int             `json:"n"`
	Conversations int             `json:"conversations"`
	Kappa         report.Estimate `json:"kappa"`
	RecallWrong   report.Estimate `json:"recall_wrong"`
	Specificity   report.Estimate `json:"specificity"`
	AUC           report.Estimate `json:"auc"`
	Threshold     Threshold       `json:"threshold"`
	Confidence    Confidence      `json:"confidence"`
	PassRate      PassRate        `json:"pass_rate"`
	Warnings      []string        `json:"warnings,omitempty"`
}

// Threshold is a cut fitted on the calibration half; the kappas are those of the
// test half.
type Threshold struct {
	Best report.Estimate `json:"best"`
	// AtDeclared and AtBest are kappa with the declared and with the best cut, Gain
	// their difference with its bootstrap interval.
	AtDeclared report.Estimate `json:"kappa_at_declared"`
	AtBest     report.Estimate `json:"kappa_at_best"`
	Gain       report.Estimate `json:"gain"`
	// Change says that the gain exceeds its standard error: only then is another
	// cut worth it.
	Change bool `json:"change"`
}

// Confidence maps the judge's confidence in a verdict to the chance that it is
// right: 1/(1+exp(A·confidence+B)).
type Confidence struct {
	A report.Estimate `json:"a"`
	B report.Estimate `json:"b"`
	// BrierRaw and BrierMapped are on the test half; lower is better.
	BrierRaw    report.Estimate `json:"brier_raw"`
	BrierMapped report.Estimate `json:"brier_mapped"`
	Use         bool            `json:"use"`
}

// PassRate is the agent's pass rate on all judged items.
type PassRate struct {
	// Corrected is PPI++ over conversations: the judge's rate minus its error as
	// the labels show it. Naive is the judge's own rate, LabelsOnly the labels'.
	Corrected  report.Estimate `json:"corrected"`
	Naive      report.Estimate `json:"naive"`
	LabelsOnly report.Estimate `json:"labels_only"`
	// Bias is the judge's rate minus the labels' on the labelled items.
	Bias report.Estimate `json:"bias"`
	// FurtherConversations is about how many more must be labelled until the
	// interval of Corrected is WantedWidth wide; nil where that is unknown.
	WantedWidth          float64 `json:"wanted_width"`
	FurtherConversations *int    `json:"further_conversations"`
}

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
func Calibrate(in report.Inputs, rows []Row, cfg Config) (*Calibration, error) {
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
	c := &Calibration{Schema: Schema, RunID: in.Manifest.RunID, Alpha: cfg.Alpha, Seed: cfg.Seed, Rows: []Result{}, Warnings: []report.Warning{}}
	c.count(labels, met)
	for key, list := range items {
		res, err := calibrate(in.Manifest, key, list, cfg)
		if err != nil {
			return nil, fmt.Errorf("calibrate %s by %s: %w", key.rubric, key.judge, err)
		}
		c.Rows = append(c.Rows, res)
	}
	slices.SortFunc(c.Rows, func(a, b Result) int {
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

func (c *Calibration) count(labels map[itemKey]Row, met map[itemKey]bool) {
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
		warn("unmatched", "%d labels meet no judged call of this run", c.Unmatched)
	}
	const few = 20
	if c.Random > 0 && c.Conversations < few {
		warn("few_conversations", "only %d conversations are labelled; intervals need about %d", c.Conversations, few)
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
	c.cluster = agreement.ClusterIDs(convs)
	return c
}

func labelled(it item) bool { return !math.IsNaN(it.gold) }

// Hash names an instrument: judge, model, prompt, rubric and pass band.
func Hash(m report.Manifest, judge, rubric string) string {
	parts := []any{judge, rubric}
	for _, j := range m.Judges {
		if j.Name == judge {
			parts = append(parts, j.Model, j.Prompt)
		}
	}
	for _, r := range m.Rubrics {
		if r.Name == rubric {
			parts = append(parts, r.SHA, r.Low, r.High)
		}
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "" // bounds are finite, so this cannot be
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Check refuses a calibration that was made with other instruments than those of m.
func (c *Calibration) Check(m report.Manifest) error {
	for _, r := range c.Rows {
		if now := Hash(m, r.Judge, r.Rubric); now != r.Instrument {
			return fmt.Errorf("calibration %s: made with another instrument for %s by %s (judge, model, prompt, rubric or thresholds differ): label again", c.RunID, r.Rubric, r.Judge)
		}
	}
	return nil
}

// WriteJSON writes the calibration as indented JSON.
func (c *Calibration) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}
