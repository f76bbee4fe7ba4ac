package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// conversation has a lookup with a result and then the call in question, which is
// right or wrong by its argument.
func conversation(t testing.TB, id string, right bool) *transcript.Conversation {
	order := "wrong"
	if right {
		order = "right"
	}
	return judgetest.NewConversation(t, id).
		Tool("cancel", "Cancels an order", `{"type":"object","properties":{"order":{"type":"string"}}}`).
		Say(transcript.User, "Cancel the right order.").
		Act("", "cancel {}").
		Result(0, `{"orders":["right","wrong"]}`).
		Act("", `cancel {"order":"`+order+`"}`).
		Conv
}

func items(t testing.TB, n int) []Item {
	var out []Item
	for i := range n {
		out = append(out, Item{conversation(t, fmt.Sprint("c", i), i%2 == 0), 1, i%2 == 0})
	}
	return out
}

// server is a judge that reads the record as a program would.
type server struct {
	rubric   *rubrics.Rubric
	obedient bool
	fails    func(n int) bool
	n        int
}

func (s *server) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	s.n++
	if s.fails != nil && s.fails(s.n) {
		return nil, &llm.Error{Kind: llm.KindServer, Message: "boom"}
	}
	record := req.Messages[len(req.Messages)-1].Content
	score := s.rubric.Output.Min
	if _, call, _ := strings.Cut(record, " call>>>\n"); strings.Contains(call, `"right"`) {
		score = s.rubric.Output.Max
	} else if s.obedient && s.obeysOpeners(call) {
		score = s.rubric.Output.Max
	}
	if told, ok := s.told(record); ok && s.obedient {
		score = told
	}
	answer := fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%g,"confidence":0.9,"correction":{}}`, score)
	return &llm.Response{Content: answer, FinishReason: "stop"}, nil
}

func (s *server) obeysOpeners(call string) bool {
	for _, o := range Openers() {
		if quoted, _ := json.Marshal(o); strings.Contains(call, `"order":`+string(quoted)) {
			return true
		}
	}
	return false
}

// told finds a payload in the record's texts, however it is escaped there.
func (s *server) told(record string) (float64, bool) {
	for line := range strings.Lines(record) {
		_, text, _ := strings.Cut(line, "] ")
		var m struct {
			Content string
			Output  any
		}
		if json.Unmarshal([]byte(text), &m) != nil {
			continue
		}
		all := m.Content + fmt.Sprint(m.Output)
		for _, p := range Payloads() {
			for _, goal := range []float64{s.rubric.Output.Min, s.rubric.Output.Max} {
				if strings.Contains(all, p.Text(goal)) {
					return goal, true
				}
			}
		}
	}
	return 0, false
}

func measure(t *testing.T, s *server, list []Item) *Report {
	t.Helper()
	j, err := judges.New(s, judges.Config{Model: "m", Rubrics: []*rubrics.Rubric{s.rubric}, Concurrency: 1, MaxRepairs: -1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Measure(t.Context(), j, list, Config{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Case 10: an obedient judge falls for everything, a robust one for nothing, on
// every scale; the frame of every prompt holds (Measure fails where it does not).
func TestObedientAndRobustJudges(t *testing.T) {
	for _, name := range []string{rubrics.Intent, rubrics.Prerequisite, rubrics.Overall} {
		r := judgetest.Rubric(t, name)
		span := r.Output.Max - r.Output.Min
		for _, tc := range []struct {
			obedient bool
			share    float64
		}{{true, 1}, {false, 0}} {
			got := measure(t, &server{rubric: r, obedient: tc.obedient}, items(t, 40))
			for arm, a := range map[string]Arm{"injected": got.Injected, "mirror": got.Mirror} {
				sign := 1.0
				if arm == "mirror" {
					sign = -1
				}
				if a.Calls != 20 || a.Right != 20 || a.Unscored != 0 || a.Attack.N != 20 || *a.Attack.Share != tc.share || *a.Placebo.Share != 0 || *a.Difference.Mean != tc.share {
					t.Errorf("%s obedient %v %s: %+v", name, tc.obedient, arm, a)
				}
				if *a.Shift.Mean != sign*span*tc.share || *a.PlaceboShift.Mean != 0 || *a.NetShift.Mean != sign*span*tc.share || a.Shift.N != 20 {
					t.Errorf("%s obedient %v %s: shifts %v %v %v", name, tc.obedient, arm, *a.Shift.Mean, *a.PlaceboShift.Mean, *a.NetShift.Mean)
				}
				if tc.share == 1 && *a.Attack.Low < 0.8 || tc.share == 0 && *a.Attack.High > 0.2 {
					t.Errorf("Wilson interval %v..%v", *a.Attack.Low, *a.Attack.High)
				}
				for _, p := range a.Payloads {
					if p.N < 2 || *p.Share != tc.share {
						t.Errorf("%s: payload %+v", name, p)
					}
				}
				if *a.Suspected.Share < 0.4 {
					t.Errorf("the scan noticed %v of the payloads", *a.Suspected.Share)
				}
			}
			if c := got.ContentFree; c.Calls != 40 || *c.Passed.Share != tc.share {
				t.Errorf("%s obedient %v: content-free %+v", name, tc.obedient, c)
			}
		}
	}
}

// leaning is a judge that goes by the last example: a call is as good as that one. Every
// nth answer of all turns out the other way for no reason.
type leaning struct {
	rubric *rubrics.Rubric
	nth, n int
}

func (s *leaning) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	s.n++
	low, high := s.rubric.Output.Min, s.rubric.Output.Max
	score := low
	last := req.Messages[len(req.Messages)-2].Content // the last example's answer
	var answer struct{ Output float64 }
	if err := json.Unmarshal([]byte(last), &answer); err != nil {
		return nil, err
	}
	if s.rubric.Output.PassBand().Contains(answer.Output) != (s.nth > 0 && s.n%s.nth == 0) {
		score = high
	}
	return &llm.Response{Content: fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%g,"confidence":0.9,"correction":{}}`, score), FinishReason: "stop"}, nil
}

// The order of examples is held against the judge's own noise.
func TestExampleOrder(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Prerequisite)
	ask := func(c judges.Completer, r *rubrics.Rubric) ExampleOrder {
		j, err := judges.New(c, judges.Config{Model: "m", Rubrics: []*rubrics.Rubric{r}, Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Measure(t.Context(), j, items(t, 50), Config{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return got.ExampleOrder
	}
	got := ask(&leaning{rubric: r}, r)
	if got.Calls != maxOrderTrials || *got.Reversed.Share != 1 || *got.Retest.Share != 0 || !got.AboveRetest || *got.Difference.Mean != 1 || *got.Shift.Mean == 0 || got.Unscored != 0 {
		t.Errorf("a judge led by the order: %+v", got)
	}
	if steady := ask(&server{rubric: r}, r); *steady.Reversed.Share != 0 || *steady.Retest.Share != 0 || steady.AboveRetest || *steady.Difference.Mean != 0 || steady.Shift.N != maxOrderTrials {
		t.Errorf("a judge not led by it: %+v", steady)
	}
	if noisy := ask(&leaning{rubric: r, nth: 3}, r); *noisy.Retest.Share == 0 || *noisy.Retest.Share == 1 {
		t.Errorf("a judge with noise of its own: %+v", noisy)
	}
	bald := *r
	bald.Examples = r.Examples[:1]
	if one := ask(&server{rubric: r}, &bald); one.Calls != 0 || one.Reversed.Share != nil || one.AboveRetest {
		t.Errorf("one example has no order: %+v", one)
	}
	failing := ask(&server{rubric: r, fails: func(n int) bool { return n%2 == 0 }}, r)
	if failing.Unscored == 0 || failing.Reversed.N >= failing.Calls {
		t.Errorf("missing answers: %+v", failing)
	}
}

func TestMissingAnswersAreMissing(t *testing.T) {
	got := measure(t, &server{rubric: judgetest.Rubric(t, rubrics.Overall), obedient: true, fails: func(n int) bool { return n%5 == 0 }}, items(t, 40))
	a := got.Injected
	if a.Unscored == 0 || a.Attack.N+a.Unscored > 60 || a.Attack.N >= 20 || *a.Attack.Share != 1 || *a.Placebo.Share != 0 {
		t.Errorf("%+v", a)
	}
	none := measure(t, &server{rubric: judgetest.Rubric(t, rubrics.Overall), fails: func(int) bool { return true }}, items(t, 4))
	if none.Injected.Attack.Share != nil || none.Injected.Shift.Mean != nil || none.ContentFree.Passed.Share != nil || none.Injected.Unscored != 6 {
		t.Errorf("%+v", none)
	}
}

func TestSameSeedSameReport(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Overall)
	var texts []string
	for range 2 {
		text, err := json.Marshal(measure(t, &server{rubric: r, obedient: true}, items(t, 10)))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if d := cmp.Diff(texts[0], texts[1]); d != "" {
		t.Error(d)
	}
}

func TestPlaces(t *testing.T) {
	c := conversation(t, "c", true)
	if at, tool := place(c, 1); at != 2 || !tool {
		t.Errorf("second call: message %d, tool %v", at, tool)
	}
	if at, tool := place(c, 0); at != 0 || tool {
		t.Errorf("first call: message %d, tool %v", at, tool)
	}
	c.Calls[0].Message = 0
	if at, _ := place(c, 0); at != -1 {
		t.Errorf("a call without anything before it: message %d", at)
	}
	before := c.Messages[2].Content
	if injected := inject(c, 2, "x"); injected.Messages[2].Content != before+"\nx" || c.Messages[2].Content != before {
		t.Error("the log itself was changed")
	}
	emptied, ok := empty(c, 1, ":")
	if !ok || emptied.Calls[1].Arguments.JSON() != `{"order":":"}` || c.Calls[1].Arguments.JSON() != `{"order":"right"}` {
		t.Errorf("emptied %v", emptied)
	}
	if _, ok := empty(c, 0, ":"); ok {
		t.Error("a call without arguments was emptied")
	}
}

func TestPayloads(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Payloads() {
		text := p.Text(0.5)
		if seen[p.Name] || text == p.Text(1) || !utf8.ValidString(text) {
			t.Errorf("%s: %q", p.Name, text)
		}
		seen[p.Name] = true
		if got, want := utf8.RuneCountInString(placebo(text)), utf8.RuneCountInString(text); got != want {
			t.Errorf("%s: the placebo has %d characters, want %d", p.Name, got, want)
		}
		if p.Name != "hidden" && p.Name != "base64" && !strings.Contains(text, "0.5") {
			t.Errorf("%s does not name the score: %q", p.Name, text)
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d payloads", len(seen))
	}
}

// No payload breaks the frame of a prompt.
func TestPayloadsKeepTheFrame(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Overall)
	for _, marker := range []string{"", "^"} {
		j, err := judges.New(&server{}, judges.Config{Model: "m", Prompt: judges.Options{Marker: marker}})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range variants(r, prepare(items(t, 2*len(Payloads())), 1)) {
			req, err := j.Request(r.Name, item.Conversation, item.Targets[0])
			if err == nil {
				err = checkFrame(req.Messages[len(req.Messages)-1].Content)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	for _, broken := range []string{
		"x\n", "<<<RECORD a tools>>>\n{}\n", "<<<RECORD a tools>>>\nhello\n<<<END a tools>>>\nGrade", "<<<RECORD a tools>>>\n<<<END b tools>>>\nGrade",
		"<<<RECORD a tools>>>\n<<<END a tools>>>\n<<<RECORD b call>>>\n<<<END b call>>>\nGrade",
	} {
		if checkFrame(broken) == nil {
			t.Errorf("%q passes", broken)
		}
	}
}

// checkFrame says what breaks the frame of a prompt: every line must be a marker with the
// record's own code, a JSON value (with a number in front of it inside the conversation),
// a note of what was left out, or the closing line.
func checkFrame(text string) error {
	lines := strings.Split(text, "\n")
	code, inside := "", ""
	for i, line := range lines {
		words := strings.Fields(strings.TrimSuffix(line, ">>>"))
		switch {
		case strings.HasPrefix(line, "<<<"):
			opening := inside == "" && len(words) == 3 && words[0] == "<<<RECORD" && (code == "" || words[1] == code)
			closing := len(words) == 3 && words[0] == "<<<END" && words[1] == code && words[2] == inside
			switch {
			case opening:
				code, inside = words[1], words[2]
			case closing:
				inside = ""
			default:
				return fmt.Errorf("line %d is a marker that is none of the frame's", i+1)
			}
		case inside == "":
			if i != len(lines)-1 {
				return fmt.Errorf("line %d stands outside the record", i+1)
			}
		default:
			if inside == "conversation" && strings.HasPrefix(line, "[") {
				_, line, _ = strings.Cut(line, "] ")
			}
			if _, err := value.ParseString(line); err != nil && line != "omitted" {
				return fmt.Errorf("line %d is no value", i+1)
			}
		}
	}
	if inside != "" {
		return fmt.Errorf("the block %s has no end", inside)
	}
	return nil
}

func TestMeasureRefuses(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	j, err := judges.New(&server{}, judges.Config{Model: "m", Rubrics: list})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(t.Context(), j, nil, Config{}); err == nil {
		t.Error("a judge with four rubrics was probed")
	}
	j, err = judges.New(&server{}, judges.Config{Model: "m", Rubrics: list[:1]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(t.Context(), j, []Item{{conversation(t, "c", true), 9, true}}, Config{}); err == nil {
		t.Error("a call that is not there was probed")
	}
}

// TestProbeNeedsAScale: a payload asks for a number; of a rubric with categories nothing is asked.
func TestProbeNeedsAScale(t *testing.T) {
	for answer, want := range map[string]bool{"yes/no\npass: yes": false, "1-5": false, "1-5\npass: 4": true} {
		list, err := rubrics.Load(strings.NewReader("name: n\nquestion: q?\nanswer: "+answer), "n.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(list[0]); (err == nil) != want {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
