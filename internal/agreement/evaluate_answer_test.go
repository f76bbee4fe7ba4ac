package agreement

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/value"
)

// oneAnswer returns the readings and checks of one judge answer, or of several
// answers on one item.
func oneAnswer(stat string) evaluator {
	switch stat {
	case "geval_score":
		return evalTokens
	case "self_consistency":
		return evalConsistency
	case "panel_aggregate":
		return evalPanel
	case "verdict":
		return evalVerdict
	case "evidence_grounding":
		return evalGrounding
	case "correction_check":
		return evalCorrection
	case "rubric_consistency":
		return evalRubrics
	}
	return nil
}

func evalTokens(input, params json.RawMessage) (Result, error) {
	var in struct {
		Top []struct {
			Token   string
			Logprob *float64
		} `json:"top_logprobs"`
	}
	par := struct {
		Labels      column
		MinCoverage *float64 `json:"min_coverage"`
	}{}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if len(par.Labels) > maxSamples {
		return nil, fmt.Errorf("%d labels are more than %d", len(par.Labels), maxSamples)
	}
	alternatives := make([]answer.TokenProbability, len(in.Top))
	for i, t := range in.Top {
		alternatives[i] = answer.TokenProbability{Token: t.Token, Logprob: orDefault(t.Logprob, math.NaN())}
	}
	s := answer.ScoreTokens(alternatives, par.Labels, orDefault(par.MinCoverage, 0.5))
	return Result{
		{"score", s.Score}, {"coverage", stat.Some(s.Coverage)}, {"variance", s.Variance}, {"entropy", s.Entropy},
	}, nil
}

// maxSamples bounds the work of one case.
const maxSamples = 10_000

func evalConsistency(input, params json.RawMessage) (Result, error) {
	var in struct{ Samples column }
	var par struct {
		Low  *float64 `json:"threshold_low"`
		High *float64 `json:"threshold_high"`
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if len(in.Samples) > maxSamples {
		return nil, fmt.Errorf("%d samples are more than %d", len(in.Samples), maxSamples)
	}
	c := answer.SelfConsistency(in.Samples, orDefault(par.Low, math.Inf(-1)), orDefault(par.High, math.Inf(1)))
	return Result{
		{"valid", c.Valid}, {"failed", c.Failed}, {"mean", c.Mean}, {"median", c.Median}, {"majority", c.Majority},
		{"majority_share", c.MajorityShare}, {"variance", c.Variance}, {"pass_share", c.PassShare},
	}, nil
}

func evalPanel(input, params json.RawMessage) (Result, error) {
	var in struct{ Scores, Weights column }
	par := struct {
		How    answer.PanelRule
		Quorum count
	}{How: answer.PanelMedian}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	p, err := answer.AggregatePanel(in.Scores, in.Weights, par.How, int(par.Quorum))
	return Result{{"value", p.Value}, {"used", p.Used}, {"spread", p.Spread}, {"tie", p.Tie}}, err
}

func evalVerdict(input, params json.RawMessage) (Result, error) {
	var in struct{ Output, Confidence *float64 }
	par := struct {
		Low            *float64 `json:"threshold_low"`
		High           *float64 `json:"threshold_high"`
		ConfidenceLow  *float64 `json:"confidence_low"`
		ConfidenceHigh *float64 `json:"confidence_high"`
		Mode           answer.Mode
		Margin         float64
	}{Mode: answer.Interval}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if par.Low == nil || par.High == nil {
		return nil, fmt.Errorf("params need threshold_low and threshold_high")
	}
	v, err := answer.Decide(orDefault(in.Output, math.NaN()), orDefault(in.Confidence, math.NaN()), answer.Rule{
		Mode: par.Mode, Low: *par.Low, High: *par.High, Margin: par.Margin,
		ConfidenceLow: orDefault(par.ConfidenceLow, 0.7), ConfidenceHigh: orDefault(par.ConfidenceHigh, 1),
	})
	return Result{
		{"verdict", v.Verdict}, {"borderline", v.Borderline}, {"low_confidence", v.LowConfidence}, {"escalate", v.Escalate},
	}, err
}

func evalGrounding(input, params json.RawMessage) (Result, error) {
	var in struct {
		Evidence string
		Sources  []string
	}
	var par struct {
		Threshold      *float64
		MinFuzzyTokens *count `json:"min_fuzzy_tokens"`
	}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	rule := answer.GroundingRule{Threshold: orDefault(par.Threshold, 0.8), MinFuzzyTokens: 3}
	if par.MinFuzzyTokens != nil {
		rule.MinFuzzyTokens = int(*par.MinFuzzyTokens)
	}
	g := answer.Ground(in.Evidence, in.Sources, rule)
	return Result{
		{"quotes", list(g.Quotes)}, {"scores", opts(g.Scores)}, {"grounded", list(g.Grounded)}, {"status", g.Status},
	}, nil
}

func evalCorrection(input, params json.RawMessage) (Result, error) {
	var in struct {
		Call, Correction, Expected value.Value
		Passed                     bool
		Tools                      answer.Tools
		History                    []value.Value
	}
	par := struct {
		Kind string `json:"rubric_kind"`
	}{"call"}
	if err := decode(input, params, &in, &par); err != nil {
		return nil, err
	}
	if par.Kind != "call" && par.Kind != "prerequisite" {
		return nil, fmt.Errorf("rubric_kind %q is neither call nor prerequisite", par.Kind)
	}
	check := answer.CorrectionInput{
		Call: callOf(in.Call), Correction: in.Correction, Passed: in.Passed, Tools: in.Tools, Prerequisite: par.Kind == "prerequisite",
	}
	if check.Call.Name == "" {
		return nil, fmt.Errorf("call: the name is missing")
	}
	if !in.Expected.IsNull() {
		expected := callOf(in.Expected)
		check.Expected = &expected
	}
	for _, past := range in.History {
		if failed, _ := past.Field("failed").BoolVal(); !failed {
			check.History = append(check.History, callOf(past))
		}
	}
	c := answer.CheckCorrection(check)
	effective := value.Value{}
	if c.Effective != nil {
		effective = c.Effective.Value()
	}
	return Result{
		{"form", c.Form}, {"effective", effective},
		{"matches_expected", c.MatchesExpected}, {"contradictions", list(c.Contradictions)},
	}, nil
}

// callOf reads {"name":..., "parameters"|"arguments":{...}}.
func callOf(v value.Value) answer.Call {
	parameters, ok := v.Get("parameters")
	if !ok {
		parameters = v.Field("arguments")
	}
	name, _ := v.Field("name").Str()
	return answer.Call{Name: name, Parameters: parameters}
}

func evalRubrics(input, params json.RawMessage) (Result, error) {
	var in struct{ Intent, Completeness, Prerequisite, Overall *float64 }
	if err := decode(input, params, &in, nil); err != nil {
		return nil, err
	}
	nan := math.NaN()
	f := answer.CheckRubrics(answer.RubricScores{
		Intent: orDefault(in.Intent, nan), Completeness: orDefault(in.Completeness, nan),
		Prerequisite: orDefault(in.Prerequisite, nan), Overall: orDefault(in.Overall, nan),
	})
	optional := func(v *float64) stat.Opt {
		if v == nil {
			return stat.None(stat.NoItems)
		}
		return stat.Some(*v)
	}
	return Result{{"violations", list(f.Violations)}, {"gap", optional(f.Gap)}}, nil
}
