// Langfuse observations and traces.
// Written by: Langfuse's blob export (rows of observations_v2, traces, observations and scores, in snake case)
// and its pages (trace-ID.json, session-ID.json, in camel case).
// Read: the field reference of November 2026. The observations of a trace are one conversation, or those of all
// traces of a session.
// Lost: observations that are not model or tool call, which are counted; usage and cost.

package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
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

// langfuse reports whether v is an observation in the form of Langfuse's pages.
func langfuse(v value.Value) bool {
	t := v.Field("type").Text()
	return v.Has("traceId") && t != "" && t == strings.ToUpper(t)
}

// observationParts splits a record into observations and scores, each as a span.
func observationParts(v value.Value, add func(part)) { observationsOf(v, "", add) }

func observationsOf(v value.Value, session string, add func(part)) {
	for _, t := range v.Field("traces").Elements() {
		observationsOf(t, v.Field("id").Text(), add)
	}
	if s, ok := v.First("sessionId", "session_id"); ok && session == "" {
		session = s.Text()
	}
	if t := v.Field("trace"); t.Kind() == value.Object { // {trace, observations}
		for _, list := range []string{"observations", "scores"} {
			if v.Has(list) {
				t = t.With(list, v.Field(list))
			}
		}
		observationsOf(t, session, add)
		return
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
	case v.HasAny("input", "output") || !trace.IsNull() && lists: // the trace itself
		v = v.With("traceId", trace).With("type", value.OfString("AGENT"))
		langfuseSpan(v, session).add(add)
	}
}

var observationOperations = map[string]string{
	"GENERATION": "chat", "TOOL": "execute_tool", "AGENT": "agent", "CHAIN": "chain", "SPAN": "agent",
}

// langfuseSpan converts an observation to a span. Everything that an SDK recorded besides input and
// output is in the observation's metadata.
func langfuseSpan(v value.Value, session string) *spanRecord {
	s := langfuseRecord(v)
	s.id, s.name = v.Field("id").Text(), strings.TrimPrefix(v.Field("name").Text(), "running tool: ") // pydantic-ai's
	if v.Field("level").Text() == "ERROR" {
		s.failure = cmp.Or(v.FirstText("status_message", "statusMessage"), "error")
	}
	metadata := v.Field("metadata").Decoded()
	s.scope = metadata.Field("scope").Decoded().Field("name").Text()
	s.attrs = langfuseAttributes(metadata.Field("attributes").Decoded(), v)
	kind, input, output := v.Field("type").Text(), v.Field("input").Decoded(), v.Field("output").Decoded()
	operation := cmp.Or(observationOperations[kind], strings.ToLower(kind))
	_, answers := toolAnswer(output)
	ran := s.attrs.Has("gen_ai.tool.name") || s.attrs.Field("openinference.span.kind").Text() == "TOOL" ||
		answers && !input.HasAny("messages")
	if kind == "TOOL" || kind == "SPAN" && ran {
		s.tell("execute_tool", input, output)
	} else {
		tools, _ := v.First("tool_definitions", "toolDefinitions")
		s.tell(operation, langfuseMessages(input), observationReply(v, langfuseMessages(output)))
		offered := s.attrs.Field("model_request_parameters").Decoded().Field("function_tools") // pydantic-ai's
		for _, list := range []value.Value{tools.Decoded(), offered} {
			if list.Len() > 0 {
				s.attrs = s.attrs.With("gen_ai.tool.definitions", list)
			}
		}
	}
	s.copyText("session.id", session)
	return s
}

// langfuseAttributes returns the attributes in an observation's metadata. Messages in them count
// only if the observation has neither input nor output.
func langfuseAttributes(attrs, v value.Value) value.Value {
	told := !v.Field("input").IsNull() || !v.Field("output").IsNull()
	var kept value.Fields
	for key, e := range attrs.Members() {
		isMessage := slices.ContainsFunc(contentMarks, func(mark string) bool { return strings.HasPrefix(key, mark) })
		if !(told && isMessage) && key != "session.id" {
			kept.Set(key, e)
		}
	}
	return kept.Object()
}

// langfuseMessages converts the messages of a request or reply to a usual form.
func langfuseMessages(v value.Value) value.Value {
	if v.IsList() {
		return eachOf(v, langfuseMessage)
	}
	return v
}

// langfuseMessage converts a message of Koog with calls, or of LangChain with the name of a tool as its role.
func langfuseMessage(m value.Value) value.Value {
	m = calledInContent(m)
	role := m.Field("role").Text()
	if _, known := roleOf(role); known || role == "" || !m.Has("additional_kwargs") {
		return m
	}
	return m.With("role", value.OfString(string(transcript.ToolRole))).With("name", value.OfString(role))
}

// langfuseRecord returns what observations and scores have in common.
func langfuseRecord(v value.Value) *spanRecord {
	return &spanRecord{trace: v.FirstText("trace_id", "traceId"), parent: v.FirstText("parent_observation_id",
		"parentObservationId"), start: v.FirstText("start_time", "startTime", "timestamp")}
}

// observationReply returns the output of a generation, with calls that are only in their own column.
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

// langfuseScore converts a score to a span without an id. A category becomes a label with its word,
// not its number.
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
