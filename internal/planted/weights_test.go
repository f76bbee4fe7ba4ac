package planted

import (
	"math"
	"testing"
)

// TestOperatorOfFailures: reasons as reports have them find the operator that plants them.
func TestOperatorOfFailures(t *testing.T) {
	for _, tt := range []struct {
		Failures
		want string
	}{
		{Failures{Kind: "schema_check: required", Parameter: "country"}, "missing_required"},
		{Failures{Kind: "schema_check: type", Parameter: "amount", Message: "is a string, must be number"}, "wrong_type"},
		{Failures{Kind: "schema_check: enum", Parameter: "reason", Message: "is … must be one of …"}, "wrong_value"},
		{Failures{Kind: "schema_check: additionalProperties", Parameter: "note"}, "invented_parameter"},
		{Failures{Kind: "schema_check: name"}, "wrong_tool"},
		{Failures{Kind: "schema_check: arguments"}, ""},
		{Failures{Kind: "missing_required", Parameter: "country"}, "missing_required"},
		{Failures{Kind: "empty_required"}, "missing_required"},
		{Failures{Kind: "unknown_tool"}, "wrong_tool"},
		{Failures{Kind: "wrong_type"}, "wrong_type"},
		{Failures{Kind: "unknown_argument", Parameter: "note"}, "invented_parameter"},
		{Failures{Kind: "unparsable_arguments"}, ""},
		{Failures{Kind: "python_literal"}, ""},
		{Failures{Kind: "ungrounded_identifier", Parameter: "zip"}, "wrong_value"},
		{Failures{Kind: "placeholder_value"}, "wrong_value"},
		{Failures{Kind: "repeats_failed_call"}, "duplicate_call"},
		{Failures{Kind: "unconfirmed_change"}, "premature_call"},
		{Failures{Kind: "guess_after_failure"}, "premature_call"},
		{Failures{Kind: "several_changes_at_once", Parameter: "state"}, "unwanted_call"},
		{Failures{Kind: "earlier_change_failed"}, ""},
		{Failures{Kind: "expected_call_match", Parameter: "zip", Message: "Value mismatch for zip: got …"}, "wrong_value"},
		{Failures{Kind: "expected_call_match", Message: "Parameter mismatch: extra: …"}, "invented_parameter"},
		{Failures{Kind: "expected_call_match", Message: "Parameter mismatch: missing: …"}, "missing_required"},
		{Failures{Kind: "expected_call_match", Message: "Function name mismatch: got …"}, "wrong_tool"},
		{Failures{Kind: "overall_call_correctness", Parameter: "amount"}, "wrong_value"},
		{Failures{Kind: "overall_call_correctness"}, ""},
		{Failures{Kind: "function_intent_alignment"}, "wrong_tool"},
		{Failures{Kind: "prerequisite_satisfaction"}, "premature_call"},
		{Failures{Kind: "human", Message: "wrong date"}, "wrong_unit"},
	} {
		if got := tt.operator(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.Failures, got, tt.want)
		}
	}
}

// TestWeightsOf: a user's failing calls count, and no operator is left without weight.
func TestWeightsOf(t *testing.T) {
	w := WeightsOf([]Failures{{Kind: "wrong_type", Count: 90}, {Kind: "earlier_change_failed", Count: 7}})
	sum := 0.0
	for _, o := range Operators() {
		if sum += w.Share[o.Name]; w.Share[o.Name] <= 0 {
			t.Errorf("%s has no weight", o.Name)
		}
	}
	if w.Failures != 90 || w.Unlike != 7 || !(math.Abs(sum-1) <= 1e-9) || !(math.Abs(w.Share["wrong_type"]-(90+10*3/99.0)/100) <= 1e-9) {
		t.Errorf("%+v, sum %v", w, sum)
	}
}
