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

// WriteJSON writes a report, a comparison or a calibration as indented JSON. Fields are in the
// order of the types; only invisible characters are escaped.
func WriteJSON(w io.Writer, what any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(what); err != nil {
		return fmt.Errorf("write %T: %w", what, err)
	}
	_, err := w.Write(value.VisibleJSON(buf.Bytes()))
	return err
}

// ReadJSON reads a report.json. name is used in errors.
func ReadJSON(in io.Reader, name string) (*Report, error) {
	return read[Report](in, name, "report", Schema)
}

// ReadCalibration reads a calibration file. name is used in errors.
func ReadCalibration(in io.Reader, name string) (*Calibration, error) {
	return read[Calibration](in, name, "calibration", CalibrationSchema)
}

// read reads a file of a kind, and refuses one of another version.
func read[T any](in io.Reader, name, kind, version string) (*T, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil || !strings.HasPrefix(head.Schema, "judge."+kind+"/") {
		return nil, fmt.Errorf("%s: no %s: it must be an object with \"schema\":%q", name, kind, version)
	}
	if head.Schema != version {
		return nil, fmt.Errorf("%s: unknown schema %q: made by a newer judge; read it with that one", name, head.Schema)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) {
			return nil, fmt.Errorf("%s: %s: wrong type", name, field.Field)
		}
		return nil, fmt.Errorf("%s: cut off or no JSON", name)
	}
	return &out, nil
}

// JSONSchema returns the JSON Schema of report.json. Unless closed is set it allows unknown keys,
// so that a file of a later version is valid too.
func JSONSchema(closed bool) (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge report", Description: "report.json of a run directory (" + Schema + ").", Closed: closed,
	}, Report{})
}
