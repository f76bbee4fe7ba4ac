// Package reliability writes the tables of docs/reliability.md. The campaigns of
// faults, which are tests, measure; each replaces its own table and leaves the rest of
// the current page.
package reliability

import (
	"fmt"
	"os"
	"strings"
)

// Row is the result of one mode of failure.
type Row struct {
	// Class and Mode say what failed, Share how often ("100 %", "3 %, after the first reply").
	Class, Mode, Share string
	// Items were to be judged. Right are scored as intended, Named unscored with the right
	// kind, Lost neither; Again are those sent again without need, Wrong those scored
	// otherwise than intended.
	Items, Right, Named, Lost, Again, Wrong int
	// Seconds is the time over the undisturbed run.
	Seconds float64
	// Note says how it ended, if that needs words.
	Note string
}

const header = "| class | mode | share | items | scored right | named | lost | sent twice | silently wrong | " +
	"seconds over | outcome |\n" +
	"|---|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n"

// Update replaces the table of that name in a page. The page marks its place by a line
// "<!-- table: NAME -->" before and "<!-- end -->" after.
func Update(page, name string, rows []Row) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	start, end := "<!-- table: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), start)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s: no place for the table %s", page, name)
	}
	var b strings.Builder
	b.WriteString(before + start + header)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %d | %d | %d | %.1f | %s |\n",
			cell(r.Class), cell(r.Mode), cell(r.Share), r.Items, r.Right, r.Named, r.Lost, r.Again, r.Wrong,
			r.Seconds, cell(r.Note))
	}
	b.WriteString(end + after)
	return os.WriteFile(page, []byte(b.String()), 0o644)
}

func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ") }
