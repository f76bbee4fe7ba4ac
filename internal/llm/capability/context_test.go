package capability

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

// TestContext: a window that was measured counts before one that was told.
func TestContext(t *testing.T) {
	for _, tt := range []struct {
		name string
		caps Capabilities
		want int
	}{
		{"nothing known", Capabilities{}, 0},
		{"told", Capabilities{ContextTokens: 8192}, 8192},
		{"cut at a size that was not told", Capabilities{Overlong: Truncated, Window: 4096}, 4096},
		{"cut below what was told", Capabilities{ContextTokens: 32768, Overlong: Truncated, Window: 4096}, 4096},
		{"cut at about what was told", Capabilities{ContextTokens: 4096, Overlong: Truncated, Window: 3895}, 4096},
		{"cut at nine tenths", Capabilities{ContextTokens: 1000, Overlong: Truncated, Window: 900}, 1000},
		{"cut below nine tenths", Capabilities{ContextTokens: 1000, Overlong: Truncated, Window: 899}, 899},
		{"refused", Capabilities{ContextTokens: 4096, Overlong: Refused, Window: 4096}, 4096},
		{"refused, nobody says where", Capabilities{ContextTokens: 4096, Overlong: Refused}, 4096},
	} {
		if got := tt.caps.Context(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestRaiseContext(t *testing.T) {
	for kind, want := range map[llm.Kind]string{
		llm.KindOllama: "OLLAMA_CONTEXT_LENGTH=8192", llm.KindLlamaCPP: "-c 8192", llm.KindVLLM: "--max-model-len 8192",
		llm.KindSGLang: "--context-length 8192", llm.KindLMStudio: "8192", llm.KindUnknown: "8192 tokens",
	} {
		if got := RaiseContext(kind, 4097); !strings.Contains(got, want) ||
			strings.Contains(RaiseContext(kind, 4096), "8192") {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
