package columns

import (
	"math"
	"regexp"
	"strings"
)

// dictionary gives words a verdict.
type dictionary struct {
	exact    map[string]float64 // NaN for missing
	patterns []pattern
	positive bool // every other word fails
	own      bool // declared by the user
}

type pattern struct {
	text    string
	matches *regexp.Regexp
	value   float64
}

// The words that count without being declared. "partial", "borderline" and the like
// are not among them: the user has to say what they mean.
var builtin = []Mapping{
	{"pass", []string{
		"pass", "passed", "true", "yes", "y", "success", "successful", "succeeded", "correct", "right", "good",
		"ok", "1",
	}},
	{"fail", []string{
		"fail", "failed", "false", "no", "n", "failure", "unsuccessful", "incorrect", "wrong", "bad", "not ok", "0",
	}},
}

func newDictionary(c *Config) dictionary {
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
				d.patterns = append(d.patterns, pattern{w, glob(w), v})
			} else if _, ok := d.exact[w]; !ok {
				d.exact[w] = v
			}
		}
	}
	return d
}

// find is the verdict of a word, and the declared word or pattern that gives it.
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

// value is the verdict of a cell. The words may name a number, else the threshold decides.
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

// rewrite shortens a text that a pattern matches to the pattern, so that free text
// needs no memory; nil where there are no patterns.
func (d *dictionary) rewrite() func(string) string {
	if len(d.patterns) == 0 {
		return nil
	}
	return func(word string) string {
		_, by, _ := d.find(word)
		return by
	}
}

// dictionaryOf is what the words of a column mean: as declared, but a column in which
// no declared word occurs and every word is a built-in one, such as a gold column of
// true and false, is read with those.
func (x *inputs) dictionaryOf(col *column) dictionary {
	d := x.words
	plain := newDictionary(&Config{})
	for _, w := range col.words {
		_, _, declared := d.find(w.Word)
		_, _, known := plain.find(w.Word)
		if !w.missing && (declared || !known && math.IsNaN(w.number)) {
			return d
		}
	}
	return plain
}
