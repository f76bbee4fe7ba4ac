package main

import (
	"encoding/json"
	"io"
)

// writeJSONLines writes one JSON object a line.
func writeJSONLines[T any](w io.Writer, items []T, line func(T) any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, item := range items {
		if err := enc.Encode(line(item)); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one indented JSON value.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
