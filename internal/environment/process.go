package environment

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/environment/sandbox"
)

// The limits of what is kept of a process's standard error, and how long a process may take to end
// after its input was closed.
const (
	stderrLines = 12
	stderrBytes = 4 << 10
	stderrHead  = 1 << 10
	endGrace    = 500 * time.Millisecond
	// memoryLook is the time between two checks of a program's memory.
	memoryLook = 20 * time.Millisecond
)

// command says how to start a process.
type command struct {
	argv []string
	dir  string
	env  []string
	// memory is the maximum resident memory in bytes, 0 means no limit. A system that does not
	// report memory has no limit.
	memory int64
}

// process is a running program with its pipes. Its standard output is read line by
// line with a size limit; reads and writes have deadlines.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	out    *bufio.Reader
	stderr *tail
	ended  chan struct{}
	// overMemory is set if the process was killed because of its memory.
	overMemory atomic.Bool
	// tooLong is set when a line of the output was longer than allowed.
	tooLong atomic.Bool
}

// start starts the command.
func (c command) start() (*process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		closeAll(inR, inW)
		return nil, err
	}
	p := &process{
		cmd:    exec.Command(c.argv[0], c.argv[1:]...),
		stdin:  inW,
		stdout: outR,
		out:    bufio.NewReaderSize(outR, 1<<16),
		stderr: &tail{},
		ended:  make(chan struct{}),
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, p.stderr
	p.cmd.Dir, p.cmd.Env = c.dir, c.env
	p.cmd.WaitDelay = endGrace
	ownGroup(p.cmd)
	err = p.cmd.Start()
	closeAll(inR, outW)
	if err != nil {
		closeAll(inW, outR)
		return nil, err
	}
	go func() {
		// How it ended is read from its state when needed.
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	if c.memory > 0 {
		go p.watchMemory(c.memory)
	}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func (p *process) watchMemory(limit int64) {
	pid := strconv.Itoa(p.cmd.Process.Pid)
	tick := time.NewTicker(memoryLook)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
		}
		if _, resident := sandbox.Memory(pid); resident > limit {
			p.overMemory.Store(true)
			killGroup(p.cmd)
			return
		}
	}
}

// exchange writes one line and reads one line back, until ctx ends. The line must end with a line
// feed; the answer is returned without it.
func (p *process) exchange(ctx context.Context, line []byte, most int) ([]byte, error) {
	// Deadlines on pipes are supported wherever processes are.
	deadline := func(t time.Time) {
		_ = p.stdin.SetWriteDeadline(t)
		_ = p.stdout.SetReadDeadline(t)
	}
	deadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { deadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := p.stdin.Write(line); err != nil {
		return nil, err
	}
	return readLine(p.out, most)
}

// errTooLong says that a line is longer than allowed.
var errTooLong = errors.New("line too long")

// readLine reads a line of at most most bytes, without its line feed. The returned slice is a copy.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most+1 {
			return nil, errTooLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// explain converts a failed exchange to a fault, or to the context's cause if the caller's context
// ended. p is nil for a server that is not our process.
func explain(ctx context.Context, op string, p *process, tooLong bool, err error) error {
	var f *Fault
	cause := context.Cause(ctx)
	switch {
	case tooLong:
		f = faultf(oversized, op, "the answer is longer than max_reply allows")
	case p != nil && p.overMemory.Load():
		f = overMemory(op)
	case errors.Is(cause, errTimeout):
		f = faultf(hang, op, "%v", errTimeout)
	case cause != nil:
		return cause
	case p != nil && lost(err):
		f = p.explainEnd(op)
	case p != nil:
		f = faultf(protocol, op, "%v", err)
	default:
		f = faultf(crash, op, "%v", err)
	}
	if p != nil {
		f.Stderr = p.stderr.lines()
	}
	return f
}

func overMemory(op string) *Fault {
	return faultf(memoryFault, op, "the process used more memory than max_memory allows")
}

// lost reports whether the connection ended, and not that a bad answer arrived. The MCP library
// passes some of these errors on as text.
func lost(err error) bool {
	for _, sign := range []string{"EOF", "closed", "broken pipe", "client is closing"} {
		if strings.HasSuffix(err.Error(), sign) {
			return true
		}
	}
	return errors.Is(err, mcp.ErrConnectionClosed)
}

// explainEnd says why a process that closed its pipes ended.
func (p *process) explainEnd(op string) *Fault {
	select {
	case <-p.ended:
	case <-time.After(endGrace):
		return faultf(crash, op, "the process closed its output")
	}
	if p.overMemory.Load() || p.cmd.ProcessState.ExitCode() == sandbox.ExitMemory {
		return overMemory(op)
	}
	text := p.stderr.text()
	// Go's runtime also needs memory to map pages and to start a thread.
	for _, sign := range []string{"out of memory", "cannot allocate memory", "failed to allocate", "MemoryError",
		"cannot map pages", "failed to create new OS thread"} {
		if strings.Contains(text, sign) {
			return faultf(memoryFault, op, "the process ran out of memory")
		}
	}
	return faultf(crash, op, "the process ended: %s", p.cmd.ProcessState)
}

// stop stops the process, and everything that it started, by force: at once, or after some time to
// end by itself when its input is closed. A process that has ended is left alone, because its
// number may now belong to another one.
func (p *process) stop(atOnce bool) {
	if !atOnce {
		closeAll(p.stdin)
		select {
		case <-p.ended:
		case <-time.After(endGrace):
		}
	}
	select {
	case <-p.ended:
	default:
		killGroup(p.cmd)
	}
	<-p.ended
	closeAll(p.stdin, p.stdout)
}

// tail keeps the beginning and the last lines of what is written to it: a crashing runtime prints
// the reason first and its stacks later.
type tail struct {
	mu   sync.Mutex
	head []byte
	buf  []byte
}

// text returns what is known of the beginning and of the end.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head) + "\n" + string(t.buf)
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head = append(t.head, b[:min(len(b), stderrHead-len(t.head))]...)
	t.buf = append(t.buf, b[max(0, len(b)-stderrBytes):]...)
	t.buf = t.buf[max(0, len(t.buf)-stderrBytes):]
	return len(b), nil
}

// lines returns the last lines, without empty ones and control characters.
func (t *tail) lines() []string {
	t.mu.Lock()
	text := strings.ToValidUTF8(string(t.buf), "\uFFFD")
	t.mu.Unlock()
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return -1
			}
			return r
		}, line)
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-stderrLines):]
}

// startFault returns the fault of a process that could not be started.
func startFault(argv []string, err error) *Fault {
	return faultf(configFault, "start", "%s cannot be started: %v", fmt.Sprintf("%q", argv[0]), err)
}
