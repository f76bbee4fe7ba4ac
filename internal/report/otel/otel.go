// Package otel writes the verdicts of a run as OpenTelemetry log records: one
// gen_ai.evaluation.result event for each score, in OTLP/JSON, so that they can be imported
// beside the traces that were judged.
//
// It promises that no id is made up: a record has the ids of the span that was judged where
// the log has them, and else none; that labels of the log are not written as verdicts; and
// that the same run gives the same bytes.
package otel

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// schemaURL is the version of the conventions that is written.
const schemaURL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

// maxRecords is how many records one line holds: an export that collectors take at once.
const maxRecords = 512

// Config says what is written. The zero value writes everything that the convention has.
type Config struct {
	// Run is what the verdicts are of.
	Run report.Manifest
	// Time is when the verdicts were made.
	Time time.Time
	// Span finds the span of a call, or of a conversation for -1; nil where none is known.
	Span func(conversation string, call int) transcript.SpanRef
	// NoExplanations leaves out the reasons of judges, which may quote users.
	NoExplanations bool
	// Experimental adds the attributes of who judged that are only proposed.
	Experimental bool
}

// The OTLP/JSON of logs, as far as it is written.
type (
	export struct {
		ResourceLogs []resourceLogs `json:"resourceLogs"`
	}
	resourceLogs struct {
		Resource  resource    `json:"resource"`
		ScopeLogs []scopeLogs `json:"scopeLogs"`
	}
	resource struct {
		Attributes attributes `json:"attributes"`
	}
	scopeLogs struct {
		SchemaURL string   `json:"schemaUrl"`
		Scope     scope    `json:"scope"`
		Records   []record `json:"logRecords"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	record struct {
		Time       string     `json:"timeUnixNano"`
		Severity   int        `json:"severityNumber"`
		EventName  string     `json:"eventName"`
		TraceID    string     `json:"traceId,omitempty"`
		SpanID     string     `json:"spanId,omitempty"`
		Attributes attributes `json:"attributes"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	attributes []attribute
)

func (a *attributes) text(key, s string) {
	if s != "" {
		*a = append(*a, attribute{key, map[string]string{"stringValue": s}})
	}
}

func (a *attributes) number(key string, f float64) {
	*a = append(*a, attribute{key, map[string]float64{"doubleValue": f}})
}

func (a *attributes) integer(key string, n int) {
	*a = append(*a, attribute{key, map[string]string{"intValue": strconv.Itoa(n)}})
}

// Write writes the verdicts among the scores, as many exports as needed, one a line.
func Write(w io.Writer, scores iter.Seq2[score.Score, error], cfg Config) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var records []record
	flush := func() error {
		if len(records) == 0 {
			return nil
		}
		err := enc.Encode(cfg.export(records))
		records = records[:0]
		return err
	}
	for s, err := range scores {
		if err != nil {
			return fmt.Errorf("write verdicts: %w", err)
		}
		if !isVerdict(&s) {
			continue
		}
		if records = append(records, cfg.record(&s)); len(records) == maxRecords {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// isVerdict leaves out labels, which are not ours, further numbers of a scorer, and scores
// that have nothing to say.
func isVerdict(s *score.Score) bool {
	return s.Source != score.Label && s.Metric == "" && s.Purpose == "" && s.Status != score.NotApplicable
}

func (c *Config) export(records []record) export {
	var service attributes
	service.text("service.name", "judge")
	return export{[]resourceLogs{{
		Resource:  resource{service},
		ScopeLogs: []scopeLogs{{schemaURL, scope{"judge", c.Run.Version}, records}},
	}}}
}

// record is the event of one score.
func (c *Config) record(s *score.Score) record {
	r := record{Time: "0", Severity: 9, EventName: "gen_ai.evaluation.result"} // 0 is unknown
	if !c.Time.IsZero() {
		r.Time = strconv.FormatInt(c.Time.UnixNano(), 10)
	}
	call := -1
	if s.CallIndex != nil {
		call = *s.CallIndex
	}
	var at transcript.SpanRef
	if c.Span != nil {
		at = c.Span(s.ConversationID, call)
	}
	r.TraceID, r.SpanID = at.Trace, at.Span
	a := &r.Attributes
	a.text("gen_ai.evaluation.name", s.Name)
	if s.Value != nil {
		a.number("gen_ai.evaluation.score.value", *s.Value)
	}
	a.text("gen_ai.evaluation.score.label", label(s))
	if !c.NoExplanations {
		a.text("gen_ai.evaluation.explanation", s.Explanation)
	}
	a.text("gen_ai.response.id", at.Response)
	if s.Status != score.Scored {
		a.failure(s)
	}
	c.evaluator(a, s)
	c.scale(a, s)
	a.text("gen_ai.conversation.id", at.Conversation)
	a.text("judge.conversation.id", s.ConversationID)
	if call >= 0 {
		a.integer("judge.call.index", call)
		a.text("gen_ai.tool.call.id", s.CallID)
		a.text("gen_ai.tool.name", s.Tool)
	}
	if len(c.Run.Inputs) > 0 {
		a.text("test.suite.name", c.Run.Inputs[0].Path)
	}
	a.text("test.case.name", s.ConversationID)
	a.text("judge.run.id", c.Run.RunID)
	return r
}

// label is the word for a score: of the pass band, or the rubric's own.
func label(s *score.Score) string {
	switch {
	case s.Status != score.Scored:
		return "error"
	case s.Passed == nil:
		return s.Label
	case *s.Passed:
		return "pass"
	}
	return "fail"
}

// errorTypes are the words of the convention for kinds of failures.
var errorTypes = map[string]string{
	"timeout": "timeout", "refused": "refusal", "rate_limited": "http_429", "invalid_reply": "schema_invalid",
	"schema_invalid": "schema_invalid", "invalid_answer": "schema_invalid", "no_json": "schema_invalid",
}

// failure says why there is no score.
func (a *attributes) failure(s *score.Score) {
	kind := ""
	if s.Error != nil {
		kind = s.Error.Kind
	}
	word, known := errorTypes[kind]
	if !known {
		word = "_OTHER"
	}
	a.text("error.type", word)
	a.text("judge.error.kind", kind)
}

// evaluator says who judged. The baseline is rules, not a model.
func (c *Config) evaluator(a *attributes, s *score.Score) {
	id, version, kind, own := s.Name, c.Run.Version, "deterministic", "deterministic"
	if s.Source == score.Judge {
		id, version, kind, own = s.Judge, "", "llm_judge", "llm"
		i := slices.IndexFunc(c.Run.Judges, func(j report.Judge) bool { return j.Name == s.Judge })
		if i >= 0 {
			version = c.Run.Judges[i].Prompt
			if c.Run.Judges[i].Baseline {
				kind, own = "deterministic", "deterministic"
			}
		}
	}
	if c.Experimental {
		a.text("gen_ai.evaluation.evaluator.id", id)
		a.text("gen_ai.evaluation.evaluator.version", version)
		a.text("gen_ai.evaluation.evaluator.type", kind)
	}
	a.text("judge.evaluator.id", id)
	a.text("judge.evaluator.type", own)
}

// scale says between which numbers the score is, where that is known.
func (c *Config) scale(a *attributes, s *score.Score) {
	for i := range c.Run.Rubrics {
		if r := &c.Run.Rubrics[i]; s.Source == score.Judge && r.Name == s.Name && r.Max > r.Min {
			a.number("judge.score.min", r.Min)
			a.number("judge.score.max", r.Max)
		}
	}
}
