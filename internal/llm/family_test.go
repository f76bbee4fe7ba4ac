package llm

import "testing"

func TestFamily(t *testing.T) {
	for name, want := range map[string]string{
		"o3-mini": "GPT", "foo-o3": "", "o": "", "o1": "GPT", "o9-x": "GPT", "o0": "", "oz": "", "x1": "", "openai.gpt-4.1.reward": "GPT", "Qwen3:8b": "Qwen", "qwq-32b": "Qwen",
		"meta-llama-3": "Llama", "gemma2": "Gemini and Gemma", "strict": "", "": "",
		"o:7b": "", "a1-o": "", "日本qwen": "Qwen", "zphi": "",
		"gpt-5.1": "GPT", "chatgpt-4o-latest": "GPT", "text-davinci-003": "GPT", "codex-mini": "GPT",
		"anthropic/claude-sonnet-4": "Claude", "gemini-2.5-pro": "Gemini and Gemma", "mistral-small": "Mistral",
		"mixtral:8x7b": "Mistral", "ministral-8b": "Mistral", "magistral": "Mistral", "codestral": "Mistral",
		"devstral:24b": "Mistral", "deepseek-r1:70b": "DeepSeek", "glm-4.5": "GLM", "chatglm3": "GLM", "phi4": "Phi",
		"command-r": "Command", "aya-expanse": "Command", "grok-4": "Grok", "nova-pro": "Nova", "titan-text": "Nova",
		"kimi-k2": "Kimi", "moonshot-v1": "Kimi", "granite3.3": "Granite", "nemotron-nano": "Nemotron",
		"MiniMax-M1": "MiniMax", "olmo2": "OLMo", "tulu3": "OLMo", "yi-34b": "Yi", "jamba-mini": "Jamba",
		"deepseek-r1-distill-llama-70b": "DeepSeek", // the first word counts
	} {
		if got := Family(name); got != want {
			t.Errorf("the family of %q is %q, want %q", name, got, want)
		}
	}
}
