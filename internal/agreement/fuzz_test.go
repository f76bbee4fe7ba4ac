package agreement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// FuzzEvaluate: whatever the input, Evaluate returns an error or an object that
// marshals, which JSON allows for finite numbers only.
func FuzzEvaluate(f *testing.F) {
	for i, seed := range []string{
		`{"gold":[1,0,null],"score":[0.5,1e308,-1e308]}`, `{"a":[1],"b":[1]}`, `{"ratings":[[1,2],[2,1],[3,null]]}`,
		`{"values":[1e308,-1e308,1],"cluster":["a","a","b"]}`, `{"k":3,"n":0}`, `{"y":[1],"yhat":[0],"yhat_unlabeled":[1]}`,
		`{"evidence":"\"a b\" 'c'","sources":["a b"]}`, `{"votes":[[0,[1,1]]]}`, `{"fn":"beta_ppf","p":1e-300,"a":1e-5,"b":1e9}`,
		`{"top_logprobs":[{"token":"1","logprob":900}]}`, `{"tools":{"a":{"k1":1,"n1":2,"k2":1,"n2":2}}}`,
		`{"call":{"name":"a"},"correction":{"name":"a","parameters":{}},"tools":{"a":["x"]}}`,
	} {
		f.Add(uint8(i), []byte(seed), []byte(`{"labels":[0,1],"alpha":0.1,"resamples":5,"seed":1}`))
	}
	for i, line := range sampleLines() {
		f.Add(uint8(i), []byte(line.Input), []byte(line.Params))
	}
	stats := Statistics()
	f.Fuzz(func(t *testing.T, which uint8, input, params []byte) {
		result, err := Evaluate(stats[int(which)%len(stats)], input, params)
		if err != nil {
			return
		}
		raw, err := json.Marshal(result)
		if err != nil {
			t.Fatalf("result does not marshal: %v", err)
		}
		if !json.Valid(raw) || len(raw) == 0 || raw[0] != '{' {
			t.Fatalf("result is not an object: %s", raw)
		}
	})
}

// sampleLines returns a few golden cases as fuzz seeds, one per statistic in the
// order of Statistics, when the shared file is there.
func sampleLines() []goldenCase {
	file, err := os.Open("../../../shared/spec/agreement-cases.jsonl")
	if err != nil {
		return nil
	}
	defer file.Close()
	first := map[string]goldenCase{}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var c goldenCase
		if json.Unmarshal(bytes.TrimSpace(line), &c) == nil && len(c.Input) < 400 {
			first[c.Stat] = c
		}
		if err != nil {
			break
		}
	}
	var out []goldenCase
	for _, name := range Statistics() {
		out = append(out, first[name])
	}
	return out
}

func TestStatisticsAreAllKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Statistics() {
		if evaluatorOf(name) == nil || seen[name] {
			t.Errorf("%s is unknown or listed twice", name)
		}
		seen[name] = true
	}
	if len(seen) != 31 {
		t.Errorf("%d statistics, want 31", len(seen))
	}
	if _, err := Evaluate("kappa", nil, nil); err == nil {
		t.Error("an unknown statistic is no error")
	}
}

func TestEvaluateRefusesBadInput(t *testing.T) {
	tests := []struct{ name, stat, input, params string }{
		{"no json", "brier", `{`, ``},
		{"not an object", "brier", `[1]`, ``},
		{"text for number", "brier", `{"gold":["a"],"prob":[1]}`, ``},
		{"lengths", "brier", `{"gold":[1,0],"prob":[1]}`, ``},
		{"alpha", "roc_auc", `{"gold":[1,0],"score":[1,0]}`, `{"alpha":0}`},
		{"undeclared rating", "cohen_kappa", `{"a":[7],"b":[1]}`, `{"labels":[1,2]}`},
		{"no labels", "cohen_kappa", `{"a":[1],"b":[1]}`, `{}`},
		{"weights", "cohen_kappa", `{"a":[1],"b":[1]}`, `{"labels":[1,2],"weights":"cubic"}`},
		{"level", "krippendorff_alpha", `{"ratings":[[1],[1]]}`, `{"level":"log"}`},
		{"objective", "threshold_search", `{"gold":[],"score":[]}`, `{"objective":"luck"}`},
		{"seed", "resample_indices", `{"seed":-1,"n":1,"resamples":1}`, ``},
		{"huge resamples", "resample_indices", `{"seed":1,"n":1000000,"resamples":1000000}`, ``},
		{"k above n", "proportion_ci", `{"k":3,"n":2}`, ``},
		{"p above 1", "multiple_testing", `{"p":[1.5]}`, ``},
		{"rule", "panel_aggregate", `{"scores":[]}`, `{"how":"loudest"}`},
		{"bands", "verdict", `{"output":1,"confidence":1}`, `{}`},
		{"call without name", "correction_check", `{"call":{}}`, ``},
		{"unknown function", "distributions", `{"fn":"cauchy_cdf","x":1}`, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := Evaluate(tt.stat, json.RawMessage(tt.input), json.RawMessage(tt.params)); err == nil {
				t.Errorf("no error, result %v", r)
			}
		})
	}
}
