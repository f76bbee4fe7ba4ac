package align

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// TestContextOf: an example shows the user's first message and the last five of what was said and returned.
func TestContextOf(t *testing.T) {
	say := func(role transcript.Role, text string) transcript.Message {
		return transcript.Message{Role: role, Content: text, Result: -1}
	}
	c := &transcript.Conversation{
		Messages: []transcript.Message{
			say(transcript.System, "be kind"), say(transcript.User, "one"), say(transcript.Assistant, "two"),
			say(transcript.Assistant, ""),
			{Role: transcript.ToolRole, Content: "three", Result: 0},
			{Role: transcript.ToolRole, Content: "orphan", Result: -1},
			say(transcript.User, ""), say(transcript.Assistant, "four"),
			say(transcript.User, strings.Repeat("x", keptText+50)),
			say(transcript.User, "six"),
		},
		Calls: []transcript.Call{{Name: "f", Arguments: value.Pairs("a", 1)}},
	}
	show := func(end int) (out []string) {
		for _, v := range contextOf(c, end) {
			out = append(out, v.JSON())
		}
		return out
	}
	result := `{"role":"tool","name":"f","parameters":{"a":1},"output":"three"}`
	if d := cmp.Diff([]string{`{"role":"user","content":"one"}`, `{"role":"assistant","content":"two"}`, result,
		`{"role":"user","content":""}`, `{"role":"assistant","content":"four"}`}, show(8)); d != "" {
		t.Error(d)
	}
	long := show(10)
	if len(long) != keptMessages || long[0] != `{"role":"user","content":"one"}` || long[1] != result ||
		long[5] != `{"role":"user","content":"six"}` ||
		len(long[4]) > keptText+60 || !strings.Contains(long[4], strings.Repeat("x", 300)) {
		t.Errorf("%q", long)
	}
}

// TestContrast: beside an error stands the first item with the other label of the same tool, or else of another one;
// it is of another task and not shown yet.
func TestContrast(t *testing.T) {
	s := &scripted{log: map[string]*transcript.Conversation{}}
	l := &learner{bench: s}
	for i, tt := range []struct {
		tool, task string
		pass       bool
	}{{"ship", "a", false}, {"ship", "b", false}, {"refund", "c", true}, {"ship", "a", true}, {"ship", "d", true},
		{"refund", "e", true}, {"ship", "f", true}} {
		id := fmt.Sprint("c", i)
		s.log[id] = &transcript.Conversation{Calls: []transcript.Call{{Name: tt.tool}}}
		l.items = append(l.items, Item{Conversation: id, Task: tt.task, Pass: tt.pass})
	}
	for _, tt := range []struct {
		learn, taken []int
		want         int // -1 for none
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6}, nil, 4}, {[]int{0, 1, 2, 3, 4, 5, 6}, []int{4}, 6}, {[]int{0, 2, 5}, nil, 2},
		{[]int{0, 2, 5}, []int{2}, 5}, {[]int{0, 1, 3}, nil, -1},
	} {
		got, ok := l.contrast(tt.learn, 0, tt.taken)
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("of %v without %v: %d, want %d", tt.learn, tt.taken, got, tt.want)
		}
	}
	none := math.NaN()
	for want, learned := range map[string][]float64{
		"2 examples [6 0] 0; 4 examples [6 0 2 1] 0; 4 nearest examples [6 0 2 1 4] 4": {0, 0, 0, 1, 0, 1, 0},
		"2 examples [2 0] 0; 4 examples [2 0 6 1] 0":                                   {0, 0, 0, 1, none, 1, 0},
		"2 examples [6 0] 0": {0, 0, 1, 1, none, 1, 0},
		"":                   {0, none, 1, 1, 1, 1, 1},
	} {
		l.items[6].Note = "why"
		var got []string
		for _, f := range l.exampleForms([]int{0, 1, 2, 3, 4, 5, 6}, learned) {
			got = append(got, fmt.Sprintf("%s %v %d", f.name, f.examples, f.retrieve))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%v: %s, want %s", learned, text, want)
		}
	}
	// An error that stands beside another one already is not shown again.
	if d := cmp.Diff([]int{0, 4}, l.pairs([]int{0, 1, 2, 3, 4, 5, 6}, func(i int) bool { return i == 0 || i == 4 })); d != "" {
		t.Error(d)
	}
	// Errors alternate by label and tool, from the most frequent kind on, those with a note first.
	l.items[6].Note = "why"
	wrong := func(i int) bool { return i == 6 || i == 4 || i == 2 }
	if d := cmp.Diff([]int{6, 0, 2, 1, 4}, l.pairs([]int{0, 1, 2, 3, 4, 5, 6}, wrong)); d != "" {
		t.Error(d)
	}
}

// TestRightMore: the change of the share of right verdicts on the items with one label, by hand. It has no interval if
// all change alike, and no value without such items.
func TestRightMore(t *testing.T) {
	none := math.NaN()
	c := &columns{gold: []float64{0, 0, 0, 0, 1, 1, 0}, before: []float64{1, 1, 0, 1, 1, 1, 1},
		after:   []float64{0, 0, 0, 1, 1, 0, none},
		cluster: []int{0, 1, 2, 3, 4, 5, 6}}
	for label, want := range map[float64]float64{0: 0.5, 1: -0.5} {
		if got, err := c.rightMore(label, 0.05); err != nil || got.Value == nil || *got.Value != want ||
			!got.HasInterval() {
			t.Errorf("label %v: %+v, %v, want %v", label, got, err, want)
		}
	}
	one := &columns{gold: []float64{1}, before: []float64{0}, after: []float64{1}, cluster: []int{0}}
	if got, err := one.rightMore(1, 0.05); err != nil || got.Value == nil || *got.Value != 1 || got.HasInterval() ||
		got.Reason == string(stat.ZeroVariance) {
		t.Errorf("one item: %+v, %v", got, err)
	}
	if got, err := one.rightMore(0, 0.05); err != nil || got.Value != nil || got.Reason != string(stat.OneClass) {
		t.Errorf("no item: %+v, %v", got, err)
	}
	alike := &columns{gold: []float64{1, 1, 1}, before: []float64{0, 0, 0}, after: []float64{1, 1, 1},
		cluster: []int{0, 1, 2}}
	if got, err := alike.rightMore(1, 0.05); err != nil || *got.Value != 1 || got.HasInterval() ||
		got.Reason != string(stat.ZeroVariance) {
		t.Errorf("all alike: %+v, %v", got, err)
	}
	if got, err := c.change(0.05); err != nil || got.N != 6 || *got.Found.Value != 0.5 || *got.Kept.Value != -0.5 ||
		*got.Youden.Value != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	short := &columns{gold: c.gold, before: c.before, after: c.after, cluster: c.cluster[1:]}
	if _, err := short.change(0.05); err == nil {
		t.Error("columns of different lengths are compared")
	}
	if _, err := short.ratesOf(c.after, 0.05); err == nil {
		t.Error("columns of different lengths have rates")
	}
	r := &alignment{learner: &learner{cfg: &Config{Alpha: 0.05}, parent: alignRubric(t)}, out: &report.Alignment{}}
	if err := r.compare(short); err == nil || !strings.HasPrefix(err.Error(), "align fine: ") {
		t.Errorf("columns of different lengths are compared: %v", err)
	}
}

// TestWidth: the more items like the held-out ones are judged, in whole copies of them, the better the pass rate is
// known; without held-out labels it is not.
func TestWidth(t *testing.T) {
	a := &Aligned{Report: &report.Alignment{Alpha: 0.05}}
	if d := cmp.Diff(&report.AlignmentWidth{}, a.Width(100)); d != "" {
		t.Error(d)
	}
	for i := range 60 { // two items of each conversation; a third fails, and every tenth verdict is wrong
		gold := float64(min(1, i%3))
		judged := gold
		if i%10 == 0 {
			judged = 1 - gold
		}
		a.gold, a.judged, a.conversation = append(a.gold, gold), append(a.judged, judged), append(a.conversation, i/2)
	}
	for judged, want := range map[int]string{
		0: "0.6667, 0.5406 to 0.7727", 60: "0.6667, 0.5406 to 0.7727", 61: "0.6667, 0.5550 to 0.7605",
		120: "0.6667, 0.5550 to 0.7605", 121: "0.6667, 0.5604 to 0.7560", 600: "0.6667, 0.5682 to 0.7495",
	} {
		w := a.Width(judged)
		if !w.After.HasInterval() || w.LabelsAfter != 60 || w.LabelsBefore != 0 {
			t.Fatalf("%d judged: %+v", judged, w)
		}
		if got := fmt.Sprintf("%.4f, %.4f to %.4f", *w.After.Value, *w.After.Low, *w.After.High); got != want {
			t.Errorf("%d judged: %s, want %s", judged, got, want)
		}
	}
	// Only items with a verdict count, and none if every label shaped the rubric.
	none := math.NaN()
	items := []Item{{Conversation: "a"}, {Conversation: "b"}, {Conversation: "b"}, {Conversation: "a"}}
	r := &alignment{learner: &learner{items: items}, plan: &plan{whole: fold{test: []int{3, 2, 1, 0}}},
		held: &columns{gold: []float64{1, 0, 1, 0}, before: []float64{1, 1, 1, 1}, after: []float64{1, none, 0, 0}}}
	r.plan.folds = []fold{r.plan.whole}
	a = &Aligned{}
	if r.mayMeasure(a); fmt.Sprint(a.gold, a.judged, a.conversation) != "[1 1 0] [1 0 0] [0 1 0]" {
		t.Error(a.gold, a.judged, a.conversation)
	}
	a, r.plan.folds = &Aligned{}, []fold{{}, {}}
	if r.mayMeasure(a); a.gold != nil {
		t.Error(a.gold)
	}
}

// TestExamplePool: of many items, the first 24 are those from which examples are retrieved.
func TestExamplePool(t *testing.T) {
	var many []int
	for i := range 30 {
		many = append(many, i)
	}
	l := &learner{bench: &scripted{log: map[string]*transcript.Conversation{}}}
	for i := range many {
		l.bench.(*scripted).log[fmt.Sprint(i)] = &transcript.Conversation{Calls: []transcript.Call{{Name: "f"}}}
		l.items = append(l.items, Item{Conversation: fmt.Sprint(i), Task: fmt.Sprint(i), Pass: i%2 == 0})
	}
	// The judge fails all: the 15 that pass are errors, and the others their counterparts.
	forms := l.exampleForms(many, make([]float64, 30))
	if len(forms) != 3 || len(forms[2].examples) != poolSize || cap(forms[2].examples) != poolSize || cap(forms[0].examples) != 2 {
		t.Errorf("%+v", forms)
	}
}

// TestUsableExamples: a field of the answers that labels say nothing of is named, by its first 40 characters.
func TestUsableExamples(t *testing.T) {
	name := strings.Repeat("w", 41)
	r, err := rubrics.Parse("name: fine\nquestion: q?\nanswer: yes/no\npass: yes\nextra: {" + name + ": in a word}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := "its answers have the field " + name[:39] + "…, which labels say nothing of"
	if got := usableExamples(r); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := usableExamples(alignRubric(t)); got != "" {
		t.Error(got)
	}
}

// TestProposals: examples help if they alone gain; the best proposal gains most, the first of equal ones; a version
// that answers fewer than 95 of 100 is not kept.
func TestProposals(t *testing.T) {
	some := []guideline{{"rule", nil}}
	for _, tt := range []struct {
		of   proposal
		want bool
	}{
		{proposal{version: version{examples: []int{1}}, gain: 0.1}, true},
		{proposal{version: version{examples: []int{1}}}, false},
		{proposal{version: version{guidelines: some, examples: []int{1}}, gain: 0.1}, false},
		{proposal{version: version{guidelines: some}, gain: 0.1}, false},
		{proposal{gain: 0.1}, false},
	} {
		if got := tt.of.helpsByExamples(); got != tt.want {
			t.Errorf("%+v: %v", tt.of, got)
		}
	}
	list := []proposal{{name: "a", gain: math.NaN()}, {name: "b", gain: -0.1}, {name: "c", gain: 0.2},
		{name: "d", gain: 0.2}}
	if best := bestOf(list); best == nil || best.name != "c" {
		t.Errorf("%+v", best)
	}
	if best := bestOf(list[:2]); best == nil || best.name != "b" || bestOf(list[:1]) != nil || bestOf(nil) != nil {
		t.Errorf("%+v", best)
	}
	answers := func(n int) []float64 {
		out := make([]float64, 100)
		for i := n; i < 100; i++ {
			out[i] = math.NaN()
		}
		return out
	}
	if lacks(answers(100), answers(95)) || !lacks(answers(100), answers(94)) || lacks(answers(50), answers(50)) {
		t.Error("95 of 100 answers suffice, 94 do not")
	}
	l := &learner{cfg: &Config{Budget: 10}, bench: &scripted{requests: 3}, reserve: 2}
	if !l.affords(5) || l.affords(6) {
		t.Error("of ten requests three are spent and two reserved")
	}
	if l.cfg.Budget = 0; !l.affords(1000) {
		t.Error("without a budget everything is affordable")
	}
}

// TestSimilarRules: rules with three of five words in common are the same.
func TestSimilarRules(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"a b c d", "A, b; c: e!"}: true, {"a b c d", "a b e f"}: false, {"...", "***"}: true, {"a", ""}: false,
		{"a a b", "b a"}: true,
	} {
		if similar(pair[0], pair[1]) != want || similar(pair[1], pair[0]) != want {
			t.Errorf("%q: want %v", pair, want)
		}
	}
}

// TestCallsOfDisagreement: of a turn its calls are shown, and of a conversation the last six.
func TestCallsOfDisagreement(t *testing.T) {
	c := &transcript.Conversation{}
	for i := range 9 {
		role := transcript.Assistant
		if i == 0 || i == 4 {
			role = transcript.User
		}
		m := transcript.Message{Role: role, Content: fmt.Sprint("m", i), HasContent: true, Result: -1}
		if role == transcript.Assistant {
			m.Calls = []int{len(c.Calls)}
			c.Calls = append(c.Calls, transcript.Call{Index: len(c.Calls), Name: fmt.Sprint("f", i), Message: i,
				Result: -1})
		}
		c.Messages = append(c.Messages, m)
	}
	for _, tt := range []struct {
		turn int
		want string
		end  int
	}{{1, "f1 f2 f3", 4}, {2, "f5 f6 f7 f8", 9}, {0, "f2 f3 f5 f6 f7 f8", 9}} {
		d := disagreement{&Item{Call: -1, Turn: tt.turn}, c, &judges.Result{}}
		calls, end := d.calls()
		var names []string
		for _, v := range calls {
			names = append(names, v.Field("tool").Text())
		}
		if got := strings.Join(names, " "); got != tt.want || end != tt.end {
			t.Errorf("turn %d: %s to message %d, want %s to %d", tt.turn, got, end, tt.want, tt.end)
		}
	}
}

// TestCheck: an alignment takes enough labels of a random sample, five of each kind among them; picked ones do not
// count.
func TestCheck(t *testing.T) {
	items := func(passes, fails, picked int) (out []Item) {
		for i := range passes + fails + picked {
			out = append(out, Item{Pass: i < passes, Picked: i >= passes+fails})
		}
		return out
	}
	for _, tt := range []struct {
		of   []Item
		want string
	}{
		{items(Fewest-5, 5, 0), ""}, {items(5, Fewest-5, 0), ""},
		{items(Fewest-4, 4, 9), fmt.Sprintf("4 fail and %d pass, and it takes 5 of each", Fewest-4)},
		{items(4, Fewest-4, 9), fmt.Sprintf("%d fail and 4 pass, and it takes 5 of each", Fewest-4)},
		{items(Fewest-6, 5, 9), fmt.Sprintf("%d of a random sample, and it takes %d: label 1 more", Fewest-1, Fewest)},
		{nil, fmt.Sprintf("0 of a random sample, and it takes %d: label %d more", Fewest, Fewest)},
	} {
		err := Check(tt.of)
		if (err == nil) != (tt.want == "") || err != nil &&
			(!errors.Is(err, ErrFew) || !strings.HasSuffix(err.Error(), tt.want)) {
			t.Errorf("%d labels: %v, want %q", len(tt.of), err, tt.want)
		}
	}
}

// TestEstimate: of n labels all are judged once; each split judges its choosing part by six versions a round, and its
// teaching part once more for each further round; each label is tested once more, and what taught is judged at the end.
func TestEstimate(t *testing.T) {
	for _, tt := range []struct{ labels, picked, rounds, judgements, proposals int }{
		{60, 0, 1, 60 + 6*30 + 5*6*24 + 60 + 30, 6},
		{60, 0, 3, 60 + 3*6*30 + 2*30 + 5*(3*6*24+2*24) + 60 + 30, 18},
		{210, 0, 2, 210 + 2*6*42 + 84 + 84 + 84, 2},
		{210, 6, 2, 216 + 2*6*42 + 90 + 84 + 90, 2},
	} {
		items, _ := newScripted(tt.labels)
		for i := range tt.picked {
			items = append(items, Item{Task: fmt.Sprint("picked", i), Picked: true})
		}
		if judgements, proposals := estimate(items, tt.rounds); judgements != tt.judgements || proposals != tt.proposals {
			t.Errorf("%+v: %d judgements and %d proposals", tt, judgements, proposals)
		}
	}
}

// TestDecide: a change is a gain if its interval is above zero and the new rubric answers as much as the old one.
func TestDecide(t *testing.T) {
	verdict := []float64{1, 0, 1}
	none := []float64{1, math.NaN(), math.NaN()}
	interval := func(low, high float64) report.Estimate {
		return report.Estimate{Value: new((low + high) / 2), Low: &low, High: &high}
	}
	for _, tt := range []struct {
		change report.Estimate
		after  []float64
		want   string // "" for a gain
	}{
		{interval(0.01, 0.2), verdict, ""},
		{interval(0, 0.2), verdict, "the change may be chance"},
		{interval(-0.1, 0.2), verdict, "the change may be chance"},
		{interval(-0.1, 0), verdict, "the change may be chance"},
		{interval(-0.2, -0.01), verdict, "the new rubric is worse"},
		{interval(0.01, 0.2), none, "the new rubric got 1 usable answers and the old one 3, of 3"},
		{report.Undefined(stat.OneClass), verdict, "the test has no interval (one class only)"},
	} {
		r := &alignment{learner: &learner{cfg: &Config{Target: report.KappaTarget}},
			out: &report.Alignment{Change: &report.AlignmentRates{Kappa: tt.change}}}
		if r.decide(verdict, tt.after); r.out.Why != tt.want || r.out.Proven != (tt.want == "") {
			t.Errorf("%+v: proven %v, %q, want %q", tt.change, r.out.Proven, r.out.Why, tt.want)
		}
	}
}

// TestLearnedOnly: a proposal without a gain is measured on what taught it, if there is one and the budget allows it;
// nothing is kept back for a test then.
func TestLearnedOnly(t *testing.T) {
	for _, tt := range []struct {
		budget int
		v      version
		want   bool
	}{
		{0, version{guidelines: []guideline{{blindRule, nil}}}, true},
		{0, version{}, false},
		{29, version{guidelines: []guideline{{blindRule, nil}}}, false},
		{30, version{guidelines: []guideline{{blindRule, nil}}}, true},
	} {
		items, s := newScripted(60)
		r := &alignment{learner: &learner{cfg: &Config{Budget: tt.budget, Alpha: 0.05}, items: items, parent: alignRubric(t),
			bench: s, reserve: 99}, plan: newPlan(items), out: &report.Alignment{}, proposed: tt.v}
		if err := r.learnedOnly(t.Context()); err != nil || (r.out.Learned != nil) != tt.want {
			t.Errorf("a budget of %d: %+v, %v", tt.budget, r.out.Learned, err)
		}
	}
}

// TestExample: an example shows what the rubric's scope shows: what was before the call and the call, or all up to the
// result, the turn's end or the end; and the answer that a person's label stands for.
func TestExample(t *testing.T) {
	say := func(role transcript.Role, text string) transcript.Message {
		return transcript.Message{Role: role, Content: text, Result: -1}
	}
	c := &transcript.Conversation{
		Messages: []transcript.Message{say(transcript.User, "one"), {Role: transcript.Assistant, Calls: []int{0}, Result: -1},
			{Role: transcript.ToolRole, Content: "done", Result: 0}, say(transcript.Assistant, "two"),
			say(transcript.User, "three"), say(transcript.Assistant, "four")},
		Calls: []transcript.Call{{Name: "f", Arguments: value.Pairs("a", 1), Message: 1, Result: 2}},
		Tools: []transcript.Tool{{Name: "f", Description: strings.Repeat("x", keptText+1), Parameters: value.Pairs("type", "object")}},
	}
	const one, done = `{"role":"user","content":"one"}`, `{"role":"tool","name":"f","parameters":{"a":1},"output":"done"}`
	const two, three = `{"role":"assistant","content":"two"}`, `{"role":"user","content":"three"}`
	tool := `,"tools_inventory":[{"name":"f","description":"` + strings.Repeat("x", keptText-1) + `…","parameters":{"type":"object"}}]`
	for _, tt := range []struct {
		keys string
		item Item
		want string // before the answer
		says string
	}{
		{"scope: call", Item{Call: 0, Pass: true}, one + "]" + tool + `,"tool_call":{"name":"f","parameters":{"a":1}}`,
			`"explanation":"A person looked at it and found it right.","evidence":"NONE: this is a person's label.","output":"yes",` +
				`"confidence":0.9,"correction":{}`},
		{"scope: result", Item{Call: 0, Note: "too late"}, one + "," + done + "]" + tool,
			`"explanation":"too late","evidence":"NONE: this is a person's label.","output":"no","confidence":0.9,"correction":{}`},
		{"scope: turn", Item{Call: -1, Turn: 1}, one + "," + done + "," + two + "]",
			`"explanation":"A person looked at it and found it wrong.","evidence":"NONE: this is a person's label.","output":"no",` +
				`"confidence":0.9`},
		{"scope: conversation\nconfidence: no", Item{Call: -1, Pass: true, Note: "fine"},
			one + "," + done + "," + two + "," + three + `,{"role":"assistant","content":"four"}]`,
			`"explanation":"fine","evidence":"NONE: this is a person's label.","output":"yes"`},
	} {
		r, err := rubrics.Parse("name: fine\nquestion: q?\nanswer: yes/no\npass: yes\n" + tt.keys)
		if err != nil {
			t.Fatal(err)
		}
		tt.item.Task = "t1"
		want := `{"task":"t1","conversation_context":[` + tt.want + `,"output":{` + tt.says + `}}`
		if d := cmp.Diff(want, example(r, c, &tt.item).JSON()); d != "" {
			t.Errorf("%s: %s", tt.keys, d)
		}
	}
	c.Tools[0].Parameters = value.Value{}
	if got := calledTool(c, 0); got.Has("parameters") || got.Field("name").Text() != "f" {
		t.Error(got.JSON())
	}
	if c.Tools = nil; !calledTool(c, 0).IsNull() || !calledTool(c, -1).IsNull() {
		t.Error("a tool that the log does not have")
	}
	l := &learner{items: []Item{{Conversation: "c", Call: 3}, {Conversation: "c", Call: -1, Turn: 2}, {Conversation: "c", Call: -1}},
		bench: &scripted{}}
	got := l.reported([]guideline{{"rule", []int{0, 1, 2}}})
	if d := cmp.Diff([]string{"c:3", "c:turn2", "c"}, got[0].From); d != "" || l.tool(1) != "" {
		t.Error(d)
	}
}

// TestVerdicts: what cannot be read as a rubric is an error that names it.
func TestVerdicts(t *testing.T) {
	r := *alignRubric(t)
	l := &learner{parent: &r, bench: &scripted{}}
	_, _, err := l.verdicts(t.Context(), version{guidelines: []guideline{{"", nil}}}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "a proposal for fine cannot be read as a rubric: ") {
		t.Error(err)
	}
}

// TestRulesQuestion: the whole question for rules. Disagreements are numbered from 1, as the rules name them.
func TestRulesQuestion(t *testing.T) {
	conv := &transcript.Conversation{Calls: []transcript.Call{{Name: "f", Arguments: value.OfObject()}},
		Messages: []transcript.Message{{Role: transcript.Assistant}}}
	shown := []disagreement{{&Item{Conversation: "a"}, conv, &judges.Result{Explanation: "fine"}},
		{&Item{Conversation: "b", Pass: true}, conv, &judges.Result{Explanation: "bad"}}}
	q := rulesQuestion("key", alignRubric(t), shown)
	records := ""
	for _, r := range q.Records {
		records += r.JSON() + "\n"
	}
	got := fmt.Sprintf("%s %s\n%s\n%s\n%s", q.Key, q.Name, q.Schema.JSON(), q.Intro, records)
	want := `key guidelines
{"type":"object","properties":{"guidelines":{"type":"array","maxItems":8,"items":{"type":"object","properties":{` +
		`"rule":{"type":"string","maxLength":300,"description":"one rule in one or two sentences"},` +
		`"from":{"type":"array","items":{"type":"integer"},"description":"the numbers of the disagreements that it settles"}},` +
		`"required":["rule","from"],"additionalProperties":false}}},"required":["guidelines"],"additionalProperties":false}
What the judge is asked:
Is this call right?

The disagreements:
{"number":1,"tool":"f","arguments":{},"people":"wrong","judge":"right","judge_says":"fine"}
{"number":2,"tool":"f","arguments":{},"people":"right","judge":"wrong","judge_says":"bad"}
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, part := range []string{"You improve the instructions of a judge", "Write at most 8 rules. Each rule says"} {
		if !strings.Contains(q.System, part) {
			t.Errorf("%q is not in %s", part, q.System)
		}
	}
}

// TestCombine: the best examples are tried in the other order, if a prompt shows all of them, and with the rules.
func TestCombine(t *testing.T) {
	rules := []guideline{{"rule", nil}}
	two := proposal{version: version{examples: []int{1, 2}}, name: "2 examples", gain: 0.1}
	near := proposal{version: version{examples: []int{1, 2, 3}, retrieve: 4}, name: "4 nearest examples", gain: 0.2}
	own := proposal{version: version{guidelines: rules}, name: "1 guidelines", gain: 0.9}
	for _, tt := range []struct {
		list  []proposal
		rules []guideline
		want  []string
	}{
		{[]proposal{two}, nil, []string{"2 examples, reversed: 0 rules, [2 1], 0"}},
		{[]proposal{own, two}, rules, []string{"2 examples, reversed: 0 rules, [2 1], 0",
			"1 guidelines and 2 examples: 1 rules, [1 2], 0"}},
		{[]proposal{own, two, near}, rules, []string{"1 guidelines and 4 nearest examples: 1 rules, [1 2 3], 4"}},
		{[]proposal{own}, rules, nil}, {nil, nil, nil},
	} {
		var got []string
		err := (&learner{}).combine(tt.list, tt.rules, func(name string, v version) error {
			got = append(got, fmt.Sprintf("%s: %d rules, %v, %d", name, len(v.guidelines), v.examples, v.retrieve))
			return nil
		})
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
	}
	stop := errors.New("stop")
	if err := (&learner{}).combine([]proposal{two}, nil, func(string, version) error { return stop }); !errors.Is(err,
		stop) {
		t.Errorf("a failed try: %v", err)
	}
}
