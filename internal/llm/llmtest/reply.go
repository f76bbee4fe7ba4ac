package llmtest

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// Reply describes what the server does with one request.
type Reply struct {
	Status int // 0 means 200
	Header map[string]string
	Body   string
	Delay  time.Duration // the wait before anything is sent
	Hang   bool          // never answer, until the client gives up
	Reset  bool          // reset the connection without an answer
	Cut    int           // close the connection after this many bytes of Body; 0 sends all
}

// After returns r delayed by d.
func (r Reply) After(d time.Duration) Reply { r.Delay = d; return r }

// ChatMessage describes a chat completion in detail. Text and the other functions cover the common
// cases.
type ChatMessage struct {
	Content      string
	Reasoning    string // sent as the member ReasoningAs
	ReasoningAs  string // "reasoning" or "reasoning_content"; "" means "reasoning"
	ToolName     string // with ToolArgs, makes the answer a tool call
	ToolArgs     string
	FinishReason string // "" means stop (or tool_calls); "null" sends null; "absent" leaves it out
	PromptTokens int    // 0 means 100
	OutputTokens int    // 0 means 20
}

// Chat returns m as a 200 answer.
func Chat(m ChatMessage) Reply {
	message, finish := `"content":`+quote(m.Content), cmp.Or(m.FinishReason, "stop")
	if m.ToolName != "" {
		message = `"content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":` +
			quote(m.ToolName) + `,"arguments":` + quote(m.ToolArgs) + `}}]`
		finish = cmp.Or(m.FinishReason, "tool_calls")
	}
	if m.Reasoning != "" {
		message += `,` + quote(cmp.Or(m.ReasoningAs, "reasoning")) + `:` + quote(m.Reasoning)
	}
	switch finish {
	case "null":
		finish = `,"finish_reason":null`
	case "absent":
		finish = ""
	default:
		finish = `,"finish_reason":` + quote(finish)
	}
	in, out := cmp.Or(m.PromptTokens, 100), cmp.Or(m.OutputTokens, 20)
	return Reply{Body: fmt.Sprintf(`{"id":"chatcmpl-0","object":"chat.completion","created":0,"model":"fake-model",`+
		`"choices":[{"index":0,"message":{"role":"assistant",%s}%s}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, message, finish, in, out, in+out)}
}

// Text returns a plain good answer.
func Text(content string) Reply { return Chat(ChatMessage{Content: content}) }

// Length returns an answer that the token limit cut off.
func Length(content string) Reply {
	return Chat(ChatMessage{Content: content, FinishReason: "length"})
}

// NoChoices returns a 200 with an empty list of choices.
func NoChoices() Reply {
	return Reply{Body: `{"id":"chatcmpl-0","object":"chat.completion","model":"fake-model","choices":[]}`}
}

// Fail returns an error in OpenAI's shape.
func Fail(status int, message string) Reply {
	body := `{"error":{"message":` + quote(message) + `,"type":"server_error","param":null,"code":null}}`
	return Reply{Status: status, Body: body}
}

// FlatError returns an error in SGLang's shape.
func FlatError(status int, message string) Reply {
	body := fmt.Sprintf(`{"object":"error","message":%s,"type":"BadRequestError","param":null,"code":%d}`,
		quote(message), status)
	return Reply{Status: status, Body: body}
}

// StringError returns an error in LM Studio's shape.
func StringError(status int, message string) Reply {
	return Reply{Status: status, Body: `{"error":` + quote(message) + `}`}
}

// RateLimit returns a 429. A negative number of seconds leaves out Retry-After.
func RateLimit(seconds int) Reply {
	r := Fail(429, "rate limit exceeded")
	if seconds >= 0 {
		r.Header = map[string]string{"Retry-After": strconv.Itoa(seconds)}
	}
	return r
}

// HTMLError returns a gateway's error page.
func HTMLError(status int) Reply {
	return Reply{
		Status: status, Header: map[string]string{"Content-Type": "text/html"},
		Body: fmt.Sprintf("<!DOCTYPE html><html><head><title>%d Bad "+
			"Gateway</title></head><body><h1>nginx</h1></body></html>", status),
	}
}

// CutBody returns a good answer whose connection is closed in the middle.
func CutBody(content string) Reply {
	r := Text(content)
	r.Cut = len(r.Body) / 2
	return r
}

// BrokenJSON returns a complete 200 body that is not JSON.
func BrokenJSON() Reply {
	return Reply{Body: `{"id":"chatcmpl-0","choices":[{"index":0,"message":{"role`}
}

// Reset returns a reply that resets the connection instead of answering.
func Reset() Reply { return Reply{Reset: true} }

// Hang returns a reply that never comes.
func Hang() Reply { return Reply{Hang: true} }
