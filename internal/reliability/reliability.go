// Package reliability writes the tables of docs/reliability.md. The fault campaigns, which are
// tests, measure; each writes its rows to docs/data and replaces its summary in the page.
package reliability

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Row is the result of one mode of failure.
type Row struct {
	// Class and Mode say what failed, Share how often ("100 %", "3 %, after the first reply").
	Class, Mode, Share string
	// Items counts what should be judged. Right counts what was scored as intended, Named what was
	// unscored with the right kind, Lost what is neither. Again counts what was sent again without
	// need, Wrong what was scored with another result.
	Items, Right, Named, Lost, Again, Wrong int
	// Seconds is the additional time compared with the undisturbed run.
	Seconds float64
	// Note says how it ended, if that needs words.
	Note string
}

// columns names the cells of a row in the data file.
var columns = []string{"class", "mode", "share", "items", "scored_right", "named", "lost", "sent_twice",
	"silently_wrong", "seconds_over", "outcome"}

const header = "| class | cases | items | scored right | named | lost | sent twice | silently wrong |\n" +
	"|---|---:|---:|---:|---:|---:|---:|---:|\n"

// Update writes the rows to data/reliability-NAME.csv beside a page and replaces their summary in
// the page: a line for each class. The summary is between the lines "<!-- table: NAME -->" and
// "<!-- end -->".
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
	if err := writeData(dataFile(page, name), rows); err != nil {
		return err
	}
	return os.WriteFile(page, []byte(before+start+summary(rows)+end+after), 0o644)
}

func dataFile(page, name string) string {
	return filepath.Join(filepath.Dir(page), "data", "reliability-"+name+".csv")
}

func writeData(file string, rows []Row) error {
	var b strings.Builder
	out := csv.NewWriter(&b)
	list := [][]string{columns}
	for _, r := range rows {
		cells := []string{r.Class, r.Mode, r.Share}
		for _, n := range []int{r.Items, r.Right, r.Named, r.Lost, r.Again, r.Wrong} {
			cells = append(cells, strconv.Itoa(n))
		}
		list = append(list, append(cells, strconv.FormatFloat(r.Seconds, 'f', 1, 64), r.Note))
	}
	if err := out.WriteAll(list); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// summary returns the table of the page: the sums of each class, in the order of the rows.
func summary(rows []Row) string {
	var sums []Row
	modes := map[string]int{}
	for _, r := range rows {
		i := slices.IndexFunc(sums, func(s Row) bool { return s.Class == r.Class })
		if i < 0 {
			i, sums = len(sums), append(sums, Row{Class: r.Class})
		}
		modes[r.Class]++
		s := &sums[i]
		s.Items, s.Right, s.Named = s.Items+r.Items, s.Right+r.Right, s.Named+r.Named
		s.Lost, s.Again, s.Wrong = s.Lost+r.Lost, s.Again+r.Again, s.Wrong+r.Wrong
	}
	var b strings.Builder
	b.WriteString(header)
	for _, s := range sums {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n",
			s.Class, modes[s.Class], s.Items, s.Right, s.Named, s.Lost, s.Again, s.Wrong)
	}
	return b.String()
}
