package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/rubrics"
)

// doctorFlags are the flags of judge doctor.
type doctorFlags struct {
	settings
	contextTokens int
	asJSON        bool
}

func doctorCommand(a *app) *cobra.Command {
	var f doctorFlags
	cmd := newCommand("doctor", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		return a.doctor(ctx, &f)
	})
	f.flags = cmd.Flags()
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration file (default judge.yaml where it is there)")
	fl.StringArrayVar(&f.models, "model", nil, "model to ask, repeatable")
	fl.StringSliceVar(&f.baseURLs, "base-url", nil, "OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1")
	fl.StringVar(&f.judge.APIKeyEnv, "api-key-env", "", "environment variable that holds the key (default OPENAI_API_KEY)")
	fl.DurationVar((*time.Duration)(&f.judge.Timeout), "timeout", 0, "time limit of one request (default 3m)")
	fl.IntVar(&f.contextTokens, "context-tokens", 0,
		"context to check for, in tokens (default 8192, negative for none)")
	fl.BoolVar(&f.asJSON, "json", false, "machine-readable output")
	return cmd
}

// diagnosis is what was found about one judge's endpoint.
type diagnosis struct {
	Judge    string `json:"judge"`
	Model    string `json:"model"`
	Endpoint string `json:"endpoint"`
	// Usable says that a run can go on with it.
	Usable       bool                     `json:"usable"`
	Error        string                   `json:"error,omitempty"`
	Capabilities *capability.Capabilities `json:"capabilities,omitempty"`
	// Config are the lines for judge.yaml.
	Config string `json:"judge_yaml,omitempty"`
	// Profile is the file that judge run will use.
	Profile string `json:"profile,omitempty"`
}

func (a *app) doctor(ctx context.Context, f *doctorFlags) error {
	a.quiet = true // the findings say it
	c, err := f.load(nil)
	if err != nil {
		return err
	}
	asked := len(c.Judges) > 0
	if !asked {
		c.Judges = []config.Judge{{}}
	}
	by, err := loadRubrics(c.Rubrics)
	if err != nil {
		return err
	}
	var found []diagnosis
	usable := true
	for i := range c.Judges {
		d, err := a.diagnose(ctx, &c.Judges[i], by, asked, f.contextTokens)
		if err != nil {
			return err
		}
		usable = usable && d.Usable
		if !f.asJSON {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			d.print(a.out)
		}
		found = append(found, d)
	}
	if f.asJSON {
		if err := writeJSON(a.out, map[string]any{"schema": "judge.doctor/v1", "endpoints": found}); err != nil {
			return err
		}
	}
	if !usable {
		return &codeError{code: exitEndpoint}
	}
	return nil
}

// diagnose asks one endpoint. The error is a mistake of the user's, or an
// interruption; an endpoint that fails is a diagnosis.
func (a *app) diagnose(ctx context.Context, j *config.Judge, by []*rubrics.Rubric, asked bool,
	contextTokens int) (diagnosis, error) {
	judge, err := a.judge(ctx, j, asked)
	if e, ok := errors.AsType[*llm.Error](err); ok { // the list of models was not available
		return diagnosis{Judge: j.Name, Model: j.Model, Endpoint: e.Endpoint, Error: err.Error()}, nil
	}
	if err != nil {
		return diagnosis{}, err
	}
	list := []instrument.Judge{judge}
	nameJudges(list)
	d := diagnosis{Judge: list[0].Config.Name, Model: judge.Config.Model, Endpoint: judge.Endpoint.BaseURL}
	if judge.Baseline {
		d.Usable, d.Endpoint = true, ""
		return d, nil
	}
	caps, err := judge.Examine(ctx, by, capability.ProbeConfig{ContextTokens: contextTokens})
	if errors.Is(err, context.Canceled) {
		return d, endpointError(err)
	}
	d.Capabilities = caps
	if caps != nil {
		d.Endpoint = caps.Endpoint
	}
	if err != nil {
		d.Error = err.Error()
		return d, nil
	}
	d.Usable, d.Config = true, configLines(j, caps)
	store := profiles()
	if err := store.Save(caps); err != nil {
		fmt.Fprintf(a.err, "judge: the profile could not be kept: %v\n", err)
	} else {
		d.Profile = store.Path(caps.Endpoint, caps.Model, caps.Settings)
	}
	return d, nil
}

// configLines is the judge's entry in judge.yaml.
func configLines(j *config.Judge, c *capability.Capabilities) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("judges:")
	line("  - model: %s", yamlText(c.Model))
	line("    base_url: %s", c.Endpoint)
	if j.APIKeyEnv != "" {
		line("    api_key_env: %s", j.APIKeyEnv)
	}
	for _, part := range []struct {
		name string
		list []config.Param
	}{{"headers", j.Headers}, {"query", j.Query}} {
		if len(part.list) > 0 {
			line("    %s:", part.name)
		}
		for _, p := range part.list {
			line("      %s: %s", yamlText(p.Name), yamlText(p.Value))
		}
	}
	line("    transport: %s", c.Transport)
	for _, f := range c.Fields {
		if f.SentAs == "" {
			line("    %s: null", f.Field)
		}
	}
	if c.Temperature != nil {
		line("    temperature: %g", *c.Temperature)
		line("    top_p: %g", *c.TopP)
	}
	if c.Thinking != capability.None {
		line("    reasoning_tokens: 4096")
	}
	return b.String()
}

// yamlText quotes a text where plain YAML could read it as something else.
func yamlText(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" &&
		strings.Trim(s, "0123456789.-_") != "" && !strings.HasPrefix(s, "-") &&
		!slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(s)) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (d *diagnosis) print(w io.Writer) {
	if d.Endpoint == "" {
		fmt.Fprintln(w, "no endpoint is configured: judge run uses the built-in rule-based baseline, which "+
			"is not a language model.")
		fmt.Fprintln(w, "To judge with a model, give --base-url and --model, or set OPENAI_BASE_URL or OLLAMA_HOST.")
		return
	}
	fmt.Fprintf(w, "%s at %s\n", cmp.Or(d.Model, "-"), d.Endpoint)
	if c := d.Capabilities; c != nil && (d.Usable || c.Kind != llm.KindUnknown || c.ModelListed != capability.Unknown) {
		for _, row := range rows(c) {
			fmt.Fprintf(w, "  %-14s %s\n", row[0], row[1])
		}
	}
	if !d.Usable {
		fmt.Fprintf(w, "  not usable: %s\n", d.Error)
		return
	}
	if notes := d.Capabilities.Notes; len(notes) > 0 {
		fmt.Fprintln(w, "\n  what to know and to set:")
		for _, n := range notes {
			fmt.Fprintf(w, "  - %s\n", n)
		}
	}
	fmt.Fprintf(w, "\n  in judge.yaml:\n\n    %s\n", strings.ReplaceAll(strings.TrimSpace(d.Config), "\n", "\n    "))
	if d.Profile != "" {
		fmt.Fprintf(w, "\n  kept in %s; judge run uses it for %d hours\n", d.Profile, int(instrument.MaxAge/time.Hour))
	}
}

// profiles is where what probes found is kept: $XDG_CACHE_HOME/judge/profiles or its
// like on other systems.
func profiles() *instrument.Store {
	base, err := os.UserCacheDir()
	if err != nil {
		return &instrument.Store{}
	}
	return &instrument.Store{Dir: filepath.Join(base, "judge", "profiles")}
}

// prepare finds out how each endpoint has to be asked before anything is judged.
func (a *app) prepare(ctx context.Context, plan *run.Plan, kept []instrument.Profile) error {
	return endpointError(instrument.Prepare(ctx, plan.Judges, plan.Rubrics, kept, profiles(), a.note))
}

// endpointError gives an endpoint's failure its exit code.
func endpointError(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case is[*llm.Error](err):
		return &codeError{exitEndpoint, err}
	}
	return usage(err)
}

// rows describe a probe's findings: a name and what was found, in a fixed order.
func rows(c *capability.Capabilities) [][2]string {
	out := [][2]string{
		{"server", serverWords(c)},
		{"model", modelWords(c)},
	}
	if len(c.Ladder) == 0 {
		return out // it answered no question
	}
	out = append(out, [2]string{"output", ladderWords(c)})
	if len(c.Fields) > 0 {
		var all []string
		for _, f := range c.Fields {
			all = append(all, f.Words())
		}
		out = append(out, [2]string{"fields", strings.Join(all, "; ")})
	}
	out = append(out, [2]string{"whole prompt", words(c.RubricPrompt, map[capability.Finding]string{
		capability.Yes: "a rubric's prompt gets a score", capability.Refused: "refused: " + c.RubricDetail,
		capability.Ignored: "no score: " + c.RubricDetail, capability.Truncated: "cut short: " + c.RubricDetail,
	})})
	return append(out, [][2]string{
		{"bounds", boundsWords(c)},
		{"open objects", words(c.OpenObject, map[capability.Finding]string{
			capability.Yes: "can be filled", capability.Refused: "refused: corrections travel as text",
			capability.Ignored: "stay empty: corrections travel as text",
		})},
		{"key order", words(c.KeyOrder, map[capability.Finding]string{
			capability.Yes: "as in the schema: reasons before the score", capability.No: "not that of the schema",
		})},
		{"logprobs", logprobWords(c)},
		{"seed", words(c.Seed, map[capability.Finding]string{
			capability.Yes:   "same seed, same text; another seed, another text",
			capability.Fixed: "the same text whatever the seed",
			capability.No:    "the same seed gave different texts", capability.Refused: "refused",
		})},
		{"context", contextWords(c)},
		{"thinking", words(c.Thinking, map[capability.Finding]string{
			capability.None: "none seen", capability.Separate: "in a field of its own",
			capability.Inline: "inside the answer; it is cut off there",
			capability.Hidden: "counted, and not shown",
		})},
		{"asked", fmt.Sprintf("%d small requests", c.Requests)},
	}...)
}

func words(f capability.Finding, texts map[capability.Finding]string) string {
	if text, ok := texts[f]; ok {
		return text
	}
	return "not found out"
}

func serverWords(c *capability.Capabilities) string {
	name := map[llm.Kind]string{
		llm.KindOpenAI: "OpenAI", llm.KindVLLM: "vLLM", llm.KindOllama: "Ollama", llm.KindLlamaCPP: "llama.cpp server",
		llm.KindSGLang: "SGLang", llm.KindLMStudio: "LM Studio", llm.KindBaseline: "the built-in baseline",
	}[c.Kind]
	if name == "" {
		name = "of no known kind"
	}
	return strings.TrimSpace(name + " " + c.Version)
}

func modelWords(c *capability.Capabilities) string {
	const most = 8
	others := strings.Join(c.Models[:min(len(c.Models), most)], ", ")
	if n := len(c.Models) - most; n > 0 {
		others += fmt.Sprintf(" and %d more", n)
	}
	switch {
	case c.ModelListed == capability.Yes:
		return "is there"
	case c.ModelListed == capability.No && others == "":
		return "the server lists none"
	case c.ModelListed == capability.No:
		return "is not in the server's list: " + others
	}
	return "the server gives no list"
}

func ladderWords(c *capability.Capabilities) string {
	var tried []string
	for _, step := range c.Ladder {
		if step.Finding == capability.Yes {
			continue
		}
		text := fmt.Sprintf("%s %s", step.Transport, step.Finding)
		if step.Detail != "" {
			text += " (" + step.Detail + ")"
		}
		tried = append(tried, text)
	}
	out := "by " + string(c.Transport)
	if len(tried) > 0 {
		out += "; " + strings.Join(tried, "; ")
	}
	return out
}

func boundsWords(c *capability.Capabilities) string {
	each := map[capability.Finding]string{capability.Yes: "hold", capability.No: "are not enforced"}
	if c.IntegerRange == c.NumberRange {
		if each[c.IntegerRange] == "" {
			return "not found out"
		}
		return "of integers and other numbers " + each[c.IntegerRange]
	}
	return fmt.Sprintf("of integers: %s; of other numbers: %s", words(c.IntegerRange, each), words(c.NumberRange, each))
}

func logprobWords(c *capability.Capabilities) string {
	if c.Logprobs == capability.Yes {
		return fmt.Sprintf("yes, with %d alternatives of 5 asked for", c.TopLogprobs)
	}
	return words(c.Logprobs, map[capability.Finding]string{capability.No: "none come", capability.Refused: "refused"})
}

func contextWords(c *capability.Capabilities) string {
	var parts []string
	if c.ContextTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens (%s)", c.ContextTokens, c.ContextSource))
	}
	switch {
	case c.Overlong == capability.Truncated:
		parts = append(parts, fmt.Sprintf("a prompt of about %d is CUT to %d WITHOUT AN ERROR", c.Longest, c.Window))
	case c.Overlong == capability.Refused:
		parts = append(parts, fmt.Sprintf("a prompt of about %d is refused", c.Longest))
	case c.Longest > 0:
		parts = append(parts, fmt.Sprintf("a prompt of %d tokens arrives whole", c.Longest))
	}
	if len(parts) == 0 {
		return "not found out"
	}
	return strings.Join(parts, "; ")
}
