package deterministic

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/deterministic/bfcl"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ASTEquivalence asks whether the calls mean the same as the expected ones.
var ASTEquivalence = Scorer{
	Name: "ast_equivalence",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.EquivalentCalls,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
			Layer:    score.ASTLayer,
		},
		Needs: score.NeedsExpectedCalls,
	},
	rule: func() Rule { return new(astEquivalence) },
}

// astEquivalence implements ast_equivalence: it compares the syntax trees of the calls and the
// expected ones, in three modes: normalized, json, and the checker of the Berkeley Function-Calling
// Leaderboard. The score is 1 or 0.
type astEquivalence struct {
	equality argumentEquality
	category string
	matching string
	language string
	dots     bool
	// everyReference also accepts references with allowed values, with mode bfcl.
	everyReference bool
}

func (s *astEquivalence) settings() []Setting {
	return []Setting{
		choice("mode", &s.equality.mode, "how calls are compared", "normalized", "json", "bfcl"),
		toggle("strip_whitespace", &s.equality.strip, false,
			"normalized: blanks at both ends of string values do not count"),
		toggle("stringify", &s.equality.stringify, false,
			"normalized: strings that read as JSON numbers are numbers, all other values are compared as trimmed text"),
		{Name: "category", Type: "string", Default: `"simple"`, Summary: "bfcl: simple, multiple, parallel, " +
			"parallel_multiple, irrelevance, relevance, or a name that contains one of them",
			read: into(&s.category, readCategory)},
		choice("matching", &s.matching, "bfcl, parallel calls: the leaderboard's own way, or the best pairing",
			"greedy", "assignment"),
		toggle("dot_to_underscore", &s.dots, false, "bfcl: tools were offered with `_` for `.` in their names"),
		choice("language", &s.language,
			"bfcl: the type names of the tools; arguments of Java and JavaScript are source text",
			"python", "java", "javascript"),
	}
}

func readCategory(v value.Value) (string, error) {
	text, ok := v.Str()
	if !ok {
		return "", fmt.Errorf("is %.60s, must be a name such as simple or parallel_multiple", v.JSON())
	}
	if !slices.ContainsFunc(categories, func(word string) bool { return strings.Contains(text, word) }) {
		return "", fmt.Errorf("is %.60q, which no category of the leaderboard is%s", text, hint(text, categories[:6]))
	}
	return text, nil
}

// categories lists the words of the leaderboard's categories; a name contains at least one of them.
var categories = []string{"simple", "multiple", "parallel", "parallel_multiple", "irrelevance", "relevance",
	"java", "python", "rest", "sql", "chatable", "multi_turn", "memory", "web_search", "format_sensitivity"}

func (s *astEquivalence) validate() error { return s.equality.check("mode") }

func (s *astEquivalence) checker(category string) *bfcl.Checker {
	return &bfcl.Checker{
		Category: category, Language: s.language, Assignment: s.matching == "assignment", DotToUnderscore: s.dots,
	}
}

// Score implements Rule. Several calls on each side are compared by position.
func (s *astEquivalence) Score(in Input) (Result, error) {
	if s.equality.mode == "bfcl" {
		return s.leaderboard(in)
	}
	expected, err := readReference("expected", in.Expected)
	if err != nil {
		return Result{}, err
	}
	actual, err := madeCalls(in)
	if err != nil {
		return Result{}, err
	}
	reason := s.equality.difference(actual, expected)
	same := reason == ""
	if same {
		reason = "the calls are equivalent"
	}
	return passFail(same, reason, field("equivalent", same)), nil
}

// leaderboard is mode bfcl of a case.
func (s *astEquivalence) leaderboard(in Input) (Result, error) {
	c := s.checker(s.category)
	calls, decoding := c.Read(in.Actual)
	if f, ok := c.Relevance(decoding.Type == "" && len(calls) > 0); ok {
		return leaderboardResult(f, nil)
	}
	expected, err := bfcl.ReadAnswers(in.Expected)
	switch {
	case err != nil:
		return leaderboardResult(bfcl.Failure{}, err)
	case in.Tools.Len() == 0:
		return Result{}, configError("tools", "must be a list of {name, parameters: {properties, required}}")
	case decoding.Type != "":
		return leaderboardResult(decoding, nil)
	}
	if err := checkTools(in.Tools); err != nil {
		return Result{}, err
	}
	c.Tools, c.OnlyTool = readTools(in.Tools), in.Tools.Kind() == value.Object
	return leaderboardResult(c.Check(calls, expected))
}

func leaderboardResult(f bfcl.Failure, err error) (Result, error) {
	if input := (*bfcl.InputError)(nil); errors.As(err, &input) {
		return Result{}, configError(input.Field, "%s", input.Message)
	}
	if f.Type == "" {
		return passFail(true, "valid", field("valid", true), field("error_type", value.Value{})), nil
	}
	return passFail(false, f.Type+": "+f.Detail, field("valid", false), field("error_type", f.Type)), nil
}

// log compares the calls with the expected ones, one to one; in mode bfcl, with a reference of
// allowed values.
func (s *astEquivalence) log(v *view) []outcome {
	isBFCL := s.equality.mode == "bfcl"
	switch {
	case !v.known:
		return notApplicable(noReference)
	case v.listed != "" && (isBFCL || s.everyReference), isBFCL && len(v.wanted) == 0:
		return whole(s.logLeaderboard(v))
	case v.listed != "":
		return notApplicable(v.listed)
	case isBFCL:
		return notApplicable("the reference does not list allowed values")
	case v.partial:
		return notApplicable(partialReference)
	}
	return s.equivalentCalls(v)
}

// maxASTCalls limits the calls; the number of compared pairs is its square.
const maxASTCalls = 1000

// equivalentCalls reports whether the calls are equivalent to the expected ones, one to one and in
// any order.
func (s *astEquivalence) equivalentCalls(v *view) []outcome {
	n := len(v.wanted)
	result := func(ok bool, reason string) []outcome {
		return whole(yesNo(ok, reason, field("equivalent", ok)), nil)
	}
	switch {
	case len(v.made) != n:
		return result(false, fmt.Sprintf("%d calls made, %d expected", len(v.made), n))
	case n == 0:
		return result(true, "no call is expected and none was made")
	case n > maxASTCalls:
		return notApplicable(fmt.Sprintf("%d calls are too many to pair", n))
	}
	if err := v.completeReference(); err != nil {
		return whole(Result{}, err)
	}
	if perfect(n, func(i, j int) bool { return s.equality.same(v.made[j], v.wanted[i]) }) >= 0 {
		return result(false, fmt.Sprintf("the %d calls are not the expected ones", n))
	}
	return result(true, fmt.Sprintf("all %d calls are equivalent to the expected ones", n))
}

// logLeaderboard applies mode bfcl to a conversation. Unless it is configured, the category follows
// from the reference and the tools.
func (s *astEquivalence) logLeaderboard(v *view) (Result, error) {
	category := s.category
	switch {
	case category != "":
	case len(v.expected) == 0:
		category = "irrelevance"
	case len(v.expected) > 1:
		category = "parallel"
	case len(v.c.Tools) > 1:
		category = "multiple"
	}
	c := s.checker(category)
	if f, ok := c.Relevance(len(v.made) > 0); ok {
		return leaderboardResult(f, nil)
	}
	if len(v.c.Tools) == 0 {
		return Result{}, configError("tools", "must be a list of {name, parameters: {properties, required}}")
	}
	c.Tools = v.c.Tools
	expected := make([]transcript.ExpectedCall, len(v.expected))
	for i, e := range v.expected {
		expected[i] = *e
	}
	return leaderboardResult(c.Check(v.made, expected))
}

// argumentEquality says how to compare the arguments of two calls. In mode normalized, key order
// never counts, list order always does, and numbers compare by value; mode json compares the JSON
// text with sorted keys, so that 1 is not 1.0.
type argumentEquality struct {
	mode string
	// strip removes blanks at both ends of strings.
	strip bool
	// stringify compares values as trimmed text, and as numbers if both are JSON numbers: "1.0"
	// equals 1, "true" equals true.
	stringify bool
}

func (e *argumentEquality) check(modeKey string) error {
	if e.stringify && e.mode != "normalized" {
		return configError("stringify", "belongs to %s normalized, and %s is %s", modeKey, modeKey, e.mode)
	}
	return nil
}

// same reports whether two calls are equivalent.
func (e *argumentEquality) same(actual, expected *transcript.Call) bool {
	return readable(actual) && actual.Name == expected.Name && e.equal(actual.Arguments, expected.Arguments)
}

// equal compares two values.
func (e *argumentEquality) equal(a, b value.Value) bool {
	switch {
	case e.mode == "json":
		return value.SamePythonJSON(a, b)
	case e.stringify:
		return equalLeaves(a, b, stringified)
	case e.strip:
		return equalLeaves(a, b, trimmed)
	}
	return value.Equal(a, b)
}

// difference says why the calls are not equivalent; "" if they are.
func (e *argumentEquality) difference(actual, expected []*transcript.Call) string {
	if len(actual) != len(expected) {
		return fmt.Sprintf("%d calls, expected %d", len(actual), len(expected))
	}
	for i, x := range expected {
		a := actual[i]
		switch {
		case a.Name == "":
			return "the call cannot be read"
		case a.Name != x.Name:
			return fmt.Sprintf("function %q, expected %q", a.Name, x.Name)
		case a.Malformed:
			return fmt.Sprintf("the arguments of %s cannot be read", a.Name)
		case !e.equal(a.Arguments, x.Arguments):
			return fmt.Sprintf("the arguments of %s differ%s", a.Name, e.where(a.Arguments, x.Arguments))
		}
	}
	return ""
}

// where names the differing arguments, in the expected order.
func (e *argumentEquality) where(actual, expected value.Value) string {
	var parts []string
	for key, want := range expected.Members() {
		switch got, ok := actual.Get(key); {
		case !ok:
			parts = append(parts, key+" is missing")
		case !e.equal(got, want):
			parts = append(parts, fmt.Sprintf("%s is %s, expected %s", key, bfcl.Shown(got), bfcl.Shown(want)))
		}
	}
	for key := range actual.Members() {
		if !expected.Has(key) {
			parts = append(parts, key+" is not expected")
		}
	}
	return ": " + strings.Join(parts, "; ")
}

// equalLeaves compares two values whose leaves are changed. It writes no changed value out unless
// the keys of two objects stand in another order.
func equalLeaves(a, b value.Value, change func(value.Value) value.Value) bool {
	object := a.Kind() == value.Object
	switch {
	case object != (b.Kind() == value.Object) || a.IsList() != b.IsList():
		return false
	case !object && !a.IsList():
		return value.Equal(change(a), change(b))
	case a.Len() != b.Len():
		return false
	}
	for i := range a.Len() {
		if object && a.KeyAt(i) != b.KeyAt(i) {
			return value.Equal(leaves(a, change), leaves(b, change))
		}
		if !equalLeaves(a.At(i), b.At(i), change) {
			return false
		}
	}
	return true
}

// leaves changes every value that is neither a list nor an object; keys are not changed.
func leaves(v value.Value, change func(value.Value) value.Value) value.Value {
	if !v.IsList() && v.Kind() != value.Object {
		return change(v)
	}
	return v.Each(func(_ string, e value.Value) value.Value { return leaves(e, change) })
}

func trimmed(v value.Value) value.Value {
	if v.Kind() != value.String {
		return v
	}
	return value.OfString(strings.TrimFunc(v.Text(), isBlank))
}

func stringified(v value.Value) value.Value {
	if v.IsNumber() {
		return v
	}
	if v.Kind() != value.String {
		return value.OfString(v.JSON())
	}
	v = trimmed(v)
	if number, err := value.ParseString(v.Text()); err == nil && number.IsNumber() {
		return number
	}
	return v
}

// isBlank reports whether Python's str.strip removes the character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
