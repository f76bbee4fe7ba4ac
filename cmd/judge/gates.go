package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
)

// gateFlags are the flags that add gates or ignore them.
type gateFlags struct {
	failUnder []measure.Gate
	none      bool
}

func (g *gateFlags) add(cmd *cobra.Command) {
	addParsed(cmd, &g.failUnder, "fail-under",
		"gate NAME=VALUE: exit 100 if the whole interval of the pass rate is below VALUE, repeatable", parseFailUnder)
	cmd.Flags().BoolVar(&g.none, "no-gates", false,
		"ignore the gates of the configuration; --fail-under still counts")
}

func parseFailUnder(text string) (measure.Gate, error) {
	name, number, ok := strings.Cut(text, "=")
	least, err := strconv.ParseFloat(number, 64)
	if !ok || name == "" || err != nil || least < 0 || least > 1 {
		return measure.Gate{}, errors.New("want NAME=VALUE with a pass rate from 0 to 1")
	}
	return measure.Gate{Score: name, MinPassRate: &least}, nil
}

// over returns the configured gates with those of the flags, or only the latter.
func (g *gateFlags) over(configured []measure.Gate) []measure.Gate {
	if g.none {
		configured = nil
	}
	return append(configured, g.failUnder...)
}

// savedGates reads the gates of a run from its resolved configuration.
func savedGates(dir string) ([]measure.Gate, error) {
	m, c, err := saved(dir)
	if m == nil {
		return nil, err
	}
	if err != nil {
		return nil, usagef("the gates of the run cannot be read (--no-gates leaves them out): %w", err)
	}
	for i := range c.Gates {
		g := &c.Gates[i]
		// A baseline's relative path starts in the directory where the run was started.
		if started := from(m.Directory, g.Against); g.Against != "" && there(started) {
			g.Against = started
		}
	}
	return gatesOf(c), nil
}

// savedReport builds the report of a run and decides its gates again.
func savedReport(dir string, cfg measure.Config, flags *gateFlags) (*report.Report, measure.GateDecision, error) {
	var configured []measure.Gate
	if !flags.none {
		var err error
		if configured, err = savedGates(dir); err != nil {
			return nil, measure.GateDecision{}, err
		}
	}
	r, d, err := run.Report(dir, cfg, flags.over(configured))
	if err == nil {
		err = measure.CheckSavedGates(flags.failUnder, r)
	}
	return r, d, usage(err)
}

// gates prints the decided gates and returns their exit code.
func (a *app) gates(d measure.GateDecision) error {
	for _, g := range d.Results {
		fmt.Fprintln(a.err, g.Line)
	}
	a.annotate(d.Results)
	if d.ExitCode != exitOK {
		return &codeError{code: d.ExitCode}
	}
	return nil
}
