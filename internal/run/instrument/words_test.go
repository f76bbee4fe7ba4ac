package instrument

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// settings are those of a judge that make another instrument, each with an example.
func settings() map[string]func(*judges.Config) {
	return map[string]func(*judges.Config){
		"examples":      func(c *judges.Config) { c.Prompt.ExamplesInSystem = true },
		"two examples":  func(c *judges.Config) { c.Prompt.MaxExamples = 2 },
		"no examples":   func(c *judges.Config) { c.Prompt.MaxExamples = -1 },
		"record limit":  func(c *judges.Config) { c.Prompt.MaxRecordBytes = 3000 },
		"whole records": func(c *judges.Config) { c.Prompt.MaxRecordBytes = -1 },
		"datamarking":   func(c *judges.Config) { c.Prompt.Marker = "^" },
		"kept lines":    func(c *judges.Config) { c.Prompt.KeepLast = 3 },
		"method":        func(c *judges.Config) { c.Method = judges.TokenWeighted },
		"samples":       func(c *judges.Config) { c.Method = judges.SelfConsistency },
		"three samples": func(c *judges.Config) { c.Method, c.Samples = judges.SelfConsistency, 3 },
		"warmer":        func(c *judges.Config) { c.Method, c.Temperature = judges.SelfConsistency, new(0.9) },
		"temperature":   func(c *judges.Config) { c.Temperature = new(0.3) },
		"top_p":         func(c *judges.Config) { c.Extra = []llm.Field{{Name: "top_p", Value: json.RawMessage("0.9")}} },
		"bands":         func(c *judges.Config) { c.Modes = map[string]answer.Mode{rubrics.Overall: answer.Bands} },
		"coercion":      func(c *judges.Config) { c.CoerceNumbers = true },
		"redaction":     func(c *judges.Config) { c.Prompt.Redact, _ = judges.NewRedaction([]string{"secret"}) },
	}
}

// Every setting that changes what is measured changes the instrument, of the judge and
// of a panel and a cascade with it; how it is transported and served does not.
func TestSettingsMakeTheInstrument(t *testing.T) {
	overall := builtin(t, rubrics.Overall)
	hashes := func(change func(*Judge)) [3]string {
		j := Judge{Config: judges.Config{Model: "m", Name: "a"}}
		change(&j)
		p := Team{Judges: []Judge{j, {Config: judges.Config{Model: "b"}}},
			Panels: []judges.Panel{{Name: "p", Members: []string{"a", "b"}}}, Cascades: []Cascade{{Cascade: judges.Cascade{Name: "c", Tiers: []string{"b", "p"}}}}}
		m := report.Manifest{Judges: p.Instruments(), Rubrics: []report.Rubric{{Name: overall.Name, SHA: overall.SHA}}}
		return [3]string{report.InstrumentHash(m, "a", overall.Name), report.InstrumentHash(m, "p", overall.Name), report.InstrumentHash(m, "c", overall.Name)}
	}
	seen := map[string]string{}
	for _, h := range hashes(func(*Judge) {}) {
		seen[h] = "the plain judge"
	}
	for name, change := range settings() {
		for i, h := range hashes(func(j *Judge) { change(&j.Config) }) {
			if other, twice := seen[h]; twice {
				t.Errorf("%s: instrument %d is that of %s", name, i, other)
			}
			seen[h] = name
		}
	}
	plain := hashes(func(*Judge) {})
	for name, change := range map[string]func(*Judge){
		"transport": func(j *Judge) { j.Config.Transport, j.Config.CorrectionAsText, j.Config.Strict = llm.Tools, true, true },
		"server":    func(j *Judge) { j.Endpoint.BaseURL, j.Kind = "http://b/v1", llm.KindOllama },
		"defaults": func(j *Judge) {
			j.Config.Method, j.Config.Temperature, j.Config.Prompt.MaxRecordBytes = judges.Parsed, new(0.0), judges.DefaultMaxRecordBytes
		},
		"room": func(j *Judge) {
			j.Config.MaxTokens, j.Config.Reasoning, j.Config.Concurrency, j.Config.Seed = 99, true, 3, 5
		},
		"interval": func(j *Judge) { j.Config.Modes = map[string]answer.Mode{rubrics.Overall: answer.Interval} },
	} {
		if d := cmp.Diff(plain, hashes(change)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Two judges have one identity only if they measure alike at the same place.
func TestIdentity(t *testing.T) {
	changes := map[string]func(*Judge){
		"nothing":   func(*Judge) {},
		"name":      func(j *Judge) { j.Config.Name = "a" },
		"model":     func(j *Judge) { j.Config.Model = "n" },
		"server":    func(j *Judge) { j.Endpoint.BaseURL = "http://b/v1" },
		"kind":      func(j *Judge) { j.Kind = llm.KindOllama },
		"transport": func(j *Judge) { j.Config.Transport = llm.Tools },
		"as text":   func(j *Judge) { j.Config.CorrectionAsText = true },
		"strict":    func(j *Judge) { j.Config.Strict = true },
		"seed":      func(j *Judge) { j.Config.Seed = 5 },
		"no seed":   func(j *Judge) { j.Config.Extra = []llm.Field{{Name: "seed", Value: json.RawMessage("null")}} },
		"tokens":    func(j *Judge) { j.Config.MaxTokens = 99 },
		"reasoning": func(j *Judge) { j.Config.Reasoning = true },
		"thoughts":  func(j *Judge) { j.Config.Reasoning, j.Config.ReasoningTokens = true, 9 },
		"layout":    func(j *Judge) { j.Config.Prompt.Layout = judges.Layout("conversation-first") },
	}
	for name, change := range settings() {
		changes["setting "+name] = func(j *Judge) { change(&j.Config) }
	}
	seen := map[string]string{}
	for name, change := range changes {
		j := Judge{Config: judges.Config{Model: "m"}, Endpoint: client.Endpoint{BaseURL: "http://a/v1"}}
		change(&j)
		if other, twice := seen[j.Identity()]; twice {
			t.Errorf("%s and %s are one judge", name, other)
		}
		seen[j.Identity()] = name
	}
	key := judgeAt("http://a/v1")
	other := key
	other.Endpoint.APIKey, other.Endpoint.Concurrency = client.NewSecret("sk-other"), 3
	if key.Identity() != other.Identity() {
		t.Error("how a judge is reached makes another judge")
	}
	rules, same := Judge{Baseline: true}, Judge{Baseline: true, Endpoint: client.Endpoint{BaseURL: "http://a/v1"}}
	if rules.Identity() != same.Identity() {
		t.Error("the baseline has no server, and another one makes another judge")
	}
	if got := (&Judge{}).words(); got != (judges.Options{}).Version() {
		t.Errorf("a judge without settings is %q", got)
	}
}

// TestPanelIsAnotherInstrument: what decides in a panel is told apart.
func TestPanelIsAnotherInstrument(t *testing.T) {
	team := &Team{Judges: []Judge{{Config: judges.Config{Model: "a"}}, {Config: judges.Config{Model: "b"}}, {Config: judges.Config{Model: "c"}}}}
	seen := map[string]string{}
	for name, change := range map[string]func(*judges.Panel){
		"plain":          func(*judges.Panel) {},
		"members":        func(p *judges.Panel) { p.Members = []string{"a", "c"} },
		"rule":           func(p *judges.Panel) { p.Rule = "majority" },
		"quorum of one":  func(p *judges.Panel) { p.Quorum = 1 },
		"quorum of two":  func(p *judges.Panel) { p.Quorum = 2 },
		"weights":        func(p *judges.Panel) { p.Weights = map[string]float64{"a": 0.25, "b": 0.75} },
		"other weights":  func(p *judges.Panel) { p.Weights = map[string]float64{"a": 0.75, "b": 0.25} },
		"rubric weights": func(p *judges.Panel) { p.RubricWeights = map[string]map[string]float64{"r": {"a": 0.25, "b": 0.75}} },
		"another rubric": func(p *judges.Panel) { p.RubricWeights = map[string]map[string]float64{"s": {"a": 0.25, "b": 0.75}} },
	} {
		p := judges.Panel{Name: "p", Members: []string{"a", "b"}}
		change(&p)
		words := team.panelWords(&p)
		if other, twice := seen[words]; twice {
			t.Errorf("%s and %s are one instrument: %s", name, other, words)
		}
		seen[words] = name
	}
}

// TestSettingsOfAnEndpoint: what a server was found to do is kept for requests of one form, and the usual layout is that
// of a judge without one.
func TestSettingsOfAnEndpoint(t *testing.T) {
	of := func(change func(*judges.Config)) string {
		j := Judge{Config: judges.Config{Model: "m"}}
		change(&j.Config)
		return j.Settings()
	}
	plain := of(func(*judges.Config) {})
	for name, tt := range map[string]struct {
		change func(*judges.Config)
		same   bool
	}{
		"layout":       {func(c *judges.Config) { c.Prompt.Layout = "conversation-first" }, false},
		"usual layout": {func(c *judges.Config) { c.Prompt.Layout = judges.RubricFirst }, true},
		"temperature":  {func(c *judges.Config) { c.Temperature = new(0.5) }, false},
		"seed":         {func(c *judges.Config) { c.Seed = 5 }, false},
		"extra":        {func(c *judges.Config) { c.Extra = []llm.Field{{Name: "top_k", Value: json.RawMessage("5")}} }, false},
		"name":         {func(c *judges.Config) { c.Name = "a" }, true},
	} {
		if got := of(tt.change); (got == plain) != tt.same {
			t.Errorf("%s: %s beside %s", name, got, plain)
		}
	}
}

// A setting that is new must be thought about: does it make another instrument?
func TestEverySettingIsDecided(t *testing.T) {
	for _, of := range []struct {
		t       reflect.Type
		decided []string
	}{
		{reflect.TypeFor[judges.Config](), []string{
			"Model", "Name", "Rubrics", "Prompt", "Method", "Samples", "Temperature", "Modes", "CoerceNumbers", "Extra",
			"Transport", "CorrectionAsText", "Strict", "Seed", "MaxTokens", "Reasoning", "ReasoningTokens", "MaxRepairs", "Concurrency", "Log", "LimitName", "Kind", "Host", "Pilot",
			"Answers", "Alone",
		}},
		{reflect.TypeFor[judges.Options](), []string{"RunKey", "Canary", "ExamplesInSystem", "Marker", "Redact", "MaxRecordBytes", "KeepLast", "MaxExamples", "Limit", "Layout", "code"}},
	} {
		for i := range of.t.NumField() {
			if name := of.t.Field(i).Name; !slices.Contains(of.decided, name) {
				t.Errorf("%s.%s: does it make another instrument? see Judge.Words", of.t, name)
			}
		}
	}
}

func builtin(t *testing.T, name string) *rubrics.Rubric {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rubric %s", name)
	return nil
}

// TestTemperatureIsNamed: a temperature is named if it is not the usual one of the method.
func TestTemperatureIsNamed(t *testing.T) {
	for _, tt := range []struct {
		method judges.Method
		given  *float64
		want   string
	}{
		{judges.Parsed, nil, ""}, {judges.Parsed, new(0.0), ""}, {judges.Parsed, new(0.5), "temperature 0.5"},
		{judges.SelfConsistency, nil, ""}, {judges.SelfConsistency, new(0.0), "temperature 0"},
	} {
		j := Judge{Config: judges.Config{Model: "m", Method: tt.method, Temperature: tt.given}}
		if got := j.words(); strings.Contains(got, "temperature") != (tt.want != "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %q", tt.method, got, tt.want)
		}
	}
}

// TestRetests: judges are asked a second time under a name of their own, in the same way or in the other one.
func TestRetests(t *testing.T) {
	list := []Judge{{Config: judges.Config{Name: "a"}}, {Config: judges.Config{Name: "b", Prompt: judges.Options{Layout: judges.Together}}}, {Baseline: true, Config: judges.Config{Name: "rules"}}}
	for together, want := range map[bool]string{
		false: "a (again) of a by ; b (again) of b by together; rules (again) of rules by ; ",
		true:  "a (together) of a by together; b (alone) of b by rubric-first; ",
	} {
		got := ""
		for _, j := range Retests(list, together) {
			got += fmt.Sprintf("%s of %s by %s; ", j.Config.Name, j.RetestOf, j.Config.Prompt.Layout)
		}
		if got != want {
			t.Errorf("together %v: %s, want %s", together, got, want)
		}
	}
	r := builtin(t, rubrics.Overall)
	first, last := r.Examples[0].Log, r.Examples[len(r.Examples)-1].Log
	if got := reversed([]*rubrics.Rubric{r})[0]; got.Examples[0].Log != last || r.Examples[0].Log != first || len(got.Examples) != len(r.Examples) {
		t.Error("the examples are not reversed, or those of the rubric itself are")
	}
}

// TestCost: tokens have a price per million, and those that the server has cached one of their own, if the prices say so.
func TestCost(t *testing.T) {
	for name, tt := range map[string]struct {
		prices Prices
		want   float64
	}{
		"cached tokens are cheaper": {Prices{Input: 2, CachedInput: new(0.5), Output: 8}, 0.6*2 + 0.4*0.5 + 0.2*8},
		"one price for all":         {Prices{Input: 2, Output: 8}, 2 + 0.2*8},
		"cached tokens are free":    {Prices{Input: 2, CachedInput: new(0.0), Output: 8}, 0.6*2 + 0.2*8},
	} {
		if got := tt.prices.Cost(1_000_000, 400_000, 200_000); !(math.Abs(got-tt.want) <= 1e-9) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestHost: only judges on servers that hold one model at a time have to take turns.
func TestHost(t *testing.T) {
	for kind, want := range map[llm.Kind]string{llm.KindOllama: "http://gpu", llm.KindLMStudio: "http://gpu", llm.KindVLLM: "", llm.KindOpenAI: "", "": ""} {
		j := Judge{Endpoint: client.Endpoint{BaseURL: "http://gpu"}, Kind: kind}
		if got := j.Host(); got != want {
			t.Errorf("%q: %q, want %q", kind, got, want)
		}
	}
}

// TestProbeRetests: each judge is asked about a planted log four times more, and about the items that each of them is
// for; the built-in judge has no server to be alone with.
func TestProbeRetests(t *testing.T) {
	list := []Judge{{Config: judges.Config{Name: "a"}}, {Baseline: true, Config: judges.Config{Name: "rules"}}}
	item := func(plan planted.Plan) *transcript.Conversation {
		plan.Conversation, plan.Kind = "c", planted.Original
		return &transcript.Conversation{Extra: value.Pairs(planted.Label, plan.Value())}
	}
	items := map[string]*transcript.Conversation{
		"plain": item(planted.Plan{}), "retest": item(planted.Plan{Retest: true}), "of no plan": {},
		"reversed": item(planted.Plan{Reversed: true}), "alone": item(planted.Plan{Alone: true}),
	}
	got := map[string]string{}
	for _, j := range append(list, ProbeRetests(list)...) {
		var judged []string
		for name, c := range items {
			if !j.Skips(c) {
				judged = append(judged, name)
			}
		}
		slices.Sort(judged)
		got[j.Config.Name] = j.RetestOf + ": " + strings.Join(judged, ", ")
	}
	const all = ": alone, of no plan, plain, retest, reversed"
	if d := cmp.Diff(map[string]string{
		"a": all, "rules": all, "a (again)": "a: of no plan, retest", "rules (again)": "rules: of no plan, retest",
		"a (examples reversed)": "a: of no plan, reversed", "rules (examples reversed)": "rules: of no plan, reversed",
		"a (one at a time)": "a: alone, of no plan", "a (one at a time, again)": "a: alone, of no plan",
	}, got); d != "" {
		t.Error(d)
	}
}
