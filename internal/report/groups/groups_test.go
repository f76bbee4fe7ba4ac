package groups_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func judged(rubric, explanation string) *score.Score {
	return &score.Score{Tool: "pay", Name: rubric, Source: score.Judge, Explanation: explanation}
}

func scored(name, explanation string) *score.Score {
	return &score.Score{Tool: "pay", Name: name, Source: score.Deterministic, Explanation: explanation}
}

func TestOf(t *testing.T) {
	schema := scored("schema_check", "the arguments do not satisfy the schema")
	schema.Details = parse(t, `{"errors":[{"path":"/to/amount","keyword":"type","message":"is a string, must be number"}]}`)
	missing := scored("schema_check", "")
	missing.Details = parse(t, `{"errors":[{"path":"","keyword":"required","message":"lacks \"country\""}]}`)
	corrected := judged("params", "The user asked for another sum.")
	corrected.Correction = parse(t, `{"amount":5}`)
	category := judged("params", "Some words.")
	category.Category = "wrong_unit"
	for _, c := range []struct {
		name  string
		score *score.Score
		want  groups.Signature
	}{
		{"a violation of the schema", schema, groups.Signature{"pay", "schema_check: type", "to.amount", "is a string, must be number"}},
		{"a missing parameter", missing, groups.Signature{"pay", "schema_check: required", "country", "lacks country"}},
		{"a rule", judged("overall", "wrong_type (a meaning): amount is a string, the schema says number. other_rule (x): y."),
			groups.Signature{"pay", "wrong_type", "amount", "amount is a string, the schema says number"}},
		{"a rule with a value", judged("x", "not_found (m): the value New York of city does not occur before the call."),
			groups.Signature{"pay", "not_found", "city", "the value … of city does not occur before the call"}},
		{"a category", category, groups.Signature{"pay", "wrong_unit", "", ""}},
		{"free text", judged("params", "The sum of 12 is not what the user asked for."), groups.Signature{"pay", "params", "", ""}},
		{"free text that names a parameter", judged("params", "The parameter `amount` is 12, not 13."),
			groups.Signature{"pay", "params", "amount", ""}},
		{"a correction", corrected, groups.Signature{"pay", "params", "amount", ""}},
		{"a mismatch", scored("match", "expected call 2: Value mismatch for 'amount': got 73.8, expected 46.0"),
			groups.Signature{"pay", "match", "amount", "Value mismatch for amount: got … expected …"}},
		{"the tool's own name", scored("match", "pay failed with exactly these arguments"),
			groups.Signature{"pay", "match", "", "failed with exactly these arguments"}},
		{"a label", &score.Score{Tool: "pay", Name: "human", Source: score.Label}, groups.Signature{"pay", "human", "", ""}},
	} {
		if diff := cmp.Diff(c.want, groups.Of(c.score, "").Signature); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The same reason with other values is one group, and another reason is another one.
func TestIDIsStable(t *testing.T) {
	id := func(text string) string { f := groups.Of(scored("match", text), ""); return f.ID() }
	same := id("expected call 2: Value mismatch for 'mode': got 'air', expected 'sea'")
	for _, text := range []string{
		"expected call 11: Value mismatch for 'mode': got 'New York', expected 'sea'",
		`expected call 0: Value mismatch for 'mode': got 12.5, expected "x y"`,
		"expected call 0: Value mismatch for 'mode': got KT-19, expected a@b.c",
	} {
		if got := id(text); got != same {
			t.Errorf("%s: %s, want %s", text, got, same)
		}
	}
	if id("expected call 2: Value mismatch for 'amount': got 1, expected 2") == same {
		t.Error("two parameters have one id")
	}
}

func TestExactReasonsComeFirst(t *testing.T) {
	schema := scored("schema_check", "")
	schema.Details = parse(t, `{"errors":[{"path":"/a","keyword":"type","message":"is a string"}]}`)
	other := judged("overall", "wrong_type (m): a is a string.")
	other.Judge = "another judge"
	list := []*score.Score{schema, judged("overall", "wrong_type (m): a is a string."), judged("aspect", "parameter `amount` is wrong"),
		judged("aspect", "it is wrong"), judged("overall", "it is wrong"), scored("match", "no"),
		{Name: "human", Source: score.Label}, other}
	reasons := make([]groups.Failure, len(list)+1)
	for i, s := range list {
		reasons[i] = groups.Of(s, "judge")
	}
	for i := range list {
		x, y := reasons[i], reasons[i+1]
		if x.Compare(&y) >= 0 || y.Compare(&x) <= 0 {
			t.Errorf("%+v does not come before %+v", x, y)
		}
	}
}

func TestMerge(t *testing.T) {
	pay := func(parameter, message string) groups.Signature {
		return groups.Signature{"pay", "type", parameter, message}
	}
	book := groups.Signature{"book", "type", "day", "is text"}
	alone := groups.Signature{"book", "match", "", "no call"}
	for _, c := range []struct {
		name   string
		counts map[groups.Signature]int
		want   map[groups.Signature]groups.Signature
	}{
		{"large groups stay", map[groups.Signature]int{pay("a", "x"): 3, pay("a", "y"): 4},
			map[groups.Signature]groups.Signature{pay("a", "x"): pay("a", "x"), pay("a", "y"): pay("a", "y")}},
		{"messages", map[groups.Signature]int{pay("a", "x"): 1, pay("a", "y"): 1, pay("a", "z"): 9},
			map[groups.Signature]groups.Signature{pay("a", "x"): pay("a", ""), pay("a", "y"): pay("a", ""), pay("a", "z"): pay("a", "z")}},
		{"parameters", map[groups.Signature]int{pay("a", "x"): 1, pay("b", "y"): 2},
			map[groups.Signature]groups.Signature{pay("a", "x"): pay("", ""), pay("b", "y"): pay("", "")}},
		{"tools", map[groups.Signature]int{pay("a", "x"): 1, book: 1, alone: 1},
			map[groups.Signature]groups.Signature{pay("a", "x"): {Kind: "type"}, book: {Kind: "type"}, alone: alone}},
	} {
		if got := groups.Merge(c.counts); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Hostile messages that all differ take bounded memory.
func TestReasonsAreBounded(t *testing.T) {
	var r groups.Reasons
	last := uint32(0)
	for i := range 100_000 {
		word := ""
		for n := i; n > 0; n /= 26 {
			word += string(rune('a' + n%26))
		}
		last = max(last, r.Number(0, groups.Of(scored("match"+word, "text "+word), "")))
	}
	if last > 45_000 {
		t.Errorf("%d reasons are kept", last)
	}
}

// BenchmarkGroups groups 100,000 failing calls, each failed by a schema check and a judge.
func BenchmarkGroups(b *testing.B) {
	list := make([]*score.Score, 0, 200_000)
	for i := range 100_000 {
		s := scored("schema_check", "")
		if s.Tool = fmt.Sprintf("tool_%d", i%40); i%3 == 0 {
			s.Details = parse(b, fmt.Sprintf(`{"errors":[{"path":"/p%d","keyword":"type","message":"is a string, must be number"}]}`, i%7))
		}
		j := judged("overall_call_correctness", fmt.Sprintf("The amount of %d for order KT-%d is not what the user asked for; "+
			"the parameter `p%d` should have been taken from the answer before.", i, 7*i, i%7))
		j.Tool = s.Tool
		list = append(list, s, j)
	}
	for b.Loop() {
		var r groups.Reasons
		counts := map[groups.Signature]int{}
		for i := 0; i < len(list); i += 2 {
			number := r.Number(r.Number(0, groups.Of(list[i], "")), groups.Of(list[i+1], ""))
			counts[r.At(number).Signature]++
		}
		groups.Merge(counts)
	}
}
