package environment

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/value"
)

// ended returns a process that has ended and wrote text to its standard error.
func ended(text string) *process {
	p := &process{cmd: &exec.Cmd{}, stderr: &tail{}, ended: make(chan struct{})}
	_, _ = p.stderr.Write([]byte(text))
	close(p.ended)
	return p
}

// TestExplain: what a failed exchange is told as, with the last lines of the standard error.
func TestExplain(t *testing.T) {
	over := ended("much\n")
	over.overMemory.Store(true)
	stopped := errors.New("stopped by hand")
	late := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	running := context.Background()
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		p       *process
		tooLong bool
		err     error
		want    string
	}{
		{"too long", late(stopped), ended("x\n"), true, io.EOF,
			"environment call f: oversized: the answer is longer than max_reply allows; stderr: x"},
		{"too much memory", late(errTimeout), over, false, io.EOF,
			"environment call f: memory: the process used more memory than max_memory allows; stderr: much"},
		{"too late", late(errTimeout), ended(""), false, io.EOF, "environment call f: hang: no answer in time"},
		{"too late, a server", late(errTimeout), nil, false, io.EOF, "environment call f: hang: no answer in time"},
		{"interrupted", late(stopped), ended("x\n"), false, io.EOF, "stopped by hand"},
		{"interrupted at a server", late(stopped), nil, false, io.EOF, "stopped by hand"},
		{"ended", running, ended("a\nb\n"), false, io.EOF, "environment call f: crash: the process ended: <nil>; stderr: a | b"},
		{"a bad answer", running, ended("x\n"), false, errors.New("no JSON"), "environment call f: protocol: no JSON; stderr: x"},
		{"a server is gone", running, nil, false, errors.New("connection refused"), "environment call f: crash: connection refused"},
	} {
		err := explain(tt.ctx, "call f", tt.p, tt.tooLong, tt.err)
		got := err.Error()
		var f *Fault
		if errors.As(err, &f) {
			got = f.Detail()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestExplainEnd: what a process printed before it ended tells whether it ran out of memory.
func TestExplainEnd(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                "crash: the process ended: <nil>",
		"fatal: the disk is full":                         "crash: the process ended: <nil>",
		"fatal error: out of memory":                      "memory: the process ran out of memory",
		"fork: cannot allocate memory\nbye":               "memory: the process ran out of memory",
		"mmap failed to allocate 4096 bytes":              "memory: the process ran out of memory",
		"Traceback\nMemoryError":                          "memory: the process ran out of memory",
		"runtime: cannot map pages in arena":              "memory: the process ran out of memory",
		"runtime: failed to create new OS thread (have 2": "memory: the process ran out of memory",
	} {
		if got := ended(text).explainEnd("reset").Error(); got != "environment reset: "+want {
			t.Errorf("%q: %s", text, got)
		}
	}
	over := ended("")
	over.overMemory.Store(true)
	if f := over.explainEnd("reset"); f.Kind != memoryFault || f.Message != "the process used more memory than max_memory allows" {
		t.Errorf("%+v", f)
	}
}

// TestLost: which errors say that the connection is gone, and not that an answer is bad.
func TestLost(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{io.EOF, true}, {io.ErrUnexpectedEOF, true}, {errors.New("write: file already closed"), true},
		{errors.New("write |1: broken pipe"), true}, {errors.New("calling x: client is closing"), true},
		{mcp.ErrConnectionClosed, true}, {errors.New("EOF, but it went on"), false}, {errors.New("no JSON"), false},
	} {
		if got := lost(tt.err); got != tt.want {
			t.Errorf("%v: %v", tt.err, got)
		}
	}
}

// TestDeafProcess: what is written to a process that does not read ends with its context, and the next line is written
// as usual.
func TestDeafProcess(t *testing.T) {
	long, err := jsonrpc.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s"}`, strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	short, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","method":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	line, answer := strings.Repeat("x", 1<<20)+"\n", "answer\n"
	for name, write := range map[string]func(ctx context.Context, p *process, long bool) error{
		"a line": func(ctx context.Context, p *process, long bool) error {
			if long {
				_, err := p.exchange(ctx, []byte(line), 100)
				return err
			}
			got, err := p.exchange(ctx, []byte("x\n"), 100)
			if err == nil && string(got) != "answer" {
				err = fmt.Errorf("another answer: %s", got)
			}
			return err
		},
		"a message": func(ctx context.Context, p *process, isLong bool) error {
			c := &stdioConn{proc: p}
			if isLong {
				return c.Write(ctx, long)
			}
			return c.Write(ctx, short)
		},
	} {
		in, stdin, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := &process{stdin: stdin, stdout: stdout, out: bufio.NewReader(stdout)}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := write(gone, p, true); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := out.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, in); close(read) }()
		if err := write(t.Context(), p, false); err != nil {
			t.Errorf("%s, the next one: %v", name, err)
		}
		closeAll(stdin, stdout, out)
		<-read
		closeAll(in)
	}
}

// TestReadLine: lines up to the limit are read whole, whatever the size of the buffer.
func TestReadLine(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
		err  error
	}{
		{"abc\nd", 3, "abc", nil}, {"abcd\n", 3, "", errTooLong}, {"\n", 3, "", nil}, {"", 3, "", io.EOF},
		{"ab", 3, "", io.ErrUnexpectedEOF}, {"a", 3, "", io.ErrUnexpectedEOF},
		{strings.Repeat("x", 40) + "\n", 40, strings.Repeat("x", 40), nil},
		{strings.Repeat("x", 41) + "\n", 40, "", errTooLong},
		{strings.Repeat("x", 40) + "\r\n", 50, strings.Repeat("x", 40) + "\r", nil},
	} {
		line, err := readLine(bufio.NewReaderSize(strings.NewReader(tt.in), 16), tt.most)
		if string(line) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q of at most %d: %q, %v", tt.in, tt.most, line, err)
		}
	}
	broken := errors.New("the disk is gone")
	partly := io.MultiReader(strings.NewReader("part"), iotest.ErrReader(broken))
	if _, err := readLine(bufio.NewReader(partly), 5); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := readLine(bufio.NewReader(iotest.ErrReader(broken)), 5); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestTail: of a long standard error the beginning and the end are known, and its last twelve lines are told.
func TestTail(t *testing.T) {
	write := func(parts ...string) *tail {
		s := &tail{}
		for _, p := range parts {
			if n, err := s.Write([]byte(p)); n != len(p) || err != nil {
				t.Errorf("%d of %d bytes written, %v", n, len(p), err)
			}
		}
		return s
	}
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		parts []string
		want  string
	}{
		{[]string{"ab", "cd"}, "abcd\nabcd"},
		{[]string{"ab" + long, "end"}, "ab" + long[:1022] + "\n" + long[:4093] + "end"},
		{[]string{long[:1000], strings.Repeat("y", 100), "end"},
			long[:1000] + strings.Repeat("y", 24) + "\n" + long[:1000] + strings.Repeat("y", 100) + "end"},
	} {
		if got := write(tt.parts...).text(); got != tt.want {
			t.Errorf("%d parts: %d bytes, want %d", len(tt.parts), len(got), len(tt.want))
		}
	}
	got := write("a \x1b[31m\tred\x7f\n \t\n\nb\xff\r\n").lines()
	if want := []string{"a [31m\tred", "b\uFFFD"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = write("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13").lines()
	if len(got) != 12 || got[0] != "2" || got[11] != "13" {
		t.Errorf("%q", got)
	}
}

// script starts a shell that runs a script.
func script(t *testing.T, text string) *process {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	p, err := command{argv: []string{shell, "-c", text}, dir: dir, env: []string{"GIVEN=yes"}}.start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(true) })
	return p
}

// TestProcess: a program runs in its directory with its own variables only, answers line by line, and what it
// prints to its standard error is kept.
func TestProcess(t *testing.T) {
	p := script(t, `echo warning >&2; read a; echo "$a $GIVEN-$HOME"; read b; echo "$b"; read c; exit 3`)
	for _, tt := range []struct{ in, want string }{{"one\n", "one yes-"}, {"two\n", "two"}} {
		got, err := p.exchange(t.Context(), []byte(tt.in), 100)
		if err != nil || string(got) != tt.want {
			t.Errorf("%q, %v", got, err)
		}
	}
	_, err := p.exchange(t.Context(), []byte("three\n"), 100)
	f, _ := explain(t.Context(), "call f", p, false, err).(*Fault)
	if f == nil || f.Detail() != "environment call f: crash: the process ended: exit status 3; stderr: warning" {
		t.Errorf("%v, %v", f, err)
	}
}

// TestProcessAfterInterrupt: a process that an interrupted exchange left alone can be asked again.
func TestProcessAfterInterrupt(t *testing.T) {
	p := script(t, `read a; read b; echo "$a $b"; read c`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.exchange(ctx, []byte("one\n"), 100); err == nil {
		t.Error("an exchange goes on though nobody waits for it")
	}
	_, err := p.exchange(t.Context(), []byte("two\n"), 100)
	if err != nil {
		t.Error(err)
	}
}

// TestProcessStops: a program that is given time to end by itself does so, and one that does not is killed.
func TestProcessStops(t *testing.T) {
	for _, tt := range []struct {
		script string
		atOnce bool
		want   string
	}{
		{"read a; exit 0", false, "exit status 0"},
		{"read a; exit 0", true, "signal: killed"},
		{"read a; while :; do sleep 0.05; done", false, "signal: killed"},
	} {
		p := script(t, "read a; echo it runs; "+tt.script)
		if _, err := p.exchange(t.Context(), []byte("go\n"), 100); err != nil {
			t.Fatal(err)
		}
		p.stop(tt.atOnce)
		if got := p.cmd.ProcessState.String(); got != tt.want {
			t.Errorf("%q, at once %v: %s", tt.script, tt.atOnce, got)
		}
		if _, err := p.stdin.Write([]byte("x")); err == nil {
			t.Errorf("%q: its input is still open", tt.script)
		}
		if _, err := p.stdout.Read(make([]byte, 1)); err == nil {
			t.Errorf("%q: its output is still open", tt.script)
		}
	}
}

// answers is a program over JSON lines that gives the replies, whatever it is asked.
func answers(t *testing.T, limits Limits, replies ...string) *lineRunner {
	t.Helper()
	r := &lineRunner{limits: limits.withDefaults()}
	r.proc = script(t, "while read line; do read -r reply <&3 || exit; printf '%s\\n' \"$reply\"; done 3<<'END'\n"+
		strings.Join(replies, "\n")+"\nEND\n")
	return r
}

// TestLineReplies: what each reply of a program means.
func TestLineReplies(t *testing.T) {
	const noReply = `the answer is not a reply: want {"ok":true,"result":…} or {"ok":false,"error":…}, got `
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		reply           string
		call            string
		reset, snapshot string
	}{
		{`{"ok":true,"result":{"a":1.50}}`, `{"a":1.50} false false`, "", `{"a":1.50}`},
		{`{"ok":true}`, `null false false`, "", `null`},
		{`{"ok":false,"error":"not allowed"}`, `"not allowed" true false`,
			"environment reset: protocol: the environment refused its state: not allowed",
			"environment snapshot: protocol: the environment refused: not allowed"},
		{`{"ok":false,"error":{"code":5}}`, `"{'code': 5}" true false`,
			"environment reset: protocol: the environment refused its state: {'code': 5}",
			"environment snapshot: protocol: the environment refused: {'code': 5}"},
		{`{"ok":false,"error":"unknown tool f"}`, `"unknown tool f" true true`,
			"environment reset: protocol: the environment refused its state: unknown tool f",
			"environment snapshot: protocol: the environment refused: unknown tool f"},
		{`{"ok":false,"error":"too much","fault":"steps"}`, "environment call f: steps: too much", "-", "-"},
		{`{"ok":false,"error":"odd","fault":"request"}`, "environment call f: protocol: odd", "-", "-"},
		{`{"ok":1}`, `environment call f: protocol: ` + noReply + `"{\"ok\":1}"`, `environment reset: protocol: ` + noReply + `"{\"ok\":1}"`,
			`environment snapshot: protocol: ` + noReply + `"{\"ok\":1}"`},
		{long, `environment call f: protocol: ` + noReply + `"` + long[:119] + `…"`, "-", "-"},
	} {
		r := answers(t, Limits{}, tt.reply, tt.reply, tt.reply)
		res, err := r.call(t.Context(), "f", value.OfObject())
		got := res.Value.JSON() + " " + map[bool]string{true: "true ", false: "false "}[res.IsError] + map[bool]string{true: "true", false: "false"}[res.Unknown]
		if err != nil {
			got = err.Error()
		}
		if got != tt.call {
			t.Errorf("%.40s: call: %s, want %s", tt.reply, got, tt.call)
		}
		got = ""
		if err := r.reset(t.Context(), value.OfObject()); err != nil {
			got = err.Error()
		}
		if tt.reset != "-" && got != tt.reset {
			t.Errorf("%.40s: reset: %s, want %s", tt.reply, got, tt.reset)
		}
		st, err := r.snapshot(t.Context())
		got = st.JSON()
		if err != nil {
			got = err.Error()
		}
		if tt.snapshot != "-" && got != tt.snapshot {
			t.Errorf("%.40s: snapshot: %s, want %s", tt.reply, got, tt.snapshot)
		}
	}
	r := answers(t, Limits{MaxReply: 31}, `{"ok":true,"result":"12345678"}`, `{"ok":true,"result":"123456789"}`)
	if res, err := r.call(t.Context(), "f", value.OfObject()); err != nil || res.Value.Text() != "12345678" {
		t.Errorf("%v, %v", res, err)
	}
	_, err := r.call(t.Context(), "f", value.OfObject())
	if err == nil || err.Error() != "environment call f: oversized: the answer is longer than max_reply allows" {
		t.Error(err)
	}
}

// TestLineFaults: a program that cannot be started, refuses its beginning or answers nonsense is told as such, with what
// it printed to its standard error.
func TestLineFaults(t *testing.T) {
	none := &lineRunner{command: command{argv: []string{filepath.Join(t.TempDir(), "none")}}}
	err := none.start(t.Context())
	if f, ok := err.(*Fault); !ok || f.Kind != configFault || f.Op != "start" || !strings.HasPrefix(f.Message, `"`+none.command.argv[0]+`" cannot be started: `) {
		t.Errorf("%v", err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for reply, want := range map[string]string{
		`{"ok":false,"error":"t.star:1: no"}`: "environment start: config: t.star:1: no",
		`hello`:                               "environment start: protocol: the answer is no JSON: json: unexpected character at byte 0",
	} {
		r := &lineRunner{limits: Limits{}.withDefaults(), greeting: value.Pairs("op", "open"),
			command: command{argv: []string{shell, "-c", "read -r line; echo '" + reply + "'; read -r line"}}}
		if err := r.start(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		p := r.proc
		r.stop(true)
		select {
		case <-p.ended:
		default:
			t.Error("it is not stopped")
		}
	}
	r := &lineRunner{limits: Limits{}.withDefaults(), proc: script(t, `read -r line; echo why >&2; echo '{"ok":true}'; read -r line; echo '{}'`)}
	if err := r.reset(t.Context(), value.OfObject()); err != nil {
		t.Fatal(err)
	}
	for r.proc.stderr.lines() == nil { // it is written, and soon read
		time.Sleep(time.Millisecond)
	}
	err = r.reset(t.Context(), value.OfObject())
	if f, ok := err.(*Fault); !ok || f.Kind != protocol || !slices.Equal(f.Stderr, []string{"why"}) {
		t.Errorf("%v", err)
	}
}

// TestClosedOutput: a program that closes its output and goes on is told as such.
func TestClosedOutput(t *testing.T) {
	p := script(t, `read -r a; exec 1>&-; read -r b`)
	_, err := p.exchange(t.Context(), []byte("go\n"), 100)
	if f := explain(t.Context(), "reset", p, false, err); f.Error() != "environment reset: crash: the process closed its output" {
		t.Error(f)
	}
}

// TestMemoryExit: the exit code of the sandbox says that its memory was not enough.
func TestMemoryExit(t *testing.T) {
	p := script(t, `read -r a; exit 91`)
	_, err := p.exchange(t.Context(), []byte("go\n"), 100)
	if f := explain(t.Context(), "reset", p, false, err); f.Error() != "environment reset: memory: the process used more memory than max_memory allows" {
		t.Error(f)
	}
}

// TestPool: each check has an environment of its own, which is free again afterwards; who waits stops with its context.
func TestPool(t *testing.T) {
	m := &memory{}
	p := &Pool{make(chan *environment, 1)}
	p.free <- &environment{runner: m, limits: Limits{}.withDefaults()}
	want := objectOf(t, `{"a":1}`)
	for range 2 {
		o, err := p.Check(t.Context(), Plan{Start: want, WantState: &want})
		if err != nil || o.Reward == nil || *o.Reward != 1 {
			t.Errorf("%+v, %v", o, err)
		}
	}
	env := <-p.free
	stop := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := p.Check(ctx, Plan{}); !errors.Is(err, stop) {
		t.Error(err)
	}
	p.free <- env
	p.Close()
	if m.did[len(m.did)-1] != "stop false" || len(p.free) != 1 {
		t.Errorf("%q", m.did)
	}
}

// TestTracking: what a call changed is known if the state before it is, and needs no look where nothing can change.
func TestTracking(t *testing.T) {
	set := objectOf(t, `{"key":"a","value":2}`)
	m := &memory{}
	env := &environment{runner: reading{m}, limits: Limits{}.withDefaults(), track: true}
	call := func(name string) Result {
		t.Helper()
		res, err := env.Call(t.Context(), name, set)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for range 2 {
		if err := env.Reset(t.Context(), objectOf(t, `{"a":1}`)); err != nil {
			t.Fatal(err)
		}
		if res := call("set"); res.Tracked || len(res.Effects) > 0 {
			t.Errorf("the state before is not known, and the call is tracked: %+v", res)
		}
		m.did = nil
		for _, name := range []string{"say", "gone"} {
			if res := call(name); !res.Tracked || len(res.Effects) > 0 || slices.Contains(m.did, "snapshot") {
				t.Errorf("%s: %+v after %q", name, res, m.did)
			}
		}
		if res := call("drop"); !res.Tracked || len(res.Effects) != 1 || res.Effects[0].Path != "/a" {
			t.Errorf("%+v", res)
		}
	}
}

// reading knows that the tool "say" changes nothing.
type reading struct{ *memory }

func (reading) readOnly(name string) bool { return name == "say" }

// TestTexts: the last text and the one after a reset are not parsed again. A text that is not a state is an error.
func TestTexts(t *testing.T) {
	s := texts{fresh: true}
	for _, text := range []string{`{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":1}`, `{"a":3}`} {
		if v, err := s.parse(text); err != nil || v.JSON() != text {
			t.Errorf("%s: %s, %v", text, v.JSON(), err)
		}
	}
	if s.base != `{"a":1}` || s.fresh {
		t.Errorf("the text after the reset is %s", s.base)
	}
	for text, want := range map[string]string{"": "it is empty", "{": "json: text ends early at byte 1: unexpected EOF"} {
		if _, err := s.parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if v, err := s.parse(`{"a":3}`); err != nil || v.JSON() != `{"a":3}` {
		t.Errorf("%s, %v", v.JSON(), err)
	}
}

// TestEnvironmentNeedsReset: nothing runs before a reset, and after an error only a reset starts it again.
func TestEnvironmentNeedsReset(t *testing.T) {
	m := &memory{at: "snapshot 2"}
	env := &environment{runner: m, limits: Limits{}.withDefaults()}
	const before = ": crash: the environment is not running: reset comes first"
	check := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := env.Call(t.Context(), "say", value.OfObject())
	check(err, "environment call say"+before)
	_, err = env.Snapshot(t.Context())
	check(err, "environment snapshot"+before)
	env.Close()
	if len(m.did) > 0 {
		t.Errorf("%q was done", m.did)
	}
	if err := env.Reset(t.Context(), objectOf(t, `{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if v, err := env.Snapshot(t.Context()); err != nil || v.JSON() != `{"a":1}` {
		t.Errorf("%s, %v", v.JSON(), err)
	}
	_, err = env.Snapshot(t.Context())
	check(err, "environment snapshot: protocol: told to break")
	_, err = env.Snapshot(t.Context())
	check(err, "environment snapshot"+before)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := env.Reset(ctx, value.OfObject()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := env.Reset(t.Context(), value.OfObject()); err != nil {
		t.Error(err)
	}
	env.Close()
	env.Close()
	want := []string{"start", "reset", "snapshot", "snapshot", "stop true", "stop true", "start", "reset", "stop false"}
	if !slices.Equal(m.did, want) {
		t.Errorf("done: %q, want %q", m.did, want)
	}
}

// TestTimeLimits: a call has its own limit, everything else that of the start.
func TestTimeLimits(t *testing.T) {
	var got []time.Duration
	env := &environment{limits: Limits{Call: 2 * time.Hour, Start: 5 * time.Hour}, runner: timed{&memory{}, func(ctx context.Context) {
		end, _ := ctx.Deadline()
		got = append(got, time.Until(end).Round(time.Hour))
	}}}
	err := env.Reset(t.Context(), value.OfObject())
	if err == nil {
		_, err = env.Call(t.Context(), "say", value.OfObject())
	}
	if err == nil {
		_, err = env.Snapshot(t.Context())
	}
	if want := []time.Duration{5 * time.Hour, 5 * time.Hour, 2 * time.Hour, 5 * time.Hour}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// timed is told the context of every operation.
type timed struct {
	*memory
	see func(context.Context)
}

func (m timed) start(ctx context.Context) error { m.see(ctx); return m.memory.start(ctx) }

func (m timed) reset(ctx context.Context, st value.Value) error {
	m.see(ctx)
	return m.memory.reset(ctx, st)
}

func (m timed) call(ctx context.Context, name string, args value.Value) (Result, error) {
	m.see(ctx)
	return m.memory.call(ctx, name, args)
}

func (m timed) snapshot(ctx context.Context) (value.Value, error) {
	m.see(ctx)
	return m.memory.snapshot(ctx)
}

// TestStarlarkResets: the sandbox gets a state once; going back to it needs no more than the word, until it was
// stopped. A program gets the state each time.
func TestStarlarkResets(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	one, two := objectOf(t, `{"a":1}`), objectOf(t, `{"a":2}`)
	for _, tt := range []struct {
		greeting value.Value
		want     []string
	}{
		{value.Pairs("op", "open"), []string{`{"op":"open"}`, `{"op":"reset","state":{"a":1}}`, `{"op":"reset"}`,
			`{"op":"reset","state":{"a":2}}`, `{"op":"open"}`, `{"op":"reset","state":{"a":2}}`}},
		{value.Value{}, []string{`{"op":"reset","state":{"a":1}}`, `{"op":"reset","state":{"a":1}}`,
			`{"op":"reset","state":{"a":2}}`, `{"op":"reset","state":{"a":2}}`}},
	} {
		dir := t.TempDir()
		r := &lineRunner{limits: Limits{}.withDefaults(), greeting: tt.greeting, command: command{argv: []string{shell, "-c",
			`while read -r line; do printf '%s\n' "$line" >>asked; echo '{"ok":true}'; done`}, dir: dir}}
		for i, st := range []value.Value{one, one, two, two} {
			if i == 0 || i == 3 {
				r.stop(true)
				if err := r.start(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.reset(t.Context(), st); err != nil {
				t.Fatal(err)
			}
		}
		r.stop(true)
		r.stop(true)
		asked, err := os.ReadFile(filepath.Join(dir, "asked"))
		if got := strings.Fields(string(asked)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestStarlarkState: the state follows from the edits that the sandbox tells; edits that cannot be are a fault.
func TestStarlarkState(t *testing.T) {
	r := answers(t, Limits{}, `{"ok":true}`, `{"ok":true,"result":5,"edits":[["/a",2],["/b"]]}`,
		`{"ok":false,"error":"no","edits":[["/a",3]]}`, `{"ok":true}`, `{"ok":true,"edits":[["/x/y/z",1]]}`)
	r.greeting = value.Pairs("op", "open")
	if err := r.reset(t.Context(), objectOf(t, `{"a":1,"b":1}`)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`5 {"a":2}`, `"no" {"a":3}`, `null {"a":3}`} {
		res, err := r.call(t.Context(), "f", value.OfObject())
		st, seen := r.snapshot(t.Context())
		if got := res.Value.JSON() + " " + st.JSON(); err != nil || seen != nil || got != want {
			t.Errorf("%s, want %s; %v, %v", got, want, err, seen)
		}
	}
	_, err := r.call(t.Context(), "f", value.OfObject())
	if f, ok := err.(*Fault); !ok || f.Kind != protocol || f.Op != "call f" {
		t.Errorf("%v", err)
	}
}
