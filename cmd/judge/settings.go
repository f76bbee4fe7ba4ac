package main

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report"
	settingsfile "github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// defaultConfig is read from the working directory if it exists.
const defaultConfig = "judge.yaml"

// settings holds the flags that say what a run does. They override the environment, which overrides
// the configuration file.
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
		return nil, meant(path, err)
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
