package judges

import (
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// flagKinship flags the score of a judge that is the agent's own model or of its
// family, as far as the log names the agent's model: models tend to prefer what they
// would have written themselves. The name is never shown to a judge.
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

// agentModel returns the model that made a call, or the first one of the conversation if call is -1, as the
// log names it; "" if it does not.
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

// kin says how two models are related by their names: "model" for the same one,
// "family" for two of one maker, "" if the names do not say. What is in front of
// the last slash is the provider's name and does not count.
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
