package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// TaskKey returns a key that all trials of a task share: from the task's id if the log has one,
// else from the user's first message, else from the conversation.
func (c *Conversation) TaskKey() string {
	key := "conversation " + c.ID
	if text := c.firstUser(); text != "" {
		key = "user " + text
	}
	for _, v := range []value.Value{
		c.Extra.Field("task_id"), c.Sample.Field("task_id"), c.Extra.Field("task").Field("id"),
		c.Extra.Field("metadata").Field("task_id"),
	} {
		if id := v.Text(); id != "" {
			key = "task " + id
			break
		}
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:6])
}

// firstUser returns the user's first text, without blanks around it.
func (c *Conversation) firstUser() string {
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == User && strings.TrimSpace(m.Content) != "" {
			return strings.TrimSpace(m.Content)
		}
	}
	return ""
}
