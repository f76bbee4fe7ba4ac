package align

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// judgeOfCodes answers like scripted, over HTTP.
func judgeOfCodes(c llmtest.Call) llmtest.Reply {
	last := c.Messages[len(c.Messages)-1].Content
	if strings.Contains(last, "The answer, as JSON:") {
		return llmtest.Chat(llmtest.ChatMessage{Content: `{"guidelines":[{"rule":"` + blindRule + `","from":[1]}]}`})
	}
	_, call, _ := strings.Cut(last, " call>>>")
	output := "yes"
	if strings.Contains(call, `"code":"W"`) || strings.Contains(call, `"code":"Q"`) ||
		strings.Contains(call, `"code":"B"`) && strings.Contains(c.Messages[0].Content, blindRule) {
		output = "no"
	}
	return llmtest.Chat(llmtest.ChatMessage{PromptTokens: len(c.Body) / 4, Content: fmt.Sprintf(
		`{"explanation":"e","evidence":"NONE: nothing","output":%q,"confidence":1,"correction":{}}`, output)})
}

// judged makes a run over 60 conversations of a call each, and a sheet with a label of each call and of one that is in no
// log.
func judged(t *testing.T, base string) (task *run.Task, dir, sheet string) {
	t.Helper()
	var log strings.Builder
	rows := "conversation_id,call_index,sample,label\nelsewhere,0,random,pass\n"
	for i := range 60 {
		code := string("RWRBRQRWRB"[i%10])
		fmt.Fprintf(&log, `{"id":"c%02d","messages":[{"role":"user","content":"please do job %d"},{"role":"assistant",`+
			`"tool_calls":[{"id":"a","type":"function","function":{"name":"ship","arguments":"{\"order\":%d,\"code\":\"%s\"}"}}]}]}`+"\n",
			i, i, i, code)
		label := map[bool]string{true: "pass", false: "fail"}[code == right || code == falseAlarm]
		rows += fmt.Sprintf("c%02d,0,random,%s\n", i, label)
	}
	text := log.String()
	list, err := rubrics.Load(strings.NewReader("name: fine\nquestion: Is this call right?\nanswer: yes/no\npass: yes\n"), "fine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	task = &run.Task{
		Inputs: run.Inputs{Logs: []input.Log{{Name: "log.jsonl", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}}}},
		Team: instrument.Team{Rubrics: list, Judges: []instrument.Judge{{
			Config:   judges.Config{Model: "m", Transport: judges.JSONSchema, Concurrency: 4},
			Endpoint: client.Endpoint{BaseURL: base, Concurrency: 4, Fixed: true},
		}}},
	}
	dir = t.TempDir()
	spec, err := run.Resolve(t.Context(), *task, dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := run.Prepare(t.Context(), spec, dir, run.Means{}, run.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if out, err := run.Execute(t.Context(), spec, in, run.Observer{}); err != nil || out.Scored != 60 {
		t.Fatalf("%+v, %v", out, err)
	}
	sheet = filepath.Join(t.TempDir(), "sheet.csv")
	if err := os.WriteFile(sheet, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return task, dir, sheet
}

// TestJob: the labels of a run align its rubric, with the answers of the run; a job that was done is read, and nothing is
// sent for it.
func TestJob(t *testing.T) {
	s := llmtest.Start(judgeOfCodes)
	defer s.Close()
	task, dir, sheet := judged(t, s.URL)
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	of, problems, err := ReadLabels(dir, m, []string{sheet, sheet}, "", 0.05)
	if err != nil || problems != nil || len(of.Rows) != 61 || of.Sample || of.RunID != m.RunID || of.Dir != dir {
		t.Fatalf("%d labels, %q, %v", len(of.Rows), problems, err)
	}
	of.Whole = true
	cfg := Config{Target: report.YoudenTarget, Rounds: 1, Alpha: 0.05, Now: time.Unix(0, 0)}
	made := func(cfg Config) *Job {
		t.Helper()
		j, unused, err := NewJob(t.Context(), task, of, cfg, run.Observer{})
		if err != nil || unused != 0 && unused != 1 {
			t.Fatalf("%d labels are not used, %v", unused, err)
		}
		if unused != 1 || len(j.items) != 60 {
			t.Errorf("%d labels are used, %d are not", len(j.items), unused)
		}
		return j
	}
	j, before := made(cfg), s.Requests()
	e, err := j.Estimate()
	if tokens := e.PromptTokens; err != nil || tokens < 300 || tokens > 900 {
		t.Errorf("%d tokens of a prompt, %v", tokens, err)
	}
	e.PromptTokens = 0
	want := JobEstimate{Labels: 60, Judgements: 60 + 6*30 + 5*6*24 + 60 + 30, Proposals: 6}
	if d := cmp.Diff(want, e); d != "" || s.Requests() != before {
		t.Errorf("%d requests were sent: %s", s.Requests()-before, d)
	}
	r, again, err := j.Run(t.Context(), run.Means{})
	if err != nil || again || !r.Proven || r.Why != "" || r.Judge != "m" || r.With != "m" || r.RunID != m.RunID || r.Width != nil {
		t.Fatalf("%+v, made before %v, %v", r, again, err)
	}
	// The 60 judgements by the old rubric are those of the run.
	if sent := s.Requests() - before; sent == 0 || sent > r.Requests-60 {
		t.Errorf("%d requests are sent, %d are counted", sent, r.Requests)
	}
	if data, err := os.ReadFile(r.File); err != nil || !strings.Contains(string(data), blindRule) ||
		filepath.Dir(r.File) != filepath.Join(dir, "align", r.ID) {
		t.Errorf("%s: %v", r.File, err)
	}
	if uses, err := labels.Uses(filepath.Join(dir, labels.UsedName)); err != nil || len(uses) != 1 || uses[0].Align != r.ID {
		t.Errorf("%+v, %v", uses, err)
	}
	before = s.Requests()
	same, again, err := made(cfg).Run(t.Context(), run.Means{})
	if err != nil || !again || same.File != r.File || s.Requests() != before {
		t.Errorf("a second time: made before %v, %d requests, %v", again, s.Requests()-before, err)
	}
	cfg.Budget = 30
	var small *BudgetError
	if r, _, err := made(cfg).Run(t.Context(), run.Means{}); r != nil || !errors.As(err, &small) {
		t.Errorf("a small budget: %+v, %v", r, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "align", same.ID, jsonFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Budget = 0
	if r, _, err := made(cfg).Run(t.Context(), run.Means{}); r != nil || err == nil {
		t.Errorf("a damaged report: %+v, %v", r, err)
	}
	of.Rows = of.Rows[:39]
	if _, _, err := NewJob(t.Context(), task, of, cfg, run.Observer{}); !errors.Is(err, ErrFew) {
		t.Errorf("39 labels: %v", err)
	}
	of.Rows = of.Rows[:cap(of.Rows)][:41]
	for i := range of.Rows[:3] {
		of.Rows[i].ConversationID = fmt.Sprint("gone", i)
	}
	if _, _, err := NewJob(t.Context(), task, of, cfg, run.Observer{}); !errors.Is(err, ErrFew) {
		t.Errorf("41 labels, three of them of nothing: %v", err)
	}
	broken := *task
	broken.Logs = []input.Log{{Name: "gone", Open: func() (io.ReadCloser, error) { return nil, fs.ErrNotExist }}}
	if _, _, err := NewJob(t.Context(), &broken, of, cfg, run.Observer{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that is gone: %v", err)
	}
}

// TestReadLabels: labels come from filled tables, or from the run's own file if none is named; what is no such file, or of
// another run, is an error that says so.
func TestReadLabels(t *testing.T) {
	s := llmtest.Start(judgeOfCodes)
	defer s.Close()
	task, dir, sheet := judged(t, s.URL)
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	none := dir + " has no labels: label calls with\n  judge view " + dir + "\nor give a filled table with --labels FILE"
	if _, _, err := ReadLabels(dir, m, nil, "", 0.05); err == nil || !strings.HasSuffix(err.Error(), none) {
		t.Errorf("got %v, want %s", err, none)
	}
	other := filepath.Join(t.TempDir(), labels.FileName)
	want := other + " is of another run; judge align " + filepath.Dir(other) + " has the labels of that run"
	if _, _, err := ReadLabels(dir, m, []string{other}, "", 0.05); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, _, err := ReadLabels(dir, m, []string{sheet + "x"}, "", 0.05); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a table that does not exist: %v", err)
	}
	path := filepath.Join(dir, labels.FileName)
	f, err := labels.Open(path, m.RunID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Append(labels.Event{Who: "ann", Action: labels.Give, ConversationID: "c07", CallIndex: new(0),
		Seen: labels.Blind, Frame: labels.Random, Probability: 1, Rank: 1, Answer: labels.Answer{Label: labels.Pass}},
		time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("no label\n"), data...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	of, problems, err := ReadLabels(dir, m, nil, "ann", 0.05)
	if err != nil || len(of.Rows) != 1 || of.Rows[0].ConversationID != "c07" || len(problems) != 1 || !of.Sample || of.By != "ann" {
		t.Errorf("%+v, %q, %v", of, problems, err)
	}
	// The first label of an item counts: here that of the file, where c07 passes.
	both, _, err := ReadLabels(dir, m, []string{path, sheet}, "", 0.05)
	if err != nil || len(both.Rows) != 61 || both.Rows[0].ConversationID != "c07" || both.Sample {
		t.Errorf("%d labels, %v", len(both.Rows), err)
	}
	if pass := both.Rows[0].VerdictOf("fine", true); pass == nil || !*pass {
		t.Error("the first label of c07 does not count")
	}
	// With the run's own labels, the report says how well the pass rate was known before.
	if f, err = labels.Open(path, m.RunID); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		label := map[bool]string{true: labels.Pass, false: labels.Fail}[strings.Contains("RQ", string("RWRBRQRWRB"[i%10]))]
		if _, err := f.Append(labels.Event{Who: "ann", Action: labels.Give, ConversationID: fmt.Sprintf("c%02d", i), CallIndex: new(0),
			Seen: labels.Blind, Frame: labels.Random, Probability: 1, Rank: i + 1, Answer: labels.Answer{Label: label}},
			time.Unix(2, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	spec, err := run.Resolve(t.Context(), *task, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sample        bool
		judge, rubric string
		by, dir       string
		known         bool
	}{
		{true, "m", "fine", "ann", dir, true}, {false, "m", "fine", "ann", dir, false}, {true, "n", "fine", "ann", dir, false},
		{true, "m", "other", "ann", dir, false}, {true, "m", "fine", "ann", dir + "x", false},
	} {
		got := &Aligned{gold: []float64{1, 0}, judged: []float64{1, 0}, conversation: []int{0, 1},
			Report: &report.Alignment{Judge: tt.judge, Rubric: tt.rubric, Alpha: 0.05}}
		j := &Job{of: Labelled{Dir: tt.dir, Sample: tt.sample, By: tt.by}, cfg: Config{Alpha: 0.05}, spec: spec}
		j.width(got)
		w := got.Report.Width
		if (w != nil) != tt.known || w != nil && (w.LabelsAfter != 2 || w.LabelsBefore != 20 || *w.Before.Value != 0.6) {
			t.Errorf("%+v: %+v", tt, w)
		}
	}
}
