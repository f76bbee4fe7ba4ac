package main

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/judgekit/judge/internal/report/words"
)

// textFiles have the templates of what commands print that is not a report.
//
//go:embed text/*.tmpl
var textFiles embed.FS

// writeText prints a template filled with data. Text from logs, servers and file names is made
// safe, as by plain.
func writeText(w io.Writer, name string, data any) error {
	t, err := template.New("").Funcs(template.FuncMap{
		"choose": choose, "some": words.Some, "lines": strings.Lines, "join": strings.Join,
		"word":  words.ShellWord,
		"minus": func(a, b int) int { return a - b },
		"yaml":  inYAML,
	}).ParseFS(textFiles, "text/*.tmpl")
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err = io.WriteString(plain(w), b.String())
	return err
}

// inYAML returns text as a YAML value, quoted if it would mean something else.
func inYAML(text string) (string, error) {
	out, err := yaml.Marshal(text)
	return strings.TrimSpace(string(out)), err
}

// choose returns the text that follows word in pairs, or otherwise.
func choose(word any, otherwise string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == fmt.Sprint(word) {
			return pairs[i+1]
		}
	}
	return otherwise
}
