package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Column is one column of a table.
type Column struct {
	Name    string
	text    bool
	rewrite func(string) string
	missing map[string]bool
	// code of a cell: a word's number, or number, or below it a missing word's.
	code []int32
	num  []float64 // as long as code, or nil where there is no number
	at   map[string]int32
	list []Word
	gone []Word
	nums int
	bad  string // set by add when the column holds too many words
}

const number = -1

// Word is a word of a column, how often it stands there and where first.
type Word struct {
	Text  string
	Count int
	Line  int
}

// missingWords mean "no value" in files of common tools; "" is an empty cell.
var missingWords = []string{"", "null", "NULL", "Null", "NA", "N/A", "n/a", "NaN", "nan", "<NA>", "#N/A", "None"}

// absent marks a field that a JSON row does not have.
const absent = "(absent)"

func newColumn(name string, w Wanted, opts *Options) *Column {
	c := &Column{Name: name, text: w.Text, rewrite: w.Rewrite, at: map[string]int32{}, missing: map[string]bool{}}
	for _, word := range slices.Concat(missingWords, opts.Missing) {
		c.missing[word] = true
	}
	for _, word := range opts.Keep {
		delete(c.missing, word)
	}
	return c
}

// Len is the number of rows.
func (c *Column) Len() int { return len(c.code) }

// Number is the number in a row, and whether there is one.
func (c *Column) Number(row int) (float64, bool) {
	if c.code[row] != number {
		return math.NaN(), false
	}
	return c.num[row], true
}

// Word is the index in Words of the word in a row, and whether there is one.
func (c *Column) Word(row int) (int, bool) {
	k := c.code[row]
	return int(k), k >= 0
}

// IsMissing reports whether a row has no value.
func (c *Column) IsMissing(row int) bool { return c.code[row] < number }

// Words are the words of the column in the order in which they were met. Callers
// must not change the list.
func (c *Column) Words() []Word { return c.list }

// MissingWords are the words that stood for a missing value: "" for an empty cell,
// "(absent)" for a JSON row without the field.
func (c *Column) MissingWords() []Word { return c.gone }

// Missing is how many rows have no value.
func (c *Column) Missing() int {
	n := 0
	for _, w := range c.gone {
		n += w.Count
	}
	return n
}

// Numbers is how many rows hold a number.
func (c *Column) Numbers() int { return c.nums }

// add appends the cell text as it stood in the file.
func (c *Column) add(text string, line int) {
	word := strings.TrimSpace(text)
	if c.missing[word] {
		c.addMissing(word, line)
		return
	}
	if !c.text {
		if f, ok := parseNumber(word); ok {
			c.addNumber(f)
			return
		}
	}
	if c.rewrite != nil {
		word = c.rewrite(word)
	}
	c.addWord(word, line)
}

func (c *Column) addNumber(f float64) {
	if c.num == nil {
		c.num = make([]float64, len(c.code), cap(c.code)+1)
		for i := range c.num {
			c.num[i] = math.NaN()
		}
	}
	c.nums++
	c.code, c.num = append(c.code, number), append(c.num, f)
}

func (c *Column) addWord(word string, line int) {
	k, ok := c.at[word]
	if !ok {
		k = int32(len(c.list))
		word = strings.Clone(word)
		c.at[word] = k
		c.list = append(c.list, Word{Text: word, Line: line})
		c.limit(line)
	}
	c.list[k].Count++
	c.put(k)
}

func (c *Column) limit(line int) {
	most := maxWords
	if c.text {
		most = maxIDs
	}
	if len(c.list) > most && c.bad == "" {
		c.bad = fmt.Sprintf("column %s: %d different words up to line %d: that is text, no rating", c.Name, len(c.list), line)
	}
}

func (c *Column) addMissing(word string, line int) {
	k := slices.IndexFunc(c.gone, func(w Word) bool { return w.Text == word })
	if k < 0 {
		k = len(c.gone)
		c.gone = append(c.gone, Word{Text: strings.Clone(word), Line: line})
	}
	c.gone[k].Count++
	c.put(int32(number - 1 - k))
}

func (c *Column) put(code int32) {
	c.code = append(c.code, code)
	if c.num != nil {
		c.num = append(c.num, math.NaN())
	}
}

// fill adds absent cells up to n rows; lines has the line of each.
func (c *Column) fill(n int, lines []uint32) {
	for len(c.code) < n {
		c.addMissing(absent, int(lines[len(c.code)]))
	}
}

// parseNumber reads a decimal number as JSON writes it, also with a plus sign, with
// a point at either end, and without a leading zero. Hexadecimal, underscores and
// infinities are words.
func parseNumber(s string) (float64, bool) {
	if s == "" || len(s) > 400 {
		return 0, false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case b >= '0' && b <= '9', b == '.', b == '+', b == '-':
		case (b == 'e' || b == 'E') && i > 0:
		default:
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
