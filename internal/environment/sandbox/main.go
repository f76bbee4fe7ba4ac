package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// The exit codes of Main.
const (
	ExitDone     = 0
	ExitProtocol = 90
	// ExitMemory says that the heap grew past the limit.
	ExitMemory = 91
)

// The faults that a reply can name.
const (
	FaultSteps   = "steps"
	FaultProgram = "program"
	FaultRequest = "request"
)

// Main serves one Starlark environment: it reads requests from stdin and writes one
// reply a line to stdout, until stdin ends. It never returns when the heap grows
// past memory bytes (0 for no limit): the process ends with ExitMemory.
//
// The requests are those of the command kind, and one more that comes first:
//
//	{"op":"open","file":"tools.star","source":"…","max_steps":1000000,"keep":false}
//	{"op":"reset","state":{…}}   (without a state: back to the last one)
//	{"op":"call","name":"…","arguments":{…}}
//	{"op":"snapshot"}
//
// A reply is {"ok":true,"result":…} or {"ok":false,"error":"…"}; the reply to a call
// also holds "edits", a list of [pointer, value] or [pointer] where nothing is left,
// and a reply that is the environment's own fault names it under "fault".
func Main(memory int64, stdin io.Reader, stdout, stderr io.Writer) int {
	limitMemory(memory, stderr)
	s := server{}
	in := bufio.NewReaderSize(stdin, 1<<16)
	out := bufio.NewWriterSize(stdout, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			reply := append(value.AppendJSON(nil, s.handle(line), value.Format{}), '\n')
			if _, err := out.Write(reply); err != nil {
				return ExitProtocol
			}
			if err := out.Flush(); err != nil {
				return ExitProtocol
			}
		}
		if errors.Is(err, io.EOF) {
			return ExitDone
		}
		if err != nil {
			fmt.Fprintf(stderr, "reading a request: %v\n", err)
			return ExitProtocol
		}
	}
}

type server struct{ program *program }

func (s *server) handle(line []byte) value.Value {
	req, err := value.Parse(line)
	if err != nil {
		return fault(FaultRequest, err)
	}
	op := req.Field("op").Text()
	if op == "open" {
		return s.open(req)
	}
	if s.program == nil {
		return fault(FaultRequest, errors.New("open comes first"))
	}
	switch op {
	case "reset":
		var to *value.Value
		if v, ok := req.Get("state"); ok {
			to = &v
		}
		if err := s.program.reset(to); err != nil {
			return fault(FaultRequest, err)
		}
		return success(value.Value{})
	case "call":
		return s.call(req)
	case "snapshot":
		if s.program.state == nil {
			return fault(FaultRequest, errors.New("there is no state yet"))
		}
		return success(*s.program.state)
	}
	return fault(FaultRequest, fmt.Errorf("unknown op %q", op))
}

func (s *server) open(req value.Value) value.Value {
	steps, ok := req.Field("max_steps").Int64()
	if !ok || steps <= 0 {
		return fault(FaultRequest, errors.New("max_steps must be a positive integer"))
	}
	p, err := load(req.Field("file").Text(), req.Field("source").Text(), uint64(steps))
	if err != nil {
		return fault(FaultProgram, err)
	}
	p.keep, _ = req.Field("keep").BoolVal()
	s.program = p
	names := p.names()
	tools := make([]value.Value, len(names))
	for i, n := range names {
		tools[i] = value.OfString(n)
	}
	return success(value.OfList(tools...))
}

func (s *server) call(req value.Value) value.Value {
	if s.program.state == nil {
		return fault(FaultRequest, errors.New("reset comes before the first call"))
	}
	out, err := s.program.call(req.Field("name").Text(), req.Field("arguments"))
	if err != nil {
		return fault(FaultSteps, err)
	}
	edits := make([]value.Value, len(out.edits))
	for i, e := range out.edits {
		edits[i] = value.OfList(value.OfString(e.Path), e.Value)
		if e.Op == state.Remove {
			edits[i] = value.OfList(value.OfString(e.Path))
		}
	}
	reply := success(out.result)
	if out.failure != "" {
		reply = value.OfObject(value.Member{Key: "ok", Value: value.OfBool(false)}, value.Member{Key: "error", Value: value.OfString(out.failure)})
	}
	if len(edits) == 0 {
		return reply
	}
	return reply.With("edits", value.OfList(edits...))
}

func success(result value.Value) value.Value {
	return value.OfObject(value.Member{Key: "ok", Value: value.OfBool(true)}, value.Member{Key: "result", Value: result})
}

func fault(kind string, err error) value.Value {
	return value.OfObject(
		value.Member{Key: "ok", Value: value.OfBool(false)},
		value.Member{Key: "error", Value: value.OfString(err.Error())},
		value.Member{Key: "fault", Value: value.OfString(kind)},
	)
}
