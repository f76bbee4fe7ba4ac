package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// noFile is what a dial ends with in a process that may open no more files.
var noFile = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}

func TestPatientDial(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	resolver := &net.DNSError{Err: "dial udp 10.0.0.1:53: socket: too many open files", Name: "gpu-box"}
	for _, tt := range []struct {
		name  string
		fails int
		err   error
		tries int // that are made
		took  time.Duration
		ok    bool
	}{
		{"at once", 0, noFile, 1, 0, true},
		{"free after a while", 7, noFile, 8, 7 * descriptorPoll, true},
		{"the resolver's", 2, resolver, 3, 2 * descriptorPoll, true},
		{"never free", 1 << 30, noFile, int(maxDescriptorWait/descriptorPoll) + 1, maxDescriptorWait, false},
		{"refused", 3, refused, 1, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries, start := 0, time.Now()
				_, err := patient(func(context.Context, string, string) (net.Conn, error) {
					if tries++; tries > tt.fails {
						return nil, nil
					}
					return nil, tt.err
				})(t.Context(), "tcp", "host:1")
				if tries != tt.tries || (err == nil) != tt.ok || time.Since(start) != tt.took {
					t.Errorf("%d tries in %v: %v; want %d in %v", tries, time.Since(start), err, tt.tries, tt.took)
				}
			})
		})
	}
}

// TestNoDescriptor: what this machine lacks is charged to no request and to no endpoint; if
// it lasts for the time of an outage, the run ends with an error of its own kind.
func TestNoDescriptor(t *testing.T) {
	for _, lasts := range []time.Duration{2 * time.Minute, time.Hour} {
		t.Run(fmt.Sprint(lasts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{took: time.Second, fail: func(at time.Duration, _ int, _ string) (*http.Response, error, bool) {
					return nil, noFile, at < lasts && at > 10*time.Second
				}}
				c, heard := w.client(t, Endpoint{Concurrency: 4, MaxAttempts: 2}, Config{})
				for i, err := range ask(t.Context(), c, 4, 100) {
					switch e := asError(err); {
					case err == nil:
					case lasts < 10*time.Minute:
						t.Fatalf("item %d: %v", i, err)
					case e.Kind != llm.KindLocal || !e.Fatal:
						t.Fatalf("item %d: %v, fatal %v; want a local failure", i, err, e.Fatal)
					}
				}
				if list := heard.all(); len(list) > 0 {
					t.Errorf("an outage of the endpoint was reported: %+v", list)
				}
			})
		})
	}
}

// TestPatientDialStops: whoever stops waiting for a connection is not held up by a lack of files.
func TestPatientDialStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := patient(func(context.Context, string, string) (net.Conn, error) { return nil, noFile })(ctx, "tcp", "host:1")
		if took := time.Since(start); !noDescriptor(err) || took != 50*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
	})
	for err, want := range map[error]bool{
		os.NewSyscallError("socket", syscall.ENFILE): true, &net.DNSError{Err: "no such host"}: false, syscall.ECONNREFUSED: false,
	} {
		if got := noDescriptor(err); got != want {
			t.Errorf("%v is a lack of files: %v", err, got)
		}
	}
}
