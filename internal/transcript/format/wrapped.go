package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var wrappedMessages = format{
	name: "wrapped-messages",
	mark: "a list of messages inside the record",
	detect: loosely(of(func(f value.Value) bool {
		list, path := wrappedList(f, messagePaths)
		hasRoleless := func() bool {
			return slices.ContainsFunc(list.Slice(), func(e value.Value) bool { return roleWord(e, e) == "" })
		}
		if (path == "events" || path == "log" && hasRoleless()) && isEventLog(probeOf(list)) > no {
			return false // the events have calls besides the messages
		}
		return list.IsList() && path != "messages"
	})),
	read: (*draft).readWrapped,
}

// messagePaths are the paths to the messages of a conversation in a record.
var messagePaths = []string{
	"messages", "conversation", "conversations", "history", "turns", "trajectory", "traj", "chat", "chat_history",
	"dialogue", "dialog", "transcript", "message_history", "all_messages", "new_messages", "events", "steps", "items",
	"contents", "chat_messages", "log",
	"input.messages", "inputs.messages", "request.messages", "output.messages", "outputs.messages", "data.messages",
	"trace.messages", "body.messages", "conversation.messages", "session.messages", "result.messages", "chat.messages",
	"outputs", "output",
}

// conversationLists lists the messagePaths under which there may also be conversations.
var conversationLists = []string{"conversations", "items", "history"}

// holdsMessages reports whether a record has a list of messages.
func holdsMessages(v value.Value) bool {
	list, _ := wrappedList(v, messagePaths)
	return list.IsList()
}

// conversationKeys are the keys that name the conversation of a record or row.
var conversationKeys = []string{
	"conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "chatId",
	"dialog_id", "dialogue_id", "trace_id", "traceId", "run_id", "episode_id", "id",
}

// wrappedList returns the first list of messages in a record.
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

// readWrapped reads a record whose messages are in a list under any of messagePaths, or are the record. The
// messages may have the form of any framework: the Vercel AI SDK's (ModelMessage and UIMessage of ai 4 to 7;
// files were made by running 7.0), Bedrock's, and those of looseFormats. If a record has messages of a request
// and of its output, the output's follow. Lost: data parts and sources of UI messages.
func (d *draft) readWrapped(v value.Value) error { return wrappedIn(messagePaths)(d, v) }

// wrappedIn reads a record whose messages are in a list, or in the first list of a list, at one of the paths.
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
		t := turns{draft: d}
		if list.Head().HasAll("id", "parts") {
			return t.states(list, path)
		}
		return t.list(list, path)
	}
}

// around reads what a record has besides its list of messages.
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

// rowKeys are the conversationKeys without id, which is the message's id in a row.
var rowKeys = conversationKeys[:len(conversationKeys)-1]

// sessionKeys are the conversationKeys that may cover several traces.
var sessionKeys = conversationKeys[:10]

// everyMember, in place of a key, means the records in all members of an object.
const everyMember = "*"

// opened returns the object under a key, or the elements of its list, as records; whole returns a
// list as one record. A record without a conversation's id gets the outer object's.
func opened(next func() (container.Record, error), key string, whole bool) func() (container.Record, error) {
	var ready []container.Record
	made := 0
	return func() (container.Record, error) {
		for len(ready) == 0 {
			it, err := next()
			if err != nil || it.Problem != "" {
				return it, err
			}
			v, broken := value.ParseString(it.Text)
			in := v.Field(key)
			if key == everyMember {
				var all []value.Value
				for _, in := range v.Members() {
					if all = append(all, in.Slice()...); in.Kind() == value.Object {
						all = append(all, in)
					}
				}
				in = value.OfList(all...)
			}
			if broken == nil && (in.IsList() || in.Kind() == value.Object) {
				ready = recordsOf(v, in, it, whole)
			} else {
				ready = []container.Record{it}
			}
		}
		it := ready[0]
		ready, it.Index = ready[1:], made
		made++
		return it, nil
	}
}

func recordsOf(outer, in value.Value, it container.Record, whole bool) (out []container.Record) {
	elements := []value.Value{in}
	if in.IsList() {
		elements = in.Slice()
	}
	if whole {
		it.Text = in.Raw()
		return []container.Record{it}
	}
	id, named := outer.First(rowKeys...)
	keys := rowKeys
	if outer.HasAny(sessionKeys...) {
		keys = sessionKeys // the id of a trace is not an id of a session
	}
	for _, e := range elements {
		it.Text = e.Raw()
		if named && e.Kind() == value.Object && e.FirstText(keys...) == "" {
			it.Text = e.With("session_id", id).JSON()
		}
		out = append(out, it)
	}
	return out
}
