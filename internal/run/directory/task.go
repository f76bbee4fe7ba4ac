package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// taskKey says which task a conversation is an attempt at, so that the attempts of two
// agents can be paired although neither their ids nor their words are the same.
type taskKey struct {
	// Task is "id:" and a hash of the log's own task id, else "first:" and a hash of
	// the first user message and the expected calls, "" where there is neither.
	Task string `json:"task,omitempty"`
	// Trial tells the attempts of one run at one task apart, where the log does.
	Trial string `json:"trial,omitempty"`
	// Reference is a hash of the expected calls, "" where nothing is known of them.
	Reference string `json:"reference,omitempty"`
}

// ownTask marks a task id that the log itself gives.
const ownTask = "id:"

// own reports whether the log itself names the task.
func (k taskKey) own() bool { return strings.HasPrefix(k.Task, ownTask) }

// taskOf finds the task of a conversation: task_id and trial as τ-bench, τ² and native
// logs have them, in the sample, at the top of the record or in its metadata.
func taskOf(c *transcript.Conversation) taskKey {
	k := taskKey{Reference: referenceHash(c)}
	for _, v := range []value.Value{c.Sample, c.Extra, c.Extra.Field("metadata")} {
		id := v.Field("task_id")
		if id.Kind() != value.String && !id.IsNumber() || id.Text() == "" {
			continue
		}
		// A task that one log writes 7 and another "7" is one task.
		k.Task = ownTask + shortHash(id.Text())
		if trial := v.Field("trial"); trial.Kind() == value.String || trial.IsNumber() {
			k.Trial = trial.Text()
		}
		if len(k.Trial) > hashDigits {
			k.Trial = shortHash(k.Trial)
		}
		return k
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == transcript.User && strings.TrimSpace(m.Content) != "" {
			k.Task = "first:" + shortHash(m.Content+"\x00"+k.Reference)
			return k
		}
	}
	return k
}

// referenceHash is what the calls of a conversation should have been.
func referenceHash(c *transcript.Conversation) string {
	if c.Expected == nil || c.Expected.Calls == nil {
		return ""
	}
	var b []byte
	for i := range c.Expected.Calls {
		e := &c.Expected.Calls[i]
		b = append(append(append(b, e.Name...), 0), e.Arguments.Canonical()...)
		b = append(b, '\n')
	}
	return shortHash(string(b))
}

// bareHashes says of each call what it is by itself: its tool and its arguments,
// whatever stands before it.
func bareHashes(c *transcript.Conversation) []string {
	out := make([]string, len(c.Calls))
	for i := range c.Calls {
		call := &c.Calls[i]
		arguments := call.RawArguments
		if !call.Malformed {
			arguments = call.Arguments.Canonical()
		}
		out[i] = shortHash(call.Executor + "\x00" + call.Name + "\x00" + arguments)
	}
	return out
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hashDigits]
}
