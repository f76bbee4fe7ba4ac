package render

import (
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
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

// attributes holds the attributes of a record.
type attributes struct{ pcommon.Map }

// text sets an attribute, unless it is empty.
func (a attributes) text(key, s string) {
	if s != "" {
		a.PutStr(key, s)
	}
}

// OTel writes the verdicts among the scores as OpenTelemetry log records, to be imported beside the
// traces that were judged: one gen_ai.evaluation.result event for each score, in exports of OTLP/JSON,
// one export a line. Labels of the log are not written as verdicts. A record has the ids of the span
// that was judged if the log has them, and else none: no id is made up.
func OTel(w io.Writer, scores iter.Seq2[score.Score, error], cfg OTelConfig) error {
	logs, records := cfg.export()
	flush := func() error {
		if records.Len() == 0 {
			return nil
		}
		line, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		logs, records = cfg.export()
		return err
	}
	for s, err := range scores {
		if err != nil {
			return fmt.Errorf("write verdicts: %w", err)
		}
		if !isVerdict(&s) {
			continue
		}
		if cfg.record(records.AppendEmpty(), &s); records.Len() == maxRecords {
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

// export returns an export without records, and where these go.
func (c *OTelConfig) export() (plog.Logs, plog.LogRecordSlice) {
	logs := plog.NewLogs()
	of := logs.ResourceLogs().AppendEmpty()
	of.Resource().Attributes().PutStr("service.name", "judge")
	in := of.ScopeLogs().AppendEmpty()
	in.SetSchemaUrl(schemaURL)
	in.Scope().SetName("judge")
	in.Scope().SetVersion(c.Run.Version)
	return logs, in.LogRecords()
}

// record is the event of one score.
func (c *OTelConfig) record(r plog.LogRecord, s *score.Score) {
	r.SetSeverityNumber(plog.SeverityNumberInfo)
	r.SetEventName("gen_ai.evaluation.result")
	if !c.Time.IsZero() {
		r.SetTimestamp(pcommon.NewTimestampFromTime(c.Time))
	}
	call := report.CaseRef{CallIndex: s.CallIndex}.Call()
	var at transcript.SpanRef
	if c.Span != nil {
		at = c.Span(s.ConversationID, call)
	}
	setIDs(r, at)
	a := attributes{r.Attributes()}
	a.text("gen_ai.evaluation.name", s.Name)
	if s.Value != nil {
		a.PutDouble("gen_ai.evaluation.score.value", *s.Value)
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
		a.PutInt("judge.call.index", int64(call))
		a.text("gen_ai.tool.call.id", s.CallID)
		a.text("gen_ai.tool.name", s.Tool)
	}
	if len(c.Run.Inputs) > 0 {
		a.text("test.suite.name", c.Run.Inputs[0].Path)
	}
	a.text("test.case.name", s.ConversationID)
	a.text("judge.run.id", c.Run.RunID)
}

// setIDs sets those of a span that the format can carry; logs may hold others.
func setIDs(r plog.LogRecord, at transcript.SpanRef) {
	var trace pcommon.TraceID
	if id, err := hex.DecodeString(at.Trace); err == nil && len(id) == len(trace) {
		r.SetTraceID(pcommon.TraceID(id))
	}
	var span pcommon.SpanID
	if id, err := hex.DecodeString(at.Span); err == nil && len(id) == len(span) {
		r.SetSpanID(pcommon.SpanID(id))
	}
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
func (a attributes) failure(s *score.Score) {
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
func (c *OTelConfig) evaluator(a attributes, s *score.Score) {
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
func (c *OTelConfig) scale(a attributes, s *score.Score) {
	if r, _ := c.Run.Rubric(s.Name); s.Source == score.Judge && r.Max > r.Min {
		a.PutDouble("judge.score.min", r.Min)
		a.PutDouble("judge.score.max", r.Max)
	}
}
