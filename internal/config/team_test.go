package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

const teamFile = `judges:
  - {model: small-a, score_method: self_consistency, samples: 7, verdict_mode: {overall_call_correctness: bands}, coerce_numbers: true}
  - small-b
  - {model: huge:405b, name: large, score_method: token_weighted, ask_always: true}
panels:
  - {name: jury, members: [small-a, small-b, large], quorum: 2}
  - {name: weighed, members: [small-a, small-b], aggregate: weighted, weights: {small-a: 0.8, small-b: 0.6}}
  - {name: measured, members: [small-a, large], aggregate: weighted, weights: runs/base/calibration.json}
cascades:
  - {name: ladder, tiers: [small-a, jury, large], escalate_on: [borderline, error], queue: people.jsonl}
  - {name: short, tiers: [small-b, large]}
`

func TestTeamIsRead(t *testing.T) {
	c, err := Read("judge.yaml", []byte(teamFile))
	if err != nil {
		t.Fatal(err)
	}
	a := c.Judges[0]
	want := Judge{Model: "small-a", ScoreMethod: "self_consistency", Samples: 7, CoerceNumbers: true, VerdictModes: map[string]judges.VerdictMode{"overall_call_correctness": "bands"}}
	if d := cmp.Diff(want, a, cmp.Comparer(value.Equal)); d != "" {
		t.Error(d)
	}
	if !c.Judges[2].AskAlways || c.Judges[2].ScoreMethod != "token_weighted" {
		t.Errorf("%+v", c.Judges[2])
	}
	wantPanel := Panel{Name: "weighed", Members: []string{"small-a", "small-b"}, Aggregate: "weighted", Weights: Weights{ByJudge: map[string]float64{"small-a": 0.8, "small-b": 0.6}}}
	if d := cmp.Diff(wantPanel, c.Panels[1]); d != "" {
		t.Error(d)
	}
	if p := c.Panels[2]; p.Weights.File != "runs/base/calibration.json" || p.Weights.ByJudge != nil {
		t.Errorf("%+v", p)
	}
	wantCascade := Cascade{Name: "ladder", Tiers: []string{"small-a", "jury", "large"}, EscalateOn: []judges.Reason{"borderline", "error"}, Queue: "people.jsonl"}
	if d := cmp.Diff(wantCascade, c.Cascades[0]); d != "" {
		t.Error(d)
	}
	if c.Cascades[1].QueueFile() != "queue.jsonl" {
		t.Errorf("queue %s", c.Cascades[1].QueueFile())
	}
	again, err := Read("run.json", []byte(c.Value().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c.Value().JSON(), again.Value().JSON()); d != "" {
		t.Errorf("read back: %s", d)
	}
}

func TestJudgesOfOneNameAreNumbered(t *testing.T) {
	if _, err := Read("judge.yaml", []byte("judges: [m, m]\npanels: [{name: p, members: [m, m#2]}]\n")); err != nil {
		t.Error(err)
	}
}

func TestTeamProblems(t *testing.T) {
	const judges = "judges: [a, b]\n"
	for _, tt := range []struct{ in, want string }{
		{"judges: [{model: a, samples: 3}]\n", "judges[0].samples: goes with score_method: self_consistency only"},
		{"judges: [{model: a, score_method: b1}]\n", `judges[0].score_method: unknown value "b1"; known are parsed`},
		{"judges: [{model: a, verdict_mode: {x: band}}]\n", `judges[0].verdict_mode.x: unknown value "band"; did you mean bands?`},
		{"judges: [{model: a, verdict_mode: bands}]\n", "judges[0].verdict_mode: want a mapping"},
		{judges + "panels: [{name: p, members: [a]}]\n", "judge.yaml:2:11: panels[0].members: want the names of at least two judges"},
		{judges + "panels: [{name: p, members: [a, c]}]\n", `panels[0].members[1]: no judge has the name "c"`},
		{judges + "panels: [{name: a, members: [a, b]}]\n", `panels[0].name: "a" is the name of a judge already`},
		{judges + "panels: [{name: p, members: [a, b], quorum: 3}]\n", "panels[0].quorum: is more than the panel's 2 members"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: 1}}]\n", "panels[0].weights: b has none"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: 0, b: 0}}]\n", "panels[0].weights: are all 0"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: 1, b: 1, c: 1}}]\n", "panels[0].weights.c: is not a member of the panel"},
		{judges + "panels: [{name: p, members: [a, b], weights: {a: 1}}]\n", "panels[0].weights: go with aggregate: weighted only"},
		{judges + "panels: [{name: p, members: [a, b], weights: c.json}]\n", "panels[0].weights: go with aggregate: weighted only"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: 7}]\n", "panels[0].weights: want a mapping of keys to values"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: modus}]\n", `panels[0].aggregate: unknown value "modus"`},
		{judges + "cascades: [{name: c, tiers: []}]\n", "cascades[0].tiers: want the names of judges and panels"},
		{judges + "cascades: [{name: c, tiers: [a, z]}]\n", `cascades[0].tiers[1]: no judge and no panel has the name "z"`},
		{judges + "cascades: [{name: c, tiers: [a, b], escalate_on: [bored]}]\n", `cascades[0].escalate_on[0]: unknown value "bored"`},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: ../x.jsonl}]\n", "cascades[0].queue: want the name of a new .jsonl file"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: scores.jsonl}]\n", "cascades[0].queue: want the name of a new .jsonl file"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: items.jsonl}]\n", "cascades[0].queue: want the name of a new .jsonl"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: exchanges.jsonl}]\n", "cascades[0].queue: want the name of a new"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: .x.jsonl}]\n", "cascades[0].queue: want the name of a new"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: runs/x.jsonl}]\n", "cascades[0].queue: want the name of a new"},
		{judges + "cascades: [{name: c, tiers: [a, b], queue: x.json}]\n", "cascades[0].queue: want the name of a new"},
		{judges + "cascades: [{name: b, tiers: [a, b]}]\n", `cascades[0].name: "b" is the name of a judge already`},
		{judges + "panels: [{name: p, members: [a, b]}]\ncascades: [{name: p, tiers: [a, b]}]\n",
			`cascades[0].name: "p" is the name of a panel already`},
		{judges + "cascades: [{name: c, tiers: [a, b]}, {name: c, tiers: [b, a], queue: d.jsonl}]\n",
			`cascades[1].name: "c" is the name of a cascade already`},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: -0.1, b: 1}}]\n",
			"panels[0].weights.a: want a number from 0 to 1"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: 1.1, b: 1}}]\n",
			"panels[0].weights.a: want a number from 0 to 1"},
		{judges + "panels: [{name: p, members: [a, b], aggregate: weighted, weights: {a: x, b: 1}}]\n",
			"panels[0].weights.a: want a number from 0 to 1"},
		{judges + "cascades: [{name: c, tiers: [a, b]}, {name: d, tiers: [b, a]}]\n", "cascades[1].queue: queue.jsonl is the file of another cascade"},
	} {
		_, err := Read("judge.yaml", []byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.in, err, tt.want)
		}
	}
}
