package value

// SamePythonJSON reports whether a and b have the same text in Python's json.dumps
// with sorted keys: an integer never equals a float, and -0.0 differs from 0.0.
func SamePythonJSON(a, b Value) bool {
	switch {
	case a.IsList() && b.IsList():
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !SamePythonJSON(a.At(i), b.At(i)) {
				return false
			}
		}
		return true
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == Object:
		if a.Len() != b.Len() {
			return false
		}
		for key, inner := range a.Members() {
			if other, ok := b.Get(key); !ok || !SamePythonJSON(inner, other) {
				return false
			}
		}
		return true
	}
	return a.Python() == b.Python()
}
