// Package reporttest invents runs for tests of reports: two judges, four rubrics, deterministic
// scorers and a label, over seeded conversations. The same seed gives the same scores.
package reporttest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Run is an invented run.
type Run struct {
	Manifest report.Manifest
	Scores   []score.Score
}

// Inputs returns the run in the form that Build takes.
func (r Run) Inputs() report.Inputs {
	return report.Inputs{Manifest: r.Manifest, Scores: Each(r.Scores)}
}

// Worse returns the run with some of a score's passes, a seeded share, changed to fails.
func (r Run) Worse(name string, share float64, seed uint64) Run {
	random := rand.New(rand.NewPCG(seed, 9))
	r.Scores = slices.Clone(r.Scores)
	for i, s := range r.Scores {
		if s.Name == name && s.Passed != nil && *s.Passed && random.Float64() < share {
			r.Scores[i].Passed, r.Scores[i].Value = new(false), new(0.0)
		}
	}
	return r
}

// Each returns a function that starts passes over scores.
func Each(scores []score.Score) func() iter.Seq2[score.Score, error] {
	return func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for _, s := range scores {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// manifest returns the manifest of every invented run.
func manifest() report.Manifest {
	return report.Manifest{
		RunID: "synthetic", Version: "test",
		Judges: []report.Judge{
			{Name: "judge-a", Model: "judge-a", Asked: true},
			{Name: "baseline-rules", Baseline: true, CircularWith: []string{"schema_check"}},
		},
		Rubrics: []report.Rubric{
			{Name: "function_intent_alignment", Min: 1, Max: 5, Integer: true, Low: new(3.0), High: new(5.0)},
			{Name: "overall_call_correctness", Min: 0, Max: 1, Low: new(0.7), High: new(1.0)},
		},
		Scorers: []report.Scorer{
			Scorer("schema_check"), Scorer("function_call_accuracy"), Scorer("ast_equivalence"),
		},
		Inputs:      []report.Input{{Path: "logs/support.jsonl", Format: "native"}},
		ByParameter: byParameter(),
		Counts:      report.Counts{Requests: 10, Repaired: 2, PromptTokens: 1000, CompletionTokens: 100},
	}
}

// Scorer returns the scorer with this name, with its facts.
func Scorer(name string) report.Scorer { return ScorerOf(name, name) }

// ScorerOf returns a scorer of a type under another name.
func ScorerOf(name, kind string) report.Scorer {
	row, err := deterministic.Find(kind)
	if err != nil {
		panic(err)
	}
	return report.Scorer{Name: name, Type: kind, Facts: row.Facts}
}

// Inputs returns the inputs of a report whose manifest knows only the scorers.
func Inputs(scores []score.Score) report.Inputs {
	in := report.Inputs{Scores: Each(scores)}
	for _, row := range deterministic.All {
		if slices.ContainsFunc(scores, func(s score.Score) bool { return s.Name == row.Name }) {
			in.Manifest.Scorers = append(in.Manifest.Scorers, Scorer(row.Name))
		}
	}
	return in
}

// byParameter has a parameter that is always right, some that are not, one that was not expected,
// and a name that must be escaped.
func byParameter() []report.ToolParameters {
	list := []report.ToolParameters{
		{Tool: "cancel_order", Expected: 12, Made: 10, Unexpected: 1, Parameters: []report.Parameter{
			{Parameter: "order_id", N: 10, Present: 10, Equal: 10}, {Parameter: "reason", N: 10, Present: 7, Equal: 5},
		}},
		{Tool: "search<script>alert(1)</script>", Expected: 3, Made: 2, Parameters: []report.Parameter{
			{Parameter: "<b>query</b>", N: 2, Present: 2, Equal: 1}, {Parameter: "limit|all", Invented: 2},
		}},
	}
	for i := range list {
		for k := range list[i].Parameters {
			list[i].Parameters[k].SetRates()
		}
	}
	return list
}

var tools = []string{"cancel_order", "get_order", "refund", "search<script>alert(1)</script>", "send_email"}

// New returns a run of n conversations with one to six calls each.
func New(seed uint64, conversations int) Run {
	g := generator{rand: rand.New(rand.NewPCG(seed, 1)), run: Run{Manifest: manifest()}}
	for i := range conversations {
		g.conversation(fmt.Sprintf("c%04d", i+1))
	}
	return g.run
}

type generator struct {
	rand *rand.Rand
	run  Run
}

func (g *generator) chance(p float64) bool { return g.rand.Float64() < p }

func (g *generator) conversation(id string) {
	allRight := true
	hard := g.chance(0.3)
	for call := range 1 + g.rand.IntN(6) {
		right := g.chance(map[bool]float64{true: 0.5, false: 0.92}[hard])
		allRight = allRight && right
		g.call(id, call, tools[g.rand.IntN(len(tools))], right)
	}
	reward := 0.0
	if allRight {
		reward = 1
	}
	g.run.Scores = append(g.run.Scores, score.Score{
		ConversationID: id, Place: place(id), Name: "reward", Source: score.Label, Status: score.Scored,
		Value: &reward, Label: "from the log",
	})
}

func (g *generator) call(id string, call int, tool string, right bool) {
	base := score.Score{
		ConversationID: id, Place: place(id), CallIndex: &call, CallID: fmt.Sprintf("t%d", call), Tool: tool,
	}
	for _, judge := range g.run.Manifest.Judges {
		for _, r := range g.run.Manifest.Rubrics {
			g.judge(base, judge, r, right)
		}
	}
	schema := right || g.chance(0.6)
	g.verdict(base, "schema_check", schema)
	g.verdict(base, "function_call_accuracy", right)
	g.verdict(base, "ast_equivalence", right)
}

func place(conversation string) string { return "logs/support.jsonl:" + conversation[1:] }

func (g *generator) judge(s score.Score, judge report.Judge, r report.Rubric, right bool) {
	s.Name, s.Source, s.Judge = r.Name, score.Judge, judge.Name
	if g.chance(0.01) {
		s.Status, s.Error = score.Unscored, &score.Failure{Kind: "truncated", Message: "cut off"}
		g.run.Scores = append(g.run.Scores, s)
		return
	}
	says := right != g.chance(0.12)
	v := r.Min
	if says {
		v = r.Max
	}
	s.Status, s.Value, s.Passed = score.Scored, &v, &says
	s.Label = map[bool]string{true: "pass", false: "fail"}[says]
	s.Confidence = new(float64(70+g.rand.IntN(30)) / 100)
	s.Explanation = "The call <b>matches</b> what the user asked for: \"order 987\"."
	if !says {
		s.Explanation = "The order number is not in the conversation."
		s.Flags = []score.Flag{{Code: "ungrounded", Severity: 2, Detail: "quote not found"}}
	}
	s.Evidence = "\"cancel order 987\""
	if g.chance(0.05) {
		s.Details = value.OfObject(value.Member{Key: "repairs", Value: value.OfInt(1)})
	}
	g.run.Scores = append(g.run.Scores, s)
}

func (g *generator) verdict(s score.Score, name string, pass bool) {
	s.Name, s.Source = name, score.Deterministic
	v := 0.0
	if pass {
		v = 1
	}
	s.Status, s.Value, s.Passed = score.Scored, &v, &pass
	if !pass {
		s.Explanation = name + ": order_id is 988, expected 987"
	}
	g.run.Scores = append(g.run.Scores, s)
}
