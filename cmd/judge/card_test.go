package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestCard: a call is shown beside what was expected of it, with who fails it and why, and
// raw JSON is behind --raw.
func TestCard(t *testing.T) {
	t.Chdir("../..")
	dir := t.TempDir() + "/run"
	run := func(code int, args ...string) string {
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }}
		if got := command(t.Context(), args, a); got != code {
			t.Fatalf("judge %v: exit %d: %s", args, got, errs.String())
		}
		return out.String() + errs.String()
	}
	run(0, "run", "fixtures/logs/support.jsonl", "--out", dir, "-q", "--model", "baseline-rules")
	for target, want := range map[string][]string{
		"refund-wrong-amount:2": {
			"conversation refund-wrong-amount (fixtures/logs/support.jsonl:4)", "call 2 refund_payment: FAILED by expected_call_match; passed by 6",
			"amount 73.8 <- expected 46.0", "result          {\"ok\": true, \"refunded\": 73.8}", "overall_call_correctness by baseline-rules: 0.95 pass",
			"human, of the conversation: 0 fail", "before it (8 messages)",
		},
		"address-without-country:1":                      {"country is missing <- expected \""},
		"half-written-arguments:1":                       {"cannot be read: the arguments are no JSON", "flag (severity 1): fail_without_correction"},
		"refund-wrong-amount":                            {"call 2 refund_payment(order_id: \"KT-19877\", amount: 73.8", "FAILED by expected_call_match; passed by 6", "passed by all 7"},
		"refund-wrong-amount:2:overall_call_correctness": {"prompt as sent:", "exchange 1: baseline-rules", "raw reply, without its envelope: {"},
	} {
		got := run(0, "show", dir, target)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", target, part, got)
			}
		}
		if strings.Contains(got, `"fingerprint"`) || strings.Contains(got, `"choices"`) {
			t.Errorf("%s shows raw JSON:\n%s", target, got)
		}
		raw := run(0, "show", dir, target, "--raw")
		if !strings.Contains(raw, "record:\n  [0] system: You are") || !strings.Contains(raw, `{"conversation_id":"`) {
			t.Errorf("%s --raw:\n%s", target, raw)
		}
		if strings.HasSuffix(target, "correctness") && !strings.Contains(raw, `"choices"`) {
			t.Errorf("%s --raw has no reply as the server sent it", target)
		}
	}
	run(exitUsage, "show", dir, "refund-wrong-amount:9")
	run(exitUsage, "show", dir, "refund-wrong-amount:2", "--raw", "--blind")
}
