package format

import _ "embed"

//go:embed native.schema.json
var nativeSchema []byte

// NativeSchema returns the JSON Schema for a line of a native log.
func NativeSchema() []byte { return nativeSchema }
