package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// Config holds the settings of a report or a comparison; the zero value means the defaults.
type Config struct {
	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// Thresholds replace the pass bands with which the run decided verdicts.
	Thresholds []report.Threshold
	// Gold names the reference to use as the truth; "" means the strongest: labels, then execution,
	// then matches with expected calls.
	Gold string
	// Primary names the score that a comparison is about; "" means the overall rubric.
	Primary string
	// Calibration decides verdicts anew according to labels; nil for none. It applies only to the
	// declared pass bands and cannot be combined with Thresholds.
	Calibration *report.Calibration
	// Uncalibrated ignores the calibration in a run directory.
	Uncalibrated bool
	// Labels holds people's labels of the run's calls, which are also among its scores; nil for none.
	Labels *Labels
	// EarlierLabels holds people's labels of run A in a comparison; Labels holds those of run B.
	EarlierLabels *Labels
	// Comparisons are added to the report unchanged. This run is run B in each.
	Comparisons []*report.Comparison
	// Notes are further warnings of the caller.
	Notes []report.Warning
}

const (
	// maxListed limits the listed disagreements and changed verdicts.
	maxListed = 200
	// maxKept limits how many fails keep their texts if scores are pushed.
	maxKept = 2000
	// maxTools limits the tools with a row of their own.
	maxTools = 100
)

// Builder receives the scores of a run one by one and then builds its report. It keeps only the
// explanations of the first fails.
type Builder struct {
	statistics
	*table
	cfg Config
	// scoresOf starts a second pass over the scores, for explanations. If scores are pushed it is
	// nil, and kept holds the first fails.
	scoresOf func(conversations ...string) iter.Seq2[score.Score, error]
	kept     []score.Score
	applied  *report.Applied
}

// NewBuilder starts a report. The manifest's scorers must be known now; Finish reads the rest.
func NewBuilder(m *report.Manifest, cfg Config) *Builder {
	return &Builder{
		cfg: cfg, statistics: statistics{Alpha: cmp.Or(cfg.Alpha, 0.05)},
		table: newTable(m, newItems(), runA, cfg.Thresholds),
	}
}

// Add adds a score. An unusable score is counted.
func (b *Builder) Add(s *score.Score) {
	b.add(s)
	if s.Passed != nil && !*s.Passed && len(b.kept) < maxKept {
		b.kept = append(b.kept, textOf(s))
	}
}

// Annotate adds comparisons with other runs, and the caller's notes, to the report.
func (b *Builder) Annotate(comparisons []*report.Comparison, notes []report.Warning) {
	b.cfg.Comparisons, b.cfg.Notes = comparisons, notes
}

// ReadTexts makes Finish read explanations by scoresOf, instead of those of the first fails.
func (b *Builder) ReadTexts(scoresOf func(conversations ...string) iter.Seq2[score.Score, error]) {
	b.scoresOf = scoresOf
}

// Build builds the report of a run from its scores. It fails only if the scores cannot be read;
// unusable scores are counted in the report.
func Build(in report.Inputs, cfg Config) (*report.Report, error) {
	b, err := readBuilder(in, cfg)
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// readBuilder returns a Builder that has read the scores of a run.
func readBuilder(in report.Inputs, cfg Config) (*Builder, error) {
	if in.Scores == nil {
		return nil, errors.New("build report: no scores given")
	}
	if err := report.CheckThresholds(cfg.Thresholds, &in.Manifest); err != nil {
		return nil, err
	}
	b := NewBuilder(&in.Manifest, cfg)
	if b.scoresOf = in.ScoresOf; b.scoresOf == nil {
		b.scoresOf = func(...string) iter.Seq2[score.Score, error] { return in.Scores() }
	}
	if cfg.Calibration != nil {
		if len(cfg.Thresholds) > 0 {
			return nil, errors.New("build report: a calibration is bound to the declared thresholds; give " +
				"one or the other")
		}
		if err := b.applyCalibration(); err != nil {
			return nil, err
		}
	}
	if err := b.read(in.Scores()); err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return b, nil
}

// Finish builds the report. Nothing may be added afterwards.
func (b *Builder) Finish() (*report.Report, error) {
	m := *b.manifest // a copy, because the thresholds in use are set in it
	b.manifest = &m
	arrangeTables(b.table)
	r := &report.Report{
		Schema: report.Schema, Run: b.header(), Counts: b.reportCounts(), Stopped: m.Stopped,
		Alpha: b.Alpha, GoldName: cmp.Or(b.cfg.Gold, m.Gold),
		Metrics: m.Metrics, ByParameter: m.ByParameter, Gates: []report.GateResult{}, Warnings: []report.Warning{},
	}
	b.scoreRows(r)
	b.toolRows(r)
	b.funnel(r)
	b.agreement(r)
	b.rankings(r)
	b.peers(r)
	b.consensus(r)
	b.noise(r)
	b.sampled(r)
	if b.cfg.Labels != nil {
		r.PeoplePairs = b.cfg.Labels.Pairs
	}
	b.probe(r)
	b.disagreements(r)
	b.failing(r)
	if b.Keep(b.readTexts(r)); b.Err() != nil {
		return nil, fmt.Errorf("build report: %w", b.Err())
	}
	b.warn(r)
	r.Comparisons = b.cfg.Comparisons
	r.Calibration = b.applied
	if b.applied != nil {
		r.Warnings = append(r.Warnings, words.CalibrationDoubts(b.applied)...)
	}
	r.Warnings = append(r.Warnings, b.cfg.Notes...)
	setHeadline(r)
	r.Summary = words.Sentences(r)
	return r, nil
}

// reportCounts returns the manifest's counts with those of the scores.
func (b *Builder) reportCounts() report.Counts {
	c := b.manifest.Counts
	c.Scores, c.BadLines, c.Duplicates = b.counts.Scores, b.counts.BadLines, b.counts.Duplicates
	c.Conversations = cmp.Or(c.Conversations, len(b.conversations.list))
	c.Calls = cmp.Or(c.Calls, len(b.calls))
	c.Unscored = []report.KindCount{}
	for _, m := range b.unscored {
		c.Unscored = append(c.Unscored, m.KindCount)
	}
	sorting.Stable(c.Unscored, func(x, y report.KindCount) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Kind, y.Kind))
	})
	return c
}
