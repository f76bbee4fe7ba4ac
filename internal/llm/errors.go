package llm

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// ErrorKind is a kind of failure.
type ErrorKind string

// The kinds of failure.
const (
	KindTransport    ErrorKind = "transport"     // no complete reply: refused connection, reset, cut body
	KindTimeout      ErrorKind = "timeout"       // one attempt took longer than its timeout, or HTTP 408
	KindCanceled     ErrorKind = "canceled"      // the caller's context ended
	KindRateLimited  ErrorKind = "rate_limited"  // HTTP 429
	KindServer       ErrorKind = "server"        // HTTP 5xx, or a 200 whose body is an error
	KindInvalidReply ErrorKind = "invalid_reply" // a 200 whose body is not a chat completion
	KindTooLarge     ErrorKind = "too_large"     // the reply exceeds the client's limit
	KindOverflow     ErrorKind = "overflow"      // the prompt does not fit the model's context
	KindBadRequest   ErrorKind = "bad_request"   // HTTP 400, 422, 501, or a bad schema answered with 500
	KindUnauthorized ErrorKind = "unauthorized"  // HTTP 401, 403
	KindNotFound     ErrorKind = "not_found"     // HTTP 404: unknown model or wrong base URL
	KindPayment      ErrorKind = "payment"       // HTTP 402, or no credit left
	KindModel        ErrorKind = "model"         // the endpoint came back with another model, or without it
	KindOutage       ErrorKind = "outage"        // the endpoint gave no answer for longer than an outage may last
	KindRefused      ErrorKind = "refused"       // the server or model declined to answer
	KindJournal      ErrorKind = "journal"       // the answer could not be stored
	KindLocal        ErrorKind = "local"         // this machine could not open a connection: it may open no more files
	KindDeferred     ErrorKind = "deferred"      // the request was put into a batch; its answer comes later
)

// Error is the failure of one request after all its attempts. Its JSON holds the parts that mean
// the same in every process.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`        // the server's or network's words, shortened, without keys
	Hint    string    `json:"hint,omitempty"` // what a person can do about it
	Status  int       `json:"-"`              // HTTP status of the last attempt, 0 if there was none
	// Retryable says that the same request may succeed later. Do has already used up its attempts.
	Retryable bool `json:"-"`
	// Fatal says that no other request to this endpoint can succeed either, until a person changes
	// something.
	Fatal bool `json:"-"`
	// Unreached says that nothing listens at the endpoint, or that its host is unknown.
	Unreached bool `json:"-"`
	Attempts  int  `json:"-"`
	// RetryAfter is the wait that the server asked for; 0 if it did not.
	RetryAfter time.Duration `json:"-"`
	Model      string        `json:"-"`
	Endpoint   string        `json:"-"` // base URL without credentials
	// Cause is the context's error if the request was canceled, else nil. Network errors are not
	// kept, because they contain URLs.
	Cause error `json:"-"`
}

// Error returns the request, the kind, the message and the hint on one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Endpoint != "" {
		fmt.Fprintf(&b, "chat %s at %s: ", e.Model, e.Endpoint)
	}
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the Cause.
func (e *Error) Unwrap() error { return e.Cause }

// namedWindow matches the window size in a server's message about a prompt that is too long.
var namedWindow = regexp.MustCompile(
	`(?i)(?:context length|context size|model length|context window|n_ctx|tokens allowed|must be <=)` +
		`\D{0,30}?(\d{3,8})` +
		`|(\d{3,8}) (?:tokens? )?maximum|> (\d{3,8}) max`)

// WindowOf returns the window size, in tokens, that a server named when it refused a prompt as too
// long; 0 if err names none.
func WindowOf(err error) int {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindOverflow {
		return 0
	}
	m := namedWindow.FindStringSubmatch(e.Message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(cmp.Or(m[1:]...))
	return n
}

// maxMessage limits the server's text in an Error, in characters.
const maxMessage = 500

// OneLine prepares server text for a message: control characters and runs of blanks become one
// blank, invisible characters are written out, and a long text is cut.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, value.Excerpt(s, 4*maxMessage))
	return value.Excerpt(value.Visible(strings.Join(strings.Fields(s), " ")), maxMessage)
}
