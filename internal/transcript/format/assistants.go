// Threads of OpenAI's Assistants API.
// Written by: whoever keeps the lists of a thread's messages, runs and steps, or the events of a streamed run;
// Azure's agent service has the same objects.
// Read: assistants v2, in any order and under any keys: messages, calls of steps with their outputs,
// instructions and tools of runs, calls that wait for their outputs.
// Lost: deltas of streams, which the completed objects repeat; files, usage.

package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openAIAssistants = format{
	name: "openai-assistants",
	mark: "messages, runs or steps of a thread",
	detect: within(isThreadObject, "data", "messages", "messages.data", "steps", "steps.data", "run_steps",
		"run_steps.data", "runs", "runs.data"),
	read:  (*draft).readThread,
	parts: threadParts,
}

// isThreadObject reports whether v is a message, a run or a step of a thread.
func isThreadObject(v value.Value) bool {
	return v.Has("thread_id") && strings.HasPrefix(v.Field("object").Text(), "thread.")
}

// threadParts sorts the objects in a record by thread.
func threadParts(v value.Value, add func(part)) {
	if isThreadObject(v) {
		add(part{conversation: v.Field("thread_id").Text(), text: v.Raw()})
		return
	}
	for _, inner := range v.Members() {
		threadParts(inner, add)
	}
	for _, inner := range v.Elements() {
		threadParts(inner, add)
	}
}

// The order of a thread's objects that were created in the same second.
const (
	threadRun = iota
	threadQuestion
	threadStep
	threadAnswer
)

// threadRank returns the rank of an object among those of the same second.
func threadRank(v value.Value) int {
	switch object := v.Field("object").Text(); {
	case object == "thread.run":
		return threadRun
	case object == "thread.run.step":
		return threadStep
	case v.Field("role").Text() == "user":
		return threadQuestion
	}
	return threadAnswer
}

// readThread reads the objects of a thread in the order of their creation.
func (d *draft) readThread(list value.Value) error {
	var states latest
	for _, v := range list.Elements() {
		states.put(v.Field("id").Text(), v)
	}
	objects := states.list
	made := func(v value.Value) string { return v.Field("created_at").Text() } // seconds, or a time that sorts as text
	if n := len(objects); n > 1 && made(objects[0]) > made(objects[n-1]) {     // the API lists the newest first
		slices.Reverse(objects)
	}
	sorting.Stable(objects, func(a, b value.Value) int {
		return cmp.Or(cmp.Compare(made(a), made(b)), cmp.Compare(threadRank(a), threadRank(b)))
	})
	d.ID = list.Head().Field("thread_id").Text()
	t := turns{draft: d}
	defer t.flush()
	waiting := d.threadRuns(objects)
	for i, v := range objects {
		at := indexed(i)
		switch v.Field("object").Text() {
		case "thread.message":
			if err := t.message(threadMessage(v), at); err != nil {
				return err
			}
		case "thread.run.step":
			t.threadCalls(v.Field("step_details").Field("tool_calls"), at)
		}
	}
	t.threadCalls(value.OfList(waiting...), "required_action")
	return nil
}

// threadRuns reads the runs of a thread, and returns the calls that wait for their outputs and are in no step.
func (d *draft) threadRuns(objects []value.Value) (waiting []value.Value) {
	known := map[string]bool{}
	for _, v := range objects {
		for _, c := range v.Field("step_details").Field("tool_calls").Elements() {
			known[c.Field("id").Text()] = true
		}
	}
	for i, v := range objects {
		if failure := v.Field("last_error"); !failure.IsNull() {
			d.note("run_error", indexed(i), value.Quote(failure.JSON()))
		}
		if tools := v.Field("tools"); tools.Len() > 0 && len(d.Tools) == 0 {
			d.useTools(tools)
		}
		if text := v.Field("instructions").Text(); len(d.Messages) == 0 {
			d.say(transcript.System, text, indexed(i))
		}
		asked, _ := found(v, "required_action.submit_tool_outputs.tool_calls")
		for _, c := range asked.Elements() {
			if !known[c.Field("id").Text()] {
				waiting = append(waiting, c)
			}
		}
	}
	return waiting
}

// threadMessage returns a message with its texts in the usual form.
func threadMessage(v value.Value) value.Value {
	content := eachOf(v.Field("content"), func(p value.Value) value.Value {
		if text, isText := p.Field("text").Field("value").Str(); isText {
			return textOf(text)
		}
		return p
	})
	return value.Pairs("role", v.Field("role").Text()).With("content", content)
}

// threadCalls reads the calls of a step: calls of functions and, named by their types, calls of
// tools that the server ran.
func (t *turns) threadCalls(list value.Value, at string) {
	if list.Len() == 0 {
		return
	}
	t.begin(transcript.Assistant, at)
	for _, c := range list.Elements() {
		kind := c.Field("type").Text()
		in := c.Field(kind)
		output, given := in.First("output", "outputs", "results")
		if output.Head().Has("logs") {
			output = eachOf(output, func(o value.Value) value.Value { return textOf(o.Field("logs").Text()) })
		}
		call := callItem(c.Field("id").Text(), kind, in.Without("output", "outputs", "results"))
		if kind == "function" {
			call = callItem(c.Field("id").Text(), in.Field("name").Text(), in.Field("arguments"))
		} else {
			call = call.With("requestor", value.OfString("server"))
		}
		if given {
			call = call.With("output", output)
		}
		t.callPart(call, at)
	}
}
