package client

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

const (
	// maxDescriptorWait limits how long one attempt waits for a free file descriptor;
	// descriptorPoll is the time between two tries.
	maxDescriptorWait = 5 * time.Second
	descriptorPoll    = 20 * time.Millisecond
)

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// patient returns a dial function that waits while this process may not open more files: requests
// that end meanwhile free a descriptor or hand over their connection.
func patient(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		begun := time.Now()
		for {
			conn, err := dial(ctx, network, address)
			if !noDescriptor(err) || time.Since(begun) >= maxDescriptorWait || sleep(ctx, descriptorPoll) != nil {
				return conn, err
			}
		}
	}
}

// noDescriptor reports whether an error says that this process or this machine may not open more
// files. The resolver's errors say so only in their text.
func noDescriptor(err error) bool {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return true
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && strings.Contains(dns.Err, syscall.EMFILE.Error())
}

// local returns the error of an attempt that never left this machine.
func local(err error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindLocal, Message: llm.OneLine(err.Error()), Retryable: true, Fatal: true,
		Hint: "the endpoint is not at fault, this process may open no more files: lower --concurrency, or raise " +
			"the limit (ulimit -n), and run the same again",
	}
}
