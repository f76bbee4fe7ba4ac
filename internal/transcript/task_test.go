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
	if other := (&Conversation{ID: "c", Messages: user("bye")}); other.TaskKey() == a.TaskKey() {
		t.Error("other words of the user are one task")
	}
	if late := (&Conversation{ID: "e", Messages: append(user(" \n"), user("hi")...)}); late.TaskKey() != a.TaskKey() {
		t.Error("a blank message is not the user's first")
	}
	a.Extra = id
	if a.TaskKey() == b.TaskKey() {
		t.Error("a task id decides before the words")
	}
	b.Sample, b.Messages = id, user("other")
	if a.TaskKey() != b.TaskKey() {
		t.Error("equal task ids are one task")
	}
	if b.Sample = value.Pairs("task_id", "8"); a.TaskKey() == b.TaskKey() {
		t.Error("other task ids are other tasks")
	}
	if b.Extra = id; a.TaskKey() != b.TaskKey() {
		t.Error("the conversation's own id decides before the sample's")
	}
	for _, extra := range []value.Value{
		value.Pairs("task", value.Pairs("id", "7")), value.Pairs("metadata", value.Pairs("task_id", "7")),
	} {
		if in := (&Conversation{ID: "f", Extra: extra}); in.TaskKey() != a.TaskKey() {
			t.Errorf("the task's id is not read in %s", extra.JSON())
		}
	}
	c, d := &Conversation{ID: "c"}, &Conversation{ID: "d"}
	if c.TaskKey() == d.TaskKey() {
		t.Error("without either each conversation is its own task")
	}
}

// TestTerminated: a log says that a run ended by itself, that it did not, or nothing.
func TestTerminated(t *testing.T) {
	reason := func(text string) *Conversation {
		return &Conversation{Sample: value.Pairs("termination_reason", text)}
	}
	for name, tt := range map[string]struct {
		c            *Conversation
		ended, known bool
	}{
		"it did":           {&Conversation{Extra: value.Pairs("terminated", true)}, true, true},
		"it did not":       {&Conversation{Extra: value.Pairs("terminated", false)}, false, true},
		"in the sample":    {&Conversation{Sample: value.Pairs("terminated", true)}, true, true},
		"the user stopped": {reason("user_stop"), true, true},
		"the agent too":    {reason("agent_stop"), true, true},
		"too many steps":   {reason("max_steps"), false, true},
		"nothing":          {&Conversation{}, false, false},
		"not a boolean":    {&Conversation{Extra: value.Pairs("terminated", "yes")}, false, false},
	} {
		if ended, known := tt.c.Terminated(); ended != tt.ended || known != tt.known {
			t.Errorf("%s: %v, %v", name, ended, known)
		}
	}
}
