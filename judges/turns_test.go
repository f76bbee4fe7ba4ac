package judges

import (
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// A host that holds one model at a time loads each once, as far as there is room for
// what waits; models of a host that holds all are asked side by side.
func TestOneModelAtATime(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		host                 string
		conversations, loads int // loads is the most that is allowed, 0 for any number
		requests             int
		cfg                  RunConfig
	}{
		{"eighteen requests", "http://one", 3, 2, 36, RunConfig{}},
		{"drawn in another order", "http://one", 40, 2, 34 * 12, RunConfig{ShuffleSeed: 4, MaxPending: 1000}},
		{"little room", "http://one", 40, 24, 34 * 12, RunConfig{MaxPending: 36}},
		{"a cascade", "http://one", 8, 4, 7 * 12, RunConfig{Cascades: []Cascade{{Name: "up", Tiers: []string{"a", "b"}}}}},
		{"no host", "", 3, 0, 36, RunConfig{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, concurrency := range []int{1, 4} {
				var mu sync.Mutex
				loads, busy, last, most := 0, map[string]int{}, "", 0
				s := &judgetest.Script{Reply: func(n int, r llm.Request) (*llm.Response, error) {
					mu.Lock()
					if r.Model != last {
						loads, last = loads+1, r.Model
					}
					busy[r.Model]++
					most = max(most, len(busy))
					mu.Unlock()
					time.Sleep(time.Duration(n%3) * 50 * time.Microsecond)
					mu.Lock()
					if busy[r.Model]--; busy[r.Model] == 0 {
						delete(busy, r.Model)
					}
					mu.Unlock()
					return judgetest.Text(judgetest.Answer("3")), nil // near the threshold: the cascade climbs
				}}
				var list []*Judge
				for _, name := range []string{"a", "b"} {
					j, err := New(s, Config{Model: "model-" + name, Name: name, Rubrics: intentRubrics(t), Concurrency: concurrency, Host: tc.host})
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, j)
				}
				if err := Run(t.Context(), list, stream(t, tc.conversations), tc.cfg, func(*Outcome) error { return nil }); err != nil {
					t.Fatal(err)
				}
				if len(s.Requests) != tc.requests {
					t.Errorf("concurrency %d: %d requests, want %d", concurrency, len(s.Requests), tc.requests)
				}
				if tc.loads > 0 && (loads > tc.loads || most > 1) {
					t.Errorf("concurrency %d: a model was loaded %d times, %d were asked at once", concurrency, loads, most)
				}
				if tc.host == "" && concurrency == 4 && most < 2 {
					t.Error("models of a host that holds all were asked one after the other")
				}
			}
		})
	}
}

// slowly yields conversations, one a second.
func slowly(t *testing.T, n int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for item, err := range stream(t, n) {
			if time.Sleep(time.Second); !yield(Item{Conversation: item.Conversation}, err) {
				return
			}
		}
	}
}

// TestModelWaitsForRoom: while conversations still come and have room, the model that is loaded is not changed, be it that
// there was no room before.
func TestModelWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		order := ""
		s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if !strings.HasSuffix(order, r.Model) {
				order += r.Model
			}
			return judgetest.Text(judgetest.Answer("1")), nil
		}}
		var list []*Judge
		for _, name := range []string{"a", "b"} {
			j, err := New(s, Config{Model: name, Name: name, Rubrics: intentRubrics(t), Concurrency: 4, Host: "one"})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		if err := Run(t.Context(), list, slowly(t, 6), RunConfig{MaxPending: 24}, func(*Outcome) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if order != "abab" { // a about the first two, b about these and the next two, a about those and the last two, b
			t.Errorf("the models were asked in turns %s", order)
		}
	})
}

// TestAlone: a judge that is asked alone shares its server's time with no other one.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		busy, asked := map[string]int{}, map[string]int{}
		s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			mu.Lock()
			busy[r.Model]++
			asked[r.Model]++
			if len(busy) > 1 {
				t.Errorf("asked at once: %v", busy)
			}
			mu.Unlock()
			time.Sleep(700 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if busy[r.Model]--; busy[r.Model] == 0 {
				delete(busy, r.Model)
			}
			return judgetest.Text(judgetest.Answer("1")), nil
		}}
		var list []*Judge
		for _, name := range []string{"alone", "other"} {
			j, err := New(s, Config{Model: name, Name: name, Rubrics: intentRubrics(t), Concurrency: 4, Alone: name == "alone"})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		if err := Run(t.Context(), list, slowly(t, 8), RunConfig{MaxPending: 24}, func(*Outcome) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if asked["alone"] != asked["other"] || asked["alone"] == 0 {
			t.Errorf("asked: %v", asked)
		}
	})
}

// TestStoppedModelLeavesItsHost: a judge that was stopped does not keep its server from the other model.
func TestStoppedModelLeavesItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []*Judge
		for _, name := range []string{"a", "b"} {
			text := map[string]string{"a": "no answer", "b": judgetest.Answer("1")}[name]
			j, err := New(judgetest.Replies(text), Config{
				Model: name, Name: name, Rubrics: intentRubrics(t)[:1], Concurrency: 4, Host: "one", MaxRepairs: -1})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		count := map[string]int{}
		err := Run(t.Context(), list, stream(t, 40), RunConfig{MaxPending: 24}, func(o *Outcome) error {
			for _, r := range o.Results {
				count[r.Judge+" "+r.ErrorKind]++
				const why = "not asked: the first 20 judgements by this rubric had all failed in the same way"
				if r.ErrorKind == KindStopped && (r.ErrorDetail != why || r.Transport != JSONSchema) {
					t.Errorf("%s by %s", r.ErrorDetail, r.Transport)
				}
			}
			return nil
		})
		want := map[string]int{"a invalid_json": StopAfter, "a stopped": 34*3 - StopAfter, "b ": 34 * 3}
		if d := cmp.Diff(want, count); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
	})
}

// TestOwnView: each judge sees a conversation in the form of its own settings, and facts are looked up for calls only.
func TestOwnView(t *testing.T) {
	redact, err := NewRedaction([]string{"987"})
	if err != nil {
		t.Fatal(err)
	}
	turn := question(t, "answer: 1-5\npass: 3\nscope: turn")
	var list []*Judge
	scripts := map[string]*judgetest.Script{}
	for _, name := range []string{"plain", "redacted", "plain too"} {
		scripts[name] = judgetest.Replies(judgetest.Answer("4"))
		list = append(list, intentJudge(t, scripts[name], func(c *Config) {
			c.Name, c.Rubrics = name, append(c.Rubrics, turn)
			if name == "redacted" {
				c.Prompt.Redact = redact
			}
		}))
	}
	var mu sync.Mutex
	var asked []int
	item := Item{Conversation: judgetest.Support(t), Targets: []Target{OfCall(1), {Scope: "turn", Turn: 1}},
		Facts: func(call int) Facts {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, call)
			return Facts{}
		}}
	judged := 0
	err = Run(t.Context(), list, one(item), RunConfig{}, func(o *Outcome) error {
		judged += len(o.Results)
		return nil
	})
	if d := cmp.Diff([]int{1, 1, 1}, asked); d != "" || err != nil || judged != 6 {
		t.Errorf("%d judgements, %v, facts: %s", judged, err, d)
	}
	for name, s := range scripts {
		for _, req := range s.Requests {
			last := req.Messages[len(req.Messages)-1].Content
			if strings.Contains(last, "order 987.") == (name == "redacted") {
				t.Errorf("%s is shown %s", name, last)
			}
		}
	}
}

// TestHostsAreTheirOwn: a model of one server does not wait for the same model of another server.
func TestHostsAreTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := map[string]time.Time{}
		var mu sync.Mutex
		answer := func(took time.Duration, name func(llm.Request) string) *judgetest.Script {
			return &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
				time.Sleep(took)
				mu.Lock()
				defer mu.Unlock()
				ends[name(r)] = time.Now()
				return judgetest.Text(judgetest.Answer("1")), nil
			}}
		}
		fast := answer(time.Millisecond, func(r llm.Request) string { return r.Model })
		slow := answer(time.Minute, func(llm.Request) string { return "slow" })
		var list []*Judge
		for _, c := range []Config{{Name: "a", Model: "a", Host: "one"}, {Name: "b", Model: "b", Host: "one"}, {Name: "slow", Model: "a", Host: "two"}} {
			c.Rubrics, c.Concurrency = intentRubrics(t), 1
			s := fast
			if c.Host == "two" {
				s = slow
			}
			j, err := New(s, c)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		if err := Run(t.Context(), list, stream(t, 2), RunConfig{}, func(*Outcome) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if first := ends["slow"].Sub(ends["b"]); first < time.Minute {
			t.Errorf("the second model of a server was asked until %v before the end of another server", first)
		}
	})
}
