package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// TestCompareTwoAgentsOnRealTasks: of public τ-bench and τ² results of two models, whose
// ids have nothing in common, every task that both attempted is paired, and scores of
// calls decide by conversation.
func TestCompareTwoAgentsOnRealTasks(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("runs four real logs")
	}
	for _, tt := range []struct {
		a, b   string
		shared int
	}{
		{"tau/trajectories/asteroid-gpt-4o-mini-retail.json.gz", "tau/trajectories/asteroid-gpt-4o-guarded-retail.json.gz", 58},
		{"tau2/runs/gpt-4.1-airline.json.gz", "tau2/runs/qwen2.5-7b-airline.json.gz", 20},
	} {
		var dirs []string
		for _, name := range []string{tt.a, tt.b} {
			path := realdata.Path(t, "data", filepath.FromSlash(name))
			dir := t.TempDir()
			if _, err := executeSetup(t.Context(), plan(t, "", fileLog(path)), dir, false, Observer{}); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		c, _, err := Compare(dirs[0], dirs[1], measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Shared != tt.shared || c.Calls.Unpaired < 0.3 || c.Calls.Moved == 0 {
			t.Errorf("%s: %d conversations in both, want %d; calls %+v", tt.a, c.Shared, tt.shared, c.Calls)
		}
		reduced := 0
		for _, r := range c.Rows {
			if r.Decides != (r.Reduced != "" || r.Level == report.ConversationLevel) {
				t.Errorf("%s: %s %s decides %v", tt.a, r.Title(), r.Tool, r.Decides)
			}
			if r.Reduced != "" && r.Tool == "" {
				reduced++
			}
		}
		if reduced < 2 || !strings.Contains(c.Summary[1], "The agent made other calls") {
			t.Errorf("%s: %d rows by conversation; %q", tt.a, reduced, c.Summary)
		}
	}
}

// TestAgainst: a run is not compared with itself, by whatever path.
func TestAgainst(t *testing.T) {
	var dirs []string
	for range 2 {
		dirs = append(dirs, t.TempDir())
		if _, err := executeSetup(t.Context(), plan(t, "", fileLog(supportLog)), dirs[len(dirs)-1], false, Observer{}); err != nil {
			t.Fatal(err)
		}
	}
	same := filepath.Join(dirs[0], ".", "..", filepath.Base(dirs[0]))
	if _, err := Against(dirs[0], same, measure.Config{}); err == nil || !strings.Contains(err.Error(), "its own baseline") {
		t.Errorf("%v", err)
	}
	if _, err := Against(dirs[0], filepath.Join(dirs[0], "none"), measure.Config{}); err == nil {
		t.Error("compared with a run that is not there")
	}
	known := &report.Comparison{Name: "known"}
	cfg := measure.Config{Comparisons: []*report.Comparison{known}}
	found := comparisons(dirs[0], []measure.Gate{{Score: "a", Against: dirs[1]}, {Score: "b", Against: "known", MaxDrop: new(0.1)},
		{Score: "c", Against: dirs[1], MaxDrop: new(0.1)}, {Score: "d", Against: dirs[1], MaxDrop: new(0.2)},
		{Score: "e", Against: same, MaxDrop: new(0.1)}}, &cfg)
	if len(found) != 3 || found["known"] != known || found[dirs[1]] == nil || found[same] != nil || len(cfg.Comparisons) != 2 ||
		cfg.Comparisons[1] != found[dirs[1]] || len(cfg.Notes) != 1 || cfg.Notes[0].Text !=
		"gate on e: no comparison with the baseline: "+same+" is this very run; it cannot be its own baseline" {
		t.Errorf("%+v, %+v", found, cfg)
	}
	if c, err := Against(dirs[0], dirs[1], measure.Config{}); err != nil || c.Shared == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMixed(t *testing.T) {
	m := &directory.Manifest{}
	for _, r := range []judges.Result{
		{Judge: "fickle", Transport: llm.Tools, Fingerprint: "a"}, {Judge: "steady", Transport: llm.Tools, Fingerprint: "b"},
		{Judge: "fickle", Transport: llm.JSONSchema, Fingerprint: "c"}, {Judge: "steady", Transport: llm.JSONSchema},
		{Judge: "fickle", Transport: llm.Tools, Fingerprint: "d"},
	} {
		m.CountTransport(&r)
	}
	got := mixed(m)
	if len(got) != 1 || !strings.Contains(got[0].Text, "judge fickle") || !strings.Contains(got[0].Text, "(1 by json_schema, 2 by tools)") {
		t.Errorf("%+v", got)
	}
}

// TestCommonThresholds: the later run's thresholds are taken where they differ from the earlier one's for the same
// version of a rubric or type of a scorer.
func TestCommonThresholds(t *testing.T) {
	rubric := func(name, sha string, low, high *float64) report.Rubric {
		return report.Rubric{Name: name, SHA: sha, Low: low, High: high}
	}
	a := &report.Manifest{
		Rubrics: []report.Rubric{rubric("same", "1", new(0.5), new(1.0)), rubric("low", "1", new(0.5), new(1.0)),
			rubric("high", "1", new(0.5), new(1.0)), rubric("other", "1", new(0.5), nil), rubric("none", "1", new(0.5), nil)},
		Scorers: []report.Scorer{{Name: "new", Type: "t"}, {Name: "end", Type: "t", Low: new(0.5), High: new(0.9)},
			{Name: "type", Type: "t", Low: new(0.5)}, {Name: "gone", Type: "t", Low: new(0.5)}},
	}
	b := &report.Manifest{
		Rubrics: []report.Rubric{rubric("same", "1", new(0.5), new(1.0)), rubric("low", "1", new(0.6), new(1.0)),
			rubric("high", "1", new(0.5), new(0.9)), rubric("other", "2", new(0.7), nil), rubric("none", "1", nil, nil),
			rubric("added", "1", new(0.5), nil)},
		Scorers: []report.Scorer{{Name: "new", Type: "t", Low: new(0.5)}, {Name: "end", Type: "t", Low: new(0.5)},
			{Name: "type", Type: "u", Low: new(0.6)}},
	}
	want := []report.Threshold{{Name: "low", Low: 0.6, High: new(1.0)}, {Name: "high", Low: 0.5, High: new(0.9)},
		{Name: "new", Low: 0.5}, {Name: "end", Low: 0.5}}
	if diff := cmp.Diff(want, commonThresholds(a, b)); diff != "" {
		t.Error(diff)
	}
}

// TestCompareRuns: a comparison knows the labels of both runs, and says what else differs; what cannot be read is an error.
func TestCompareRuns(t *testing.T) {
	a, b, _ := twoRuns(t)
	warnings := func(list []report.Warning) (codes []string) {
		for _, w := range list {
			codes = append(codes, w.Code)
		}
		return codes
	}
	note := report.Warning{Code: "mine", Text: "mine"}
	c, partners, err := Compare(a, b, measure.Config{Notes: []report.Warning{note}})
	if err != nil || c.Name != a || c.Shared != 3 || partners == nil || !slices.Contains(c.Warnings, note) ||
		!c.Calls.Known || c.Calls.Same != 6 {
		t.Fatalf("%+v, %v", c, err)
	}
	before := warnings(c.Warnings)
	set := func(dir, status string) {
		t.Helper()
		m, err := directory.ReadManifest(dir)
		if err == nil {
			m.Status = status
			err = m.Write(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, name := range map[string]string{a: "A", b: "B"} {
		set(dir, directory.Incomplete)
		c, _, err := Compare(a, b, measure.Config{})
		set(dir, directory.Complete)
		want := "run " + name + " is incomplete: only what it scored is compared"
		if err != nil || c.Warnings[0].Text != want || slices.Contains(before, "unfinished") {
			t.Errorf("%+v, %v", c, err)
		}
	}
	// ofLabels counts the labels among the scores of run A, as a comparison sees them.
	ofLabels := func() (known, n int) {
		m, in, err := directory.Open(a)
		if err != nil {
			t.Fatal(err)
		}
		l, err := withLabels(a, &in)
		if err != nil {
			t.Fatal(err)
		}
		for s, err := range in.Scores() {
			if err != nil {
				t.Fatal(err)
			}
			if s.Source == score.Label {
				n++
			}
		}
		if n == 0 {
			label(t, a, m.RunID, "c0", "c1")
		}
		return l.Len(), n
	}
	for _, want := range []int{0, 2} {
		if known, n := ofLabels(); known != want || n != want {
			t.Errorf("%d labels, %d among the scores, want %d", known, n, want)
		}
	}
	for _, dirs := range [][2]string{{a, t.TempDir()}, {t.TempDir(), b}} {
		if c, p, err := Compare(dirs[0], dirs[1], measure.Config{}); err == nil {
			t.Errorf("%+v, %v", c, p)
		}
	}
	for _, dir := range []string{a, b} {
		path := filepath.Join(dir, labels.FileName)
		if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
		if c, p, err := Compare(a, b, measure.Config{}); err == nil {
			t.Errorf("labels that cannot be read: %+v, %v", c, p)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAgainstOtherThresholds: two runs with different thresholds are compared by those of the later one, unless the caller
// gives others.
func TestAgainstOtherThresholds(t *testing.T) {
	var dirs []string
	for _, low := range []float64{0.5, 0.75} {
		p := plan(t, "", textLog("l.jsonl", plantLine("a", `{"id":1}`, "one", ""), new(atomic.Int64)))
		p.Scorers = []deterministic.Config{{Type: "schema_check"}}
		p.Report.Thresholds = []report.Threshold{{Name: "schema_check", Low: low}}
		dirs = append(dirs, t.TempDir())
		if _, err := executeSetup(t.Context(), p, dirs[len(dirs)-1], false, Observer{}); err != nil {
			t.Fatal(err)
		}
	}
	text := func(c *report.Comparison, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.Warnings {
			if w.Code == "decided_alike" {
				return w.Text
			}
		}
		return ""
	}
	want := "the thresholds differed; those of run B decide the verdicts of both runs: schema_check="
	if got := text(Against(dirs[1], dirs[0], measure.Config{})); got != want+"0.75" {
		t.Error(got)
	}
	if got := text(Against(dirs[0], dirs[1], measure.Config{})); got != want+"0.5" {
		t.Error(got)
	}
	given := measure.Config{Thresholds: []report.Threshold{{Name: "schema_check", Low: 0.25}}}
	if got := text(Against(dirs[1], dirs[0], given)); got != "" {
		t.Error(got)
	}
	for _, pair := range [][2]string{{dirs[0], t.TempDir()}, {t.TempDir(), dirs[0]}} {
		for _, cfg := range []measure.Config{{}, given} {
			if c, err := Against(pair[0], pair[1], cfg); err == nil {
				t.Errorf("%+v", c)
			}
		}
	}
}
