package value

// Extent finds the end of one JSON value by following its brackets and strings. It does
// not check the value. The zero Extent is ready.
type Extent struct {
	depth int
	// InText says that the data so far ends inside a string.
	InText bool
	escape bool
	// Scalar says that the value is a number or a word, which ends before the next delimiter.
	Scalar bool
}

// Feed reads data and returns how many bytes of it belong to the value and whether the value
// is complete. A stray delimiter is a value of one byte, so that reading always advances.
func (w *Extent) Feed(data []byte) (n int, done bool) {
	for i := 0; i < len(data); i++ {
		c := data[i]
		if w.InText {
			switch {
			case w.escape:
				w.escape = false
			case c == '\\':
				w.escape = true
			case c == '"':
				w.InText = false
				if w.depth == 0 {
					return i + 1, true
				}
			}
			continue
		}
		switch c {
		case '"':
			if w.Scalar {
				return i, true
			}
			w.InText = true
		case '{', '[':
			if w.Scalar {
				return i, true
			}
			w.depth++
		case '}', ']':
			if w.depth == 0 {
				return w.delimiter(i), true
			}
			if w.depth--; w.depth == 0 {
				return i + 1, true
			}
		case ',', ' ', '\t', '\r', '\n':
			if w.depth == 0 {
				return w.delimiter(i), true
			}
		default:
			if w.depth == 0 {
				w.Scalar = true
			}
		}
	}
	return len(data), false
}

// delimiter returns the length of a value that a delimiter at byte i ends.
func (w *Extent) delimiter(i int) int {
	if w.Scalar {
		return i
	}
	return max(i, 1)
}
