package agreement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
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

// removed are the statistics that no command prints; they are not in the product, and
// their cases are counted apart.
var removed = map[string]bool{
	"active_mean": true, "cluster_bootstrap": true, "cronbach_alpha": true, "delong_paired": true,
	"disagreement_rank": true, "labeling_probabilities": true, "newcombe_diff": true, "paired_bootstrap": true,
	"isotonic": true, "per_tool_regression": true, "platt": true, "power": true, "ppi_mean": true, "ppi_stratified": true, "rogan_gladen": true,
	"selective_threshold": true, "stratified_table": true,
}

// removedVariants are the variants of a statistic that no command asks for: a value of a
// parameter or of an input, by its name.
var removedVariants = map[string][]string{
	"fleiss_kappa":       {`"variant": "fixed"`},
	"gwet_ac":            {`"weights": "ordinal"`},
	"krippendorff_alpha": {`"level": "ratio"`},
	"threshold_search": {
		`"objective": "f1"`, `"objective": "mcc"`, `"objective": "accuracy"`, `"objective": "recall"`, `"objective": "cost"`,
	},
	"distributions": {`"fn": "norm_cdf"`, `"fn": "chi2_sf"`, `"fn": "f_ppf"`},
}

// removedFields are the outputs of a statistic that no command prints.
var removedFields = map[string][]string{
	"binary_metrics":     {"accuracy", "precision", "f1", "npv"},
	"cohen_kappa":        {"scott_pi", "brennan_prediger"},
	"pr_auc":             {"auc_trapezoid"},
	"brier":              {"skill", "log_loss", "reliability", "resolution", "uncertainty"},
	"ece":                {"ece", "mce", "bins"},
	"threshold_search":   {"predicted_pass", "candidates"},
	"correlation":        {"pearson_p", "spearman_p", "kendall_p"},
	"icc":                {"icc1k", "icc2k", "icc3", "icc3k", "icc1_low", "icc1_high", "icc3_low", "icc3_high"},
	"test_retest":        {"n_items", "exact_repeat", "flip_rate", "pairwise_verdict_agreement"},
	"mcnemar":            {"p_midp", "chi2", "p_chi2", "chi2_cc", "p_chi2_cc", "diff", "diff_se"},
	"cluster_se":         {"se_miller", "se_cr0", "icc"},
	"proportion_ci":      {"jeffreys_low", "jeffreys_high", "agresti_low", "agresti_high"},
	"multiple_testing":   {"bonferroni", "hochberg", "bh", "by", "reject_bh"},
	"geval_score":        {"argmax"},
	"self_consistency":   {"std_error"},
	"rubric_consistency": {"weakest"},
	"correction_check":   {"identical"},
	"ppi_cluster":        {"n_clusters_unlabeled"},
}

// retired are the outputs that held an interval which another has replaced, because it
// covered too little in simulation; testdata/intervals.jsonl has the golden values of the new ones.
var retired = map[string][]string{
	"cohen_kappa":  {"se", "ci_low", "ci_high"},
	"gwet_ac":      {"se", "ci_low", "ci_high"},
	"fleiss_kappa": {"se", "ci_low", "ci_high"},
	"roc_auc":      {"se", "ci_low", "ci_high"},
	"correlation":  {"pearson_ci_low", "pearson_ci_high"},
	"icc":          {"icc2_low", "icc2_high"},
	"ppi_cluster":  {"se", "ci_low", "ci_high"},
	"cluster_se":   {"se_cr1", "deff", "n_eff", "ci_low", "ci_high"},
}

// golden is the outcome of a case file: one message per failing line. retired counts the
// values of replaced intervals in the cases that passed.
type golden struct {
	passed, removed, retired int
	failures                 []string
}

// checkGolden evaluates every case of r. A file without cases is an error.
func checkGolden(r io.Reader) (golden, error) {
	var out golden
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			switch gone, err := checkLine(text); {
			case err != nil:
				out.failures = append(out.failures, fmt.Sprintf("line %d: %v", number, err))
			case gone:
				out.removed++
			default:
				out.passed++
				out.retired += retiredIn(text)
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return out, readErr
		}
	}
	if out.passed+out.removed+len(out.failures) == 0 {
		return out, fmt.Errorf("the case file is empty")
	}
	return out, nil
}

// checkLine evaluates one case; true stands for a statistic that was removed.
func checkLine(line []byte) (bool, error) {
	var c goldenCase
	if err := json.Unmarshal(line, &c); err != nil {
		return false, err
	}
	if removed[c.Stat] || c.variantRemoved() {
		return true, nil
	}
	return false, c.check()
}

// retiredIn returns the number of outputs of a case that held a replaced interval.
func retiredIn(line []byte) int {
	var c struct {
		Stat string
		Want map[string]json.RawMessage
	}
	if json.Unmarshal(line, &c) != nil {
		return 0
	}
	n := 0
	for _, field := range retired[c.Stat] {
		if _, held := c.Want[field]; held {
			n++
		}
	}
	return n
}

// variantRemoved reports whether the case asks for a variant that is not in the product.
func (c goldenCase) variantRemoved() bool {
	asked := string(c.Input) + string(c.Params)
	return slices.ContainsFunc(removedVariants[c.Stat], func(text string) bool {
		return strings.Contains(strings.ReplaceAll(asked, ": ", ":"), strings.ReplaceAll(text, ": ", ":"))
	})
}

// withoutRemoved drops the outputs that are not in the product, and replaced intervals.
func (c goldenCase) withoutRemoved(want any) any {
	if w, ok := want.(map[string]any); ok {
		for _, field := range slices.Concat(removedFields[c.Stat], retired[c.Stat]) {
			delete(w, field)
		}
		for _, inner := range w {
			c.withoutRemoved(inner)
		}
	}
	return want
}

func (c goldenCase) check() error {
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
	if err := compare("", got, c.withoutRemoved(want), tol); err != nil {
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
		if !ok || !(math.Abs(g-w) <= tol*math.Max(1, math.Abs(w))) {
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
	got, err := checkGolden(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d golden cases passed, without %d values of replaced intervals; %d cases are of removed statistics",
		got.passed, got.passed+len(got.failures), got.retired, got.removed)
	for _, failure := range got.failures {
		t.Error(failure)
	}
}

// The golden values of the clustered intervals: kappa, AC1 and AC2, alpha, MCC, Pearson's r
// and ICC(2,1) by the delete-one-cluster jackknife on Fisher's z scale, balanced accuracy and
// Youden's J by MOVER of clustered Wilson intervals, the AUC on the logit scale, means, rates and
// PPI, with Student's t of 2/(Σd⁴/(Σd²)²-1/G) degrees of freedom f, of rates and AC 1/(1/f+skew²), of differences
// 1/(1/(G-1)+skew²). They were computed once by a program of its own from the definitions, each
// replicate anew from the items that stay; the data are seeded random clusters, of equal and of
// unequal sizes.
func TestGoldenIntervals(t *testing.T) {
	f, err := os.Open("testdata/intervals.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := checkGolden(f)
	if err != nil || got.passed != 52 || got.removed+got.retired > 0 {
		t.Errorf("%d passed, %d removed, %d retired (%v)", got.passed, got.removed, got.retired, err)
	}
	for _, failure := range got.failures {
		t.Error(failure)
	}
}

func TestGoldenCheckerCatches(t *testing.T) {
	const good = `{"stat":"mcnemar","input":{"b":1,"c":1},"params":{},"want":{"p_exact":1}}`
	tests := []struct {
		name, file string
		passed     int
		failing    string // part of the only failure
		err        string
	}{
		{"good", good, 1, "", ""},
		{"value", strings.Replace(good, `"p_exact":1`, `"p_exact":1.00000001`, 1), 0, ".p_exact", ""},
		{"tolerance", strings.Replace(good, `"p_exact":1`, `"p_exact":1.0000000001`, 1), 1, "", ""},
		{"null for number", strings.Replace(good, `"p_exact":1`, `"p_exact":null`, 1), 0, ".p_exact", ""},
		{"number for null", `{"stat":"proportion_ci","input":{"k":0,"n":0},"params":{},"want":{"p":0}}`, 0, ".p", ""},
		{"missing key", strings.Replace(good, `"p_exact":1`, `"other":0`, 1), 0, ".other is missing", ""},
		{"nested value", `{"stat":"resample_indices","input":{"seed":0,"n":5,"resamples":1},"params":{},"want":{"indices":[[4,2,0,4,1]]}}`, 0, ".indices[0][4]", ""},
		{"nested length", `{"stat":"resample_indices","input":{"seed":0,"n":5,"resamples":1},"params":{},"want":{"indices":[[4,2,0,4]]}}`, 0, ".indices[0]", ""},
		{"unknown statistic", strings.Replace(good, "mcnemar", "mcnemars", 1), 0, "not known", ""},
		{"no want", `{"stat":"mcnemar","input":{"b":1,"c":1},"params":{}}`, 0, "no want", ""},
		{"not json", "{", 0, "line 1", ""},
		{"empty file", "\n \n", 0, "", "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkGolden(strings.NewReader(tt.file))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil || got.passed != tt.passed {
				t.Fatalf("got %+v (%v), want %d passed", got, err, tt.passed)
			}
			if tt.failing != "" && (len(got.failures) != 1 || !strings.Contains(got.failures[0], tt.failing)) {
				t.Fatalf("failures %v, want one with %q", got.failures, tt.failing)
			}
		})
	}
}
