package judges

import (
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// flagKinship flags a score if the judge is the agent's own model or of the same family, as far as
// the log names the agent's model. Models tend to prefer what they would have written themselves.
// The judge never sees the name.
func (j *Judge) flagKinship(r *Result, conv *Conversation) {
	agent := agentModel(conv, r.CallIndex)
	shown := value.Excerpt(agent, 80)
	switch kin(agent, j.cfg.Model) {
	case "model":
		r.raise(FlagSelfPreference, 1, "the agent's model %s is the judge", shown)
	case "family":
		r.raise(FlagSelfPreference, 1, "the agent's model %s is of the family of the judge %s", shown, j.cfg.Model)
	}
}

// agentModel returns the model that made a call according to the log; "" if unknown. For call -1 it
// returns the conversation's first model.
func agentModel(conv *Conversation, call int) string {
	messages := conv.Messages
	if call >= 0 {
		m := conv.Calls[call].Message
		messages = conv.Messages[max(0, min(m, len(messages))):max(0, min(m+1, len(messages)))]
	}
	for i := range messages {
		if s, ok := messages[i].Extra.Field("model").Str(); ok && messages[i].Role == transcript.Assistant {
			return s
		}
	}
	for _, key := range []string{"agent_model", "model"} {
		if s, ok := conv.Extra.Field(key).Str(); ok {
			return s
		}
	}
	return ""
}

// kin compares the names of two models: "model" if they are the same, "family" if they have the
// same maker, "" if the names do not tell. Text before the last slash is the provider and does not
// count.
func kin(a, b string) string {
	a, b = modelName(a), modelName(b)
	family := llm.Family(a)
	switch {
	case a == "" || b == "":
		return ""
	case a == b:
		return "model"
	case family != "" && family == llm.Family(b):
		return "family"
	}
	return ""
}

func modelName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	return s[strings.LastIndexByte(s, '/')+1:]
}
