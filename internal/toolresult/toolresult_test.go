package toolresult

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

func TestRefusals(t *testing.T) {
	for text, want := range map[string]bool{
		"Execution of GetUserDetails.invoke was rejected. Explanation: x": true,
		"Execution of F.invoke was terminated. Explanation":               true,
		"The tool call was blocked by the guardrail":                      true,
		"Tool use was denied":                true,
		"The user rejected this tool use":    true,
		"Denied by guard: not allowed":       true,
		"Error: payment method was rejected": false,
		"The refund was denied":              false,
		`{"status":"rejected"}`:              false,
		"Your call is important":             false,
		"The tool call was REFUSED":          true,
		"The tool call was declined":         true,
		"The call was not permitted":         true,
		// Only the beginning of a long text is read.
		"The call " + strings.Repeat("x", 100) + " was denied": true,
		"(" + strings.Repeat(" ", 220) + "The call was denied": true,
		"(" + strings.Repeat(" ", 230) + "The call was denied": false,
		strings.Repeat(" ", 500) + "The call was denied":       false,
		"The call was approved. It was denied before.":         false,
	} {
		if got := Refused(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Each known form, and texts that only look like it.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"Error: user not found": "error_text", "error": "error_text", "Error": "error_text",
		"Error executing tool f: no such file":                        "error_text",
		"MCP error -32602: bad input":                                 "error_text",
		`# var_0 = "Error: user not found"`:                           "error_text",
		"An error occurred while running the tool. Please try again.": "error_text",
		"❌ Error: no":                          "error_text",
		"KeyError: 'a'":                        "exception",
		"openai.BadRequestError: x":            "exception",
		"Exception in tool":                    "exception",
		"Traceback (most recent call last):\n": "traceback",
		"Failed to connect":                    "failed_to",
		"Unable to reach the server":           "failed_to",
		"Unknown action get_ordr":              "unknown_tool",
		"unknown tool \"f\"":                   "unknown_tool",
		"get_ordr is not a valid tool, try one of [get_order].": "unknown_tool",
		"Tool call timed out.":                                                "timeout",
		"Request timed out after 30 s":                                        "timeout",
		"Gateway timeout":                                                     "timeout",
		"context deadline exceeded":                                           "timeout",
		"HTTP 503 Service Unavailable":                                        "http_status",
		"HTTP/1.1 500 Internal Server Error":                                  "http_status",
		"404 Client Error: Not Found for url: https://a.example":              "http_status",
		"404 Not Found":                                                       "http_status",
		"Request failed with status code 429":                                 "http_status",
		"Permission denied":                                                   "denied",
		"Invalid arguments for tool f":                                        "invalid",
		"Order 17 not found.":                                                 "not_found",
		"order 17 does not exist":                                             "not_found",
		"Execution of F.invoke was rejected. Explanation: x":                  "refused",
		`meta=None content=[TextContent(type='text', text='x')] isError=True`: "flag",
		`{"ok":false}`:                                                        "flag",
		`{"success":false}`:                                                   "flag",
		`{"isError":true}`:                                                    "flag",
		`{"is_error":true,"ok":true}`:                                         "flag",
		`{"status":"failed"}`:                                                 "flag",
		`{"status":404}`:                                                      "flag",
		`{"statusCode":500,"body":1}`:                                         "flag",
		`{"error":"x"}`:                                                       "error_field",
		`{"errors":["a"]}`:                                                    "error_field",
		`{"exception":"x"}`:                                                   "error_field",
		"Error: " + strings.Repeat("x", 240):                                  "error_text",
		`{"error":"lost","code":7}`:                                           "error_field",
		"\n\n\n\n   Error: user not found\n":                                  "error_text",
		"\n\n {\"ok\":false}\n":                                               "flag",
		`CallToolResult(meta=None, content=[], isError=True)`:                 "flag",
		`content=[TextContent(type='text', text='x')] isError=True`:           "flag",
		// Its first 240 bytes end in "not found", the sentence does not.
		strings.Repeat("文", 77) + "not found in the list, so here are all orders": "",
		strings.Repeat("文", 77) + "not found":                                     "not_found",
		// A flag that says no error decides, whatever the text is; without one the text does.
		"content=['status code 404'] isError=False": "", "content=['status code 404']": "http_status",

		"Errors: 0 of 5 files": "", "Error rate is 5%": "", "fine": "", "": "", "0.0": "", `["Error"]`: "", "No error: all good": "",
		`{"error":null}`: "", `{"error":false}`: "", `{"error":""}`: "", `{"errors":[]}`: "", `{"ok":true}`: "", `{"status":"ok"}`: "", `{"status":200}`: "",
		`{"ok":true,"error":"none"}`: "", `{"status":"delivered"}`: "", "Transfer successful": "", "No matching orders": "",
		"The payment was declined by the bank": "", "5 errors were fixed": "", "The lost and found desk is open": "",
		`meta=None content=[TextContent(type='text', text='Error: x')] isError=False`: "",
	} {
		by, failed := Text(text)
		if by != want || failed != (want != "") {
			t.Errorf("%q: %q (%v), want %q", text, by, failed, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"Error: x", `{"ok":false}`, "meta= isError=", `"`, "{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if by, failed := Text(s); (by != "") != failed {
			t.Errorf("%q: %q, %v", s, by, failed)
		}
	})
}

// TestValue: flags decide, and without one what only mentions an error.
func TestValue(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":"error"}`: "flag", `{"status":500}`: "flag", `{"status":"Failure"}`: "flag",
		`{"status":"success","error":"x"}`: "", `{"status":"succeeded","error":"x"}`: "", `{"status":"SUCCESS"}`: "",
		`{"status_code":503}`: "flag", `{"status_code":200,"error":"x"}`: "error_field",
		`{"status":404}`: "flag", `{"status":40}`: "", `{"status":5000}`: "", `{"status":true}`: "", `{"status":200}`: "", `{"status":"ok","error":"x"}`: "",
		`{"is_error":true}`: "flag", `{"isError":false,"error":"x"}`: "", `{"ok":false}`: "flag", `{"success":true,"errors":[1]}`: "",
		`{"success":"no"}`: "", `{"ok":1,"error":"x"}`: "error_field", `{"success":true,"ok":false}`: "flag",
		`{"error":"lost"}`: "error_field", `{"error":" "}`: "", `{"error":true}`: "error_field", `{"error":false}`: "",
		`{"error":7}`: "error_field", `{"error":0}`: "", `{"error":null}`: "", `{"errors":[]}`: "", `{"errors":[1]}`: "error_field",
		`{"exception":{"a":1}}`: "error_field", `{"error_count":7}`: "",
		`"meta=None content=[] isError=True"`: "flag", `"meta=None content=[] isError=False"`: "", `"meta=None content=[]"`: "",
		`"content=[x isError=True] isError=False"`: "", `"it prints isError=True"`: "", `[{"ok":false}]`: "", `7`: "",
	} {
		v, err := value.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		if by, failed := Value(v); by != want || failed != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, by, failed, want)
		}
	}
}
