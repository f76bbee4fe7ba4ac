package environment

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/fixtures/shop"
	"github.com/judgekit/judge/internal/environment/sandbox"
)

// The test binary runs itself as the child processes of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__environment":
			os.Exit(sandbox.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case "__fault":
			os.Exit(faultMain(os.Args[2]))
		case "__mcpfault":
			os.Exit(mcpFaultMain(os.Args[2]))
		case "__taumcp":
			if err := tauServer(os.Args[2], os.Args[3]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "__rawmcp":
			os.Exit(rawServer(os.Args[2]))
		case "__shop":
			os.Exit(shopMain())
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

// shopMain serves the shop over stdio.
func shopMain() int {
	server, err := shop.NewServer()
	if err == nil {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
