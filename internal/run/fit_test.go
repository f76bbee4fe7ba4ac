package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// TestLongestPrompt: each judge's longest prompt is computed from its own sizes, and the judgements of all rubrics add up.
func TestLongestPrompt(t *testing.T) {
	p := plan(t, "http://127.0.0.1:1/v1")
	p.Rubrics = p.Rubrics[:2]
	p.Judges = append(p.Judges, p.Judges[0])
	p.Judges[1].Config.Name, p.Judges[1].ContextTokens = "other", 9000
	in, s := &Instruments{Team: p.Team}, &Spec{byRubric: []int{3, 4}}
	sizes := []judges.Size{{ASCII: 400}, {ASCII: 40000}, {ASCII: 4000}}
	s.largest = [][]judges.Size{sizes, sizes[:1]}
	checks, err := in.longest(s)
	if err != nil || len(checks) != 2 {
		t.Fatalf("%+v, %v", checks, err)
	}
	list, err := in.Silent()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"fixed", "other"} {
		want := list[i].LargestTokens(sizes[1-i])
		if c := checks[i]; c.Judge != name || c.Judgements != 7 || c.LargestTokens != want || c.ContextTokens != 9000*i {
			t.Errorf("%+v, want %d tokens", c, want)
		}
	}
	in.Judges[0].Config.Model = ""
	if checks, err := in.longest(s); checks != nil || err == nil {
		t.Errorf("%+v, %v", checks, err)
	}
}

// TestShortens: a prompt may be shortened if the longest one with its answer exceeds the window, or a record its limit; of
// a part of a log that is not known.
func TestShortens(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*Spec)
		// max limits a record, largest is the size of the largest one.
		max, largest int
		check        instrument.WindowCheck
		want         bool
	}{
		"fits":               {nil, 0, 100, instrument.WindowCheck{LargestTokens: 60, AnswerTokens: 40, ContextTokens: 100}, false},
		"one token too many": {nil, 0, 100, instrument.WindowCheck{LargestTokens: 61, AnswerTokens: 40, ContextTokens: 100}, true},
		"a sample":           {func(s *Spec) { s.Sample = 1 }, 0, 100, instrument.WindowCheck{ContextTokens: 100}, true},
		"a shard": {func(s *Spec) { s.Shard = input.Shard{Of: 1} }, 0, 100, instrument.WindowCheck{ContextTokens: 100},
			true},
		"the usual limit": {nil, 0, judges.DefaultMaxRecordBytes, instrument.WindowCheck{ContextTokens: 100}, false},
		"beyond it":       {nil, 0, judges.DefaultMaxRecordBytes + 1, instrument.WindowCheck{ContextTokens: 100}, true},
		"another limit":   {nil, 500, 500, instrument.WindowCheck{ContextTokens: 100}, false},
		"beyond that":     {nil, 500, 501, instrument.WindowCheck{ContextTokens: 100}, true},
		"no limit":        {nil, -1, 1 << 30, instrument.WindowCheck{ContextTokens: 100}, false},
	} {
		in, s := &Instruments{}, &Spec{}
		in.Judges = make([]instrument.Judge, 2)
		in.Judges[1].Config.Prompt.MaxRecordBytes = tt.max
		s.largest = [][]judges.Size{nil, {{ASCII: 1}, {ASCII: tt.largest - 1, Foreign: 1}}}
		if tt.edit != nil {
			tt.edit(s)
		}
		if got := in.shortens(s, 1, &tt.check); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestEstimatedJudgements: of a part of a large log the number of judgements is an estimate.
func TestEstimatedJudgements(t *testing.T) {
	for _, tt := range []struct {
		share float64
		want  int
		about bool
	}{{1, 30, false}, {0, 30, false}, {0.25, 120, true}} {
		s := &Spec{share: tt.share, estimate: Estimate{Judgements: 30}}
		if n, about := s.Judgements(); n != tt.want || about != tt.about {
			t.Errorf("%v of the log: %d, %v", tt.share, n, about)
		}
	}
}

// TestEstimateOfMeasuredPrompts: the sizes of all judges' prompts add up, a judgement in segments takes a request for each
// of them, and windows that are known are listed.
func TestEstimateOfMeasuredPrompts(t *testing.T) {
	s := &Spec{share: 1, estimate: Estimate{Requests: 10, Judgements: 10}}
	s.Judges = make([]instrument.Judge, 2)
	s.Judges[1].Config.Method, s.Judges[1].Config.Samples = judges.SelfConsistency, 3
	s.checks = []instrument.WindowCheck{
		{Judge: "a", Segments: 5, Segmented: 2, Size: instrument.PromptSize{Bytes: 100, Tokens: 30}},
		{Judge: "b", Segments: 7, Segmented: 3, ContextTokens: 9000, Size: instrument.PromptSize{Bytes: 50, Tokens: 20}}}
	got, err := s.Estimate(t.Context())
	want := Estimate{Judgements: 10, Requests: 10 + 3 + 4*3, PromptSize: instrument.PromptSize{Bytes: 150, Tokens: 50},
		Windows: s.checks[1:]}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(instrument.WindowCheck{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
