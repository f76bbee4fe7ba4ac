package answer

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/value"
)

var usual = GroundingRule{Threshold: 0.8, MinFuzzyTokens: 3}

func TestGround(t *testing.T) {
	tests := []struct {
		name, evidence string
		sources        []string
		quotes         []string
		scores         []float64
		status         string
	}{
		{"short part needs an exact match", `"blue car"`, []string{"a blue bike"}, []string{"blue car"}, []float64{0}, Ungrounded},
		{"two tokens exactly", `"Blue, car!"`, []string{"the blue car"}, []string{"Blue, car!"}, []float64{1}, Grounded},
		{"missing token", `"one two three four five"`, []string{"one two four five"}, []string{"one two three four five"}, []float64{0.8}, Grounded},
		{"apostrophe opens nothing", `it isn't 'there now here'`, []string{"there now here"}, []string{"there now here"}, []float64{1}, Grounded},
		{"curly singles with apostrophe", `‘I can’t go there’`, []string{"I can't go there"}, []string{"I can’t go there"}, []float64{1}, Grounded},
		{"guillemets and backquotes", "«un deux trois» `four five six`", []string{"un deux trois"}, []string{"un deux trois", "four five six"}, []float64{1, 0}, Partial},
		{"no nesting", `“a “b c” d”`, []string{"a b c"}, []string{"a “b c"}, []float64{1}, Grounded},
		{"unclosed then another kind", "open \" and `real quote here`", []string{"real quote here"}, []string{"real quote here"}, []float64{1}, Grounded},
		{"punctuation only", `"..." "!!" ""`, []string{"x"}, nil, nil, NoQuotes},
		{"ellipsis takes the worse part", `"order 12 … never said this ever"`, []string{"order 12 was sent"}, []string{"order 12 … never said this ever"}, []float64{0}, Ungrounded},
		{"digits must be there", `"total of 505.50 in all"`, []string{"total of 505.5 in all"}, []string{"total of 505.50 in all"}, []float64{0}, Ungrounded},
		{"best source counts", `"alpha beta gamma"`, []string{"alpha", "alpha beta gamma delta"}, []string{"alpha beta gamma"}, []float64{1}, Grounded},
		{"surrogate pair escape", `"\ud835\udc00 two three"`, []string{"𝐀 two three"}, []string{`\ud835\udc00 two three`}, []float64{1}, Grounded},
		{"a number that is there", `"order 12 was sent today"`, []string{"order 12 was sent"},
			[]string{"order 12 was sent today"}, []float64{0.8}, Grounded},
		{"a single mark in a word opens nothing", `x'one two three'`, []string{"one two three"}, nil, nil, NoQuotes},
		{"a curly one neither", "boys‘ new bike’ here", []string{"new bike"}, nil, nil, NoQuotes},
		{"a double one opens and closes anywhere", `said"one two three"so`, []string{"one two three"},
			[]string{"one two three"}, []float64{1}, Grounded},
		{"after an empty one", `"" "one two three"`, []string{"one two three"}, []string{"one two three"},
			[]float64{1}, Grounded},
		{"three tokens nearly", `"one two three"`, []string{"one two four"}, []string{"one two three"},
			[]float64{2.0 / 3}, Ungrounded},
		{"a single mark closes before a blank", `'a new car' he said`, []string{"a new car"}, []string{"a new car"},
			[]float64{1}, Grounded},
		{"final sigma", `"ΟΔΟΣ ένα δύο"`, []string{"οδος ένα δύο"}, []string{"ΟΔΟΣ ένα δύο"}, []float64{1}, Grounded},
		{"other words of the same letters", `"ab c"`, []string{"a bc"}, []string{"ab c"}, []float64{0}, Ungrounded},
		{"no sources", `"anything at all"`, nil, []string{"anything at all"}, []float64{0}, Ungrounded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := Ground(tt.evidence, tt.sources, usual)
			if diff := cmp.Diff(tt.quotes, g.Quotes); diff != "" {
				t.Errorf("quotes (-want +got):\n%s", diff)
			}
			if len(g.Scores) != len(tt.scores) {
				t.Fatalf("scores %v, want %v", g.Scores, tt.scores)
			}
			for i, s := range tt.scores {
				if !(math.Abs(g.Scores[i]-s) <= 1e-12) {
					t.Errorf("score %d is %v, want %v", i, g.Scores[i], s)
				}
			}
			if g.Status != tt.status {
				t.Errorf("status %s, want %s", g.Status, tt.status)
			}
		})
	}
}

// A hostile answer costs bounded work.
func TestGroundIsBounded(t *testing.T) {
	source := strings.Repeat("a b c d ", 100_000)
	bounded.Within(t, 20*time.Second, "the answer", func() {
		Ground(strings.Repeat(`"a b d c e" `, 20_000), []string{source, source}, usual)
		Ground(`"`+strings.Repeat("x ", 300_000)+`"`, []string{source}, usual)
	})
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func call(t *testing.T, text string) Call {
	t.Helper()
	v := parse(t, text)
	return Call{v.Field("name").Text(), v.Field("parameters")}
}

func TestCheckCorrection(t *testing.T) {
	tools := Tools{"pay": {"sum", "to"}, "name_it": {"name", "parameters"}, "find": {"q"}}
	find := call(t, `{"name":"find","parameters":{"q":"x"}}`)
	original := `{"name":"pay","parameters":{"sum":10.50,"to":"ann"}}`
	tests := []struct {
		name, correction, expected string
		passed, prerequisite       bool
		history                    []Call
		form, effective            string
		findings                   []string
	}{
		{"patch keeps order and digits", `{"sum":11.00}`, "", false, false, nil, formPatch, `{"name":"pay","parameters":{"sum":11.00,"to":"ann"}}`, nil},
		{"identical patch on a pass", `{"sum":10.5}`, "", true, false, nil, formPatch, `{"name":"pay","parameters":{"sum":10.5,"to":"ann"}}`, nil},
		{"identical on a fail", `{"sum":1.05e1}`, "", false, false, nil, formPatch, `{"name":"pay","parameters":{"sum":1.05e1,"to":"ann"}}`, []string{FailButIdentical}},
		{"text", `"pay more"`, "", false, false, nil, FormUnrecognised, "null", []string{Unrecognised}},
		{"list", `[{"name":"pay"}]`, "", true, false, nil, FormUnrecognised, "null", []string{Unrecognised}},
		{"three keys", `{"name":"pay","parameters":{},"why":"x"}`, "", false, false, nil, FormUnrecognised, "null", []string{Unrecognised}},
		{"both arguments and parameters", `{"name":"pay","parameters":{},"arguments":{}}`, "", false, false, nil, FormUnrecognised, "null", []string{Unrecognised}},
		{"breaks the correct call", `{"to":"bob"}`, original, false, false, nil, formPatch, `{"name":"pay","parameters":{"sum":10.50,"to":"bob"}}`, []string{BreaksCorrectCall}},
		{"prerequisite is the call", original, "", true, true, nil, formCall, original, []string{PassWithCorrection, PrerequisiteIsTheCall}},
		{"prerequisite made", `{"name":"find","arguments":{"q":"x"}}`, "", false, true, []Call{find}, formCall, `{"name":"find","parameters":{"q":"x"}}`, []string{PrerequisiteAlreadyWas}},
		{"null", `null`, "", false, true, nil, formNone, "null", nil},
		{"breaks the correct call, and passed", `{"to":"bob"}`, original, true, false, nil, formPatch,
			`{"name":"pay","parameters":{"sum":10.50,"to":"bob"}}`, []string{BreaksCorrectCall, PassWithCorrection}},
		{"no correction of a pass", `{}`, "", true, true, nil, formNone, "null", nil},
		{"no correction of a fail", `{}`, "", false, false, nil, formNone, "null", []string{FailWithoutCorrection}},
		{"prerequisite made, and passed", `{"name":"find","arguments":{"q":"x"}}`, "", true, true, []Call{find},
			formCall, `{"name":"find","parameters":{"q":"x"}}`, []string{PassWithCorrection}},
		{"another tool with the same values", `{"name":"find","parameters":{"sum":10.50,"to":"ann"}}`, "", false,
			false, nil, formCall, `{"name":"find","parameters":{"sum":10.50,"to":"ann"}}`, []string{UnknownParameter}},
		{"parameters in a list", `{"name":"pay","parameters":[1]}`, "", false, false, nil, FormUnrecognised, "null",
			[]string{Unrecognised}},
		{"another tool", `{"name":"nosuch","parameters":{"sum":1}}`, "", false, false, nil, FormUnrecognised, "null",
			[]string{Unrecognised}},
		{"a wrong call is corrected", `{"to":"bob"}`, `{"name":"pay","parameters":{"sum":10.50,"to":"bob"}}`, false, false, nil,
			formPatch, `{"name":"pay","parameters":{"sum":10.50,"to":"bob"}}`, nil},
		{"the correct call, and failed", `{"to":"ann"}`, original, false, false, nil, formPatch, original,
			[]string{FailButIdentical}},
		{"no correction of a correct call", `{}`, original, true, false, nil, formNone, "null", nil},
		{"no parameters", `{"name":"pay","parameters":{}}`, "", false, false, nil, formCall,
			`{"name":"pay","parameters":{}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			judged := call(t, original)
			in := CorrectionInput{
				Call: judged, Correction: parse(t, tt.correction), Passed: tt.passed,
				Tools: tools, History: tt.history, Prerequisite: tt.prerequisite,
			}
			if tt.expected != "" {
				c := call(t, tt.expected)
				in.Expected = &c
			}
			got := CheckCorrection(in)
			effective := "null"
			if got.Effective != nil {
				effective = got.Effective.Value().JSON()
			}
			if diff := cmp.Diff([]any{tt.form, tt.effective, tt.findings}, []any{got.Form, effective, got.Contradictions}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			matches := got.Effective != nil && tt.expected != "" && got.Effective.equal(*in.Expected)
			if known := got.Effective != nil && tt.expected != ""; (got.MatchesExpected != nil) != known ||
				known && *got.MatchesExpected != matches {
				t.Errorf("the correction is the expected call: %v, want %v (known: %v)", got.MatchesExpected, matches, known)
			}
			if after := judged.Value().JSON(); after != call(t, original).Value().JSON() {
				t.Errorf("the judged call was changed to %s", after)
			}
		})
	}
}

func TestCheckRubrics(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		s    RubricScores
		want []string
		wide bool
	}{
		{"all well", RubricScores{5, 5, 1, 1}, nil, false},
		{"two fail", RubricScores{2, 5, 0, 0.7}, []string{"overall_pass_but_intent_fail", "overall_pass_but_prerequisite_fail"}, false},
		{"perfect parts", RubricScores{5, 5, 1, 0.3}, []string{"overall_fail_but_components_perfect"}, true},
		{"missing part is not perfect", RubricScores{5, 5, nan, 0.6}, nil, false},
		{"no overall", RubricScores{5, 5, 1, nan}, nil, false},
		{"nothing", RubricScores{nan, nan, nan, nan}, nil, false},
		{"just well", RubricScores{3, 3, 1, 0.9}, nil, false},
		{"in order", RubricScores{2, 2, 1, 0.9},
			[]string{"overall_pass_but_completeness_fail", "overall_pass_but_intent_fail"}, false},
		{"a component above its scale", RubricScores{6, 5, 1, 1}, []string{"overall_pass_but_intent_fail"}, false},
		{"above the scale", RubricScores{5, 5, 1, 1.5}, []string{"overall_fail_but_components_perfect"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := CheckRubrics(tt.s)
			if diff := cmp.Diff([]any{tt.want, tt.wide}, []any{got.Violations, got.WideGap}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzCheckCorrection(f *testing.F) {
	f.Add([]byte(`{"name":"a","parameters":{"x":1}}`), []byte(`{"x":2}`), true)
	f.Add([]byte(`{"name":"a","arguments":{"x":[1e5]}}`), []byte(`{"name":"a","parameters":{"x":[100000]}}`), false)
	f.Fuzz(func(t *testing.T, original, correction []byte, passed bool) {
		judged, err := value.Parse(original)
		if err != nil {
			return
		}
		c, err := value.Parse(correction)
		if err != nil {
			return
		}
		call := Call{judged.Field("name").Text(), judged.Field("parameters")}
		got := CheckCorrection(CorrectionInput{Call: call, Correction: c, Passed: passed, Tools: Tools{"a": {"x", "y"}}})
		if got.Effective != nil && !got.Effective.equal(*got.Effective) {
			t.Fatal("the effective call does not equal itself")
		}
		if passed && (got.Form == formNone) && len(got.Contradictions) > 0 {
			t.Fatalf("a pass without a correction contradicts nothing: %v", got.Contradictions)
		}
	})
}

func FuzzGround(f *testing.F) {
	f.Add(`"a b c" 'd'`, "a b x c")
	f.Add("`\\u00e9 \\n` «x»", "é x")
	f.Fuzz(func(t *testing.T, evidence, source string) {
		g := Ground(evidence, []string{source}, usual)
		if len(g.Quotes) != len(g.Scores) || len(g.Quotes) != len(g.Grounded) {
			t.Fatalf("lists differ in length: %+v", g)
		}
		for _, s := range g.Scores {
			if !(s >= 0 && s <= 1) {
				t.Fatalf("score %v", s)
			}
		}
		// What is copied whole is grounded.
		for _, q := range g.Quotes {
			if strings.ContainsAny(q, "….\\") {
				continue
			}
			if own := Ground("`"+strings.ReplaceAll(q, "`", " ")+"`", []string{strings.ReplaceAll(q, "`", " ")}, usual); own.Status != Grounded {
				t.Fatalf("quote %q is not grounded in itself: %+v", q, own)
			}
		}
	})
}
