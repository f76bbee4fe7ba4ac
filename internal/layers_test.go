// Package internal holds only this test: it keeps the import direction of the
// project, so that a log line's way to the report can be followed by reading.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/judgekit/judge/"

// layers lists the rooms from low to high. A package may import only packages of
// a strictly lower layer; sub-rooms of one room (same first path that is listed)
// order themselves by being listed on their own.
var layers = [][]string{
	{"internal/value", "internal/spelling", "internal/reliability", "internal/agreement/stat"},
	{"internal/jsregex", "internal/pycall", "internal/toolresult", "internal/realdata"},
	{"internal/schema"},
	{"rubrics", "internal/transcript", "internal/score", "internal/agreement/interval", "internal/agreement/answer", "internal/llm"},
	{"internal/agreement/raters", "internal/agreement/truth"},
	{"internal/agreement", "internal/llm/journal", "judges/internal/prompt", "judges/internal/judgetest"},
	{"internal/deterministic/scorer", "internal/llm/client", "judges/internal/check", "judges/internal/reply"},
	{"internal/deterministic/bfcl", "internal/deterministic/trajectory", "internal/llm/capability", "judges/internal/result"},
	{"judges/internal/team", "internal/report/document", "internal/environment/state"},
	{"internal/deterministic", "judges", "internal/environment", "logs"},
	{"scorers", "internal/report", "internal/run/window", "internal/run/facts"},
	{"internal/report/series"},
	{"internal/report/assembly", "internal/report/comparison"},
	{"internal/config", "internal/report/reporttest", "internal/run/amendment", "internal/run/input", "internal/run/items", "internal/run/record"},
	{"internal/run/grading", "internal/run/instrument"},
	{"internal/run/directory"},
	{"internal/run/archive"},
	{"internal/run", "internal/schemas"},
	{"internal/run/gatecheck", "internal/run/susceptibility"},
	{"cmd/judge"},
}

// soleImporters names the one room that may import a heavy dependency.
var soleImporters = map[string][]string{
	"github.com/sashabaranov/go-openai":        {"internal/llm/client"},
	"github.com/invopop/jsonschema":            {"internal/schema"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"internal/schema"},
	"github.com/spf13/cobra":                   {"cmd/judge"},
	"github.com/go-json-experiment/json":       {"internal/value"},
	"github.com/modelcontextprotocol/go-sdk":   {"internal/environment"},
	"github.com/jedib0t/go-pretty/v6":          {"internal/report"},
	"gonum.org/v1/gonum":                       {"internal/agreement"},
	"github.com/dlclark/regexp2/v2":            {"internal/jsregex"},
	"github.com/dop251/goja":                   {"internal/jsregex"},
}

// impure packages may not be imported by pure rooms.
var impure = []string{"net", "net/http", "os", "time"}

var pureRooms = []string{"judges/internal/prompt", "judges/internal/reply", "judges/internal/check", "judges/internal/team", "internal/deterministic", "internal/agreement", "internal/value"}

func TestImportsPointDown(t *testing.T) {
	seen := 0
	eachImport(t, func(pkg, file, imported string) {
		seen++
		from, ok := layerOf(pkg)
		if !ok {
			t.Errorf("%s: package %s stands in no layer: add it to the plan", file, pkg)
			return
		}
		if target, found := strings.CutPrefix(imported, module); found {
			to, ok := layerOf(target)
			if !ok {
				t.Errorf("%s imports %s, which stands in no layer", file, target)
			} else if to >= from && !within(pkg, target) {
				t.Errorf("%s (layer %d) imports %s (layer %d): arrows point down", file, from, target, to)
			}
		}
		for dep, owners := range soleImporters {
			if (imported == dep || strings.HasPrefix(imported, dep+"/")) && !slices.ContainsFunc(owners, func(o string) bool { return pkg == o || strings.HasPrefix(pkg, o+"/") }) {
				t.Errorf("%s imports %s, which only %v may", file, imported, owners)
			}
		}
		for _, room := range pureRooms {
			if (pkg == room || strings.HasPrefix(pkg, room+"/")) && slices.Contains(impure, imported) {
				t.Errorf("%s imports %s, but %s is pure", file, imported, room)
			}
		}
	})
	if seen < 50 {
		t.Fatalf("only %d imports were read: the walk is broken", seen)
	}
}

// within reports whether one package is a sub-room of the other: a room and its
// own sub-rooms may be ordered by the room itself.
func within(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

func layerOf(pkg string) (int, bool) {
	best, at := "", -1
	for i, rooms := range layers {
		for _, room := range rooms {
			if (pkg == room || strings.HasPrefix(pkg, room+"/")) && len(room) > len(best) {
				best, at = room, i
			}
		}
	}
	return at, at >= 0
}

// eachImport calls f for every import of every non-test file of the module.
func eachImport(t *testing.T, f func(pkg, file, imported string)) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := path.Base(name)
			if name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "fixtures" || base == "runs") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f(path.Dir(name), name, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLayerTestCanFail(t *testing.T) {
	low, _ := layerOf("internal/value")
	high, _ := layerOf("internal/report/html")
	if low >= high {
		t.Errorf("internal/value is layer %d, internal/report/html layer %d", low, high)
	}
	if _, ok := layerOf("internal/unknown"); ok {
		t.Error("an unknown room was given a layer")
	}
}
