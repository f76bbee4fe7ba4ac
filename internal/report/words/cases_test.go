package words_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// written is something that reports say about made-up numbers: sentences, facts or a document.
type written struct {
	name string
	said any
}

// cases returns what no measured sample says: rare branches, each with numbers that are easy to check.
func cases() []written {
	var out []written
	for _, list := range [][]written{gateCases(), alignmentCases(), calibrationCases(), probeCases(), cardCases(),
		rateCases(), scoreCases(), comparisonCases(), columnCases(), agreementCases(),
		edgeCases()} {
		out = append(out, list...)
	}
	return out
}

// TestCases prints every case in full, tables with all their cells, into a file for a reviewer.
func TestCases(t *testing.T) {
	const golden = "testdata/cases.golden"
	got := printCases()
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("read the difference, then run the test with -update (-golden +now):\n%s", diff)
	}
}

func printCases() []byte {
	var out bytes.Buffer
	for _, c := range cases() {
		fmt.Fprintf(&out, "======== %s\n", c.name)
		switch said := c.said.(type) {
		case []string:
			for _, line := range said {
				fmt.Fprintln(&out, line)
			}
		case *words.Document:
			printWhole(&out, said)
		case words.Section:
			printWhole(&out, &words.Document{Sections: []words.Section{said}})
		case words.Facts:
			printFacts(&out, said)
		default:
			panic(c.name)
		}
		fmt.Fprintln(&out)
	}
	return out.Bytes()
}

// printWhole prints a document with everything that decides how it looks.
func printWhole(out *bytes.Buffer, d *words.Document) {
	for _, line := range []string{d.Title, d.ID, d.About} {
		if line != "" {
			fmt.Fprintln(out, line)
		}
	}
	for _, s := range d.Sections {
		if len(s.Parts) == 0 {
			continue
		}
		fmt.Fprintf(out, "# %s: %s%s\n", s.Name, s.Title, map[bool]string{true: " (page only)"}[s.PageOnly])
		if s.Do != "" {
			fmt.Fprintf(out, "> %s\n", s.Do)
		}
		for _, p := range s.Parts {
			printPart(out, p)
		}
	}
	if d.Foot != "" {
		fmt.Fprintln(out, d.Foot)
	}
}

func printPart(out *bytes.Buffer, p words.Part) {
	switch p := p.(type) {
	case words.Heading:
		fmt.Fprintf(out, "## %s\n", p.Text)
	case words.Sentence:
		fmt.Fprintf(out, "%s%s\n", map[bool]string{true: "! "}[p.Strong], p.Text)
	case words.Facts:
		printFacts(out, p)
	case words.List:
		fmt.Fprintf(out, "list of at most %d, lead %t, others %q\n", p.Most, p.Lead, p.More)
		for _, item := range p.Items {
			fmt.Fprintf(out, "- %s\n", strings.Join(append([]string{item.Title, item.Words}, item.Lines...), " / "))
		}
	case *words.Table:
		fmt.Fprintf(out, "table %s, at most %d%s\n", p.Kinds, p.Most, map[bool]string{true: ", page only"}[p.PageOnly])
		fmt.Fprintf(out, "  %s\n", strings.Join(p.Heads, " | "))
		const first, last = 10, 4 // of a long table
		for n, row := range p.Rows {
			if n >= first && n < len(p.Rows)-last {
				continue
			}
			cells := []string{"[" + row.Group + "]"}
			for i, c := range row.Cells {
				cells = append(cells[:i:i], cellText(c))
			}
			fmt.Fprintf(out, "  %s%s\n", strings.Join(cells, " | "), map[bool]string{true: " (faint)"}[row.Faint])
		}
	}
}

func printFacts(out *bytes.Buffer, facts words.Facts) {
	for _, f := range facts {
		name := fmt.Sprintf("%s (most %d, least %d)", f.Name, f.Most, f.Least)
		for word, is := range map[string]bool{" block": f.Block && !f.Bad, " bad": f.Bad, " whole": f.Whole} {
			if is {
				name += word
			}
		}
		fmt.Fprintln(out, name)
		for _, line := range f.Lines {
			fmt.Fprintf(out, "  %s\n", line)
		}
		for _, line := range f.Items {
			fmt.Fprintf(out, "  · %s\n", line)
		}
	}
}

// cellText returns a cell's text, its interval, its colour and its bar.
func cellText(c words.Cell) string {
	text := c.String()
	if c.Class != "" {
		text += " {" + c.Class + "}"
	}
	if b := c.Bar; b != nil {
		ends := ""
		if b.Low != nil {
			ends = fmt.Sprintf(" %.3g–%.3g", *b.Low, *b.High)
		}
		text += fmt.Sprintf("bar %.3g%s %s%s", b.Value, ends, b.Class, map[bool]string{true: " on a scale"}[b.Dot])
	}
	return text
}

// est returns a value with the ends of its interval, if there are two more numbers.
func est(value float64, ends ...float64) report.Estimate {
	e := report.Estimate{Value: &value}
	if len(ends) == 2 {
		e.Low, e.High = &ends[0], &ends[1]
	}
	return e
}

// none returns an undefined number with its reason, point a value whose interval has one.
func none(reason string) report.Estimate { return report.Estimate{Reason: reason} }

func point(value float64, reason string) report.Estimate {
	return report.Estimate{Value: &value, Reason: reason}
}

func caseOf(conversation string, call int, tool, place string) report.CaseRef {
	c := report.CaseRef{ConversationID: conversation, Tool: tool, Place: place}
	if call >= 0 {
		c.CallIndex = &call
	}
	return c
}
