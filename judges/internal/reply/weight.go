package reply

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/rubrics"
)

// minCoverage is the probability that the labels must have together; below it the distribution is
// noise.
const minCoverage = 0.5

// TokenWeight is the distribution over a scale's labels at the score token.
type TokenWeight struct {
	// Score is the mean; Variance and Entropy (in nats) describe the spread; Coverage is the
	// probability of all labels together.
	Score, Variance, Entropy, Coverage float64
	// PassProbability is the probability of the pass band; for categories without a pass, of the
	// category in the answer.
	PassProbability float64
}

// Labels returns the labels of a scale of one-character integers; nil for other scales.
func Labels(o rubrics.Output) []float64 {
	if !o.Integer || o.Min < 0 || o.Max > 9 {
		return nil
	}
	var out []float64
	for x := o.Min; x <= o.Max; x++ {
		out = append(out, x)
	}
	return out
}

// Weighable reports whether the score token of an output can be weighed. It can for a scale of
// one-character integers, and for categories that differ in their first letter, which is all that
// one token shows, unless the answer may be not_applicable.
func Weighable(o rubrics.Output) bool {
	if o.Categories == nil {
		return Labels(o) != nil && !o.MayNotApply
	}
	first := map[rune]bool{}
	for _, name := range o.Categories {
		r, _ := utf8.DecodeRuneInString(strings.ToLower(name))
		first[r] = true
	}
	return len(first) == len(o.Categories) && !o.MayNotApply
}

// weighCategory weighs the alternatives to the token at which the category begins. The category is
// at offset start of the content.
func weighCategory(o rubrics.Output, content string, tokens []llm.Token, at, start int) *TokenWeight {
	t, prefix, _, ok := tokenAt(content, tokens, at, start)
	if !ok {
		return nil
	}
	shares, sum, written := map[string]float64{}, 0.0, ""
	for _, name := range o.Categories {
		if strings.HasPrefix(strings.ToLower(content[start:]), strings.ToLower(name)+`"`) {
			written = name
		}
		for _, a := range t.Top {
			text, after := strings.CutPrefix(tokenText(a), prefix)
			text = strings.ToLower(strings.TrimSpace(text))
			low := strings.ToLower(name)
			if after && text != "" && (strings.HasPrefix(low, text) || strings.HasPrefix(text, low+`"`)) {
				shares[name] += math.Exp(a.Logprob)
				sum += math.Exp(a.Logprob)
			}
		}
	}
	if written == "" || sum < minCoverage {
		return nil
	}
	out := &TokenWeight{Coverage: min(1, sum)}
	for _, name := range o.Categories {
		p := shares[name] / sum
		if slices.Contains(o.Pass, name) || o.NoPass && name == written {
			out.PassProbability += p
		}
		if p > 0 {
			out.Entropy -= p * math.Log(p)
		}
	}
	out.Score, out.Variance = out.PassProbability, out.PassProbability*(1-out.PassProbability)
	return out
}

// Weigh finds the score token of the object at offset at of a reply's content (Reading.At) and
// weighs its alternatives. It returns nil if the method does not apply: another scale, no
// log-probabilities, an answer from elsewhere, a score of several tokens, or too little coverage.
func Weigh(r *rubrics.Rubric, content string, at int, tokens []llm.Token) *TokenWeight {
	if !Weighable(r.Output) || len(tokens) == 0 {
		return nil
	}
	start, end := outputAt(content, at)
	switch categories := r.Output.Categories != nil; {
	case categories && end-start > 2:
		return weighCategory(r.Output, content, tokens, at, start+1)
	case categories || end-start != 1:
		return nil
	}
	labels := Labels(r.Output)
	t, prefix, suffix, ok := tokenAt(content, tokens, at, start)
	if !ok {
		return nil
	}
	alternatives := sharedRest(t, prefix, suffix)
	if alternatives == nil {
		return nil
	}
	got := answer.ScoreTokens(alternatives, labels, minCoverage)
	if !got.Score.Valid {
		return nil
	}
	return &TokenWeight{
		Score: got.Score.Value, Variance: got.Variance.Value, Entropy: got.Entropy.Value, Coverage: got.Coverage,
		PassProbability: passProbability(alternatives, r.Output, got.Coverage),
	}
}

func passProbability(alternatives []answer.TokenProbability, o rubrics.Output, coverage float64) float64 {
	p := 0.0
	for _, a := range alternatives {
		f, err := strconv.ParseFloat(strings.TrimSpace(a.Token), 64)
		if err == nil && o.PassBand().Contains(f) {
			p += math.Exp(a.Logprob)
		}
	}
	return min(1, p/coverage)
}

// outputAt returns the start and end of the output in the object at offset at of a reply; 0, 0 if
// there is not exactly one.
func outputAt(content string, at int) (start, end int) {
	if at < 0 || at >= len(content) {
		return 0, 0
	}
	found := outputMember.FindAllStringSubmatchIndex(objectAt(content, at), 2)
	if len(found) != 1 {
		return 0, 0
	}
	return at + found[0][2], at + found[0][3]
}

// objectAt returns the object that begins at an offset of a text.
func objectAt(content string, at int) string {
	if end, _, _ := match(content[at:]); end > 0 {
		return content[at : at+end]
	}
	return content[at:]
}

// tokenAt finds the token that contains the content's byte at offset, which is inside the object at
// at, and the token's text before and after that byte. Tokens are measured by their bytes if given,
// else by their text.
func tokenAt(content string, tokens []llm.Token, at, offset int) (t llm.Token, prefix, suffix string, ok bool) {
	var joined strings.Builder
	for _, t := range tokens {
		joined.WriteString(tokenText(t.TokenAlternative))
	}
	place := locate(content, joined.String(), at, offset)
	if place < 0 {
		return llm.Token{}, "", "", false
	}
	for _, t := range tokens {
		text := tokenText(t.TokenAlternative)
		if place < len(text) {
			return t, text[:place], text[place+1:], true
		}
		place -= len(text)
	}
	return llm.Token{}, "", "", false
}

// locate converts an offset in the content to one in the tokens' joined text; -1 if that is
// uncertain. Servers report tokens of thinking before the content and marks after it, and reasoning
// parsers remove tokens from its beginning. If several tokens make up one character, the joined
// text does not have the bytes of the content.
func locate(content, joined string, at, offset int) int {
	object := objectAt(content, at)
	if i := strings.LastIndex(joined, object); i >= 0 {
		return i + offset - at
	}
	key := strings.LastIndex(content[:offset], `"`+rubrics.KeyOutput+`"`)
	for from := at + 1; from <= max(key, at); from++ {
		if strings.HasPrefix(joined, object[from-at:]) {
			return offset - from
		}
	}
	if number := content[max(key, 0):min(offset+2, len(content))]; key >= at && strings.Count(joined, number) == 1 {
		return strings.Index(joined, number) + offset - key
	}
	return -1
}

func tokenText(a llm.TokenAlternative) string {
	if a.Bytes != nil {
		return string(a.Bytes)
	}
	return a.Token
}

// sharedRest removes the text around the digit from every alternative. If a token contains more
// than blanks and the digit, it is used only if all alternatives have the same rest.
func sharedRest(t llm.Token, prefix, suffix string) []answer.TokenProbability {
	list := t.Top
	if len(list) == 0 {
		return nil
	}
	plain := strings.TrimSpace(prefix+suffix) == ""
	out := make([]answer.TokenProbability, 0, len(list))
	for _, a := range list {
		text := tokenText(a)
		if !plain {
			rest, hasPrefix := strings.CutPrefix(text, prefix)
			mid, hasSuffix := strings.CutSuffix(rest, suffix)
			if !hasPrefix || !hasSuffix {
				return nil
			}
			text = mid
		}
		out = append(out, answer.TokenProbability{Token: text, Logprob: a.Logprob})
	}
	return out
}
