package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
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
	fl.StringVar(&f.config, "config", "", "configuration file (default judge.yaml if it exists)")
	fl.StringArrayVar(&f.models, "model", nil, "model to ask, repeatable")
	fl.StringSliceVar(&f.baseURLs, "base-url", nil, "OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1")
	fl.StringVar(&f.judge.APIKeyEnv, "api-key-env", "", "environment variable that holds the key (default OPENAI_API_KEY)")
	fl.DurationVar((*time.Duration)(&f.judge.Timeout), "timeout", 0, "time limit of one request (default 3m)")
	fl.IntVar(&f.contextTokens, "context-tokens", 0,
		"size of the context to test, in tokens (default 8192, negative for no test)")
	fl.BoolVar(&f.asJSON, "json", false, "machine-readable output")
	return cmd
}

// diagnosis is the result for one judge's endpoint.
type diagnosis struct {
	Judge    string `json:"judge"`
	Model    string `json:"model"`
	Endpoint string `json:"endpoint"`
	// Usable says that a run can use it.
	Usable       bool                     `json:"usable"`
	Error        string                   `json:"error,omitempty"`
	Capabilities *capability.Capabilities `json:"capabilities,omitempty"`
	// Config has the lines for judge.yaml.
	Config string `json:"judge_yaml,omitempty"`
	// Profile is the file that judge run will use.
	Profile string `json:"profile,omitempty"`
}

func (a *app) doctor(ctx context.Context, f *doctorFlags) error {
	a.quiet = true // the diagnosis says everything
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
			if err := writeText(a.out, "doctor", &d); err != nil {
				return err
			}
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

// diagnose probes one endpoint. It returns an error only for a mistake of the user or an
// interruption; a failing endpoint is a diagnosis.
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
	caps, err := judge.Examine(ctx, by, contextTokens)
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
	d.Usable = true
	if d.Config, err = configLines(j, caps); err != nil {
		return d, err
	}
	if err := a.profiles.Save(caps); err != nil {
		fmt.Fprintf(a.err, "judge: the profile could not be kept: %v\n", err)
	} else {
		d.Profile = a.profiles.Path(caps.Endpoint, caps.Model, caps.Settings)
	}
	return d, nil
}

// Answered reports whether the server told us anything about itself.
func (d *diagnosis) Answered() bool {
	c := d.Capabilities
	return c != nil && (d.Usable || c.Kind != llm.KindUnknown || c.ModelListed != capability.Unknown)
}

// Hours returns how long a profile is valid.
func (d *diagnosis) Hours() int { return int(instrument.MaxAge / time.Hour) }

// configLines returns the judge's entry for judge.yaml.
func configLines(j *config.Judge, c *capability.Capabilities) (string, error) {
	var b strings.Builder
	err := writeText(&b, "judge.yaml", struct {
		Judge *config.Judge
		Found *capability.Capabilities
	}{j, c})
	return b.String(), err
}

// userProfiles returns the user's store of probe results: $XDG_CACHE_HOME/judge/profiles, or the
// equivalent on other systems, nil on a system without it.
func userProfiles() *instrument.Store {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &instrument.Store{Dir: filepath.Join(base, "judge", "profiles")}
}

// discover finds out what each endpoint supports before anything is judged.
func (a *app) discover(ctx context.Context, list []instrument.Judge, by []*rubrics.Rubric,
	kept []instrument.Profile) error {
	return endpointError(instrument.Discover(ctx, list, by, kept, a.profiles, a.note))
}

// endpointError gives an endpoint's failure its exit code.
func endpointError(err error) error {
	failed, ok := errors.AsType[*llm.Error](err)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case ok && failed.Kind == llm.KindLocal:
		return &codeError{exitIncomplete, err}
	case ok, is[*instrument.MethodError](err):
		return &codeError{exitEndpoint, err}
	}
	return usage(err)
}
