package measure

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// AgreeConfig says what to compare and how to read the columns. Judges is required; the zero values
// of all other fields are useful.
type AgreeConfig struct {
	// Gold is the column to compare with; "" compares the judges with each other.
	Gold string
	// Judges are column names, paths of fields, or patterns in which "*" matches any text.
	Judges []string
	// People are columns with single people's labels: each judge's agreement with them is compared
	// to their agreement with each other. Without Gold, their majority is gold.
	People []string
	// Confidence are the columns with the judges' stated confidence in 0..1: one for each judge, or
	// one for all.
	Confidence []string
	// Cluster is the column that says which items belong together, for instance the conversation of
	// a call. "" means that items are independent.
	Cluster string
	// By are columns to split by, one table each.
	By []string

	// Scale is nominal, ordinal or interval. If it is "", the columns decide: verdicts if the values are known
	// words or 0 and 1, the scale of the categories if they are declared, else interval.
	Scale string
	// Categories is the declared scale in order; "1..5" stands for five integers.
	Categories []string
	// Threshold turns numbers into verdicts; GoldThreshold does the same for gold, if gold differs.
	Threshold, GoldThreshold *Cut
	// Positive are the words that mean pass; all others then mean fail. Map names the words of each
	// side instead. Without either, the built-in words apply.
	Positive []string
	Map      []Mapping
	// UnknownMissing counts undeclared words as missing; otherwise they are an error.
	UnknownMissing bool
	// Missing are additional words for "no value".
	Missing []string

	// Alpha is the error rate of intervals, 0 for 0.05.
	Alpha float64
	// SmallN marks strata with fewer items; 0 means 30.
	SmallN int

	// Format is csv, tsv, jsonl or json; "" means automatic. Rows is the path of the list of rows
	// inside a JSON document, "" for the document itself.
	Format, Rows string
}

// Mapping gives words a verdict: "pass", "fail" or "missing". A word with "*" in it is a pattern;
// exact words are tried first, then patterns in the order given. Case does not matter.
type Mapping struct {
	Verdict string
	Words   []string
}

// ParseMapping parses "pass=satisfied,compliant".
func ParseMapping(text string) (Mapping, error) {
	verdict, words, _ := strings.Cut(text, "=")
	m := Mapping{Verdict: strings.ToLower(strings.TrimSpace(verdict))}
	for word := range strings.SplitSeq(words, ",") {
		if word = strings.TrimSpace(word); word != "" {
			m.Words = append(m.Words, word)
		}
	}
	if len(m.Words) == 0 || !slices.Contains([]string{"pass", "fail", "missing"}, m.Verdict) {
		return Mapping{}, fmt.Errorf("map %q: want pass=WORDS, fail=WORDS or missing=WORDS", text)
	}
	return m, nil
}

// Cut says which numbers pass: Low <= x <= High, including the ends.
type Cut struct{ Low, High float64 }

// ParseCut parses "0.8" (0.8 or more passes) or "4..5".
func ParseCut(text string) (*Cut, error) {
	t, err := report.ParseThreshold("cut=" + text)
	if err != nil {
		return nil, fmt.Errorf("threshold %q: want a number, or LOW..HIGH", text)
	}
	c := &Cut{t.Low, math.Inf(1)}
	if t.High != nil {
		c.High = *t.High
	}
	return c, nil
}

// decider returns a function from numbers to verdicts; nil without a cut.
func (c *Cut) decider() func(float64) float64 {
	if c == nil {
		return nil
	}
	return c.verdict
}

// verdict returns 1 for a number that passes, 0 for one that fails, and NaN for NaN.
func (c *Cut) verdict(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return asNumber(c.Low <= x && x <= c.High)
}

func (c *Cut) String() string {
	switch {
	case c == nil:
		return ""
	case math.IsInf(c.High, 1):
		return fmt.Sprintf("%g or more", c.Low)
	}
	return fmt.Sprintf("%g to %g", c.Low, c.High)
}

// The scales.
const (
	Nominal  = "nominal"
	Ordinal  = "ordinal"
	Interval = "interval"
)

const maxCategories = 100

// resolve applies the defaults and returns an error if settings contradict each other.
func (c AgreeConfig) resolve() (AgreeConfig, error) {
	if c.Alpha == 0 {
		c.Alpha = 0.05
	}
	if c.SmallN == 0 {
		c.SmallN = 30
	}
	categories, declared := expandCategories(c.Categories)
	c.Categories = categories
	numbers, words := c.Scale == Interval, len(c.Positive)+len(c.Map) > 0
	for _, rule := range []struct {
		broken bool
		what   string
	}{
		{!(c.Alpha > 0 && c.Alpha < 1), fmt.Sprintf("alpha %g: want a number between 0 and 1, such as 0.05", c.Alpha)},
		{len(c.Judges) == 0, "no judge: name at least one column"},
		{!slices.Contains([]string{"", Nominal, Ordinal, Interval}, c.Scale),
			fmt.Sprintf("scale %q: want nominal, ordinal or interval", c.Scale)},
		{numbers && declared > 0,
			"scale interval takes numbers as they are: leave the categories out, or say scale ordinal"},
		{c.Scale == Ordinal && declared == 0,
			"scale ordinal: declare the categories in order, such as 1..5; " +
				"kappa is over the declared scale, not over what happens to occur"},
		{declared == 1 || declared > maxCategories, fmt.Sprintf("categories: want 2 to %d, got %d",
			maxCategories, declared)},
		{len(c.Positive) > 0 && len(c.Map) > 0,
			"positive and map cannot be combined: with positive, every other word means fail"},
		{numbers && words, "scale interval takes numbers: positive and map are for words"},
		{declared > 0 && words,
			"categories and positive or map cannot be combined: either the words are a scale, or they are verdicts"},
		{len(c.People) == 1, "person: name the columns of two people at least"},
		{len(c.Confidence) > 0 && c.Gold == "" && len(c.People) == 0,
			"confidence is checked against gold: name the gold column"},
	} {
		if rule.broken {
			return c, errors.New(rule.what)
		}
	}
	for i, a := range c.Categories {
		if slices.Contains(c.Categories[:i], a) {
			return c, fmt.Errorf("categories: %q occurs twice", a)
		}
	}
	return c, nil
}

// expandCategories replaces "1..5" by its integers, but stops once they are too many. n counts all.
func expandCategories(list []string) (out []string, n int64) {
	for _, word := range list {
		low, high, ok := strings.Cut(word, "..")
		a, err1 := strconv.ParseInt(low, 10, 48) // so that differences and their sum fit
		b, err2 := strconv.ParseInt(high, 10, 48)
		if !ok || err1 != nil || err2 != nil || b < a {
			out, n = append(out, word), n+1
			continue
		}
		n += b - a + 1
		for k := a; k <= b && len(out) <= maxCategories; k++ {
			out = append(out, strconv.FormatInt(k, 10))
		}
	}
	return out, n
}

// labels returns the declared categories as numbers: their own numbers if all are numbers, else
// their indexes 0, 1, 2 …
func (c *AgreeConfig) labels() (labels []float64, numeric bool) {
	for _, w := range c.Categories {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			labels = labels[:0]
			for k := range c.Categories {
				labels = append(labels, float64(k))
			}
			return labels, false
		}
		labels = append(labels, f)
	}
	return labels, true
}

// categoryScale returns the scale of the categories: the declared one, else ordinal if all are numbers.
func (c *AgreeConfig) categoryScale() string {
	if c.Scale != "" {
		return c.Scale
	}
	if _, numeric := c.labels(); numeric {
		return Ordinal
	}
	return Nominal
}

// dictionary gives words a verdict.
type dictionary struct {
	exact    map[string]float64 // NaN means missing
	patterns []wordPattern
	positive bool // every other word means fail
	own      bool // declared by the user
}

type wordPattern struct {
	text    string
	matches *regexp.Regexp
	value   float64
}

// The built-in words. "partial", "borderline" and the like are not among them: the user must say
// what they mean.
var builtin = []Mapping{
	{"pass", []string{
		"pass", "passed", "true", "yes", "y", "success", "successful", "succeeded", "correct", "right", "good",
		"ok", "1",
	}},
	{"fail", []string{
		"fail", "failed", "false", "no", "n", "failure", "unsuccessful", "incorrect", "wrong", "bad", "not ok", "0",
	}},
}

func newDictionary(c *AgreeConfig) dictionary {
	d := dictionary{exact: map[string]float64{}, own: true}
	declared := c.Map
	switch {
	case len(c.Positive) > 0:
		d.positive, declared = true, []Mapping{{"pass", c.Positive}}
	case len(c.Map) == 0:
		d.own, declared = false, builtin
	}
	for _, m := range declared {
		v, ok := map[string]float64{"pass": 1, "fail": 0}[m.Verdict]
		if !ok {
			v = math.NaN()
		}
		for _, w := range m.Words {
			w = strings.ToLower(w)
			if strings.Contains(w, "*") {
				d.patterns = append(d.patterns, wordPattern{w, glob(w), v})
			} else if _, ok := d.exact[w]; !ok {
				d.exact[w] = v
			}
		}
	}
	if slices.ContainsFunc(d.patterns, wordPattern.isRest) {
		d.keepUsual()
	}
	return d
}

// isRest reports whether a pattern matches every word. It then applies to words without a meaning of their own.
func (p wordPattern) isRest() bool { return p.text == "*" }

// keepUsual adds the built-in words, unless they were declared or a declared pattern matches them.
func (d *dictionary) keepUsual() {
	for _, m := range builtin {
		v := map[string]float64{"pass": 1}[m.Verdict]
		for _, w := range m.Words {
			_, declared := d.exact[w]
			matched := func(p wordPattern) bool { return !p.isRest() && p.matches.MatchString(w) }
			if !declared && !slices.ContainsFunc(d.patterns, matched) {
				d.exact[w] = v
			}
		}
	}
}

// find returns the verdict of a word, and the declared word or pattern that gives it.
func (d *dictionary) find(text string) (value float64, by string, declared bool) {
	w := strings.ToLower(text)
	if v, ok := d.exact[w]; ok {
		return v, text, true
	}
	for _, p := range d.patterns {
		if p.matches.MatchString(w) {
			return p.value, p.text, true
		}
	}
	return math.NaN(), text, false
}

// value returns the verdict of a cell. If the word is not declared and is a number, the threshold decides.
func (d *dictionary) value(w word, cut *Cut) (value float64, declared bool) {
	v, _, ok := d.find(w.Word)
	switch {
	case cut != nil && !math.IsNaN(w.number) && !(d.own && (ok || d.positive)):
		return cut.verdict(w.number), true
	case !ok && d.positive:
		return 0, true
	}
	return v, ok
}

// rewrite returns a function that replaces text by the pattern that matches it, so that free text
// needs no memory; nil if there are no patterns.
func (d *dictionary) rewrite() func(string) string {
	if len(d.patterns) == 0 {
		return nil
	}
	return func(word string) string {
		_, by, _ := d.find(word)
		return by
	}
}

// dictionaryOf returns the dictionary for a column: the declared words. If no declared word occurs in the
// column and all its words are built in, as in a gold column of true and false, it is the built-in dictionary.
func (x *agreeInputs) dictionaryOf(col *inputColumn) dictionary {
	d := x.words
	plain := newDictionary(&AgreeConfig{})
	for _, w := range col.words {
		_, _, declared := d.find(w.Word)
		_, _, known := plain.find(w.Word)
		if !w.missing && (declared || !known && math.IsNaN(w.number)) {
			return d
		}
	}
	return plain
}
