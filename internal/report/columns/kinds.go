package columns

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/columns/table"
)

// side reads a column of ratings as the configuration says.
func (x *inputs) side(col *table.Column, role string, cut *Cut) (*side, error) {
	if len(x.cfg.Categories) > 0 {
		return x.categories(col, role, cut)
	}
	d := x.dictionaryOf(col)
	if x.cfg.Scale == Interval || len(col.Words()) == 0 && !d.own && (cut != nil || !binary(col)) {
		return x.numbers(col, role, cut)
	}
	return x.verdicts(col, &d, role, cut)
}

// binary reports whether a column holds no number but 0 and 1.
func binary(col *table.Column) bool {
	for i := range col.Len() {
		if f, ok := col.Number(i); ok && f != 0 && f != 1 {
			return false
		}
	}
	return true
}

func (x *inputs) numbers(col *table.Column, role string, cut *Cut) (*side, error) {
	if words := col.Words(); len(words) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, words, "is no number", "count such words as missing with --unknown missing")
	}
	s := &side{name: col.Name, value: make([]float64, col.Len())}
	for i := range s.value {
		s.value[i], _ = col.Number(i)
	}
	// 0 and 1 are verdicts without a threshold, and stay so with one.
	if cut == nil && x.cfg.Scale != Interval && binary(col) || cut != nil && binary(col) && role == "gold" && x.cfg.GoldThreshold == nil {
		s.verdict = slices.Clone(s.value)
	} else if cut != nil {
		s.verdict = make([]float64, col.Len())
		for i, f := range s.value {
			s.verdict[i] = cutAt(cut, f)
		}
	}
	s.missing = col.Missing() + wordsIn(col)
	x.columns = append(x.columns, x.count(col, role, func(string) verdict { return noVerdict }))
	return s, nil
}

func wordsIn(col *table.Column) int {
	n := 0
	for _, w := range col.Words() {
		n += w.Count
	}
	return n
}

func cutAt(cut *Cut, f float64) float64 {
	switch {
	case math.IsNaN(f):
		return f
	case cut.passes(f):
		return 1
	}
	return 0
}

// verdicts reads words, and numbers as the words they are spelled with.
func (x *inputs) verdicts(col *table.Column, d *dictionary, role string, cut *Cut) (*side, error) {
	meaning := make([]verdict, len(col.Words()))
	var unknown []table.Word
	for k, w := range col.Words() {
		if meaning[k] = d.verdict(w.Text); meaning[k] == noVerdict {
			unknown = append(unknown, w)
		}
	}
	s := &side{name: col.Name, verdict: make([]float64, col.Len())}
	for i := range s.verdict {
		s.verdict[i] = math.NaN()
		if k, ok := col.Word(i); ok {
			s.verdict[i] = meaning[k].value()
		} else if f, ok := col.Number(i); ok {
			s.verdict[i] = d.number(f, cut)
		}
		if math.IsNaN(s.verdict[i]) {
			s.missing++
		}
	}
	list := x.count(col, role, d.verdict)
	for _, w := range x.spelled(col) {
		one := WordCount{w.Text, w.Count, w.Line}
		switch v := d.number(mustParse(w.Text), cut); {
		case v == 1:
			list.Pass = append(list.Pass, one)
		case v == 0:
			list.Fail = append(list.Fail, one)
		default:
			list.Unknown = append(list.Unknown, one)
			if d.verdict(w.Text) != missing {
				unknown = append(unknown, w)
			}
		}
	}
	for _, words := range [][]WordCount{list.Pass, list.Fail, list.Unknown} {
		sortWords(words)
	}
	x.columns = append(x.columns, list)
	if len(unknown) == 0 || x.cfg.UnknownMissing {
		return s, nil
	}
	how := "say which words pass with --positive or --map, declare a scale with --categories, or count such words as missing with --unknown missing"
	if d.own {
		how = "name it with --map pass=… or --map fail=…, or count such words as missing with --unknown missing"
	}
	return nil, x.wordError(col, unknown, "is neither pass nor fail", how)
}

// spelled lists the first different numbers of a column as words.
func (x *inputs) spelled(col *table.Column) []table.Word {
	const most = 2 * maxCategories
	var out []table.Word
	at := map[float64]int{}
	for i := range col.Len() {
		f, ok := col.Number(i)
		if !ok {
			continue
		}
		k, seen := at[f]
		switch {
		case seen:
			out[k].Count++
		case len(out) < most:
			at[f] = len(out)
			out = append(out, table.Word{Text: spell(f), Count: 1, Line: x.tab.Line(i)})
		}
	}
	return out
}

func spell(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func mustParse(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// number is the verdict of a number in a column of verdicts: the words may
// name it, else the threshold decides, else 0 and 1 are fail and pass.
func (d *dictionary) number(f float64, cut *Cut) float64 {
	if v := d.verdict(spell(f)); v != noVerdict && (d.own || cut == nil) {
		return v.value()
	}
	if cut != nil {
		return cutAt(cut, f)
	}
	return math.NaN()
}

// categories reads the labels of the declared scale: their own numbers where all are
// numbers, else their places 0, 1, 2 …
func (x *inputs) categories(col *table.Column, role string, cut *Cut) (*side, error) {
	labels, numeric := labelsOf(x.cfg.Categories)
	s := &side{name: col.Name, category: make([]float64, col.Len())}
	place := make([]float64, len(col.Words()))
	var unknown []table.Word
	for k, w := range col.Words() {
		at := slices.Index(x.cfg.Categories, w.Text)
		if place[k] = math.NaN(); at >= 0 {
			place[k] = labels[at]
		} else {
			unknown = append(unknown, w)
		}
	}
	for _, w := range x.spelled(col) {
		if x.categoryOf(mustParse(w.Text)) < 0 {
			unknown = append(unknown, w)
		}
	}
	for i := range s.category {
		s.category[i] = math.NaN()
		if k, ok := col.Word(i); ok {
			s.category[i] = place[k]
		} else if f, ok := col.Number(i); ok {
			if at := x.categoryOf(f); at >= 0 {
				s.category[i] = labels[at]
			}
		}
		if math.IsNaN(s.category[i]) {
			s.missing++
		}
	}
	if len(unknown) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, unknown, "is outside the declared categories "+strings.Join(x.cfg.Categories, ", "), "declare it, or count such words as missing with --unknown missing")
	}
	if numeric {
		s.value = s.category
		if cut != nil {
			s.verdict = make([]float64, col.Len())
			for i, f := range s.value {
				s.verdict[i] = cutAt(cut, f)
			}
		}
	}
	list := x.count(col, role, nil)
	for _, w := range unknown {
		list.Unknown = append(list.Unknown, WordCount{w.Text, w.Count, w.Line})
	}
	sortWords(list.Unknown)
	x.columns = append(x.columns, list)
	return s, nil
}

// categoryOf is the place of a number in the declared scale, below 0 where it has none.
func (x *inputs) categoryOf(f float64) int {
	return slices.IndexFunc(x.cfg.Categories, func(w string) bool { return mustParse(w) == f })
}

func labelsOf(categories []string) (labels []float64, numeric bool) {
	numeric = !slices.ContainsFunc(categories, func(w string) bool { return math.IsNaN(mustParse(w)) || math.IsInf(mustParse(w), 0) })
	for k, w := range categories {
		if numeric {
			labels = append(labels, mustParse(w))
		} else {
			labels = append(labels, float64(k))
		}
	}
	return labels, numeric
}

// confident reads a confidence: numbers in 0..1.
func (x *inputs) confident(col *table.Column) (*side, error) {
	if words := col.Words(); len(words) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, words, "is no number", "count such words as missing with --unknown missing")
	}
	s := &side{name: col.Name, value: make([]float64, col.Len()), missing: col.Missing() + wordsIn(col)}
	for i := range s.value {
		f, ok := col.Number(i)
		if ok && (f < 0 || f > 1) {
			return nil, fmt.Errorf("%s: confidence %s: %g is outside 0..1", x.tab.Place(i), col.Name, f)
		}
		s.value[i] = f
	}
	x.columns = append(x.columns, x.count(col, "confidence", nil))
	return s, nil
}

// wordError names words without a meaning, the first with its line.
func (x *inputs) wordError(col *table.Column, words []table.Word, what, how string) error {
	first, others := words[0], ""
	for _, w := range words {
		if w.Line < first.Line {
			first = w
		}
	}
	if n := len(words) - 1; n > 0 {
		var list []string
		for _, w := range words {
			if w != first && len(list) < 8 {
				list = append(list, fmt.Sprintf("%.40q", w.Text))
			}
		}
		slices.Sort(list)
		others = "; also " + strings.Join(list, ", ")
		if n > len(list) {
			others += fmt.Sprintf(" and %d more", n-len(list))
		}
	}
	return fmt.Errorf("%s: column %s: %.60q %s (%d times)%s: %s", x.tab.At(first.Line), col.Name, first.Text, what, first.Count, others, how)
}

// count lists the words of a column by their meaning.
func (x *inputs) count(col *table.Column, role string, meaning func(string) verdict) Column {
	out := Column{Name: col.Name, Role: role, Numbers: col.Numbers(), Missing: col.Missing()}
	for _, w := range col.MissingWords() {
		out.NoValues = append(out.NoValues, WordCount{w.Text, w.Count, w.Line})
	}
	sortWords(out.NoValues)
	if meaning == nil {
		return out
	}
	for _, w := range col.Words() {
		one := WordCount{w.Text, w.Count, w.Line}
		switch meaning(w.Text) {
		case pass:
			out.Pass = append(out.Pass, one)
		case fail:
			out.Fail = append(out.Fail, one)
		default:
			out.Unknown = append(out.Unknown, one)
			out.Missing += w.Count
		}
	}
	return out
}

// sortWords puts the commonest first.
func sortWords(words []WordCount) {
	slices.SortFunc(words, func(a, b WordCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
}
