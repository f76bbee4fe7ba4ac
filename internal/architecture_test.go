package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hop is a row of the table "The main path" in docs/architecture.md: a package and a
// function, or a method as Type.Method.
var hop = regexp.MustCompile("(?m)^\\| \\d+ \\| `([\\w/]+)` \\| `([\\w.]+)` \\|")

// maxWalk limits the lines of the files that the main path leads through.
const maxWalk = 2500

// TestArchitecture: the functions that docs/architecture.md names on the main path exist, in files
// that can be read in an hour, and so do the packages that it lists.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	hops := hop.FindAllStringSubmatch(string(page), -1)
	if len(hops) != 10 {
		t.Fatalf("the main path has %d hops in the table, want 10", len(hops))
	}
	walk := 0
	for _, h := range hops {
		file := declaring(t, h[1], h[2])
		if file == "" {
			t.Errorf("docs/architecture.md names %s in %s, which has no such function", h[2], h[1])
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(text), "\n")
		walk += n
		t.Logf("%s: %d lines", file, n)
	}
	if walk > maxWalk {
		t.Errorf("the files of the main path have %d lines, want at most %d", walk, maxWalk)
	}
	listed := map[string]bool{}
	for _, p := range regexp.MustCompile("`((?:internal|judges|rubrics|logs|scorers|cmd)(?:/\\w+)*)`").FindAllStringSubmatch(string(page), -1) {
		listed[p[1]] = true
		if info, err := os.Stat(filepath.Join("..", p[1])); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md lists the package %s, which does not exist", p[1])
		}
	}
	eachImport(t, func(pkg, _, _ string) {
		if !listed[pkg] {
			t.Errorf("docs/architecture.md does not list %s", pkg)
			listed[pkg] = true
		}
	})
}

// declaring returns the file of a package, tests excepted, that declares a function, or a method
// written as Type.Method; "" for none.
func declaring(t *testing.T, dir, name string) string {
	files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && funcName(f) == name {
				return file
			}
		}
	}
	return ""
}

// funcName returns the name of a function, with its receiver's type before a method.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if id, ok := kind.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
