package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesStandInOneFile: code that is shared by formats knows none of them by name.
func TestNamesStandInOneFile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range formats {
		var in []string
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), `"`+f.name+`"`) {
				in = append(in, file)
			}
		}
		// A member of records is called rubric too.
		if len(in) != 1 && f.name != "rubric" {
			t.Errorf("%s stands in %v, want one file", f.name, in)
		}
	}
}
