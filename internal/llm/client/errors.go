package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/judgekit/judge/internal/llm"
)

// canceled is the error of a request whose caller has stopped waiting.
func canceled(ctx context.Context) *llm.Error {
	return &llm.Error{Kind: llm.KindCanceled, Message: context.Cause(ctx).Error(), Cause: ctx.Err()}
}

// unanswered classifies a failure that gave no complete HTTP reply.
func unanswered(err error) *llm.Error {
	var own *llm.Error
	if errors.As(err, &own) {
		return own
	}
	var urlErr *url.Error
	if errors.As(err, &urlErr) { // its text repeats the URL, credentials included
		err = urlErr.Err
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
		e.Hint = "the server does not speak TLS; use http:// in the base URL"
	case errors.As(err, &dnsErr):
		e.Unreached = dnsErr.IsNotFound
		e.Hint = "check the host name in the base URL"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Unreached = true
		e.Hint = "nothing listens there: is the server running, and is the port right?"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message = "connection closed in the middle of the reply"
	}
	return e
}

// asError turns any error into an *llm.Error.
func asError(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return &llm.Error{Kind: llm.KindTransport, Message: fmt.Sprint(err)}
}
