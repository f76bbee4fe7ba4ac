package environment

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// The kinds of environments.
const (
	starlark    = "starlark"
	commandKind = "command"
	mcpKind     = "mcp"
)

// trackEnd reads the state only at the end, so that no call is blamed for a difference. By default
// the state is read after every call that may change it.
const trackEnd = "end"

// The wanted outcomes.
const (
	// wantCalls: the state that results from the expected calls, from the same start.
	wantCalls = "calls"
	// wantState: a state in the log or the config.
	wantState = "state"
	// wantNothing: only the assertions and the drift are checked.
	wantNothing = "none"
)

// tauBench is the preset for τ-bench logs: states are compared like in that benchmark, and the
// outputs count.
const tauBench = "tau_bench"

// Config describes the environment for checks: the environment block of a settings file. Only Type,
// and what that type needs, must be set; all other fields have useful zero values.
type Config struct {
	Type string `json:"type" jsonschema:"enum=starlark,enum=command,enum=mcp"`
	// File is the Starlark file.
	File string `json:"file,omitempty"`
	// Command starts a program (command), or an MCP server over stdio (mcp).
	Command []string `json:"command,omitempty" form:"list"`
	// Dir is the working directory of the program, Env its extra variables.
	Dir string    `json:"dir,omitempty"`
	Env Variables `json:"env,omitempty"`
	// URL is the address of an MCP server over streamable HTTP.
	URL string `json:"url,omitempty"`
	// Isolated says that each session of the MCP server at URL has its own state, so that several
	// workers may use it.
	Isolated bool `json:"isolated,omitempty"`
	// Reset and Snapshot name the tools or resources with which an MCP server resets and shows its
	// state.
	Reset    Endpoint `json:"reset,omitzero"`
	Snapshot Endpoint `json:"snapshot,omitzero"`
	// State is the file with the start state; StateAt is a JSON Pointer into the conversation's
	// extra keys, if each conversation has its own. Without either, the start is the environment's
	// own state after a reset.
	State   string `json:"state,omitempty"`
	StateAt string `json:"state_at,omitempty"`
	// Tools maps the log's names of tools to the environment's.
	Tools Variables `json:"tools,omitempty"`
	// Reads lists tools that change nothing.
	Reads []string `json:"reads,omitempty"`
	// Track is "calls" (default) or "end". Starlark always tracks.
	Track string `json:"track,omitempty" jsonschema:"enum=calls,enum=end"`
	// OnError says what happens to the changes of a failing Starlark tool: "rollback" by default.
	OnError string `json:"on_error,omitempty" jsonschema:"enum=rollback,enum=keep"`

	Expected Expected `json:"expected,omitzero"`
	// Assertions must be true for the final state; AssertionsAt is the JSON Pointer to more of them
	// in the conversation's extra keys.
	Assertions   []Assertion `json:"assertions,omitempty"`
	AssertionsAt string      `json:"assertions_at,omitempty"`
	// Outputs says that the texts which the agent must give the user count.
	Outputs bool `json:"outputs,omitempty"`
	// Preset is "" or "tau_bench".
	Preset string `json:"preset,omitempty" jsonschema:"enum=tau_bench"`
	// Ignore, Keyed and Tolerance say what counts as a difference.
	Ignore    []string   `json:"ignore,omitempty"`
	Keyed     Variables  `json:"keyed,omitempty"`
	Tolerance Tolerances `json:"tolerance,omitempty"`
	Replay    Replay     `json:"replay,omitzero"`
	Limits    Limits     `json:"limits,omitzero"`
}

// Expected is the wanted outcome; in a file it may be From alone.
type Expected struct {
	// From is "calls" (default), "state" or "none".
	From string `json:"from,omitempty"`
	// File is the file with the expected state, At the JSON Pointer into the
	// conversation's extra keys.
	File string `json:"file,omitempty"`
	At   string `json:"at,omitempty"`
}

// Variable is a name with a text, in the order of the config.
type Variable struct{ Name, Value string }

// Variables is a list of names with texts; in a file it is a mapping.
type Variables []Variable

// PathNumber is a number for a path pattern.
type PathNumber struct {
	Path string
	By   value.Value
}

// Tolerances is a list of numbers by pattern; in a file it is a mapping, or one number for
// everything.
type Tolerances []PathNumber

// Endpoint is a tool or a resource of an MCP server.
type Endpoint struct {
	Tool     string `json:"tool,omitempty"`
	Resource string `json:"resource,omitempty"`
	// Argument is the reset tool's argument for the state; "" if it has none. AsText passes the
	// state as JSON text.
	Argument string `json:"argument,omitempty"`
	AsText   bool   `json:"as_text,omitempty"`
}

// Replay says which logged calls are run, besides those that the agent executed according to the
// log.
type Replay struct {
	// Refused: calls that a guard refused. Unanswered: calls without a result. User: calls of the
	// simulated user. Malformed: calls whose arguments could not be parsed (they run without
	// arguments).
	Refused    bool `json:"refused,omitempty"`
	Unanswered bool `json:"unanswered,omitempty"`
	User       bool `json:"user,omitempty"`
	Malformed  bool `json:"malformed,omitempty"`
	// SkipFailed leaves out the calls that the log marks as failed.
	SkipFailed bool `json:"skip_failed,omitempty"`
	// DecodeStrings decodes lists and objects that a model wrote as string arguments, as some
	// runners do: true always, false never. Nil means false, except with the preset tau_bench:
	// there a call is decoded if the decoded call gives the logged result, and otherwise runs as
	// written.
	DecodeStrings *bool `json:"decode_strings,omitempty"`
}

// Limits limits an environment. Zero values mean the defaults.
type Limits struct {
	// Call is the time for one call (default 10 s); Start for starting, resetting
	// and reading the state (default 30 s).
	Call  time.Duration `json:"call,omitempty"`
	Start time.Duration `json:"start,omitempty"`
	// MaxSteps is the maximum number of Starlark steps per call (default 50 million).
	MaxSteps int64 `json:"max_steps,omitempty" jsonschema:"minimum=1"`
	// MaxMemory is in bytes (default 1 GiB).
	MaxMemory int64 `json:"max_memory,omitempty" form:"bytes" jsonschema:"minimum=1"`
	// MaxReply is the size of one answer in bytes (default 64 MiB).
	MaxReply int `json:"max_reply,omitempty" form:"bytes" jsonschema:"minimum=1"`
}

func (l Limits) withDefaults() Limits {
	l.Call = cmp.Or(l.Call, 10*time.Second)
	l.Start = cmp.Or(l.Start, 30*time.Second)
	l.MaxSteps = cmp.Or(l.MaxSteps, 50_000_000)
	l.MaxMemory = cmp.Or(l.MaxMemory, 1<<30)
	l.MaxReply = cmp.Or(l.MaxReply, 64<<20)
	return l
}

// ConfigError says what is wrong with a field of the config.
type ConfigError struct{ Field, Message string }

// Error implements error.
func (e *ConfigError) Error() string { return e.Field + ": " + e.Message }

func badField(field, format string, args ...any) *ConfigError {
	return &ConfigError{field, fmt.Sprintf(format, args...)}
}

// Validate returns an error for the first mistake in the config.
func (c Config) Validate() error {
	if err := c.validateKind(); err != nil {
		return err
	}
	e := c.Expected
	if !slices.Contains([]string{"", wantCalls, wantState, wantNothing}, e.From) {
		return badField("expected.from", "must be calls, state or none, not %q", e.From)
	}
	if e.From == wantState && (e.File == "") == (e.At == "") {
		return badField("expected", "from: state needs one of file and at")
	}
	if c.State != "" && c.StateAt != "" {
		return badField("state", "give state or state_at, not both")
	}
	if _, err := c.options(); err != nil {
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
	case starlark:
		if c.File == "" {
			return badField("file", "type starlark needs the file with the tools")
		}
		if c.State == "" && c.StateAt == "" {
			return badField("state", "type starlark needs the start state: "+
				"state (a file) or state_at (a pointer into the conversation)")
		}
	case commandKind:
		if len(c.Command) == 0 {
			return badField("command", "type command needs the program to start")
		}
	case mcpKind:
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

// options returns the options that say what counts as a difference.
func (c Config) options() (state.Options, error) {
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
	if c.Preset == tauBench {
		o.Equality = value.Equality{StrictKinds: true, EmptyListIsEmptyObject: true}
	}
	return o, nil
}
