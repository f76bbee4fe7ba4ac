// Package toolresult owns one question: did this tool call fail? Every user of it, a
// scorer, a check on a judge, the replay of calls or the built-in baseline, gets the same
// answer.
//
// The answer comes from the first of these that decides: a flag made for it (is_error,
// isError, ok, success, status), and then the known forms in which tools and the programs
// around them report failures. It is about the call, not about the content of its result: a
// search that found nothing, or an order that was declined in the shop, is no failed call.
package toolresult

import (
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// form is one way to write a failed result. word is a lower-case part that every match contains:
// looking for it first spares nearly all results the slow pattern.
type form struct {
	name, word string
	pattern    *regexp.Regexp
}

// start holds what may precede the first word of a report: quotes, brackets, marks,
// and the variable that the agents of some τ-bench runs bind a result to.
const start = `(?i)^\W{0,3}(?:var_\d+ = )?\W{0,2}`

// forms lists the known forms, each with the logs in which it was seen.
var forms = []form{
	// Plain texts: τ-bench, τ², LangChain, AutoGen, smolagents, MCP servers.
	{"error_text", "error", regexp.MustCompile(start + `(?:mcp |tool |api |internal |server ` +
		`|http )?error\s*(?:$|[:!(\]-]|\d{3}\b|while|when|calling|executing|running|during|occurred|in |at ` +
		`|code )`)},
	// "An error occurred while running the tool …": OpenAI Agents SDK.
	{"error_text", "an error", regexp.MustCompile(start + `an (?:unexpected |internal )?error (?:occurred` +
		`|has occurred|was )`)},
	// "KeyError: 'a'", "openai.BadRequestError: …": Python programs.
	{"exception", "error", regexp.MustCompile(start + `[a-z_][\w.]*error\s*(?::|$)`)},
	{"exception", "exception", regexp.MustCompile(start + `(?:[a-z_][\w.]*exception\s*(?::|$)|exception\b)`)},
	{"traceback", "traceback", regexp.MustCompile(start + `traceback \(most recent call last`)},
	{"failed_to", "fail", regexp.MustCompile(start + `(?:failed to |failure\s*:|failed\s*:)`)},
	{"failed_to", "unable to", regexp.MustCompile(start + `unable to `)},
	{"failed_to", "fatal", regexp.MustCompile(start + `fatal\s*:`)},
	// "Unknown action get_order": τ-bench; "Unknown tool": MCP and others.
	{"unknown_tool", "unknown", regexp.MustCompile(start + `unknown (?:action|tool|function)\b`)},
	// "x is not a valid tool, try one of […]": LangChain.
	{"unknown_tool", "not a valid tool", regexp.MustCompile(start + `\S{1,120} is not a valid tool\b`)},
	{"unknown_tool", "not found", regexp.MustCompile(start + `(?:tool|function|action)\b[^.\n]{0,120} not found\b`)},
	// "Tool call timed out.": LiveMCPBench; "Request timed out", "deadline exceeded": clients.
	{"timeout", "timed out", regexp.MustCompile(start + `(?:[\w.:/'"-]+ ){0,6}timed out\b`)},
	{"timeout", "timeout", regexp.MustCompile(start + `(?:[\w.:/'"-]+ ){0,3}timeout\s*(?:$|[:!.]|error|after` +
		`|exceeded|expired)`)},
	{"timeout", "deadline exceeded", regexp.MustCompile(start + `(?:context )?deadline exceeded\b`)},
	// "HTTP 503", "500 Server Error: …" (requests), "… status code 404" (axios).
	{"http_status", "http", regexp.MustCompile(start + `https?(?:/\d(?:\.\d)?)?(?: status| error` +
		`| code)*:? ?[45]\d\d\b`)},
	{"http_status", "error", regexp.MustCompile(start + `[45]\d\d (?:client|server|internal server) error\b`)},
	{"http_status", "", regexp.MustCompile(start + `(?:400 bad request|401 unauthorized|403 forbidden` +
		`|404 not found|405 method not allowed|408 request timeout|409 conflict|422 unprocessable` +
		`|429 too many requests|502 bad gateway|503 service unavailable|504 gateway timeout)`)},
	{"http_status", "status code", regexp.MustCompile(start + `[^.\n]{0,60}\bstatus code:? [45]\d\d\b`)},
	{"denied", "", regexp.MustCompile(start + `(?:(?:un|not )authorized|forbidden|(?:permission` +
		`|access) denied|rate limit exceeded|too many requests)\b`)},
	{"invalid", "invalid", regexp.MustCompile(start + `invalid (?:arguments?|parameters?|inputs?|requests?` +
		`|json|tool|api key|function)\b`)},
	// A short sentence whose end says it: "Order 17 not found."
	{"not_found", "not found", regexp.MustCompile(start + `[^.!?\n]{0,80}\bnot found\W{0,3}$`)},
	{"not_found", "does not exist", regexp.MustCompile(start + `[^.!?\n]{1,80}\bdoes not exist\W{0,3}$`)},
}

// refusalWords lists words; every refusal contains at least one. Looking for them first spares
// nearly all results the slow pattern.
var refusalWords = [...]string{"reject", "refus", "denied", "block", "terminat", "declin", "not permitted"}

// refusalForm matches a sentence that says the call itself was refused.
var refusalForm = regexp.MustCompile(`(?i)^[\s"'*\[(]*(?:error:?\s*)?(?:` +
	`(?:the\s+)?(?:(?:tool|function)[\s_-]?(?:call|use|execution|invocation)|execution|invocation` +
	`|call)\b[^.!?\n]{0,120}?(?:\.\w[^.!?\n]{0,80}?)?\s(?:was|is|were|has been|got)\s+(?:rejected|refused` +
	`|denied|blocked|terminated|declined|not permitted)\b` +
	`|(?:the\s+)?user\s+(?:has\s+)?(?:rejected|refused|denied|declined|blocked)\s+(?:the|this|to run|permission)\b` +
	`|(?:blocked|rejected|refused|denied|terminated)\s+by\s+(?:the\s+|a\s+)?(?:guard|guardrail|safety` +
	`|approval|hook|operator|supervisor)\b` +
	`)`)

// head limits how many bytes of a text are searched for a report at its beginning.
const head = 240

// verdict says what the flags of a result mean for its call.
type verdict int

const (
	silent verdict = iota
	succeeded
	failed
)

// Text reports whether a tool result with this text means that the call failed, and which form says
// so: "flag", "refused", or the name of a known form.
func Text(text string) (by string, isFailure bool) {
	text = strings.TrimSpace(text)
	switch state := repr(text); {
	case state == failed:
		return "flag", true
	case state == succeeded, text == "":
		return "", false
	case text[0] == '{':
		v, err := value.ParseString(text)
		if err != nil {
			return "", false
		}
		return Value(v)
	}
	if Refused(text) {
		return "refused", true
	}
	whole := len(text) <= head
	lower := strings.ToLower(text[:min(len(text), head)])
	for i := range forms {
		f := &forms[i]
		if (whole || f.name != "not_found") && strings.Contains(lower, f.word) && f.pattern.MatchString(lower) {
			return f.name, true
		}
	}
	return "", false
}

// Refused reports whether a tool result means that the call was refused before it
// ran. The subject of the sentence must be the call, so that a tool that answers
// "payment was declined" has run.
func Refused(content string) bool {
	content = content[:min(len(content), head)]
	lower := strings.ToLower(content)
	for _, word := range refusalWords {
		if strings.Contains(lower, word) {
			return refusalForm.MatchString(content)
		}
	}
	return false
}

// repr reads the flag of an MCP result that was logged as Python prints it:
// "meta=None content=[…] isError=True" (LiveMCPBench).
func repr(text string) verdict {
	printed := func(start string) bool { return strings.HasPrefix(text, start) }
	if !printed("meta=") && !printed("CallToolResult(") && !printed("content=[") {
		return silent
	}
	i := strings.LastIndex(text, "isError=")
	switch {
	case i < 0:
		return silent
	case strings.HasPrefix(text[i:], "isError=True"):
		return failed
	}
	return succeeded
}

// Value does what Text does for a result in JSON. If no flag decides, a member that only mentions
// an error (error, errors, exception) does.
func Value(v value.Value) (by string, isFailure bool) {
	if text, ok := v.Str(); ok {
		return Text(text)
	}
	state, reported := silent, false
	for key, m := range v.Members() {
		state = max(state, flag(key, m))
		reported = reported || reports(key, m)
	}
	switch {
	case state == failed:
		return "flag", true
	case reported && state == silent:
		return "error_field", true
	}
	return "", false
}

// flag reads a member whose purpose is to report the outcome, such as status or success.
func flag(key string, m value.Value) verdict {
	yes, isBool := m.BoolVal()
	switch key {
	case "status", "status_code", "statusCode":
		return status(m.Kind(), m.Text())
	case "is_error", "isError":
		yes = !yes
	case "ok", "success":
	default:
		return silent
	}
	switch {
	case !isBool:
		return silent
	case yes:
		return succeeded
	}
	return failed
}

// reports reports whether a member contains an error.
func reports(key string, m value.Value) bool {
	if key != "error" && key != "errors" && key != "exception" {
		return false
	}
	switch m.Kind() {
	case value.Bool:
		return m.Text() == "true"
	case value.String:
		return strings.TrimSpace(m.Text()) != ""
	case value.Int:
		return m.Text() != "0"
	}
	return m.Len() > 0
}

// status reads a status: a word, or an HTTP code.
func status(kind value.Kind, text string) verdict {
	switch kind {
	case value.String:
		switch strings.ToLower(text) {
		case "error", "failed", "failure":
			return failed
		case "ok", "success", "succeeded":
			return succeeded
		}
	case value.Int:
		if len(text) == 3 && (text[0] == '4' || text[0] == '5') {
			return failed
		}
	}
	return silent
}
