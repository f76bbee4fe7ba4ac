// Events of OpenHands.
// Written by: OpenHands (OpenDevin): trajectories and event lists of its server, output.jsonl of its
// evaluations (history), and the events of its Agent SDK (kind: ActionEvent …), lists or lines.
// Read: 0.9 to 0.6x, SDK 1.x (2024 to 2026). The name and the arguments of a call are those of the model's
// reply, if the event holds it.
// Lost: recalls, changes of state, condensations; the git patch and metrics of an evaluation.

package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openHands = format{
	name:   "openhands",
	mark:   "events with a source and an action or an observation",
	detect: of(func(f value.Value) bool { return openHandsEvent(f) || openHandsEvent(openHandsHistory(f)) }),
	read:   (*draft).readOpenHands,
	parts:  linesOr("history"),
}

func openHandsHistory(f value.Value) value.Value {
	first := f.Field("history").Head()
	if first.IsList() {
		first = first.Head()
	}
	return first
}

func openHandsEvent(f value.Value) bool {
	_, isAction := f.Field("action").Str()
	_, isObservation := f.Field("observation").Str()
	own := slices.Contains([]string{"agent", "user", "environment"}, f.Field("source").Text()) ||
		f.HasAny("extras", "action_risk", "cause", "images_urls")
	kind := f.Field("kind").Text()
	return (isAction || isObservation) && own || strings.HasSuffix(kind, "Event") && f.HasAny("source", "llm_message")
}

func (d *draft) readOpenHands(list value.Value) error {
	if head := list.Head(); head.Has("history") {
		d.ID = head.FirstText("instance_id", "id")
		d.Extra = foreign(head, "history", "instance_id", "id", "instance", "metadata", "metrics")
		if failure := head.Field("error").Text(); failure != "" {
			d.note("run_error", "error", value.Quote(failure))
		}
	}
	o := openHandsTurns{turns: turns{draft: d}, ids: map[string]string{}}
	err := d.objects(flatLines(list, "history"), "history", "event", o.event)
	o.flush()
	return err
}

// openHandsTurns tracks which call an observation answers.
type openHandsTurns struct {
	turns
	// ids holds the ids of calls by those of their events.
	ids map[string]string
	// last is the id of the last call without an observation; waits says that there is one.
	last  string
	waits bool
}

func (o *openHandsTurns) event(e value.Value, at string) error {
	if kind := e.Field("kind").Text(); kind != "" {
		return o.sdkEvent(kind, e, at)
	}
	args := e.Inside("args")
	switch action := e.Field("action").Text(); {
	case e.Has("observation"):
		return o.observation(e, at)
	case action == "system":
		o.moreTools(args.Field("tools"))
		return o.message(value.Pairs("role", "system", "content", args.Field("content")), at)
	case action == "message" || action == "finish" && !e.Has("tool_call_metadata"):
		text, _ := args.First("content", "final_thought", "thought")
		role := "user"
		if e.Field("source").Text() == "agent" || action == "finish" || len(o.ids) > 0 && !e.Has("source") {
			role = "assistant"
		}
		return o.message(value.Pairs("role", role, "content", text), at)
	case slices.Contains([]string{"recall", "change_agent_state", "null", "condensation", "condensation_request", ""}, action):
		o.drop(action)
	default:
		return o.action(action, e, args, at)
	}
	return nil
}

// action reads a call. Several calls of one reply are one message.
func (o *openHandsTurns) action(name string, e, args value.Value, at string) error {
	metadata := e.Field("tool_call_metadata")
	id := metadata.Field("tool_call_id").Text()
	arguments := args.Without("thought", "action", "keep_prompt", "is_confirmed", "confirmation_state", "action_risk",
		"security_risk", "hidden", "blocking", "images_urls", "image_urls")
	thought := args.Field("thought").Text()
	reply := listAt(metadata, "model_response.choices").Head().Field("message")
	for _, c := range reply.Field("tool_calls").Elements() {
		if c.Field("id").Text() == id {
			arguments, name = c.Field("function").Field("arguments"), c.Field("function").Field("name").Text()
		}
	}
	if text := reply.Field("content").Text(); thought == "" {
		thought = text
	}
	if together := metadata.Field("model_response").Field("id").Text(); together == "" || together != o.open.id {
		o.begin(transcript.Assistant, at)
		o.open.id, o.open.empty = together, thought == ""
		o.chunk(thought)
	}
	o.endChunk()
	o.part(callItem(id, name, arguments), at)
	o.ids[e.Field("id").Text()] = id
	o.last, o.waits = id, true
	return nil
}

func (o *openHandsTurns) observation(e value.Value, at string) error {
	id := e.Field("tool_call_metadata").Field("tool_call_id").Text()
	known := id != ""
	if cause := e.Field("cause"); !known && !cause.IsNull() {
		id, known = o.ids[cause.Text()]
	} else if !known {
		id, known = o.last, o.waits
	}
	if !known {
		o.drop("observation without an action")
		return nil
	}
	o.waits = false
	success, decided := e.Field("success").BoolVal()
	content, _ := e.First("content", "message")
	failed := e.Field("observation").Text() == "error" || decided && !success
	return o.message(resultItem(id, content, failed), at)
}

// sdkEvent reads an event of the Agent SDK.
func (o *openHandsTurns) sdkEvent(kind string, e value.Value, at string) error {
	id := e.Field("tool_call_id").Text()
	switch kind {
	case "SystemPromptEvent":
		o.moreTools(e.Field("tools"))
		return o.message(value.Pairs("role", "system", "content", e.Field("system_prompt").Field("text")), at)
	case "MessageEvent":
		return o.message(e.Field("llm_message"), at)
	case "ActionEvent":
		arguments := e.Field("action").Without("kind")
		if written := e.Field("tool_call").Inside("function").Field("arguments"); !written.IsNull() {
			arguments = written
		}
		if together := e.Field("llm_response_id").Text(); together == "" || together != o.open.id {
			o.begin(transcript.Assistant, at)
			o.open.id, o.open.empty = together, true
			o.text(e.Field("thought"), at)
			o.open.thought = e.Field("reasoning_content").Text()
		}
		o.part(callItem(id, e.Field("tool_name").Text(), arguments), at)
	case "ObservationEvent", "AgentErrorEvent", "UserRejectObservation":
		content, _ := found(e, "observation.content", "observation.output", "observation", "error", "rejection_reason")
		failed, _ := e.Field("observation").Field("is_error").BoolVal()
		return o.message(resultItem(id, content, failed || kind != "ObservationEvent"), at)
	case "ConversationErrorEvent":
		o.note("run_error", at, value.Quote(e.Field("detail").Text()))
	default:
		o.drop(kind)
	}
	return nil
}
