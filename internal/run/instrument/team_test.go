package instrument

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// team returns three judges of two models, one of them the rules, with a panel and a cascade.
func team() Team {
	of := func(name, model string) Judge { return Judge{Config: judges.Config{Name: name, Model: model}} }
	rules := of("rules", baseline.Model)
	rules.Baseline = true
	return Team{
		Judges: []Judge{of("small", "m"), of("n", "n"), rules},
		Panels: []judges.Panel{{Name: "jury", Members: []string{"small", "rules"}, Quorum: 2}},
		Cascades: []Cascade{{Cascade: judges.Cascade{Name: "ladder", Tiers: []string{"n", "jury", "small", "gone"},
			EscalateOn: []judges.Reason{"borderline", "error"}}}},
	}
}

// TestInstruments: panels and cascades are described by what their members are, each of which makes another
// instrument; who applies the rules of a scorer is named, alone and as a member.
func TestInstruments(t *testing.T) {
	one := team()
	prompt := (&judges.Options{}).Version()
	rules := "(rules is " + baseline.Model + ": " + prompt + ")"
	small, n := "(small is m: "+prompt+")", "(n: "+prompt+")"
	panel := "panel, median of at least 2: " + small + " " + rules
	ladder := "cascade on borderline error: " + n + " then (" + panel + ") then " + small + " then gone"
	want := []string{
		"small " + prompt + " []", "n " + prompt + " []", "rules " + prompt + " [] shares",
		"jury " + panel + " [small rules] shares",
		"ladder " + ladder + " [n small rules gone] shares",
	}
	var got []string
	for _, j := range one.Instruments() {
		text := j.Name + " " + j.Prompt + " [" + strings.Join(j.Members, " ") + "]"
		if len(j.SharesRules) > 0 {
			text += " shares"
		}
		got = append(got, text)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"jury", panel, "ladder", ladder}, one.Identity()); d != "" {
		t.Error(d)
	}
	one.Judges[1].AskAlways = true
	if got := one.Identity(); len(got) != 5 || got[0] != "always n" {
		t.Errorf("%q", got)
	}
	cfg := one.RunConfig()
	one.Judges[0].Endpoint.Concurrency = 100
	if wide := one.RunConfig().MaxPending; wide-cfg.MaxPending != 24*(client.Workers(100)-client.Workers(0)) {
		t.Errorf("%d judgements in progress, and %d", cfg.MaxPending, wide)
	}
	if cfg.MaxPending != 3*24*client.Workers(0) || cfg.MaxBytes != 4<<20 || !slices.Equal(cfg.Always, []string{"n"}) ||
		len(cfg.Cascades) != 1 || cfg.Cascades[0].Name != "ladder" || len(cfg.Panels) != 1 {
		t.Errorf("%+v", cfg)
	}
	for panel, want := range map[string]string{
		"weights": "panel, weighted, weights 0.8 0: ", "by rubric": "panel, weighted, a 0.7 0.6, b 0 0.5: ",
		"rule": "panel, mean: ",
	} {
		p := judges.Panel{Members: []string{"small", "rules"}, Rule: judges.Weighted}
		switch panel {
		case "weights":
			p.Weights = map[string]float64{"small": 0.8}
		case "by rubric":
			p.RubricWeights = map[string]map[string]float64{"b": {"rules": 0.5}, "a": {"small": 0.7, "rules": 0.6}}
		default:
			p.Rule = "mean"
		}
		if got := one.panelWords(&p); got != want+small+" "+rules {
			t.Errorf("%s: %s", panel, got)
		}
	}
	if got := one.cascadeWords(&judges.Cascade{Tiers: []string{"n"}}); got != "cascade: "+n {
		t.Error(got)
	}
	once := judges.Cascade{Tiers: []string{"n"}, EscalateOn: []judges.Reason{"error"}}
	if got := one.cascadeWords(&once); got != "cascade on error: "+n {
		t.Error(got)
	}
}

// TestRubricsOfATeam: the built-in judge has rules for the built-in rubrics only, and a report has each rubric's scale.
func TestRubricsOfATeam(t *testing.T) {
	list, err := rubrics.Load(strings.NewReader("- {name: own, question: q?, answer: [good, bad], compare_with: reward,\n"+
		"   aligned: {parent: p, labels: m1 m2}}\n- {name: scale, question: q?, answer: 1-5, pass: 4}"), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	one := team()
	one.Rubrics = append([]*rubrics.Rubric{builtin(t, rubrics.Overall)}, list...)
	if got := one.WithoutRule(); !slices.Equal(got, []string{"own", "scale"}) {
		t.Errorf("without a rule: %q", got)
	}
	for i, want := range []int{3, 3, 1} {
		if got := one.Asked(i); got != want {
			t.Errorf("judge %d is asked by %d rubrics", i, got)
		}
	}
	scales := one.Scales()
	if len(scales) != 3 || scales[1].Low != nil || !slices.Equal(scales[1].Categories, []string{"good", "bad"}) ||
		!slices.Equal(scales[1].CompareWith, []string{"reward"}) ||
		scales[1].MadeFrom != "m1 m2" || scales[0].MadeFrom != "" ||
		*scales[2].Low != 4 || *scales[2].High != 5 || scales[2].Min != 1 || scales[2].Max != 5 {
		t.Errorf("%+v", scales)
	}
	only := Team{Judges: one.Judges[2:], Rubrics: list}
	if only.AsksAny() || !one.AsksAny() || (&Team{Rubrics: list}).Scales() != nil {
		t.Error("rules without a rubric of theirs ask, or nobody does")
	}
	only.Rubrics = list[:1]
	if got := only.WithoutRule(); !slices.Equal(got, []string{"own"}) {
		t.Errorf("the rules lack one for %q", got)
	}
	if only.Rubrics = one.Rubrics[:1]; !only.AsksAny() {
		t.Error("rules with one rubric of theirs do not ask")
	}
	if none := (&Team{Judges: one.Judges[:2], Rubrics: list}).WithoutRule(); none != nil {
		t.Errorf("models lack rules for %q", none)
	}
}

// TestJudgeConfig: a run's own words are in a judge's prompts, hosted services are asked by a pilot first unless the
// user says otherwise, and a judge's answers are its own if another judge has its model.
func TestJudgeConfig(t *testing.T) {
	one := team()
	one.Rubrics = []*rubrics.Rubric{builtin(t, rubrics.Overall)}
	yes, no := true, false
	for _, tt := range []struct {
		kind  llm.Kind
		pilot *bool
		want  bool
	}{
		{llm.KindOpenAI, nil, true}, {llm.KindVLLM, nil, false}, {llm.KindOpenAI, &no, false}, {llm.KindVLLM, &yes, true},
	} {
		one.Judges[0].Kind, one.Judges[0].Pilot, one.Judges[0].ContextTokens = tt.kind, tt.pilot, 5000
		cfg, own := one.JudgeConfig(0, "run"), PromptOptions("run")
		if cfg.Pilot != tt.want || cfg.Kind != tt.kind || cfg.Prompt.Canary != own.Canary ||
			string(cfg.Prompt.RunKey) != string(own.RunKey) || cfg.Prompt.Limit.Tokens != 5000 ||
			cfg.Rubrics[0] != one.Rubrics[0] {
			t.Errorf("%s: %+v", tt.kind, cfg)
		}
	}
	a, b := PromptOptions("run"), PromptOptions("other")
	if a.Canary == b.Canary || string(a.RunKey) == string(b.RunKey) || len(a.Canary) != len("quartz-00000000") {
		t.Errorf("%s, %s", a.Canary, b.Canary)
	}
	one.Judges[0].Reversed = true
	if got := one.JudgeConfig(0, "run").Rubrics[0].Examples[0].Log; got == one.Rubrics[0].Examples[0].Log {
		t.Error("the examples of a judge that shows them in reverse order")
	}
	plain := (&judges.Options{}).Version()
	twins := Team{Judges: []Judge{one.Judges[0], one.Judges[1], one.Judges[0]}}
	twins.Judges[2].Config.Name = "again"
	for i, want := range []string{plain + " small", plain, plain + " again"} {
		if got := twins.PromptVersion(i); got != want {
			t.Errorf("judge %d: %s, want %s", i, got, want)
		}
	}
	twins.Judges[2].RetestOf = "small"
	for i, want := range []string{plain, plain, plain + " again"} {
		if got := twins.PromptVersion(i); got != want {
			t.Errorf("judge %d beside its retest: %s, want %s", i, got, want)
		}
	}
	silent, err := one.Silent()
	if err != nil || len(silent) != 3 || silent[1].Name() != "n" {
		t.Errorf("%v, %v", silent, err)
	}
	one.Judges[1].Profile = &Profile{Judge: "n"}
	if got := one.Profiles(); len(got) != 1 || got[0].Judge != "n" {
		t.Errorf("%+v", got)
	}
}

// TestWordsOfSettings: members of requests that change the answers are named, in one order whatever the file's; what
// stands at its default is not.
func TestWordsOfSettings(t *testing.T) {
	field := func(name, text string) llm.Field { return llm.Field{Name: name, Value: []byte(text)} }
	plain := (&judges.Options{}).Version()
	for want, change := range map[string]func(*judges.Config){
		"": func(c *judges.Config) { c.Prompt.KeepLast, c.Prompt.MaxRecordBytes = 12, 256<<10 },
		`, redacted by ["secret" "key=.*"]`: func(c *judges.Config) {
			c.Prompt.Redact, _ = judges.NewRedaction([]string{"secret", "key=.*"})
		},
		", numbers as text taken":          func(c *judges.Config) { c.CoerceNumbers = true },
		", examples in the system message": func(c *judges.Config) { c.Prompt.ExamplesInSystem = true },
		", no examples":                    func(c *judges.Config) { c.Prompt.MaxExamples = -1 },
		", records in full":                func(c *judges.Config) { c.Prompt.MaxRecordBytes = -1 },
		", last 1 lines kept":              func(c *judges.Config) { c.Prompt.KeepLast = 1 },
		", up to 1 examples":               func(c *judges.Config) { c.Prompt.MaxExamples = 1 },
		", records of up to 1 bytes":       func(c *judges.Config) { c.Prompt.MaxRecordBytes = 1 },
		", bands for b": func(c *judges.Config) {
			c.Modes = map[string]judges.VerdictMode{"a": "", "b": "bands", "c": "interval"}
		},
		", top_k left out, top_p=0.5": func(c *judges.Config) {
			c.Extra = []llm.Field{
				field("top_p", "0.5"), field("top_k", "null"), field("seed", "null"), field("max_tokens", "null"),
			}
		},
	} {
		j := Judge{Config: judges.Config{Model: "m"}}
		change(&j.Config)
		if got := j.words(); got != plain+want {
			t.Errorf("%s, want %s", got, plain+want)
		}
	}
	reversed := Judge{Reversed: true}
	if got := reversed.words(); got != plain+", examples in reverse order" {
		t.Error(got)
	}
	together := Judge{Config: judges.Config{Prompt: judges.Options{Layout: judges.Together}}}
	if got := together.Settings(); !strings.Contains(got, "layout together") {
		t.Error(got)
	}
}

// TestSampleConversation: a probe asks about a call that is right, of a tool that is known, and that has no result yet.
func TestSampleConversation(t *testing.T) {
	c := sampleConversation()
	call, tool := &c.Calls[0], &c.Tools[0]
	const parameters = `{"type":"object","properties":{"parcel":{"type":"string"}},"required":["parcel"]}`
	if got := tool.Parameters.JSON(); got != parameters || tool.Name != call.Name {
		t.Errorf("the tool %s takes %s", tool.Name, got)
	}
	if call.RawArguments != `{"parcel":"P-204"}` || call.Arguments.JSON() != call.RawArguments || call.Message != 1 ||
		call.Result != -1 || len(c.Messages[1].Calls) != 1 || c.Messages[1].Calls[0] != 0 {
		t.Errorf("%+v of %+v", call, c.Messages)
	}
}

// TestPromptsOfARun: a run's prompts have the same secrets on every machine and in every version, so that they can be
// rendered again.
func TestPromptsOfARun(t *testing.T) {
	got := PromptOptions("4fab")
	// The sha256 of judge/nonce/4fab and the beginning of that of judge/canary/4fab.
	const key = "aae4a66d4a3fdd6001797102a71c459778d98172b1784f946fc62a46c81f778e"
	if hex.EncodeToString(got.RunKey) != key || got.Canary != "quartz-a404e237" {
		t.Errorf("%x, %s", got.RunKey, got.Canary)
	}
	if _, err := (Silent{}).Do(t.Context(), llm.Request{}); err == nil || err.Error() != "nothing is sent" {
		t.Error(err)
	}
}

// TestSettingsHoldNoSecret: of a header whose value comes from the environment only the name distinguishes profiles; a
// plain value does as well.
func TestSettingsHoldNoSecret(t *testing.T) {
	with := func(version, key string) string {
		j := Judge{Endpoint: client.Endpoint{
			Headers: []client.Param{{Name: "api-key", Value: client.NewSecret(key)}},
			Query:   []client.Param{{Name: "api-version", Value: client.NewSecret(version), Plain: true}},
		}}
		return j.Settings()
	}
	if got := with("2024-10-21", "planted"); strings.Contains(got, "planted") || !strings.Contains(got, "api-key") ||
		!strings.Contains(got, "2024-10-21") || got != with("2024-10-21", "another") || got == with("2025-01-01", "planted") {
		t.Error(got)
	}
}
