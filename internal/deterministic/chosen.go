package deterministic

import (
	"cmp"
	"fmt"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/value"
)

// Config is one configured scorer.
type Config struct {
	// Type is the scorer's name.
	Type string
	// Key is the name under which its scores are reported; "" means Type.
	Key string
	// Purpose is "score" (also "") or "qa", which is reported separately and in no mean.
	Purpose string
	// Threshold is the smallest value that passes; nil means 1.
	Threshold *float64
	// Config is the scorer's own configuration, an object or null.
	Config value.Value
}

// entry is one configured scorer.
type entry struct {
	Config
	rule Rule
	// quiet leaves out conversations to which the scorer does not apply.
	quiet bool
}

// ForLog prepares the configured scorers or, if there are none, the default ones, which depend on
// the reference and the tool inventory of each conversation. If it does not apply, a default scorer
// gives no score, while a configured one says why. Errors name the entry, "scorers[2].mode: …".
func ForLog(configs []Config) (*Log, error) {
	l := &Log{}
	l.pairing.settings() // sets the defaults
	l.schema.share(&l.patterns)
	if len(configs) == 0 {
		l.entries = defaultScorers()
		for _, e := range l.entries {
			shareBudget(e.rule, &l.patterns)
		}
		return l, nil
	}
	names := map[string]bool{}
	for i, c := range configs {
		s, err := Find(c.Type)
		if err != nil {
			return nil, fmt.Errorf("scorers[%d].type: %w", i, err)
		}
		rule, err := s.Configure(c.Config)
		if err != nil {
			return nil, fmt.Errorf("scorers[%d].%w", i, err)
		}
		if c.Purpose != "" && c.Purpose != "score" && c.Purpose != "qa" {
			return nil, fmt.Errorf("scorers[%d].purpose: is %q, must be score or qa", i, c.Purpose)
		}
		if t := c.Threshold; t != nil && (*t < 0 || *t > 1) {
			return nil, fmt.Errorf("scorers[%d].threshold: is %g, must be a number from 0 to 1", i, *t)
		}
		c.Type, c.Key = s.Name, cmp.Or(c.Key, s.Name)
		if names[c.Key] {
			const format = "scorers[%d].key: %q is there already; give each scorer of one type a key of its own"
			return nil, fmt.Errorf(format, i, c.Key)
		}
		names[c.Key] = true
		shareBudget(rule, &l.patterns)
		l.entries = append(l.entries, entry{Config: c, rule: rule})
	}
	return l, nil
}

// shareBudget makes a rule's patterns spend a common budget, if it has any.
func shareBudget(r Rule, patterns *jsregex.Budget) {
	if r, ok := r.(interface{ share(*jsregex.Budget) }); ok {
		r.share(patterns)
	}
}

// defaultScorers returns the scorers that run if none is configured. Coverage takes its required
// calls from each reference; TrajectoryMatch applies if the log names who should make each call, as
// τ² does. ErrorRecovery always says why it does not apply.
func defaultScorers() []entry {
	var out []entry
	for _, s := range []Scorer{
		Coverage, Accuracy, ExactMatch, ASTEquivalence, CallRelevance, ErrorRecovery, ExpectedCallMatch,
		ParameterValidation, SchemaCheck, TrajectoryMatch,
	} {
		rule := s.rule()
		rule.settings() // sets the defaults
		switch rule := rule.(type) {
		case *coverage:
			rule.ofReference = true
		case *astEquivalence:
			rule.everyReference = true
		case *trajectory:
			rule.ofRequestors = true
		}
		out = append(out, entry{Config{Type: s.Name, Key: s.Name}, rule, s.Name != ErrorRecovery.Name})
	}
	return out
}
