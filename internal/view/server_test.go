package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/judges"
)

// talk returns a line of a log: a user asks, the agent makes calls in one message, their results follow, and the
// agent answers.
func talk(id string, tools ...string) string {
	var calls, results []string
	for i, tool := range tools {
		calls = append(calls, fmt.Sprintf(`{"id":"k%d","type":"function","function":{"name":"%s","arguments":"{\"n\":%d}"}}`, i, tool, i))
		results = append(results, fmt.Sprintf(`,{"role":"tool","tool_call_id":"k%d","content":"result %d"}`, i, i))
	}
	return fmt.Sprintf(`{"id":"%s","messages":[{"role":"user","content":"Please %s"},{"role":"assistant","content":null,"tool_calls":[%s]}%s,`+
		`{"role":"assistant","content":"Done"}],"expected_calls":[{"name":"%s"}],"labels":{"human":1}}`,
		id, id, strings.Join(calls, ","), strings.Join(results, ""), tools[0]) + "\n"
}

// verdicts returns the scores of a call: by the judge, and by a scorer.
func verdicts(id string, call int, tool string, judge, scorer bool) []score.Score {
	value := map[bool]float64{true: 1, false: 0}
	s := score.Score{ConversationID: id, CallIndex: &call, Tool: tool, Place: "log.jsonl:" + id[1:], Status: score.Scored}
	j, d := s, s
	j.Name, j.Source, j.Judge, j.Value, j.Passed, j.Explanation = "overall", score.Judge, "j", new(value[judge]), &judge, "The judge says so"
	d.Name, d.Source, d.Value, d.Passed = "schema_check", score.Deterministic, new(value[scorer]), &scorer
	return []score.Score{d, j}
}

// small are the log and the scores of a run: of c1 both calls fail, c2 is right, and about c3 the two disagree.
func small() (log string, scores []score.Score) {
	log = talk("c1", "pay", "get") + talk("c2", "get") + talk("c3", "pay")
	for _, list := range [][]score.Score{
		verdicts("c1", 0, "pay", false, false), verdicts("c1", 1, "get", false, false),
		verdicts("c2", 0, "get", true, true), verdicts("c3", 0, "pay", true, false),
	} {
		scores = append(scores, list...)
	}
	return log, scores
}

// sourceOf returns a log by its path.
func sourceOf(path string) *input.Source {
	return &input.Source{Logs: []input.Log{{Name: "log.jsonl", Path: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}}}
}

// saved writes a run directory with its log, and returns the run.
func saved(t *testing.T, name, log string, scores []score.Score) Run {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	logs := sourceOf(path)
	hashes, err := input.Hash(logs.Logs)
	if err != nil {
		t.Fatal(err)
	}
	m := &directory.Manifest{Schema: directory.Schema, Status: directory.Complete, Started: time.Date(2026, 5, 1, 9, 30, 0, 0, time.Local),
		Manifest: report.Manifest{
			RunID: "run-" + name, Version: "test", Judges: []report.Judge{{Name: "j", Model: "j", Asked: true}},
			Rubrics: []report.Rubric{{Name: "overall", Min: 0, Max: 1, Low: new(0.7), High: new(1.0)}},
			Scorers: []report.Scorer{{Name: "schema_check", Type: "schema_check"}},
			Inputs:  []report.Input{{Path: "log.jsonl", Format: "native", SHA: hashes[0]}},
		}}
	items, err := directory.CreateItems(dir, m.RunID)
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range logs.Again().Conversations(t.Context(), &input.Reading{}) {
		if err == nil {
			err = items.Add(c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := items.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, directory.ItemsFile+directory.PartEnding), filepath.Join(dir, directory.ItemsFile)); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	if scores != nil {
		writeScores(t, filepath.Join(dir, directory.ScoresFile), m.RunID, scores)
	}
	prompts := func(_ context.Context, c *transcript.Conversation, of judges.Target, rubric string) ([]instrument.Prompt, error) {
		return nil, fmt.Errorf("prompt of %s by %s: %q %d %d", c.ID, rubric, of.Scope, of.Call, of.Turn)
	}
	return Run{Dir: dir, Name: name, Manifest: m, Logs: logs, Prompts: prompts}
}

func writeScores(t *testing.T, path, runID string, scores []score.Score) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := score.NewWriter(f, runID)
	for i := range scores {
		if err == nil {
			err = w.Write(scores[i])
		}
	}
	if err == nil {
		err = errors.Join(w.Flush(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// client asks a server with its token.
type client struct {
	t *testing.T
	*Server
	refused []string
}

func open(t *testing.T, cfg Config) *client {
	t.Helper()
	c := &client{t: t}
	cfg.Refused = func(why string) { c.refused = append(c.refused, why) }
	cfg.Now = func() time.Time { return time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC) }
	if cfg.Who == "" {
		cfg.Who = "ann"
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c.Server = s
	return c
}

// keep makes the server keep what it has read, whatever is written meanwhile.
func (c *client) keep() {
	for _, r := range c.runs {
		r.mu.Lock()
		r.took = time.Hour
		r.mu.Unlock()
	}
}

// send returns the response to a request, with the token unless change says otherwise.
func (c *client) send(method, path, body string, change func(*http.Request)) *http.Response {
	c.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = c.listener.Addr().String()
	r.Header.Set("Authorization", "Bearer "+c.door.token)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	c.door.guard(c.routes()).ServeHTTP(w, r)
	return w.Result()
}

func (c *client) get(path string) (int, string) {
	c.t.Helper()
	r := c.send(http.MethodGet, path, "", nil)
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSuffix(string(text), "\n")
}

func (c *client) post(path, body string) (int, string) {
	c.t.Helper()
	r := c.send(http.MethodPost, path, body, nil)
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSuffix(string(text), "\n")
}

// The item of c3 as a query sends it, and what is sent while it is blind.
const (
	c3Item = `{"conversation":"c3","call":0,"tool":"pay","place":"log.jsonl:3","order":3,"verdict":"pass","why":"The judge says so",` +
		`"judge_says":"pass","judge":"j","scores":[{"source":"deterministic","name":"schema_check","status":"scored","value":0,"verdict":"fail"},` +
		`{"source":"judge","name":"overall","judge":"j","status":"scored","value":1,"verdict":"pass","explanation":"The judge says so"}]}`
	c3Blind = `{"conversation":"c3","call":0,"tool":"pay","place":"log.jsonl:3","order":3,"scores":[]}`
	c3Card  = `{"conversation":{"id":"c3","place":"log.jsonl:3","messages":[{"role":"user","text":"Please c3"},{"role":"assistant","calls":[0]}],` +
		`"calls":[{"tool":"pay","arguments":[{"name":"n","text":"0"}],"message":1,"result":{"text":"result 0"}}],"expected":null},"from":1}`
	c3Whole = `{"conversation":{"id":"c3","place":"log.jsonl:3","messages":[{"role":"user","text":"Please c3"},{"role":"assistant","calls":[0]},` +
		`{"role":"tool"},{"role":"assistant","text":"Done"}],"calls":[{"tool":"pay","arguments":[{"name":"n","text":"0"}],"message":1,` +
		`"result":{"text":"result 0"}}],"expected":[{"tool":"pay","arguments":[]}]}`
)

// TestAnswers: what a page of one run asks, and what it is told, before anybody labels.
func TestAnswers(t *testing.T) {
	log, scores := small()
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 2})
	if status, text := c.post("/0/api/items", `{"conversation":"c3"}`); status != 200 || text != `{"items":[`+c3Item+`],"total":1}` {
		t.Errorf("%d %s", status, text)
	}
	const noItem = "conversation, call and turn must name an item"
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/0/api/status", 200, `{"version":1,"ready":true,"logs_read":true}`},
		{"/0/api/conversation?conversation=c3&call=0", 200, c3Whole + "}"},
		{"/0/api/conversation?conversation=none", 200, `{"conversation":null,"problem":"The logs hold no such conversation any more."}`},
		{"/0/api/conversation?call=1", 400, noItem},
		{"/0/api/conversation?conversation=c1&call=x", 400, noItem},
		{"/0/api/conversation?conversation=c1&scope=turn&turn=x", 400, noItem},
		{"/0/api/prompt?conversation=c1&call=1&rubric=overall", 500, `prompt of c1 by overall: "" 1 0`},
		{"/0/api/prompt?conversation=c1&rubric=overall", 500, `prompt of c1 by overall: "conversation" 0 0`},
		{"/0/api/prompt?conversation=c1&call=1&scope=result&rubric=overall", 500, `prompt of c1 by overall: "result" 1 0`},
		{"/0/api/prompt?conversation=c1&scope=turn&turn=1&rubric=overall", 500, `prompt of c1 by overall: "turn" -1 1`},
		{"/0/api/prompt?conversation=c1&call=2", 404, "the prompt cannot be made again: "},
		{"/0/api/prompt?conversation=none&call=0", 404, "the prompt cannot be made again: The logs hold no such conversation any more."},
		{"/0/api/prompt?call=0", 400, noItem},
		{"/0/api/partner?conversation=c1&call=0", 200, "null"},
		{"/0/api/partner?call=0", 400, noItem},
		{"/0/api/card?call=0", 400, noItem},
		{"/1/api/status", 404, "404 page not found"},
		{"/-1/api/status", 404, "404 page not found"},
		{"/x/api/status", 404, "404 page not found"},
		{"/0/api/nothing", 404, "404 page not found"},
		{"/", 303, `<a href="/0/">See Other</a>.` + "\n"},
	} {
		if status, text := c.get(tt.path); status != tt.status || text != tt.want {
			t.Errorf("%s: %d %s, want %d %s", tt.path, status, text, tt.status, tt.want)
		}
	}
	for body, want := range map[string]string{
		"x":                                      "the request is no JSON: invalid character 'x' looking for beginning of value",
		`"` + strings.Repeat("x", 1<<20-1) + `"`: "the request is no JSON: http: request body too large",
	} {
		for _, path := range []string{"/0/api/items", "/0/api/press"} {
			if status, text := c.post(path, body); status != 400 || text != want {
				t.Errorf("%s of %d bytes: %d %s", path, len(body), status, text)
			}
		}
	}
	if head := c.send(http.MethodGet, "/0/api/status", "", nil).Header.Get("Content-Type"); head != "application/json" {
		t.Error(head)
	}
	if !strings.HasPrefix(c.URL(), "http://127.0.0.1:") || !strings.HasSuffix(c.URL(), "/?token="+c.door.token) ||
		!strings.HasSuffix(c.LabelURL(), "/0/label?token="+c.door.token) {
		t.Errorf("%s, %s", c.URL(), c.LabelURL())
	}
}

// TestSearch: a text is found in what was said of a call, and in its conversation's messages, calls and id, in any case.
func TestSearch(t *testing.T) {
	log, scores := small()
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 2})
	c.get("/0/api/conversation?conversation=c3") // the logs are read
	for text, want := range map[string]string{
		"PLEASE C2": "c2:0", "result 1": "c1:0 c1:1", `{"n":1}`: "c1:0 c1:1", "pay {": "c1:0 c1:1 c3:0", "Judge SAYS": "c1:0 c1:1 c2:0 c3:0", "c2": "c2:0", "nowhere": "",
	} {
		body, err := json.Marshal(page.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			status, answer := c.post("/0/api/items", string(body))
			var got list
			if err := json.Unmarshal([]byte(answer), &got); status != 200 || err != nil {
				t.Fatal(answer, err)
			}
			var found []string
			for _, i := range got.Items {
				found = append(found, fmt.Sprintf("%s:%d", i.Conversation, *i.Call))
			}
			if strings.Join(found, " ") != want {
				t.Errorf("%s: %q, want %q", text, found, want)
			}
		}
	}
}

// TestLabelling: of a conversation in the sample nothing is told until all its calls are labelled; each key press is
// a line with what was known when it was made.
func TestLabelling(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 2, Seed: 0})
	status, text := c.get("/0/api/queue?frame=random")
	if want := `{"who":"ann","frame":"random","rubric":"","tasks":[{"conversation":"c3","call":0,"tool":"pay"},` +
		`{"conversation":"c1","call":0,"tool":"pay"},{"conversation":"c1","call":1,"tool":"get"}]}`; status != 200 || text != want {
		t.Fatalf("%d %s", status, text)
	}
	press := func(body string, status int, want string) {
		t.Helper()
		if got, text := c.post("/0/api/press", body); got != status || text != want {
			t.Errorf("%s: %d %s, want %d %s", body, got, text, status, want)
		}
	}
	see := func(path, want string) {
		t.Helper()
		if status, text := c.get("/0/api/" + path); status != 200 || text != want {
			t.Errorf("%s: %s\nwant %s", path, text, want)
		}
	}
	items := func(want string) {
		t.Helper()
		if _, text := c.post("/0/api/items", `{"conversation":"c3"}`); text != `{"items":[`+want+`],"total":1}` {
			t.Errorf("%s, want %s", text, want)
		}
	}
	items(c3Blind)
	c.keep()
	see("card?conversation=c3&call=0", c3Card)
	see("conversation?conversation=c3", strings.Replace(c3Whole, `[{"tool":"pay","arguments":[]}]`, "null", 1)+"}")
	if status, text := c.get("/0/api/partner?conversation=c3&call=0"); status != 403 ||
		text != "you label this conversation: what was said of it is shown when all its calls are labelled" {
		t.Errorf("%d %s", status, text)
	}
	press(`{"conversation":"c3","call":0,"action":"undo"}`, 409, "there is nothing to undo")
	press(`{"conversation":"c3","call":1,"action":"label","label":"pass"}`, 400, "c3:1 cannot be labelled")
	press(`{"conversation":"c3","call":-1,"action":"label","label":"pass"}`, 400, "c3 cannot be labelled")
	press(`{"conversation":"c3","call":0,"action":"reveal"}`, 400, "c3:0 cannot be labelled")
	press(`{"conversation":"c3","call":0,"action":"label","category":"good"}`, 400, `"good" is not an answer of `)
	press(`{"conversation":"c1","call":0,"action":"label","label":"pass","frame":"random"}`, 200, `{"conversation":"c1","call":0,"tool":"","label":"pass"}`)
	press(`{"conversation":"c1","call":0,"action":"note","note":"see above"}`, 200, `{"conversation":"c1","call":0,"tool":"","label":"pass","note":"see above"}`)
	press(`{"conversation":"c3","call":0,"action":"undo"}`, 200, `{"conversation":"c1","call":0,"tool":"","label":"pass"}`)
	items(c3Blind)
	press(`{"conversation":"c3","call":0,"action":"label","label":"fail"}`, 200, `{"conversation":"c3","call":0,"tool":"","label":"fail","revealed":true}`)
	items(c3Item)
	see("card?conversation=c3&call=0", c3Whole+`,"from":1,"items":[`+c3Item+`]}`)
	see("conversation?conversation=c3", c3Whole+"}")
	see("partner?conversation=c3&call=0", "null")
	press(`{"conversation":"c3","call":0,"action":"label","label":"defer"}`, 200, `{"conversation":"c3","call":0,"tool":"","label":"defer","revealed":true}`)
	see("queue?frame=random", `{"who":"ann","frame":"random","rubric":"","tasks":[{"conversation":"c3","call":0,"tool":"pay","label":"defer","revealed":true},`+
		`{"conversation":"c1","call":0,"tool":"pay","label":"pass"},{"conversation":"c1","call":1,"tool":"get"}]}`)
	want := []string{
		`c1:0 label pass random rank 2, p 0.6666666666666666, of 0, blind`,
		`c1:0 note  random rank 2, p 0.6666666666666666, of 0, blind`,
		`c1:0 undo  random rank 2, p 0.6666666666666666, of 0, blind`,
		`c3:0 label fail random rank 1, p 0.6666666666666666, of 0, blind`,
		`c3:0 reveal  random rank 1, p 0.6666666666666666, of 0, revealed`,
		`c3:0 label defer random rank 1, p 0.6666666666666666, of 0, revealed`,
	}
	if diff := cmp.Diff(want, eventsOf(t, r)); diff != "" {
		t.Error(diff)
	}
	// Another server of the same run goes on where this one was, and is blind before it asks for the queue.
	c = open(t, Config{Runs: []Run{r}, Calls: 2})
	const labelled = `{"conversation":"c3","call":0,"tool":"pay","place":"log.jsonl:3","order":3,"verdict":"pass","why":"The judge says so",` +
		`"judge_says":"pass","judge":"j","reference_says":"fail","reference":"your labels","disagreement":2,` +
		`"scores":[{"source":"deterministic","name":"schema_check","status":"scored","value":0,"verdict":"fail"},` +
		`{"source":"judge","name":"overall","judge":"j","status":"scored","value":1,"verdict":"pass","explanation":"The judge says so"},` +
		`{"source":"label","name":"your labels","status":"scored","value":0,"verdict":"fail"}]}`
	items(labelled)
	if _, text := c.post("/0/api/items", `{"conversation":"c1","limit":1}`); text !=
		`{"items":[{"conversation":"c1","call":0,"tool":"pay","place":"log.jsonl:1","order":0,"scores":[]}],"total":2}` {
		t.Error(text)
	}
	c = open(t, Config{Runs: []Run{r}, Calls: 2, Who: "bob"})
	items(labelled) // bob does not label
}

// eventsOf returns the lines of a run's labels in short.
func eventsOf(t *testing.T, r Run) (out []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, labels.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var e labels.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.RunID != r.Manifest.RunID || e.Who != "ann" {
			t.Errorf("%s", line)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s rank %d, p %v, of %d, %s", e.Item(), e.Action, e.Answer.Text(), e.Frame, e.Rank, e.Probability, e.PerConversation, e.Seen))
	}
	return out
}

// TestLabellingDrawnCalls: where one call of each conversation is drawn, only that one is labelled at random, with its
// probability, and it alone reveals the conversation.
func TestLabellingDrawnCalls(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 3, PerConversation: 1})
	_, text := c.get("/0/api/queue?frame=random")
	want := `{"who":"ann","frame":"random","rubric":"","tasks":[{"conversation":"c3","call":0,"tool":"pay"},` +
		`{"conversation":"c1","call":0,"tool":"pay"},{"conversation":"c2","call":0,"tool":"get"}]}`
	if text != want {
		t.Fatal(text)
	}
	if status, text := c.post("/0/api/press", `{"conversation":"c1","call":1,"action":"label","label":"pass"}`); status != 400 || text != "c1:1 is not in the random sample" {
		t.Errorf("%d %s", status, text)
	}
	if _, text := c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"label","label":"pass"}`); text != `{"conversation":"c1","call":0,"tool":"","label":"pass","revealed":true}` {
		t.Error(text)
	}
	// What is not drawn at random can be labelled for another reason.
	if _, text := c.post("/0/api/press", `{"conversation":"c1","call":1,"action":"label","label":"fail","frame":"flags"}`); text != `{"conversation":"c1","call":1,"tool":"","label":"fail","revealed":true}` {
		t.Error(text)
	}
	events := []string{
		"c1:0 label pass random rank 2, p 0.5, of 1, blind", "c1:0 reveal  random rank 2, p 0.5, of 1, revealed",
		"c1:1 label fail flags rank 0, p 0, of 0, revealed",
	}
	if diff := cmp.Diff(events, eventsOf(t, r)); diff != "" {
		t.Error(diff)
	}
}

// TestLabellingWhatWasRead: who read the verdicts on a conversation first does not label it blind.
func TestLabellingWhatWasRead(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 2})
	c.post("/0/api/items", `{"conversation":"c3"}`)
	c.get("/0/api/queue?frame=random")
	if _, text := c.post("/0/api/items", `{"conversation":"c3"}`); text != `{"items":[`+c3Item+`],"total":1}` {
		t.Error(text)
	}
	c.post("/0/api/press", `{"conversation":"c3","call":0,"action":"label","label":"pass"}`)
	if got := eventsOf(t, r); len(got) != 2 || !strings.HasSuffix(got[0], ", revealed") {
		t.Errorf("%q", got)
	}
}

// TestLabellingAGrowingRun: the queue has what was scored meanwhile, and until it is asked for again only what it had
// can be labelled.
func TestLabellingAGrowingRun(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores[:2])
	c := open(t, Config{Runs: []Run{r}, Calls: 9})
	tasks := func(want int) {
		t.Helper()
		_, text := c.get("/0/api/queue?frame=random")
		if got := strings.Count(text, `"conversation"`); got != want {
			t.Errorf("%d tasks, want %d: %s", got, want, text)
		}
	}
	const body = `{"conversation":"c2","call":0,"action":"label","label":"pass"}`
	tasks(1)
	writeScores(t, filepath.Join(r.Dir, directory.ScoresFile), r.Manifest.RunID, scores)
	if status, text := c.post("/0/api/press", body); status != 400 || text != "c2:0 cannot be labelled" {
		t.Errorf("%d %s", status, text)
	}
	tasks(4)
	if status, text := c.post("/0/api/press", body); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	if err := errors.Join(os.Remove(filepath.Join(r.Dir, directory.ScoresFile)), os.Mkdir(filepath.Join(r.Dir, directory.ScoresFile), 0o700)); err != nil {
		t.Fatal(err)
	}
	if status, text := c.get("/0/api/queue?frame=random"); status != 500 || !strings.Contains(text, "is a directory") {
		t.Errorf("%d %s", status, text)
	}
}

// TestUnreadableLabels: while the labels cannot be read, nothing is told about a conversation that may be labelled, and
// no answer is made up.
func TestUnreadableLabels(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 9})
	c.get("/0/api/queue?frame=random")
	c.post("/0/api/items", "{}")
	c.keep()
	c.post("/0/api/press", `{"conversation":"c3","call":0,"action":"label","label":"pass"}`)
	if err := c.runs[0].labels.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, text := c.post("/0/api/items", `{"conversation":"c3"}`); text != `{"items":[`+c3Blind+`],"total":1}` {
		t.Error(text)
	}
	for _, path := range []string{"/0/api/queue?frame=random", "/0/api/card?conversation=c3&call=0"} {
		if status, text := c.get(path); status != 500 || !strings.Contains(text, "file already closed") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	for _, action := range []string{"label", "undo"} {
		if status, text := c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"`+action+`","label":"pass"}`); status != 500 || !strings.Contains(text, "file already closed") {
			t.Errorf("%s: %d %s", action, status, text)
		}
	}
}

// TestBlindWithoutPlan: who labels, and of what is not known, is told nothing.
func TestBlindWithoutPlan(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 9})
	c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"label","label":"pass"}`)
	r.Manifest.Rubrics = append(r.Manifest.Rubrics, report.Rubric{Name: "second"})
	c = open(t, Config{Runs: []Run{r}, Calls: 9, Rubric: "second"})
	if _, text := c.post("/0/api/items", `{"conversation":"c3"}`); text != `{"items":[`+c3Blind+`],"total":1}` {
		t.Error(text)
	}
}

// TestDamagedLabels: lines of the labels that cannot be read are told with the queue.
func TestDamagedLabels(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	if err := os.WriteFile(filepath.Join(r.Dir, labels.FileName), []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	if _, text := c.get("/0/api/queue?frame=random"); !strings.Contains(text, `"problems":["`) || !strings.Contains(text, labels.FileName) {
		t.Error(text)
	}
}

// TestRewrittenScores: scores that are rewritten while they are shown are not taken for others.
func TestRewrittenScores(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	c.get("/0/api/queue?frame=random")
	c.post("/0/api/items", "{}")
	c.keep()
	c.post("/0/api/press", `{"conversation":"c3","call":0,"action":"label","label":"pass"}`)
	if err := os.Truncate(filepath.Join(r.Dir, directory.ScoresFile), 0); err != nil {
		t.Fatal(err)
	}
	const want = `the scores of "c3" are being rewritten: look again`
	if status, text := c.post("/0/api/items", `{"conversation":"c3"}`); status != 500 || text != want {
		t.Errorf("%d %s", status, text)
	}
	if status, text := c.get("/0/api/card?conversation=c3&call=0"); status != 500 || text != want {
		t.Errorf("%d %s", status, text)
	}
}

// TestFewerScores: a call whose scores are being rewritten is not taken for another of its conversation. Verdicts that
// could not be sent were not read.
func TestFewerScores(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 2})
	c.post("/0/api/items", "{}")
	c.keep()
	path := filepath.Join(r.Dir, directory.ScoresFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fewer := bytes.ReplaceAll(data, []byte(`"call_index":1`), []byte(`"call_index":0`))
	if err := os.WriteFile(path, fewer, 0o600); err != nil {
		t.Fatal(err)
	}
	const want = `the scores of "c1" are being rewritten: look again`
	if status, text := c.post("/0/api/items", `{"conversation":"c1"}`); status != 500 || text != want {
		t.Errorf("%d %s", status, text)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c.get("/0/api/queue?frame=random")
	c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"label","label":"pass"}`)
	if got := eventsOf(t, r); len(got) != 1 || !strings.HasSuffix(got[0], ", blind") {
		t.Errorf("%q", got)
	}
}

// TestLongList: one answer has at most 5000 items, whatever is asked for.
func TestLongList(t *testing.T) {
	log, _ := small()
	var scores []score.Score
	for call := range 5003 {
		scores = append(scores, verdicts("c1", call, "pay", true, true)[1])
	}
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1})
	for limit, want := range map[int]int{-1: 5000, 0: 5000, 1: 1, 4999: 4999, 5000: 5000, 5001: 5000} {
		_, text := c.post("/0/api/items", fmt.Sprintf(`{"limit":%d}`, limit))
		if n := strings.Count(text, `{"conversation":"c1"`); n != want || !strings.HasSuffix(text, `"total":5003}`) {
			t.Errorf("limit %d: %d items, want %d; %s", limit, n, want, text[max(0, len(text)-20):])
		}
	}
}

// TestLongQueue: a queue that is no sample ends at 500 items.
func TestLongQueue(t *testing.T) {
	log, _ := small()
	var scores []score.Score
	for i := range 503 {
		list := verdicts(fmt.Sprint("c", i), 0, "pay", true, true)
		list[1].Flags = []score.Flag{{Code: "odd", Severity: 1}}
		scores = append(scores, list...)
	}
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1})
	_, text := c.get("/0/api/queue?frame=flags")
	if n := strings.Count(text, `"conversation"`); n != 500 {
		t.Errorf("%d tasks", n)
	}
}

// TestCutBehind: what comes after the item is cut off, with its calls.
func TestCutBehind(t *testing.T) {
	for end, want := range map[int][2]int{0: {0, 0}, 1: {1, 0}, 2: {2, 2}, 3: {3, 2}, 4: {4, 3}, 5: {5, 3}, 9: {5, 3}} {
		c := &page.Conversation{Messages: make([]page.Message, 5), Calls: []page.Call{{Message: 1}, {Message: 1}, {Message: 3}}}
		cutBehind(c, end)
		if got := [2]int{len(c.Messages), len(c.Calls)}; got != want {
			t.Errorf("before message %d: %d, want %d", end, got, want)
		}
	}
}

// TestQueues: queues that are no sample have the conversations outside it, the most interesting first.
func TestQueues(t *testing.T) {
	log, scores := small()
	confidence := map[string]float64{"c1": 0.9, "c2": 0.2, "c3": 0.5}
	for i := range scores {
		s := &scores[i]
		if s.Source == score.Judge {
			s.Confidence = new(confidence[s.ConversationID])
			if s.ConversationID != "c2" {
				s.Flags = append(s.Flags, score.Flag{Code: "odd", Severity: 1})
			}
			if s.ConversationID == "c3" {
				s.Flags = append(s.Flags, score.Flag{Code: "more", Severity: 1})
			}
		}
	}
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1, Seed: 0})
	for frame, want := range map[string]string{
		"random": "c3:0", "low_confidence": "c2:0 c1:0 c1:1", "flags": "c1:0 c1:1", "disagreements": "",
	} {
		_, text := c.get("/0/api/queue?frame=" + frame)
		var q queueState
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Fatal(text)
		}
		var got []string
		for _, task := range q.Tasks {
			got = append(got, fmt.Sprintf("%s:%d", task.Conversation, task.Call))
		}
		if strings.Join(got, " ") != want || q.Frame != frame {
			t.Errorf("%s: %q, want %q", frame, got, want)
		}
	}
}

// TestNothingToLabel: a run without an item that could be labelled says why.
func TestNothingToLabel(t *testing.T) {
	log, scores := small()
	for i := range scores {
		scores[i].CallIndex = nil
	}
	for _, tt := range []struct {
		scores []score.Score
		rubric string
		change func(*directory.Manifest)
		status int
		want   string
	}{
		{scores, "", func(*directory.Manifest) {}, 409,
			"no judge scored a call of this run: label by a rubric, with judge view --rubric overall or second"},
		{scores, "second", func(*directory.Manifest) {}, 409, "no judge scored an item of this run by this rubric: there is nothing to label"},
		{scores, "", func(m *directory.Manifest) { m.Rubrics, m.Judges = nil, nil }, 409, "no scorer scored a call of this run: there is nothing to label"},
		{nil, "", func(*directory.Manifest) {}, 500, "one holds no scores yet"},
	} {
		r := saved(t, "one", log, tt.scores)
		r.Manifest.Rubrics = append(r.Manifest.Rubrics, report.Rubric{Name: "second"})
		tt.change(r.Manifest)
		c := open(t, Config{Runs: []Run{r}, Calls: 1, Rubric: tt.rubric})
		if status, text := c.get("/0/api/queue?frame=random"); status != tt.status || text != tt.want {
			t.Errorf("%d %s, want %d %s", status, text, tt.status, tt.want)
		}
		if status, text := c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"label","label":"pass"}`); status != tt.status || text != tt.want {
			t.Errorf("%d %s, want %d %s", status, text, tt.status, tt.want)
		}
		if _, text := c.post("/0/api/items", `{"conversation":"c1"}`); tt.scores != nil && !strings.Contains(text, "The judge says so") {
			t.Errorf("what nobody labels is hidden: %s", text)
		}
	}
}

// TestLabellingByRubric: items of every kind are labelled by the categories of their rubric, with what belongs to them.
func TestLabellingByRubric(t *testing.T) {
	log := talk("c1", "pay", "get")
	one := 1
	rubric := func(name string) report.Rubric {
		return report.Rubric{Name: name, Categories: []string{"good", "bad", "odd"}, Pass: []string{"good"}}
	}
	for _, tt := range []struct {
		name, query, item string
		score             score.Score
		messages, from    int
	}{
		{"of calls", "call=1", `"conversation":"c1","call":1`, score.Score{CallIndex: &one, Tool: "get"}, 2, 1},
		{"of results", "call=1&scope=result", `"conversation":"c1","call":1,"scope":"result"`, score.Score{CallIndex: &one, Scope: score.ScopeResult}, 5, 1},
		{"of turns", "scope=turn&turn=1", `"conversation":"c1","call":-1,"turn":1,"scope":"turn"`, score.Score{Turn: 1, Scope: score.ScopeTurn}, 5, 0},
		{"of all", "", `"conversation":"c1","call":-1`, score.Score{}, 5, 0},
	} {
		s := tt.score
		s.ConversationID, s.Name, s.Source, s.Judge, s.Status = "c1", tt.name, score.Judge, "j", score.Unscored
		r := saved(t, "one", log, []score.Score{s})
		r.Manifest.Rubrics = []report.Rubric{rubric(tt.name)}
		c := open(t, Config{Runs: []Run{r}, Calls: 1, Rubric: tt.name})
		_, text := c.get("/0/api/queue?frame=random")
		want := fmt.Sprintf(`{"who":"ann","frame":"random","rubric":"%s","tasks":[{%s,"tool":"%s"}]}`, tt.name, tt.item, s.Tool)
		if text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		_, text = c.get("/0/api/card?conversation=c1&" + tt.query)
		var got card
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Conversation == nil || len(got.Conversation.Messages) != tt.messages || got.From != tt.from {
			t.Errorf("%s: %v %s", tt.name, err, text)
		}
		if status, text := c.post("/0/api/press", `{`+tt.item+`,"action":"label","category":"fine"}`); status != 400 || text != `"fine" is not an answer of `+tt.name {
			t.Errorf("%d %s", status, text)
		}
		_, text = c.post("/0/api/press", `{`+tt.item+`,"action":"label","category":"bad"}`)
		if want := `{` + tt.item + `,"tool":"","label":"fail","category":"bad","revealed":true}`; text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		_, text = c.post("/0/api/press", `{"conversation":"c1","call":0,"action":"undo"}`)
		if want := `{` + tt.item + `,"tool":"","revealed":true}`; text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		if page, text := c.get("/0/label"); page != 200 || !strings.Contains(text, `const question = {"categories":["good","bad","odd"],"rubric":"`+tt.name+`"};`) {
			t.Errorf("%s: the page does not know the question", tt.name)
		}
	}
}

// TestTwoRuns: of two runs the second is shown first, a call leads to the one that corresponds to it in the other run,
// and the conversations that changed can be listed.
func TestTwoRuns(t *testing.T) {
	log, scores := small()
	a := saved(t, "one", log, scores)
	var second []score.Score
	for _, list := range [][]score.Score{
		verdicts("c1", 0, "get", false, false), verdicts("c1", 1, "pay", false, false), verdicts("c1", 2, "get", false, false),
		verdicts("c2", 0, "get", false, true), verdicts("c4", 0, "pay", true, true),
	} {
		second = append(second, list...)
	}
	b := saved(t, "two", talk("c1", "get", "pay", "get")+talk("c2", "get")+talk("c4", "pay"), second)
	c := open(t, Config{Runs: []Run{a, b}, Calls: 1, Seed: 1})
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/0/api/partner?conversation=c1&call=0", 200, `{"run":"two","path":"../1/","conversation":"c1","call":1}`}, // reads both logs
		{"/", 303, `<a href="/1/">See Other</a>.` + "\n"},
		{"/1/api/partner?conversation=c2&call=0", 200, `{"run":"one","path":"../0/","conversation":"c2","call":0}`},
		{"/0/api/partner?conversation=c2&call=0", 200, `{"run":"two","path":"../1/","conversation":"c2","call":0}`},
		{"/0/api/partner?conversation=c2", 200, `{"run":"two","path":"../1/","conversation":"c2","call":-1}`},
		{"/0/api/partner?conversation=c1&call=0", 200, `{"run":"two","path":"../1/","conversation":"c1","call":1}`},
		{"/0/api/partner?conversation=c1&call=1", 200, `{"run":"two","path":"../1/","conversation":"c1","call":2}`},
		{"/1/api/partner?conversation=c1&call=1", 200, `{"run":"one","path":"../0/","conversation":"c1","call":0}`},
		{"/1/api/partner?conversation=c1&call=0", 200, `{"run":"one","path":"../0/","conversation":"c1","call":-1,"problem":"this run has no such item"}`},
		{"/0/api/partner?conversation=c3&call=0", 200, `{"run":"two","path":"../1/","conversation":"","call":-1,"problem":"this run has no such item"}`},
		{"/0/api/partner?conversation=c2&call=0&scope=result", 200, `null`},
	} {
		if status, text := c.get(tt.path); status != tt.status || text != tt.want {
			t.Errorf("%s: %d %s, want %d %s", tt.path, status, text, tt.status, tt.want)
		}
	}
	if !strings.Contains(c.LabelURL(), "/1/label?") {
		t.Error(c.LabelURL())
	}
	changed := func(terms, want string) {
		t.Helper()
		var got list
		_, text := c.post("/1/api/items", `{"terms":[`+terms+`]}`)
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(text)
		}
		var ids []string
		for _, i := range got.Items {
			ids = append(ids, i.Conversation)
		}
		if strings.Join(ids, " ") != want || got.Total != len(ids) {
			t.Errorf("%q changed, want %q", ids, want)
		}
	}
	changed(`"tool=get","show=changed","verdict=fail"`, "c2")
	changed(`"show=changed","verdict=pass"`, "")
	changed(`"show=changed"`, "c2")
	if _, page := c.get("/1/"); !strings.Contains(page, "const runs = 2;") || !strings.Contains(page, `"changed":1`) {
		t.Error("the page does not know the other run")
	}
	// While c2 is labelled, it does not tell that it changed.
	if _, text := c.get("/1/api/queue?frame=random"); !strings.Contains(text, `"tasks":[{"conversation":"c2","call":0,"tool":"get"}]`) {
		t.Fatalf("the sample is another: %s", text)
	}
	changed(`"show=changed"`, "")
	if err := os.Remove(filepath.Join(b.Dir, directory.ManifestFile)); err != nil {
		t.Fatal(err)
	}
	c = open(t, Config{Runs: []Run{a, b}, Calls: 1})
	_, text := c.get("/0/api/partner?conversation=c2&call=0")
	if !strings.HasPrefix(text, `{"run":"two","path":"../1/","conversation":"","call":0,"problem":"`) || !strings.Contains(text, "run.json") {
		t.Error(text)
	}
	c.post("/0/api/items", `{}`)
	if _, text := c.get("/0/api/status"); !strings.Contains(text, `"uncompared":"`) || !strings.Contains(text, "run.json") {
		t.Error(text)
	}
}

// TestRunsWithNothingInCommon: of runs that share no conversation nothing changed, and the status says why.
func TestRunsWithNothingInCommon(t *testing.T) {
	a := saved(t, "one", talk("c1", "get"), verdicts("c1", 0, "get", true, true))
	b := saved(t, "two", talk("c2", "pay"), verdicts("c2", 0, "pay", true, true))
	c := open(t, Config{Runs: []Run{a, b}, Calls: 1})
	if _, text := c.post("/1/api/items", `{"terms":["show=changed"]}`); text != `{"items":[],"total":0}` {
		t.Error(text)
	}
	if _, text := c.get("/1/api/status"); !strings.Contains(text, `"uncompared":"they have no conversation in common"`) {
		t.Error(text)
	}
}

// TestRunWithoutScores: a run that has scored nothing yet says so, and is shown once it has; of two runs the first is
// opened then.
func TestRunWithoutScores(t *testing.T) {
	log, scores := small()
	a, b := saved(t, "one", log, scores), saved(t, "two", log, nil)
	c := open(t, Config{Runs: []Run{a, b}, Calls: 1})
	if _, text := c.get("/"); !strings.Contains(text, `"/0/"`) {
		t.Error(text)
	}
	for _, path := range []string{"/1/", "/1/api/queue?frame=random"} {
		if status, text := c.get(path); status != 500 || text != "two holds no scores yet" {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text := c.post("/1/api/items", "{}"); status != 500 || text != "two holds no scores yet" {
		t.Errorf("%d %s", status, text)
	}
	c.get("/1/api/conversation?conversation=c1")
	if _, text := c.get("/1/api/status"); text != `{"version":0,"ready":false,"problem":"two holds no scores yet","logs_read":true}` {
		t.Error(text)
	}
	// The scores that it has while it works are in a file of another name.
	b.Manifest.Status = directory.Running
	if err := b.Manifest.Write(b.Dir); err != nil {
		t.Fatal(err)
	}
	writeScores(t, filepath.Join(b.Dir, directory.ScoresFile+directory.PartEnding), "run-two", scores[:4])
	if _, text := c.post("/1/api/items", "{}"); !strings.HasSuffix(text, `"total":2}`) {
		t.Error(text)
	}
	_, text := c.get("/1/api/status")
	var got statusOf
	if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Ready || got.Version != 1 || got.Problem != "" ||
		got.Partial != "the run is unfinished: it is at work, or was killed" {
		t.Errorf("%v %s", err, text)
	}
	if status, page := c.get("/1/"); status != 200 || !strings.Contains(page, "two") {
		t.Errorf("the page answers %d", status)
	}
}

// TestRunGrows: what was added to the scores is read again, as soon as the run has rested.
func TestRunGrows(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores[:4])
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	total := func() string {
		_, text := c.post("/0/api/items", `{"limit":1}`)
		return text[strings.LastIndex(text, `"total"`):]
	}
	if got := total(); got != `"total":2}` {
		t.Fatal(got)
	}
	c.keep()
	writeScores(t, filepath.Join(r.Dir, directory.ScoresFile), "run-one", scores)
	if got := total(); got != `"total":2}` {
		t.Errorf("it is read again before it has rested: %s", got)
	}
	of := c.runs[0]
	of.mu.Lock()
	if of.reading || of.version != 1 {
		t.Errorf("it is read again before it has rested, version %d", of.version)
	}
	of.took = 0
	of.mu.Unlock()
	for version := 0; version < 2; {
		_, text := c.get("/0/api/status")
		var got statusOf
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Problem != "" {
			t.Fatal(text)
		}
		version = got.Version
	}
	if got := total(); got != `"total":4}` {
		t.Error(got)
	}
	// What was read stays, also when the scores are gone.
	if err := os.Remove(filepath.Join(r.Dir, directory.ScoresFile)); err != nil {
		t.Fatal(err)
	}
	if got := total(); got != `"total":4}` {
		t.Error(got)
	}
}

// TestRest: a run that grew is read again after ten times as long as the last reading took, and by one reader at a time.
func TestRest(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores[:4])
	r.Manifest.Series = "daily"
	if err := r.Manifest.Write(r.Dir); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	of := c.runs[0]
	if _, err := of.snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	writeScores(t, filepath.Join(r.Dir, directory.ScoresFile), "run-one", scores)
	reading := func(rested time.Duration) bool {
		t.Helper()
		of.mu.Lock()
		of.took, of.current.taken = time.Hour, time.Now().Add(-rested)
		of.mu.Unlock()
		for range 3 {
			if _, err := of.now(); err != nil {
				t.Error(err)
			}
		}
		of.mu.Lock()
		defer of.mu.Unlock()
		return of.reading
	}
	of.records.mu.Lock() // whoever reads the run again waits for the records
	if reading(9 * time.Hour) {
		t.Error("it is read again after nine times as long")
	}
	if !reading(11 * time.Hour) {
		t.Error("it is not read again after eleven times as long")
	}
	of.records.mu.Unlock()
	for done := false; !done; {
		of.mu.Lock()
		done = !of.reading
		of.mu.Unlock()
	}
	if s, err := of.now(); err != nil || s.version != 2 || len(s.rows) != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestRenew: the first snapshot of a large run is provisional, and only that; one that was replaced is closed a minute
// later.
func TestRenew(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	rep := &report.Report{Schema: report.Schema}
	rep.Run.ID = r.Manifest.RunID
	var text bytes.Buffer
	if err := report.WriteJSON(&text, rep); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, directory.ReportFile), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	of := c.runs[0]
	synctest.Test(t, func(t *testing.T) {
		var last *snapshot
		for i, tt := range []struct {
			size        int64
			first       bool
			provisional bool
		}{{100<<20 + 1, true, true}, {100 << 20, true, false}, {100<<20 + 1, false, false}} {
			at := of.stamp()
			at.scores.size = tt.size
			of.renew(at, tt.first)
			of.mu.Lock()
			s := of.current
			of.mu.Unlock()
			if s.provisional != tt.provisional || s.version != i+1 || s.of != at {
				t.Errorf("%+v: version %d, provisional %v", tt, s.version, s.provisional)
			}
			if last != nil {
				time.Sleep(59 * time.Second)
				if _, err := last.items("c1"); err != nil {
					t.Errorf("nobody can read it any more after 59 seconds: %v", err)
				}
				time.Sleep(2 * time.Second)
				if _, err := last.items("c1"); !errors.Is(err, os.ErrClosed) {
					t.Errorf("it is open after 61 seconds: %v", err)
				}
			}
			last = s
		}
	})
}

// TestLogGrows: of a run that grows from day to day, what was added to its log is read too.
func TestLogGrows(t *testing.T) {
	for series, want := range map[string]string{"daily": "", "": "The logs hold no such conversation any more."} {
		log, scores := small()
		r := saved(t, "one", log, scores)
		c := open(t, Config{Runs: []Run{r}, Calls: 1})
		of := c.runs[0]
		of.records.conversation(t.Context(), "c9") // until all is read
		whole := log + talk("c9", "pay")
		path := filepath.Join(r.Dir, "log.jsonl")
		if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		hashes, err := input.Hash(sourceOf(path).Logs)
		if err != nil {
			t.Fatal(err)
		}
		m := *r.Manifest
		m.Series, m.Logs = series, []directory.LogBytes{{Path: "log.jsonl", Bytes: int64(len(whole))}}
		m.Inputs = []report.Input{{Path: "log.jsonl", SHA: hashes[0]}}
		if err := m.Write(r.Dir); err != nil {
			t.Fatal(err)
		}
		of.renew(of.stamp(), false)
		if _, _, problem := of.records.conversation(t.Context(), "c9"); problem != want {
			t.Errorf("series %q: %q, want %q", series, problem, want)
		}
	}
}

// TestProvisional: the first look at a large run uses the saved report, if it is that of this finished run, and is
// followed by a whole one.
func TestProvisional(t *testing.T) {
	log, scores := small()
	side := []report.Side{{Conflicts: true}}
	side[0].Name = "human"
	for _, tt := range []struct {
		status, id string
		want       bool
	}{
		{directory.Complete, "run-one", true}, {directory.Incomplete, "run-one", true}, {directory.Running, "run-one", false},
		{directory.Interrupted, "run-one", false}, {directory.Complete, "another", false},
	} {
		r := saved(t, "one", log, scores)
		r.Manifest.Status = tt.status
		if err := r.Manifest.Write(r.Dir); err != nil {
			t.Fatal(err)
		}
		rep := &report.Report{Schema: report.Schema}
		rep.Run.ID = tt.id
		one := report.Disagreement{Judge: "j", Direction: report.JudgePasses, References: side}
		one.ConversationID = "c3"
		other := one
		other.Direction, other.References = "judge_fails", nil
		rep.Disagreements.Items = []report.Disagreement{one, other}
		var text bytes.Buffer
		if err := report.WriteJSON(&text, rep); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.Dir, directory.ReportFile), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, Config{Runs: []Run{r}, Calls: 1})
		of := c.runs[0]
		s, err := of.take(t.Context(), of.stamp(), true)
		if err != nil {
			t.Fatal(err)
		}
		if s.provisional != tt.want || (len(s.report.Disagreements.All) == 2) != tt.want {
			t.Errorf("%+v: provisional %v, %+v", tt, s.provisional, s.report.Disagreements.All)
		}
		if !tt.want {
			s.close()
			continue
		}
		ref := report.CaseRef{ConversationID: "c3"}
		want := []report.Opposed{{CaseRef: ref, Judge: "j", Passes: true, Reference: "human"}, {CaseRef: ref, Judge: "j", Reference: "the reference"}}
		if diff := cmp.Diff(want, s.report.Disagreements.All); diff != "" {
			t.Error(diff)
		}
		s.taken, s.version = time.Now(), 1
		of.mu.Lock()
		of.current, of.version, of.took = s, 1, time.Hour
		of.mu.Unlock()
		if _, text := c.get("/0/api/status"); !strings.Contains(text, `"provisional":true`) {
			t.Error(text)
		}
		for whole := false; !whole; {
			_, text := c.get("/0/api/status")
			whole = strings.Contains(text, `"version":2`) && !strings.Contains(text, "provisional")
			if strings.Contains(text, "problem") {
				t.Fatal(text)
			}
		}
	}
}

// TestScoresThatCannotBeRead: a snapshot of scores that cannot be read is none, and of a conversation that it does not
// have there are no items.
func TestScoresThatCannotBeRead(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	of := c.runs[0]
	snap, err := of.snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.keep()
	writeScores(t, filepath.Join(r.Dir, "more.jsonl"), "run-one", slices.Concat(verdicts("c0", 0, "get", true, true), scores))
	more := &snapshot{report: snap.report, byID: map[string]int{}, tools: map[string]string{}}
	if err := more.fillFrom(t.Context(), filepath.Join(r.Dir, "more.jsonl")); err != nil {
		t.Fatal(err)
	}
	items, err := more.items("c1")
	more.close()
	if err != nil || len(items) != 2 || items[0].Order != 1 || items[1].Order != 2 {
		t.Errorf("the items of c1 are not the second and third: %s, %v", jsonOf(t, items), err)
	}
	if _, err := snap.items("nobody"); !errors.Is(err, directory.ErrNoItem) || !strings.HasSuffix(err.Error(), `: "nobody"`) {
		t.Error(err)
	}
	path := filepath.Join(r.Dir, directory.ScoresFile)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx        context.Context
		path, want string
	}{
		{t.Context(), r.Dir, "read " + r.Dir + ": read scores: read " + r.Dir + ": is a directory"},
		{t.Context(), path + "x", "open " + path + "x: no such file or directory"},
		{stopped, path, "read " + path + ": read scores: context canceled"},
	} {
		s := &snapshot{report: snap.report, byID: map[string]int{}, tools: map[string]string{}}
		if err := s.fillFrom(tt.ctx, tt.path); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	// The same file with other conversations in it.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"c3"`), []byte(`"d3"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := snap.items("c3"); err == nil || err.Error() != `the scores of "c3" are being rewritten: look again` {
		t.Error(err)
	}
	if err := snap.scores.Close(); err != nil {
		t.Fatal(err)
	}
	if status, text := c.post("/0/api/items", `{"conversation":"c1"}`); status != 500 || !strings.Contains(text, "file already closed") {
		t.Errorf("%d %s", status, text)
	}
}

// TestNoRoom: where no temporary file can be made or written, what needs one says so.
func TestNoRoom(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left if the process is killed (%v)", left, err)
	}
	s.close()
	if _, err := s.read(span{0, 1}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.add(make([]byte, 1<<20)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := s.flush(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	err = s.scan(t.Context(), 1, func(int) span { return span{0, 1} }, "x", func(int) {})
	if !errors.Is(err, os.ErrClosed) || !strings.HasPrefix(err.Error(), "search: ") {
		t.Error(err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "none"))
	const want = "no room for an index: "
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	if _, text := c.get("/0/api/conversation?conversation=c1"); !strings.HasPrefix(text, `{"conversation":null,"problem":"`+want) {
		t.Error(text)
	}
	if status, text := c.post("/0/api/items", "{}"); status != 500 || !strings.HasPrefix(text, want) {
		t.Errorf("%d %s", status, text)
	}
}

// TestFullRecords: a conversation that could not be kept, or is not what was kept, is not shown, and the reason is.
func TestFullRecords(t *testing.T) {
	gone := func() *records {
		r := emptyRecords(t)
		if err := r.open(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	big := stored{id: "c1", native: make([]byte, 1<<20), text: make([]byte, 1<<20)}
	r := gone()
	_ = r.native.file.Close()
	if err := r.add(big); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	r = gone()
	_ = r.text.file.Close()
	if err := r.add(big); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := r.search(t.Context(), "x", func(string) {}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	r = gone()
	if err := r.add(stored{id: "c1", place: "p", native: []byte("no JSON"), text: []byte("text")}); err != nil {
		t.Fatal(err)
	}
	if c, _, problem := r.conversation(t.Context(), "c1"); c != nil || !strings.Contains(problem, "log:1") {
		t.Errorf("%v %q", c, problem)
	}
	_ = r.native.file.Close()
	if c, _, problem := r.conversation(t.Context(), "c1"); c != nil || !strings.Contains(problem, "file already closed") {
		t.Errorf("%v %q", c, problem)
	}
	r = gone()
	_ = r.native.file.Close()
	if err := r.add(stored{id: "c1", native: []byte("small"), text: []byte("text")}); err != nil {
		t.Fatal(err)
	}
	if c, _, problem := r.conversation(t.Context(), "c1"); c != nil || !strings.Contains(problem, "file already closed") {
		t.Errorf("%v %q", c, problem)
	}
	_ = r.text.file.Close()
	if err := r.search(t.Context(), "x", func(string) {}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	r = gone()
	if err := errors.Join(r.add(stored{id: "c1", text: []byte("text")}), r.text.flush(), r.text.file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := r.search(t.Context(), "x", func(string) {}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// TestSecrets: every server has a token of its own, of 24 random bytes.
func TestSecrets(t *testing.T) {
	a, b := newDoor(1, nil), newDoor(1, nil)
	if len(a.token) != 32 || a.token == b.token || a.token == strings.Repeat("A", 32) {
		t.Errorf("tokens %s, %s", a.token, b.token)
	}
}

// TestDamagedRun: a run that cannot be read says so with every answer.
func TestDamagedRun(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	if err := os.WriteFile(filepath.Join(r.Dir, directory.ManifestFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	status, text := c.post("/0/api/items", "{}")
	if status != 500 || !strings.Contains(text, "run.json: damaged") {
		t.Errorf("%d %s", status, text)
	}
	if _, text := c.get("/0/api/status"); !strings.Contains(text, `"ready":false,"problem":"`) || !strings.Contains(text, "run.json: damaged") {
		t.Error(text)
	}
	if _, err := c.runs[0].itemsOf(t.Context(), "c1"); err == nil || !strings.Contains(err.Error(), "run.json: damaged") {
		t.Error(err)
	}
	if status, text := c.get("/0/api/queue?frame=flags"); status != 500 || !strings.Contains(text, "run.json: damaged") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := c.get("/0/"); status != 500 || !strings.Contains(text, "run.json: damaged") {
		t.Errorf("%d %s", status, text)
	}
}

// TestLabelsThatCannotBeKept: a key press that cannot be written is refused, and nothing is labelled.
func TestLabelsThatCannotBeKept(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	if err := os.Mkdir(filepath.Join(r.Dir, labels.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	status, text := c.post("/0/api/press", `{"conversation":"c3","call":0,"action":"label","label":"pass"}`)
	if status != 500 || !strings.Contains(text, labels.FileName) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := c.post("/0/api/items", "{}"); status != 500 || !strings.Contains(text, labels.FileName) {
		t.Errorf("%d %s", status, text)
	}
	if _, err := New(Config{Runs: []Run{r}, Calls: 1}); err == nil || !strings.Contains(err.Error(), labels.FileName) {
		t.Errorf("labels that cannot be read: %v", err)
	}
}

// TestLogsThatChanged: a conversation of a log that is not the judged one any more is not shown, and the reason is.
func TestLogsThatChanged(t *testing.T) {
	log, scores := small()
	r := saved(t, "one", log, scores)
	if err := os.WriteFile(filepath.Join(r.Dir, "log.jsonl"), []byte(strings.ReplaceAll(log, "Done", "Gone")), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: []Run{r}, Calls: 1})
	const want = "log.jsonl is not the file that was judged: it changed since"
	if _, text := c.get("/0/api/conversation?conversation=c1"); text != `{"conversation":null,"problem":"`+want+`"}` {
		t.Error(text)
	}
	if status, text := c.get("/0/api/prompt?conversation=c1&call=0"); status != 404 || text != "the prompt cannot be made again: "+want {
		t.Errorf("%d %s", status, text)
	}
	if _, text := c.post("/0/api/items", `{"conversation":"c3"}`); text != `{"items":[`+c3Item+`],"total":1}` {
		t.Error(text)
	}
}

// TestPartnersOfChangedLogs: a call whose log, or whose partner's log, cannot be read has no partner that would have to
// be found in it.
func TestPartnersOfChangedLogs(t *testing.T) {
	var runs []Run
	for i, tools := range [][]string{{"pay", "get"}, {"get", "pay"}} {
		runs = append(runs, saved(t, fmt.Sprint("r", i), talk("c1", tools...), verdicts("c1", 0, tools[0], true, true)))
	}
	if err := os.WriteFile(filepath.Join(runs[0].Dir, "log.jsonl"), []byte(talk("c1", "pay")), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Runs: runs, Calls: 1})
	for i := range 2 {
		_, text := c.get(fmt.Sprintf("/%d/api/partner?conversation=c1&call=0", i))
		if want := fmt.Sprintf(`{"run":"r%d","path":"../%d/","conversation":"c1","call":-1,"problem":"this run has no such item"}`, 1-i, 1-i); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}

// TestRecords: conversations can be read as soon as they are known, the first of two with the same id; a log that grew
// is read from where it was.
func TestRecords(t *testing.T) {
	r := newRecords(format.Options{})
	t.Cleanup(r.close)
	if r.more() || r.isDone() {
		t.Error("nobody has asked for the logs, and they are read")
	}
	if err := r.search(t.Context(), "x", func(string) { t.Error("found") }); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, _, problem := r.conversation(ctx, "c1"); c != nil || problem != "The logs are still being read." {
		t.Errorf("%v %q", c, problem)
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	logs := func() *input.Source { return sourceOf(path) }
	found := func(text string) (ids []string) {
		t.Helper()
		if err := r.search(t.Context(), text, func(id string) { ids = append(ids, id) }); err != nil {
			t.Error(err)
		}
		return ids
	}
	first, more := talk("c1", "pay", "get")+talk("c2", "get"), strings.Replace(talk("c3", "get"), "Please c3", "Please ADD", 1)
	for _, text := range []string{first, first + more} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.fill(t.Context(), &directory.Manifest{}, logs())
		if !r.isDone() {
			t.Error("it is not done")
		}
		if c, place, problem := r.conversation(t.Context(), "c2"); c == nil || c.ID != "c2" || place != "log.jsonl:2" || problem != "" {
			t.Errorf("%v %s %q", c, place, problem)
		}
		if text == first {
			if _, _, problem := r.conversation(t.Context(), "c3"); problem != "The logs hold no such conversation any more." {
				t.Error(problem)
			}
			if !r.more() || r.isDone() || r.more() {
				t.Error("a log that grew is not read again, or twice")
			}
		}
	}
	if len(r.list) != 3 || r.list[2].id != "c3" {
		t.Errorf("%+v", r.list)
	}
	for text, want := range map[string]string{"please": "c1 c2 c3", "please add": "c3", "result 0": "c1 c2 c3", `pay {"n":0}`: "c1", "ADD": "",
		"c1\n\nresult 0": "c1", "c1result": "", "}get": "", "done\nget": "c2 c3"} {
		if got := strings.Join(found(text), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	r.more()
	r.fill(t.Context(), &directory.Manifest{Manifest: report.Manifest{Inputs: []report.Input{{Path: "log.jsonl"}, {Path: "more.jsonl"}}}}, logs())
	if _, _, problem := r.conversation(t.Context(), "c9"); problem != "log.jsonl is not the file that was judged: it changed since" {
		t.Error(problem)
	}
	if err := r.add(stored{id: "c1", place: "twice", native: []byte("x"), text: []byte("x")}); err != nil {
		t.Error(err)
	}
	if _, place, _ := r.conversation(t.Context(), "c1"); place != "log.jsonl:1" {
		t.Errorf("the first c1 is at %s", place)
	}
}

// TestDoor: only the address that was printed, or a page that it opened, is let in; what is refused is told.
func TestDoor(t *testing.T) {
	log, scores := small()
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1})
	_, port, _ := net.SplitHostPort(c.listener.Addr().String())
	none := func(r *http.Request) { r.Header.Del("Authorization") }
	set := func(key, to string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(key, to) } }
	host := func(to string) func(*http.Request) { return func(r *http.Request) { r.Host = to } }
	cookie := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			none(r)
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	const token = "wrong or missing token: open the address that judge view printed"
	for _, tt := range []struct {
		name, method, path string
		change             func(*http.Request)
		status             int
		why                string
	}{
		{"the token", "GET", "/0/api/status", nil, 200, ""},
		{"nothing", "GET", "/0/api/status", none, 403, token},
		{"another token", "GET", "/0/api/status", set("Authorization", "Bearer x"), 403, token},
		{"another scheme", "GET", "/0/api/status", set("Authorization", "Basic "+c.door.token), 403, token},
		{"a cookie", "GET", "/0/api/status", cookie("judge_view_"+port, c.door.token), 200, ""},
		{"a wrong cookie", "GET", "/0/api/status", cookie("judge_view_"+port, "x"), 403, token},
		{"another server's cookie", "GET", "/0/api/status", cookie("judge_view_1", c.door.token), 403, token},
		{"the address", "GET", "/0/?token=" + c.door.token, none, 303, ""},
		{"a wrong address", "GET", "/0/?token=x", none, 403, token},
		{"the address, posted", "POST", "/0/api/items?token=" + c.door.token, none, 403, token},
		{"localhost", "GET", "/0/api/status", host("LOCALHOST:" + port), 200, ""},
		{"loopback", "GET", "/0/api/status", host("[::1]:" + port), 200, ""},
		{"another host", "GET", "/0/api/status", host("evil.example"), 403, "it was sent to the host evil.example"},
		{"another port", "GET", "/0/api/status", host("127.0.0.1:1"), 403, "it was sent to the host 127.0.0.1:1"},
		{"own origin", "GET", "/0/api/status", set("Origin", "http://localhost:"+port), 200, ""},
		{"another origin", "GET", "/0/api/status", set("Origin", "http://evil.example"), 403, "it comes from a page of http://evil.example"},
		{"a secure origin", "GET", "/0/api/status", set("Origin", "https://localhost:"+port), 403, "it comes from a page of https://localhost:" + port},
		{"a garbled origin", "GET", "/0/api/status", set("Origin", "http://%"), 403, "it comes from a page of http://%"},
		{"another site", "GET", "/0/", set("Sec-Fetch-Site", "cross-site"), 403, "it comes from a page of another site"},
		{"a link to a page", "GET", "/0/label", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 200, ""},
		{"a link to data", "GET", "/0/api/status", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 403, "it comes from a page of another site"},
		{"the same site", "GET", "/0/api/status", set("Sec-Fetch-Site", "same-origin"), 200, ""},
		{"a hostile host", "GET", "/0/api/status", host("\x1b[31m" + strings.Repeat("x", 300)), 403,
			`it was sent to the host \u001b[31m` + strings.Repeat("x", 170) + "…"},
	} {
		c.refused = nil
		r := c.send(tt.method, tt.path, "{}", tt.change)
		text, _ := io.ReadAll(r.Body)
		if r.StatusCode != tt.status || (tt.why != "") != (len(c.refused) == 1) {
			t.Errorf("%s: %d %.200s", tt.name, r.StatusCode, text)
			continue
		}
		if tt.why != "" && (c.refused[0] != tt.why || string(text) != "judge view refused this request: "+tt.why+"\n") {
			t.Errorf("%s: %q, %s", tt.name, c.refused, text)
		}
		want := map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		}
		if tt.path == "/0/label" {
			want["Content-Security-Policy"] = "frame-ancestors 'none'"
		}
		for key, value := range want {
			if got := r.Header.Get(key); got != value {
				t.Errorf("%s: %s is %q", tt.name, key, got)
			}
		}
		if tt.status != 303 {
			continue
		}
		if r.Header.Get("Location") != "/0/" || r.Header.Get("Set-Cookie") != "judge_view_"+port+"="+c.door.token+"; Path=/; HttpOnly; SameSite=Lax" {
			t.Errorf("%s: %v", tt.name, r.Header)
		}
	}
}

// TestServe: a server answers at its address until its context ends.
func TestServe(t *testing.T) {
	log, scores := small()
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	r, err := browser.Get(c.LabelURL())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || !strings.Contains(string(text), "Label calls") || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v %d", err, r.StatusCode)
	}
	if err := r.Body.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	of := c.runs[0]
	snap, err := of.snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.opened(t.Context(), "c1", false), of.ctx.Err(); err != nil {
		t.Error(err)
	}
	c.Close()
	if of.ctx.Err() == nil || !errors.Is(of.records.native.file.Close(), os.ErrClosed) || !errors.Is(of.records.text.file.Close(), os.ErrClosed) ||
		!errors.Is(snap.scores.Close(), os.ErrClosed) || !errors.Is(snap.text.file.Close(), os.ErrClosed) {
		t.Error("a closed server still reads")
	}
	if err := c.Serve(t.Context()); err == nil {
		t.Error("a server whose address is closed says that it serves")
	}
	c = open(t, Config{})
	c.Close()
	if err := c.listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed server that never served listens: %v", err)
	}
}

// TestPages: the titles name log, run and time; more than two runs are shown as a trend.
func TestPages(t *testing.T) {
	log, scores := small()
	var runs []Run
	for i := range 3 {
		r := saved(t, fmt.Sprint("run <", i, ">"), log, scores)
		r.Manifest.Started = r.Manifest.Started.AddDate(0, 0, -i)
		runs = append(runs, r)
	}
	c := open(t, Config{Runs: runs[:1], Calls: 1})
	for path, title := range map[string]string{"/0/": "Judge report", "/0/label": "Label calls"} {
		want := "<title>log.jsonl · run &lt;0&gt; · 2026-05-01 09:30 · " + title + "</title>"
		if status, text := c.get(path); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, no %s", path, status, want)
		}
	}
	for path, files := range map[string][]string{"/0/": {"ask.js", "view.js", "view.css"}, "/0/label": {"ask.js", "label.js", "label.css"}} {
		_, text := c.get(path)
		for _, name := range files {
			if want, err := os.ReadFile(filepath.Join("script", name)); err != nil || !strings.Contains(text, strings.TrimSpace(string(want))) {
				t.Errorf("%s lacks %s, %v", path, name, err)
			}
		}
	}
	for _, path := range []string{"/0/", "/0/label"} {
		if got := c.send(http.MethodGet, path, "", nil).Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("%s is %s", path, got)
		}
	}
	SortByTime(runs)
	c = open(t, Config{Runs: runs, Calls: 1})
	if _, text := c.get("/"); text != `<a href="/trend">See Other</a>.`+"\n" {
		t.Error(text)
	}
	if _, text := c.get("/1/api/conversation?conversation=c3"); text != c3Whole+"}" {
		t.Error(text)
	}
	status, text := c.get("/trend")
	style, err := os.ReadFile(filepath.Join("script", "trend.css"))
	if err != nil || !strings.Contains(text, strings.TrimSpace(string(style))) {
		t.Errorf("the trend has no style, %v", err)
	}
	at := strings.Index(text, "run &lt;2&gt;")
	if status != 200 || at < 0 || at > strings.Index(text, "run &lt;0&gt;") || !strings.Contains(text, "Runs over time") {
		t.Errorf("%d %.300s", status, text)
	}
}

// TestBlindPages: the page of a run does not name the calls that its reader is going to label.
func TestBlindPages(t *testing.T) {
	r := &run{Run: Run{Manifest: &directory.Manifest{}}, ctx: t.Context()}
	r.labels = &labelling{run: r, begun: true, read: map[string]bool{"read": true},
		made: &plan{rank: map[string]int{"hidden": 1, "read": 2, "open": 3}, planned: 2}}
	file, err := labels.Open(filepath.Join(t.TempDir(), labels.FileName), "r")
	if err != nil {
		t.Fatal(err)
	}
	r.labels.file = file
	ref := func(id string) report.CaseRef { return report.CaseRef{ConversationID: id} }
	of := &report.Report{}
	for _, id := range []string{"hidden", "read", "open", "none"} {
		of.Disagreements.Items = append(of.Disagreements.Items, report.Disagreement{CaseRef: ref(id)})
		of.Failing.Items = append(of.Failing.Items, report.FailingItem{CaseRef: ref(id)})
		of.FailureGroups = append(of.FailureGroups, report.FailureGroup{Example: report.FailingItem{CaseRef: ref(id)}})
	}
	got := r.withoutBlind(of)
	var ids []string
	for _, d := range got.Disagreements.Items {
		ids = append(ids, d.ConversationID)
	}
	for _, f := range got.Failing.Items {
		ids = append(ids, f.ConversationID)
	}
	for _, g := range got.FailureGroups {
		ids = append(ids, g.Example.ConversationID)
	}
	want := []string{"read", "open", "none", "read", "open", "none", "", "read", "open", "none"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	if len(of.Disagreements.Items) != 4 || len(of.Failing.Items) != 4 || of.FailureGroups[0].Example.ConversationID != "hidden" {
		t.Error("the report itself was changed")
	}
}

// TestWaiting: a page of a run that is still being read says so, leads to the labels, and asks again.
func TestWaiting(t *testing.T) {
	w := httptest.NewRecorder()
	showWaiting(w, &run{Run: Run{Name: "<run>"}})
	const want = "<!DOCTYPE html><html lang=en><title>Reading</title><p>Reading the scores of &lt;run&gt;. " +
		"<a href=label>You can label meanwhile.</a></p></html>"
	if w.Body.String() != want || w.Header().Get("Refresh") != "1" || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v %s", w.Header(), w.Body.String())
	}
	log, scores := small()
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 1})
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	r := c.send(http.MethodGet, "/0/", "", func(r *http.Request) { *r = *r.WithContext(late) })
	if r.StatusCode != 200 || r.Header.Get("Refresh") != "1" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if s, err := c.runs[0].snapshot(late); s == nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestFigures: the numbers of a run in its trend, each with what measured it; one that is not defined is left out.
func TestFigures(t *testing.T) {
	rate := func(f float64) report.Estimate { return report.Estimate{Value: &f} }
	counted := func(f float64, of int) *report.Counted { return &report.Counted{Of: of, Rate: rate(f)} }
	human := report.Instrument{Name: "human", Source: "label"}
	r := &report.Report{
		Headline: report.Headline{
			Rates: []report.HeadlineRate{
				{Kind: report.RawRateKind, Judge: "j", Name: "overall", Level: report.CallLevel, Rate: rate(0.1), N: 1},
				{Kind: report.CorrectedRateKind, Judge: "j", Name: "overall", Level: report.CallLevel, Rate: rate(0.2), N: 2},
				{Kind: report.LabelRateKind, Name: "human", Level: report.ConversationLevel, Rate: rate(0.3), N: 3},
				{Kind: report.LabelRateKind, Name: "none", Level: report.CallLevel},
			},
			Trust: []report.HeadlineTrust{
				{Judge: "j", Rubric: "overall", Reference: human, Level: report.CallLevel, Found: counted(0.4, 4), Kept: counted(0.5, 5)},
				{Judge: "k", Rubric: "overall", Reference: human, Level: report.CallLevel, Found: counted(0.6, 6)},
				{Judge: "l", Rubric: "overall", Reference: human, Level: report.CallLevel, Kept: counted(0.7, 7)},
			},
		},
	}
	var got []string
	for _, f := range figures(r, &report.Manifest{}) {
		by := f.instrument
		if len(by) == 16 {
			by = "judge"
		}
		got = append(got, fmt.Sprintf("%s: %v of %d by %s", f.name, *f.rate.Value, f.n, by))
	}
	want := []string{
		"Pass rate of calls by j, not corrected for its mistakes: 0.1 of 1 by judge", "Pass rate of calls by j, corrected: 0.2 of 2 by judge",
		"Pass rate of conversations by human, label: 0.3 of 3 by human",
		"Failures found by j (calls, against human): 0.4 of 4 by judge", "Right ones passed by j (calls, against human): 0.5 of 5 by judge",
		"Failures found by k (calls, against human): 0.6 of 6 by judge", "Right ones passed by l (calls, against human): 0.7 of 7 by judge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	row := report.ScoreRow{Instrument: report.Instrument{Name: "schema_check", Source: string(score.Deterministic),
		Level: report.CallLevel}, PassRate: rate(0.8), Judged: 8}
	for source, want := range map[score.Source]string{
		score.Deterministic: "Pass rate of calls by schema_check, scorer: 0.8 of 8 by schema_check", score.Label: "",
	} {
		row.Source = string(source)
		got := ""
		for _, f := range figures(&report.Report{Scores: []report.ScoreRow{row}}, &report.Manifest{}) {
			got += fmt.Sprintf("%s: %v of %d by %s", f.name, *f.rate.Value, f.n, f.instrument)
		}
		if got != want {
			t.Errorf("decided by %s: %q, want %q", source, got, want)
		}
	}
}

// TestPickedRows: which items a queue that is no sample begins with: of its level only, the most interesting first.
func TestPickedRows(t *testing.T) {
	s := &snapshot{}
	add := func(id, level string, disagreement int, confidence float64, flags int) {
		s.rows = append(s.rows, row{SortKeys: page.SortKeys{Disagreement: disagreement, Confidence: confidence}, level: level, flags: flags, conversation: uint32(len(s.convs))})
		s.convs = append(s.convs, conversationRows{id: id})
	}
	add("a", report.CallLevel, 2, 0, 1)
	add("b", report.CallLevel, 1, 0.5, 3)
	add("c", report.CallLevel, 0, -1, 0)
	add("d", report.ConversationLevel, 3, 0.1, 9)
	add("e", report.CallLevel, 3, 0.25, 3)
	for frame, want := range map[string]string{labels.Disagreements: "b a e", labels.LowConfidence: "a e b", labels.Flags: "b e a", labels.Random: ""} {
		if got := strings.Join(s.picked(frame, report.CallLevel), " "); got != want {
			t.Errorf("%s: %s, want %s", frame, got, want)
		}
	}
	if got := strings.Join(s.picked(labels.Flags, report.ConversationLevel), " "); got != "d" {
		t.Error(got)
	}
}

// TestLevelOfItems: what is labelled, and by which level a queue is made of it.
func TestLevelOfItems(t *testing.T) {
	for _, tt := range []struct {
		item labels.Item
		want string
	}{
		{labels.Item{Call: 0}, report.CallLevel}, {labels.Item{Call: 2, Scope: labels.Result}, labels.Result},
		{labels.Item{Call: -1, Turn: 1, Scope: labels.Turn}, labels.Turn}, {labels.Item{Call: -1}, report.ConversationLevel},
	} {
		tt.item.Conversation = "c"
		j := &judged{items: map[string][]judgedItem{"c": {{Item: tt.item}, {Item: labels.Item{Conversation: "c", Call: 9}}}}}
		if got := j.level(); got != tt.want {
			t.Errorf("%+v: %s", tt.item, got)
		}
		if !j.has(tt.item) || j.has(labels.Item{Conversation: "c", Call: 8}) {
			t.Errorf("%+v: it has others", tt.item)
		}
		first := map[string]int{labels.Turn: 1, labels.Result: 2, report.CallLevel: 0, report.ConversationLevel: -1}[tt.want]
		if got := j.indexes("c"); len(got) != 2 || got[0] != first || got[1] != 9 {
			t.Errorf("%+v: %d", tt.item, got)
		}
	}
}

// TestBlindOrder: the order of a list says nothing of what is labelled, and its filters find that by its tool and as
// without a verdict only.
func TestBlindOrder(t *testing.T) {
	log, _ := small()
	var scores []score.Score
	for i, id := range []string{"c1", "c2", "c3"} {
		list := verdicts(id, 0, []string{"pay", "get", "pay"}[i], i == 0, i == 0)
		list[1].Confidence = new(1 - float64(i)/10)
		scores = append(scores, list...)
	}
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 9})
	ids := func(body string) string {
		t.Helper()
		_, text := c.post("/0/api/items", body)
		var got list
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(text)
		}
		var out []string
		for _, i := range got.Items {
			out = append(out, i.Conversation)
		}
		return strings.Join(out, " ")
	}
	for _, tt := range []struct{ body, open string }{
		{`{"limit":-1}`, "c1 c2 c3"}, {`{"limit":1}`, "c1"}, {`{"limit":9999,"offset":1}`, "c2 c3"},
		{`{"sort":"confidence"}`, "c3 c2 c1"}, {`{"sort":"failure"}`, "c2 c3 c1"}, {`{"sort":"tool"}`, "c2 c1 c3"},
		{`{"terms":["tool=pay"]}`, "c1 c3"}, {`{"terms":["tool=get"]}`, "c2"}, {`{"terms":["verdict=none"]}`, ""},
		{`{"terms":["tool=pay","verdict=none"]}`, ""}, {`{"terms":["verdict=fail"]}`, "c2 c3"}, {`{"terms":["tool=other"]}`, ""},
	} {
		if got := ids(tt.body); got != tt.open {
			t.Errorf("%s: %s, want %s", tt.body, got, tt.open)
		}
	}
	c.get("/0/api/queue?frame=random")
	for body, want := range map[string]string{
		`{"limit":-1}`: "c1 c2 c3", `{"limit":1}`: "c1", `{"sort":"confidence"}`: "c1 c2 c3", `{"sort":"failure"}`: "c1 c2 c3", `{"sort":"tool"}`: "c2 c1 c3",
		`{"terms":["tool=pay"]}`: "c1 c3", `{"terms":["verdict=none"]}`: "c1 c2 c3", `{"terms":["tool=pay","verdict=none"]}`: "c1 c3",
		`{"terms":["verdict=fail"]}`: "", `{"terms":["tool=other"]}`: "",
	} {
		if got := ids(body); got != want {
			t.Errorf("blind, %s: %s, want %s", body, got, want)
		}
	}
}

// TestQueueOrder: the calls of a conversation are labelled in their order, each once, whatever the order of the scores.
func TestQueueOrder(t *testing.T) {
	log, _ := small()
	scores := slices.Concat(verdicts("c1", 1, "get", true, true), verdicts("c1", 0, "pay", true, true), verdicts("c1", 1, "get", true, true))
	c := open(t, Config{Runs: []Run{saved(t, "one", log, scores)}, Calls: 9})
	const want = `{"who":"ann","frame":"random","rubric":"","tasks":[{"conversation":"c1","call":0,"tool":"pay"},{"conversation":"c1","call":1,"tool":"get"}]}`
	if _, text := c.get("/0/api/queue?frame=random"); text != want {
		t.Error(text)
	}
}

// TestJoined: runs stand in one series if they are of the same part of the same logs, or have tasks in common.
func TestJoined(t *testing.T) {
	log, scores := small()
	other := talk("d1", "find", "find")
	a, b, c := saved(t, "a", log, scores), saved(t, "b", log+other, scores), saved(t, "c", other, scores)
	parts := func(r Run, inputs, selection string) *Run {
		m := *r.Manifest
		m.Parts = map[string]string{"inputs": inputs, "selection": selection}
		r.Manifest = &m
		return &r
	}
	for _, tt := range []struct {
		name string
		a, b *Run
		want bool
	}{
		{"the same logs", parts(a, "x", "s"), parts(c, "x", "s"), true}, {"another part of them", parts(a, "x", "s"), parts(c, "x", "r"), false},
		{"other logs", parts(a, "x", "s"), parts(c, "y", "s"), false}, {"other logs with the same tasks", parts(a, "x", "s"), parts(b, "y", "s"), true},
	} {
		if got := joined(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
