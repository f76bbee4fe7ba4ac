package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// stopping holds what a signal has to know of the work that it ends.
type stopping struct {
	// inFlight counts requests that are under way.
	inFlight atomic.Int64
	// dir is the run directory, nil before there is one.
	dir atomic.Pointer[string]
	// orderly says that the command ends by itself after the first signal, however long that
	// takes.
	orderly atomic.Bool

	mu sync.Mutex
	// ends holds what has to end with the command.
	ends []func()
}

// atEnd has something done when the command is at its end, the last thing first.
func (a *app) atEnd(end func()) {
	a.stopping.mu.Lock()
	defer a.stopping.mu.Unlock()
	a.stopping.ends = append(a.stopping.ends, end)
}

// end does once what has to be done at the end.
func (s *stopping) end() {
	s.mu.Lock()
	ends := s.ends
	s.ends = nil
	s.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
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
// are acknowledged at once. A command that does not end by itself is ended too.
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
		fmt.Fprintf(a.err, "%sjudge: %s, again to stop now\n", lead, a.stopping.work())
		cancel()
		how := "stopped at once"
		if a.stopping.stuck(signals) {
			how = "interrupted"
			a.stopping.end()
		}
		if hint := a.stopping.resumeHint(); hint != "" {
			how += "; what was answered is saved." + hint
		}
		fmt.Fprintf(a.err, "%sjudge: %s\n", lead, how)
		os.Exit(exitInterrupted)
	}()
	return ctx
}

// work says what is being done about the first signal.
func (s *stopping) work() string {
	switch n := s.inFlight.Load(); n {
	case 0:
		return "stopping"
	case 1:
		return "finishing 1 request"
	default:
		return fmt.Sprintf("finishing %d requests", n)
	}
}

// stuckAfter says how long a command may go on after the first signal with no request in
// flight: longer than it takes to write down what is known, and less than people wait.
const stuckAfter = 2 * time.Second

// stuck waits for the second signal, and reports true if the command goes on without it: it
// reads a pipe into which nobody writes, say, or a file that never ends.
func (s *stopping) stuck(second <-chan os.Signal) bool {
	tick := time.NewTicker(stuckAfter / 40)
	defer tick.Stop()
	for idle := time.Now(); time.Since(idle) < stuckAfter; {
		select {
		case <-second:
			return false
		case <-tick.C:
		}
		if s.inFlight.Load() > 0 || s.orderly.Load() {
			idle = time.Now()
		}
	}
	return true
}
