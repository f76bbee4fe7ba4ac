package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// stopping is what a signal has to know of the work that it ends.
type stopping struct {
	// inFlight counts requests that are under way.
	inFlight atomic.Int64
	// dir is the run directory, nil before there is one.
	dir atomic.Pointer[string]
}

// resumes says in which directory the work can be taken up again.
func (a *app) resumes(dir string) { a.stopping.dir.Store(&dir) }

func (s *stopping) resumeHint() string {
	if dir := s.dir.Load(); dir != nil {
		return resumeHint(*dir)
	}
	return ""
}

// withSignals ends the context at the first signal and the process at the second; both
// are acknowledged at once.
func (a *app) withSignals(parent context.Context) context.Context {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	lead := ""
	if a.errTerminal {
		lead = "\n" // after the progress line
	}
	go func() {
		<-signals
		work := "stopping"
		switch n := a.stopping.inFlight.Load(); {
		case n == 1:
			work = "finishing 1 request"
		case n > 1:
			work = fmt.Sprintf("finishing %d requests", n)
		}
		fmt.Fprintf(a.err, "%sjudge: %s, again to stop now\n", lead, work)
		cancel()
		<-signals
		fmt.Fprintf(a.err, "%sjudge: stopped at once; what was answered is saved.%s\n", lead, a.stopping.resumeHint())
		os.Exit(exitInterrupted)
	}()
	return ctx
}
