package rubrics

import _ "embed"

//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema of a line of a rubric file, for editors and validators.
func Schema() []byte { return schemaJSON }
