package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

const configurationHead = `# Configuration: every key of judge.yaml

` + "`judge run`, `judge score` and others read `judge.yaml` of the working directory, or the file that `--config` names." + `
Flags win over it. A misspelt key is an error that names its line and the nearest key. Paths are relative to the
file. ` + "`judge init --from LOG`" + ` writes a commented one that fits a log; ` + "`judge schema config`" + ` prints its JSON
Schema, from which this page is made. Keys for endpoints come only from environment variables.
`

// TestConfigurationPage: docs/configuration.md is made from the schema of judge.yaml.
func TestConfigurationPage(t *testing.T) {
	const file = "../../docs/configuration.md"
	s, err := value.Parse([]byte(mustRun(t, "schema config")))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(configurationHead)
	configTable(&page, "At the top", s)
	for name, def := range s.Field("$defs").Members() {
		if def.Field("properties").Len() > 0 {
			configTable(&page, name, def)
		}
	}
	isPage(t, file, page.String())
}

// isPage compares a page that a test makes with the one in the docs, or writes it.
func isPage(t *testing.T, file, page string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), page); diff != "" {
		t.Errorf("go test ./cmd/judge -run %s -update\n%s", t.Name(), diff)
	}
}

func configTable(page *strings.Builder, title string, schema value.Value) {
	fmt.Fprintf(page, "\n## %s\n\n", title)
	if about := schema.Field("description").Text(); about != "" && title != "At the top" {
		fmt.Fprintf(page, "%s\n\n", about)
	}
	page.WriteString("| key | value | meaning |\n|---|---|---|\n")
	for name, key := range schema.Field("properties").Members() {
		about := strings.ReplaceAll(key.Field("description").Text(), "|", `\|`)
		about = strings.ReplaceAll(strings.ReplaceAll(about, "<", "&lt;"), "*", `\*`)
		fmt.Fprintf(page, "| `%s` | %s | %s |\n", name, configKind(key), about)
	}
}

// configKind says in words which values a schema takes.
func configKind(s value.Value) string {
	if ref, ok := strings.CutPrefix(s.Field("$ref").Text(), "#/$defs/"); ok {
		return fmt.Sprintf("[%s](#%s)", ref, strings.ToLower(ref))
	}
	if allowed := s.Field("enum"); allowed.Len() > 0 {
		var words []string
		for _, v := range allowed.Elements() {
			if text := v.Text(); text != "" && !slices.Contains(words, "`"+strings.ReplaceAll(text, "-", "_")+"`") {
				words = append(words, "`"+text+"`")
			}
		}
		if len(words) > 16 {
			return fmt.Sprintf("one of %d names", len(words))
		}
		return strings.Join(words, ", ")
	}
	for _, several := range []string{"oneOf", "anyOf"} {
		var words []string
		for _, option := range s.Field(several).Elements() {
			if word := configKind(option); word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		if len(words) > 0 {
			return strings.Join(words, " or ")
		}
	}
	switch kind := s.Field("type"); {
	case kind.Text() == "array":
		return "list of " + configKind(s.Field("items"))
	case kind.Text() == "object" && s.Has("additionalProperties"):
		return strings.TrimSuffix("object of "+configKind(s.Field("additionalProperties")), "object of ")
	case kind.IsList():
		var words []string
		for _, k := range kind.Elements() {
			words = append(words, k.Text())
		}
		return strings.Join(words, " or ")
	case kind.Text() != "":
		return kind.Text()
	}
	return "anything"
}
