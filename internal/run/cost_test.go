package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// TestCosts: the tokens of each judge with prices are added up; an answer without counts is not part of the cost, and a
// judgement without a request costs nothing.
func TestCosts(t *testing.T) {
	priced := func(name string) instrument.Judge {
		return instrument.Judge{Config: judges.Config{Name: name}, Prices: &instrument.Prices{Input: 2, CachedInput: new(1.0),
			Output: 10}}
	}
	costs := costsOf([]instrument.Judge{priced("a"), {Config: judges.Config{Name: "free"}}, priced("b"), priced("c")})
	tokens := func(prompt, cached, completion int) llm.Usage {
		return llm.Usage{Prompt: &prompt, Cached: &cached, Completion: &completion}
	}
	plain := tokens(1000, 0, 100)
	plain.Cached = nil
	for _, r := range []judges.Result{
		{Judge: "a", Requests: 1, Usage: plain}, {Judge: "a", Requests: 2, Usage: tokens(500, 600, 50)},
		{Judge: "a", Requests: 1, Usage: tokens(500, 100, 0)}, {Judge: "a", Usage: tokens(7, 7, 7)},
		{Judge: "a", Requests: 1, Usage: llm.Usage{Prompt: new(9)}},
		{Judge: "b", Requests: 1, Usage: llm.Usage{Completion: new(9)}}, {Judge: "free", Requests: 1, Usage: plain},
	} {
		costs.add(&r)
	}
	want := []report.Cost{{Judge: "a", PromptTokens: 2000, CachedTokens: 600, CompletionTokens: 150, Uncounted: 1,
		Cost: new((1400*2 + 600*1 + 150*10) / 1e6)}, {Judge: "b", Uncounted: 1}}
	if diff := cmp.Diff(want, costs.report()); diff != "" {
		t.Error(diff)
	}
}

// TestCountsOfARun: judgements are counted as wanted and scored, with their requests, repairs and tokens; what panels and
// cascades compute is not, nor what the baseline has no rule for, unless it is asked nothing else.
func TestCountsOfARun(t *testing.T) {
	own := &rubrics.Rubric{Name: "own"}
	for name, tt := range map[string]struct {
		rubrics []*rubrics.Rubric
		want    directory.Judgements
		counts  report.Counts
	}{
		"asked": {[]*rubrics.Rubric{own, {Name: rubrics.Overall}}, directory.Judgements{Wanted: 3, Scored: 2},
			report.Counts{Requests: 6, Repaired: 1, PromptTokens: 100, CompletionTokens: 10, ReasoningTokens: 3}},
		"not asked": {[]*rubrics.Rubric{own}, directory.Judgements{Wanted: 4, Scored: 2, NoRule: 1},
			report.Counts{Requests: 10, Repaired: 1, PromptTokens: 100, CompletionTokens: 10, ReasoningTokens: 3}},
	} {
		in := &Instruments{manifest: &directory.Manifest{}}
		in.Judges = []instrument.Judge{{Config: judges.Config{Model: judges.BaselineModel}, Baseline: true}}
		in.Rubrics = tt.rubrics
		k := &sinks{in: in, out: &Outcome{}}
		for _, r := range []judges.Result{
			{Verdict: judges.NoVerdict, Requests: 1},
			{Verdict: "pass", Requests: 2, Repairs: 1, Fingerprint: "f", Judge: "j", Transport: llm.Tools,
				Usage: llm.Usage{Prompt: new(60), Completion: new(10)}},
			{Verdict: "fail", Requests: 3, Usage: llm.Usage{Prompt: new(40), Reasoning: new(3)}},
			{Verdict: "pass", Requests: 9, Panel: &judges.PanelDetail{}}, {Verdict: "pass", Requests: 9, Climb: &judges.ClimbDetail{}},
			{Verdict: judges.NoVerdict, ErrorKind: judges.KindNoRule, Requests: 4},
		} {
			k.count(&r)
		}
		if diff := cmp.Diff(tt.want, k.out.Judgements); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(tt.counts, in.manifest.Counts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		answers := []directory.TransportCount{{Judge: "j", Transport: llm.Tools, Answers: 1}}
		if diff := cmp.Diff(answers, in.manifest.Transports); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
