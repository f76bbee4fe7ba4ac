package deterministic

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Config is one configured scorer.
type Config struct {
	// Type is the scorer's name.
	Type string
	// Key is the name under which its scores are reported; "" means Type.
	Key string
	// Purpose is "score" (also "") or "qa": reported apart, in no mean.
	Purpose string
	// Threshold is the least value that passes; nil means 1.
	Threshold *float64
	// Config is the scorer's own configuration, an object or null.
	Config value.Value
}

// Log scores conversations of a log. It is safe for concurrent use.
type Log struct {
	entries []entry
	// pairing is expected_call_match as it is without a configuration.
	pairing expectedMatch
}

// entry is one scorer that is ready.
type entry struct {
	kind
	Config
	scorer scorer.Scorer
	// quiet leaves out what does not apply; scorers that nobody asked for are.
	quiet bool
}

// ForLog makes the configured scorers ready, or, where none is configured, the
// default ones: what the reference and the tool inventory of each conversation
// allow. A default scorer that does not apply says nothing, a configured one says
// why. The error names the entry, "scorers[2].mode: …".
func ForLog(configs []Config) (*Log, error) {
	if len(configs) == 0 {
		return defaultLog()
	}
	l := newLog()
	names := map[string]bool{}
	for i, c := range configs {
		k, err := lookup(c.Type)
		if err != nil {
			return nil, fmt.Errorf("scorers[%d].type: %w", i, err)
		}
		s, err := New(c.Type, c.Config)
		if err != nil {
			return nil, fmt.Errorf("scorers[%d].%w", i, err)
		}
		if c.Purpose != "" && c.Purpose != "score" && c.Purpose != "qa" {
			return nil, fmt.Errorf("scorers[%d].purpose: is %q, must be score or qa", i, c.Purpose)
		}
		if c.Key == "" {
			c.Key = k.Name
		}
		if names[c.Key] {
			return nil, fmt.Errorf("scorers[%d].key: %q is there already; give each scorer of one type a key of its own", i, c.Key)
		}
		names[c.Key] = true
		l.entries = append(l.entries, entry{kind: k, Config: c, scorer: s})
	}
	return l, nil
}

// defaultScorers are the scorers that run when none is configured.
var defaultScorers = [...]string{
	"function_call_coverage", "function_call_accuracy", "function_call_exact_match",
	"ast_equivalence", CallRelevance, ErrorRecovery, ExpectedCallMatch,
	"parameter_validation", "schema_check", "trajectory_match",
}

func newLog() *Log { return &Log{pairing: readExpectedMatch(scorer.ReadSettings(value.Value{}))} }

func defaultLog() (*Log, error) {
	l := newLog()
	for _, name := range defaultScorers {
		k, err := lookup(name)
		if err != nil {
			return nil, err
		}
		e := entry{kind: k, Config: Config{Type: name, Key: name}, quiet: name != ErrorRecovery}
		if name == "trajectory_match" {
			// Where the log says who should make each call, as τ² does.
			e.Config.Config = value.OfObject(value.Member{Key: "preset", Value: value.OfString("tau2_actions")})
		}
		if name == "function_call_coverage" {
			// The required calls are those of each reference.
			e.log = logReference
		} else if e.scorer, err = k.make(e.Config.Config); err != nil {
			return nil, err
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// Names returns the names under which scores are reported, in order.
func (l *Log) Names() []string {
	names := make([]string, len(l.entries))
	for i := range l.entries {
		names[i] = l.entries[i].Key
	}
	return names
}

// Score returns the scores of a conversation: scorer by scorer, the conversation's
// before those of its calls, calls in order.
func (l *Log) Score(c *transcript.Conversation) []score.Score {
	return l.scores(newView(c, value.Value{}))
}

// Grade returns what Score does and the calls beside the expected ones, for the table of
// tools and parameters. execution holds the details of running the calls in an
// environment, exec_ok and diff; null where they were not run.
func (l *Log) Grade(c *transcript.Conversation, execution value.Value) ([]score.Score, []metric.Pair) {
	v := newView(c, execution)
	return l.scores(v), l.pairs(v)
}

func (l *Log) scores(v *view) []score.Score {
	out := make([]score.Score, 0, len(l.entries)+3*len(v.calls))
	place := v.c.Source.String()
	for i := range l.entries {
		e := &l.entries[i]
		for _, o := range e.log(v, e) {
			if o.why == "" || !e.quiet {
				out = e.scores(out, v, place, o)
			}
		}
	}
	return out
}

// outcome is what a scorer found, for one call or (call -1) for the conversation.
type outcome struct {
	call   int
	result scorer.Result
	err    error
	// why says why the scorer does not apply.
	why string
}

// adapter applies a scorer to a conversation.
type adapter func(v *view, e *entry) []outcome

// scores appends an outcome as records.
func (e *entry) scores(out []score.Score, v *view, place string, o outcome) []score.Score {
	out = append(out, score.Score{
		ConversationID: v.c.ID, Place: place, Name: e.Key,
		Source: score.Deterministic, Status: score.Scored, Explanation: o.result.Reason,
	})
	s := &out[len(out)-1]
	if e.Purpose == "qa" {
		s.Purpose = "qa"
	}
	if o.call >= 0 {
		c := &v.c.Calls[o.call]
		index := c.Index
		s.CallIndex, s.CallID, s.Tool = &index, c.ID, c.Name
	}
	switch {
	case o.err != nil:
		s.Status, s.Explanation = score.Error, ""
		s.Error = failureOf(o.err)
		return out
	case o.why != "":
		s.Status, s.Explanation = score.NotApplicable, o.why
		return out
	case e.Spec.Name == "three_layer":
		return append(out[:len(out)-1], layerScores(*s, o.result)...)
	case o.result.Score == nil:
		s.Status = score.NotApplicable
	default:
		e.decide(s, *o.result.Score, o.result.Passed)
	}
	s.Details = value.OfObject(o.result.Fields...)
	return out
}

// decide sets the value, and whether it passes.
func (e *entry) decide(s *score.Score, v float64, passed *bool) {
	const slack = 1e-9
	s.Value = &v
	if passed == nil || e.Threshold != nil {
		least := 1.0
		if e.Threshold != nil {
			least = *e.Threshold
		}
		passed = boolPtr(v >= least-slack)
	}
	s.Passed = passed
	s.Label = "fail"
	if *passed {
		s.Label = "pass"
	}
}

// layerScores writes the three verdicts of three_layer as three scores, told apart
// by their metric.
func layerScores(s score.Score, r scorer.Result) []score.Score {
	var out []score.Score
	for _, f := range r.Fields {
		switch f.Key {
		case "schema_ok", "ast_ok", "exec_ok":
		default:
			continue
		}
		layer := s
		layer.Metric = f.Key
		layer.Details = value.OfObject(r.Fields...)
		if ok, known := f.Value.BoolVal(); known {
			number := boolScore(ok)
			(&entry{}).decide(&layer, number, &ok)
		} else {
			layer.Status = score.NotApplicable
		}
		out = append(out, layer)
	}
	return out
}

func failureOf(err error) *score.Failure {
	var known *scorer.Error
	if errors.As(err, &known) {
		return &score.Failure{Kind: known.Kind, Message: known.Error()}
	}
	return &score.Failure{Kind: scorer.ConfigError, Message: err.Error()}
}
