package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
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

// TestReadCalibration: a calibration of the run and its instruments is used, and another one is not, with a note; its sheet
// is used if it has more labels than the file, and the person that it named if that one still has labels.
func TestReadCalibration(t *testing.T) {
	dir, _, _ := twoRuns(t)
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	sheet := "conversation_id,call_index,sample,label\n"
	for i := range 3 {
		sheet += fmt.Sprintf("c%d,0,random,pass\nc%d,1,random,fail\n", i, i)
	}
	made, err := Calibrate(dir, strings.NewReader(sheet), "sheet.csv", measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, edit func(*report.Calibration), used bool, sized int, note string) {
		t.Helper()
		c := *made
		c.Rows = slices.Clone(made.Rows)
		if edit != nil {
			edit(&c)
		}
		data, err := json.Marshal(c)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, CalibrationFile), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := ReadLabelled(dir, &m.Manifest)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		got := ""
		for _, n := range l.Notes {
			got += n.Text
		}
		if (l.Calibration != nil) != used || l.Labels.Len() != sized || got != note {
			t.Errorf("%s: calibration %v, %d labels, %q", name, l.Calibration != nil, l.Labels.Len(), got)
		}
	}
	noSheet := func(c *report.Calibration) { c.Labels, c.Random, c.By = nil, 3, "bob" }
	check("a sheet", nil, true, 6, "")
	check("another run", func(c *report.Calibration) { c.RunID = strings.Repeat("0", 50) }, false, 0,
		"the run's calibration is not used: calibration.json is of another run ("+strings.Repeat("0", 40)+")")
	check("another instrument", func(c *report.Calibration) { c.Rows[0].Instrument = "other" }, false, 0,
		"the run's calibration is not used: calibration "+m.RunID+": made with another instrument for right_tool by first "+
			"(judge, model, prompt, rubric or thresholds differ): label again")
	check("no labels any more", noSheet, true, 0, "")
	label(t, dir, m.RunID, "c0", "c1", "c2")
	check("a sheet beside labels", nil, true, 6, "labels.jsonl has 3 labels, the calibrated sheet 6: the larger set is used")
	check("labels by another person", noSheet, true, 3, "")
	check("as many labels as then", func(c *report.Calibration) { noSheet(c); c.By = "ann" }, true, 3, "")
	check("fewer labels than then", func(c *report.Calibration) { noSheet(c); c.Random = 4 }, true, 3,
		"calibrated with 4 labels, and there are 3 now: run judge calibrate again")
	if _, _, err := CalibrateLabels(dir, "bob", measure.CalibrateConfig{}); err == nil ||
		err.Error() != `--by: bob labelled nothing here; these did: ["ann"]` {
		t.Error(err)
	}
	if people, _, err := People(dir, m.RunID, "bob", 0); people != nil || err == nil {
		t.Errorf("%+v, %v", people, err)
	}
	labelsFile := filepath.Join(dir, labels.FileName)
	if err := errors.Join(os.Remove(labelsFile), os.Mkdir(labelsFile, 0o700)); err != nil {
		t.Fatal(err)
	}
	if l, err := ReadLabelled(dir, &m.Manifest); err == nil {
		t.Errorf("labels that cannot be read: %+v", l)
	}
	if _, err := Plan(dir, measure.Config{}, report.Plan{}); err == nil {
		t.Error("a plan from labels that cannot be read")
	}
	if _, _, err := Report(dir, measure.Config{}, nil); err == nil {
		t.Error("a report of labels that cannot be read")
	}
}

// TestLabelsInAReport: the labels of people are among the scores of a run, of all conversations or of some.
func TestLabelsInAReport(t *testing.T) {
	dir, _, _ := twoRuns(t)
	m, in, err := directory.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	label(t, dir, m.RunID, "c0", "c2")
	l, err := ReadLabelled(dir, &m.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	cfg := measure.Config{}
	l.into(&in, &cfg)
	count := func(scores iter.Seq2[score.Score, error]) (text string) {
		for s, err := range scores {
			if err != nil {
				t.Fatal(err)
			}
			text += string(s.Source[:1])
		}
		return text
	}
	if all, some, none := count(in.Scores()), count(in.ScoresOf("c2")), count(in.ScoresOf("c1")); all != "djjldjjdjjl" ||
		some != "djjl" || none != "djj" || cfg.Labels != l.Labels {
		t.Errorf("%s, %s, %s, %v", all, some, none, cfg.Labels)
	}
}
