package rubrics

import (
	"bytes"
	_ "embed"
	"fmt"
)

//go:embed builtin.jsonl
var builtinJSONL []byte

// BuiltinFile is the name under which the built-in rubrics appear in messages.
const BuiltinFile = "builtin.jsonl"

// Builtin returns the four rubrics that come with the program, in the order
// intent, completeness, prerequisite, overall. An error means that the program was
// built from a broken file.
func Builtin() ([]*Rubric, error) {
	list, err := Load(bytes.NewReader(builtinJSONL), BuiltinFile)
	if err != nil {
		return nil, fmt.Errorf("built-in rubrics: %w", err)
	}
	return list, nil
}

// BuiltinSource returns the text of the built-in rubrics, one a line, as a start
// for a file of one's own.
func BuiltinSource() []byte { return bytes.Clone(builtinJSONL) }
