package run

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// measure measures, before any judgement, the context windows that no server reports and that prompts
// may exceed. It sends prompts as long as the longest planned one.
func (in *Instruments) measure(ctx context.Context, s *Spec, obs *Observer) error {
	if !slices.ContainsFunc(in.Judges, func(j instrument.Judge) bool { return j.Unmeasured(math.MaxInt) }) {
		return nil
	}
	checks, err := in.longest(s)
	if err != nil {
		return err
	}
	for i := range checks {
		j, need := &in.Judges[i], checks[i].LargestTokens+checks[i].AnswerTokens
		if !j.Unmeasured(need) {
			continue
		}
		switch err := j.Measure(ctx, need); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			obs.note("judge %s: how long prompts may be was not found out: %v", j.Name(), err)
		case j.Profile.ContextTokens > 0:
			obs.note("judge %s: a prompt as long as the longest was cut or refused; the endpoint has a "+
				"context of %d tokens", j.Name(), j.Profile.ContextTokens)
		}
	}
	in.manifest.Profiles = in.Profiles()
	return in.save()
}

// longest returns one check per judge with the longest prompt of the whole log, and the number of
// the run's judgements.
func (in *Instruments) longest(s *Spec) ([]instrument.WindowCheck, error) {
	list, err := in.Silent()
	if err != nil {
		return nil, &TaskError{err}
	}
	checks := instrument.NewWindowChecks(list)
	for i, j := range list {
		for _, n := range s.byRubric {
			checks[i].Judgements += n
		}
		for _, size := range s.largest[i] {
			checks[i].LargestTokens = max(checks[i].LargestTokens, j.LargestTokens(size))
		}
	}
	return checks, nil
}

// shortens reports whether a prompt of judge i may not fit in full. It returns true for a sample or a
// shard, because the sizes in a part of the log are unknown.
func (in *Instruments) shortens(s *Spec, i int, c *instrument.WindowCheck) bool {
	record := cmp.Or(in.Judges[i].Config.Prompt.MaxRecordBytes, judges.DefaultMaxRecordBytes)
	return s.Sample > 0 || s.Shard.Of > 0 || c.LargestTokens+c.AnswerTokens > c.ContextTokens ||
		slices.ContainsFunc(s.largest[i], func(size judges.Size) bool { return record > 0 && size.Bytes() > record })
}

// fit finds out, before any judgement, which prompts do not fit, and writes that into run.json. It
// reads the logs again only if there may be such prompts.
func (in *Instruments) fit(ctx context.Context, s *Spec, obs *Observer) error {
	if input.Large(s.Logs) {
		return nil // it would delay the first request; prompts are shortened anyway
	}
	checks, err := in.longest(s)
	if err != nil {
		return err
	}
	var short []*judges.Judge
	for i := range checks {
		if checks[i].ContextTokens > 0 && in.shortens(s, i, &checks[i]) {
			short = append(short, in.list[i])
		}
	}
	if len(short) > 0 {
		found, err := instrument.ScanWindows(ctx, in.source.Again().Conversations(ctx, &input.Reading{}), short)
		if err != nil {
			return err
		}
		for i := range found {
			at := slices.IndexFunc(checks, func(c instrument.WindowCheck) bool { return c.Judge == found[i].Judge })
			checks[at] = found[i]
		}
	}
	for i := range checks {
		if checks[i].ContextTokens == 0 {
			continue
		}
		for _, line := range checks[i].Lines() {
			obs.line(line)
		}
		in.manifest.Windows = append(in.manifest.Windows, checks[i])
	}
	if in.manifest.Windows == nil {
		return nil
	}
	return in.save()
}
