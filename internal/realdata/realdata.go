// Package realdata finds the real logs and case files that may be beside the checkout,
// for tests. It promises that a test without them is skipped with a reason, and that
// none of them is needed by anything else.
package realdata

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// folder is their folder, beside the folder of go.mod.
const folder = "shared"

// Path returns a file or folder of the real data; the test is skipped if it is not there.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path := Find(t, parts...)
	if path == "" {
		t.Skipf("%s is not beside the checkout", filepath.Join(append([]string{folder}, parts...)...))
	}
	return path
}

// Find is like Path, but returns "" if the file does not exist.
func Find(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t), "..", folder}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Cases returns the case file that the environment variable names, else the one in the real data.
// go test runs in the package's folder, so a relative name that does not exist there is looked up
// from the root of the module.
func Cases(t testing.TB, variable string, parts ...string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		return Path(t, parts...)
	}
	if _, err := os.Stat(path); err == nil || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root(t), path)
}

// root returns the folder of go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
}

// Read reads a whole file, unpacked where its name ends in .gz.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

// Lines reads a JSONL file, packed or not; an empty one fails the test.
func Lines(t testing.TB, path string) []value.Value {
	t.Helper()
	var out []value.Value
	for line := range bytes.Lines(Read(t, path)) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := value.Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no lines", path)
	}
	return out
}
