package score

import (
	"reflect"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// header is the first line of a score stream.
type header struct {
	Schema string `json:"schema" jsonschema:"enum=judge.scores/v1"`
	RunID  string `json:"run_id"`
}

// byStatus says that a score has a value exactly if it is scored.
const byStatus = `{
 "if": {"properties": {"status": {"const": "scored"}}},
 "then": {"properties": {"value": {"type": "number"}}},
 "else": {"properties": {"value": {"type": "null"}, "passed": {"type": "null"}}}
}`

// LineSchema returns the JSON Schema for a line of scores.jsonl. Unless closed is set it allows
// unknown keys, so that a file of a later version is valid too.
func LineSchema(closed bool) (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge scores", Description: "A line of scores.jsonl: the header, or one score.", Closed: closed,
		Types: map[reflect.Type]string{
			reflect.TypeFor[Source](): `{"type":"string","enum":["judge","deterministic","label"]}`,
			reflect.TypeFor[Status](): `{"type":"string","enum":["scored","unscored","not_applicable","error"]}`,
		},
		Patches: map[string]string{"Score": byStatus},
	}, header{}, Score{})
}
