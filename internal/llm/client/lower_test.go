package client

import (
	"encoding/json"
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

func TestLowered(t *testing.T) {
	const long = `{ "type":"object","properties":{"maxLength":{"type":"string","maxLength":9000,"minLength":1},"b":{"items":[{"maxItems":2001}],"maximum":9000},"a":{"maxLength":2000}}}`
	const low = `{"type":"object","properties":{"maxLength":{"type":"string","maxLength":2000,"minLength":1},"b":{"items":[{"maxItems":2000}],"maximum":9000},"a":{"maxLength":2000}}}`
	const short = `{ "type" : "string", "maxLength" : 2000 }`
	for _, tt := range []struct {
		schema string
		kind   llm.Kind
		want   string
	}{
		{long, llm.KindOllama, low}, {long, llm.KindLlamaCPP, low},
		{long, llm.KindVLLM, long}, {long, llm.KindUnknown, long}, // no such bound there
		{short, llm.KindOllama, short}, // unchanged, bytes and all
		{`{"broken`, llm.KindOllama, `{"broken`},
	} {
		if got := string(lowered(json.RawMessage(tt.schema), tt.kind)); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.kind, got, tt.want)
		}
	}
}
