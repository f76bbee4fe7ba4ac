package judges

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// What a judge is asked and what comes of it, where its first judgements fail: the same
// at any concurrency and in any order of drawing.
func TestStopWhenNothingWorks(t *testing.T) {
	const calls = 60 * 3
	four, bad := judgetest.Answer("4"), judgetest.Answer("9")
	// number is the place of a judgement in the input; of says what comes of it.
	number := func(key string) (n int) {
		var conv, call int
		if _, err := fmt.Sscanf(key, "c%d#%d", &conv, &call); err != nil {
			t.Error(err)
		}
		return 3*conv + call
	}
	for _, tc := range []struct {
		name string
		// reply gets the place of the judgement in the input, from 0.
		reply                       func(n int, rubric string) *llm.Response
		scored, failed, stop, asked int
		stops                       []string
	}{
		{"everything invalid", func(int, string) *llm.Response { return judgetest.Text(bad) },
			0, 40, 2*calls - 40, 40,
			[]string{rubrics.Intent + " schema_violation c0#0", rubrics.Completeness + " schema_violation c0#0"}},
		{"one bad rubric", func(_ int, rubric string) *llm.Response {
			if rubric == rubrics.Intent {
				return judgetest.Text("no")
			}
			return judgetest.Text(four)
		}, calls, 20, calls - 20, calls + 20, []string{rubrics.Intent + " invalid_json c0#0"}},
		{"one score among the first", func(n int, _ string) *llm.Response {
			if n == 19 {
				return judgetest.Text(four)
			}
			return judgetest.Text(bad)
		}, 2, 2*calls - 2, 0, 2 * calls, nil},
		{"a score behind the first", func(n int, _ string) *llm.Response {
			if n >= 20 {
				return judgetest.Text(four)
			}
			return judgetest.Text(bad)
		}, 0, 40, 2*calls - 40, 40,
			[]string{rubrics.Intent + " schema_violation c0#0", rubrics.Completeness + " schema_violation c0#0"}},
		{"not the same way", func(n int, _ string) *llm.Response {
			return judgetest.Text([]string{bad, "no"}[n%2])
		}, 0, 2 * calls, 0, 2 * calls, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, run := range []struct {
				concurrency int
				cfg         RunConfig
				answers     bool // so that judgements begin before it is known, and are dropped
			}{
				{1, RunConfig{}, false}, {16, RunConfig{ShuffleSeed: 7}, false},
				{64, RunConfig{ShuffleSeed: 3, Window: 5}, false}, {64, RunConfig{ShuffleSeed: 3}, true},
			} {
				s := &judgetest.Script{Reply: func(i int, r llm.Request) (*llm.Response, error) {
					time.Sleep(time.Duration(i*7%5) * 20 * time.Microsecond)
					_, rubric, _ := strings.Cut(r.Key, " ")
					return tc.reply(number(r.Key), rubric), nil
				}}
				j, err := New(s, Config{Model: "m", Rubrics: intentRubrics(t), Concurrency: run.concurrency, MaxRepairs: -1,
					Answers: run.answers})
				if err != nil {
					t.Fatal(err)
				}
				var stops []string
				run.cfg.Stopped = func(s Stop) {
					if s.First.ErrorDetail == "" || s.First.Reply == "" {
						t.Errorf("a stop without its first error or reply: %+v", s)
					}
					stops = append(stops, fmt.Sprintf("%s %s %s#%d", s.Rubric, s.Kind, s.First.ConversationID, s.First.CallIndex))
				}
				count := map[string]int{}
				items := func(yield func(Item, error) bool) {
					for item, err := range stream(t, 60) {
						item.Targets = nil
						if !yield(item, err) {
							return
						}
					}
				}
				err = Run(t.Context(), []*Judge{j}, items, run.cfg, func(o *Outcome) error {
					for _, r := range o.Results {
						switch {
						case r.Output != nil:
							count["scored"]++
						case r.ErrorKind == KindStopped:
							count["stopped"]++
							if number(fmt.Sprintf("%s#%d", r.ConversationID, r.CallIndex)) < StopAfter || r.Requests != 0 || r.Verdict != NoVerdict {
								t.Errorf("stopped: %+v", r)
							}
						default:
							count["failed"]++
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				asked := len(s.Requests)
				if over := asked - tc.asked; run.answers && over >= 0 && over <= 2*run.concurrency {
					asked = tc.asked
				}
				got := []int{count["scored"], count["failed"], count["stopped"], asked}
				if d := cmp.Diff([]int{tc.scored, tc.failed, tc.stop, tc.asked}, got); d != "" {
					t.Errorf("concurrency %d: scored, failed, stopped, asked: %s", run.concurrency, d)
				}
				if len(stops) == 2 && stops[0] > stops[1] != (tc.stops[0] > tc.stops[1]) {
					stops[0], stops[1] = stops[1], stops[0]
				}
				if d := cmp.Diff(tc.stops, stops); d != "" {
					t.Errorf("concurrency %d: %s", run.concurrency, d)
				}
			}
		})
	}
}

// TestFirstJudgementsHoldNobodyBack: a judge that has answered a rubric's prompt has all its
// requests in flight at once, any other one after it has shown that it can do its work.
func TestFirstJudgementsHoldNobodyBack(t *testing.T) {
	for answers, want := range map[bool]time.Duration{true: 3 * time.Second, false: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
				time.Sleep(time.Second)
				return judgetest.Text(judgetest.Answer("4")), nil
			}}
			j, err := New(s, Config{Model: "m", Rubrics: intentRubrics(t)[:1], Concurrency: 64, Answers: answers})
			if err != nil {
				t.Fatal(err)
			}
			start, scored := time.Now(), 0
			err = Run(t.Context(), []*Judge{j}, stream(t, 63), RunConfig{}, func(o *Outcome) error {
				scored += len(o.Results)
				return nil
			})
			if took := time.Since(start); err != nil || scored != 54*3 || took != want {
				t.Errorf("answers %v: %d judgements in %v, %v", answers, scored, took, err)
			}
		})
	}
}
