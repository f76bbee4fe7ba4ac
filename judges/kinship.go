package judges

import (
	"fmt"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/judges/internal/team"
)

// flagKinship flags the score of a judge that is the agent's own model or of its
// family, as far as the log names the agent's model: models tend to prefer what they
// would have written themselves. The name is never shown to a judge.
func (j *Judge) flagKinship(r *Result, conv *Conversation) {
	agent := agentModel(conv, r.CallIndex)
	switch team.Kin(agent, j.cfg.Model) {
	case "model":
		result.Raise(r, FlagSelfPreference, 1, fmt.Sprintf("the agent's model %s is the judge", value.Excerpt(agent, 80)))
	case "family":
		result.Raise(r, FlagSelfPreference, 1, fmt.Sprintf("the agent's model %s is of the family of the judge %s", value.Excerpt(agent, 80), j.cfg.Model))
	}
}

// agentModel is the model that made a call, as the log names it; "" where it does not.
func agentModel(conv *Conversation, call int) string {
	if m := conv.Calls[call].Message; m >= 0 && m < len(conv.Messages) && conv.Messages[m].Role == transcript.Assistant {
		if s, ok := conv.Messages[m].Extra.Field("model").Str(); ok {
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
