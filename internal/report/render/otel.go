package render

import (
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// schemaURL names the version of the conventions.
const schemaURL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

// maxRecords limits the records of one line, so that collectors accept the export at once.
const maxRecords = 512

// OTelConfig holds the settings of OTel. The zero value writes everything that the convention
// defines.
type OTelConfig struct {
	// Run is the manifest of the judged run.
	Run report.Manifest
	// Time is when the verdicts were made.
	Time time.Time
	// Span returns the span of a call, or of a conversation for -1; nil if no spans are known.
	Span func(conversation string, call int) transcript.SpanRef
	// NoExplanations leaves out the judges' explanations, which may quote users.
	NoExplanations bool
	// Experimental adds attributes about the judge that are only proposed so far.
	Experimental bool
}

// attributes holds the attributes of a record in the form of OTLP/JSON.
type attributes []value.Value

func (a *attributes) add(key, kind string, v value.Value) {
	*a = append(*a, value.Pairs("key", key, "value", value.Pairs(kind, v)))
}

// text adds an attribute, unless it is empty.
func (a *attributes) text(key, s string) {
	if s != "" {
		a.add(key, "stringValue", value.OfString(s))
	}
}

func (a *attributes) number(key string, f float64) { a.add(key, "doubleValue", value.OfFloat(f)) }

// OTel writes the verdicts among the scores as OpenTelemetry log records, to be imported beside the
// judged traces: one gen_ai.evaluation.result event for each score, in exports of OTLP/JSON, one
// export per line. Labels of the log are not written as verdicts. A record has the ids of the
// judged span if the log has them, and otherwise none: no id is made up.
func OTel(w io.Writer, scores iter.Seq2[score.Score, error], cfg OTelConfig) error {
	var records []value.Value
	flush := func() error {
		if len(records) == 0 {
			return nil
		}
		_, err := io.WriteString(w, cfg.export(records).JSON()+"\n")
		records = nil
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

// isVerdict returns false for labels, which are not ours, for a scorer's further numbers, and for
// scores without a result.
func isVerdict(s *score.Score) bool {
	return s.Source != score.Label && s.Metric == "" && s.Purpose == "" && s.Status != score.NotApplicable
}

// export returns an export of the records.
func (c *OTelConfig) export(records []value.Value) value.Value {
	var service attributes
	service.text("service.name", "judge")
	scope := value.Pairs("scope", value.Pairs("name", "judge", "version", c.Run.Version), "logRecords", records,
		"schemaUrl", schemaURL)
	return value.Pairs("resourceLogs", []value.Value{value.Pairs(
		"resource", value.Pairs("attributes", []value.Value(service)), "scopeLogs", []value.Value{scope})})
}

// record returns the event for one score.
func (c *OTelConfig) record(s *score.Score) value.Value {
	const info = 9 // the severity
	var o value.Fields
	if !c.Time.IsZero() {
		o.Text("timeUnixNano", strconv.FormatInt(c.Time.UnixNano(), 10))
	}
	o.Set("severityNumber", value.OfInt(info))
	call := report.CaseRef{CallIndex: s.CallIndex}.Call()
	var at transcript.SpanRef
	if c.Span != nil {
		at = c.Span(s.ConversationID, call)
	}
	o.Set("attributes", value.OfList(c.attributes(s, call, at)...))
	o.Text("traceId", ofBytes(at.Trace, 16))
	o.Text("spanId", ofBytes(at.Span, 8))
	o.Text("eventName", "gen_ai.evaluation.result")
	return o.Object()
}

// ofBytes returns an id of n bytes in hex; "" for an id that OpenTelemetry does not have.
func ofBytes(id string, n int) string {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != n {
		return ""
	}
	return hex.EncodeToString(b)
}

// attributes returns a score as the attributes of a log record.
func (c *OTelConfig) attributes(s *score.Score, call int, at transcript.SpanRef) attributes {
	var a attributes
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
	c.evaluator(&a, s)
	c.scale(&a, s)
	a.text("gen_ai.conversation.id", at.Conversation)
	a.text("judge.conversation.id", s.ConversationID)
	if call >= 0 {
		a.add("judge.call.index", "intValue", value.OfString(strconv.Itoa(call)))
		a.text("gen_ai.tool.call.id", s.CallID)
		a.text("gen_ai.tool.name", s.Tool)
	}
	if len(c.Run.Inputs) > 0 {
		a.text("test.suite.name", c.Run.Inputs[0].Path)
	}
	a.text("test.case.name", s.ConversationID)
	a.text("judge.run.id", c.Run.RunID)
	return a
}

// label returns the word for a score's result: pass or fail, or the rubric's own word.
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

// errorTypes maps kinds of failures to the convention's words.
var errorTypes = map[string]string{
	"timeout": "timeout", "refused": "refusal", "rate_limited": "http_429", "invalid_reply": "schema_invalid",
	"schema_invalid": "schema_invalid", "invalid_answer": "schema_invalid", "no_json": "schema_invalid",
}

// failure adds why there is no score.
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

// evaluator adds who judged. The baseline uses rules and is not a model.
func (c *OTelConfig) evaluator(a *attributes, s *score.Score) {
	id, version, kind, own := s.Name, c.Run.Version, "deterministic", "deterministic"
	if s.Source == score.Judge {
		judge := c.Run.Judge(s.Judge)
		id, version = s.Judge, judge.Prompt
		if !judge.Baseline {
			kind, own = "llm_judge", "llm"
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

// scale adds the ends of the rubric's scale if they are known.
func (c *OTelConfig) scale(a *attributes, s *score.Score) {
	if r, _ := c.Run.Rubric(s.Name); s.Source == score.Judge && r.Max > r.Min {
		a.number("judge.score.min", r.Min)
		a.number("judge.score.max", r.Max)
	}
}
