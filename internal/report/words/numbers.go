package words

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// None is printed if there is no value.
const None = "–"

// Count returns a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Counted is like Count, for a noun whose plural ends in s.
func Counted(n int, noun string) string { return Count(n, noun, noun+"s") }

// Shorten returns visible text of at most n characters; if it was cut, it ends with ….
func Shorten(text string, n int) string {
	return value.Excerpt(value.Visible(value.Excerpt(text, n+1)), n)
}

// Some names the first items and counts the others.
func Some(list []string, most int) string {
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(list, ", ")
}

// Fixed returns a number with this many digits after the point, never -0.
func Fixed(f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Short returns a number with at most four digits, such as 0.95 or 12.
func Short(f float64) string { return strconv.FormatFloat(f, 'g', 4, 64) }

// Share returns 0.61 as "61.0 %".
func Share(f float64, digits int) string { return Fixed(100*f, digits) + " %" }

// Number returns a cell with a number and its interval.
func Number(e report.Estimate, digits int) Cell { return number(e, 1, digits, "") }

// Percent returns a cell with a share and its interval.
func Percent(e report.Estimate, digits int) Cell { return number(e, 100, digits, " %") }

func number(e report.Estimate, factor float64, digits int, unit string) Cell {
	if e.Value == nil {
		return Cell{Text: None}
	}
	c := Cell{Text: Fixed(factor**e.Value, digits) + unit}
	if e.HasInterval() {
		c.Ends = "[" + Fixed(factor**e.Low, digits) + ", " + Fixed(factor**e.High, digits) + "]"
	}
	return c
}

// P returns a p-value; "–" for nil.
func P(p *float64) string {
	switch {
	case p == nil:
		return None
	case *p < 0.001:
		return "<0.001"
	}
	return Fixed(*p, 3)
}

// ShellWord quotes text as one word of a command line.
func ShellWord(text string) string { return shellWord(text, runtime.GOOS == "windows") }

// shellWord quotes for a Unix shell, or for PowerShell, where a backslash is an ordinary character
// and a quote is doubled.
func shellWord(text string, windows bool) string {
	others, quote := "/._-+:,=@%", `'\''`
	if windows {
		others, quote = others+`\`, "''"
	}
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(others, r)
	}
	if text != "" && strings.TrimLeftFunc(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", quote) + "'"
}

// CSVCell returns visible text that a spreadsheet does not take for a formula: such a text gets a
// leading quote, even if white space or quotes come first, because some programs skip these.
// Numbers are unchanged.
func CSVCell(text string) string {
	text = value.Visible(text)
	start := strings.TrimLeftFunc(text, unicode.IsSpace)
	if start == "" || !strings.ContainsRune("=+-@'|%＝＋－＠", []rune(start)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
