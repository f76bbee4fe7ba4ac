package trajectory

import (
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// presets maps each preset's name to its constructor.
var presets = []struct {
	name string
	make func(settings) scorer.Scorer
}{
	{"agentevals", newAgentevals},
	{"adk", newADK},
	{"ragas_tool_call_accuracy", newRagasAccuracy},
	{"ragas_tool_call_f1", newRagasF1},
	{"deepeval", newDeepEval},
	{"azure", newAzure},
	{"tau2_actions", newTau2},
}

// NewMatch returns the scorer trajectory_match. The setting preset is required;
// each preset's own settings, inputs and outputs are described at its type.
func NewMatch(config value.Value) (scorer.Scorer, error) {
	s := readSettings(config)
	name, given := config.Field("preset").Str()
	known := make([]string, 0, len(presets))
	for _, p := range presets {
		if given && p.name == name {
			made := p.make(s)
			if s.Err != nil {
				return nil, s.Err
			}
			return made, nil
		}
		known = append(known, p.name)
	}
	if s.Err == nil {
		s.Fail("preset", "is %.60s, must be one of %s", config.Field("preset").JSON(), strings.Join(known, ", "))
	}
	return nil, s.Err
}

// readBoth reads the calls of both sides. The expected side must be given and must
// be readable to the last call.
func readBoth(in scorer.Input) (actual, expected []scorer.Call, err error) {
	expected, err = readExpected("expected", in.Expected)
	return scorer.Read(in.Actual).Calls, expected, err
}

func readExpected(field string, v value.Value) ([]scorer.Call, error) {
	if v.IsNull() {
		return nil, scorer.Config(field, "is missing: a list of calls, [] where none is right")
	}
	r := scorer.Read(v)
	if !r.Complete() {
		return nil, scorer.Config(field, "cannot be read as calls")
	}
	return r.Calls, nil
}

// readable reports whether the call can equal anything at all.
func readable(c *scorer.Call) bool { return !c.Unreadable && !c.Malformed }
