package assembly

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Config tunes a report; the zero value takes the defaults.
type Config struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Thresholds re-decide verdicts.
	Thresholds []report.Threshold
	// MaxDisagreements bounds the list, 0 for 200, negative for none.
	MaxDisagreements int
	// MaxTools bounds the tools that have a row of their own, 0 for 100; the rest
	// is folded into one row.
	MaxTools int
	// SmallN marks tools with fewer items, 0 for 30.
	SmallN int
	// Gold names the reference that is taken for the truth, "" for the strongest that
	// there is: labels before execution before matches with expected calls.
	Gold string
	// Calibration re-decides verdicts and maps confidences as labels showed; nil for
	// none. It is bound to the declared pass bands and excludes Thresholds.
	Calibration *report.Calibration
	// Comparisons stand in the report as they are given, this run being B in each.
	Comparisons []*report.Comparison
	// Notes are further warnings of the caller's.
	Notes []report.Warning
}

func (c Config) withDefaults() Config {
	if c.Alpha == 0 {
		c.Alpha = 0.05
	}
	c.MaxDisagreements = cmp.Or(c.MaxDisagreements, 200)
	c.MaxTools = cmp.Or(c.MaxTools, 100)
	c.SmallN = cmp.Or(c.SmallN, 30)
	return c
}

// builder holds what the parts of a report share.
type builder struct {
	Config
	*series.Run
	applied *report.Applied
}

// Build joins and compares the scores of a run. It fails only when the scores
// cannot be read; whatever is wrong with single scores is counted in the report.
func Build(in report.Inputs, cfg Config) (*report.Report, error) {
	if in.Scores == nil {
		return nil, errors.New("build report: no scores given")
	}
	var applied *report.Applied
	if cfg.Calibration != nil {
		if len(cfg.Thresholds) > 0 {
			return nil, errors.New("build report: a calibration is bound to the declared thresholds; give one or the other")
		}
		var err error
		if in, applied, err = applyCalibration(cfg.Calibration, in); err != nil {
			return nil, err
		}
	}
	m := in.Manifest
	b := newBuilder(&m, cfg)
	b.In, b.applied = in, applied
	if err := b.Table.Read(in.Scores(), &m, cfg.Thresholds); err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	r, err := b.report()
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return r, nil
}

// report makes the report of what was read.
func (b *builder) report() (*report.Report, error) {
	series.Settle(b.Table)
	b.Arrange()
	r := &report.Report{
		Schema: report.Schema, Run: b.Header(), Counts: b.counts(), Stopped: b.Manifest.Stopped, Policy: "as_is", Alpha: b.Alpha,
		GoldName: cmp.Or(b.Gold, b.Manifest.Gold),
		Metrics:  b.Manifest.Metrics, ByParameter: b.Manifest.ByParameter, Gates: []report.GateResult{}, Warnings: []report.Warning{},
	}
	for _, part := range []func(*report.Report) error{
		b.scoreRows, b.toolRows, b.toolConversations, b.funnel, b.compare, b.checks, b.disagreements,
	} {
		if err := part(r); err != nil {
			return nil, err
		}
	}
	b.warn(r)
	r.Comparisons = b.Comparisons
	r.Calibration = b.applied
	if b.applied != nil {
		r.Warnings = append(r.Warnings, b.applied.Warnings()...)
	}
	r.Warnings = append(r.Warnings, b.Notes...)
	r.Summary = r.Sentences()
	return r, nil
}

func (b *builder) counts() report.Counts {
	c := b.Manifest.Counts
	c.Scores, c.BadLines, c.Duplicates = b.Table.Counts.Scores, b.Table.Counts.BadLines, b.Table.Counts.Duplicates
	if c.Conversations == 0 {
		c.Conversations = b.Table.Items.Conversations()
	}
	if c.Calls == 0 {
		for _, sr := range series.AtLevel(b.Series, report.CallLevel) {
			c.Calls = max(c.Calls, sr.Len())
		}
	}
	c.Unscored = []report.KindCount{}
	for k, m := range b.Table.Unscored {
		k.Count, k.First = m.Count, m.First
		c.Unscored = append(c.Unscored, k)
	}
	slices.SortFunc(c.Unscored, func(x, y report.KindCount) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Kind, y.Kind))
	})
	return c
}

// warn names what makes the whole run doubtful.
func (b *builder) warn(r *report.Report) {
	for _, row := range r.Scores {
		if row.Unreliable && row.Source == string(score.Judge) {
			r.Warnings = append(r.Warnings, report.Warning{Code: "unreliable", Text: fmt.Sprintf(
				"%s by %s: %d of %d judgements are missing; what is missing is seldom random, so read its numbers with care",
				row.Title(), row.Judge, row.Unscored+row.Errors, row.N+row.Unscored+row.Errors)})
		}
	}
	if n := r.Counts.BadLines; n > 0 {
		r.Warnings = append(r.Warnings, report.Warning{Code: "bad_lines", Text: fmt.Sprintf("%d lines of the score stream could not be read and are left out", n)})
	}
	if n := r.Counts.Duplicates; n > 0 {
		r.Warnings = append(r.Warnings, report.Warning{Code: "duplicates", Text: fmt.Sprintf("%d scores repeat an item that the same instrument had scored; one of each is kept", n)})
	}
	for _, n := range r.Counts.Notes {
		if n.Kind == transcript.ReferenceConflict {
			r.Warnings = append(r.Warnings, report.Warning{Code: n.Kind, Text: transcript.ConflictWords(n.Count)})
		}
	}
	for _, j := range r.Run.Judges {
		if j.Baseline && j.RetestOf == "" {
			r.Warnings = append(r.Warnings, report.Warning{Code: "baseline", Text: fmt.Sprintf("%s is the built-in rule-based baseline, not a language model", j.Name)})
		}
	}
}
