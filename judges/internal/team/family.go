package team

import (
	"slices"
	"strings"
)

// families are makers of models with the words by which their models are known.
var families = [][]string{
	{"gpt", "chatgpt", "o", "davinci", "codex"},
	{"claude"},
	{"gemini", "gemma"},
	{"llama"},
	{"qwen", "qwq"},
	{"mistral", "mixtral", "ministral", "magistral", "codestral", "devstral"},
	{"deepseek"},
	{"glm", "chatglm"},
	{"phi"},
	{"command", "aya"},
	{"grok"},
	{"nova", "titan"},
	{"kimi", "moonshot"},
	{"granite"},
	{"nemotron"},
	{"minimax"},
	{"olmo", "tulu"},
	{"yi"},
	{"jamba"},
}

// Kin says how two models are related by their names: "model" for the same one,
// "family" for two of one maker, "" where the names do not tell. What stands in front
// of the last slash is the provider's and does not count.
func Kin(a, b string) string {
	a, b = modelName(a), modelName(b)
	if a == "" || b == "" {
		return ""
	}
	if a == b {
		return "model"
	}
	if f := family(a); f >= 0 && f == family(b) {
		return "family"
	}
	return ""
}

func modelName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	return s[strings.LastIndexByte(s, '/')+1:]
}

// family is the maker that the first telling word of a name belongs to, -1 for none.
func family(name string) int {
	words := strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	for i, w := range words {
		for f, known := range families {
			// "o" is the o of o3 and o4-mini, at the head of a name alone.
			if slices.Contains(known, w) && (w != "o" || i == 0 && len(name) > 1 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9') {
				return f
			}
		}
	}
	return -1
}
