package value

import "testing"

// TestExtent: the end of the first value of a text, fed whole and byte by byte.
func TestExtent(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		done bool
	}{
		{`{"a":[1,{}]} x`, 12, true}, {`[1] ]`, 3, true}, {`"a\\\"]" 1`, 8, true}, {`{"}":"{"}x`, 9, true}, {`""`, 2, true},
		{`12,3`, 2, true}, {`true}`, 4, true}, {`1[2]`, 1, true}, {`1"a"`, 1, true}, {`1{`, 1, true}, {`}`, 1, true}, {`,1`, 1, true},
		{`12 `, 2, true}, {"12\t", 2, true}, {"12\r", 2, true}, {"12\n", 2, true},
		{`{"a":1`, 6, false}, {`"a`, 2, false}, {`12`, 2, false}, {``, 0, false},
	} {
		var whole Extent
		if n, done := whole.Feed([]byte(tt.text)); n != tt.n || done != tt.done {
			t.Errorf("%q: %d bytes, done %v; want %d, %v", tt.text, n, done, tt.n, tt.done)
		}
		var w Extent
		read, done := 0, false
		for read < len(tt.text) && !done {
			var n int
			n, done = w.Feed([]byte(tt.text[read : read+1]))
			if read += n; n == 0 {
				break
			}
		}
		if read != tt.n || done != tt.done {
			t.Errorf("%q byte by byte: %d bytes, done %v; want %d, %v", tt.text, read, done, tt.n, tt.done)
		}
	}
}
