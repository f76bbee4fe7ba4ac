package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// place is the message that text is appended to: the last tool output that the judge
// of a call sees, else the last message of the user before it; -1 for none.
func place(c *transcript.Conversation, call int) (message int, tool bool) {
	end := min(c.Calls[call].Message, len(c.Messages))
	user := -1
	for i := end - 1; i >= 0; i-- {
		switch c.Messages[i].Role {
		case transcript.ToolRole:
			return i, true
		case transcript.User:
			if user < 0 {
				user = i
			}
		}
	}
	return user, false
}

// inject returns a copy of a conversation with text appended to one message.
func inject(c *transcript.Conversation, message int, text string) *transcript.Conversation {
	out := *c
	out.Messages = slices.Clone(c.Messages)
	m := &out.Messages[message]
	m.Content, m.HasContent = m.Content+"\n"+text, true
	// A tool output that was an object is shown as text now: nothing can be appended
	// to an object. The placebo is in the same form, so that the form cancels out.
	m.Output = value.Value{}
	return &out
}

// empty returns a copy of a conversation in which every argument of a call is the
// opener; false where the call has no arguments.
func empty(c *transcript.Conversation, call int, opener string) (*transcript.Conversation, bool) {
	old := &c.Calls[call]
	if old.Malformed || old.Arguments.Len() == 0 {
		return nil, false
	}
	var members []value.Member
	for key := range old.Arguments.Members() {
		members = append(members, value.Member{Key: key, Value: value.OfString(opener)})
	}
	out := *c
	out.Calls = slices.Clone(c.Calls)
	out.Calls[call].Arguments = value.OfObject(members...)
	out.Calls[call].RawArguments = out.Calls[call].Arguments.JSON()
	return &out, true
}

// framed reports what breaks the frame of a judge's prompt: every line must be a
// marker with the record's own code, a JSON value (with a number in front of it
// inside the conversation), a note of what was left out, or the closing line.
func framed(j *judges.Judge, r *rubrics.Rubric, c *transcript.Conversation, call int) error {
	req, err := j.Request(r.Name, c, call)
	if err != nil {
		return err
	}
	return checkFrame(req.Messages[len(req.Messages)-1].Content)
}

func checkFrame(text string) error {
	lines := strings.Split(text, "\n")
	code, inside := "", ""
	for i, line := range lines {
		words := strings.Fields(strings.TrimSuffix(line, ">>>"))
		switch {
		case strings.HasPrefix(line, "<<<"):
			opening := inside == "" && len(words) == 3 && words[0] == "<<<RECORD" && (code == "" || words[1] == code)
			closing := len(words) == 3 && words[0] == "<<<END" && words[1] == code && words[2] == inside
			switch {
			case opening:
				code, inside = words[1], words[2]
			case closing:
				inside = ""
			default:
				return fmt.Errorf("line %d is a marker that is none of the frame's", i+1)
			}
		case inside == "":
			if i != len(lines)-1 {
				return fmt.Errorf("line %d stands outside the record", i+1)
			}
		default:
			if inside == "conversation" && strings.HasPrefix(line, "[") {
				_, line, _ = strings.Cut(line, "] ")
			}
			if _, err := value.ParseString(line); err != nil && line != "omitted" {
				return fmt.Errorf("line %d is no value", i+1)
			}
		}
	}
	if inside != "" {
		return fmt.Errorf("the block %s has no end", inside)
	}
	return nil
}
