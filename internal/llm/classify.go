package llm

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// errorBody holds the fields of an error response. Servers send an object under "error", a string
// under "error", a flat object with "message" or "detail", each of these also inside a list, and
// text that is not JSON.
type errorBody struct {
	message, kind, code, param string
	present                    bool // the body is an error
}

func readErrorBody(body []byte) errorBody {
	v, _ := value.Parse(bytes.TrimPrefix(body, []byte("\ufeff")))
	if v.IsList() && v.Len() > 0 {
		v = v.At(0)
	}
	inner := v.Field("error")
	top, in := errorFields(v), errorFields(inner)
	no, isBool := inner.BoolVal()
	switch {
	case inner.Kind() == value.Object:
		in.message, in.present = cmp.Or(in.message, inner.JSON()), true
		return in
	case !inner.IsNull() && (no || !isBool):
		return errorBody{message: scalarText(inner), present: true}
	case top.message != "":
		top.present = v.Field("object").Text() == "error" || top.kind != "" || top.code != ""
		return top
	}
	top.message = cmp.Or(scalarText(v.Field("detail")), plainText(body))
	top.present = v.Field("object").Text() == "error"
	return top
}

// errorFields reads the fields of an error from an object.
func errorFields(v value.Value) errorBody {
	return errorBody{
		message: scalarText(v.Field("message")), kind: scalarText(v.Field("type")),
		code: scalarText(v.Field("code")), param: scalarText(v.Field("param")),
	}
}

// plainText returns the title or heading of an HTML page, else the first 4096 bytes of the body.
func plainText(body []byte) string {
	s := string(body[:min(len(body), 4096)])
	lower := strings.ToLower(s)
	if len(lower) != len(s) || !strings.Contains(lower, "<html") {
		return s
	}
	for _, tag := range []string{"title", "h1"} {
		_, rest, _ := strings.Cut(lower, "<"+tag+">")
		if end := strings.Index(rest, "</"+tag); end > 0 {
			start := len(lower) - len(rest)
			return "HTML page: " + s[start:start+end]
		}
	}
	return "HTML page"
}

// byStatus classifies the failures that need only their status.
var byStatus = map[int]Error{
	401: {Kind: KindUnauthorized, Fatal: true},
	402: {Kind: KindPayment, Fatal: true, Hint: "the account has no credit left; pay for more or use another endpoint"},
	403: {Kind: KindUnauthorized, Fatal: true},
	404: {Kind: KindNotFound, Fatal: true},
	408: {Kind: KindTimeout, Retryable: true},
	418: {Kind: KindServer, Retryable: true},
	425: {Kind: KindServer, Retryable: true},
	429: {Kind: KindRateLimited, Retryable: true},
	501: {Kind: KindBadRequest},
}

// StatusError classifies a reply whose HTTP status is not 200.
func StatusError(status int, body []byte) *Error { return statusError(status, readErrorBody(body)) }

// statusError classifies a reply by its status, and by the error in its body. The status may also
// be one that the body of a 200 names.
func statusError(status int, body errorBody) *Error {
	low := strings.ToLower(body.message + " " + body.kind + " " + body.code + " " + body.param)
	e, named := byStatus[status]
	switch {
	case status != 401 && status != 429 && containsAny(low, filterWords):
		// This applies even to a 403: some gateways refuse one flagged prompt as if the key were
		// wrong.
		e = Error{Kind: KindRefused, Hint: "the service's content filter stopped this record; other records " +
			"are not affected"}
	case status == 429 && strings.Contains(low, "insufficient_quota"):
		e = Error{Kind: KindPayment, Fatal: true,
			Hint: "the account has no credit left; raise its quota or use another endpoint"}
	case named && status < 418 || status == 429:
	case status == 413 || containsAny(low, overflowWords):
		e = Error{Kind: KindOverflow, Hint: "the prompt does not fit the model's context; use a larger " +
			"context or shorten the record"}
	case named:
	case status == 500 && containsAny(low, schemaWords) && containsAny(low, badWords):
		e.Kind = KindBadRequest
	case status >= 500:
		e.Kind, e.Retryable = KindServer, true
	case status >= 300 && status < 400:
		e = Error{Kind: KindBadRequest, Fatal: true,
			Hint: "the server redirects; set the base URL to the address it points to"}
	default:
		e.Kind = KindBadRequest
	}
	e.Status, e.Message = status, cmp.Or(OneLine(body.message), http.StatusText(status))
	if body.param != "" && !strings.Contains(e.Message, body.param) {
		// "invalid value" alone does not say what to change.
		e.Message += " (" + OneLine(body.param) + ")"
	}
	return &e
}

// overflowWords occur when a prompt is refused because it is too long: by vLLM, SGLang, llama.cpp,
// Ollama, LM Studio and hosted services, in lower case.
var overflowWords = []string{
	"maximum context length", "maximum model length", "exceed_context_size", "context_length_exceeded",
	"model's context length", "exceeds the context", "exceed context limit", "exceeds the available context",
	"greater than the context length", "loaded with context length of only", "when context the overflows",
	"when the context overflows", "input length exceeds", "exceeds the maximum number of tokens",
	"prompt is too long", "input is too long", "reduce the length of the messages", "reduce your prompt",
	"too large for model with", "`max_new_tokens` must be <=",
}

// filterWords occur in replies of services whose filter stopped the answer, in lower case.
var filterWords = []string{
	"content_filter", "content management policy", "content filtering policy", "content_policy_violation",
	"responsibleaipolicyviolation", "violating our usage policy", "input was flagged", "content exists risk",
	"data_inspection_failed", "prohibited_content",
}

// schemaWords and badWords, if both occur, show that a 500 is a refusal of the schema: some servers
// reply this way, and the same request would fail again.
var (
	schemaWords = []string{"schema", "grammar", "response_format"}
	badWords    = []string{
		"invalid", "unsupported", "not supported", "failed to parse", "unresolved", "unrecognized", "unknown",
		"malformed",
		"cannot", "can't", "must be", "not a valid",
	}
)

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// codeStatus returns the HTTP status in the code of an error in a 200 body; 500 if there is none.
func codeStatus(code string) int {
	if n, _ := strconv.Atoi(code); n >= 400 && n < 600 {
		return n
	}
	return 500
}
