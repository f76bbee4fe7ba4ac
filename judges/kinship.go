package judges

import (
	"slices"
	"strings"

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

// agentModel is the model that made a call, as the log names it; "" where it does not.
func agentModel(conv *Conversation, call int) string {
	if m := conv.Calls[call].Message; m >= 0 && m < len(conv.Messages) &&
		conv.Messages[m].Role == transcript.Assistant {
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

// families are the words by which the models of one maker are known, a maker a line.
var families = strings.Split(`gpt chatgpt o davinci codex
claude
gemini gemma
llama
qwen qwq
mistral mixtral ministral magistral codestral devstral
deepseek
glm chatglm
phi
command aya
grok
nova titan
kimi moonshot
granite
nemotron
minimax
olmo tulu
yi
jamba`, "\n")

// kin says how two models are related by their names: "model" for the same one,
// "family" for two of one maker, "" where the names do not say. What is in front of
// the last slash is the provider's name and does not count.
func kin(a, b string) string {
	a, b = modelName(a), modelName(b)
	f := family(a)
	switch {
	case a == "" || b == "":
		return ""
	case a == b:
		return "model"
	case f >= 0 && f == family(b):
		return "family"
	}
	return ""
}

func modelName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	return s[strings.LastIndexByte(s, '/')+1:]
}

// family is the maker that the first known word of a name belongs to, -1 for none.
func family(name string) int {
	words := strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	for i, w := range words {
		if w == "o" && (i > 0 || len(name) < 2 || name[0] != 'o' || name[1] < '1' || name[1] > '9') {
			continue // "o" is the o of o3 and o4-mini, at the head of a name alone
		}
		f := slices.IndexFunc(families, func(known string) bool { return slices.Contains(strings.Fields(known), w) })
		if f >= 0 {
			return f
		}
	}
	return -1
}
