package agreement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
)

// goldenCase is one line of the case file.
type goldenCase struct {
	Stat   string
	Input  json.RawMessage
	Params json.RawMessage
	Want   json.RawMessage
}

// checkGolden evaluates every case of r and returns one message per failing
// line, and how many passed. A file without cases is an error.
func checkGolden(r io.Reader) (passed int, failures []string, err error) {
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := checkLine(text); err != nil {
				failures = append(failures, fmt.Sprintf("line %d: %v", number, err))
			} else {
				passed++
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return passed, failures, readErr
		}
	}
	if passed+len(failures) == 0 {
		return 0, nil, fmt.Errorf("the case file is empty")
	}
	return passed, failures, nil
}

func checkLine(line []byte) error {
	var c goldenCase
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	result, err := Evaluate(c.Stat, c.Input, c.Params)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Stat, err)
	}
	var par struct {
		Tol *float64 `json:"compare_tol"`
	}
	if err := json.Unmarshal(c.Params, &par); err != nil {
		return err
	}
	tol := 1e-9
	if par.Tol != nil {
		tol = *par.Tol
	}
	if len(c.Want) == 0 {
		return fmt.Errorf("%s: the case has no want", c.Stat)
	}
	var got, want any
	if err := decodeExact(raw, &got); err != nil {
		return err
	}
	if err := decodeExact(c.Want, &want); err != nil {
		return err
	}
	if err := compare("", got, want, tol); err != nil {
		return fmt.Errorf("%s: %w", c.Stat, err)
	}
	return nil
}

func decodeExact(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	return dec.Decode(v)
}

// compare walks want: numbers within tol, everything else equal, and every key
// of want present.
func compare(path string, got, want any, tol float64) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: got %v, want an object", path, got)
		}
		for k, v := range w {
			value, present := g[k]
			if !present {
				return fmt.Errorf("%s.%s is missing", path, k)
			}
			if err := compare(path+"."+k, value, v, tol); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s: got %v, want %v", path, got, want)
		}
		for i := range w {
			if err := compare(fmt.Sprintf("%s[%d]", path, i), g[i], w[i], tol); err != nil {
				return err
			}
		}
		return nil
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-w) > tol*math.Max(1, math.Abs(w)) {
			return fmt.Errorf("%s: got %v, want %v", path, got, want)
		}
		return nil
	}
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", path, got, want)
	}
	return nil
}

func TestGoldenCases(t *testing.T) {
	f, err := os.Open(realdata.Cases(t, "AGREEMENT_CASES", "spec", "agreement-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	passed, failures, err := checkGolden(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d golden cases passed", passed, passed+len(failures))
	for _, failure := range failures {
		t.Error(failure)
	}
}

func TestGoldenCheckerCatches(t *testing.T) {
	const good = `{"stat":"newcombe_diff","input":{"k1":1,"n1":2,"k2":1,"n2":2},"params":{},"want":{"diff":0}}`
	tests := []struct {
		name, file string
		passed     int
		failing    string // part of the only failure
		err        string
	}{
		{"good", good, 1, "", ""},
		{"value", strings.Replace(good, `"diff":0`, `"diff":1e-8`, 1), 0, ".diff", ""},
		{"tolerance", strings.Replace(good, `"diff":0`, `"diff":1e-10`, 1), 1, "", ""},
		{"null for number", strings.Replace(good, `"diff":0`, `"diff":null`, 1), 0, ".diff", ""},
		{"number for null", `{"stat":"newcombe_diff","input":{"k1":0,"n1":0,"k2":1,"n2":2},"params":{},"want":{"diff":0}}`, 0, ".diff", ""},
		{"missing key", strings.Replace(good, `"diff":0`, `"other":0`, 1), 0, ".other is missing", ""},
		{"nested value", `{"stat":"resample_indices","input":{"seed":0,"n":5,"resamples":1},"params":{},"want":{"indices":[[4,2,0,4,1]]}}`, 0, ".indices[0][4]", ""},
		{"nested length", `{"stat":"resample_indices","input":{"seed":0,"n":5,"resamples":1},"params":{},"want":{"indices":[[4,2,0,4]]}}`, 0, ".indices[0]", ""},
		{"unknown statistic", strings.Replace(good, "newcombe_diff", "newcombe", 1), 0, "not known", ""},
		{"no want", `{"stat":"newcombe_diff","input":{"k1":1,"n1":2,"k2":1,"n2":2},"params":{}}`, 0, "no want", ""},
		{"not json", "{", 0, "line 1", ""},
		{"empty file", "\n \n", 0, "", "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			passed, failures, err := checkGolden(strings.NewReader(tt.file))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil || passed != tt.passed {
				t.Fatalf("passed %d (%v), want %d; failures %v", passed, err, tt.passed, failures)
			}
			if tt.failing != "" && (len(failures) != 1 || !strings.Contains(failures[0], tt.failing)) {
				t.Fatalf("failures %v, want one with %q", failures, tt.failing)
			}
		})
	}
}
