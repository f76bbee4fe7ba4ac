package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

func stream(list ...score.Score) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

// written returns the attributes of each record as a reader of OpenTelemetry's own sees them.
func written(t *testing.T, cfg OTelConfig, list ...score.Score) (records []map[string]any, ids []string) {
	t.Helper()
	var out bytes.Buffer
	if err := OTel(&out, stream(list...), cfg); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range logs.ResourceLogs().All() {
			for _, s := range r.ScopeLogs().All() {
				for _, l := range s.LogRecords().All() {
					if l.EventName() != "gen_ai.evaluation.result" || s.Scope().Name() != "judge" || !strings.Contains(s.SchemaUrl(), "gen-ai-dev") {
						t.Errorf("%s in %s", l.EventName(), s.Scope().Name())
					}
					records = append(records, l.Attributes().AsRaw())
					ids = append(ids, l.TraceID().String()+"/"+l.SpanID().String())
				}
			}
		}
	}
	return records, ids
}

func TestVerdictsAreEvents(t *testing.T) {
	cfg := OTelConfig{
		Run: report.Manifest{RunID: "run1", Version: "1.2", Judges: []report.Judge{{Name: "m", Prompt: "p1"}, {Name: "rules", Baseline: true}},
			Rubrics: []report.Rubric{{Name: "intent", Min: 1, Max: 5}}, Inputs: []report.Input{{Path: "a.jsonl"}}},
		Time: time.Unix(1795200000, 5), Experimental: true,
		Span: func(conversation string, call int) transcript.SpanRef {
			if conversation != "c" || call != 1 {
				return transcript.SpanRef{}
			}
			return transcript.SpanRef{Trace: "0af7651916cd43dd8448eb211c80319c", Span: "b7ad6b7169203331", Response: "r", Conversation: "conv"}
		},
	}
	judged := score.Score{ConversationID: "c", CallIndex: ptr(1), CallID: "k", Tool: "f", Name: "intent", Source: score.Judge, Judge: "m",
		Status: score.Scored, Value: ptr(2.5), Passed: ptr(false), Explanation: "Because."}
	unscored := score.Score{ConversationID: "d", Name: "intent", Source: score.Judge, Judge: "rules", Status: score.Unscored, Error: &score.Failure{Kind: "rate_limited"}}
	scorer := score.Score{ConversationID: "d", Name: "coverage", Source: score.Deterministic, Status: score.Scored, Value: ptr(1.0), Passed: ptr(true)}
	left := []score.Score{
		{ConversationID: "c", Name: "human", Source: score.Label, Status: score.Scored, Value: ptr(1.0)},
		{ConversationID: "c", Name: "x", Source: score.Deterministic, Status: score.NotApplicable},
		{ConversationID: "c", Name: "x", Metric: "more", Source: score.Deterministic, Status: score.Scored, Value: ptr(1.0)},
		{ConversationID: "c", Name: "x", Purpose: "qa", Source: score.Judge, Status: score.Scored, Value: ptr(1.0)},
	}
	records, ids := written(t, cfg, append(left, judged, unscored, scorer)...)
	if got := fmt.Sprint(ids); got != "[0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331 / /]" {
		t.Fatal(got)
	}
	for i, want := range []string{
		`{"gen_ai.conversation.id":"conv","gen_ai.evaluation.evaluator.id":"m","gen_ai.evaluation.evaluator.type":"llm_judge","gen_ai.evaluation.evaluator.version":"p1","gen_ai.evaluation.explanation":"Because.","gen_ai.evaluation.name":"intent","gen_ai.evaluation.score.label":"fail","gen_ai.evaluation.score.value":2.5,"gen_ai.response.id":"r","gen_ai.tool.call.id":"k","gen_ai.tool.name":"f","judge.call.index":1,"judge.conversation.id":"c","judge.evaluator.id":"m","judge.evaluator.type":"llm","judge.run.id":"run1","judge.score.max":5,"judge.score.min":1,"test.case.name":"c","test.suite.name":"a.jsonl"}`,
		`{"error.type":"http_429","gen_ai.evaluation.evaluator.id":"rules","gen_ai.evaluation.evaluator.type":"deterministic","gen_ai.evaluation.name":"intent","gen_ai.evaluation.score.label":"error","judge.conversation.id":"d","judge.error.kind":"rate_limited","judge.evaluator.id":"rules","judge.evaluator.type":"deterministic","judge.run.id":"run1","judge.score.max":5,"judge.score.min":1,"test.case.name":"d","test.suite.name":"a.jsonl"}`,
		`{"gen_ai.evaluation.evaluator.id":"coverage","gen_ai.evaluation.evaluator.type":"deterministic","gen_ai.evaluation.evaluator.version":"1.2","gen_ai.evaluation.name":"coverage","gen_ai.evaluation.score.label":"pass","gen_ai.evaluation.score.value":1,"judge.conversation.id":"d","judge.evaluator.id":"coverage","judge.evaluator.type":"deterministic","judge.run.id":"run1","test.case.name":"d","test.suite.name":"a.jsonl"}`,
	} {
		if got, _ := json.Marshal(records[i]); string(got) != want {
			t.Errorf("record %d:\n got %s\nwant %s", i, got, want)
		}
	}
	cfg.NoExplanations, cfg.Experimental = true, false
	records, _ = written(t, cfg, judged)
	for key := range records[0] {
		if strings.Contains(key, "explanation") || strings.Contains(key, "evaluation.evaluator") {
			t.Errorf("%s is written", key)
		}
	}
}

// TestForeignIDs: ids that OpenTelemetry does not have are left out, and the rest can be read.
func TestForeignIDs(t *testing.T) {
	scored := score.Score{ConversationID: "c", Name: "x", Source: score.Deterministic, Status: score.Scored, Value: ptr(1.0)}
	for _, id := range []string{"run-17", "0af7", "0af7651916cd43dd8448eb211c80319c00", "0af7651916cd43dd8448eb211c80319c0", "0af7651916cd43dd0"} {
		cfg := OTelConfig{Span: func(string, int) transcript.SpanRef { return transcript.SpanRef{Trace: id, Span: id} }}
		if records, ids := written(t, cfg, scored); len(records) != 1 || ids[0] != "/" {
			t.Errorf("%s: %d records of %q", id, len(records), ids)
		}
	}
}

func TestManyVerdictsAreSeveralExports(t *testing.T) {
	list := make([]score.Score, 2*maxRecords+1)
	for i := range list {
		list[i] = score.Score{ConversationID: "c", Name: "x", Source: score.Deterministic, Status: score.Scored, Value: ptr(0.0)}
	}
	var out bytes.Buffer
	if err := OTel(&out, stream(list...), OTelConfig{Time: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 {
		t.Errorf("%d lines", n)
	}
	if records, _ := written(t, OTelConfig{}, list...); len(records) != len(list) {
		t.Errorf("%d records", len(records))
	}
}
