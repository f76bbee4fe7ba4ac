package llm

import (
	"fmt"
	"testing"
)

// TestStatusErrorKinds: what is wrong with one record is not taken for trouble with
// the server, nor for a lack of ability: it is not tried again and ends no run.
func TestStatusErrorKinds(t *testing.T) {
	openAI := func(message, code string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":"prompt","code":%q}}`, message, code)
	}
	text := func(message string) string { return fmt.Sprintf(`{"error":%q}`, message) }
	flat := func(message string) string {
		return fmt.Sprintf(`{"object":"error","message":%q,"type":"BadRequestError","param":null,"code":400}`, message)
	}
	const azure = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry."
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   ErrorKind
	}{
		{"filter by code", 400, openAI("blocked", "content_filter"), KindRefused},
		{"filter by text", 400, openAI(azure, ""), KindRefused},
		{"filter in a flat body", 400, flat(azure), KindRefused},
		{"filter by a hosted image policy", 400, openAI("Your request was rejected",
			"content_policy_violation"), KindRefused},
		{"output filter", 400, openAI("Output blocked by content filtering policy", ""), KindRefused},
		{"a gateway's moderation is no refusal of the key", 403,
			openAI("m requires moderation and your input was flagged for hate", "403"), KindRefused},
		{"a service's 500", 500, openAI("PROHIBITED_CONTENT", ""), KindRefused},
		{"the key, all the same", 403, openAI("no access", ""), KindUnauthorized},
		{"rate limits stay", 429, openAI("slow down", "content_filter"), KindRateLimited},

		{"LM Studio, GGUF", 400, text("Trying to keep the first 6402 tokens when context the overflows. " +
			"However, the model is loaded with context length of only 4096 tokens, which is not enough."),
			KindOverflow},
		{"LM Studio, older", 400, text("The number of tokens to keep from the initial prompt is greater than " +
			"the context length. Try to load the model with a larger context length."), KindOverflow},
		{"LM Studio in a 200", 200, text("Trying to keep the first 6402 tokens when context the overflows."),
			KindOverflow},
		{"Gemini", 400, openAI("The input token count (1200000) exceeds the maximum number of tokens allowed "+
			"(1048576).", ""), KindOverflow},
		{"Gemini, in a list", 400, "[" + openAI("The input token count (1200000) exceeds the maximum number "+
			"of tokens allowed (1048576).", "") + "]", KindOverflow},
		{"SGLang", 400,
			flat("The input (5000 tokens) is longer than the model's context length (4096 tokens)."), KindOverflow},
		{"SGLang, with the answer", 400, flat("Requested token count exceeds the model's maximum context " +
			"length of 4096 tokens."), KindOverflow},
		{"vLLM", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, KindOverflow},
		{"vLLM's engine", 400, flat("The decoder prompt (length 5000) is longer than the maximum model " +
			"length of 4096."), KindOverflow},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request does not fit","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, KindOverflow},
		{"Ollama", 400, text("the input length exceeds the context length"), KindOverflow},
		{"Ollama's 500", 500, text("the input length exceeds the context length"), KindOverflow},
		{"OpenAI", 400, openAI("too long", "context_length_exceeded"), KindOverflow},

		{"a setting", 400, openAI("temperature is not supported", "unsupported_value"), KindBadRequest},
		{"a schema", 400, openAI("maxLength 5000 is greater than allowed", "invalid_schema"), KindBadRequest},
		{"trouble", 500, text("boom"), KindServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := StatusError(tt.status, []byte(tt.body))
			if tt.status == 200 {
				_, err := ParseReply([]byte(tt.body))
				e, _ = err.(*Error)
			}
			if e == nil || e.Kind != tt.want {
				t.Fatalf("%v, want %s", e, tt.want)
			}
			if (tt.want == KindRefused || tt.want == KindOverflow) && (e.Retryable || e.Fatal || e.Message == "") {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A message that does not say what is wrong gets the name of the field beside it.
func TestStatusErrorNamesTheField(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"error":{"message":"invalid value","param":"response_format","code":400}}`, "invalid value (response_format)"},
		{`{"error":{"message":"response_format is not known","param":"response_format"}}`, "response_format is not known"},
		{`{"error":{"message":"invalid value","param":null}}`, "invalid value"},
	} {
		if got := StatusError(400, []byte(tt.body)).Message; got != tt.want {
			t.Errorf("%s: message %q, want %q", tt.body, got, tt.want)
		}
	}
}
