package columns

import (
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/columns/table"
)

// verdict is the meaning of a word.
type verdict uint8

const (
	noVerdict verdict = iota
	pass
	fail
	missing
)

func verdictOf(word string) verdict {
	switch strings.ToLower(word) {
	case "pass":
		return pass
	case "fail":
		return fail
	case "missing":
		return missing
	}
	return noVerdict
}

// The words that count without being declared. "partial", "borderline" and the like
// are not among them: whoever uses them has to say what they mean.
var (
	passWords = []string{"pass", "passed", "true", "yes", "y", "success", "successful", "succeeded", "correct", "right", "good", "ok", "1"}
	failWords = []string{"fail", "failed", "false", "no", "n", "failure", "unsuccessful", "incorrect", "wrong", "bad", "not ok", "0"}
)

// dictionary gives words a verdict.
type dictionary struct {
	exact    map[string]verdict
	patterns []pattern
	// others is the verdict of every further word.
	others verdict
	own    bool // declared by the user
}

type pattern struct {
	text string
	verdict
}

func newDictionary(c *Config) dictionary {
	d := dictionary{exact: map[string]verdict{}}
	add := func(v verdict, words []string) {
		for _, w := range words {
			w = strings.ToLower(w)
			if strings.Contains(w, "*") {
				d.patterns = append(d.patterns, pattern{w, v})
			} else if _, ok := d.exact[w]; !ok {
				d.exact[w] = v
			}
		}
	}
	switch {
	case len(c.Map) > 0:
		d.own = true
		for _, m := range c.Map {
			add(verdictOf(m.Verdict), m.Words)
		}
	case len(c.Positive) > 0:
		d.own, d.others = true, fail
		add(pass, c.Positive)
	default:
		add(pass, passWords)
		add(fail, failWords)
	}
	return d
}

// knows reports whether a word was declared.
func (d *dictionary) knows(word string) bool {
	others := dictionary{exact: d.exact, patterns: d.patterns}
	return others.verdict(word) != noVerdict
}

// dictionaryOf is what the words of a column mean: as declared, but a column in which
// no declared word occurs and every word is a built-in one, such as a gold column of
// true and false, is read with those.
func (x *inputs) dictionaryOf(col *table.Column) dictionary {
	d := x.words
	if !d.own {
		return d
	}
	builtin := newDictionary(&Config{})
	for _, w := range col.Words() {
		if d.knows(w.Text) || !builtin.knows(w.Text) {
			return d
		}
	}
	for i := range col.Len() {
		if f, ok := col.Number(i); ok && d.knows(spell(f)) {
			return d
		}
	}
	return builtin
}

// verdict is the meaning of a word, noVerdict where it is not known.
func (d *dictionary) verdict(word string) verdict {
	w := strings.ToLower(word)
	if v, ok := d.exact[w]; ok {
		return v
	}
	for _, p := range d.patterns {
		if p.text == w || table.Glob(p.text, w) {
			return p.verdict
		}
	}
	return d.others
}

// rewrite shortens a text that a pattern matches to the pattern, so that free text
// needs no room; nil where there are no patterns.
func (d *dictionary) rewrite() func(string) string {
	if len(d.patterns) == 0 {
		return nil
	}
	return func(word string) string {
		w := strings.ToLower(word)
		if _, ok := d.exact[w]; ok {
			return word
		}
		for _, p := range d.patterns {
			if table.Glob(p.text, w) {
				return p.text
			}
		}
		return word
	}
}

// declared are the user's own words, which are values even where they look like a
// missing one.
func declared(c *Config) []string {
	out := slices.Concat(c.Categories, c.Positive)
	for _, m := range c.Map {
		if verdictOf(m.Verdict) != missing {
			out = append(out, m.Words...)
		}
	}
	return out
}

func (v verdict) value() float64 {
	switch v {
	case pass:
		return 1
	case fail:
		return 0
	}
	return math.NaN()
}
