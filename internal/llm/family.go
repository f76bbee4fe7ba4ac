package llm

import (
	"slices"
	"strings"
)

// families lists, for each maker of models, the words in its models' names.
var families = []struct{ name, words string }{
	{"GPT", "gpt chatgpt o davinci codex"},
	{"Claude", "claude"},
	{"Gemini and Gemma", "gemini gemma"},
	{"Llama", "llama"},
	{"Qwen", "qwen qwq"},
	{"Mistral", "mistral mixtral ministral magistral codestral devstral"},
	{"DeepSeek", "deepseek"},
	{"GLM", "glm chatglm"},
	{"Phi", "phi"},
	{"Command", "command aya"},
	{"Grok", "grok"},
	{"Nova", "nova titan"},
	{"Kimi", "kimi moonshot"},
	{"Granite", "granite"},
	{"Nemotron", "nemotron"},
	{"MiniMax", "minimax"},
	{"OLMo", "olmo tulu"},
	{"Yi", "yi"},
	{"Jamba", "jamba"},
}

// Family returns the family of a model: that of the first known word in its name, "" if there is
// none.
func Family(name string) string {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	for _, w := range words {
		if w == "o" && (len(name) < 2 || name[0] != 'o' || name[1] < '1' || name[1] > '9') {
			continue // "o" means o3 and o4-mini only at the start of a name
		}
		for _, f := range families {
			if slices.Contains(strings.Fields(f.words), w) {
				return f.name
			}
		}
	}
	return ""
}
