package format

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
)

func TestTau2FilesAreReadWhole(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau2", "runs"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, file := range files {
		t.Run(baseName(file), func(t *testing.T) {
			var plain struct {
				Tasks       []any
				Simulations []struct {
					ID       string
					Messages []struct {
						Role  string
						Error bool
						Calls []struct {
							Requestor string
							Arguments map[string]any
						} `json:"tool_calls"`
					}
					Info struct{ Reward float64 } `json:"reward_info"`
				}
			}
			plainJSON(t, file, &plain)
			list, problems := readFile(t, file, Options{})
			if len(problems) > 0 || len(list) != len(plain.Simulations) {
				t.Fatalf("%d conversations of %d simulations, %v", len(list), len(plain.Simulations), problems)
			}
			kinds := map[string]int{}
			total := map[string]int{}
			for i, c := range list {
				got, want := map[string]int{}, map[string]int{}
				sim := plain.Simulations[i]
				if c.ID != sim.ID || len(c.Messages) != len(sim.Messages)+1 || c.Messages[0].Role != transcript.System || c.Labels[0] != (transcript.Label{Name: "reward", CallIndex: -1, Value: sim.Info.Reward, Text: ""}) || c.Expected == nil {
					t.Errorf("simulation %d: id %s, %d messages, labels %v", i, c.ID, len(c.Messages), c.Labels)
				}
				for _, m := range sim.Messages {
					want["errors"] += b2i(m.Error)
					want["results"] += b2i(m.Role == "tool")
					for _, call := range m.Calls {
						want["calls by "+call.Requestor]++
						want["arguments"] += len(call.Arguments)
					}
				}
				for _, m := range c.Messages {
					got["errors"] += b2i(m.IsError)
					got["results"] += b2i(m.Result >= 0)
				}
				for _, call := range c.Calls {
					by := "user"
					if call.Executor == "client" {
						by = "assistant"
					}
					got["calls by "+by]++
					got["arguments"] += call.Arguments.Len()
				}
				for k, n := range want {
					total[k] += n
					if n == 0 {
						delete(want, k)
					}
				}
				for k, n := range got {
					if n == 0 {
						delete(got, k)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", c.ID, diff)
				}
				for _, n := range c.Notes {
					kinds[n.Kind]++
				}
			}
			t.Logf("%d conversations, %v, notes %v", len(list), total, kinds)
		})
	}
}

func TestTau2Frame(t *testing.T) {
	const info = `"info":{"environment_info":{"policy":"P","tool_defs":{"f":{"parameters":{"a":"int"}}}}}`
	const tasks = `"tasks":[{"id":"t","evaluation_criteria":{"actions":[{"name":"f","arguments":{"a":1},"compare_args":["a"],"requestor":"user"}],"communicate_info":["7"]}}]`
	const sim = `{"id":"s","task_id":"t","trial":0,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","name":"f","arguments":{"a":1},"requestor":"assistant"},{"id":"2","name":"f","arguments":{"a":2}}]},` +
		`{"role":"tool","tool_messages":[{"role":"tool","id":"2","content":"x","error":true},{"role":"tool","id":"1","content":"y","error":false}]}],"reward_info":{"reward":0.5,"db_check":{"db_match":true}}}`
	const want = `s x[0] f({"a":1})@1->3:id f({"a":2})@1->2:id`
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"plain", `{"timestamp":[{}],` + info + `,` + tasks + `,"simulations":[` + sim + "\n," + sim + `],"more":1}`, []string{want, strings.ReplaceAll(want, "s x[0]", "s#2 x[1]")}},
		{"no simulation", `{` + info + `,` + tasks + `,"simulations":[]}`, nil},
		{"cut in a simulation", `{` + info + `,` + tasks + `,"simulations":[` + sim + `,{"id"`, []string{want, "error: x[1]: the file ends inside of this record: it is cut short"}},
		{"cut behind a simulation", `{` + info + `,` + tasks + `,"simulations":[` + sim, []string{want, "error: x[1]: the file ends inside of this record: it is cut short"}},
		{"tasks too late", `{` + info + `,"simulations":[` + sim + `],` + tasks + `}`, []string{want + " task_missing", "error: x[1]: tasks follows the simulations, which need it: put it before them"}},
		{"a bad simulation", `{` + info + `,` + tasks + `,"simulations":[1,` + sim + `]}`, []string{"error: x[0]: a simulation must be an object and is an integer", strings.ReplaceAll(want, "x[0]", "x[1]")}},
		{"text behind", `{` + info + `,` + tasks + `,"simulations":[` + sim + `]} x`, []string{want, `error: x[1]: text follows the end of the log and was not read: "x"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, parallel := range []int{0, 2} {
				got, list := readText(t, "x", tt.text, Options{Parallel: parallel})
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if tt.name == "plain" {
					c := list[0]
					if c.Messages[0].Content != "P" || !c.Messages[2].IsError || c.Expected.Outputs[0] != "7" || c.Expected.Calls[0].Requestor != "user" || len(c.Labels) != 2 || len(c.Tools) != 1 {
						t.Errorf("%+v", c)
					}
				}
			}
		})
	}
}
