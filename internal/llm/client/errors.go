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

// transportError classifies a failure that gave no complete HTTP reply. parent
// is the caller's context, without the timeout of the attempt.
func transportError(parent context.Context, err error) *llm.Error {
	if cause := context.Cause(parent); cause != nil {
		return &llm.Error{Kind: llm.KindCanceled, Message: cause.Error(), Cause: parent.Err()}
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
		e.Hint = "check the host name in the base URL"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the server running, and is the port right?"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message = "connection closed in the middle of the reply"
	}
	return e
}

// asError turns any error into an *llm.Error.
func asError(err error) *llm.Error {
	if e, ok := err.(*llm.Error); ok {
		return e
	}
	return &llm.Error{Kind: llm.KindTransport, Message: fmt.Sprint(err)}
}
