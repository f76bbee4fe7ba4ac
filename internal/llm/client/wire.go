package client

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

const (
	maxReplyBytes = 8 << 20
	// minReply is room for everything in a reply besides its tokens.
	minReply = 512 << 10
	// tokenBytes is far more than a token takes when escaped; alternativeBytes is the same for a
	// listed alternative.
	tokenBytes, alternativeBytes = 64, 256
	// maxErrorBody limits how much of an error response is read.
	maxErrorBody = 64 << 10
)

// wire sends requests over HTTP. go-openai builds the request; wire adds what its types cannot
// express, keeps the reply as it came, and limits its size.
type wire struct {
	config    openai.ClientConfig
	transport http.RoundTripper
	auth      Secret // the Authorization header; go-openai would keep the key as plain text
	headers   []Param
	query     []Param
	maxReply  int64
	redact    redactor
}

var _ llm.Sender = (*wire)(nil)

// Send implements llm.Sender.
func (w *wire) Send(ctx context.Context, p *llm.Prepared) (llm.RawReply, error) {
	request, more := chat(p, hosted(w.config.BaseURL))
	t := &exchange{wire: w, messages: p.Messages, more: more, limit: replyLimit(p.Request, w.maxReply)}
	config := w.config
	config.HTTPClient = t
	// go-openai does not see the reply: live and replayed answers are parsed by the same code.
	_, err := openai.NewClientWithConfig(config).CreateChatCompletion(ctx, request)
	var e *llm.Error
	switch {
	case !t.begun:
		e = &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	case t.reply.Status != 0 && t.reply.Status/100 != 2: // whether or not the rest of its body arrives
		e = llm.StatusError(t.reply.Status, t.reply.Body)
		e.RetryAfter = t.retryAfter
	case t.err != nil:
		e = unanswered(t.err)
		e.Status, e.RetryAfter = t.reply.Status, t.retryAfter
	default:
		return t.reply, nil
	}
	return t.reply, e
}

// exchange is one request with its reply. It serves as go-openai's HTTP client.
type exchange struct {
	*wire
	messages   []llm.Message
	more       members
	limit      int64
	begun      bool
	reply      llm.RawReply
	retryAfter time.Duration
	err        error // no complete reply arrived
}

// Do implements openai.HTTPDoer. It follows no redirects: a redirected POST would become a GET, or
// would carry the key to another host.
func (x *exchange) Do(req *http.Request) (res *http.Response, err error) {
	x.begun = true
	defer func() { x.err = err }()
	if err := complete(req, x.messages, x.more); err != nil {
		return nil, err
	}
	if res, x.reply.Body, err = x.roundTrip(req, x.limit); res != nil {
		x.reply.Status, x.reply.Headers = res.StatusCode, selectHeaders(res.Header)
		x.retryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
		res.Body = io.NopCloser(strings.NewReader("{}"))
	}
	return res, err
}

// roundTrip sends a request and reads the body of the reply. It may return a response together with
// an error.
func (w *wire) roundTrip(req *http.Request, limit int64) (*http.Response, []byte, error) {
	res, err := w.begin(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := w.read(res, limit)
	return res, body, err
}

// begin sends a request with the key. It removes secrets from the reply's headers and body and from
// errors while reading it.
func (w *wire) begin(req *http.Request) (*http.Response, error) {
	w.authorize(req)
	res, err := w.transport.RoundTrip(req)
	if err != nil {
		return nil, w.redact.error(err)
	}
	for _, values := range res.Header {
		for i := range values {
			values[i] = w.redact.text(values[i])
		}
	}
	return res, nil
}

// authorize adds the endpoint's key, headers and query parameters. A request outside the base URL
// gets none of them, because another tenant of the host may serve it.
func (w *wire) authorize(req *http.Request) {
	if !w.owns(req.URL) {
		return
	}
	if !w.auth.IsZero() {
		req.Header.Set("Authorization", w.auth.Reveal())
	}
	for _, h := range w.headers {
		req.Header.Set(h.Name, h.Value.Reveal())
	}
	if len(w.query) > 0 {
		q := req.URL.Query()
		for _, p := range w.query {
			q.Set(p.Name, p.Value.Reveal())
		}
		req.URL.RawQuery = q.Encode()
	}
}

// owns reports whether a URL is inside the base URL. A base URL whose path is only the API's
// version covers the whole host.
func (w *wire) owns(u *url.URL) bool {
	base, err := url.Parse(w.config.BaseURL)
	if err != nil {
		return false
	}
	path := strings.TrimRight(base.Path, "/")
	return path == "" || path == "/v1" || u.Path == path || strings.HasPrefix(u.Path, path+"/")
}

// authorization returns the header for a key, or for the credentials in a base URL.
func authorization(key Secret, user *url.Userinfo) Secret {
	switch {
	case !key.IsZero():
		return NewSecret("Bearer " + key.Reveal())
	case user != nil:
		return NewSecret("Basic " + basic(user))
	}
	return Secret{}
}

func basic(user *url.Userinfo) string {
	password, _ := user.Password()
	return base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
}

// kept lists the headers that the journal keeps, besides the rate-limit headers.
var kept = []string{
	"content-type", "date", "server", "via", "retry-after", "x-request-id", "request-id", "openai-version",
	"openai-processing-ms", "openai-model", "x-powered-by", "cf-ray",
}

func selectHeaders(h http.Header) map[string]string {
	out := make(map[string]string, 4)
	for name, v := range h {
		low := strings.ToLower(name)
		if len(v) > 0 && v[0] != "" && (slices.Contains(kept, low) || strings.HasPrefix(low, "x-ratelimit-")) {
			out[low] = v[0]
		}
	}
	return out
}

// replyLimit returns the largest size that a reply can have with the request's max_tokens, but not
// more than most.
func replyLimit(r *llm.Request, most int64) int64 {
	if r.MaxTokens <= 0 {
		return most
	}
	each := int64(tokenBytes)
	if r.Logprobs {
		each += int64(1+r.TopLogprobs) * alternativeBytes
	}
	return min(minReply+int64(r.MaxTokens)*each, most)
}

// read returns the decompressed body. Of an error it reads only the beginning.
func (w *wire) read(res *http.Response, limit int64) ([]byte, error) {
	good := res.StatusCode/100 == 2
	if good && res.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := unpack(res)
	if err != nil {
		return nil, err
	}
	if !good {
		raw, err := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return w.redact.body(raw), w.redact.error(err)
	}
	var buf bytes.Buffer
	if res.ContentLength > 0 {
		buf.Grow(int(res.ContentLength) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	if n > limit {
		return nil, tooLarge(limit)
	}
	return w.redact.body(buf.Bytes()), w.redact.error(err)
}

// unpack returns the body without gzip, which some proxies use without being asked and without
// saying so.
func unpack(res *http.Response) (io.Reader, error) {
	body := bufio.NewReaderSize(res.Body, 4<<10)
	invalid := &llm.Error{Kind: llm.KindInvalidReply, Retryable: true, Message: "the reply is damaged gzip"}
	if head, _ := body.Peek(2); string(head) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(body)
		if err != nil {
			return nil, invalid
		}
		return unzip, nil
	}
	switch by := strings.ToLower(res.Header.Get("Content-Encoding")); by {
	case "", "identity", "gzip", "x-gzip":
		return body, nil
	default:
		invalid.Message = "the reply is packed by " + llm.OneLine(by) + ", which was not asked for"
		return nil, invalid
	}
}

func tooLarge(limit int64) *llm.Error {
	return &llm.Error{
		Kind: llm.KindTooLarge, Hint: "set max_tokens, or raise the reply limit",
		Message: fmt.Sprintf("the reply is larger than %d bytes, more than its max_tokens can mean", limit),
	}
}

// retryAfter parses a Retry-After header, in seconds or as an HTTP date; 0 if there is none. More
// than a year counts as a year.
func retryAfter(header string, now time.Time) time.Duration {
	const most = 365 * 24 * time.Hour
	header = strings.TrimSpace(header)
	// A number out of range, such as 1e999, has an error and is infinite: it counts as a very long time.
	if s, err := strconv.ParseFloat(header, 64); err == nil || s > 0 {
		if !(s > 0) {
			return 0
		}
		if s >= most.Seconds() {
			return most
		}
		return time.Duration(s * float64(time.Second))
	}
	t, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(t.Sub(now), 0), most)
}

// winRefused is WSAECONNREFUSED. Windows reports a refused connection by this code, not by
// ECONNREFUSED.
const winRefused = syscall.Errno(10061)

// unanswered classifies a failure without a complete HTTP reply.
func unanswered(err error) *llm.Error {
	var own *llm.Error
	if errors.As(err, &own) {
		return own
	}
	if noDescriptor(err) {
		return local(err)
	}
	e := &llm.Error{Kind: llm.KindTransport, Message: llm.OneLine(err.Error()), Retryable: true}
	var (
		netErr   net.Error
		dnsErr   *net.DNSError
		certErr  *tls.CertificateVerificationError
		unknown  x509.UnknownAuthorityError
		recordTL tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		e.Kind, e.Message = llm.KindTimeout, "no complete reply in time"
		e.Hint = "raise the endpoint's timeout, or lower its concurrency"
	case errors.As(err, &certErr), errors.As(err, &unknown):
		e.Retryable, e.Fatal = false, true
		e.Hint = "the server's certificate is not trusted; add its authority to the system's trust store, or use http"
	case errors.As(err, &recordTL):
		e.Retryable, e.Fatal = false, true
		e.Hint = "the server does not use TLS; use http:// in the base URL"
	case errors.As(err, &dnsErr):
		e.Unreached = dnsErr.IsNotFound
		e.Hint = "check the host name in the base URL"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, winRefused):
		e.Unreached = true
		e.Hint = "nothing listens there: is the server running, and is the port right?"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message = "connection closed in the middle of the reply"
	}
	return e
}
