package llm

import (
	"errors"
	"testing"
)

func TestWindowOfAnError(t *testing.T) {
	for message, want := range map[string]int{
		"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.":                    4096,
		"The input (5000 tokens) is longer than the model's context length (4096 tokens).":                           4096,
		"The decoder prompt (length 5000) is longer than the maximum model length of 4096.":                          4096,
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).":                    1048576,
		"when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is": 4096,
		"prompt is too long: 212345 tokens > 200000 maximum":                                                         200000,
		"Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length":     32768,
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 8000 `inputs` tokens":    8192,
		"the request exceeds the available context size (4096 tokens), try increasing it":                            4096,
		"the input length exceeds the context length":                                                                0,
	} {
		if got := WindowOf(&Error{Kind: KindOverflow, Message: message}); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
	const named = "maximum context length is 4096 tokens"
	for _, err := range []error{nil, errors.New(named), &Error{Kind: KindServer, Message: named}} {
		if got := WindowOf(err); got != 0 {
			t.Errorf("%v: %d", err, got)
		}
	}
}
