package run

import (
	"context"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
)

// Prepare finds out how each judge's endpoint has to be asked, and fixes it in the plan;
// a run that is resumed in dir goes by what it found before. The error is that of
// [instrument.Prepare].
func Prepare(ctx context.Context, plan *Plan, dir string, resume bool, store *instrument.Store, note func(string)) error {
	return instrument.Prepare(ctx, plan.Judges, plan.Rubrics, keptProfiles(dir, resume), store, note)
}

// Recall is Prepare as far as that needs no request.
func Recall(plan *Plan, dir string, resume bool, store *instrument.Store) {
	instrument.Recall(plan.Judges, plan.Rubrics, keptProfiles(dir, resume), store)
}

// keptProfiles are those of a run directory that is taken up again. One that cannot be
// resumed is refused by Execute, with its reason.
func keptProfiles(dir string, resume bool) []instrument.Profile {
	if !resume {
		return nil
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return nil
	}
	return m.Profiles
}
