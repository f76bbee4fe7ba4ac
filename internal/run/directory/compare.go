package directory

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report"
)

// Compare says what changed from the run in directory a to the run in directory b.
//
// Conversations are paired by their content, so that neither another id nor another
// order of the logs parts them; those whose content is in one run alone by id, since a
// task that an agent runs again may keep its name but not its words; and what is then
// left by the task that it is an attempt at. The calls of paired conversations are
// paired where they are the same call. What the pairing could not know, and what else
// differs, stands in the warnings.
func Compare(a, b string, cfg assembly.CompareConfig) (*report.Comparison, error) {
	inputsA, err := Inputs(a)
	if err != nil {
		return nil, err
	}
	inputsB, err := Inputs(b)
	if err != nil {
		return nil, err
	}
	notes, err := pair(a, b, &inputsA, &inputsB, &cfg.Calls)
	if err != nil {
		return nil, err
	}
	cfg.Notes = append(notes, cfg.Notes...)
	cfg.Name = a
	return assembly.Compare(inputsA, inputsB, cfg)
}

// pair sets the identities of two runs and says what is to be known of the pairing.
func pair(dirA, dirB string, a, b *report.Inputs, calls *report.CallPairs) ([]report.Warning, error) {
	notes := tooFew(nil, "A", dirA)
	notes = tooFew(notes, "B", dirB)
	itemsA, errA := readItems(dirA, a.Manifest.RunID)
	itemsB, errB := readItems(dirB, b.Manifest.RunID)
	for _, err := range []error{errA, errB} {
		if err != nil && !errors.Is(err, errNoItems) {
			return nil, err
		}
	}
	if errA != nil || errB != nil {
		where := "run A has"
		switch {
		case errA != nil && errB != nil:
			where = "both runs have"
		case errB != nil:
			where = "run B has"
		}
		return append(notes, report.Warning{Code: "paired_by_id", Text: fmt.Sprintf("%s no %s: conversations are paired by their ids, and nothing shows that those with one id are the same", where, ItemsFile)}), nil
	}
	p := pairRuns(itemsA, itemsB)
	a.Identity = func(id string) string { return id }
	b.Identity = func(id string) string {
		if partner, ok := p.Partner(id); ok {
			return partner
		}
		// Whatever stands in B alone must not meet a conversation of A.
		return "\x00" + id
	}
	b.Call = p.Call
	*calls = p.Calls
	return append(notes, p.Notes()...), nil
}

// tooFew notes that a run stayed below its coverage floor. A part of a run is not compared
// at all.
func tooFew(notes []report.Warning, name, dir string) []report.Warning {
	if m, err := ReadManifest(dir); err == nil && m.Status == Incomplete {
		notes = append(notes, report.Warning{Code: "unfinished", Text: fmt.Sprintf("run %s is %s: only what it scored is compared", name, m.Status)})
	}
	return notes
}
