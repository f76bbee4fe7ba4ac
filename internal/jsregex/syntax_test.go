package jsregex

import (
	"strings"
	"testing"
)

// TestSyntax: what is escaped, in a class or closed again is no open group, and what JavaScript
// refuses is refused with its place.
func TestSyntax(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{strings.Repeat(`\(`, 600), ""},
		{strings.Repeat(`[(]`, 600), ""},
		{strings.Repeat(`(a)`, 600), ""},
		{strings.Repeat("a", maxPattern), ""},
		{`[\](?>]`, ""},
		{`[a](?>b)`, "at byte 3: JavaScript has no such group"},
		{`\d-a-z`, ""},
		{`[\d-a-z]`, "at byte 1: a range of two classes"},
		{`[a{1234567890}]`, ""},
		{`a{1234567890}`, "at byte 1: a count of more than nine digits"},
		{`a{1,1234567890}`, "at byte 1: a count of more than nine digits"},
		{strings.Repeat(`(`, maxDepth+1) + strings.Repeat(`)`, maxDepth+1),
			"more than 500 groups are open"},
		{strings.Repeat(`(`, 500) + strings.Repeat(`)`, 500), ""},
		{strings.Repeat(`a`, 65537), "it is longer than 65536 bytes"},
	} {
		re, err := Compile(tt.pattern)
		if tt.want == "" {
			if err != nil || re.String() != tt.pattern {
				t.Errorf("%.40q: %.200v", tt.pattern, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %.200v, want %q", tt.pattern, err, tt.want)
		}
	}
	if _, err := CompileSchema(`a(`); err == nil {
		t.Error("a pattern of a schema that is not closed compiles")
	}
}
