package value

import "bytes"

// SamePythonJSON reports whether a and b have the same text in Python's json.dumps
// with sorted keys: an integer never equals a float, and -0.0 differs from 0.0.
func SamePythonJSON(a, b Value) bool {
	f := Format{SortKeys: true, PythonNumbers: true}
	return bytes.Equal(AppendJSON(nil, a, f), AppendJSON(nil, b, f))
}
