package judges

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

func one(item Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) { yield(item, nil) }
}

// teamOf returns judges a, b, c, … that answer with the given texts.
func teamOf(t *testing.T, texts ...string) (list []*Judge, servers []*judgetest.Script) {
	t.Helper()
	for i, reply := range texts {
		s := judgetest.Replies(reply)
		j := intentJudge(t, s, func(c *Config) { c.Name, c.MaxRepairs = string(rune('a'+i)), -1 })
		list, servers = append(list, j), append(servers, s)
	}
	return list, servers
}

func TestCascade(t *testing.T) {
	sure, unsure, bad := judgetest.Answer("5"), judgetest.Answer("3"), "no answer"
	wrong := `{"explanation":"e","evidence":"\"this text stands nowhere\"","output":5,"confidence":0.9,"correction":{}}`
	shy := strings.Replace(sure, "0.9", "0.3", 1)
	low := judgetest.Answer("1")
	for _, tc := range []struct {
		name    string
		replies []string
		on      []Reason
		want    string // the tiers with the reasons to go on
	}{
		{"the first is sure", []string{sure, sure, sure}, nil, "a=5"},
		{"the second is sure", []string{unsure, sure, sure}, nil, "a=3 borderline, b=5"},
		{"an error goes on", []string{bad, low, sure}, nil, "a=- error, b=1"},
		{"low confidence goes on", []string{shy, low, sure}, nil, "a=5 low_confidence, b=1"},
		{"a contradiction goes on", []string{wrong, low, sure}, nil, "a=5 contradiction, b=1"},
		{"nobody is sure", []string{unsure, unsure, shy}, nil, "a=3 borderline, b=3 borderline, c=5 low_confidence, unresolved"},
		{"only errors go on", []string{shy, sure, sure}, []Reason{OnError}, "a=5"},
		{"only errors go on, to the end", []string{bad, bad, unsure}, []Reason{OnError}, "a=- error, b=- error, c=3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, servers := teamOf(t, tc.replies...)
			cfg := RunConfig{Cascades: []Cascade{{Name: "ladder", Tiers: []string{"a", "b", "c"}, EscalateOn: tc.on}}}
			var results []Result
			err := Run(t.Context(), list, one(Item{Conversation: judgetest.Support(t), Targets: []Target{OfCall(1)}}), cfg, func(o *Outcome) error {
				results = o.Results
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			last := results[len(results)-1]
			var got []string
			for i, tier := range last.Climb.Tiers {
				output := "-"
				if tier.Output != nil {
					output = number(*tier.Output)
				}
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s=%s %s", tier.Judge, output, strings.Trim(fmt.Sprint(tier.Reasons), "[]"))))
				if results[i].Judge != tier.Judge || results[i].Verdict != tier.Verdict {
					t.Errorf("tier %d keeps no verdict of its own: %+v", i, results[i])
				}
			}
			if last.Climb.Unresolved {
				got = append(got, "unresolved")
			}
			if d := cmp.Diff(tc.want, strings.Join(got, ", ")); d != "" {
				t.Error(d)
			}
			if last.Panel != nil || last.Token != nil || last.Sampling != nil || last.Samples != nil || last.Segments != nil ||
				last.Repairs != 0 || last.Latency != 0 || last.Usage != (llm.Usage{}) {
				t.Errorf("the cascade has details of its last tier: %+v", last)
			}
			if last.Judge != "ladder" || last.Method != CascadeMethod || last.Requests != 0 || last.Escalate != last.Climb.Unresolved || len(results) != len(last.Climb.Tiers)+1 {
				t.Errorf("final %+v", last)
			}
			// Nobody is asked for nothing, and a later tier is asked as if it were alone.
			for i, s := range servers {
				if want := min(1, max(0, len(last.Climb.Tiers)-i)); len(s.Requests) != want {
					t.Errorf("tier %d got %d requests, want %d", i, len(s.Requests), want)
				}
			}
			if len(last.Climb.Tiers) == 3 {
				alone, s := teamOf(t, sure, sure, sure)
				judgeOne(t, alone[2])
				if d := cmp.Diff(s[2].Requests[0], servers[2].Requests[0], cmpopts.IgnoreUnexported(llm.Schema{})); d != "" {
					t.Errorf("the last tier sees more than the record: %s", d)
				}
			}
		})
	}
}

// A panel as a tier is asked only where a cascade comes to it, its members once
// each, and it is no tier's business what it was asked for.
func TestCascadeWithPanel(t *testing.T) {
	list, servers := teamOf(t, judgetest.Answer("3"), judgetest.Answer("5"), judgetest.Answer("5"))
	cfg := RunConfig{
		Panels:   []Panel{{Name: "jury", Members: []string{"a", "b", "c"}}},
		Cascades: []Cascade{{Name: "ladder", Tiers: []string{"a", "jury", "c"}}},
	}
	asked, err := Asked(list, cfg)
	if d := cmp.Diff([]bool{true, false, false}, asked); d != "" || err != nil {
		t.Error(d, err)
	}
	var got []string
	err = Run(t.Context(), list, one(Item{Conversation: judgetest.Support(t)}), cfg, func(o *Outcome) error {
		for _, r := range o.Results {
			got = append(got, fmt.Sprintf("%d %s=%v", r.CallIndex, r.Judge, *r.Output))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for call := range 3 {
		for _, s := range []string{"a=3", "b=5", "c=5", "jury=5", "ladder=5"} {
			want = append(want, fmt.Sprint(call, " ", s))
		}
	}
	// The jury's two thirds are below the confidence band: the last tier decides.
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for i, s := range servers {
		if len(s.Requests) != 3 {
			t.Errorf("judge %d was asked %d times", i, len(s.Requests))
		}
	}
	cfg.Always = []string{"c"}
	if asked, _ = Asked(list, cfg); !asked[2] || asked[1] {
		t.Errorf("asked %v", asked)
	}
	cfg.Cascades = nil
	if asked, _ = Asked(list, cfg); slices.Contains(asked, false) {
		t.Errorf("without a cascade somebody is left out: %v", asked)
	}
}

// TestResultOfACascade: the last tier's answer is the cascade's, without the details and costs that are the tier's own.
func TestResultOfACascade(t *testing.T) {
	tier := Result{
		Judge: "jury", Method: PanelMethod, Verdict: Pass, Output: new(5.0), Explanation: "e", Repairs: 1, Requests: 2, Cached: 1,
		Latency: time.Second, Usage: llm.Usage{Prompt: new(7)}, Panel: &PanelDetail{}, Token: &reply.TokenWeight{},
		Sampling: &answer.Consistency{}, Samples: []*float64{nil}, Segments: []Segment{{}}, Flags: make([]Flag, 1, 9),
	}
	c := Cascade{Name: "up"}
	got := c.result([]Result{{Judge: "a", Verdict: NoVerdict}, tier})
	want := Result{
		Judge: "up", Method: CascadeMethod, Verdict: Pass, Output: tier.Output, Explanation: "e", Flags: make([]Flag, 1),
		Climb: &ClimbDetail{Tiers: []ClimbTier{{"a", nil, NoVerdict, nil, []Reason{OnError}}, {"jury", tier.Output, Pass, nil, nil}}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Result{}, value.Value{})); d != "" {
		t.Error(d)
	}
	if got.Flags[0].Code = "of the cascade"; tier.Flags[0].Code != "" {
		t.Error("the cascade's flags are those of its tier")
	}
}

// TestTeamFails: a panel that cannot be joined ends the run, be it a tier of a cascade.
func TestTeamFails(t *testing.T) {
	jury := []Panel{{Name: "jury", Members: []string{"b"}, Rule: "vibes"}}
	for _, cfg := range []RunConfig{
		{Panels: jury},
		{Panels: jury, Cascades: []Cascade{{Name: "up", Tiers: []string{"jury", "a"}}}},
		{Panels: jury, Cascades: []Cascade{{Name: "up", Tiers: []string{"a", "jury"}}}},
	} {
		list, _ := teamOf(t, judgetest.Answer("3"), judgetest.Answer("5"))
		err := Run(t.Context(), list, stream(t, 3), cfg, func(*Outcome) error { return nil })
		if err == nil || err.Error() != `panel jury: panel rule "vibes" is not known` {
			t.Errorf("%v: %v", cfg.Cascades, err)
		}
	}
}

// Outcomes do not depend on who answers first.
func TestTeamOrder(t *testing.T) {
	cfg := RunConfig{
		Panels:   []Panel{{Name: "jury", Members: []string{"a", "b"}, Quorum: 1}},
		Cascades: []Cascade{{Name: "up", Tiers: []string{"a", "b", "c"}}, {Name: "down", Tiers: []string{"d", "jury", "c"}, EscalateOn: []Reason{OnBorderline}}},
	}
	var want []string
	for _, concurrency := range []int{1, 12} {
		rng := rand.New(rand.NewPCG(3, 4))
		var mu sync.Mutex
		counts := map[string]int{}
		var list []*Judge
		for i, name := range []string{"a", "b", "c", "d"} {
			s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
				mu.Lock()
				wait := time.Duration(rng.IntN(150)) * time.Microsecond
				counts[name+" "+r.Key]++
				mu.Unlock()
				time.Sleep(wait)
				n := i
				for _, c := range r.Key {
					n = (n*31 + int(c)) % 5
				}
				return judgetest.Text(judgetest.Answer(number(float64(n + 1)))), nil
			}}
			j, err := New(s, Config{Model: "m", Name: name, Rubrics: intentRubrics(t), Concurrency: concurrency})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		cfg.ShuffleSeed = uint64(concurrency)
		var got []string
		err := Run(t.Context(), list, stream(t, 40), cfg, func(o *Outcome) error {
			for _, r := range o.Results {
				got = append(got, fmt.Sprintf("%s/%d/%s/%s=%v %s", r.ConversationID, r.CallIndex, r.Judge, r.Rubric, *r.Output, r.Score().Details.JSON()))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for key, n := range counts {
			if n != 1 {
				t.Errorf("%s was asked %d times", key, n)
			}
		}
		calls := 34 * 3 * 2
		if len(counts) <= 2*calls || len(counts) >= 4*calls {
			t.Errorf("%d requests for %d judgements: nothing or everything was escalated", len(counts), calls)
		}
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("concurrency %d: %s", concurrency, d)
		}
	}
}

func TestTeamRefuses(t *testing.T) {
	list, _ := teamOf(t, "", "", "")
	odd, err := New(judgetest.Replies(""), Config{Model: "m", Name: "odd", Rubrics: []*rubrics.Rubric{judgetest.Rubric(t, rubrics.Overall)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		list []*Judge
		cfg  RunConfig
		want string
	}{
		{list, RunConfig{Panels: []Panel{{Name: "a", Members: []string{"b"}}}}, `run: the name of panel "a" is empty or taken; give it one of its own`},
		{list, RunConfig{Panels: []Panel{{Name: "p"}}}, "run: panel p has no members"},
		{list, RunConfig{Panels: []Panel{{Name: "p", Members: []string{"a", "x"}}}}, `run: panel p: no judge has the name "x"`},
		{list, RunConfig{Panels: []Panel{{Name: "p", Members: []string{"a", "a"}}}}, `run: panel p: "a" is a member twice`},
		{list, RunConfig{Panels: []Panel{{Name: "p", Members: []string{"a"}}, {Name: "q", Members: []string{"p"}}}}, `run: panel q: no judge has the name "p"`},
		{list, RunConfig{Cascades: []Cascade{{Name: "c2", Tiers: []string{"a", "z"}}}}, `run: cascade c2: no judge and no panel has the name "z"`},
		{list, RunConfig{Cascades: []Cascade{{Name: "c2"}}}, "run: cascade c2 has no tiers"},
		{list, RunConfig{Panels: []Panel{{Members: []string{"a"}}}}, `run: the name of panel "" is empty or taken; give it one of its own`},
		{list, RunConfig{Cascades: []Cascade{{Name: "c2", Tiers: []string{"a"}}, {Name: "c2", Tiers: []string{"b"}}}},
			`run: the name of cascade "c2" is empty or taken; give it one of its own`},
		{list, RunConfig{Cascades: []Cascade{{Name: "c2", Tiers: []string{"a", "a"}}}}, `run: cascade c2: "a" is a tier twice`},
		{list, RunConfig{Cascades: []Cascade{{Name: "c2", Tiers: []string{"a"}, EscalateOn: []Reason{"mood"}}}}, `run: cascade c2: "mood" is not one of [borderline low_confidence error contradiction]`},
		{[]*Judge{list[0], odd}, RunConfig{Panels: []Panel{{Name: "p", Members: []string{"a"}}}}, "run: panels and cascades need judges with the same rubrics; a and odd differ"},
	} {
		err := Run(t.Context(), tc.list, stream(t, 1), tc.cfg, func(*Outcome) error { return nil })
		if err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

// TestTeamTakes: judges with different rubrics may run side by side, and numbers without a pass may be joined; a member
// of a panel that is no tier is asked about everything.
func TestTeamTakes(t *testing.T) {
	list, _ := teamOf(t, "", "")
	odd := intentJudge(t, judgetest.Replies(""), asks(question(t, "answer: 1-5")))
	up := []Cascade{{Name: "up", Tiers: []string{"a", "b"}}}
	for _, tt := range []struct {
		list []*Judge
		cfg  RunConfig
		want []bool
	}{
		{[]*Judge{list[0], odd}, RunConfig{}, []bool{true, true}},
		{[]*Judge{odd}, RunConfig{Panels: []Panel{{Name: "p", Members: []string{"m"}}}}, []bool{true}},
		{list, RunConfig{Cascades: up}, []bool{true, false}},
		{list, RunConfig{Cascades: up, Panels: []Panel{{Name: "p", Members: []string{"b"}}}}, []bool{true, true}},
	} {
		if got, err := Asked(tt.list, tt.cfg); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v, %v, want %v", got, err, tt.want)
		}
	}
	for verdict, want := range map[string][]Reason{Borderline: {OnBorderline}, NoVerdict: {OnError}, Pass: nil} {
		if got := (&Cascade{}).reasons(&Result{Verdict: verdict}); !slices.Equal(got, want) {
			t.Errorf("%s: %v", verdict, got)
		}
	}
}

// A fatal answer of a late judge ends the run, and nobody waits for ever.
func TestLateJudgeFails(t *testing.T) {
	list, servers := teamOf(t, judgetest.Answer("3"), "")
	servers[1].Reply = func(int, llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.KindUnauthorized, Fatal: true}
	}
	err := Run(t.Context(), list, stream(t, 50), RunConfig{Cascades: []Cascade{{Name: "l", Tiers: []string{"a", "b"}}}}, func(*Outcome) error { return nil })
	if err == nil {
		t.Error("no error")
	}
}
