// Package deterministic owns the scorers that need no judgement: the same calls and
// the same reference always give the same score, computed in memory. They are what
// a judge is compared with.
//
// It promises that scorers are pure (no clock, no network, no files) and safe for
// concurrent use, that a scorer that was set up wrongly gives an error and never a
// score, and that every call of a log is either scored or says why it is not.
package deterministic

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/bfcl"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/deterministic/trajectory"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// kind is one scorer of the table: what people read about it, and how it is made. A
// new scorer is one file and one entry here.
type kind struct {
	Spec
	make func(config value.Value) (scorer.Scorer, error)
	// log applies the scorer to a conversation of a log.
	log adapter
}

// table returns every scorer, in the order in which reports list them.
func table() []kind {
	return []kind{
		{specCoverage, newCoverage, logTrace},
		{specAccuracy, newAccuracy, logPairs},
		{specExactMatch, newExactMatch, logPairs},
		{specValidation, newValidation, logEachCall},
		{specNameMatch, newNameMatch, logOneCall},
		{specToolCalls, trajectory.NewToolCalls, logEvents},
		{specSchemaCheck, newSchemaCheck, logEachCall},
		{specAST, bfcl.NewAST, logAST},
		{specExecution, newExecution, logStates},
		{specThreeLayer, newThreeLayer, logLayers},
		{specTrajectory, trajectory.NewMatch, logTrajectory},
		{specRubricVerdict, trajectory.NewRubricVerdict, logNothing},
		{specRelevance, newRelevance, logPairs},
		{specRecovery, newRecovery, logRecovery},
		{specEfficiency, newEfficiency, logEfficiency},
		{specExpectedMatch, newExpectedMatch, logMatches},
	}
}

// Names returns the names of all scorers.
func Names() []string {
	kinds := table()
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].Name
	}
	return names
}

// canonical turns an alias into the name: hyphens may stand for underscores.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

func find(name string) (kind, bool) {
	name = canonical(name)
	for _, k := range table() {
		if k.Name == name {
			return k, true
		}
	}
	return kind{}, false
}

// New makes the scorer of a name with its configuration, an object or null. An
// unknown name and an unknown key are errors that name the nearest known one.
func New(name string, config value.Value) (scorer.Scorer, error) {
	k, err := lookup(name)
	if err != nil {
		return nil, err
	}
	keys := k.keys()
	for key := range config.Members() {
		if !slices.Contains(keys, key) {
			return nil, scorer.Config(key, "%s has no such setting%s", k.Name, hint(key, keys))
		}
	}
	s, err := k.make(config)
	if err != nil {
		// No interface that holds a scorer which came with an error.
		return nil, err
	}
	return s, nil
}

func lookup(name string) (kind, error) {
	k, ok := find(name)
	if !ok {
		return kind{}, scorer.Config("scorer", "%.60q is unknown%s", name, hint(canonical(name), Names()))
	}
	return k, nil
}

// hint names the nearest known word, when one is near.
func hint(word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(known) > 0 {
		return "; known are " + strings.Join(known, ", ")
	}
	return ""
}
