package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report"
	settingsfile "github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// defaultConfig is read from the working directory if it exists.
const defaultConfig = "judge.yaml"

// settings holds the flags that say what a run does. They win over the environment, which wins
// over the configuration file.
type settings struct {
	readFlags
	config     string
	models     []string
	baseURLs   []string
	judge      config.Judge // flags for every judge, under the keys of judge.yaml
	scorers    []string
	thresholds []report.Threshold
	must       gateFlags
	noJudge    bool

	// flags holds the command's flags, nil if it has none of these.
	flags interface{ Changed(name string) bool }
}

// changed reports whether a flag was given.
func (s *settings) changed(name string) bool { return s.flags != nil && s.flags.Changed(name) }

// addInput adds the flags of every command that reads logs once to score them.
func (s *settings) addInput(cmd *cobra.Command) {
	s.addReading(cmd)
	f := cmd.Flags()
	f.IntVar(&s.given.Limit, "limit", 0, "read only the first N conversations")
	f.IntVar(&s.given.Sample, "sample", 0, "read a random sample of N conversations, see --seed")
	s.must.add(cmd)
}

// addReading adds the flags that say how logs are read and scored.
func (s *settings) addReading(cmd *cobra.Command) {
	s.flags, s.given.Seed = cmd.Flags(), new(int64)
	s.readFlags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&s.config, "config", "", "configuration file (default judge.yaml if it exists)")
	f.StringArrayVar(&s.scorers, "scorer", nil,
		"deterministic scorer by name, repeatable (default: those that fit the log)")
	f.Int64Var(s.given.Seed, "seed", 0, "seed of --sample and of requests")
	addParsed(cmd, &s.thresholds, "threshold", "which scores pass: rubric=low or rubric=low..high, repeatable",
		report.ParseThreshold)
}

// addJudges adds the flags that choose and configure judges.
func (s *settings) addJudges(cmd *cobra.Command) {
	s.judge.Temperature, s.judge.Reasoning, s.given.CoverageFloor = new(float64), new(int), new(float64)
	s.judge.Seed = s.given.Seed
	f := cmd.Flags()
	f.StringArrayVar(&s.models, "model", nil, "model to judge with; repeatable for several judges side by side")
	f.StringSliceVar(&s.baseURLs, "base-url", nil,
		"OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; repeatable for replicas of one model")
	f.StringVar(&s.judge.APIKeyEnv, "api-key-env", "", "environment variable that holds the key (default OPENAI_API_KEY)")
	f.StringArrayVar(&s.given.Rubrics, "rubric", nil,
		"built-in rubric or rubric file, repeatable (default: all four built in)")
	f.IntVarP(&s.judge.Concurrency, "concurrency", "j", 0,
		"most open requests of each judge (default 8); fewer while the endpoint cannot serve that many")
	f.IntVar(&s.judge.RequestsPerMinute, "requests-per-minute", 0, "most requests a minute (default no limit)")
	f.IntVar(&s.judge.TokensPerMinute, "tokens-per-minute", 0,
		"most tokens of prompts and answers a minute (default no limit)")
	f.DurationVar((*time.Duration)(&s.judge.Timeout), "timeout", 0, "time limit of one request (default 5m)")
	f.IntVar(&s.judge.MaxTokens, "max-tokens", 0, "length limit of an answer (default 1024)")
	f.IntVar(&s.judge.ContextTokens, "context-tokens", 0,
		"size of the model's context (default: what the server reports); prompts that cannot fit are not sent")
	f.Float64Var(s.judge.Temperature, "temperature", 0, "sampling temperature (default 0)")
	f.IntVar(s.judge.Reasoning, "reasoning-tokens", 0, "additional tokens for models that reason before they answer")
	f.StringVar((*string)(&s.judge.Transport), "transport", "",
		"how to ask for structured output: json_schema, tools, json_object, prompt_only "+
			"(default: found out by small requests)")
	f.StringVar((*string)(&s.judge.Layout), "layout", "", "order of the prompt's parts: rubric-first, named-rubrics, "+
		"conversation-first (default rubric-first); scores of different layouts are not comparable")
	f.Float64Var(s.given.CoverageFloor, "coverage-floor", 0.95, "share of judgements that must be scored; below it exit 4")
	f.BoolVar(&s.judge.Together, "together", false, "ask by all rubrics of a scope in one request; such scores are not "+
		"comparable with those of single requests")
	f.Var(&s.given.Retest, "retest", "ask every judge every question twice, to measure noise (twice the cost; combine "+
		"it with --sample); --retest=together asks the second time by all rubrics in one request")
	f.Lookup("retest").NoOptDefVal = string(config.RetestAgain)
	f.BoolVar(&s.noJudge, "no-judge", false, "run deterministic scorers only")
	complete(cmd, "transport", "json_schema", "tools", "json_object", "prompt_only")
	complete(cmd, "layout", "rubric-first", "named-rubrics", "conversation-first")
	complete(cmd, "model", baseline.Model)
}

// load reads the configuration file and applies the flags.
func (s *settings) load(logs []string) (*config.Config, error) {
	c, err := s.file()
	if err != nil {
		return nil, err
	}
	return c, s.overlay(c, logs)
}

// file reads the named configuration, or judge.yaml if it exists.
func (s *settings) file() (*config.Config, error) {
	path := cmp.Or(s.config, defaultConfig)
	data, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) && s.config == "" {
		return &config.Config{}, nil
	}
	if err != nil {
		return nil, usagef("config: %w", err)
	}
	c, err := config.Read(path, data)
	if err != nil {
		return nil, usage(err)
	}
	// Paths in a file are relative to its folder.
	dir := filepath.Dir(path)
	for i, log := range c.Logs {
		c.Logs[i] = from(dir, log)
	}
	c.Tools = from(dir, c.Tools)
	c.Environment = environmentFrom(dir, c.Environment)
	for i, r := range c.Rubrics {
		if strings.ContainsAny(r, `/\.`) {
			c.Rubrics[i] = from(dir, r)
		}
	}
	for i := range c.Panels {
		c.Panels[i].Weights.File = from(dir, c.Panels[i].Weights.File)
	}
	for i := range c.Gates {
		c.Gates[i].Against = runDirectory(from(dir, c.Gates[i].Against))
	}
	return c, nil
}

func from(dir, path string) string {
	if path == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// overlay replaces settings of the file by those of the flags.
func (s *settings) overlay(c *config.Config, logs []string) error {
	if len(logs) > 0 {
		c.Logs = logs
	}
	settingsfile.Overlay(c, &s.given, func(key string) bool { return s.changed(flagOf(key)) })
	if s.changed("rubric") {
		c.Rubrics = s.given.Rubrics
	}
	if len(s.scorers) > 0 {
		c.Scorers = nil
		for _, name := range s.scorers {
			c.Scorers = append(c.Scorers, config.Scorer{Type: name, Config: value.OfObject(), Purpose: "score"})
		}
	}
	c.Thresholds = append(c.Thresholds, s.thresholds...)
	c.Gates = s.must.over(c.Gates)
	if err := s.overlayJudges(c); err != nil {
		return err
	}
	return usage(c.Check())
}

// flagOf returns the flag for a key of the configuration.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// judgeFlags are the flags that apply to every judge, except --base-url and --seed.
var judgeFlags = [...]string{
	"api-key-env", "concurrency", "timeout", "max-tokens", "context-tokens", "temperature",
	"reasoning-tokens", "transport", "requests-per-minute", "tokens-per-minute", "layout",
	"together",
}

func (s *settings) overlayJudges(c *config.Config) error {
	if s.noJudge {
		c.Judges = nil
		return nil
	}
	if s.changed("concurrency") && s.judge.Concurrency < 1 {
		return usagef("--concurrency %d: at least one request must be in flight", s.judge.Concurrency)
	}
	if len(s.models) > 0 {
		c.Judges = nil
		for _, model := range s.models {
			c.Judges = append(c.Judges, config.Judge{Model: model})
		}
	}
	if len(c.Judges) == 0 && (s.changed("base-url") || slices.ContainsFunc(judgeFlags[:], s.changed)) {
		c.Judges = []config.Judge{{}} // the environment may name its endpoint
	}
	given := func(key string) bool {
		name := flagOf(key)
		return (name == "seed" || slices.Contains(judgeFlags[:], name)) && s.changed(name)
	}
	for i := range c.Judges {
		j := &c.Judges[i]
		if s.changed("base-url") && len(s.baseURLs) > 0 {
			j.BaseURL, j.Replicas = s.baseURLs[0], s.baseURLs[1:]
		}
		settingsfile.Overlay(j, &s.judge, given)
		for _, key := range [...]string{"temperature", "seed", "max_tokens"} {
			if s.changed(flagOf(key)) && j.Extra.Has(key) && j.Extra.Field(key).IsNull() {
				j.Extra = j.Extra.Without(key)
			}
		}
	}
	return nil
}

// endpoint returns where a judge's requests go: the base URL of flags or file, else
// OPENAI_BASE_URL, else OLLAMA_HOST, "" if nothing is configured.
func (a *app) endpoint(j *config.Judge) (string, error) {
	if j.BaseURL != "" {
		return j.BaseURL, nil
	}
	if base := a.getenv("OPENAI_BASE_URL"); base != "" {
		return base, nil
	}
	if host := a.getenv("OLLAMA_HOST"); host != "" {
		return ollamaURL(host)
	}
	return "", nil
}

// ollamaURL turns OLLAMA_HOST, which may be a bare host or host:port, into the URL
// of Ollama's OpenAI-compatible API.
func ollamaURL(host string) (string, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" {
		return "", usagef("OLLAMA_HOST: %q is not a host", host)
	}
	name := u.Hostname()
	if name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	u.Host = net.JoinHostPort(name, cmp.Or(u.Port(), "11434"))
	return strings.TrimSuffix(u.String(), "/") + "/v1", nil
}

// login adds key, headers and query parameters to a judge's endpoint.
func (a *app) login(j *config.Judge, e *client.Endpoint) (err error) {
	for _, base := range append([]string{e.BaseURL}, e.Replicas...) {
		if u, err := url.Parse(base); err == nil && u.User != nil {
			return usagef("base-url: a URL must not contain credentials, because reports show it; put the key into an " +
				"environment variable")
		}
	}
	if e.APIKey, err = a.key(j); err == nil {
		e.Headers, err = a.params(j, "headers", j.Headers)
	}
	if err == nil {
		e.Query, err = a.params(j, "query", j.Query)
	}
	return err
}

// key reads a judge's key from the environment.
func (a *app) key(j *config.Judge) (client.Secret, error) {
	if j.APIKeyEnv == "" && slices.ContainsFunc(j.Headers, logsIn) {
		return client.Secret{}, nil
	}
	if j.APIKeyEnv == "" {
		return client.NewSecret(a.getenv(client.DefaultKeyEnv)), nil
	}
	key := a.getenv(j.APIKeyEnv)
	if key == "" {
		return client.Secret{}, &codeError{exitEndpoint,
			fmt.Errorf("judge %s: the environment variable %s is empty or not set", j.Model, j.APIKeyEnv)}
	}
	return client.NewSecret(key), nil
}

// logsIn reports whether a header replaces the usual key.
func logsIn(p config.Param) bool {
	return strings.EqualFold(p.Name, "authorization") || strings.EqualFold(p.Name, "api-key")
}

// params fills environment variables into headers or query parameters.
func (a *app) params(j *config.Judge, what string, list []config.Param) ([]client.Param, error) {
	var out []client.Param
	for _, p := range list {
		text, names := p.Expand(a.getenv)
		for _, name := range names {
			if a.getenv(name) == "" {
				return nil, &codeError{exitEndpoint,
					fmt.Errorf("judge %s: %s.%s: the environment variable %s is empty or not set", j.Model,
						what, p.Name, name)}
			}
		}
		out = append(out, client.Param{Name: p.Name, Value: client.NewSecret(text), Plain: len(names) == 0})
	}
	return out, nil
}

// redaction returns what to replace in prompts to a judge. It is nil if they stay in this
// process, or on this machine without redact_local. The patterns were checked when the
// configuration was read.
func redaction(c *config.Config, j *config.Judge) *judges.Redaction {
	away := func(base string) bool {
		u, err := url.Parse(base)
		return base != "" && (c.RedactLocal || err != nil || !onThisMachine(u.Hostname()))
	}
	if len(c.Redact) == 0 || !away(j.BaseURL) && !slices.ContainsFunc(j.Replicas, away) {
		return nil
	}
	r, err := judges.NewRedaction(c.Redact)
	if err != nil {
		panic("a pattern was not checked: " + err.Error())
	}
	return r
}

func onThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.Unmap().IsLoopback()
}
