package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// ask is what a scripted server sees of a request.
type ask struct {
	Model  string
	rubric string
	prompt string // the last message
	size   int
	text   int // bytes of all messages
}

// says is its answer.
type says struct {
	output, confidence string
	correction         string
	tokens             int
}

// scriptedServer answers each request with what f decides, and counts by model.
func scriptedServer(t *testing.T, f func(ask) says) (base string, counts func(model string) int) {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req struct {
			ask
			Messages       []struct{ Content string }
			ResponseFormat struct {
				JSONSchema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(body, &req); err != nil || len(req.Messages) == 0 {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		a := req.ask
		a.rubric, a.prompt, a.size = req.ResponseFormat.JSONSchema.Name, req.Messages[len(req.Messages)-1].Content, len(body)
		for _, m := range req.Messages {
			a.text += len(m.Content)
		}
		mu.Lock()
		seen[a.Model]++
		mu.Unlock()
		s := f(a)
		if s.confidence == "" {
			s.confidence = "0.9"
		}
		if s.tokens == 0 {
			s.tokens = 5000
		}
		if s.correction == "" {
			s.correction = "{}"
		}
		content := "no answer"
		if s.output != "" {
			content = fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%s,"confidence":%s,"correction":%s}`, s.output, s.confidence, s.correction)
		}
		quoted, _ := json.Marshal(content)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`, quoted, s.tokens)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func(model string) int {
		mu.Lock()
		defer mu.Unlock()
		return seen[model]
	}
}

// teamPlan judges the support log by one rubric with judges of the given names.
func teamPlan(t *testing.T, base string, names ...string) setup {
	t.Helper()
	p := plan(t, base, fileLog(supportLog))
	p.Rubrics = slices.DeleteFunc(slices.Clone(p.Rubrics), func(r *rubrics.Rubric) bool { return r.Name != rubrics.Intent })
	p.Judges = nil
	for _, name := range names {
		p.Judges = append(p.Judges, instrument.Judge{Config: judges.Config{Model: name, Name: name, MaxRepairs: -1}, Endpoint: client.Endpoint{BaseURL: base, Concurrency: 8}})
	}
	return p
}

func readScores(t *testing.T, dir string) []score.Score {
	t.Helper()
	var out []score.Score
	for s, err := range directory.Scores(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Source == score.Judge {
			out = append(out, s)
		}
	}
	return out
}

func pick(list []score.Score, judge string) []score.Score {
	return slices.DeleteFunc(slices.Clone(list), func(s score.Score) bool { return s.Judge != judge })
}

// cancels reports whether the judged call is one of cancel_order.
func cancels(a ask) bool {
	_, call, _ := strings.Cut(a.prompt, " call>>>\n")
	return strings.HasPrefix(call, `{"name":"cancel_order"`)
}

// opinions: small-a is unsure about every call of cancel_order, small-b fails what
// it sees, large passes it with confidence except for get_order.
func opinions(a ask) says {
	cancel := cancels(a)
	switch {
	case a.Model == "small-a" && cancel:
		return says{output: "3"}
	case a.Model == "small-b":
		return says{output: "2"}
	case a.Model == "large" && cancel:
		return says{output: "5", confidence: "0.3"}
	}
	return says{output: "5"}
}

func ladder(p *setup) {
	p.Panels = []judges.Panel{{Name: "jury", Members: []string{"small-a", "small-b", "large"}, Rule: answer.PanelMedian, Quorum: 2}}
	p.Cascades = []instrument.Cascade{{Cascade: judges.Cascade{Name: "ladder", Tiers: []string{"small-a", "jury", "large"}}, Queue: "queue.jsonl"}}
}

func TestCascadeInARun(t *testing.T) {
	base, counts := scriptedServer(t, opinions)
	p := teamPlan(t, base, "small-a", "small-b", "large")
	ladder(&p)
	dir := filepath.Join(t.TempDir(), "run")
	out, err := execute(t, p, dir, false)
	if err != nil {
		t.Fatal(err)
	}
	all := readScores(t, dir)
	open := 0
	for _, s := range pick(all, "small-a") {
		if s.Details.Field("escalate").JSON() == "true" {
			open++
		}
	}
	if open < 3 || open > 40 {
		t.Fatalf("%d calls are open after the first tier", open)
	}
	for judge, want := range map[string]int{"small-a": 64, "small-b": open, "large": open, "jury": open, "ladder": 64} {
		if got := len(pick(all, judge)); got != want {
			t.Errorf("%s has %d scores, want %d", judge, got, want)
		}
	}
	if counts("small-a") != 64 || counts("small-b") != open || counts("large") != open {
		t.Errorf("requests: %d, %d, %d", counts("small-a"), counts("small-b"), counts("large"))
	}
	if out.Wanted != 64+2*open || out.Scored != out.Wanted || out.Manifest.Counts.Requests != out.Wanted {
		t.Errorf("wanted %d, scored %d, %d requests", out.Wanted, out.Scored, out.Manifest.Counts.Requests)
	}
	// 3, 2 and 5: the median is borderline, and large is not sure of its 5.
	at := slices.IndexFunc(pick(all, "jury"), func(s score.Score) bool { return s.Tool == "cancel_order" })
	jury := pick(all, "jury")[at]
	if *jury.Value != 3 || jury.Details.Field("panel").Field("spread").Text() != "3.0" || jury.Details.Field("score_method").Text() != "panel" {
		t.Errorf("jury %v %s", *jury.Value, jury.Details.JSON())
	}
	var unresolved int
	for _, s := range pick(all, "ladder") {
		c := s.Details.Field("cascade")
		if c.Field("unresolved").JSON() == "true" {
			unresolved++
			if c.Field("stands").Text() != "large" || c.Field("tiers").Len() != 3 || *s.Value != 5 {
				t.Errorf("ladder %s", c.JSON())
			}
		}
	}
	queue := strings.Split(strings.TrimSpace(string(read(t, dir, "queue.jsonl"))), "\n")
	if unresolved != open || len(queue) != open+1 {
		t.Errorf("%d unresolved, %d lines in the queue, want %d", unresolved, len(queue)-1, open)
	}
	if !strings.Contains(queue[0], queueSchema) || !strings.Contains(queue[1], `"call":{"name":"cancel_order"`) || !strings.Contains(queue[1], `"escalated":["borderline"`) || !strings.Contains(queue[1], `"low_confidence"`) {
		t.Errorf("queue:\n%s\n%s", queue[0], queue[1])
	}
	names := []string{}
	for _, j := range out.Manifest.Judges {
		names = append(names, j.Name)
	}
	if d := cmp.Diff([]string{"small-a", "small-b", "large", "jury", "ladder"}, names); d != "" {
		t.Error(d)
	}
	e, err := estimateOf(t.Context(), p.Task)
	if err != nil || e.Judgements != 64 || e.Requests != 64 || e.Escalated != 128 {
		t.Errorf("estimate %+v %v", e, err)
	}
}

// A resumed run climbs its cascades from the journal and comes to the same bytes.
func TestCascadeResumes(t *testing.T) {
	var sent atomic.Int64
	var broken atomic.Bool
	base, _ := scriptedServer(t, opinions)
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := sent.Add(1); n > 45 && broken.Load() {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
			return
		}
		resp, err := http.Post(strings.TrimSuffix(base, "/v1")+r.URL.Path, "application/json", r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(gate.Close)
	make := func() setup {
		p := teamPlan(t, gate.URL+"/v1", "small-a", "small-b", "large")
		ladder(&p)
		return p
	}
	dir, whole := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "whole")
	broken.Store(true)
	if _, err := execute(t, make(), dir, false); err == nil {
		t.Fatal("the broken run came to its end")
	}
	broken.Store(false)
	before := sent.Load()
	out, err := execute(t, make(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if n := sent.Load() - before; int(n) != out.Wanted-45 {
		t.Errorf("%d requests after the resume, want %d", n, out.Wanted-45)
	}
	if _, err := execute(t, make(), whole, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{directory.ScoresFile, directory.ReportFile, "queue.jsonl", directory.ItemsFile} {
		if d := cmp.Diff(string(read(t, whole, name)), string(read(t, dir, name))); d != "" {
			t.Errorf("%s differs from an undisturbed run's", name)
		}
	}
	before = sent.Load()
	if _, err := execute(t, make(), whole, true); err != nil || sent.Load() != before {
		t.Errorf("a finished run asks again: %d requests, %v", sent.Load()-before, err)
	}
}

func TestIdentityKnowsTheTeam(t *testing.T) {
	p := teamPlan(t, "http://127.0.0.1:1/v1", "small-a", "small-b", "large")
	seen := map[string]string{}
	note := func(what string) {
		id, _ := p.identify(nil)
		if other, ok := seen[id]; ok {
			t.Errorf("%s has the identity of %s", what, other)
		}
		seen[id] = what
	}
	note("plain")
	ladder(&p)
	note("ladder")
	p.Panels[0].Quorum = 3
	note("quorum")
	p.Panels[0].Rule = judges.AnyNegative
	note("rule")
	p.Panels[0].Weights = map[string]float64{"large": 0.9}
	note("weights")
	p.Cascades[0].EscalateOn = []judges.Reason{judges.OnError}
	note("reasons")
	p.Judges[2].AskAlways = true
	note("always")
	p.Judges[0].Config.Modes = map[string]judges.VerdictMode{rubrics.Intent: "bands"}
	note("mode")
	p.Judges[0].Config.CoerceNumbers = true
	note("coerce")
	p.Judges[0].Config.Method = judges.TokenWeighted
	note("method")
}

// Case 12: an answer to a prompt that was surely cut is void, and so is a panel that lacks
// its quorum without it.
func TestTruncationAlarm(t *testing.T) {
	for _, tc := range []struct {
		name   string
		tokens func(ask) int
		void   bool
	}{
		{"a usual window, far too few for some prompts", func(a ask) int {
			if cancels(a) {
				return 1024
			}
			return 5000
		}, true},
		{"the same count for all, which none can have", func(ask) int { return 1 }, false},
		{"counts that grow with the prompts", func(a ask) int { return a.size / 4 }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base, _ := scriptedServer(t, func(a ask) says {
				if a.Model == "small-b" {
					return says{output: "5", tokens: 5000}
				}
				return says{output: "5", tokens: tc.tokens(a)}
			})
			p := teamPlan(t, base, "small-a", "small-b")
			p.Panels = []judges.Panel{
				{Name: "jury", Members: []string{"small-a", "small-b"}, Rule: answer.PanelMean, Quorum: 2},
			}
			dir := filepath.Join(t.TempDir(), "run")
			out, err := execute(t, p, dir, false)
			if err != nil {
				t.Fatal(err)
			}
			void := 0
			for _, s := range readScores(t, dir) {
				cut := tc.void && s.Judge != "small-b" && s.Tool == "cancel_order"
				if cut && s.Judge == "small-a" {
					void++
				}
				if (s.Status == score.Unscored) != cut ||
					cut && (s.Value != nil || s.Judge == "small-a" && s.Error.Kind != judges.KindContextCut) {
					t.Fatalf("%s %s: %s %+v", s.ConversationID, s.Judge, s.Status, s.Error)
				}
			}
			if out.Wanted != 128 || out.Scored != 128-void || (void > 0) != tc.void {
				t.Errorf("scored %d of %d, %d void", out.Scored, out.Wanted, void)
			}
		})
	}
}

// What a judge proposes is replayed by the scorers that scored the log's call.
func TestCorrectionsAreReplayed(t *testing.T) {
	log := `{"id":"c","tools":[{"name":"get","description":"d","parameters":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}],` +
		`"messages":[{"role":"user","content":"get 7"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"get","arguments":"{\"id\":8}"}}]}],` +
		`"expected_calls":[{"name":"get","arguments":{"id":7}}]}` + "\n"
	for correction, want := range map[string]string{
		`{"id":7}`: `"correction_effect":"repaired","constructive_score":0.3`, `{"id":"x"}`: `"correction_effect":"invalid"`, `{"id":9}`: `"correction_effect":"unchanged","constructive_score":0.0`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			answer, _ := json.Marshal(fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":%s}`, correction))
			fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`, answer)
		}))
		p := teamPlan(t, server.URL+"/v1", "m")
		p.Logs = []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := execute(t, p, dir, false); err != nil {
			t.Fatal(err)
		}
		if got := readScores(t, dir)[0].Details.JSON(); !strings.Contains(got, want) {
			t.Errorf("%s: %s lacks %s", correction, got, want)
		}
		server.Close()
	}
}
