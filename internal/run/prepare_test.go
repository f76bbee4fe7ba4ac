package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// toolsOnly refuses response formats and objects without fixed keys, and thinks.
func toolsOnly(c llmtest.Call) llmtest.Reply {
	body := string(c.Body)
	if strings.Contains(body, `"response_format"`) || strings.Contains(body, `"additionalProperties":true`) {
		return llmtest.Fail(400, "this schema is not supported")
	}
	_, rest, _ := strings.Cut(body, `"key_`)
	key, _, _ := strings.Cut(rest, `"`)
	return llmtest.Chat(llmtest.ChatMessage{ToolName: "probe", ToolArgs: `{"key_` + key + `":"v","b":1,"a":true}`, Reasoning: "hm"})
}

// TestPrepareResumed: a resumed run goes by the profile of its directory, which is
// part of its identity.
func TestPrepareResumed(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	dir := t.TempDir()
	p := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if err := discover(t.Context(), &p, dir, false, nil, nil); err != nil {
		t.Fatal(err)
	}
	first, err := executeSetup(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // so that nothing can be asked
	again := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if id, _ := again.identify(nil); id == func() string { id, _ := p.identify(nil); return id }() {
		t.Error("the transport is no part of the identity")
	}
	if err := discover(t.Context(), &again, dir, true, nil, nil); err != nil {
		t.Fatal(err)
	}
	second, err := executeSetup(t.Context(), again, dir, true, Observer{})
	if err != nil || second.Manifest.RunID != first.Manifest.RunID {
		t.Errorf("resumed as %v, %v", second, err)
	}
	if diff := cmp.Diff(first.Manifest.Profiles, second.Manifest.Profiles); diff != "" {
		t.Error(diff)
	}
}

// strictOnly answers under json_schema, and only where schemas are strict: closed, with
// every key required.
func strictOnly(c llmtest.Call) llmtest.Reply {
	var format struct {
		Schema struct {
			Strict bool
			Schema struct {
				Properties           map[string]any
				Required             []string
				AdditionalProperties *bool
			}
		} `json:"json_schema"`
	}
	s := &format.Schema
	if c.Members["response_format"] == nil {
		return llmtest.Text("yes")
	}
	if json.Unmarshal(c.Members["response_format"], &format) != nil || !s.Strict {
		return llmtest.Fail(400, "strict must be true")
	}
	if open := s.Schema.AdditionalProperties; open == nil || *open || len(s.Schema.Required) != len(s.Schema.Properties) {
		return llmtest.Fail(400, "additionalProperties must be false, and every key required")
	}
	return llmtest.Chat(llmtest.ChatMessage{
		Content: `{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":1,"correction":""}`, PromptTokens: len(c.Body) / 4,
	})
}

// stored keeps a finding as an earlier probe of the endpoint would have.
func stored(t testing.TB, caps capability.Capabilities) *instrument.Store {
	t.Helper()
	store := &instrument.Store{Dir: t.TempDir()}
	if err := store.Save(&caps); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestStrict: where a hosted service takes strict schemas, that is how a run asks it,
// from the first request to the resumed ones, and run.json says so.
func TestStrict(t *testing.T) {
	s := llmtest.Start(strictOnly)
	defer s.Close()
	for _, tt := range []struct {
		finding capability.Finding
		want    bool
	}{{capability.Yes, true}, {capability.Refused, false}} {
		asked := shortPlan(t, s.URL, "m", shortLog(1, ""))
		store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "m", Settings: asked.Judges[0].Settings(), Kind: llm.KindUnknown, Transport: llm.JSONSchema, Strict: tt.finding, Thinking: capability.None})
		dir := t.TempDir()
		p := shortPlan(t, s.URL, "m", shortLog(2, ""))
		plain, _ := p.identify(nil)
		if err := discover(t.Context(), &p, dir, false, store, nil); err != nil {
			t.Fatal(err)
		}
		if id, _ := p.identify(nil); tt.want && id == plain {
			t.Error("strict is no part of the identity")
		}
		out, err := executeSetup(t.Context(), p, dir, false, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		if all := out.Scored == out.Wanted; all != tt.want || out.Manifest.Profiles[0].Strict != tt.want {
			t.Errorf("strict %s: %d of %d scored, profile %+v", tt.finding, out.Scored, out.Wanted, out.Manifest.Profiles[0])
		}
		again := shortPlan(t, s.URL, "m", shortLog(2, ""))
		if err := discover(t.Context(), &again, dir, true, nil, nil); err != nil || again.Judges[0].Config.Strict != tt.want {
			t.Errorf("strict %s: resumed with %v, %v", tt.finding, again.Judges[0].Config.Strict, err)
		}
	}
}

// discover finds out how each judge's endpoint has to be asked, as judge run does.
func discover(ctx context.Context, p *setup, dir string, resume bool, store *instrument.Store, note func(string)) error {
	var kept []instrument.Profile
	if resume {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return err
		}
		kept = m.Profiles
	}
	return instrument.Discover(ctx, p.Judges, p.Rubrics, kept, store, note)
}

// TestPrepareFails: what keeps a run from being prepared is an error of its kind, and leaves neither a lock nor an open
// file. Nothing is sent.
func TestPrepareFails(t *testing.T) {
	var asTask *TaskError
	var asDirectory *directory.Error
	var asRequest *llm.Error
	stop := errors.New("enough")
	log := plantLine("a", `{"id":1}`, "one", "")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// saved leaves a run in dir.
	saved := func(dir string) {
		t.Helper()
		p := plan(t, "", textLog("l.jsonl", log, new(atomic.Int64)))
		if _, err := executeSetup(t.Context(), p, dir, false, Observer{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		edit func(p *setup, dir string)
		as   any
		want string // DIR is the run directory
	}{
		"reuse of no run": {func(p *setup, dir string) { p.Reuse = []string{dir + "-other"} }, &asTask,
			"reuse: DIR-other: no run directory: it does not exist"},
		"reuse of a run without answers": {func(p *setup, dir string) {
			saved(dir + "-saved")
			p.Reuse = []string{dir + "-saved"}
			if err := os.Remove(filepath.Join(dir+"-saved", directory.ExchangesFile)); err != nil {
				t.Fatal(err)
			}
		}, &asTask, "reuse DIR-saved: journal: open DIR-saved/exchanges.jsonl: "},
		"discovery": {func(p *setup, _ string) {
			p.Discover = func(context.Context, []instrument.Judge, []*rubrics.Rubric, []instrument.Profile) error { return stop }
		}, &stop, "enough"},
		"no run to resume": {func(p *setup, _ string) { p.Resume = true }, &asDirectory,
			"DIR: no run directory: it does not exist"},
		"a run is there": {func(p *setup, dir string) { saved(dir) }, &asDirectory, "DIR holds a run already: continue it with " +
			"judge run --resume DIR, or choose another --out"},
		"another run is there": {func(p *setup, dir string) { saved(dir); p.Resume = true }, &asDirectory,
			"DIR is another run: judges changed since; undo the change to go on with this run, or start a new one with " +
				"another --out"},
		"weights": {func(p *setup, _ string) {
			p.Panels = []judges.Panel{{Name: "p", Members: []string{"fixed"}, Rule: judges.Weighted}}
			rows := []report.CalibrationRow{{Judge: "fixed", Rubric: rubrics.Overall, Instrument: "other",
				BalancedAccuracy: report.Estimate{Value: new(0.75)}}}
			p.Measured = []MeasuredPanel{{Panel: "p", File: "c.json", Calibration: &report.Calibration{Rows: rows}}}
		}, &asTask, "panel p: weights from c.json: made with another instrument for overall_call_correctness by fixed (judge, " +
			"model, prompt, rubric or thresholds differ): label again"},
		"weights of a resumed run": {func(p *setup, _ string) {
			p.Resume = true
			p.Panels = []judges.Panel{{Name: "p", Members: []string{"fixed"}, Rule: judges.Weighted}}
			rows := []report.CalibrationRow{{Judge: "fixed", Rubric: rubrics.Overall, Instrument: "other",
				BalancedAccuracy: report.Estimate{Value: new(0.75)}}}
			p.Measured = []MeasuredPanel{{Panel: "p", File: "c.json", Calibration: &report.Calibration{Rows: rows}}}
		}, &asTask, "panel p: weights from c.json: made with another instrument for overall_call_correctness by fixed (judge, " +
			"model, prompt, rubric or thresholds differ): label again"},
		"shards of another run": {func(p *setup, _ string) { p.merged = &merged{id: "0123"} }, &asTask,
			"the logs or the program changed since the shards were run: their run is 0123, and this would be ID"},
		"a journal that is none": {func(p *setup, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, directory.ExchangesFile), 0o700); err != nil {
				t.Fatal(err)
			}
		}, &asDirectory, "journal DIR/exchanges.jsonl: is not a regular file"},
		"scores to retry": {func(p *setup, dir string) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			write(filepath.Join(dir, directory.ScoresFile), "none\n")
			p.Retry = []string{"timeout"}
		}, &asDirectory, "DIR/scores.jsonl:1: no score stream: the first line must be {"},
		"senders": {func(p *setup, _ string) {
			p.senders = func(*instrument.Team) ([]llm.Sender, error) { return nil, stop }
		}, &stop, "enough"},
		"endpoint": {func(p *setup, _ string) { p.Judges[0].Endpoint.Concurrency = -1 }, &asTask,
			"endpoint concurrency: -1 is negative"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		p := plan(t, "http://127.0.0.1:1/v1", textLog("l.jsonl", log, new(atomic.Int64)))
		tt.edit(&p, dir)
		s, err := Resolve(t.Context(), p.Task, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		in, err := Prepare(t.Context(), s, dir, p.Means, Observer{})
		id, _ := s.identify(&s.Team)
		want := strings.NewReplacer("DIR", dir, "ID", id).Replace(tt.want)
		if in != nil || err == nil || !errors.As(err, tt.as) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, want)
		}
		if err != nil && errors.As(err, &asRequest) {
			t.Errorf("%s: something was sent: %v", name, err)
		}
		if tt.as == &asDirectory {
			continue
		}
		j, err := journal.Open(filepath.Join(dir, directory.ExchangesFile))
		if errors.Is(err, os.ErrNotExist) {
			continue // the directory was not created
		}
		if err != nil {
			t.Errorf("%s: the journal is still locked: %v", name, err)
		} else if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPrepare: prepared judges have the names, the limits and the senders of their settings; the run is noted in its
// directory, which nobody else can use until the instruments are closed.
func TestPrepare(t *testing.T) {
	p := plan(t, "http://127.0.0.1:1/v1", textLog("l.jsonl", plantLine("a", `{"id":1}`, "one", ""), new(atomic.Int64)))
	limits := func(p *setup, dir string) (in *Instruments, text string) {
		t.Helper()
		s, err := Resolve(t.Context(), p.Task, "")
		if err != nil {
			t.Fatal(err)
		}
		in, err = Prepare(t.Context(), s, dir, p.Means, Observer{Limits: func(f func() string) { text = f() }})
		if err != nil {
			t.Fatal(err)
		}
		return in, text
	}
	dir := filepath.Join(t.TempDir(), "run")
	in, text := limits(&p, dir)
	if text != "this machine" || len(in.list) != 1 || in.list[0].Name() != "fixed" {
		t.Errorf("%s, %+v", text, in.list)
	}
	if m, err := directory.ReadManifest(dir); err != nil || m.RunID != in.manifest.RunID || m.Status != directory.Running {
		t.Errorf("%+v, %v", m, err)
	}
	resumed := p
	resumed.Resume = true
	s, err := Resolve(t.Context(), resumed.Task, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(t.Context(), s, dir, resumed.Means, Observer{}); err == nil || !strings.HasPrefix(err.Error(),
		"journal "+filepath.Join(dir, directory.ExchangesFile)+": another process is writing it: ") {
		t.Errorf("two processes judge one run: %v", err)
	}
	for range 2 { // closing twice does no harm
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	if in, err = Prepare(t.Context(), s, dir, resumed.Means, Observer{}); err != nil || in.manifest.Work.Resumes != 1 {
		t.Fatalf("%+v, %v", in, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	other := p.Judges[0]
	other.Config.Name, other.Config.Model, other.Kind, other.Baseline = "rules", baseline.Model, llm.KindBaseline, true
	p.Judges = append(p.Judges, other)
	in, text = limits(&p, filepath.Join(t.TempDir(), "two"))
	defer in.Close()
	if text != "fixed: this machine, rules: this machine" {
		t.Error(text)
	}
	list, err := in.senders(t.Context(), &Means{})
	if err != nil || len(list) != 2 || list[0] != nil || list[1] != (baseline.Sender{}) {
		t.Errorf("%v, %v", list, err)
	}
}
