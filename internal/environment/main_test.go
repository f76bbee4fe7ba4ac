package environment

import (
	"os"
	"testing"
)

// The test binary runs itself as the child processes of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__environment":
			os.Exit(ChildMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case "__fault":
			os.Exit(faultMain(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

func testDeps(t testing.TB) Deps {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Deps{Self: []string{self, "__environment"}, Environ: os.Environ(), ReadFile: os.ReadFile}
}
