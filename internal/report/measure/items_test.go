package measure

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

func TestCell(t *testing.T) {
	value, sure, wrong := 4.0, 0.12345, 1.5
	if c := newCell(nil, nil, isError); c.has(isScored) || !c.has(isMet) || !math.IsNaN(c.verdict()) || !math.IsNaN(c.number()) {
		t.Errorf("a failed score: %+v", c)
	}
	if c := newCell(&value, &sure, isDecided|isPassed); c.verdict() != 1 || c.number() != 4 || !(math.Abs(c.confidence()-sure) <= 1e-4) {
		t.Errorf("a pass: %+v with confidence %v", c, c.confidence())
	}
	if c := newCell(&value, &wrong, 0); !math.IsNaN(c.confidence()) {
		t.Errorf("a confidence outside its range is %v", c.confidence())
	}
	if c := (cell{}); c.has(isMet) || !math.IsNaN(c.confidence()) {
		t.Errorf("nothing said: %+v", c)
	}
}

func TestConversationTools(t *testing.T) {
	s := newItems()
	s.mention(s.add("b", -1, "", "", runA).conversation, s.tools.number("pay"))
	s.add("b", 0, "find", "", runA)
	s.add("b", 1, "find", "", runA)
	s.add("a", 0, "zap", "", runA)
	s.add("a", 0, "", "", runA)    // an instrument that does not say which tool
	s.add("a", 0, "cut", "", runA) // the same call under two names: both count
	s.add("a", 0, "zap", "", runA)
	c := s.add("c", -1, "", "", runA).conversation
	s.mention(c, s.tools.number("pay"))
	s.mention(c, s.tools.number("pay"))
	s.add("d", -1, "", "", runA)
	s.renumber()
	got := map[string][]string{}
	for i := range uint32(len(s.conversations.list)) {
		names := []string{}
		s.eachTool(s.whole(i), func(tool uint32) { names = append(names, s.tools.list[tool]) })
		got[s.conversations.list[i]] = names
	}
	want := map[string][]string{"a": {"cut", "zap"}, "b": {"find", "pay"}, "c": {"pay"}, "d": {}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if calls := s.callsOf(1); len(calls) != 2 || calls[1].call != 1 {
		t.Errorf("the calls of b are %+v", calls)
	}
}

// fill adds so many scores of calls to a table, several of each call, as a run gives them.
func fill(t *table, scores, ofCall, calls int) {
	value := 0.5
	s := score.Score{Tool: "tool", Source: score.Deterministic, Status: score.Scored, Value: &value}
	for i := range scores {
		call := i / ofCall
		s.ConversationID = fmt.Sprintf("conversation-%07d", call/calls)
		s.CallIndex, s.Name = new(call%calls), fmt.Sprint("scorer", i%ofCall)
		t.add(&s)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A score takes at most 100 bytes, with only two scores a call and a call a
// conversation too.
func TestMemoryOfAScore(t *testing.T) {
	const scores = 40_000
	before := heap()
	table := newTable(&report.Manifest{}, newItems(), runA, nil)
	fill(table, scores, 2, 1)
	if each := float64(heap()-before) / scores; each > 100 {
		t.Errorf("%.0f bytes a score", each)
	}
	arrangeTables(table)
	if table.counts.Scores != scores {
		t.Errorf("%d scores", table.counts.Scores)
	}
}

// BenchmarkTable takes a million scores: of ten instruments and five calls a conversation, and of two
// instruments and one call. It reports what a score takes in memory.
func BenchmarkTable(b *testing.B) {
	for _, shape := range []struct{ ofCall, calls int }{{10, 5}, {2, 1}} {
		b.Run(fmt.Sprintf("%d-scores-%d-calls", shape.ofCall, shape.calls), func(b *testing.B) {
			const scores = 1_000_000
			filled, settled := 0.0, 0.0
			for b.Loop() {
				before := heap()
				t := newTable(&report.Manifest{}, newItems(), runA, nil)
				fill(t, scores, shape.ofCall, shape.calls)
				filled = float64(heap()-before) / scores
				arrangeTables(t)
				settled = float64(heap()-before) / scores
				runtime.KeepAlive(t)
			}
			b.ReportMetric(filled, "B/score")
			b.ReportMetric(settled, "B/score-settled")
		})
	}
}

// TestWhereOf: what went wrong is named with its conversation, call or turn, and its judge.
func TestWhereOf(t *testing.T) {
	for want, s := range map[string]score.Score{
		"c":                 {ConversationID: "c", Name: "r"},
		"c call 0":          {ConversationID: "c", CallIndex: new(0)},
		"c turn 2, r by j":  {ConversationID: "c", Turn: 2, Name: "r", Judge: "j"},
		"c call 3, r by j2": {ConversationID: "c", CallIndex: new(3), Name: "r", Judge: "j2"},
	} {
		if got := whereOf(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
