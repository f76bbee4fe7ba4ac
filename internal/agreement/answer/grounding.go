package answer

import (
	"strings"
	"unicode"
)

// The statuses of evidence, by how many of its quotes are in the record.
const (
	Grounded   = "grounded"   // every quote
	Partial    = "partial"    // some quotes
	Ungrounded = "ungrounded" // no quote
	NoQuotes   = "no_quotes"
)

// Grounding says which quotes of the evidence are in the record.
type Grounding struct {
	Quotes   []string
	Scores   []float64 // 0..1, 1 = verbatim up to case and punctuation
	Grounded []bool
	Status   string
}

// GroundingRule says how close a quote must be: Threshold is the minimum score (0.8), and
// MinFuzzyTokens the number of tokens from which near matches count (3).
type GroundingRule struct {
	Threshold      float64
	MinFuzzyTokens int
}

// maxWork limits the token comparisons in one call of Ground. When it is used up, the remaining
// quotes count as not in the record. It is enough for evidence of the requested length and a record
// of 250,000 tokens.
const maxWork = 50_000_000

// record holds the sources as tokens, with a budget of comparisons.
type record struct {
	tokens [][]string
	texts  []string // each of tokens as one text, see run
	budget int
}

func newRecord(sources []string) *record {
	rec := &record{budget: maxWork}
	for _, s := range sources {
		t := tokens(s)
		rec.tokens, rec.texts = append(rec.tokens, t), append(rec.texts, run(t))
	}
	return rec
}

// run returns tokens as a text. It contains the text of another run exactly if the tokens contain
// that run.
func run(tokens []string) string { return " " + strings.Join(tokens, " ") + " " }

// spend takes work from the budget and reports whether enough was left.
func (rec *record) spend(work int) bool {
	if work > rec.budget {
		return false
	}
	rec.budget -= work
	return true
}

// Ground searches the sources for each quote in the evidence.
func Ground(evidence string, sources []string, rule GroundingRule) Grounding {
	rec := newRecord(sources)
	out := Grounding{Status: NoQuotes}
	hits := 0
	known := map[string]float64{} // by part
	for _, q := range quotes(evidence) {
		score, any := 1.0, false
		for _, part := range strings.Split(strings.ReplaceAll(q, "…", "..."), "...") {
			t := tokens(part)
			if len(t) == 0 {
				continue
			}
			any = true
			best, seen := known[part]
			if !seen {
				best = rec.bestScore(t, rule.MinFuzzyTokens)
				known[part] = best
			}
			score = min(score, best)
		}
		if !any {
			continue
		}
		ok := score >= rule.Threshold
		if ok {
			hits++
		}
		out.Quotes, out.Scores, out.Grounded = append(out.Quotes, q), append(out.Scores, score),
			append(out.Grounded, ok)
	}
	switch {
	case len(out.Quotes) == 0:
	case hits == len(out.Quotes):
		out.Status = Grounded
	case hits == 0:
		out.Status = Ungrounded
	default:
		out.Status = Partial
	}
	return out
}

// closing returns the closing quotation mark for an opening one; 0 for other characters.
func closing(r rune) rune {
	switch r {
	case '"', '`', '\'':
		return r
	case '“':
		return '”'
	case '«':
		return '»'
	case '‘':
		return '’'
	}
	return 0
}

func isSingle(r rune) bool { return r == '\'' || r == '‘' || r == '’' }

// quotes finds quotes from left to right without nesting. A single quotation mark opens only after,
// and closes only before, a non-alphanumeric character, so apostrophes do neither. Unclosed marks
// are skipped.
func quotes(text string) []string {
	var out []string
	r := []rune(text)
	unclosed := map[rune]bool{}
	for i := 0; i < len(r); i++ {
		end := closing(r[i])
		if end == 0 || unclosed[r[i]] || isSingle(r[i]) && i > 0 && alphanumeric(r[i-1]) {
			continue
		}
		j := closeAt(r, i+1, end)
		if j < 0 {
			// No later mark of this kind can close either: stop searching for it.
			unclosed[r[i]] = true
			continue
		}
		out = append(out, string(r[i+1:j]))
		i = j
	}
	return out
}

func closeAt(r []rune, from int, end rune) int {
	for j := from; j < len(r); j++ {
		if r[j] == end && !(isSingle(end) && j+1 < len(r) && alphanumeric(r[j+1])) {
			return j
		}
	}
	return -1
}

// bestScore returns the score of a part against its best source.
func (rec *record) bestScore(part []string, minFuzzy int) float64 {
	best := 0.0
	for i, s := range rec.tokens {
		if !rec.holdsNumbers(part, i) || !rec.spend(len(part)+len(s)) {
			continue
		}
		if strings.Contains(rec.texts[i], run(part)) {
			return 1
		}
		if len(part) < minFuzzy || !rec.spend(len(part)*len(s)) {
			continue
		}
		d := substringDistance(part, s)
		best = max(best, 1-float64(d)/float64(len(part)))
	}
	return best
}

// holdsNumbers reports whether the source contains every token with a digit: an invented order
// number is never a near match.
func (rec *record) holdsNumbers(part []string, source int) bool {
	for i, t := range part {
		if !strings.ContainsFunc(t, unicode.IsDigit) {
			continue
		}
		if !rec.spend(len(rec.tokens[source])) || !strings.Contains(rec.texts[source], run(part[i:i+1])) {
			return false
		}
	}
	return true
}

// substringDistance returns the smallest token edit distance between part and any substring of
// source (Sellers 1980).
func substringDistance(part, source []string) int {
	column := make([]int, len(part)+1)
	for i := range column {
		column[i] = i
	}
	best := len(part)
	for _, s := range source {
		diagonal := column[0] // stays 0: a match may start anywhere
		for i, p := range part {
			cost := diagonal
			if p != s {
				cost = 1 + min(diagonal, column[i], column[i+1])
			}
			diagonal, column[i+1] = column[i+1], cost
		}
		best = min(best, column[len(part)])
	}
	return best
}
