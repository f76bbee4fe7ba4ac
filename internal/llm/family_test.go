package llm

import "testing"

func TestFamily(t *testing.T) {
	for name, want := range map[string]string{
		"o3-mini": "GPT", "foo-o3": "", "o": "", "o1": "GPT", "o9-x": "GPT", "o0": "", "oz": "", "x1": "", "openai.gpt-4.1.reward": "GPT", "Qwen3:8b": "Qwen", "qwq-32b": "Qwen",
		"meta-llama-3": "Llama", "gemma2": "Gemini and Gemma", "strict": "", "": "",
		"o:7b": "", "a1-o": "", "日本qwen": "Qwen", "zphi": "",
	} {
		if got := Family(name); got != want {
			t.Errorf("the family of %q is %q, want %q", name, got, want)
		}
	}
}
