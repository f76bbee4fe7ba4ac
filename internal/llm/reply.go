package llm

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/value"
)

// Usage counts tokens. Nil means that the server did not report the count, which is not 0.
type Usage struct {
	Prompt     *int `json:"prompt,omitempty"`
	Completion *int `json:"completion,omitempty"`
	Reasoning  *int `json:"reasoning,omitempty"` // part of Completion
	Cached     *int `json:"cached,omitempty"`    // included in Prompt
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

// Response is a parsed answer.
type Response struct {
	// Canary is the secret word in the prompt that was answered, if another run made that prompt.
	Canary        string `json:"-"`
	Content       string // message content; text parts joined
	ToolArguments string // arguments of the first tool call, as sent
	// Arguments holds the arguments of every tool call, in order, as sent; nil without tool calls.
	// If they differ, they are several answers.
	Arguments []string
	Reasoning string // message.reasoning or message.reasoning_content
	Refusal   string // message.refusal; the content beside it may still be an answer
	// FinishReason says why the answer ended; "" if the server gave no reason, which on some
	// servers is the only sign of an incomplete answer; see FinishRepetition. Every word for an
	// incomplete answer is read as "length"; FinishSent then holds the server's own word, such as
	// "abort", and is otherwise "".
	FinishReason, FinishSent string
	Usage                    Usage
	Logprobs                 []Token // nil if not reported
	Model                    string  // the server's name for the model

	Raw         []byte // the body, with an echoed API key replaced by [redacted]
	Fingerprint Fingerprint
	Attempts    int
	Latency     time.Duration // duration of the attempt that succeeded
	// Cached says that no request was sent for this answer: it came from the journal, or from an
	// identical request in flight.
	Cached bool
}

// FinishRepetition is the finish reason of an answer that the server stopped because the model
// repeated itself. Ollama reports this by an absent finish reason and a usage of zeros. The text is
// incomplete unless it is one whole object followed by blanks.
const FinishRepetition = "repetition"

// ParseReply parses the body of a 200 answer. It fails with an [*Error] if the body is not JSON, is
// really an error, or has no choice. It reads only the first choice. An empty or incomplete answer
// is not an error here: the caller judges it. An answer that a content filter ended is an error
// whatever came before: it fails as [KindRefused].
//
// Oddities outside the answer are accepted: a byte order mark, members in another case, counts that
// are not numbers. If a member on the way to the answer occurs twice, the reply is ambiguous and
// refused.
func ParseReply(raw []byte) (*Response, error) {
	body, repeated, err := value.ParseUnique(bytes.TrimPrefix(raw, []byte("\ufeff")))
	if list := body; list.IsList() && list.Len() == 1 {
		body = list.At(0) // some gateways wrap the reply in a list
	}
	choices := member(body, "choices")
	if err != nil || !choices.IsList() || choices.Len() == 0 {
		return nil, noReply(raw, err == nil && choices.IsList())
	}
	for _, at := range repeated {
		if ambiguous.MatchString(strings.ToLower(at)) {
			return nil, invalid("the reply holds " + OneLine(at) + " more than once")
		}
	}
	r := readChoice(choices.At(0))
	r.Raw, r.Model, r.Usage = raw, textOf(member(body, "model")), usageOf(member(body, "usage"))
	zero := func(n *int) bool { return n != nil && *n == 0 }
	finish := strings.ToLower(r.FinishReason)
	switch {
	case finish == "" && zero(r.Usage.Prompt) && zero(r.Usage.Completion):
		r.FinishReason = FinishRepetition
	case slices.Contains(brokenOff, finish):
		r.FinishReason, r.FinishSent = "length", r.FinishReason
	case strings.HasPrefix(finish, "content_filter") || finish == "safety" || finish == "refusal":
		// Some gateways name the rule that the filter applied.
		return nil, declined("the server's filter ended the answer: finish_reason " + r.FinishReason + " " + r.Refusal)
	}
	if r.Content == "" && r.ToolArguments == "" && r.Refusal != "" {
		return nil, declined("the server declined to answer: " + r.Refusal)
	}
	return r, nil
}

// readChoice reads the first choice.
func readChoice(choice value.Value) *Response {
	msg := member(choice, "message")
	r := &Response{
		Content: textOf(member(msg, "content")), Refusal: textOf(member(msg, "refusal")),
		Reasoning:    cmp.Or(textOf(member(msg, "reasoning")), textOf(member(msg, "reasoning_content"))),
		FinishReason: scalarText(member(choice, "finish_reason")),
		Logprobs:     tokens(member(member(choice, "logprobs"), "content")),
	}
	for _, call := range member(msg, "tool_calls").Elements() {
		r.Arguments = append(r.Arguments, scalarText(member(member(call, "function"), "arguments")))
	}
	if len(r.Arguments) > 0 {
		r.ToolArguments = r.Arguments[0]
	}
	return r
}

// brokenOff lists finish reasons of an incomplete answer, besides "length": SGLang's abort, and the
// words of gateways for a limit or a failure of their server.
var brokenOff = []string{
	"abort", "aborted", "error", "cancelled", "max_tokens", "model_length", "insufficient_system_resource",
}

// ambiguous matches the members that lead to the answer, as JSON Pointers in lower case.
var ambiguous = regexp.MustCompile(`^(/0)?/choices(/0(/message(/content|/tool_calls(/.*)?)?|/finish_reason)?)?$`)

func declined(message string) *Error {
	return &Error{Kind: KindRefused, Status: 200, Message: OneLine(message)}
}

func invalid(message string) *Error {
	return &Error{Kind: KindInvalidReply, Status: 200, Retryable: true, Message: message}
}

// noReply returns the error for a body without a choice: an error object is treated as if it had
// its own status; else the list of choices is empty, or the body is something else.
func noReply(raw []byte, choices bool) *Error {
	if body := readErrorBody(raw); body.present {
		e := statusError(codeStatus(body.code), body)
		e.Status = 200
		return e
	}
	if choices {
		return invalid("the reply has no choices")
	}
	e := invalid("the body is not a chat completion: " + OneLine(plainText(raw[:min(len(raw), 200)])))
	e.Hint = "is the base URL that of an OpenAI-compatible API?"
	return e
}

// member returns an object's member with this name, else the first one with the name in another
// case; null if there is neither.
func member(v value.Value, name string) value.Value {
	if m, ok := v.Get(name); ok {
		return m
	}
	for key, m := range v.Members() {
		if strings.EqualFold(key, name) {
			return m
		}
	}
	return value.Value{}
}

// textOf returns the text of a scalar, the joined text of content parts, or the JSON of an object
// (some servers send an answer parsed); "" for null.
func textOf(v value.Value) string {
	if v.Kind() == value.Object {
		return v.JSON()
	}
	if s, ok := v.Str(); ok {
		return s
	}
	var b strings.Builder
	for _, part := range v.Elements() {
		s, ok := part.Str()
		if !ok {
			s, _ = member(part, "text").Str()
		}
		b.WriteString(s)
	}
	return b.String()
}

// scalarText returns a string without its quotes, "" for null, and the JSON of anything else.
func scalarText(v value.Value) string {
	if s, ok := v.Str(); ok || v.IsNull() {
		return s
	}
	return v.JSON()
}

// usageOf reads the token counts, ignoring those that are not counts.
func usageOf(v value.Value) Usage {
	details := member(v, "completion_tokens_details")
	out := Usage{
		Prompt: count(member(v, "prompt_tokens")), Completion: count(member(v, "completion_tokens")),
		Reasoning: count(member(details, "reasoning_tokens")),
		Cached:    count(member(member(v, "prompt_tokens_details"), "cached_tokens")),
	}
	if out.Reasoning == nil {
		out.Reasoning = count(member(v, "reasoning_tokens"))
	}
	return out
}

func count(v value.Value) *int {
	f, ok := v.Float64()
	if !ok || !(f >= 0 && f < 1<<40) {
		return nil
	}
	return new(int(f))
}

// tokens reads log-probabilities; nil if the value is not a list.
func tokens(list value.Value) []Token {
	if !list.IsList() {
		return nil
	}
	out := make([]Token, list.Len())
	for i, t := range list.Elements() {
		out[i].TokenAlternative = alternative(t)
		for _, a := range member(t, "top_logprobs").Elements() {
			out[i].Top = append(out[i].Top, alternative(a))
		}
	}
	return out
}

// alternative reads a candidate. Without a log-probability it counts as nearly impossible.
func alternative(v value.Value) TokenAlternative {
	out := TokenAlternative{Token: textOf(member(v, "token")), Logprob: -math.MaxFloat32}
	if f, ok := member(v, "logprob").Float64(); ok {
		out.Logprob = max(f, -math.MaxFloat32)
	}
	list := member(v, "bytes")
	if !list.IsList() {
		return out
	}
	out.Bytes = make([]byte, 0, list.Len())
	for _, b := range list.Elements() {
		n, ok := b.Int64()
		if !ok || n < 0 || n > 255 {
			out.Bytes = nil
			return out
		}
		out.Bytes = append(out.Bytes, byte(n))
	}
	return out
}
