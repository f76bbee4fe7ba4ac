package deterministic

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/value"
)

// golden returns what is wrong with the answers to a case file.
func golden(file []byte) (cases int, problems []string) {
	in := bufio.NewReader(bytes.NewReader(file))
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			cases++
			for _, p := range goldenCase(line) {
				problems = append(problems, fmt.Sprintf("line %d: %s", number, p))
			}
		}
		if err != nil {
			break
		}
	}
	if cases == 0 {
		problems = append(problems, "no case")
	}
	return cases, problems
}

func goldenCase(line []byte) (problems []string) {
	v, err := value.Parse(line)
	if err != nil {
		return []string{err.Error()}
	}
	id := v.Field("id").Text()
	bad := func(format string, args ...any) {
		problems = append(problems, id+": "+fmt.Sprintf(format, args...))
	}
	want := v.Field("want")
	name := v.Field("scorer").Text()
	if want.Kind() != value.Object || want.Len() == 0 {
		bad("nothing is wanted")
		return problems
	}
	if !slices.Contains(Names(), name) {
		bad("scorer %q is unknown", name)
		return problems
	}
	out, err := scoreCase(line)
	if err != nil {
		bad("%v", err)
		return problems
	}
	got, err := value.Parse(out)
	if err != nil {
		bad("the answer is no JSON: %s", out)
		return problems
	}
	if kind, ok := want.Get("error"); ok {
		if got.Field("error").Field("kind").Text() != kind.Text() {
			bad("want error %s, got %s", kind.Text(), out)
		}
		return problems
	}
	result := got.Field("result")
	if result.Kind() != value.Object {
		bad("no result: %s", out)
		return problems
	}
	for key, wanted := range want.Members() {
		if key == "reason_contains" {
			for _, part := range wanted.Elements() {
				if !strings.Contains(result.Field("reason").Text(), part.Text()) {
					bad("the reason %q lacks %q", result.Field("reason").Text(), part.Text())
				}
			}
			continue
		}
		if found, ok := result.Get(key); !ok || !near(found, wanted) {
			bad("%s is %s, want %s", key, found.JSON(), wanted.JSON())
		}
	}
	return problems
}

// near is equality with numbers within 1e-6.
func near(a, b value.Value) bool {
	switch {
	case a.IsNumber() && b.IsNumber():
		x, _ := a.Float64()
		y, _ := b.Float64()
		return value.Equal(a, b) || math.Abs(x-y) <= 1e-6
	case a.IsList() && b.IsList():
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !near(a.At(i), b.At(i)) {
				return false
			}
		}
		return true
	case a.Kind() == value.Object && b.Kind() == value.Object:
		if a.Len() != b.Len() {
			return false
		}
		for key, inner := range a.Members() {
			if other, ok := b.Get(key); !ok || !near(inner, other) {
				return false
			}
		}
		return true
	}
	return value.Equal(a, b)
}

func TestCases(t *testing.T) {
	file, err := os.ReadFile(realdata.Cases(t, "DETERMINISTIC_CASES", "spec", "deterministic-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cases, problems := golden(file)
	for _, p := range problems {
		t.Error(p)
	}
	t.Logf("%d cases", cases)
}

func TestGoldenCanFail(t *testing.T) {
	const good = `{"id":"g","scorer":"function_name_match","config":{},"actual":{"name":"f"},"expected":{"name":"f"},"want":{"score":1}}`
	if _, problems := golden([]byte(good)); len(problems) > 0 {
		t.Fatal(problems)
	}
	for name, file := range map[string]string{
		"empty file":          "",
		"blank file":          "\n\n",
		"unknown scorer":      strings.Replace(good, "function_name_match", "function_name_matches", 1),
		"unknown wants error": strings.Replace(strings.Replace(good, "function_name_match", "nope", 1), `{"score":1}`, `{"error":"config"}`, 1),
		"wrong score":         strings.Replace(good, `"score":1`, `"score":0.99999`, 1),
		"unknown field":       strings.Replace(good, `"score":1`, `"scores":1`, 1),
		"nothing wanted":      strings.Replace(good, `{"score":1}`, `{}`, 1),
		"wrong reason":        strings.Replace(good, `"score":1`, `"score":1,"reason_contains":["zebra"]`, 1),
		"error not met":       strings.Replace(good, `"score":1`, `"error":"config"`, 1),
		"corrupted":           good[:len(good)-3],
		"second corrupted":    good + "\n" + strings.Replace(good, `"expected":{"name":"f"}`, `"expected":{"name":"g"}`, 1),
	} {
		if _, problems := golden([]byte(file)); len(problems) == 0 {
			t.Errorf("%s: the harness sees nothing wrong", name)
		}
	}
}

// scoreCase scores one case line.
func scoreCase(line []byte) ([]byte, error) {
	var c cases
	var p value.Parser
	return c.score(nil, &p, line)
}
