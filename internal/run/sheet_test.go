package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/judges"
)

// twoRuns judges the bench's log twice in directories of their own: the second judge answers 6 minus the first one's
// number, so that it passes c0 and c1's first calls, which the first one fails, and fails c1 and c2's last ones.
func twoRuns(t *testing.T) (earlier, later string, logs *input.Source) {
	t.Helper()
	s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		r := benchAnswers(c)
		if !strings.Contains(string(c.Body), `"second"`) {
			return r
		}
		for n := range 6 {
			if old := fmt.Sprintf(`\"output\":%d`, n); strings.Contains(r.Body, old) {
				r.Body = strings.Replace(r.Body, old, fmt.Sprintf(`\"output\":%d`, 6-n), 1)
				break
			}
		}
		return r
	})
	defer s.Close()
	var size atomic.Int64
	for _, model := range []string{"first", "second"} {
		p := shortPlan(t, s.URL, model, benchLog(&size))
		p.Judges[0].Config.Transport = judges.JSONSchema
		dir := t.TempDir()
		if out, err := executeSetup(t.Context(), p, dir, false, Observer{}); err != nil || out.Scored != 6 {
			t.Fatalf("%+v, %v", out, err)
		}
		if earlier == "" {
			earlier = dir
		}
		later = dir
	}
	return earlier, later, &input.Source{Logs: []input.Log{benchLog(&size)}}
}

// label gives the first calls of conversations the label pass.
func label(t *testing.T, dir, runID string, conversations ...string) {
	t.Helper()
	f, err := labels.Open(filepath.Join(dir, labels.FileName), runID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, id := range conversations {
		if _, err := f.Append(labels.Event{Who: "ann", Action: labels.Give, ConversationID: id, CallIndex: new(0),
			Seen: labels.Blind, Frame: labels.Random, Probability: 1, Rank: i + 1,
			Answer: labels.Answer{Label: labels.Pass}}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChanged: the calls that two runs decide differently are listed, fails and passes in turn, with their texts; what
// has a label already is left out.
func TestChanged(t *testing.T) {
	earlier, later, logs := twoRuns(t)
	list := func(most int) (out []string) {
		rows, err := Changed(t.Context(), earlier, later, "right_tool", logs, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			out = append(out, fmt.Sprint(r.ConversationID, ":", r.CallIndex, " ", r.Tool, " ", r.Sample, " ", r.Call))
		}
		return out
	}
	all := []string{`c1:1 cancel queue cancel {"id":1}`, `c0:0 find queue find {"id":0}`,
		`c2:1 cancel queue cancel {"id":2}`, `c1:0 find queue find {"id":1}`}
	if d := cmp.Diff(all, list(9)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(all[:3], list(3)); d != "" {
		t.Error(d)
	}
	m, err := directory.ReadManifest(earlier)
	if err != nil {
		t.Fatal(err)
	}
	label(t, earlier, m.RunID, "c1")
	if d := cmp.Diff([]string{all[2], all[1]}, list(9)); d != "" {
		t.Error(d)
	}
	if rows, err := Changed(t.Context(), earlier, earlier, "right_tool", logs, 9); err != nil || len(rows) != 0 {
		t.Errorf("a run beside itself: %v, %v", rows, err)
	}
	if _, err := Changed(t.Context(), earlier, later, "tone", logs, 9); err == nil ||
		err.Error() != earlier+" has no verdict of a call by tone" {
		t.Errorf("another rubric: %v", err)
	}
	if err := os.Remove(filepath.Join(later, directory.ScoresFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Changed(t.Context(), earlier, later, "right_tool", logs, 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run without scores: %v", err)
	}
	if _, err := Changed(t.Context(), t.TempDir(), later, "right_tool", logs, 9); err == nil {
		t.Error("a folder without a run has changes")
	}
	damaged := filepath.Join(earlier, labels.FileName)
	if err := errors.Join(os.Remove(damaged), os.Mkdir(damaged, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := Changed(t.Context(), earlier, later, "right_tool", logs, 9); err == nil {
		t.Error("labels that cannot be read are no labels")
	}
}

// TestSheet: a sheet has the calls of drawn conversations, and of disagreements unless none are wanted, with their texts;
// without the logs it says what is missing.
func TestSheet(t *testing.T) {
	dir, _, logs := twoRuns(t)
	sheet, err := Sheet(t.Context(), dir, logs, measure.SheetConfig{Conversations: 2, Queue: -1})
	if err != nil {
		t.Fatal(err)
	}
	if len(sheet.Rows) != 4 || sheet.LogProblem != "" || sheet.Own != nil {
		t.Errorf("%+v", sheet)
	}
	for _, r := range sheet.Rows {
		want := fmt.Sprintf(`%s {"id":%s}`, r.Tool, r.ConversationID[1:])
		if r.Call != want {
			t.Errorf("%s:%d: %s, want %s", r.ConversationID, r.CallIndex, r.Call, want)
		}
	}
	if d := cmp.Diff([]string{"right_tool"}, sheet.Rubrics); d != "" {
		t.Error(d)
	}
	all, err := Sheet(t.Context(), dir, logs, measure.SheetConfig{Conversations: 3})
	if err != nil || len(all.Rows) != 6 {
		t.Errorf("%+v, %v", all, err)
	}
	gone := &input.Source{}
	if sheet, err = Sheet(t.Context(), dir, gone, measure.SheetConfig{Queue: -1}); err != nil ||
		sheet.LogProblem != "bench.jsonl is not there any more" || sheet.Rows[0].Call != "" {
		t.Errorf("%+v, %v", sheet, err)
	}
	if _, err = Sheet(t.Context(), t.TempDir(), logs, measure.SheetConfig{}); err == nil {
		t.Error("a folder without a run has a sheet")
	}
}

// TestReadLabelledRun: the labels of a run's folder are read; a run without them has none, and lines that cannot be used
// are told.
func TestReadLabelledRun(t *testing.T) {
	dir, _, _ := twoRuns(t)
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := ReadLabelled(dir, &m.Manifest); err != nil || l.Labels != nil || l.Notes != nil || isLabelled(dir) {
		t.Errorf("no labels: %+v, %v", l, err)
	}
	if _, _, err := People(dir, m.RunID, "", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no labels: %v", err)
	}
	path := filepath.Join(dir, labels.FileName)
	label(t, dir, m.RunID, "c0", "c1", "c2")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("no label\n"), data...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadLabelled(dir, &m.Manifest)
	if err != nil || l.Labels.Len() != 3 || len(l.Notes) != 1 || l.Notes[0].Code != "labels_not_used" || !isLabelled(dir) {
		t.Errorf("three labels: %+v, %v", l, err)
	}
	people, problems, err := People(dir, m.RunID, "", 0)
	if err != nil || len(people.Rows) != 3 || len(problems) != 1 {
		t.Errorf("%+v, %q, %v", people, problems, err)
	}
	if err := os.WriteFile(filepath.Join(dir, CalibrationFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err = ReadLabelled(dir, &m.Manifest); err != nil || l.Calibration != nil || len(l.Notes) != 2 ||
		l.Notes[0].Code != "calibration_not_used" {
		t.Errorf("a damaged calibration: %+v, %v", l, err)
	}
	sheet := "conversation_id,call_index,sample,label\n" // of the judge's own verdicts, turned around once
	for i := range 3 {
		sheet += fmt.Sprintf("c%d,0,random,%s\nc%d,1,random,pass\n", i, map[bool]string{true: "pass", false: "fail"}[i == 0], i)
	}
	c, err := Calibrate(dir, strings.NewReader(sheet), "sheet.csv", measure.CalibrateConfig{})
	if err != nil || len(c.Labels) != 6 || c.RunID != m.RunID {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err = Calibrate(dir, strings.NewReader("label\nmaybe\n"), "sheet.csv", measure.CalibrateConfig{}); err == nil ||
		!strings.Contains(err.Error(), "sheet.csv") {
		t.Error(err)
	}
	if _, err = Calibrate(t.TempDir(), strings.NewReader(sheet), "sheet.csv", measure.CalibrateConfig{}); err == nil {
		t.Error("a folder without a run is calibrated")
	}
	c, problems, err = CalibrateLabels(dir, "ann", measure.CalibrateConfig{})
	if err != nil || c.By != "ann" || len(c.People) != 1 || len(problems) != 1 {
		t.Errorf("%+v, %q, %v", c, problems, err)
	}
	if _, _, err = CalibrateLabels(t.TempDir(), "", measure.CalibrateConfig{}); err == nil {
		t.Error("a folder without a run is calibrated")
	}
}
