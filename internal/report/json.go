package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// WriteJSON writes the report as report.json: indented, fields in the order of the
// types, characters as they are.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// ReadJSON reads a report.json. name stands in errors.
func ReadJSON(in io.Reader, name string) (*Report, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil || !strings.HasPrefix(head.Schema, "judge.report/") {
		return nil, fmt.Errorf("%s: no report: it must be an object with \"schema\":%q", name, Schema)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("%s: unknown schema %q: made by a newer judge; read it with that one", name, head.Schema)
	}
	var r Report
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&r); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) {
			return nil, fmt.Errorf("%s: %s: wrong type", name, field.Field)
		}
		return nil, fmt.Errorf("%s: cut off or no JSON", name)
	}
	return &r, nil
}

// JSONSchema returns the JSON Schema of report.json. Unknown keys pass, so that a file of a
// later version is valid too, unless it is closed.
func JSONSchema(closed bool) (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge report", Description: "report.json of a run directory (" + Schema + ").", Closed: closed,
	}, Report{})
}
