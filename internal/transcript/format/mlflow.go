package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var mlflowTrace = format{
	name: "mlflow-trace",
	mark: "info and data with spans",
	detect: of(func(f value.Value) bool {
		return f.Has("info") && f.Field("data").Field("spans").IsList()
	}),
	read:  (*draft).readSpans,
	parts: mlflowParts,
}

// mlflowParts splits a trace of MLflow (2.x and 3.x, Trace.to_dict) into spans: {info, data:
// {spans}} with attributes whose values are JSON in texts. Assessments become labels.
func mlflowParts(v value.Value, add func(part)) {
	info := v.Field("info")
	trace := cmp.Or(info.FirstText("trace_id", "request_id"), transcript.Digest([]byte(v.Raw())))
	for _, s := range v.Field("data").Field("spans").Elements() {
		mlflowSpan(s, trace).add(add)
	}
	scores := eachOf(info.Field("assessments"), func(a value.Value) value.Value {
		score, _ := found(a, "feedback.value", "expectation.value")
		return value.Pairs("name", value.OfString(a.FirstText("assessment_name", "name"))).With("score", score)
	})
	(&spanRecord{trace: trace, attrs: value.Pairs(scoresKey, scores).With(infoKey, info)}).add(add)
}

var mlflowOperations = map[string]string{"TOOL": "execute_tool", "CHAT_MODEL": "chat", "LLM": "chat"}

func mlflowSpan(v value.Value, trace string) *spanRecord {
	s := &spanRecord{trace: trace, name: v.Field("name").Text(), parent: v.FirstText("parent_id", "parent_span_id"),
		id:    cmp.Or(v.FirstText("span_id"), v.Field("context").Field("span_id").Text()),
		start: v.FirstText("start_time_unix_nano", "start_time")}
	switch cmp.Or(v.Field("status").Field("code").Text(), v.Field("status_code").Text()) {
	case "STATUS_CODE_ERROR", "ERROR":
		s.failure = cmp.Or(v.FirstText("status_message"), "error")
	}
	in := v.Field("attributes")
	kind := strings.Trim(in.Field("mlflow.spanType").Text(), `"`)
	s.attrs = observed(cmp.Or(mlflowOperations[kind], strings.ToLower(kind)), "", in.Field("mlflow.spanInputs").Decoded(),
		in.Field("mlflow.spanOutputs").Decoded(), in.Field("mlflow.chat.tools").Decoded())
	return s
}
