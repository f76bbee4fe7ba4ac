package transcript

import (
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestTaskKey: trials of a task have one key, by its id before the user's words before the conversation.
func TestTaskKey(t *testing.T) {
	user := func(text string) []Message {
		return []Message{{Role: System, Content: "s"}, {Role: User, Content: text}}
	}
	id := value.Pairs("task_id", "7")
	a, b := &Conversation{ID: "a", Messages: user("hi")}, &Conversation{ID: "b", Messages: user(" hi\n")}
	if a.TaskKey() != b.TaskKey() {
		t.Error("equal first messages of the user are one task")
	}
	a.Extra = id
	if a.TaskKey() == b.TaskKey() {
		t.Error("a task id decides before the words")
	}
	b.Sample, b.Messages = id, user("other")
	if a.TaskKey() != b.TaskKey() {
		t.Error("equal task ids are one task")
	}
	c, d := &Conversation{ID: "c"}, &Conversation{ID: "d"}
	if c.TaskKey() == d.TaskKey() {
		t.Error("without either each conversation is its own task")
	}
}
