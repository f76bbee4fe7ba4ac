package format

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// readFile reads a log and returns its conversations and problems.
func readFile(t testing.TB, path string, opts Options) (list []*transcript.Conversation, problems []*transcript.Problem) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	return collect(t, Open(context.Background(), filepath.Base(path), in, opts))
}

func collect(t testing.TB, r *Reader) (list []*transcript.Conversation, problems []*transcript.Problem) {
	t.Helper()
	for c, err := range r.All() {
		var p *transcript.Problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, p)
		case err != nil:
			t.Fatal(err)
		default:
			list = append(list, c)
		}
	}
	return list, problems
}

// plainJSON reads a gzip file the plain way.
func plainJSON(t testing.TB, path string, into any) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(unpacked).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// goldCounts returns the sums of what the replay of the τ-bench files counted.
func goldCounts(t testing.TB, path string) (sum map[string]int, rows int) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	sum = map[string]int{}
	for dec := json.NewDecoder(unpacked); ; rows++ {
		var row struct {
			Counts map[string]int `json:"counts"`
			Forms  map[string]int `json:"argument_forms"`
			Error  any            `json:"run_error"`
		}
		if err := dec.Decode(&row); err == io.EOF {
			return sum, rows
		} else if err != nil {
			t.Fatal(err)
		}
		for k, n := range row.Counts {
			sum[k] += n
		}
		for k, n := range row.Forms {
			sum[k] += n
		}
		if row.Error != nil {
			sum["run_error"]++
		}
	}
}

func TestTauFilesAgreeWithTheReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	ids := &IDs{}
	seen := map[string]bool{}
	for _, file := range files {
		name := baseName(file)
		t.Run(name, func(t *testing.T) {
			var plain []struct {
				Traj []struct {
					Calls []any `json:"tool_calls"`
				} `json:"traj"`
				Reward float64 `json:"reward"`
			}
			plainJSON(t, file, &plain)
			goldFile := filepath.Join(filepath.Dir(file), "..", "gold", name+".jsonl.gz")
			want, rows := goldCounts(t, goldFile)
			gold, err := os.Open(goldFile)
			if err != nil {
				t.Fatal(err)
			}
			defer gold.Close()
			opts := Options{IDs: ids, Gold: gold}
			if want["unknown_tools"] > 0 {
				opts.Tools = toolsOf(t, "retail")
			}
			list, problems := readFile(t, file, opts)
			if len(problems) > 0 || len(list) != len(plain) || rows != len(plain) {
				t.Fatalf("%d conversations and %d problems of %d elements (%d gold rows)", len(list), len(problems), len(plain), rows)
			}
			got := map[string]int{}
			kinds := map[string]int{}
			for i, c := range list {
				if seen[c.ID] {
					t.Errorf("the id %s stands twice", c.ID)
				}
				seen[c.ID] = true
				calls := 0
				for _, m := range plain[i].Traj {
					calls += len(m.Calls)
					if len(m.Calls) > 1 {
						got["assistant_messages_with_several_calls"]++
					}
				}
				if calls != len(c.Calls) || len(c.Messages) != len(plain[i].Traj) {
					t.Errorf("%s: %d messages and %d calls, the file has %d and %d", c.ID, len(c.Messages), len(c.Calls), len(plain[i].Traj), calls)
				}
				if len(c.Labels) != 3 || c.Labels[0].Value != plain[i].Reward {
					t.Errorf("%s: labels %+v, the reward is %v", c.ID, c.Labels, plain[i].Reward)
				}
				count(got, c)
				for _, n := range c.Notes {
					kinds[n.Kind]++
				}
			}
			got["unknown_tools"], got["run_error"] = kinds["unknown_tool"], kinds["run_error"]
			for k, n := range got {
				if n != want[k] {
					t.Errorf("%s: %d, the replay counted %d", k, n, want[k])
				}
			}
			if got["tool_results_missing"] != kinds["unanswered_call"] || kinds["orphan_result"] > 0 {
				t.Errorf("calls and results do not pair: %v", kinds)
			}
			t.Logf("%d conversations, %d calls, notes %v", len(list), got["tool_calls"], kinds)
		})
	}
}

// count adds what one conversation holds, under the names of the replay.
func count(sum map[string]int, c *transcript.Conversation) {
	sum["tool_calls"] += len(c.Calls)
	for i := range c.Calls {
		call := &c.Calls[i]
		sum["json"] += b2i(!call.Literal && !call.Malformed)
		sum["python-literal"] += b2i(call.Literal)
		sum["arguments_not_an_object"] += b2i(call.Malformed)
		sum["rejected_by_guard"] += b2i(call.Refused)
		sum["tool_results_missing"] += b2i(call.Result < 0)
	}
}

func toolsOf(t testing.TB, domain string) []transcript.Tool {
	t.Helper()
	data, err := os.ReadFile(realdata.Path(t, "data", "tau", "env", domain, "tools.2024-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	tools, notes := parseTools(v)
	if len(notes) > 0 || len(tools) < 10 {
		t.Fatalf("%d tools, %v", len(tools), notes)
	}
	return tools
}
