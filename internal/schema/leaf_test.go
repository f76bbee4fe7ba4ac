package schema

import (
	"strings"
	"testing"
)

// Of several mistakes in a schema the same one is named every time.
func TestTheSameMistakeIsNamed(t *testing.T) {
	for range 50 {
		found := check(t, `{"properties":{"b":{"type":"wrong"},"a":{"type":"bad"},"c":{"minLength":"x"}}}`, `{}`, Config{})
		if len(found) != 1 || !strings.Contains(found[0], "not valid at /properties/a/type") {
			t.Fatalf("%v", found)
		}
	}
}
