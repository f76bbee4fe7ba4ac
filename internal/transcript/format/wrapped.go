package format

import (
	"cmp"
	"github.com/judgekit/judge/internal/transcript"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// messagePaths are where a record keeps the messages of a conversation.
var messagePaths = []string{
	"messages", "conversation", "conversations", "history", "turns", "trajectory", "traj", "chat", "chat_history",
	"dialogue", "dialog", "transcript", "message_history", "all_messages", "new_messages", "events", "steps", "items",
	"input.messages", "inputs.messages", "request.messages", "output.messages", "outputs.messages", "data.messages",
	"trace.messages", "body.messages", "conversation.messages", "session.messages", "result.messages", "chat.messages",
	"outputs", "output",
}

// conversationKeys name the conversation that a record or a row belongs to.
var conversationKeys = []string{
	"conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "chatId",
	"dialog_id", "dialogue_id", "trace_id", "traceId", "run_id", "episode_id", "id",
}

// wrappedList is the first list of messages in a record.
func wrappedList(v value.Value, paths []string) (value.Value, string) {
	for _, path := range paths {
		if list := valueAt(v, path); looksLikeMessages(list) {
			return list, path
		}
	}
	return value.Value{}, ""
}

// looksLikeMessages reports whether the first element of a list says who wrote it.
func looksLikeMessages(list value.Value) bool {
	e := list.Head()
	if e.IsList() {
		e = e.Head()
	}
	inner, _ := unwrapMessage(e)
	_, known := roleOf(roleWord(e, inner))
	return known && (inner.HasAny(contentKeys...) || inner.HasAny(callListKeys...)) || pydanticAI(e)
}

// readWrapped reads a record whose messages are in a list under any of messagePaths, or are
// the record. The messages may have the form of any framework: the Vercel AI SDK's
// (ModelMessage and UIMessage of ai 4 to 7; files were made by running 7.0), Bedrock's, and
// those of looseFormats. Where a record has messages of a request and of its output, the
// output's follow. Lost: data parts and sources of UI messages.
func (d *draft) readWrapped(v value.Value) error { return wrappedIn(messagePaths)(d, v) }

// wrappedIn reads a record whose messages are in a list, or the first list of a list, at one of
// the paths.
func wrappedIn(paths []string) func(d *draft, v value.Value) error {
	return func(d *draft, v value.Value) error {
		list, path := v, ""
		if !v.IsList() {
			if list, path = wrappedList(v, paths); !list.IsList() {
				return wrong("", "the record holds no list of messages (its keys are %s): --map says where they are",
					v.KeyList())
			}
			if err := d.around(v, path); err != nil {
				return err
			}
		}
		if inner := list.Head(); inner.IsList() {
			list, path = inner, path+"[0]"
		}
		return d.messageList(list, path)
	}
}

// around reads what a record holds beside the list of its messages.
func (d *draft) around(v value.Value, path string) error {
	root, _, _ := strings.Cut(path, ".")
	if err := d.native(v, root); err != nil {
		return err
	}
	d.ID = cmp.Or(d.ID, v.FirstText(conversationKeys...))
	if tools, _ := found(v, toolPaths[1:]...); len(d.Tools) == 0 && !tools.IsNull() {
		d.useTools(tools)
	}
	d.say(transcript.System, v.FirstText(systemPaths...), "system")
	return nil
}

// isExchange reports whether a record holds a request to a model and the response to it.
func isExchange(f value.Value) bool {
	request, reply := exchangeSides(f)
	if f.Has("messages") && !f.Field("response").HasAny("choices", "candidates", "content", "output", "message") {
		return false // whatever is beside the messages of a conversation is no reply of a model
	}
	if request.IsNull() || reply.IsNull() {
		return false
	}
	prompt, _ := found(request, promptPaths...)
	answer, _ := found(reply, replyPaths...)
	return !prompt.IsNull() && (!answer.IsNull() || reply.Kind() == value.String)
}

// exchangeSides are the request and the response of a record; null where they are not there.
func exchangeSides(v value.Value) (request, reply value.Value) {
	reply, _ = v.First("response", "output", "outputs", "completion", "reply", "result")
	request, _ = v.First("request", "input", "inputs", "req", "kwargs", "prompt")
	request, reply = request.Decoded(), reply.Decoded()
	request, reply = request.Inside("body"), reply.Inside("body")
	switch {
	case request.IsNull() && v.Has("messages"):
		request = v // LiteLLM keeps the messages beside the response
	default:
		request = under("input", request)
	}
	if answer := v.Field("output"); answer.Kind() == value.Object && reply.Len() == answer.Len() {
		reply = value.Pairs("output", answer).With("message", answer.Field("message"))
		if reply.Field("message").IsNull() {
			reply = answer
		}
	}
	return request, reply
}

// exchangeParts sorts requests by their trace, where they have one: the next request of a trace
// repeats the conversation so far.
func exchangeParts(v value.Value, add func(part)) {
	trace := v.FirstText(rowKeys...)
	add(part{conversation: trace, alone: trace == "", text: v.Raw()})
}

// readExchanges reads requests and their responses: LiteLLM's standard logging payload
// ({messages, response, model_parameters, trace_id}; documentation of October 2026), {request,
// response} and {input, output}. Lost: replies beyond the first choice.
func (d *draft) readExchanges(list value.Value) error {
	v := list.Head()
	d.ID = v.FirstText(conversationKeys...)
	if list.Len() > 1 {
		d.ID = v.FirstText(rowKeys...)
	}
	d.labels(v.Field("labels"))
	d.Extra = foreign(v, "id", "request", "response", "messages", "input", "output", "tools", "labels")
	if tools, _ := found(v, toolPaths...); !tools.IsNull() {
		d.useTools(tools)
	}
	return d.exchanges(list, func(one *draft, e value.Value) error {
		request, reply := exchangeSides(e)
		return one.exchange(request, reply)
	})
}

// messageRow reports whether a record is one message with the id of its conversation.
func messageRow(f value.Value) bool {
	inner, _ := unwrapMessage(unwrapRow(f))
	_, known := roleOf(roleWord(f, inner))
	return known && f.FirstText(rowKeys...) != "" && (inner.HasAny(contentKeys...) || inner.HasAny(callListKeys...))
}

// rowKeys are the conversationKeys without the id, which is the message's in a row.
var rowKeys = conversationKeys[:len(conversationKeys)-1]

// unwrapRow takes a message out of a row that holds it as JSON, as the sessions of the
// OpenAI Agents SDK do.
func unwrapRow(v value.Value) value.Value {
	for _, key := range []string{"message_data", "message", "payload", "data"} {
		if inner := v.Field(key).Decoded(); inner.Kind() == value.Object {
			return inner
		}
	}
	return v
}

func rowParts(v value.Value, add func(part)) {
	add(part{conversation: v.FirstText(rowKeys...), text: v.Raw()})
}

// readRows reads a conversation of which each message is a record of its own, with the id of
// the conversation: exports of chat tables, and the sessions of the OpenAI Agents SDK
// (openai-agents 0.x, rows of agent_messages with message_data). The rows of one
// conversation may stand apart. Lost: columns beside the message stay in its extra keys.
func (d *draft) readRows(list value.Value) error {
	d.ID = list.Head().FirstText(rowKeys...)
	rows := eachOf(list, func(row value.Value) value.Value { return unwrapRow(row).Without(rowKeys...) })
	if tools := list.Head().Field("tools"); tools.IsList() {
		d.useTools(tools)
	}
	return d.messageList(rows, "")
}
