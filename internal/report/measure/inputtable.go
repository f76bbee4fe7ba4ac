package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/sorting"
)

// wanted asks for columns of a table.
type wanted struct {
	role string // gold, judge, confidence, by or cluster
	// pattern is a column name of a CSV or TSV file, or the path of a field in a JSON row with dots
	// between keys (keys may contain dots; list elements go by number). "*" matches any text.
	pattern string
	matches *regexp.Regexp // nil without a star
	// text keeps every cell as a word, for names of conversations and strata.
	text bool
	// rewrite, if not nil, replaces a word before it is stored, so that long texts need no memory.
	rewrite func(word string) string
}

// inputTable holds the wanted columns of a file. A cell is a number, a word or missing. A row that
// cannot be read is skipped, counted and named; an error of the input itself ends the reading.
type inputTable struct {
	report.TableSource
	wanted  []wanted
	missing map[string]bool  // words for "no value"
	matched [][]*inputColumn // by wanted
	byName  map[string][]*inputColumn
	all     []*inputColumn
	leaves  []string // of the first JSON row, for the error about an unknown column
	lines   []int32  // of each row, or its index in a JSON document
}

// inputColumn is one column of a table; a cell takes 4 bytes.
type inputColumn struct {
	wanted
	name  string
	code  []int32 // for each cell, its index in words
	words []word
	at    map[string]int32 // index in words
	texts int              // number of words that are not numbers
	most  int              // limit of texts
}

// word is one distinct value of a column.
type word struct {
	report.WordCount
	number  float64 // NaN for a word
	missing bool
}

const (
	maxRecord   = 16 << 20 // bytes per row
	maxProblems = 5
	maxColumns  = 500
	maxWords    = 10_000     // different words in a column of ratings
	maxNames    = 20_000_000 // different names in a text column
	// absentCell marks a field that a JSON row does not have.
	absentCell = "(absent)"
)

// missingWords are the words for "no value" in files of common tools; "" is an empty cell.
var missingWords = []string{"", "null", "NULL", "Null", "NA", "N/A", "n/a", "NaN", "nan", "<NA>", "#N/A", "None"}

// newInputTable returns an empty table. missing are further words for "no value"; keep are words
// that are values although they look like missing ones.
func newInputTable(name, format string, missing, keep []string) *inputTable {
	t := &inputTable{TableSource: report.TableSource{Name: name, Format: format}, missing: map[string]bool{}, byName: map[string][]*inputColumn{}}
	for _, w := range slices.Concat(missingWords, missing) {
		t.missing[w] = true
	}
	for _, w := range keep {
		delete(t.missing, w)
	}
	return t
}

// at names a line, or a row of a JSON document, for people.
func (t *inputTable) at(line int) string {
	if t.Format == "json" {
		return fmt.Sprintf("%s: row %d", t.Name, line)
	}
	return fmt.Sprintf("%s:%d", t.Name, line)
}

func (t *inputTable) problem(line int, format string, args ...any) {
	t.Unreadable++
	if len(t.Problems) < maxProblems {
		t.Problems = append(t.Problems, t.at(line)+": "+fmt.Sprintf(format, args...))
	}
}

// named returns the columns with this name, and creates them if the name is new.
func (t *inputTable) named(name string) ([]*inputColumn, error) {
	if known := t.byName[name]; known != nil {
		return known, nil
	}
	for n, w := range t.wanted {
		switch {
		case w.pattern != name && (w.matches == nil || !w.matches.MatchString(name)):
			continue
		case len(t.all) >= maxColumns:
			return nil, fmt.Errorf("column %s: more than %d columns match", w.pattern, maxColumns)
		}
		c := t.column(n, name)
		t.byName[c.name] = append(t.byName[c.name], c)
	}
	return t.byName[name], nil
}

// column creates a column for the n-th pattern.
func (t *inputTable) column(n int, name string) *inputColumn {
	c := &inputColumn{wanted: t.wanted[n], name: strings.Clone(name), at: map[string]int32{}}
	if c.most = maxWords; c.text {
		c.most = maxNames
	}
	for i := range t.Rows {
		c.put(absentCell, math.NaN(), true, int(t.lines[i]))
	}
	t.all, t.matched[n] = append(t.all, c), append(t.matched[n], c)
	return c
}

// end ends a row: columns without a cell in it are missing.
func (t *inputTable) end(line int) error {
	if line > math.MaxInt32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	t.Rows++
	t.lines = append(t.lines, int32(line))
	for _, c := range t.all {
		if len(c.code) < t.Rows {
			c.put(absentCell, math.NaN(), true, line)
		}
		if c.texts > c.most {
			return fmt.Errorf("column %s: %d different words up to line %d: that is text, no rating", c.name,
				c.texts, line)
		}
	}
	return nil
}

// add appends a cell as it is in the file.
func (t *inputTable) add(c *inputColumn, text string, line int) {
	w := strings.TrimSpace(text)
	if t.missing[w] {
		c.put(w, math.NaN(), true, line)
		return
	}
	if f, ok := parseNumber(w); ok && !c.text {
		c.put(strconv.FormatFloat(f, 'g', -1, 64), f, false, line)
		return
	}
	if c.rewrite != nil {
		w = c.rewrite(w)
	}
	c.put(w, math.NaN(), false, line)
}

// put appends a cell; f is its number, NaN for a word.
func (c *inputColumn) put(text string, f float64, missing bool, line int) {
	k, known := c.at[text]
	if !known {
		text, k = strings.Clone(text), int32(len(c.words))
		c.at[text], c.words = k, append(c.words, word{report.WordCount{Word: text, Line: line}, f, missing})
		c.texts += int(asNumber(math.IsNaN(f)))
	}
	c.words[k].Count++
	c.code = append(c.code, k)
}

// each returns the words of a column for which keep is true, most frequent first, at most as many
// as a column of ratings can have.
func (c *inputColumn) each(keep func(k int, w word) bool) []report.WordCount {
	var out []report.WordCount
	for k, w := range c.words {
		if keep(k, w) {
			out = append(out, w.WordCount)
		}
	}
	sorting.Stable(out, func(a, b report.WordCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	return out[:min(len(out), maxWords)]
}

// numbers reports whether a column holds only numbers.
func (c *inputColumn) numbers() bool {
	return !slices.ContainsFunc(c.words, func(w word) bool { return !w.missing && math.IsNaN(w.number) })
}

// binary reports whether a column holds no numbers other than 0 and 1.
func (c *inputColumn) binary() bool {
	return !slices.ContainsFunc(c.words, func(w word) bool {
		return !math.IsNaN(w.number) && w.number != 0 && w.number != 1
	})
}

// parseNumber parses a decimal number as JSON writes it. It also allows a plus sign, a point at either end, and
// a missing leading zero. Hexadecimal numbers, underscores and infinities are words.
func parseNumber(s string) (float64, bool) {
	if s == "" || len(s) > 400 || strings.Trim(s, "0123456789.+-eE") != "" || s[0] == 'e' || s[0] == 'E' {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// found returns an error for a pattern that matched no column; have lists the existing names.
func (t *inputTable) found(have []string) error {
	n := slices.IndexFunc(t.matched, func(columns []*inputColumn) bool { return len(columns) == 0 })
	switch {
	case n < 0:
		return nil
	case t.Rows == 0 && t.Unreadable > 0:
		return errors.New("no row could be read; " + t.Problems[0])
	}
	const most = 40
	quoted := make([]string, len(have))
	for i, h := range have {
		quoted[i] = fmt.Sprintf("%.80q", h)
	}
	return fmt.Errorf("column %q is not there; the columns are %s", t.wanted[n].pattern, words.Some(quoted, most))
}

// glob returns the regular expression for a pattern in which "*" matches any text.
func glob(pattern string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(pattern, "\uFFFD"))
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(quoted, `\*`, ".*") + "$")
}
