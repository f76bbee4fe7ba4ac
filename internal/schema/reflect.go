package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/judgekit/judge/internal/value"
)

// ReflectConfig says how Go types become a schema. The zero value describes one type and allows
// unknown keys.
type ReflectConfig struct {
	Title, Description string
	// Closed refuses keys without a field.
	Closed bool
	// Types holds the schemas, as JSON, of types that marshal themselves.
	Types map[reflect.Type]string
	// Patches adds keywords to the definitions of types, by type name, as JSON
	// objects.
	Patches map[string]string
	// Fields replaces the schemas of fields, by type name and key such as "Judge.extra", as JSON;
	// the field's description stays.
	Fields map[string]string
	// Describe holds descriptions for fields without one in their tags, by type name and key.
	Describe map[string]string
	// Define lists further values whose types are defined, for references in Types and Patches.
	Define []any
}

// Reflect returns the JSON Schema (draft 2020-12) for encoding/json's form of the values' types:
// structs and their parts, each defined once under $defs. If there are several values, each is
// allowed. A pointer without omitempty may be null; a field with omitempty may be absent. Two
// structs with the same name from different packages are an error, because only one could be
// defined.
func Reflect(config ReflectConfig, values ...any) (value.Value, error) {
	r := &reflection{config: config, structs: map[string]reflect.Type{}}
	root, err := r.root(values)
	if err = cmp.Or(r.err, err); err != nil {
		return value.Value{}, fmt.Errorf("reflect schema: %w", err)
	}
	text, err := json.Marshal(root)
	if err != nil {
		return value.Value{}, fmt.Errorf("reflect schema: %w", err)
	}
	return value.Parse(text)
}

type reflection struct {
	config  ReflectConfig
	structs map[string]reflect.Type
	err     error // of a callback of the library
}

// name remembers every struct that is defined, by its name.
func (r *reflection) name(t reflect.Type) string {
	if known := r.structs[t.Name()]; known != nil && known != t && t.Kind() == reflect.Struct {
		r.err = fmt.Errorf("two types are named %s: %s and %s", t.Name(), known.PkgPath(), t.PkgPath())
	}
	if t.Kind() == reflect.Struct {
		r.structs[t.Name()] = t
	}
	return t.Name()
}

// root reflects the values and assembles the definitions.
func (r *reflection) root(values []any) (*jsonschema.Schema, error) {
	root := &jsonschema.Schema{Definitions: jsonschema.Definitions{}}
	for i, v := range append(append([]any{}, values...), r.config.Define...) {
		one := r.reflector().Reflect(v)
		for name, def := range one.Definitions {
			root.Definitions[name] = def
		}
		if i < len(values) {
			root.OneOf = append(root.OneOf, &jsonschema.Schema{Ref: one.Ref})
		}
	}
	for name, def := range root.Definitions {
		if err := r.finish(name, def); err != nil {
			return nil, err
		}
	}
	if len(values) == 1 {
		// If there is only one type, it is at the top, where a reader looks for it.
		name := strings.TrimPrefix(root.OneOf[0].Ref, "#/$defs/")
		top := *root.Definitions[name]
		delete(root.Definitions, name)
		top.Definitions = root.Definitions
		root = &top
	}
	root.Version = jsonschema.Version
	root.Title, root.Description = r.config.Title, r.config.Description
	return root, nil
}

func (r *reflection) reflector() *jsonschema.Reflector {
	return &jsonschema.Reflector{
		// No $id made of Go package paths.
		Anonymous:                 true,
		AllowAdditionalProperties: !r.config.Closed,
		Namer:                     r.name,
		LookupComment: func(t reflect.Type, name string) string {
			if name == "" {
				return ""
			}
			f, _ := t.FieldByName(name)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return r.config.Describe[t.Name()+"."+key]
		},
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if t == reflect.TypeFor[value.Value]() {
				return &jsonschema.Schema{}
			}
			text, ok := r.config.Types[t]
			if !ok {
				return nil
			}
			s := &jsonschema.Schema{}
			if err := json.Unmarshal([]byte(text), s); err != nil {
				r.err = fmt.Errorf("the schema given for %s: %w", t, err)
			}
			return s
		},
	}
}

// finish allows null for the pointers of a definition and adds what the configuration says about
// it.
func (r *reflection) finish(name string, def *jsonschema.Schema) error {
	t, ok := r.structs[name]
	if !ok {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() != reflect.Pointer || key == "" || strings.Contains(options, "omit") || def.Properties == nil {
			continue
		}
		if p, ok := def.Properties.Get(key); ok {
			def.Properties.Set(key, &jsonschema.Schema{OneOf: []*jsonschema.Schema{p, {Type: "null"}}})
		}
	}
	if err := r.replace(name, def); err != nil {
		return err
	}
	if patch, ok := r.config.Patches[name]; ok {
		if a := def.AdditionalProperties; a != nil {
			// The library shares one value for false, which a patch must not write to.
			own := *a
			def.AdditionalProperties = &own
		}
		if err := json.Unmarshal([]byte(patch), def); err != nil {
			return fmt.Errorf("patch of %s: %w", name, err)
		}
	}
	return nil
}

// replace puts the schemas in Fields in place of the reflected ones.
func (r *reflection) replace(name string, def *jsonschema.Schema) error {
	for field, text := range r.config.Fields {
		key, ok := strings.CutPrefix(field, name+".")
		if !ok {
			continue
		}
		old, ok := def.Properties.Get(key)
		own := &jsonschema.Schema{}
		if err := json.Unmarshal([]byte(text), own); err != nil || !ok {
			return fmt.Errorf("the schema given for %s: no such field, or %v", field, err)
		}
		own.Description = old.Description
		def.Properties.Set(key, own)
	}
	return nil
}
