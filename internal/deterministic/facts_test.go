package deterministic

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUsesReference names every scorer that needs no reference, so that whoever adds one thinks
// about it.
func TestUsesReference(t *testing.T) {
	var alone []string
	for _, s := range All {
		if !s.UsesReference() {
			alone = append(alone, s.Name)
		}
		if (s.Measures == "") != (s.Evidence.Pass == "") {
			t.Errorf("%s measures %q and has the evidence %+v", s.Name, s.Measures, s.Evidence)
		}
	}
	want := []string{
		"parameter_validation", "tool_calls", "schema_check", "rubric_verdict", "error_recovery", "tool_efficiency",
	}
	if diff := cmp.Diff(want, alone); diff != "" {
		t.Error(diff)
	}
	if s, err := Find("tool-calls"); err != nil || s.Name != "tool_calls" {
		t.Errorf("the other spelling is another scorer: %q %v", s.Name, err)
	}
}

// TestNoScorerIsNamedElsewhere: outside this package and the public scorers no Go code has a
// scorer's name; it asks for the facts of the scorer's row. The key tool_calls of chat messages
// is the exception.
func TestNoScorerIsNamedElsewhere(t *testing.T) {
	names := slices.DeleteFunc(Names(), func(name string) bool { return name == ToolCalls.Name })
	root, seen := os.DirFS("../.."), 0
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch base := path.Base(file); {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == ".git" || file == "scorers" || file == "internal/deterministic"):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
			return nil
		case strings.HasSuffix(path.Dir(file), "test"): // helpers of tests
			return nil
		}
		seen++
		source, err := fs.ReadFile(root, file)
		for _, name := range names {
			if at := bytes.Index(source, []byte(name)); at >= 0 {
				t.Errorf("%s:%d names the scorer %s", file, 1+bytes.Count(source[:at], []byte("\n")), name)
			}
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("read %d files: %v", seen, err)
	}
}
