package llm

import (
	"encoding/json"
	"testing"
)

func TestLowered(t *testing.T) {
	const long = `{ "type":"object","properties":{"maxLength":{"type":"string","maxLength":9000,"minLength":1},"b":{"items":[{"maxItems":2001}],"maximum":9000},"a":{"maxLength":2000}}}`
	const low = `{"type":"object","properties":{"maxLength":{"type":"string","maxLength":2000,"minLength":1},"b":{"items":[{"maxItems":2000}],"maximum":9000},"a":{"maxLength":2000}}}`
	const short = `{ "type" : "string", "maxLength" : 2000 }`
	for _, tt := range []struct {
		schema string
		kind   Kind
		want   string
	}{
		{long, KindOllama, low}, {long, KindLlamaCPP, low},
		{long, KindVLLM, long}, {long, KindUnknown, long}, // no such bound there
		{short, KindOllama, short}, // unchanged, bytes and all
		{`{"broken`, KindOllama, `{"broken`},
	} {
		if got := string(lowered(json.RawMessage(tt.schema), tt.kind)); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.kind, got, tt.want)
		}
	}
}
