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

// kind is one line of the table: a scorer's name, the keys of its configuration,
// and how it is made. A new scorer is one file and one line here.
type kind struct {
	name string
	keys []string
	make func(config value.Value) (scorer.Scorer, error)
	// log applies the scorer to a conversation of a log.
	log adapter
}

// familyKeys are the keys that the function-call scorers share.
var familyKeys = []string{
	"strict_type_check", "ignore_extra_params", "order_matters", "compat",
	"name_weight", "presence_weight", "value_weight", "matching", "extra_call_penalty",
}

// table returns every scorer, in the order in which reports list them.
func table() []kind {
	return []kind{
		{"function_call_coverage", []string{"function_calls", "mode", "multiplicity", "sample"}, newCoverage, logTrace},
		{"function_call_accuracy", familyKeys, newAccuracy, logPairs},
		{"function_call_exact_match", familyKeys, newExactMatch, logPairs},
		{"parameter_validation", familyKeys, newValidation, logEachCall},
		{"function_name_match", familyKeys, newNameMatch, logOneCall},
		{"tool_calls", []string{"required", "disallowed", "sequence", "include_incomplete"}, trajectory.NewToolCalls, logEvents},
		{"schema_check", []string{"assert_format", "preset"}, newSchemaCheck, logEachCall},
		{"ast_equivalence", []string{"mode", "strip_whitespace", "category", "matching", "dot_to_underscore"}, bfcl.NewAST, logAST},
		{"execution_check", []string{"preset"}, newExecution, logStates},
		{"three_layer", []string{"ast_mode", "assert_format", "strip_whitespace"}, newThreeLayer, logLayers},
		{"trajectory_match", []string{
			"preset", "trajectory_match_mode", "tool_args_match_mode", "tool_args_match_overrides", "edition",
			"match_type", "ignore_args", "threshold", "strict_order",
			"evaluation_params", "should_exact_match", "should_consider_ordering", "strict_mode", "matching_mode",
		}, trajectory.NewMatch, logTrajectory},
		{"rubric_verdict", []string{"metric"}, trajectory.NewRubricVerdict, logNothing},
		{CallRelevance, nil, newRelevance, logPairs},
		{ErrorRecovery, nil, newRecovery, logRecovery},
		{ExpectedCallMatch, familyKeys, newExpectedMatch, logMatches},
	}
}

// Names returns the names of all scorers.
func Names() []string {
	kinds := table()
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// Known reports whether name, or an alias of it, is a scorer.
func Known(name string) bool {
	_, ok := find(name)
	return ok
}

// canonical turns an alias into the name: hyphens may stand for underscores.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

func find(name string) (kind, bool) {
	name = canonical(name)
	for _, k := range table() {
		if k.name == name {
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
	for key := range config.Members() {
		if !slices.Contains(k.keys, key) {
			return nil, scorer.Config(key, "%s has no such setting%s", k.name, hint(key, k.keys))
		}
	}
	return build(k, config)
}

// newLenient is New for case files, whose configurations may hold keys that speak
// to other programs: keys that the scorer does not have are dropped.
func newLenient(name string, config value.Value) (scorer.Scorer, error) {
	k, err := lookup(name)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for key := range config.Members() {
		if !slices.Contains(k.keys, key) {
			foreign = append(foreign, key)
		}
	}
	if len(foreign) > 0 {
		config = config.Without(foreign...)
	}
	return build(k, config)
}

func lookup(name string) (kind, error) {
	k, ok := find(name)
	if !ok {
		return kind{}, scorer.Config("scorer", "%.60q is unknown%s", name, hint(canonical(name), Names()))
	}
	return k, nil
}

// build keeps an interface from holding a scorer that came with an error.
func build(k kind, config value.Value) (scorer.Scorer, error) {
	s, err := k.make(config)
	if err != nil {
		return nil, err
	}
	return s, nil
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
