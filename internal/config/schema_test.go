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
		`{"scorers":[{"type":"no_such_scorer"}]}`: false, `{"scorers":[{"key":"k"}]}`: false,
		`{"scorers":[{"type":"schema_check","label":"human","metrics":["mean"]}]}`: true,
		`{"scorers":[{"type":"schema_check","config":{}}]}`:                        true,
		`{"scorers":[{"type":"schema_check","config":7}]}`:                         false,
		`{"input_format":"native"}`:                                                true, `{"input_format":"no_such"}`: false,
		`{"judges":[{"model":"m","api_key":"k"}]}`: false, `{"judges":[{"model":"m","api_key_env":"K"}]}`: true,
		`{"labels":{"human":"random"}}`: true, `{"labels":{"human":"some"}}`: false,
		`{"judges":[{"model":"m","seed":null}]}`: true, `{"judges":[{"model":"m","temperature":3}]}`: false,
		`{"judges":[{"model":"m","datamarking":"^"}]}`: true, `{"judges":[{"model":"m","datamarking":"ab"}]}`: false,
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
	matched := false
	logs := source.Field("properties").Field("logs").Field("description").Text()
	if logs != "Paths or patterns of logs, relative to this file." {
		t.Errorf("logs are described by %q", logs)
	}
	if title, about := source.Field("title").Text(), source.Field("description").Text(); title != "judge.yaml" ||
		about != "What judge runs: logs, judges, scorers and gates." {
		t.Errorf("the schema is called %q: %s", title, about)
	}
	// What an editor shows of a setting: its values, its summary and its default.
	const matching = `{"anyOf":[{"type":"string","enum":["assignment","reuse"]},{"type":"null"}],` +
		"\"description\":\"`reuse` lets one call serve several expected ones\",\"default\":\"assignment\"}"
	for _, rule := range source.Field("$defs").Field("Scorer").Field("allOf").Elements() {
		if names, _ := rule.Pointer("/if/properties/type/enum/0"); names.Text() != "function_call_accuracy" {
			continue
		}
		if got, _ := rule.Pointer("/then/properties/matching"); got.JSON() != matching {
			t.Errorf("matching: %s, want %s", got.JSON(), matching)
		}
		own, _ := rule.Pointer("/then/properties/config")
		if got := own.Without("properties", "additionalProperties").JSON(); got != `{"type":"object"}` {
			t.Errorf("config: %s", got)
		}
		matched = true
	}
	if !matched {
		t.Error("the schema has no rule for function_call_accuracy")
	}
	var r Retest
	if r.Type() != "bool" {
		t.Errorf("as a flag it is a %s", r.Type())
	}
	for text, want := range map[string]string{"true": "true", "false": "", "together": "together"} {
		if err := r.Set(text); err != nil || r.String() != want {
			t.Errorf("%s: %v, %q", text, err, r.String())
		}
	}
}
