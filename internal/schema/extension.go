package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// stopped is the panic that ends a validation with too many steps or too much time.
// instance.validate catches it.
type stopped struct{ err error }

// extension sees every compiled schema, and every value that is checked. It counts steps, and
// checks the keywords that prepare renamed.
type extension struct {
	config Config
	left   *int
}

// Compile implements jsonschema.ExtCompiler.
func (e extension) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	k := &keywords{left: e.left, cost: 1, patterns: e.config.Patterns}
	if text, ok := m[keyPattern].(string); ok {
		p, err := jsregex.CompileSchema(text)
		if err != nil {
			return nil, fmt.Errorf("schema: pattern %q cannot be read: %w", text, err)
		}
		k.pattern = p
	}
	switch t := m[keyType].(type) {
	case string:
		k.types = []string{t}
	case []any:
		for _, name := range t {
			k.types = append(k.types, name.(string))
		}
	}
	_, k.typed = m["type"]
	k.typed = k.typed && e.config.Answer
	_, k.nothing = m[keyEnum]
	if list, ok := m["enum"].([]any); ok {
		k.cost += len(list)
	}
	return k, nil
}

// keywords holds the checks of one schema.
type keywords struct {
	left *int
	cost int
	// patterns limits the time of pattern.
	patterns *jsregex.Budget
	pattern  *jsregex.Regexp
	types    []string
	nothing  bool
	typed    bool // a number beyond all doubles has no type
}

// Validate implements jsonschema.ExtSchema.
func (k *keywords) Validate(ctx jsonschema.ValidationContext, v any) error {
	*k.left -= k.cost
	switch v := v.(type) {
	case map[string]any:
		*k.left -= len(v)
	case []any:
		*k.left -= len(v)
	}
	if *k.left < 0 {
		panic(stopped{errTooMuch})
	}
	var causes []error
	if n, ok := v.(json.Number); k.typed && ok && strings.TrimPrefix(string(n), "-") == beyond {
		causes = append(causes, ctx.Error("type", "type"))
	}
	if len(k.types) > 0 && !hasType(v, k.types) {
		causes = append(causes, ctx.Error(keyType, "type"))
	}
	if k.nothing {
		causes = append(causes, ctx.Error(keyEnum, "enum"))
	}
	if text, ok := v.(string); ok && k.pattern != nil {
		matched, err := k.pattern.MatchWithin(k.patterns, text)
		if err != nil {
			panic(stopped{fmt.Errorf("schema: pattern %.80q: %w", k.pattern, err)})
		}
		if !matched {
			causes = append(causes, ctx.Error(keyPattern, "pattern"))
		}
	}
	switch len(causes) {
	case 0:
		return nil
	case 1:
		return causes[0]
	}
	// Never shown: only the causes of a group are read.
	return jsonschema.ValidationError{}.Group(ctx.Error("", "%s", groupMessage), causes...)
}

const groupMessage = "several"

// hasType reports whether v has one of the types. 5.0 is an integer.
func hasType(v any, types []string) bool {
	kind := ""
	switch v := v.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
	case []any:
		kind = "array"
	case map[string]any:
		kind = "object"
	case json.Number:
		if kind = "number"; slices.Contains(types, "integer") && whole(v) {
			return true
		}
	}
	return slices.Contains(types, kind)
}

func whole(n json.Number) bool {
	r, ok := new(big.Rat).SetString(string(n))
	return ok && r.IsInt()
}
