package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
)

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
func (a *app) prepare(ctx context.Context, plan *run.Plan, dir string, resume, quiet bool) error {
	note := func(line string) {
		if !quiet {
			fmt.Fprintln(a.err, "judge: "+line)
		}
	}
	return endpointError(run.Prepare(ctx, plan, dir, resume, profiles(), note))
}

// endpointError gives an endpoint's failure its exit code.
func endpointError(err error) error {
	var e *llm.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &codeError{exitInterrupted, errors.New("interrupted")}
	case errors.As(err, &e):
		return &codeError{exitEndpoint, err}
	}
	return usage(err)
}
