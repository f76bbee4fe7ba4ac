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

// schemaURL is the version of the conventions that is written.
const schemaURL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

// maxRecords caps the records of one line: an export that collectors take at once.
const maxRecords = 512

// OTelConfig says what OTel writes. The zero value writes everything that the convention has.
type OTelConfig struct {
	// Run is the manifest of the judged run.
	Run report.Manifest
	// Time says when the verdicts were made.
	Time time.Time
	// Span finds the span of a call, or of a conversation for -1; nil if none is known.
	Span func(conversation string, call int) transcript.SpanRef
	// NoExplanations leaves out the reasons of judges, which may quote users.
	NoExplanations bool
	// Experimental adds the attributes of who judged that are only proposed.
	Experimental bool
}

// attributes holds the attributes of a record as OTLP/JSON has them.
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
// traces that were judged: one gen_ai.evaluation.result event for each score, in exports of OTLP/JSON,
// one export a line. Labels of the log are not written as verdicts. A record has the ids of the span
// that was judged if the log has them, and else none: no id is made up.
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

// isVerdict leaves out labels, which are not ours, further numbers of a scorer, and scores
// that have nothing to say.
func isVerdict(s *score.Score) bool {
	return s.Source != score.Label && s.Metric == "" && s.Purpose == "" && s.Status != score.NotApplicable
}

// export returns the export of the records.
func (c *OTelConfig) export(records []value.Value) value.Value {
	var service attributes
	service.text("service.name", "judge")
	scope := value.Pairs("scope", value.Pairs("name", "judge", "version", c.Run.Version), "logRecords", records,
		"schemaUrl", schemaURL)
	return value.Pairs("resourceLogs", []value.Value{value.Pairs(
		"resource", value.Pairs("attributes", []value.Value(service)), "scopeLogs", []value.Value{scope})})
}

// record returns the event of one score.
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

// ofBytes returns an id of so many bytes in hex, "" for ids that OpenTelemetry does not have.
func ofBytes(id string, n int) string {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != n {
		return ""
	}
	return hex.EncodeToString(b)
}

// attributes returns what is said of a score.
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

// label returns the word for a score: of the pass band, or the rubric's own.
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
