package config

import (
	"testing"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// TestSchemaKnowsScorers: an editor that checks a configuration by its schema is told of wrong settings of a scorer,
// and of no right one.
func TestSchemaKnowsScorers(t *testing.T) {
	source, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(source, schema.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{}`: true, `{"scorers":["schema_check","schema-check"]}`: true, `{"scorers":["schema check"]}`: false,
		`{"scorers":[{"type":"function_call_accuracy","matching":"reuse"}]}`:                true,
		`{"scorers":[{"type":"function-call-accuracy","config":{"matching":"reuse"}}]}`:     true,
		`{"scorers":[{"type":"function_call_accuracy","matching":null}]}`:                   true,
		`{"scorers":[{"type":"function_call_accuracy","matching":"reused"}]}`:               false,
		`{"scorers":[{"type":"function_call_accuracy","config":{"matching":"reused"}}]}`:    false,
		`{"scorers":[{"type":"function_call_accuracy","config":{"threshold":0.5}}]}`:        false,
		`{"scorers":[{"type":"function_call_accuracy","mode":"bfcl"}]}`:                     false,
		`{"scorers":[{"type":"ast_equivalence","mode":"bfcl"}]}`:                            true,
		`{"scorers":[{"type":"trajectory_match","threshold":0}]}`:                           true,
		`{"scorers":[{"type":"trajectory_match","threshold":1}]}`:                           true,
		`{"scorers":[{"type":"trajectory_match","threshold":-0.1}]}`:                        false,
		`{"scorers":[{"type":"trajectory_match","threshold":1.1}]}`:                         false,
		`{"scorers":[{"type":"trajectory_match","threshold":"half"}]}`:                      false,
		`{"scorers":[{"type":"schema_check","key":"k","display_name":"d","purpose":"qa"}]}`: true,
		`{"retest":"together"}`: true, `{"retest":"often"}`: false, `{"judges":["m"]}`: true,
		`{"judges":[{"model":"m","timeout":"90s"}]}`: true, `{"judges":[{"model":"m","timeouts":1}]}`: false,
		`{"gates":[{"score":"x","min_mean":1}]}`: true, `{"gates":[{"score":"x"}]}`: false,
	} {
		v, err := value.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		broken, err := compiled.Validate(v)
		if err != nil || (len(broken) == 0) != want {
			t.Errorf("%s: %v, %v", text, broken, err)
		}
	}
	logs := source.Field("properties").Field("logs").Field("description").Text()
	if logs != "Paths or patterns of logs, relative to this file." {
		t.Errorf("logs are described by %q", logs)
	}
	var r Retest
	for text, want := range map[string]string{"true": "true", "false": "", "together": "together"} {
		if err := r.Set(text); err != nil || r.String() != want {
			t.Errorf("%s: %v, %q", text, err, r.String())
		}
	}
}
