package llm

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// Usage counts tokens. A nil count was not reported, which is not 0.
type Usage struct {
	Prompt     *int `json:"prompt,omitempty"`
	Completion *int `json:"completion,omitempty"`
	Reasoning  *int `json:"reasoning,omitempty"` // part of Completion
	Cached     *int `json:"cached,omitempty"`    // part of Prompt
}

// TokenAlternative is one candidate at a token position.
type TokenAlternative struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"` // natural logarithm, finite; masked tokens are very low
	Bytes   []byte  `json:"bytes,omitempty"`
}

// Token is one sampled token with its most likely alternatives. Bytes is nil
// when the server did not give them.
type Token struct {
	TokenAlternative
	Top []TokenAlternative `json:"top,omitempty"`
}

// Response is one answer.
type Response struct {
	Content       string // message content; text parts joined
	ToolArguments string // arguments of the first tool call, as sent
	ToolCalls     int    // how many tool calls the answer holds
	// Arguments holds the arguments of every tool call in the order of the calls, as
	// sent; nil when there is none. Several that differ are several answers.
	Arguments []string
	Reasoning string // message.reasoning or message.reasoning_content
	// FinishReason is "" when the server gave none, which on some servers is
	// the only sign of an answer that broke off; see FinishRepetition. Every name for
	// an answer that ended before its end reads "length"; FinishSent then holds the
	// server's own, as "abort", and is "" where the two are the same.
	FinishReason, FinishSent string
	Usage                    Usage
	Logprobs                 []Token // nil unless reported
	Model                    string  // as named by the server
	SystemFingerprint        string

	Raw         []byte            // the body; an echoed API key is blotted out
	Headers     map[string]string // selected headers, names in lower case
	Fingerprint Fingerprint
	Attempts    int
	Latency     time.Duration // of the attempt that succeeded
	// Dropped names what of the schema was not sent because this kind of server does not
	// take it, as "pointer: what became of it"; nil when it was sent whole. Only the
	// caller's own check of the answer stands for that part.
	Dropped []string
	// Cached says that no request was sent for this answer: it came from the
	// journal or from an identical request that was in flight.
	Cached bool
}

// FinishRepetition is the finish reason of an answer that the server broke off
// because the model repeated itself. Ollama's guard says so by no finish reason and
// a usage of zeros: the text is incomplete, even where it can be parsed.
const FinishRepetition = "repetition"

type wireReply struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content          json.RawMessage `json:"content"`
			Reasoning        json.RawMessage `json:"reasoning"`
			ReasoningContent json.RawMessage `json:"reasoning_content"`
			Refusal          json.RawMessage `json:"refusal"`
			ToolCalls        []struct {
				Function struct {
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason json.RawMessage `json:"finish_reason"`
		Logprobs     *struct {
			Content []wireToken `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage             *wireUsage      `json:"usage"`
	SystemFingerprint json.RawMessage `json:"system_fingerprint"`
}

type wireUsage struct {
	Prompt        *float64 `json:"prompt_tokens"`
	Completion    *float64 `json:"completion_tokens"`
	Reasoning     *float64 `json:"reasoning_tokens"`
	PromptDetails *struct {
		Cached *float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning *float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

type wireToken struct {
	wireAlternative
	Top []wireAlternative `json:"top_logprobs"`
}

type wireAlternative struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// ParseReply reads the body of a 200 answer. It fails with an [*Error] when the
// body is not JSON, is an error in disguise, or has no choice. Only the first
// choice is read. An empty or broken-off answer is a success here: judging it is
// the caller's business. One that a content filter ended is none, whatever came before
// the filter: it fails as [KindRefused].
func ParseReply(raw []byte) (*Response, error) {
	var w wireReply
	if err := json.Unmarshal(raw, &w); err != nil {
		if e := errorInside(raw); e != nil {
			return nil, e
		}
		return nil, &Error{
			Kind: KindInvalidReply, Status: 200, Retryable: true,
			Message: "the body is not a chat completion: " + OneLine(plainText(raw[:min(len(raw), 200)])),
			Hint:    "is the base URL that of an OpenAI-compatible API?",
		}
	}
	if len(w.Choices) == 0 {
		if e := errorInside(raw); e != nil {
			return nil, e
		}
		return nil, &Error{Kind: KindServer, Status: 200, Retryable: true, Message: "the reply has no choices"}
	}
	choice := &w.Choices[0]
	msg := &choice.Message
	r := &Response{
		Content: textOf(msg.Content), FinishReason: textOf(choice.FinishReason), Model: w.Model,
		ToolCalls: len(msg.ToolCalls), SystemFingerprint: textOf(w.SystemFingerprint), Raw: raw,
		Usage: w.Usage.usage(),
	}
	if r.Reasoning = textOf(msg.Reasoning); r.Reasoning == "" {
		r.Reasoning = textOf(msg.ReasoningContent)
	}
	if zero := func(n *int) bool { return n != nil && *n == 0 }; r.FinishReason == "" && zero(r.Usage.Prompt) && zero(r.Usage.Completion) {
		r.FinishReason = FinishRepetition
	}
	for _, call := range msg.ToolCalls {
		r.Arguments = append(r.Arguments, scalar(call.Function.Arguments))
	}
	if len(r.Arguments) > 0 {
		r.ToolArguments = r.Arguments[0]
	}
	if brokenOff(r.FinishReason) {
		r.FinishReason, r.FinishSent = "length", r.FinishReason
	}
	if choice.Logprobs != nil {
		r.Logprobs = tokens(choice.Logprobs.Content)
	}
	empty := r.Content == "" && r.ToolArguments == ""
	switch refusal := textOf(msg.Refusal); {
	case filtered(r.FinishReason):
		return nil, &Error{Kind: KindRefused, Status: 200, Message: OneLine("the server's filter ended the answer: finish_reason " + r.FinishReason + " " + refusal)}
	case empty && refusal != "":
		return nil, &Error{Kind: KindRefused, Status: 200, Message: OneLine("the server declined to answer: " + refusal)}
	}
	return r, nil
}

// filtered recognises the finish reason of a content filter. Some gateways name the
// rule behind it.
func filtered(finish string) bool {
	low := strings.ToLower(finish)
	return strings.HasPrefix(low, "content_filter") || low == "safety" || low == "refusal"
}

// brokenOff recognises finish reasons, other than "length", of an answer that is not
// whole: SGLang's abort, and what gateways call a limit or a failure of their server.
func brokenOff(finish string) bool {
	switch strings.ToLower(finish) {
	case "abort", "aborted", "error", "cancelled", "max_tokens", "model_length", "insufficient_system_resource":
		return true
	}
	return false
}

// errorInside finds an error object in a body that came with status 200.
func errorInside(raw []byte) *Error {
	w := readWireError(raw)
	if !w.present {
		return nil
	}
	e := statusError(codeStatus(w.Code), w)
	e.Status = 200
	return e
}

// textOf reads a JSON string, or joins the text of content parts; null, absent
// and anything else read as "".
func textOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
		return ""
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if raw[0] != '[' || json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (u *wireUsage) usage() Usage {
	if u == nil {
		return Usage{}
	}
	out := Usage{Prompt: count(u.Prompt), Completion: count(u.Completion), Reasoning: count(u.Reasoning)}
	if u.PromptDetails != nil {
		out.Cached = count(u.PromptDetails.Cached)
	}
	if u.CompletionDetails != nil && u.CompletionDetails.Reasoning != nil {
		out.Reasoning = count(u.CompletionDetails.Reasoning)
	}
	return out
}

func count(f *float64) *int {
	if f == nil || !(*f >= 0 && *f < 1<<40) {
		return nil
	}
	return new(int(*f))
}

func tokens(in []wireToken) []Token {
	out := make([]Token, len(in))
	for i, t := range in {
		out[i].TokenAlternative = t.alternative()
		if len(t.Top) > 0 {
			out[i].Top = make([]TokenAlternative, len(t.Top))
			for k, a := range t.Top {
				out[i].Top[k] = a.alternative()
			}
		}
	}
	return out
}

func (a wireAlternative) alternative() TokenAlternative {
	out := TokenAlternative{Token: a.Token, Logprob: max(a.Logprob, -math.MaxFloat32)}
	if a.Bytes == nil {
		return out
	}
	out.Bytes = make([]byte, len(a.Bytes))
	for i, b := range a.Bytes {
		if b < 0 || b > 255 {
			out.Bytes = nil
			return out
		}
		out.Bytes[i] = byte(b)
	}
	return out
}
