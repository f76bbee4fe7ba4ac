// Langfuse observations and traces.
//
// Written by: Langfuse's blob export (rows of observations_v2, traces, observations and
// scores, in snake case) and its pages (trace-ID.json, session-ID.json, in camel case).
// Read: the field reference of November 2026. The observations of a trace are one
// conversation, or those of all traces of a session.
// Lost: observations that are not model or tool call, which are counted; usage and cost.

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var langfuseObservation = format{
	name:   "langfuse-observation",
	mark:   "trace_id, type and parent_observation_id",
	detect: of(isLangfuse),
	read:   (*draft).readSpans,
	parts:  observationParts,
}

func isLangfuse(f value.Value) bool {
	_, traces := f.Get("traces")
	return f.HasAll("trace_id", "type", "parent_observation_id") || langfuse(f) ||
		langfuse(f.Field("observations").Head()) ||
		traces && langfuse(f.Field("traces").Head().Field("observations").Head())
}

// langfuse reports whether v is an observation as the pages of Langfuse write it.
func langfuse(v value.Value) bool {
	t := v.Field("type").Text()
	return v.Has("traceId") && t != "" && t == strings.ToUpper(t)
}

// observationParts cuts a record into observations and scores, each in the form of a span.
func observationParts(v value.Value, add func(part)) { observationsOf(v, "", add) }

func observationsOf(v value.Value, session string, add func(part)) {
	for _, t := range v.Field("traces").Elements() {
		observationsOf(t, v.Field("id").Text(), add)
	}
	if s, ok := v.First("sessionId", "session_id"); ok && session == "" {
		session = s.Text()
	}
	trace := v.Field("id")
	lists := false
	for _, list := range []string{"observations", "scores"} {
		for _, o := range v.Field(list).Elements() {
			lists = true
			if _, ok := o.First("traceId", "trace_id"); !ok {
				o = o.With("traceId", trace)
			}
			observationsOf(o, session, add)
		}
	}
	switch {
	case v.Has("traces"):
	case v.HasAny("dataType", "data_type"):
		langfuseScore(v, session).add(add)
	case v.Has("type"):
		langfuseSpan(v, session).add(add)
	case lists || v.HasAny("input", "output"): // the trace itself
		v = v.With("traceId", trace).With("type", value.OfString("AGENT"))
		langfuseSpan(v, session).add(add)
	}
}

var observationOperations = map[string]string{
	"GENERATION": "chat", "TOOL": "execute_tool", "AGENT": "agent", "CHAIN": "chain", "SPAN": "agent",
}

// langfuseSpan brings an observation into the form of a span.
func langfuseSpan(v value.Value, session string) *spanRecord {
	s := langfuseRecord(v)
	s.id, s.name = v.Field("id").Text(), v.Field("name").Text()
	if v.Field("level").Text() == "ERROR" {
		s.failure = cmp.Or(v.FirstText("status_message", "statusMessage"), "error")
	}
	kind := v.Field("type").Text()
	output := v.Field("output").Decoded()
	if kind != "TOOL" {
		output = observationReply(v, output)
	}
	tools, _ := v.First("tool_definitions", "toolDefinitions")
	s.attrs = observed(cmp.Or(observationOperations[kind], strings.ToLower(kind)), session, v.Field("input").Decoded(),
		output, tools.Decoded())
	return s
}

// langfuseRecord returns what observations and scores have in common.
func langfuseRecord(v value.Value) *spanRecord {
	return &spanRecord{trace: v.FirstText("trace_id", "traceId"), parent: v.FirstText("parent_observation_id",
		"parentObservationId"), start: v.FirstText("start_time", "startTime", "timestamp")}
}

// observationReply is the output of a generation, with the calls that only its column holds.
func observationReply(v, output value.Value) value.Value {
	column, _ := v.First("tool_calls", "toolCalls")
	column = column.Decoded()
	if column.Len() == 0 || callMark(output) != "" {
		return output
	}
	if output.Kind() != value.Object {
		m := value.Pairs("role", value.OfString("assistant"))
		if !output.IsNull() {
			m = m.With("content", output)
		}
		output = m
	}
	return output.With("tool_calls", eachOf(column, value.Value.Decoded))
}

// langfuseScore brings a score into the form of a span, which has no id. The value of a category is
// only its number.
func langfuseScore(v value.Value, session string) *spanRecord {
	word, _ := v.First("stringValue", "string_value")
	score := value.Pairs("name", v.Field("name"))
	if k := v.FirstText("dataType", "data_type"); (k == "CATEGORICAL" || k == "TEXT") && word.Text() != "" {
		score = score.With("label", word)
	} else {
		score = score.With("score", v.Field("value"))
	}
	s := langfuseRecord(v)
	s.attrs = value.Pairs("session.id", value.OfString(session)).With(scoresKey, value.OfList(score))
	return s
}
