package run

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// TestOlderCalibration: a calibration that was made of another number of labels than there are now is said to be older.
func TestOlderCalibration(t *testing.T) {
	for random, want := range map[int]string{0: "", 5: "older_calibration"} {
		l := Labelled{Calibration: &report.Calibration{Random: random}}
		l.choose(nil, nil)
		codes := ""
		for _, n := range l.Notes {
			codes += n.Code
		}
		if codes != want {
			t.Errorf("calibrated with %d labels, and none is there: %q, want %q", random, codes, want)
		}
	}
}

// TestDamageIsNamed: the first damaged lines of a journal are named, and that there are more.
func TestDamageIsNamed(t *testing.T) {
	for _, tt := range []struct {
		stats journal.Stats
		want  []string
	}{
		{journal.Stats{}, nil},
		{journal.Stats{TornBytes: 7}, []string{"7 bytes of an unfinished exchange"}},
		{journal.Stats{Damaged: 2, DamagedLines: [5]int{3, 9}}, []string{"2 damaged lines of the journal are not used, and what they answered is asked again: exchanges.jsonl:3, exchanges.jsonl:9, "}},
		{journal.Stats{Damaged: 5, DamagedLines: [5]int{1, 2, 3, 4, 5}}, []string{"exchanges.jsonl:4, exchanges.jsonl:5, why"}},
		{journal.Stats{Damaged: 6, DamagedLines: [5]int{1, 2, 3, 4, 5}}, []string{"exchanges.jsonl:4, exchanges.jsonl:5, …, why"}},
	} {
		var said []string
		tt.stats.Damage = "why"
		w := watch{out: &Outcome{}, obs: &Observer{Note: func(line string) { said = append(said, line) }}}
		w.out.Journal = tt.stats
		w.reportDamage()
		if len(said) != len(tt.want) || len(said) > 0 && !strings.Contains(said[0], tt.want[0]) || w.work.Damaged != tt.stats.Damaged {
			t.Errorf("%+v: %q, want %q", tt.stats, said, tt.want)
		}
	}
}

// TestLabelsOfTwoSources: the larger set of labels is used, the file's of two that are alike, and a note gives both sizes.
func TestLabelsOfTwoSources(t *testing.T) {
	some := func(n int) *measure.Labels {
		var rows []measure.LabelRow
		for i := range n {
			rows = append(rows, measure.LabelRow{ConversationID: "c", CallIndex: i, Sample: measure.RandomSample,
				Whole: labels.Answer{Label: labels.Pass}})
		}
		return measure.NewLabels(rows, &report.Manifest{})
	}
	for _, tt := range []struct {
		file, sheet, calibrated int
		fromSheet               bool
		note                    string
	}{
		{0, 0, 0, false, ""}, {1, 0, 1, false, ""}, {0, 1, 5, true, ""},
		{1, 1, 5, false, "labels.jsonl has 1 labels, the calibrated sheet 1: the larger set is used"},
		{1, 2, 5, true, "labels.jsonl has 1 labels, the calibrated sheet 2: the larger set is used"},
		{2, 0, 5, false, "calibrated with 5 labels, and there are 2 now: run judge calibrate again"},
	} {
		l := Labelled{Calibration: &report.Calibration{Random: tt.calibrated}}
		file, sheet := some(tt.file), some(tt.sheet)
		l.choose(file, sheet)
		note := ""
		for _, n := range l.Notes {
			note += n.Text
		}
		if (l.Labels == sheet) != tt.fromSheet && sheet != file || note != tt.note {
			t.Errorf("%+v: from the sheet %v, %q", tt, l.Labels == sheet, note)
		}
	}
}

// TestCalibrationThatDecides: the run's calibration decides, unless another one or thresholds are given, or none is wanted.
func TestCalibrationThatDecides(t *testing.T) {
	own, other := &report.Calibration{}, &report.Calibration{}
	for name, tt := range map[string]struct {
		own  *report.Calibration
		cfg  measure.Config
		want *report.Calibration
		note string
	}{
		"nothing":      {nil, measure.Config{}, nil, "n"},
		"its own":      {own, measure.Config{}, own, "n"},
		"another":      {own, measure.Config{Calibration: other}, other, "n"},
		"uncalibrated": {own, measure.Config{Uncalibrated: true}, nil, "n"},
		"thresholds": {own, measure.Config{Thresholds: make([]report.Threshold, 1)}, nil,
			"nthe run's calibration is not used: thresholds are given"},
	} {
		l := Labelled{Calibration: tt.own, Notes: []report.Warning{{Text: "n"}}}
		l.into(&report.Inputs{}, &tt.cfg)
		note := ""
		for _, n := range tt.cfg.Notes {
			note += n.Text
		}
		if tt.cfg.Calibration != tt.want || note != tt.note {
			t.Errorf("%s: %p, want %p; %q", name, tt.cfg.Calibration, tt.want, note)
		}
	}
}
