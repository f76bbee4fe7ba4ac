// LangSmith runs.
// Written by: LangSmith's API and SDKs (a list of runs, one a line, or {post, patch} of its ingestion) and its
// bulk export (Parquet).
// Read: the run data format as documented in November 2026; messages inside in the form of OpenAI, Anthropic or
// LangChain. Runs of a trace are one conversation, or those of all traces with the same thread in their
// metadata.
// Lost: runs that are not model or tool call, which are counted; events, tags, usage.

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var langSmithRun = format{
	name:   "langsmith-run",
	mark:   "dotted_order, or run_type with trace_id",
	detect: of(isLangSmith),
	read:   (*draft).readSpans,
	parts:  runParts,
}

func isLangSmith(f value.Value) bool {
	return f.Has("dotted_order") || f.HasAll("run_type", "trace_id") || f.Field("post").IsList() && f.Has("patch")
}

// runParts splits a record into runs, each as a span.
func runParts(v value.Value, add func(part)) {
	if v.Field("post").IsList() {
		for _, list := range []string{"post", "patch"} {
			for _, run := range v.Field(list).Elements() {
				runParts(run, add)
			}
		}
		return
	}
	runSpan(v).add(add)
	for _, child := range v.Field("child_runs").Elements() {
		if !child.Has("trace_id") {
			child = child.With("trace_id", v.Field("trace_id"))
		}
		runParts(child, add)
	}
}

var runOperations = map[string]string{"llm": "chat", "tool": "execute_tool"}

// runSpan converts a run to a span.
func runSpan(v value.Value) *spanRecord {
	inputs, outputs, extra := v.Field("inputs").Decoded(), v.Field("outputs").Decoded(), v.Field("extra").Decoded()
	order := v.Field("dotted_order").Text()
	id, parent := orderedIDs(order)
	s := &spanRecord{trace: cmp.Or(v.Field("trace_id").Text(), v.Field("id").Text()), id: cmp.Or(v.Field("id").Text(), id),
		parent: cmp.Or(v.Field("parent_run_id").Text(), parent), name: v.Field("name").Text(),
		start: cmp.Or(order, v.Field("start_time").Text()), failure: v.Field("error").Text()}
	kind := v.Field("run_type").Text()
	callID := value.Value{}
	if kind == "tool" {
		inputs, outputs, callID = runOfTool(inputs, outputs)
	} else {
		outputs = runReply(outputs)
	}
	session := extra.Field("metadata").FirstText("session_id", "thread_id", "conversation_id")
	s.attrs = observed(cmp.Or(runOperations[kind], kind), session, inputs, outputs,
		extra.Field("invocation_params").Field("tools"))
	if !callID.IsNull() {
		s.attrs = s.attrs.With("gen_ai.tool.call.id", callID)
	}
	if stats := v.Field("feedback_stats"); stats.Len() > 0 {
		s.attrs = s.attrs.With(scoresKey, runScores(stats))
	}
	return s
}

// langSmithSpan reads a run that LangSmith's SDK sent as an OpenTelemetry span.
func langSmithSpan(s *spanRecord) {
	kind := s.attrs.Field("langsmith.span.kind").Text()
	in, out := s.attrs.Field("gen_ai.prompt"), s.attrs.Field("gen_ai.completion")
	if kind == "" || in.IsNull() && out.IsNull() {
		return
	}
	in, out = in.Decoded(), out.Decoded()
	s.copyTo("session.id", "langsmith.trace.session_id", "langsmith.metadata.session_id", "langsmith.metadata.thread_id")
	s.attrs = s.attrs.Without("gen_ai.prompt", "gen_ai.completion")
	if kind == "tool" {
		args, result, callID := runOfTool(in, out)
		s.copyText("gen_ai.tool.call.id", callID.Text())
		s.tell("execute_tool", args, result)
		return
	}
	s.tell(cmp.Or(runOperations[kind], "agent"), in, runReply(out))
}

// orderedIDs returns the ids of a run and its parent, with which a dotted order ends:
// "<time>Z<id>.<time>Z<id>".
func orderedIDs(order string) (id, parent string) {
	ids := strings.Split(order, ".")
	for i, s := range ids {
		_, ids[i], _ = strings.Cut(s, "Z")
	}
	if id = ids[len(ids)-1]; len(ids) > 1 {
		parent = ids[len(ids)-2]
	}
	return id, parent
}

// runOfTool returns the arguments, the result and the call's id from a run of a tool. LangChain may
// wrap the arguments in "input" and the result in "output" or "kwargs".
func runOfTool(inputs, outputs value.Value) (args, result, callID value.Value) {
	args, result = inputs, outputs
	if only, ok := inputs.Get("input"); ok && inputs.Len() == 1 {
		args = only
	}
	if only, ok := outputs.Get("output"); ok && outputs.Len() == 1 {
		result = only
	}
	result = result.Inside("kwargs")
	callID = result.Field("tool_call_id")
	if content, ok := result.Get("content"); ok && result.Has("tool_call_id") {
		result = content
	}
	if result.Len() == 0 && result.Text() == "" {
		result = value.Value{}
	}
	return args, result, callID
}

// runReply extracts the message from LangChain's generations.
func runReply(outputs value.Value) value.Value {
	list := outputs.Field("generations")
	for list.Len() > 0 && list.At(0).IsList() {
		list = list.At(0)
	}
	if m := list.Head(); m.Field("message").Kind() == value.Object {
		return value.Pairs("messages", value.OfList(m.Field("message")))
	} else if list.Len() > 0 {
		return value.Pairs("text", m.Field("text"))
	}
	if outputs.Len() == 0 {
		return value.Value{}
	}
	return outputs
}

// runScores returns the averages of a run's feedback.
func runScores(stats value.Value) value.Value {
	var out []value.Value
	for name, s := range stats.Members() {
		out = append(out, value.Pairs("name", value.OfString(name)).With("score", s.Field("avg")))
	}
	return value.OfList(out...)
}
