package judges

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// question returns a rubric in the short form with these keys.
func question(t testing.TB, keys string) *rubrics.Rubric {
	t.Helper()
	list, err := rubrics.Load(strings.NewReader("name: q\nquestion: Was it asked first?\n"+keys), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func asks(r *rubrics.Rubric) func(*Config) {
	return func(c *Config) { c.Rubrics = []*rubrics.Rubric{r} }
}

// line returns what a score line says of the answer.
func line(s Score) string {
	text := string(s.Status)
	if s.Value != nil {
		text += " " + number(*s.Value)
	}
	if s.Passed != nil {
		text += fmt.Sprint(" ", *s.Passed)
	}
	return strings.TrimSpace(text + " " + s.Label + " " + s.Category)
}

var kinds = []struct{ keys, output, want string }{
	{"answer: yes/no\npass: yes", `"yes"`, "scored 1 true pass yes"},
	{"answer: yes/no\npass: yes", `"no"`, "scored 0 false fail no"},
	{"answer: yes/no\npass: no", `"no"`, "scored 1 true pass no"},
	{"answer: yes/no", `"no"`, "scored 2  no"},
	{"answer: yes/no\npass: yes\nnot_applicable: yes", `"not_applicable"`, "not_applicable not_applicable"},
	{"answer: [good, fair, bad]\npass: [good, fair]", `"fair"`, "scored 1 true pass fair"},
	{"answer: [good, fair, bad]", `"bad"`, "scored 3  bad"},
	{"answer: 1-5\npass: '>= 4'", "3", "scored 3 false fail"},
	{"answer: 1-5", "3", "scored 3"},
	{"answer: 0..1\npass: 0.5\nnot_applicable: yes", "0.75", "scored 0.75 true pass"},
	{"answer: 0..1\npass: 0.5\nnot_applicable: yes", `"not_applicable"`, "not_applicable not_applicable"},
	{"answer: {properties: {rule: {type: string}, output: {type: integer, minimum: 0, maximum: 9}}}\npass: <= 3", "2", "scored 2 true pass"},
	// What models write instead.
	{"answer: yes/no\npass: yes", `"Yes"`, "scored 1 true pass yes"},
	{"answer: yes/no\npass: yes", "false", "scored 0 false fail no"},
	{"answer: [not sure, clear]\npass: clear\nnot_applicable: yes", `"Not-Sure"`, "scored 0 false fail not sure"},
	{"answer: 1-5\nnot_applicable: yes", `"N/A"`, "not_applicable not_applicable"},
	{"answer: yes/no\npass: yes", `"n/a"`, "unscored"},
	{"answer: yes/no\npass: yes", `"maybe"`, "unscored"},
	{"answer: yes/no\npass: yes", "1", "unscored"},
	{"answer: 1-5", `"not_applicable"`, "unscored"},
}

func answerOf(output string) string {
	return `{"explanation":"The user asked.","evidence":"\"cancel order 987\"","rule":"first","output":` + output + `,"confidence":0.9,"correction":{}}`
}

// TestAnswerKinds: every kind of answer gives the same score about items of every scope, on every step of the
// ladder and in a window of 4096 tokens, and its prompt says which answers there are.
func TestAnswerKinds(t *testing.T) {
	for _, item := range []Target{OfCall(1), {Scope: rubrics.ScopeResult, Call: 1}, {Scope: rubrics.ScopeTurn, Turn: 1},
		{Scope: rubrics.ScopeConversation}} {
		testAnswerKinds(t, item)
	}
}

func testAnswerKinds(t *testing.T, item Target) {
	for _, tt := range kinds {
		r := question(t, tt.keys+"\nscope: "+string(item.Scope))
		answerOf := func(output string) string {
			if item.HasCall() {
				return answerOf(output)
			}
			return strings.Replace(answerOf(output), `,"correction":{}`, "", 1)
		}
		for _, transport := range llm.Ladder() {
			s := judgetest.Replies(answerOf(tt.output))
			if transport == llm.Tools {
				s.Reply = func(int, llm.Request) (*llm.Response, error) {
					return &llm.Response{ToolArguments: answerOf(tt.output), FinishReason: "stop"}, nil
				}
			}
			j := intentJudge(t, s, func(c *Config) {
				c.Rubrics, c.Transport, c.MaxRepairs, c.Prompt.Limit = []*rubrics.Rubric{r}, transport, -1, window.Limit{Tokens: 4096}
			})
			all, err := j.Target(t.Context(), judgetest.Support(t), item)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			res := all[0]
			got := res.Score()
			if line(got) != tt.want {
				t.Errorf("%s of a %s by %s: %s is %q, want %q (%s)", tt.keys, item.Scope, transport, tt.output, line(got), tt.want, res.ErrorDetail)
			}
			if err := got.Check(); err != nil {
				t.Error(err)
			}
			if got.Status != score.Unscored && got.Explanation == "" {
				t.Errorf("%s: the explanation is lost", tt.keys)
			}
			req := s.Requests[0]
			if schema := string(req.Schema.JSON); (transport == llm.PromptOnly) != (schema == "") {
				t.Errorf("by %s the schema is %s", transport, schema)
			}
			system := req.Messages[0].Content
			for _, category := range r.Output.Categories {
				if !strings.Contains(system, `"`+category+`"`) {
					t.Errorf("%s: the prompt does not name %s", tt.keys, category)
				}
			}
			if r.Output.MayNotApply != strings.Contains(system, "does not apply") {
				t.Errorf("%s: does the prompt say what does not apply? %s", tt.keys, system)
			}
		}
	}
}

func TestKindsFlagsAndFields(t *testing.T) {
	extra := question(t, "answer: yes/no\npass: yes\nextra: {rule: which rule}\nconfidence: no\ncorrection: no\nlanguage: de")
	s := judgetest.Replies(`{"explanation":"falsch","evidence":"\"cancel order 987\"","rule":"first","output":"YES"}`)
	res := judgeOne(t, intentJudge(t, s, asks(extra)))
	if got := res.Answer.JSON(); got != `{"rule":"first"}` || res.Score().Details.Field("answer").JSON() != got {
		t.Errorf("the author's field: %s", got)
	}
	if res.LowConfidence || res.Escalate || res.Confidence != nil || len(res.Flags) != 1 || res.Flags[0].Code != "category_spelling" {
		t.Errorf("a rubric without confidence: %+v", res)
	}
	system := s.Requests[0].Messages[0].Content
	if !strings.Contains(system, "in this language: de") || !strings.Contains(system, "explanation, evidence, rule, output.") {
		t.Error(system)
	}
	// A field of the author's that breaks its schema is null; the score stands.
	s = judgetest.Replies(`{"explanation":"e","evidence":"v","rule":7,"output":"yes"}`)
	if res = judgeOne(t, intentJudge(t, s, asks(extra))); res.Verdict != Pass || !flagged(res.Flags, "rule_invalid") {
		t.Errorf("%+v", res)
	}
	// A low confidence escalates also what does not apply.
	na := question(t, "answer: yes/no\npass: yes\nnot_applicable: yes")
	low := strings.Replace(answerOf(`"not_applicable"`), "0.9", "0.2", 1)
	if res = judgeOne(t, intentJudge(t, judgetest.Replies(low), asks(na))); res.Verdict != NotApplicable || !res.Escalate || !res.LowConfidence {
		t.Errorf("%+v", res)
	}
}

// TestLanguage: an explanation in another language is not read by the check that knows English, its quotes are
// still looked for word for word, and English is checked.
func TestLanguage(t *testing.T) {
	for _, tt := range []struct{ language, explanation, evidence, want string }{
		{"", "This is wrong.", "cancel order 987", "explanation_contradicts_output"},
		{"en", "This is wrong.", "cancel order 987", "explanation_contradicts_output"},
		{"de", "This is wrong.", "cancel order 987", ""},
		{"German", "Der Aufruf ist nicht invalid.", "cancel order 987", ""},
		{"de", "Der Aufruf passt.", "Bestellung 987 stornieren", "evidence_ungrounded"},
	} {
		for _, scope := range []string{"call", "result"} {
			r := question(t, "answer: 1-5\npass: 4\nscope: "+scope+"\nlanguage: "+tt.language)
			s := judgetest.Replies(judgetest.AnswerWith("5", tt.explanation, `"`+tt.evidence+`"`, "{}"))
			all, err := intentJudge(t, s, asks(r)).Target(t.Context(), judgetest.Support(t), Target{Scope: r.Scope, Call: 1})
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			for _, f := range all[0].Flags {
				flags = append(flags, f.Code)
			}
			if got := strings.Join(flags, " "); got != tt.want {
				t.Errorf("%q, %s: %q, want %q", tt.language, tt.explanation, got, tt.want)
			}
			system := s.Requests[0].Messages[0].Content
			if asked := strings.Contains(system, "in this language"); asked != (tt.language != "") {
				t.Errorf("%q: does the prompt name the language? %v", tt.language, asked)
			}
		}
	}
}

// TestKindsRepair: a repair must not change a category that could be read, be it only between two
// that both pass.
func TestKindsRepair(t *testing.T) {
	r := question(t, "answer: [good, fair, bad]\npass: [good, fair]")
	broken := strings.Replace(answerOf(`"good"`), `"explanation":"`, `"explanation":"a " quote`, 1)
	for output, want := range map[string]string{`"good"`: Pass, `"fair"`: NoVerdict} {
		res := judgeOne(t, intentJudge(t, judgetest.Replies(broken, answerOf(output)), asks(r)))
		if res.Verdict != want || flagged(res.Flags, flagRepairChanged) != (want == NoVerdict) {
			t.Errorf("%s: %s %s", output, res.Verdict, res.ErrorDetail)
		}
	}
	s := judgetest.Replies(answerOf(`"fine"`), answerOf(`"fair"`))
	if res := judgeOne(t, intentJudge(t, s, asks(r))); res.Category != "fair" || res.Repairs != 1 {
		t.Errorf("%+v", res)
	}
}

func TestKindsSampled(t *testing.T) {
	for _, tt := range []struct {
		keys, outputs, want string
		confidence          float64
	}{
		{"answer: yes/no\npass: yes", `"yes" "yes" "no" "yes" "yes"`, "scored 0.8 true pass yes", 0.8},
		{"answer: [a, b, c]", `"b" "a" "b" "c" "b"`, "scored 2  b", 0.6},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", `"not_applicable" "yes" "not_applicable" "no" "not_applicable"`, "not_applicable not_applicable", 0.9},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", `"not_applicable" "no" "no" "no" "no"`, "scored 0 false fail no", 0.9},
		{"answer: 1-5", "1 2 2 4 1", "scored 2", 0.9},
		{"answer: [a, b, c]", `"b" "a" "b" "b" "b"`, "scored 2  b", 0.8},
		{"answer: [good, fair, bad]\npass: [good, fair]", `"good" "good" "fair" "good" "good"`, "scored 1 true pass good", 1},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", `"not_applicable" "yes" "not_applicable" "yes" "maybe"`,
			"scored 1 true pass yes", 0.9},
	} {
		var texts []string
		for _, output := range strings.Fields(tt.outputs) {
			texts = append(texts, answerOf(output))
		}
		j := intentJudge(t, judgetest.Replies(texts...), func(c *Config) {
			asks(question(t, tt.keys))(c)
			c.Method, c.Samples = SelfConsistency, 5
		})
		res := judgeOne(t, j)
		if got := line(res.Score()); got != tt.want || *res.Confidence != tt.confidence {
			t.Errorf("%s of %s: %q, confidence %v", tt.outputs, tt.keys, got, *res.Confidence)
		}
	}
}

func TestKindsWeighed(t *testing.T) {
	reply := func(int, llm.Request) (*llm.Response, error) {
		text := answerOf(`"no"`)
		at := strings.Index(text, `no","conf`)
		token := func(s string) llm.TokenAlternative { return llm.TokenAlternative{Token: s} }
		alt := func(s string, p float64) llm.TokenAlternative {
			return llm.TokenAlternative{Token: s, Logprob: math.Log(p)}
		}
		return &llm.Response{Content: text, FinishReason: "stop", Logprobs: []llm.Token{
			{TokenAlternative: token(text[:at])},
			{TokenAlternative: token("no"), Top: []llm.TokenAlternative{alt("no", 0.6), alt("ye", 0.2), alt("Yes", 0.1), alt("maybe", 0.1)}},
			{TokenAlternative: token(text[at+2:])},
		}}, nil
	}
	weighed := func(keys string) (*Judge, error) {
		return New(&judgetest.Script{Reply: reply}, Config{Model: "m", Method: TokenWeighted, Rubrics: []*rubrics.Rubric{question(t, keys)}})
	}
	for keys, want := range map[string]float64{"answer: yes/no\npass: yes": 2. / 3, "answer: yes/no": 2. / 3} {
		j, err := weighed(keys)
		if err != nil {
			t.Fatal(err)
		}
		res := judgeOne(t, j)
		if res.Category != "no" || res.Method != TokenWeighted || res.ConfidenceSource != "token" || !(math.Abs(*res.Confidence-want) <= 1e-9) {
			t.Errorf("%s: %s %v %v by %s", keys, res.Category, *res.Output, *res.Confidence, res.Method)
		}
	}
	for keys, want := range map[string]string{
		"answer: [good, great]\npass: great":  "good, great do not differ in their first letter",
		"answer: yes/no\nnot_applicable: yes": "one token, which does not show not_applicable",
	} {
		if _, err := weighed(keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}

func TestKindsInPanels(t *testing.T) {
	for _, tt := range []struct {
		keys, rule, outputs, want string
	}{
		{"answer: yes/no\npass: yes", "", `"yes" "yes" "no"`, "scored 1 true pass yes"},
		{"answer: [good, fair, bad]\npass: [good, fair]", "", `"good" "fair" "fair"`, "scored 1 true pass fair"},
		{"answer: [a, b, c]", "majority", `"c" "a" "c"`, "scored 3  c"},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", "", `"not_applicable" "yes" "not_applicable"`, "not_applicable not_applicable"},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", "", `"not_applicable" "no" "no"`, "scored 0 false fail no"},
		{"answer: yes/no\npass: yes\nnot_applicable: yes", "", `"not_applicable" "no" "maybe"`, "unscored"},
	} {
		r := question(t, tt.keys)
		var list []*Judge
		var names []string
		for i, output := range strings.Fields(tt.outputs) {
			names = append(names, fmt.Sprint("j", i))
			list = append(list, intentJudge(t, judgetest.Replies(answerOf(output)), func(c *Config) {
				asks(r)(c)
				c.Name, c.MaxRepairs = names[i], -1
			}))
		}
		cfg := RunConfig{Panels: []Panel{{Name: "panel", Members: names, Rule: PanelRule(tt.rule)}}}
		got := runAll(t, list, cfg, 1)
		if last := got[len(got)-1].Score(); last.Judge != "panel" || line(last) != tt.want {
			t.Errorf("%s of %s: %q", tt.outputs, tt.keys, line(last))
		}
	}
	one := intentJudge(t, judgetest.Replies(""), asks(question(t, "answer: [a, b, c]")))
	cfg := RunConfig{Panels: []Panel{{Name: "panel", Members: []string{"m"}}}}
	if _, err := Asked([]*Judge{one}, cfg); err == nil || !strings.Contains(err.Error(), "join them by majority") {
		t.Error(err)
	}
}

// runAll judges call 1 of so many conversations.
func runAll(t testing.TB, list []*Judge, cfg RunConfig, n int) (all []Result) {
	t.Helper()
	items := func(yield func(Item, error) bool) {
		for range n {
			if !yield(Item{Conversation: judgetest.Support(t)}, nil) {
				return
			}
		}
	}
	err := Run(t.Context(), list, items, cfg, func(o *Outcome) error {
		all = append(all, o.Results...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNotApplicableDoesNotStop: a judge that says twenty times that the question does not apply
// works.
func TestNotApplicableDoesNotStop(t *testing.T) {
	j := intentJudge(t, judgetest.Replies(answerOf(`"not_applicable"`)), asks(question(t, "answer: yes/no\npass: yes\nnot_applicable: yes")))
	for _, r := range runAll(t, []*Judge{j}, RunConfig{Stopped: func(s Stop) { t.Error(s) }}, StopAfter) {
		if r.Verdict != NotApplicable {
			t.Fatal(r.Verdict, r.ErrorDetail)
		}
	}
}

// TestRefusedForLengthDoesNotStop: prompts that are too long for the endpoint, or put off, do not show that the judge
// cannot work.
func TestRefusedForLengthDoesNotStop(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]string{llm.KindOverflow: KindContext, llm.KindDeferred: "deferred"} {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
			return nil, &llm.Error{Kind: kind, Attempts: 1, Message: "no"}
		}}
		list := []*Judge{intentJudge(t, s, nil)}
		for i, r := range runAll(t, list, RunConfig{Stopped: func(s Stop) { t.Error(s) }}, StopAfter/3+3) {
			if r.ErrorKind != want {
				t.Fatalf("judgement %d: %s: %s", i, r.ErrorKind, r.ErrorDetail)
			}
		}
	}
}

// TestWhenInARun: a call that the condition excludes is no item, whoever judges; sizes of prompts
// know it too.
func TestWhenInARun(t *testing.T) {
	some := question(t, "answer: yes/no\npass: yes\nwhen: tool = cancel_order")
	none := *question(t, "answer: yes/no\npass: yes\nwhen: tool = nothing")
	none.Name = "none"
	s := judgetest.Replies(answerOf(`"yes"`))
	j := intentJudge(t, s, func(c *Config) { c.Rubrics = []*rubrics.Rubric{some, judgetest.Rubric(t, rubrics.Overall), &none} })
	cfg := RunConfig{Cascades: []Cascade{{Name: "up", Tiers: []string{"m"}}}, Panels: []Panel{{Name: "p", Members: []string{"m"}}}}
	for _, cfg := range []RunConfig{{}, cfg} {
		var got []string
		for _, r := range runAll(t, []*Judge{j}, cfg, 2) {
			got = append(got, fmt.Sprint(r.CallIndex, " ", r.Rubric, " ", r.Judge))
		}
		want := "0 overall_call_correctness m; 1 q m; 1 overall_call_correctness m; 2 overall_call_correctness m; "
		if cfg.Panels != nil {
			want = "0 overall_call_correctness m; 0 overall_call_correctness p; 0 overall_call_correctness up; " +
				"1 q m; 1 overall_call_correctness m; 1 q p; 1 overall_call_correctness p; 1 q up; 1 overall_call_correctness up; " +
				"2 overall_call_correctness m; 2 overall_call_correctness p; 2 overall_call_correctness up; "
		}
		if d := cmp.Diff(want+want, strings.Join(got, "; ")+"; "); d != "" {
			t.Error(d)
		}
	}
	results, err := j.Call(t.Context(), judgetest.Support(t), 0, Facts{})
	if err != nil || len(results) != 1 || results[0].Rubric != rubrics.Overall {
		t.Errorf("%v %v", results, err)
	}
	fits := 0
	j.Fits(judgetest.Support(t), &Prefixes{}, func(*Fit) bool { fits++; return true })
	if fits != 4 {
		t.Errorf("%d prompts are measured", fits)
	}
	nobody := intentJudge(t, s, asks(&none))
	if got := runAll(t, []*Judge{nobody}, RunConfig{}, 40); len(got) != 0 {
		t.Errorf("%d results", len(got))
	}
}

// TestParametersEach: the verdict is the worst of the list, whatever the judge states beside it.
func TestParametersEach(t *testing.T) {
	each, err := rubrics.Parse(rubrics.NamedFile("parameters_each"))
	if err != nil {
		t.Fatal(err)
	}
	answer := func(verdicts, output string) string {
		list := ""
		for i, v := range strings.Fields(verdicts) {
			name := []string{"order_id", "p"}[min(i, 1)] // the call's argument, and others that it might have had
			list += strings.Repeat(",", min(i, 1)) + `{"name":"` + name + `","verdict":"` + v + `","why":"w"}`
		}
		return `{"explanation":"e","evidence":"v","parameters":[` + list + `],"output":"` + output + `","confidence":0.9,"correction":{}}`
	}
	for _, transport := range []llm.Transport{llm.JSONSchema, llm.PromptOnly} {
		for _, tt := range []struct {
			replies        []string
			category, flag string
			verdict        string
		}{
			{[]string{answer("grounded right_value", "right_value")}, "right_value", "", Pass},
			{[]string{answer("grounded invented missing", "grounded")}, "invented", "output_recomputed", Fail},
			{[]string{answer("grounded", "missing")}, "grounded", "output_recomputed", Pass},
			{[]string{answer("grounded odd", "grounded"), answer("grounded missing", "missing")}, "missing", "", Fail},
		} {
			s := judgetest.Replies(tt.replies...)
			res := judgeOne(t, intentJudge(t, s, func(c *Config) { asks(each)(c); c.Transport = transport }))
			if res.Category != tt.category || res.Verdict != tt.verdict || len(s.Requests) != len(tt.replies) {
				t.Errorf("%s: %s %s after %d requests, %s", tt.replies, res.Category, res.Verdict, len(s.Requests), res.ErrorDetail)
			}
			if tt.flag != "" && !flagged(res.Flags, tt.flag) || tt.flag == "" && flagged(res.Flags, "output_recomputed") {
				t.Errorf("%s: flags %+v", tt.replies, res.Flags)
			}
			if res.Escalate {
				t.Errorf("%s: escalated for %+v", tt.replies, res.Flags)
			}
			if list := res.Score().Details.Field("answer").Field("parameters"); !list.IsList() {
				t.Errorf("%s: the list is lost", tt.replies)
			}
		}
	}
}

// TestEveryArgumentIsJudged: a list of verdicts about parameters that leaves out an argument of the call
// is sent back, and ends without a score if it stays so.
func TestEveryArgumentIsJudged(t *testing.T) {
	all, err := rubrics.Named()
	if err != nil {
		t.Fatal(err)
	}
	list := slices.DeleteFunc(all, func(r *rubrics.Rubric) bool { return r.Name != "parameters_each" })
	answer := func(names ...string) string {
		entries := make([]string, len(names))
		for i, name := range names {
			entries[i] = fmt.Sprintf(`{"name":%q,"verdict":"grounded","why":"stated"}`, name)
		}
		return `{"explanation":"All stand there.","evidence":"\"cancel order 987\"","parameters":[` + strings.Join(entries, ",") +
			`],"output":"grounded","confidence":0.9,"correction":{}}`
	}
	for _, tt := range []struct {
		replies []string
		verdict string
		repairs int
	}{
		{[]string{answer("order_id", "z", "a")}, Pass, 0},
		{[]string{answer("a.b", "z[0]", "order_id", "reason")}, Pass, 0},
		{[]string{answer("order_id", "z"), answer("order_id", "z", "a")}, Pass, 1},
		{[]string{answer("order_id", "z", "ab")}, NoVerdict, 2},
		{[]string{answer()}, NoVerdict, 2},
	} {
		s := judgetest.Replies(tt.replies...)
		j, err := New(s, Config{Model: "m", Rubrics: list})
		if err != nil {
			t.Fatal(err)
		}
		results, err := j.Call(t.Context(), judgetest.Support(t), 0, Facts{})
		if err != nil || results[0].Verdict != tt.verdict || results[0].Repairs != tt.repairs {
			t.Errorf("%s: %+v %v", tt.replies[0], results, err)
		}
		if tt.repairs > 0 {
			last := s.Requests[1].Messages
			if asked := last[len(last)-1].Content; !strings.Contains(asked, "no entry is about the argument ") {
				t.Error(asked)
			}
		}
	}
}
