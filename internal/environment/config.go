package environment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// The kinds of environments.
const (
	Starlark = "starlark"
	Command  = "command"
	MCP      = "mcp"
)

// The ways of learning which call changed what.
const (
	// TrackCalls looks at the state after every call that may change it.
	TrackCalls = "calls"
	// TrackEnd looks at the end only: differences are then charged to no call.
	TrackEnd = "end"
)

// The wanted outcomes.
const (
	// WantCalls: the state that the expected calls lead to from the same start.
	WantCalls = "calls"
	// WantState: a state that the log or the config holds.
	WantState = "state"
	// WantNothing: only the assertions and the drift are looked at.
	WantNothing = "none"
)

// TauBench is the preset for τ-bench logs: states are compared as that benchmark
// does, and the outputs count.
const TauBench = "tau_bench"

// Config says which environment checks are made in, and how. The zero values of
// everything but Type and what that type needs are useful.
type Config struct {
	// Type is starlark, command or mcp.
	Type string
	// File is the Starlark file.
	File string
	// Command starts a program (command), or an MCP server over stdio (mcp).
	Command []string
	// Dir is the working directory of the program, Env its extra variables.
	Dir string
	Env []Variable
	// URL is the address of an MCP server over streamable HTTP.
	URL string
	// Isolated says that each session of the MCP server at URL has a state of its
	// own, so that several workers may use it.
	Isolated bool
	// Reset and Snapshot name what an MCP server does these by.
	Reset, Snapshot Endpoint
	// State is the file with the start state, StateAt the JSON Pointer into the
	// conversation's extra keys where each has its own. With neither the state is
	// the environment's own after a reset.
	State, StateAt string
	// Tools maps the log's names of tools to the environment's.
	Tools []Variable
	// Reads are tools that change nothing.
	Reads []string
	// Track is TrackCalls (default) or TrackEnd. Starlark always tracks.
	Track string
	// OnError is "rollback" (default) or "keep": what becomes of the changes of a
	// Starlark tool that fails.
	OnError string

	// Want is WantCalls (default), WantState or WantNothing.
	Want string
	// WantFile is the file with the expected state, WantAt the JSON Pointer into the
	// conversation's extra keys.
	WantFile, WantAt string
	// Assertions hold of the final state; AssertionsAt is the JSON Pointer to more of
	// them in the conversation's extra keys.
	Assertions   []Assertion
	AssertionsAt string
	// Outputs makes the texts that the agent must have told the user count.
	Outputs bool
	// Preset is "" or TauBench.
	Preset string
	// Ignore, Keyed and Tolerance say what counts as a difference.
	Ignore    []string
	Keyed     []Variable
	Tolerance []PathNumber
	Replay    Replay
	Limits    Limits
}

// Variable is a name with its text, in the order of the config.
type Variable struct{ Name, Value string }

// PathNumber is a number at a path pattern.
type PathNumber struct {
	Path string
	By   value.Value
}

// Endpoint is a tool or a resource of an MCP server.
type Endpoint struct {
	Tool, Resource string
	// Argument is the reset tool's argument that takes the state; "" where it takes
	// none. AsText passes the state as JSON text.
	Argument string
	AsText   bool
}

// Replay says which logged calls are run beside those that the log shows as
// executed by the agent.
type Replay struct {
	// Refused: calls that a guard refused. Unanswered: calls without a result.
	// User: calls of the simulated user. Malformed: calls whose arguments could not
	// be read (they run without arguments).
	Refused, Unanswered, User, Malformed bool
	// SkipFailed leaves out the calls that the log marks as failed.
	SkipFailed bool
	// DecodeStrings takes lists and objects that a model wrote into a string
	// argument out of it, as some runners do: true always, false never. Nil is
	// false, but under the preset tau_bench such a call is decoded where the logged
	// result is that of the decoded call, and else is run as it was written.
	DecodeStrings *bool
}

// Limits bounds an environment. Zero values become the defaults.
type Limits struct {
	// Call is the time for one call (default 10 s); Start for starting, resetting
	// and reading the state (default 30 s).
	Call, Start time.Duration
	// MaxSteps is the Starlark steps of one call (default 50 million).
	MaxSteps int64
	// MaxMemory is in bytes (default 1 GiB).
	MaxMemory int64
	// MaxReply is the size of one answer in bytes (default 64 MiB).
	MaxReply int
}

func (l Limits) withDefaults() Limits {
	if l.Call == 0 {
		l.Call = 10 * time.Second
	}
	if l.Start == 0 {
		l.Start = 30 * time.Second
	}
	if l.MaxSteps == 0 {
		l.MaxSteps = 50_000_000
	}
	if l.MaxMemory == 0 {
		l.MaxMemory = 1 << 30
	}
	if l.MaxReply == 0 {
		l.MaxReply = 64 << 20
	}
	return l
}

// ConfigError says what is wrong with a field of the config.
type ConfigError struct{ Field, Message string }

// Error implements error.
func (e *ConfigError) Error() string { return e.Field + ": " + e.Message }

func badField(field, format string, args ...any) *ConfigError {
	return &ConfigError{field, fmt.Sprintf(format, args...)}
}

// Validate reports the first thing that is wrong with the config.
func (c Config) Validate() error {
	if err := c.validateKind(); err != nil {
		return err
	}
	for _, f := range []struct {
		name, got string
		allowed   []string
	}{
		{"track", c.Track, []string{"", TrackCalls, TrackEnd}},
		{"on_error", c.OnError, []string{"", "rollback", "keep"}},
		{"expected.from", c.Want, []string{"", WantCalls, WantState, WantNothing}},
		{"preset", c.Preset, []string{"", TauBench}},
	} {
		if !slices.Contains(f.allowed, f.got) {
			return badField(f.name, "must be %s, not %q", strings.Join(f.allowed[1:], " or "), f.got)
		}
	}
	if c.Want == WantState && (c.WantFile == "") == (c.WantAt == "") {
		return badField("expected", "from: state needs one of file and at")
	}
	if c.State != "" && c.StateAt != "" {
		return badField("state", "give state or state_at, not both")
	}
	if _, err := c.Options(); err != nil {
		return err
	}
	for i, a := range c.Assertions {
		if err := a.validate(); err != nil {
			return badField(fmt.Sprintf("assertions[%d]", i), "%v", err)
		}
	}
	return nil
}

func (c Config) validateKind() error {
	switch c.Type {
	case Starlark:
		if c.File == "" {
			return badField("file", "type starlark needs the file with the tools")
		}
		if c.State == "" && c.StateAt == "" {
			return badField("state", "type starlark needs the start state: state (a file) or state_at (a pointer into the conversation)")
		}
	case Command:
		if len(c.Command) == 0 {
			return badField("command", "type command needs the program to start")
		}
	case MCP:
		if (len(c.Command) == 0) == (c.URL == "") {
			return badField("command", "type mcp needs one of command and url")
		}
		for _, e := range []struct {
			name string
			e    Endpoint
		}{{"reset", c.Reset}, {"snapshot", c.Snapshot}} {
			if (e.e.Tool == "") == (e.e.Resource == "") {
				return badField(e.name, "type mcp needs a tool or a resource here")
			}
		}
	default:
		return badField("type", "must be starlark, command or mcp, not %q", c.Type)
	}
	return nil
}

// Options returns what counts as a difference.
func (c Config) Options() (state.Options, error) {
	var o state.Options
	for i, text := range c.Ignore {
		p, err := state.ParsePattern(text)
		if err != nil {
			return o, badField(fmt.Sprintf("ignore[%d]", i), "%v", err)
		}
		o.Ignore = append(o.Ignore, p)
	}
	for _, k := range c.Keyed {
		p, err := state.ParsePattern(k.Name)
		if err != nil {
			return o, badField("keyed", "%v", err)
		}
		o.Keyed = append(o.Keyed, state.Keyed{Path: p, Key: k.Value})
	}
	for _, t := range c.Tolerance {
		p, err := state.ParsePattern(t.Path)
		if err != nil {
			return o, badField("tolerance", "%v", err)
		}
		if cmp, ok := value.Compare(t.By, value.OfInt(0)); !ok || cmp < 0 {
			return o, badField("tolerance", "%s: must be a number from 0 on", t.Path)
		}
		o.Tolerance = append(o.Tolerance, state.Tolerance{Path: p, By: t.By})
	}
	if c.Preset == TauBench {
		o.Equality = value.Equality{StrictKinds: true, EmptyListIsEmptyObject: true}
	}
	return o, nil
}

// Assertion is one condition on the final state.
type Assertion struct {
	// Path is a JSON Pointer.
	Path string
	// Op is eq, ne, lt, le, gt, ge, exists, absent, contains, matches or len.
	Op string
	// Value is what is compared with; unused by exists and absent.
	Value value.Value
}

func (a Assertion) validate() error {
	if a.Path != "" && a.Path[0] != '/' {
		return fmt.Errorf("path: %q must start with a slash, as in /orders/17/status", a.Path)
	}
	switch a.Op {
	case "eq", "ne", "contains", "exists", "absent":
	case "lt", "le", "gt", "ge":
		if _, isText := a.Value.Str(); !a.Value.IsNumber() && !isText {
			return fmt.Errorf("value: %s compares numbers or strings, not %s", a.Op, a.Value.Kind())
		}
	case "len":
		if n, ok := a.Value.Int64(); !ok || n < 0 {
			return fmt.Errorf("value: len wants an integer from 0 on")
		}
	case "matches":
		text, ok := a.Value.Str()
		if !ok {
			return fmt.Errorf("value: matches wants a regular expression as a string")
		}
		if _, err := regexp.Compile(text); err != nil {
			return fmt.Errorf("value: %v", err)
		}
	default:
		return fmt.Errorf("op: must be eq, ne, lt, le, gt, ge, exists, absent, contains, matches or len, not %q", a.Op)
	}
	return nil
}
