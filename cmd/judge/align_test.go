package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report"
)

// The kinds of calls in the simulated log. A call of kind B is wrong in a way that the judge does
// not see.
const (
	plainRight = "P" // passed by everyone
	falseAlarm = "Q" // right, and failed by the judge
	plainWrong = "A" // wrong, and found
	blindSpot  = "B" // wrong, and found if a rule about it stands in the prompt
	neverFound = "C" // wrong, and never found
)

// blindRule is what the scripted model proposes once it has seen a missed call of kind B.
const blindRule = "A call whose code is B is wrong."

// alignWorld is a log of calls, half of them wrong, and a judge with a script.
type alignWorld struct {
	t      *testing.T
	dir    string
	server *llmtest.Server
	labels string // a filled table
}

var alignCall = regexp.MustCompile(`"order":"(K-\d+)","code":"(\w)"`)

// newAlignWorld makes a log of n calls of one conversation each by a seed. verdict says whether the
// judge fails a call that it would or would not fail by itself.
func newAlignWorld(t *testing.T, seed uint64, n int, verdict func(prompt llmtest.Call, order, kind string, fails bool) (bool, bool)) *alignWorld {
	t.Helper()
	w := &alignWorld{t: t, dir: t.TempDir()}
	rng := rand.New(rand.NewPCG(seed, 29))
	var log, table strings.Builder
	table.WriteString("conversation_id,call_index,label,note,sample,probability,rank,calls_per_conversation\n")
	for i := range n {
		kind, label := plainRight, "pass"
		switch x := rng.Float64(); {
		case i%2 == 1 && x < 0.4:
			kind = plainWrong
		case i%2 == 1 && x < 0.7:
			kind = blindSpot
		case i%2 == 1:
			kind = neverFound
		case x < 0.1:
			kind = falseAlarm
		}
		if i%2 == 1 {
			label = "fail"
		}
		fmt.Fprintf(&log, `{"id":"c%d","messages":[{"role":"user","content":"please do job %d"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"ship","arguments":"{\"order\":\"K-%04d\",\"code\":\"%s\"}"}}]}]}`+"\n", i, i, i, kind)
		fmt.Fprintf(&table, "c%d,0,%s,,random,0.5,%d,0\n", i, label, i+1)
	}
	w.labels = table.String()
	w.write("log.jsonl", log.String())
	w.write("fine.yaml", "name: fine\nquestion: Is this call right?\nanswer: yes/no\npass: yes\n")
	w.server = llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if c.SchemaName() == "guidelines" {
			return llmtest.Text(proposedRules(c))
		}
		m := alignCall.FindAllStringSubmatch(c.Last(), -1)
		if m == nil { // what is asked before the first judgement
			return llmtest.Text(`{"explanation":"e","evidence":"NONE: x","output":"yes","confidence":0.9,"correction":{}}`)
		}
		order, kind := m[len(m)-1][1], m[len(m)-1][2]
		fails, usable := verdict(c, order, kind, kind == plainWrong || kind == falseAlarm)
		if !usable {
			return llmtest.Text("I cannot answer this.")
		}
		output := map[bool]string{true: "no", false: "yes"}[fails]
		return llmtest.Text(fmt.Sprintf(`{"explanation":"I looked at %s.","evidence":"NONE: x","output":%q,"confidence":0.9,"correction":{}}`, order, output))
	})
	w.server.DropCalls()
	t.Cleanup(w.server.Close)
	return w
}

func (w *alignWorld) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// proposedRules names what was shown: the blind spot, and the orders, as a model does that learns by
// heart.
func proposedRules(c llmtest.Call) string {
	type rule struct {
		Rule string `json:"rule"`
		From []int  `json:"from"`
	}
	var rules []rule
	shown := c.Last()[strings.LastIndex(c.Last(), "The disagreements:"):]
	if strings.Contains(shown, `\"code\":\"`+blindSpot+`\"`) {
		rules = append(rules, rule{blindRule, []int{1}})
	}
	var orders []string
	for _, m := range regexp.MustCompile(`K-\d+`).FindAllString(shown, -1) {
		if !slices.Contains(orders, m) {
			orders = append(orders, m)
		}
	}
	rules = append(rules, rule{"Look at these again: " + strings.Join(orders, " "), []int{1, 2}})
	out, _ := json.Marshal(map[string]any{"guidelines": rules})
	return string(out)
}

// judge runs a command and returns its exit code, output and errors.
func (w *alignWorld) judge(line string) (code int, out, errs string) {
	w.t.Helper()
	var o, e bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &o, err: &e, getenv: func(string) string { return "" }}
	code = command(context.Background(), strings.Fields(line), a)
	return code, o.String(), e.String()
}

// run has the judge judge the log, and people label it.
func (w *alignWorld) run() {
	w.t.Helper()
	w.t.Chdir(w.dir)
	if code, _, errs := w.judge("run log.jsonl -q --out r --model m --transport json_schema --rubric fine.yaml --base-url " + w.server.URL); code != exitOK {
		w.t.Fatalf("exit %d: %s", code, errs)
	}
	if err := labelRun("r", strings.NewReader(w.labels), "ann", 0); err != nil {
		w.t.Fatal(err)
	}
}

// align aligns the rubric and returns the report.
func (w *alignWorld) align(flags string) *report.Alignment {
	w.t.Helper()
	code, out, errs := w.judge("align r -q --rubric fine --format json " + flags)
	a := &report.Alignment{}
	if err := json.Unmarshal([]byte(out), a); code != exitOK || err != nil {
		w.t.Fatalf("exit %d: %v: %s%s", code, err, out, errs)
	}
	return a
}

// hasRule reports whether a prompt has the rule about the blind spot.
func hasRule(c llmtest.Call) bool { return strings.Contains(c.Messages[0].Content, blindRule) }

// improves finds the blind spot exactly when the rule stands in the prompt.
func improves(c llmtest.Call, _, kind string, fails bool) (bool, bool) {
	return fails || kind == blindSpot && hasRule(c), true
}

// drifts answers by chance, and differently with every prompt: there is nothing to gain.
func drifts(c llmtest.Call, order, kind string, _ bool) (bool, bool) {
	h := fnv.New64a()
	for _, m := range c.Messages[:len(c.Messages)-1] {
		h.Write([]byte(regexp.MustCompile(`<<<[^>]*>>>`).ReplaceAllString(m.Content, "")))
	}
	h.Write([]byte(order))
	x := rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
	wrong := kind == plainWrong || kind == blindSpot || kind == neverFound
	return x < 0.4 && wrong || x < 0.1, true
}

// learnsByHeart knows what is wrong of the orders that the prompt quotes, and nothing else.
func learnsByHeart(c llmtest.Call, order, kind string, fails bool) (bool, bool) {
	for _, m := range c.Messages[:len(c.Messages)-1] {
		if strings.Contains(m.Content, order) {
			return kind == plainWrong || kind == blindSpot || kind == neverFound, true
		}
	}
	return fails, true
}

// breaks gives no usable answer to prompts with examples.
func breaks(c llmtest.Call, order, kind string, fails bool) (bool, bool) {
	fails, _ = improves(c, order, kind, fails)
	return fails, len(c.Messages) <= 2
}

func never(_ llmtest.Call, _, _ string, fails bool) (bool, bool) { return fails, true }

func TestAlign(t *testing.T) {
	w := newAlignWorld(t, 1, 100, improves)
	w.run()
	a := w.align("")
	t.Logf("%+v", a)
	if !a.Proven {
		t.Error("not proven")
	}
}
