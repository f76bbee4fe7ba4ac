package llm

// Kind names the server software behind an endpoint.
type Kind string

// The server kinds that the package tells apart. An empty Kind counts as
// KindUnknown.
const (
	KindUnknown  Kind = "unknown"
	KindOpenAI   Kind = "openai"
	KindVLLM     Kind = "vllm"
	KindOllama   Kind = "ollama"
	KindLlamaCPP Kind = "llama.cpp"
	KindSGLang   Kind = "sglang"
	KindLMStudio Kind = "lmstudio"
	KindBaseline Kind = "baseline"
)
