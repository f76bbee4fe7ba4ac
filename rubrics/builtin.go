package rubrics

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"
)

//go:embed builtin.jsonl
var builtinJSONL []byte

//go:embed builtin/*.yaml
var namedFiles embed.FS

//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema of a line of a rubric file, for editors and validators.
func Schema() []byte { return schemaJSON }

// Builtin returns the four rubrics that come with the program and judge by default, in the order
// intent, completeness, prerequisite, overall. An error means that the program was
// built from a broken file.
func Builtin() ([]*Rubric, error) {
	list, err := Load(bytes.NewReader(builtinJSONL), "builtin.jsonl")
	if err != nil {
		return nil, fmt.Errorf("built-in rubrics: %w", err)
	}
	return list, nil
}

// Named returns the rubrics that come with the program and judge only if they are named, in the
// order of their names. An error means that the program was built from a broken file.
func Named() ([]*Rubric, error) {
	files, err := namedFiles.ReadDir("builtin")
	var list []*Rubric
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".yaml")
		found, broken := Load(strings.NewReader(NamedFile(name)), f.Name())
		list, err = append(list, found...), errors.Join(err, broken)
	}
	if err != nil {
		return nil, fmt.Errorf("built-in rubrics: %w", err)
	}
	return list, nil
}

// NamedFile returns the YAML file of a rubric that Named returns, "" for other names.
func NamedFile(name string) string {
	text, _ := namedFiles.ReadFile("builtin/" + name + ".yaml")
	return string(text)
}

// Parse reads the one rubric of a text in YAML or JSON, in the short or the published form:
//
//	r, err := rubrics.Parse(`
//	name: asked_first
//	question: Did the assistant get a clear yes before this call?
//	answer: yes/no
//	pass: yes`)
//
// The error joins one *Problem for each complaint; its file is called "rubric".
func Parse(text string) (*Rubric, error) {
	list, err := Load(strings.NewReader(text), "rubric")
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("rubric: the text has %d rubrics, not one; Load reads several", len(list))
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
