package groups_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/score"
)

// TestWithoutValues: what is a value in a message, and what is not.
func TestWithoutValues(t *testing.T) {
	for _, c := range []struct{ text, parameter, want string }{
		{"the sum is 12, not this", "", "the sum is … not this"},
		{"got 'New York' today", "", "got … today"}, {"got [1, 2] and {a: b}", "", "got … and …"},
		{"mail a@b.c", "", "mail …"}, {"see https://x.y", "", "see …"}, {"a=b c", "", "… c"}, {`in C:\x`, "", "in …"},
		{"camelCase word", "", "… word"}, {"fromA to toZ it", "", "… to … it"}, {"Word word", "", "Word word"},
		{"12 13 x", "", "… x"}, {"x 12", "", "x …"},
		{"'amount1' is wrong", "amount1", "amount1 is wrong"}, {"[amount1]: wrong", "amount1", "amount1: wrong"},
		{"/amount1/ and {amount1}", "amount1", "amount1 and amount1"}, {"`amount1`, wrong", "amount1", "amount1, wrong"},
		{strings.Repeat("a", 400) + "b", "", strings.Repeat("a", 400)}, {strings.Repeat("a", 399) + "ä", "", strings.Repeat("a", 399)},
		{"(a b) c", "", "(a b) c"}, {"it's 'open text", "", "it's … text"}, {"  spaced\tout\n", "", "spaced out"},
		{"the value New York of city is odd", "city", "the value … of city is odd"},
		{"the value of city", "city", "the value of city"},
		{"the value New York of town", "city", "the value New York of town"},
		{strings.Repeat("a", 399) + " b", "", strings.Repeat("a", 399)}, {"", "", ""},
		{"got '' today", "", "got … today"}, {"an iPhone x", "", "an … x"},
		{"the value New York of town", "", "the value New York of town"},
	} {
		if got := groups.WithoutValues(c.text, c.parameter); got != c.want {
			t.Errorf("%q without %q: %q, want %q", c.text, c.parameter, got, c.want)
		}
	}
}

// TestNamedParameters: the parameter that a message names. A judge's free text names one only in quotes or with an
// underscore in it.
func TestNamedParameters(t *testing.T) {
	for text, want := range map[string][2]string{ // of a scorer, of a judge
		"parameter amount is wrong": {"amount", ""}, "argument 'to' is wrong": {"to", "to"}, "argument to is wrong": {"", ""},
		"wrong value of amount": {"amount", ""}, "it lacks `day` today": {"day", "day"}, "amount is 5": {"amount", ""},
		"amount has no unit": {"amount", ""}, "amount looks wrong": {"amount", ""}, "amount must be 5": {"amount", ""},
		"amount was 5": {"", ""}, "order_id is wrong": {"order_id", "order_id"},
		"field order_id is wrong": {"order_id", "order_id"},
		"the is odd":              {"", ""}, "parameter the user gave": {"", ""}, "parameter '1st' is odd": {"", ""},
		"parameter 'a b' is odd": {"", ""}, "parameter 'a.b1' is odd": {"a.b1", "a.b1"}, "all of it": {"", ""},
		"now amount is 5": {"", ""}, "key '" + strings.Repeat("k", 61) + "' is long": {"", ""},
		"key '" + strings.Repeat("k", 60) + "' is long": {strings.Repeat("k", 60), strings.Repeat("k", 60)},
		"parameter '' of amount":                        {"amount", ""}, "parameter orderID is odd": {"orderID", ""},
		"parameter 'AzZa09' is odd": {"AzZa09", "AzZa09"}, "parameter 'a1' is odd": {"a1", "a1"},
		"parameter 'a{b' is odd": {"", ""}, "parameter 'a[b' is odd": {"", ""}, "parameter 'a:b' is odd": {"", ""},
		"parameter 'a@b' is odd": {"", ""}, "parameter 'a-b' is odd": {"", ""},
		"parameter 'pay' is the tool": {"", ""}, // pay is the tool
		"argument `day` today":        {"day", "day"}, "field 'day' today": {"day", "day"}, "property 'day' today": {"day", "day"},
		"key 'day' today": {"day", "day"}, "wait for 'day' today": {"day", "day"}, "it lacks 'day' today": {"day", "day"},
		"missing: {day} today": {"day", "day"}, "extra: [day] today": {"day", "day"}, "one of \"day\" today": {"day", "day"},
		"value 'day' today": {"", ""}, "which. is wrong": {"", ""}, "day. is wrong": {"day.", ""},
	} {
		got := [2]string{groups.Of(scored("match", text), "").Parameter, groups.Of(judged("aspect", text), "").Parameter}
		if got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	for word := range strings.FieldsSeq("the a an this that it no there call its and which one any each what of is tool user " +
		"required") {
		if got := groups.Of(scored("match", "parameter '"+word+"' today"), "").Parameter; got != "" {
			t.Errorf("the word %q is taken for the parameter %q", word, got)
		}
	}
	two := judged("aspect", "It is wrong.")
	two.Correction = parse(t, `{"amount":5,"to":"x"}`)
	if got := groups.Of(two, "").Parameter; got != "" {
		t.Errorf("of two corrected parameters it names %q", got)
	}
}

// TestOfOddTexts: texts that are nearly a rule, a violation or a mismatch.
func TestOfOddTexts(t *testing.T) {
	type signature = groups.Signature
	violation := func(details, explanation string) *score.Score {
		s := scored("schema_check", explanation)
		s.Details = parse(t, details)
		return s
	}
	long := strings.Repeat("x", 300)
	cut := strings.Repeat("x", 199) + "…"
	tool := scored(long, "")
	tool.Tool = long
	for name, c := range map[string]struct {
		score *score.Score
		want  signature
	}{
		"a rule without an underscore": {judged("params", "wrong (m): amount is odd."), signature{"pay", "params", "", ""}},
		"a rule without a meaning":     {judged("params", "wrong_type: 'a' is odd."), signature{"pay", "params", "", ""}},
		"a rule without a colon":       {judged("params", "wrong_type (m) it is odd."), signature{"pay", "params", "", ""}},
		"two words before a meaning": {judged("params", "not wrong_type (m): it is odd."),
			signature{"pay", "params", "", ""}},
		"an error without a rule": {violation(`{"errors":[{"path":"/a","message":"x"}]}`, "expected call 1: it is not there"),
			signature{"pay", "schema_check", "", "it is not there"}},
		"the first error": {violation(`{"errors":[{"path":"/a/0","keyword":"type","message":"is text"},`+
			`{"path":"/b","keyword":"enum"}]}`, ""), signature{"pay", "schema_check: type", "a.0", "is text"}},
		"no name in quotes": {violation(`{"errors":[{"path":"","keyword":"required","message":"lacks \"a b\""}]}`, ""),
			signature{"pay", "schema_check: required", "", "lacks …"}},
		"another colon": {scored("match", "note: parameter 'amount' is wrong"),
			signature{"pay", "match", "amount", "note: parameter amount is wrong"}},
		"an expected call": {scored("match", "expected call two is not made"),
			signature{"pay", "match", "", "expected call two is not made"}},
		"long names": {tool, signature{cut, cut, "", ""}},
		"a long message": {scored("match", strings.Repeat("word ", 70)),
			signature{"pay", "match", "", strings.Repeat("word ", 40)[:199] + "…"}},
		"a metric": {&score.Score{Tool: "pay", Name: "three_layer", Metric: "ast_ok", Source: score.Deterministic},
			signature{"pay", "three_layer.ast_ok", "", ""}},
		"a label with a reason": {&score.Score{Tool: "pay", Name: "human", Source: score.Label, Explanation: "paid 5 twice"},
			signature{"pay", "human", "", "paid … twice"}},
	} {
		if diff := cmp.Diff(c.want, groups.Of(c.score, "").Signature); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMergeBySize: a group of three failures, and of one in a hundred, is not small; what was merged counts together.
func TestMergeBySize(t *testing.T) {
	of := func(parameter, message string) groups.Signature {
		return groups.Signature{"pay", "type", parameter, message}
	}
	x, y, z, rest := of("a", "x"), of("a", "y"), of("b", "z"), groups.Signature{"find", "other", "", ""}
	type counts = map[groups.Signature]int
	type groupOf = map[groups.Signature]groups.Signature
	a, pay := of("a", ""), of("", "")
	for name, c := range map[string]struct {
		counts counts
		want   groupOf
	}{
		"three each":     {counts{x: 3, y: 3}, groupOf{x: x, y: y}},
		"two each":       {counts{x: 2, y: 2}, groupOf{x: a, y: a}},
		"one percent":    {counts{x: 10, y: 10, rest: 980}, groupOf{x: x, y: y, rest: rest}},
		"fewer than one": {counts{x: 9, y: 9, rest: 982}, groupOf{x: a, y: a, rest: rest}},
		"three together": {counts{x: 1, y: 2, z: 1}, groupOf{x: a, y: a, z: z}},
		"two together":   {counts{x: 1, y: 1, z: 1}, groupOf{x: pay, y: pay, z: pay}},
	} {
		if got := groups.Merge(c.counts); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestReasonsOfItems: an item keeps its most exact reason; kinds keep the meaning that a judge gives.
func TestReasonsOfItems(t *testing.T) {
	var r groups.Reasons
	label := groups.Of(&score.Score{Tool: "pay", Name: "human", Source: score.Label}, "")
	rule := groups.Of(judged("overall", "wrong_type (the value has another type): amount is text."), "")
	first := r.Number(0, label)
	better := r.Number(first, rule)
	if first == 0 || better == 0 || first == better || r.At(first) != label || r.At(better) != rule {
		t.Fatalf("numbers %d and %d", first, better)
	}
	got := []uint32{r.Number(better, label), r.Number(first, label), r.Number(0, label), r.Number(0, rule)}
	if diff := cmp.Diff([]uint32{better, first, first, better}, got); diff != "" {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	if r.At(0) != (groups.Failure{}) {
		t.Errorf("no reason is %+v", r.At(0))
	}
	for _, meaning := range []string{"a type is wrong", "no type fits"} { // the first by name is kept
		r.Number(0, groups.Of(judged("overall", "wrong_type ("+meaning+"): day is text."), ""))
	}
	category := judged("params", "Some words.")
	category.Category = "wrong_unit"
	r.Number(0, groups.Of(category, ""))
	want := map[string]string{"wrong_type": "a type is wrong", "wrong_unit": "params is wrong_unit"}
	if diff := cmp.Diff(want, r.Meanings()); diff != "" {
		t.Errorf("meanings (-want +got):\n%s", diff)
	}
	// The deciding judge's reasons are as exact as those of any judge, those of others less than a label.
	own := judged("overall", "wrong_type (m): a is text.")
	own.Judge = "j"
	for judge, before := range map[string]bool{"": true, "j": true, "k": false} {
		if f := groups.Of(own, judge); (f.Compare(&label) < 0) != before {
			t.Errorf("a reason of j before a label, if %q decides: %v", judge, !before)
		}
	}
}

// TestReasonsByExactness: facts about the schema come first, then what names a rule or a parameter.
func TestReasonsByExactness(t *testing.T) {
	schema := scored("schema_check", "")
	schema.Details = parse(t, `{"errors":[{"path":"/z","keyword":"type","message":"is text"}]}`)
	category := judged("zone", "")
	category.Category = "z"
	list := []*score.Score{
		schema, category, judged("overall", "z_rule (m): it is odd."), judged("aspect", "a_rule (m): it is odd."),
		judged("zone", "parameter `z` is odd"), scored("match", "parameter 'amount' is odd"), judged("zone", "it is odd"),
		judged("overall", "parameter `a` is odd"), scored("a", "it is odd"), {Name: "a", Source: score.Label},
	}
	for i, later := range list[1:] {
		x, y := groups.Of(list[i], ""), groups.Of(later, "")
		if x.Compare(&y) >= 0 || y.Compare(&x) <= 0 {
			t.Errorf("%+v does not come before %+v", x, y)
		}
	}
	// The id is in files of earlier runs: g and the first ten digits of the SHA-256 of the four parts, with NUL between.
	if got := (groups.Signature{Tool: "pay", Kind: "match"}).ID(); got != "ge9059ff013" {
		t.Errorf("id %s", got)
	}
}

// TestReasonsBeyondTheLimit: from 20,000 different reasons on only their kind is kept, from 40,000 on nothing.
func TestReasonsBeyondTheLimit(t *testing.T) {
	word := func(n int) (out string) {
		for ; n > 0; n /= 26 {
			out += string(rune('a' + n%26))
		}
		return "w" + out
	}
	var r groups.Reasons
	var got []string
	for i := 1; i <= 40_002; i++ {
		n := r.Number(0, groups.Of(scored("match"+word(i), "text "+word(i)), ""))
		if f := r.At(n); i == 20_000 || i == 20_001 || i >= 40_000 {
			got = append(got, fmt.Sprintf("%d is %d: kind %v, message %v, tool %q", i, n, f.Kind == "match"+word(i),
				f.Message != "", f.Tool))
			if i > 40_000 && f.Kind != "other" {
				t.Errorf("%d: %+v", i, f)
			}
		}
	}
	want := []string{
		`20000 is 20000: kind true, message true, tool "pay"`, `20001 is 20001: kind true, message false, tool ""`,
		`40000 is 40000: kind true, message false, tool ""`, `40001 is 40001: kind false, message false, tool ""`,
		`40002 is 40001: kind false, message false, tool ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
