package template

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/parser"

	"github.com/judgekit/judge/internal/value"
)

// library is a template that the template library renders. Nothing in it can grow
// a text beyond the bounds: no assignment, no multiplication, no range, two loops.
type library struct {
	mu   sync.Mutex
	tmpl *exec.Template
}

const (
	maxLoops = 2
	// maxSampleParts bounds the sample, and with it what two nested loops can do.
	maxSampleParts = 2000
)

var allowedFilters = [...]string{
	"map", "list", "select", "selectattr", "reject", "rejectattr", "unique", "sort", "reverse",
	"join", "first", "last", "lower", "upper", "trim", "default", "d", "length", "count",
	"tojson", "int", "string", "title", "capitalize", "items",
}

var allowedStructures = [...]string{"if", "for"}

// compileLibrary compiles a template in an environment of our own: the filters and
// structures above, the library's tests, no globals, no methods, and a loader that
// holds this one template.
func compileLibrary(source string) (lib *library, err error) {
	defer recoverInto(&err)
	if err := checkSource(source); err != nil {
		return nil, err
	}
	filters := map[string]exec.FilterFunction{}
	for _, name := range allowedFilters {
		if f, ok := builtins.Filters.Get(name); ok {
			filters[name] = f
		}
	}
	structures := map[string]parser.ControlStructureParser{}
	for _, name := range allowedStructures {
		if s, ok := builtins.ControlStructures.Get(name); ok {
			structures[name] = s
		}
	}
	const root = "/template"
	loader, err := loaders.NewMemoryLoader(map[string]string{root: source})
	if err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	tmpl, err := exec.NewTemplate(root, config.New(), loader, &exec.Environment{
		Filters:           exec.NewFilterSet(filters),
		ControlStructures: exec.NewControlStructureSet(structures),
		Tests:             builtins.Tests,
		Context:           exec.EmptyContext(),
		Methods: exec.Methods{
			Bool:  exec.NewMethodSet(map[string]exec.Method[bool]{}),
			Int:   exec.NewMethodSet(map[string]exec.Method[int]{}),
			Float: exec.NewMethodSet(map[string]exec.Method[float64]{}),
			Str:   exec.NewMethodSet(map[string]exec.Method[string]{}),
			Dict:  exec.NewMethodSet(map[string]exec.Method[map[string]any]{}),
			List:  exec.NewMethodSet(map[string]exec.Method[[]any]{}),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("template: %.300s", lastLine(err))
	}
	return &library{tmpl: tmpl}, nil
}

// checkSource refuses what the library would let grow without bound.
func checkSource(source string) error {
	loops := 0
	for _, tag := range strings.Split(source, "{%")[1:] {
		word := strings.TrimLeft(tag, "-+ \t\r\n")
		if strings.HasPrefix(word, "for") {
			loops++
		}
	}
	if loops > maxLoops {
		return fmt.Errorf("template: more than %d loops", maxLoops)
	}
	inside, quote := 0, byte(0)
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case inside == 0:
			if c == '{' && i+1 < len(source) && (source[i+1] == '{' || source[i+1] == '%') {
				inside = i + 1
			}
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '*':
			return errors.New("template: * is not allowed")
		case c == '}' && (source[i-1] == '}' || source[i-1] == '%'):
			inside = 0
		}
	}
	return nil
}

func (l *library) render(sample value.Value) (text string, err error) {
	defer recoverInto(&err)
	parts := 0
	if countParts(sample, &parts); parts > maxSampleParts {
		return "", fmt.Errorf("template: the sample has more than %d parts, too many for a template with loops or tests", maxSampleParts)
	}
	var out limitedText
	context := map[string]any{}
	if !sample.IsNull() {
		context["sample"] = plain(sample)
	}
	// The library's templates keep state while they run.
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.tmpl.Execute(&out, exec.NewContext(context)); err != nil {
		return "", fmt.Errorf("template: %.300s", lastLine(err))
	}
	return out.b.String(), nil
}

// recoverInto turns a panic of the library into an error.
func recoverInto(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("template: it cannot be rendered: %.200s", fmt.Sprint(r))
	}
}

// lastLine returns the innermost reason of the library's long errors.
func lastLine(err error) string {
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

func countParts(v value.Value, parts *int) {
	*parts++
	for i := range v.Len() {
		if *parts > maxSampleParts {
			return
		}
		countParts(v.At(i), parts)
	}
}

// limitedText refuses to grow beyond maxOutput.
type limitedText struct{ b strings.Builder }

func (w *limitedText) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("rendered text is longer than %d bytes", maxOutput)
	}
	return w.b.Write(p)
}

// plain turns a value into what the library reads. Integers beyond 64 bits print
// themselves.
func plain(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.BoolVal()
		return b
	case value.Int:
		if i, ok := v.Int64(); ok {
			return int(i)
		}
		big, _ := v.BigInt()
		return big
	case value.Float:
		f, _ := v.Float64()
		return f
	case value.String:
		return v.Text()
	case value.List, value.Tuple:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.At(i))
		}
		return list
	case value.Object:
		object := make(map[string]any, v.Len())
		for key, inner := range v.Members() {
			object[key] = plain(inner)
		}
		return object
	}
	return nil
}
