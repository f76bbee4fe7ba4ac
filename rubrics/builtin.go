package rubrics

import (
	"bytes"
	_ "embed"
	"fmt"
)

//go:embed builtin.jsonl
var builtinJSONL []byte

//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema of a line of a rubric file, for editors and validators.
func Schema() []byte { return schemaJSON }

// Builtin returns the four rubrics that come with the program, in the order
// intent, completeness, prerequisite, overall. An error means that the program was
// built from a broken file.
func Builtin() ([]*Rubric, error) {
	list, err := Load(bytes.NewReader(builtinJSONL), "builtin.jsonl")
	if err != nil {
		return nil, fmt.Errorf("built-in rubrics: %w", err)
	}
	return list, nil
}
