package sandbox

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// The exit codes of Main.
const (
	exitDone     = 0
	exitProtocol = 90
	// ExitMemory says that the heap grew past the limit.
	ExitMemory = 91
)

// The faults that a reply can name.
const (
	faultSteps   = "steps"
	faultProgram = "program"
	faultRequest = "request"
)

// Main runs a child process that serves one Starlark environment: it reads
// requests from stdin and writes one reply a line to stdout, until stdin ends, and
// returns the exit code. It never returns when the heap grows past the bytes of the flag
// -memory among args (0 for no limit): the process ends with ExitMemory.
//
// The requests are those of the command kind, without a snapshot (the state follows from
// what each call changed), and one more that comes first:
//
//	{"op":"open","file":"tools.star","source":"…","max_steps":1000000,"keep":false}
//	{"op":"reset","state":{…}}   (without a state: back to the last one)
//	{"op":"call","name":"…","arguments":{…}}
//
// A reply is {"ok":true,"result":…} or {"ok":false,"error":"…"}; the reply to a call
// also holds "edits", a list of [pointer, value] or [pointer] if nothing is left,
// and a reply that is the environment's own fault names it under "fault".
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("environment", flag.ContinueOnError)
	flags.SetOutput(stderr)
	memory := flags.Int64("memory", 0, "most bytes of heap, 0 for no limit")
	if err := flags.Parse(args); err != nil {
		return exitProtocol
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "unexpected argument %q\n", flags.Arg(0))
		return exitProtocol
	}
	limitMemory(*memory, stderr)
	s := server{}
	in := bufio.NewReaderSize(stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			reply := append(value.AppendJSON(nil, s.handle(line), value.Format{}), '\n')
			if _, err := stdout.Write(reply); err != nil {
				return exitProtocol
			}
		}
		if errors.Is(err, io.EOF) {
			return exitDone
		}
		if err != nil {
			fmt.Fprintf(stderr, "reading a request: %v\n", err)
			return exitProtocol
		}
	}
}

type server struct{ program *Program }

func (s *server) handle(line []byte) value.Value {
	req, err := value.Parse(line)
	if err != nil {
		return fault(faultRequest, err.Error())
	}
	p, op := s.program, req.Field("op").Text()
	switch {
	case op == "open":
		return s.open(req)
	case p == nil:
		return fault(faultRequest, "open comes first")
	case op == "reset":
		to, given := req.Get("state")
		if !given {
			to = p.start
		}
		if err := p.Reset(to); err != nil {
			return fault(faultRequest, err.Error())
		}
		return success(value.Value{})
	case p.State().IsNull():
		return fault(faultRequest, "reset comes first")
	case op == "call":
		return s.call(req)
	}
	return fault(faultRequest, fmt.Sprintf("unknown op %q", op))
}

func (s *server) open(req value.Value) value.Value {
	steps, ok := req.Field("max_steps").Int64()
	if !ok || steps <= 0 {
		return fault(faultRequest, "max_steps must be a positive integer")
	}
	p, err := Load(req.Field("file").Text(), req.Field("source").Text(), uint64(steps))
	if err != nil {
		return fault(faultProgram, err.Error())
	}
	p.keep, _ = req.Field("keep").BoolVal()
	s.program = p
	return success(value.Value{})
}

func (s *server) call(req value.Value) value.Value {
	out, err := s.program.Call(req.Field("name").Text(), req.Field("arguments"))
	if err != nil {
		return fault(faultSteps, err.Error())
	}
	reply := success(out.Result)
	if out.Failure != "" {
		reply = failure(out.Failure)
	}
	if len(out.Edits) == 0 {
		return reply
	}
	edits := make([]value.Value, len(out.Edits))
	for i, e := range out.Edits {
		edits[i] = value.OfList(value.OfString(e.Path))
		if e.Final != nil {
			edits[i] = value.OfList(value.OfString(e.Path), *e.Final)
		}
	}
	return reply.With("edits", value.OfList(edits...))
}

func success(result value.Value) value.Value { return value.Pairs("ok", true, "result", result) }

func failure(message string) value.Value { return value.Pairs("ok", false, "error", message) }

func fault(kind, message string) value.Value {
	return failure(message).With("fault", value.OfString(kind))
}
