package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/view"
)

// viewFlags are the flags of judge view.
type viewFlags struct {
	open       bool
	as, rubric string
	calls      int
	each       perConversation
	seed       uint64
}

func viewCommand(a *app) *cobra.Command {
	var f viewFlags
	cmd := newCommand("view RUN…", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		return a.view(ctx, args, &f)
	})
	flags := cmd.Flags()
	flags.BoolVar(&f.open, "open", false, "open the address in the browser")
	flags.StringVar(&f.as, "as", "", "who labels (default: your user name)")
	flags.StringVar(&f.rubric, "rubric", "", "label by this rubric, not the call as a whole")
	flags.IntVar(&f.calls, "n", 200, "how many calls the random sample has, about")
	f.each.add(flags, "")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the random order, the same as in judge calibrate --sheet")
	return cmd
}

func (a *app) view(ctx context.Context, args []string, f *viewFlags) error {
	if f.calls < 1 {
		return usagef("--n must be at least 1")
	}
	runs, err := a.runsToView(args)
	if err != nil {
		return err
	}
	for i := range runs {
		if err := knownRubric(f.rubric, &runs[i]); err != nil {
			return err
		}
	}
	s, err := view.New(view.Config{
		Runs: runs, Who: cmp.Or(f.as, a.userName()), Rubric: f.rubric, Calls: f.calls,
		PerConversation: int(f.each), Seed: f.seed, Now: time.Now,
		Refused: func(why string) { fmt.Fprintf(a.err, "judge: refused a request: %s\n", why) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(a.out, "%s\n", s.URL())
	if len(runs) < 3 {
		fmt.Fprintf(a.out, "label calls: %s\n", s.LabelURL())
	}
	fmt.Fprintln(a.err, "judge: serving only on this machine; Ctrl-C ends it")
	if f.open {
		page, err := redirectPage(s.URL())
		if err == nil {
			defer os.Remove(page)
			err = openBrowser(page)
		}
		if err != nil {
			fmt.Fprintf(a.err, "judge: could not open a browser (%v): open the address above\n", err)
		}
	}
	return s.Serve(ctx)
}

// userName returns who labels if --as is not given.
func (a *app) userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return cmp.Or(a.getenv("USER"), a.getenv("USERNAME"), "me")
}
