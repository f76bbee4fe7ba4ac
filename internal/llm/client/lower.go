package client

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// longestRepeat is how often llama.cpp's grammars may repeat a rule. Ollama 0.17
// ends its runner, and every request in flight with it, on a schema that asks for
// more.
const longestRepeat = 2000

// lowered is the schema as sent to a kind of server: bounds on lengths that would
// break llama.cpp's grammars are lowered to what it can take. Whoever asked checks
// the answer against the schema anyway. Anything else passes unchanged, bytes and
// all.
func lowered(schema json.RawMessage, kind llm.Kind) json.RawMessage {
	if kind != llm.KindOllama && kind != llm.KindLlamaCPP {
		return schema
	}
	v, err := value.ParseString(string(schema))
	if err != nil {
		return schema
	}
	low, changed := lowerBounds(v)
	if !changed {
		return schema
	}
	return json.RawMessage(low.JSON())
}

func lowerBounds(v value.Value) (out value.Value, changed bool) {
	switch v.Kind() {
	case value.Object:
		var members []value.Member
		for key, x := range v.Members() {
			next, c := lowerBounds(x)
			if n, ok := x.Float64(); ok && n > longestRepeat && (key == "maxLength" || key == "maxItems") {
				next, c = value.OfInt(longestRepeat), true
			}
			members = append(members, value.Member{Key: key, Value: next})
			changed = changed || c
		}
		return value.OfObject(members...), changed
	case value.List:
		var elems []value.Value
		for _, x := range v.Elements() {
			next, c := lowerBounds(x)
			elems = append(elems, next)
			changed = changed || c
		}
		return value.OfList(elems...), changed
	}
	return v, false
}
