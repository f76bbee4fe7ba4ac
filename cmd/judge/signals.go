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

// stopping holds what a signal handler must know about the work that it stops.
type stopping struct {
	// inFlight counts open requests.
	inFlight atomic.Int64
	// dir is the run directory, nil before there is one.
	dir atomic.Pointer[string]
	// orderly says that the command ends by itself after the first signal, however long that takes.
	orderly atomic.Bool

	mu sync.Mutex
	// ends holds the functions to call when the command ends.
	ends []func()
}

// atEnd registers a function to call when the command ends; the last one registered runs first.
func (a *app) atEnd(end func()) {
	a.stopping.mu.Lock()
	defer a.stopping.mu.Unlock()
	a.stopping.ends = append(a.stopping.ends, end)
}

// end calls, once, the registered functions.
func (s *stopping) end() {
	s.mu.Lock()
	ends := s.ends
	s.ends = nil
	s.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
}

// resumes sets the directory in which the work can be resumed.
func (a *app) resumes(dir string) { a.stopping.dir.Store(&dir) }

func (s *stopping) resumeHint() string {
	if dir := s.dir.Load(); dir != nil {
		return resumeHint(*dir)
	}
	return ""
}

// withSignals cancels the context at the first signal and ends the process at the second, with a
// message each time. It also ends a command that hangs after the first.
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

// work says what is being done after the first signal.
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

// stuckAfter limits how long a command without open requests may continue after the first signal:
// long enough to write its files, and shorter than people wait.
const stuckAfter = 2 * time.Second

// stuck waits for the second signal. It returns true if the command continues without one, for
// example because it reads a pipe that nobody writes to.
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
