package llm

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// wireError reads the shapes of error bodies met in the wild: an object under
// "error", a string under "error", a flat object with "message", "detail", or
// text that is not JSON at all.
type wireError struct {
	Message string
	Type    string
	Code    string
	Param   string
	present bool // the body says that it is an error
}

func readWireError(body []byte) wireError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // some gateways wrap the error in a list
	}
	var top struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &top) != nil {
		var loose struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(body, &loose) != nil || len(loose.Error) == 0 {
			return wireError{Message: plainText(body)}
		}
		top.Error = loose.Error
	}
	if len(top.Error) > 0 && string(top.Error) != "null" && string(top.Error) != "false" {
		return innerError(top.Error)
	}
	if top.Object == "error" || (top.Message != "" && (top.Type != "" || len(top.Code) > 0)) {
		return wireError{Message: top.Message, Type: top.Type, Code: scalar(top.Code), present: true}
	}
	switch {
	case top.Message != "":
		return wireError{Message: top.Message}
	case len(top.Detail) > 0:
		return wireError{Message: scalar(top.Detail)}
	}
	return wireError{Message: plainText(body)}
}

func innerError(raw json.RawMessage) wireError {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return wireError{Message: text, present: true}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return wireError{Message: string(raw), present: true}
	}
	e := wireError{
		Message: scalar(members["message"]), Type: scalar(members["type"]),
		Code: scalar(members["code"]), Param: scalar(members["param"]), present: true,
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// scalar spells a JSON string without its quotes, null as "", all else as is.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plainText takes the title or heading out of an HTML page, else the text.
func plainText(body []byte) string {
	s := string(body[:min(len(body), 4096)])
	lower := strings.ToLower(s)
	if len(lower) == len(s) && strings.Contains(lower, "<html") {
		for _, tag := range []string{"title", "h1"} {
			_, rest, ok := strings.Cut(lower, "<"+tag+">")
			if !ok {
				continue
			}
			start := len(lower) - len(rest)
			if end := strings.Index(rest, "</"+tag); end >= 0 {
				return "HTML page: " + s[start:start+end]
			}
		}
		return "HTML page"
	}
	return s
}

// StatusError classifies a reply whose HTTP status is not 200 by its status and
// body.
func StatusError(status int, body []byte) *Error { return statusError(status, readWireError(body)) }

// statusError classifies a reply whose status is not 200, or a 200 whose body
// says that it is an error (status is then the code in the body, or 500).
func statusError(status int, w wireError) *Error {
	e := &Error{Status: status, Message: OneLine(w.Message)}
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	if w.Param != "" && w.Param != "null" && !strings.Contains(e.Message, w.Param) {
		// "invalid value" alone does not say what to change.
		e.Message += " (" + OneLine(w.Param) + ")"
	}
	low := strings.ToLower(w.Message + " " + w.Type + " " + w.Code + " " + w.Param)
	switch {
	case status != 401 && status != 429 && saysFiltered(low):
		// Before 403: some gateways refuse one flagged prompt as if it were the key.
		e.Kind = KindRefused
		e.Hint = "the service's content filter stopped this record; other records are not affected"
	case status == 401:
		e.Kind, e.Fatal = KindUnauthorized, true
	case status == 403:
		e.Kind, e.Fatal = KindUnauthorized, true
	case status == 402:
		e.Kind, e.Fatal = KindPayment, true
		e.Hint = "the account has no credit left; pay for more or use another endpoint"
	case status == 404:
		e.Kind, e.Fatal = KindNotFound, true
	case status == 408:
		e.Kind, e.Retryable = KindTimeout, true
	case status == 429:
		e.Kind, e.Retryable = KindRateLimited, true
		if strings.Contains(low, "insufficient_quota") {
			e.Kind, e.Retryable, e.Fatal = KindPayment, false, true
			e.Hint = "the account has no credit left; raise its quota or use another endpoint"
		}
	case status == 413 || saysOverflow(low):
		e.Kind = KindOverflow
		e.Hint = "the prompt does not fit the model's context; use a larger context or shorten the record"
	case status == 501 || (status == 500 && saysBadSchema(low)):
		e.Kind = KindBadRequest
	case status >= 500 || status == 418 || status == 425:
		e.Kind, e.Retryable = KindServer, true
	case status >= 300 && status < 400:
		e.Kind, e.Fatal = KindBadRequest, true
		e.Hint = "the server redirects; set the base URL to the address it points to"
	default:
		e.Kind = KindBadRequest
	}
	return e
}

// overflowWords are what servers say of a prompt that is too long: vLLM, SGLang,
// llama.cpp, Ollama, LM Studio, and hosted services, in lower case.
var overflowWords = [...]string{
	"maximum context length", "maximum model length", "exceed_context_size", "context_length_exceeded",
	"model's context length", "exceeds the context", "exceed context limit", "exceeds the available context",
	"greater than the context length", "loaded with context length of only", "when context the overflows",
	"when the context overflows", "input length exceeds", "exceeds the maximum number of tokens",
	"prompt is too long", "input is too long", "reduce the length of the messages", "reduce your prompt",
	"too large for model with", "`max_new_tokens` must be <=",
}

func saysOverflow(low string) bool { return containsAny(low, overflowWords[:]...) }

// filterWords are what services say when a filter, and not the request's form, is why
// there is no answer, in lower case.
var filterWords = [...]string{
	"content_filter", "content management policy", "content filtering policy", "content_policy_violation",
	"responsibleaipolicyviolation", "violating our usage policy", "input was flagged", "content exists risk",
	"data_inspection_failed", "prohibited_content",
}

func saysFiltered(low string) bool { return containsAny(low, filterWords[:]...) }

// saysBadSchema recognises a 500 that is a refusal of the schema: some servers
// answer so, and the same request would fail again.
func saysBadSchema(low string) bool {
	return containsAny(low, "schema", "grammar", "response_format", "json_schema") &&
		containsAny(low, "invalid", "unsupported", "not supported", "failed to parse", "unresolved",
			"unrecognized", "unknown", "malformed", "cannot", "can't", "must be", "not a valid")
}

func containsAny(s string, subs ...string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}

// codeStatus reads an HTTP status out of the code of an error in a 200 body.
func codeStatus(code string) int {
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		return n
	}
	return 500
}
