package reply

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// Case 5: the score token and its alternatives.
func TestTokenWeight(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	alt := func(pairs ...any) []llm.TokenAlternative {
		var out []llm.TokenAlternative
		for i := 0; i < len(pairs); i += 2 {
			s := pairs[i].(string)
			out = append(out, llm.TokenAlternative{Token: s, Bytes: []byte(s), Logprob: math.Log(pairs[i+1].(float64))})
		}
		return out
	}
	// Tokens spell the content around the score token.
	tokens := func(before, token, after string, top []llm.TokenAlternative, bytes bool) []llm.Token {
		var out []llm.Token
		for _, s := range []string{before, token, after} {
			tok := llm.Token{TokenAlternative: llm.TokenAlternative{Token: s}}
			if bytes {
				tok.Bytes = []byte(s)
			}
			if s == token {
				tok.Top = top
			}
			out = append(out, tok)
		}
		return out
	}
	head := `{"explanation":"ö \"output\":9 ü","evidence":"e","output":`
	tail := `,"confidence":0.9,"correction":{}}`
	tests := []struct {
		name   string
		tokens []llm.Token
		text   string
		want   string // score and pass probability
	}{
		{"plain", tokens(head, "4", tail, alt("4", 0.6, "5", 0.2, "2", 0.2), true), head + "4" + tail, "3.8 0.8"},
		{"with a space", tokens(head, " 4", tail, alt(" 4", 0.5, "4", 0.1, "5", 0.4), true), head + " 4" + tail, "4.4 1"},
		{"without bytes", tokens(head, "4", tail, alt("4", 0.5, "2", 0.5), false), head + "4" + tail, "3 0.5"},
		{"with a comma", tokens(head, "4,", tail[1:], alt("4,", 0.5, "2,", 0.5), true), head + "4" + tail, "3 0.5"},
		{"comma not shared", tokens(head, "4,", tail[1:], alt("4,", 0.5, "2", 0.5), true), head + "4" + tail, ""},
		{"low coverage", tokens(head, "4", tail, alt("4", 0.2, "5", 0.1, "x", 0.7), true), head + "4" + tail, ""},
		{"two digits", tokens(head, "12", tail, alt("12", 1.0), true), head + "12" + tail, ""},
		{"tokens do not spell the text", tokens("x", "4", tail, alt("4", 1.0), true), head + "4" + tail, ""},
		{"blank tokens in front", append([]llm.Token{{TokenAlternative: llm.TokenAlternative{Token: "\n "}}}, tokens(head, "4", tail, alt("4", 1.0), true)...), head + "4" + tail, "4 1"},
		{"a thought in front", append(tokens("<think>", head+"2"+tail, "</think>\n", nil, true), append(tokens(head, "4", tail, alt("4", 1.0), true), tokens("<|im_end|>", "", "", nil, true)...)...), head + "4" + tail, "4 1"},
		{"the front is cut", tokens(head[20:], "4", tail, alt("4", 0.5, "5", 0.5), true), head + "4" + tail, "4.5 1"},
		{"the front is cut up to the key", tokens(`"output":`, "4", tail, alt("4", 1.0), true), head + "4" + tail, "4 1"},
		{"cut behind the key", tokens(`tput":`, "4", tail, alt("4", 1.0), true), head + "4" + tail, ""},
		{"characters in pieces", tokens(strings.Replace(head, "ö", "\ufffd\ufffd", 1), "4", tail, alt("4", 1.0), false), head + "4" + tail, "4 1"},
		{"characters in pieces, and the key twice", tokens("\ufffd"+head+"4,"+head[1:], "4", tail, alt("4", 1.0), false), "ö" + head + "4" + tail, ""},
		{"no alternatives", tokens(head, "4", tail, nil, true), head + "4" + tail, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if w := Weigh(r, tc.text, 0, tc.tokens); w != nil {
				got = fmt.Sprintf("%.3g %.3g", w.Score, w.PassProbability)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	// The object begins inside of the reply, and the tokens with the fence or after it.
	const fence = "```json\n"
	top := alt("4", 0.6, "5", 0.2, "2", 0.2)
	for name, list := range map[string][]llm.Token{
		"with the fence": tokens(fence+head, "4", tail, top, true), "after the fence": tokens(head, "4", tail, top, true),
		"cut in the object": tokens(head[20:], "4", tail, top, true),
	} {
		if w := Weigh(r, fence+head+"4"+tail+"\n```", len(fence), list); w == nil || !(math.Abs(w.Score-3.8) <= 1e-9) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	if Weigh(judgetest.Rubric(t, rubrics.Overall), head+"1"+tail, 0, tokens(head, "1", tail, alt("1", 1.0), true)) != nil {
		t.Error("a 0..1 number has no labels")
	}
}

// TestCategoryWeight: the token with which a category begins is weighed against those of the
// others; its entropy is in nats.
func TestCategoryWeight(t *testing.T) {
	const head, tail = `{"explanation":"e","evidence":"v","output":"`, `","confidence":0.9}`
	half := llm.TokenAlternative{Token: "yes", Logprob: math.Log(0.6)}
	other := llm.TokenAlternative{Token: "No", Logprob: math.Log(0.3)}
	tokens := []llm.Token{
		{TokenAlternative: llm.TokenAlternative{Token: head}}, {TokenAlternative: half, Top: []llm.TokenAlternative{half, other}},
		{TokenAlternative: llm.TokenAlternative{Token: tail}},
	}
	r := *judgetest.Rubric(t, rubrics.Overall)
	for name, tt := range map[string]struct {
		output rubrics.Output
		want   string
	}{
		"pass":             {rubrics.Output{Categories: []string{"no", "yes"}, Pass: []string{"yes"}}, "0.667 0.637 0.9"},
		"fail":             {rubrics.Output{Categories: []string{"no", "yes"}, Pass: []string{"no"}}, "0.333 0.637 0.9"},
		"what was written": {rubrics.Output{Categories: []string{"no", "yes"}, NoPass: true}, "0.667 0.637 0.9"},
		"one is certain":   {rubrics.Output{Categories: []string{"yes", "maybe"}, Pass: []string{"yes"}}, "1 0 0.6"},
		"not a category":   {rubrics.Output{Categories: []string{"no", "maybe"}, Pass: []string{"no"}}, ""},
	} {
		got := ""
		r.Output = tt.output
		if w := Weigh(&r, head+"yes"+tail, 0, tokens); w != nil {
			if want := w.PassProbability * (1 - w.PassProbability); w.Score != w.PassProbability || w.Variance != want {
				t.Errorf("%s: score %v, variance %v, want %v", name, w.Score, w.Variance, want)
			}
			got = fmt.Sprintf("%.3g %.3g %.3g", w.PassProbability, math.Abs(w.Entropy), w.Coverage)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	r.Output = rubrics.Output{Categories: []string{"no", "yes"}, Pass: []string{"yes"}}
	tokens[1].Top = []llm.TokenAlternative{{Token: "yes", Logprob: math.Log(0.3)}, {Token: "other", Logprob: math.Log(0.7)}}
	enough := tokens[1]
	enough.Top = []llm.TokenAlternative{{Token: "yes", Logprob: math.Log(minCoverage)}}
	if w := Weigh(&r, head+"yes"+tail, 0, []llm.Token{tokens[0], enough, tokens[2]}); w == nil {
		t.Error("categories with just enough of a share are not weighed")
	}
	if w := Weigh(&r, head+"yes"+tail, 0, tokens); w != nil {
		t.Errorf("categories with a share of 0.3 are weighed: %+v", w)
	}
}

// TestLabels: the scale of a score that is one character has labels.
func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		output rubrics.Output
		want   int
	}{
		{rubrics.Output{Integer: true, Min: 1, Max: 5}, 5}, {rubrics.Output{Integer: true, Min: 0, Max: 9}, 10},
		{rubrics.Output{Integer: true, Min: -1, Max: 5}, 0}, {rubrics.Output{Integer: true, Min: 1, Max: 10}, 0}, {rubrics.Output{Min: 1, Max: 5}, 0},
	} {
		if got := Labels(tt.output); len(got) != tt.want {
			t.Errorf("%+v: %v", tt.output, got)
		}
	}
}
