package main

import (
	"encoding/json"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// plainWriter shows what is written to it as [value.VisibleLines] does: text of logs, of
// servers and of file names may be in it. Each write must hold whole characters.
type plainWriter struct{ io.Writer }

func (w plainWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, value.VisibleLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

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
