package environment

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// Deps holds what an environment needs from the outside.
type Deps struct {
	// Self is the command line that runs sandbox.Main: the program's own path and the arguments
	// before Main's. Only Starlark needs it.
	Self []string
	// Environ is the environment that started programs inherit, as from os.Environ. Left out are
	// variables whose names contain KEY, TOKEN, SECRET, PASSWORD or CREDENTIAL, those in Withhold,
	// and those whose values contain the value, of at least 8 bytes, of one in Withhold.
	Environ, Withhold []string
	// ReadFile reads a file named in the config.
	ReadFile func(name string) ([]byte, error)
	// Client is used for an MCP server over HTTP; nil for the default one.
	Client *http.Client
}

// Maker makes the environments of a run, one for each worker. It is safe for concurrent use.
type Maker struct {
	deps     Deps
	config   Config
	options  state.Options
	greeting value.Value
	state    value.Value
	want     *value.Value
}

// New checks the config and reads the files that it names. It starts nothing.
// Errors are *ConfigError.
func New(deps Deps, c Config) (*Maker, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Limits = c.Limits.withDefaults()
	m := &Maker{deps: deps, config: c}
	m.options, _ = c.options() // Validate has looked at them
	if c.State != "" {
		var err error
		if m.state, err = m.readJSON("state", c.State); err != nil {
			return nil, err
		}
	}
	if c.Expected.File != "" {
		want, err := m.readJSON("expected.file", c.Expected.File)
		if err != nil {
			return nil, err
		}
		m.want = &want
	}
	if c.Type == starlark {
		source, err := deps.ReadFile(c.File)
		if err != nil {
			return nil, badField("file", "%v", err)
		}
		m.greeting = value.Pairs("op", "open", "file", c.File, "source", string(source),
			"max_steps", c.Limits.MaxSteps, "keep", c.OnError == "keep")
	}
	return m, nil
}

func (m *Maker) readJSON(field, name string) (value.Value, error) {
	data, err := m.deps.ReadFile(name)
	if err != nil {
		return value.Value{}, badField(field, "%v", err)
	}
	if data, err = plain(data); err != nil {
		return value.Value{}, badField(field, "%s: %v", name, err)
	}
	v, err := value.Parse(data)
	if err != nil {
		return v, badField(field, "%s: %v", name, err)
	}
	return v, nil
}

// maxState limits the size of an unpacked state, in bytes.
const maxState = 1 << 30

// plain unpacks a file if it is gzipped.
func plain(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, maxState+1))
	if err == nil && len(out) > maxState {
		err = fmt.Errorf("is larger than %d bytes", maxState)
	}
	return out, err
}

// workers returns how many environments may be used at the same time if n are wanted: one if all
// sessions of a server share a state.
func (m *Maker) workers(n int) int {
	if m.config.URL != "" && !m.config.Isolated {
		return 1
	}
	return max(n, 1)
}

// environment returns a new environment. It starts nothing before its first Reset.
func (m *Maker) environment() *environment {
	c := m.config
	e := &environment{
		limits: c.Limits, equality: m.options.Equality, track: c.Type == starlark || c.Track != trackEnd,
	}
	program := command{argv: c.Command, dir: c.Dir, env: m.environ(), memory: c.Limits.MaxMemory}
	switch c.Type {
	case starlark:
		argv := append(slices.Clone(m.deps.Self), fmt.Sprintf("-memory=%d", c.Limits.MaxMemory))
		// The tools see nothing of the environment, and neither does their process.
		program = command{argv: argv, env: []string{"GOTRACEBACK=none"}}
		e.runner = &lineRunner{command: program, limits: c.Limits, greeting: m.greeting}
	case commandKind:
		e.runner = &lineRunner{command: program, limits: c.Limits, reads: c.Reads}
	default:
		client := http.Client{}
		if m.deps.Client != nil {
			client = *m.deps.Client
		}
		if client.Transport == nil {
			client.Transport = http.DefaultTransport
		}
		e.runner = &mcpRunner{config: c, client: &client, command: program}
	}
	return e
}

// environ returns the environment that a program inherits: everything except what may be a
// credential (see Deps.Environ), and the config's own variables.
func (m *Maker) environ() []string {
	withheld := func(name string) bool { return slices.Contains(m.deps.Withhold, name) }
	var secrets []string
	for _, kv := range m.deps.Environ {
		if name, v, _ := strings.Cut(kv, "="); len(v) >= 8 && withheld(name) {
			secrets = append(secrets, v)
		}
	}
	env := []string{}
	for _, kv := range m.deps.Environ {
		name, v, _ := strings.Cut(kv, "=")
		holds := func(secret string) bool { return strings.Contains(v, secret) }
		if !withheld(name) && !credential.MatchString(name) && !slices.ContainsFunc(secrets, holds) {
			env = append(env, kv)
		}
	}
	for _, v := range m.config.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

// credential matches the names of variables that are not inherited.
var credential = regexp.MustCompile(`(?i)KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL`)
