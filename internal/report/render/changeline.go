package render

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
)

const changeAlign = "llrrrrrlrrr"

func changeHeader() []string {
	return []string{"score", "by", "n", "A", "B", "difference", "p (Holm)", "", "broken", "fixed", "detectable"}
}

// changeLine are the cells of a row, as changeHeader names them.
func changeLine(r report.ChangeRow) []string {
	ch := r.Primary()
	return []string{shorten(r.Label(), 80), shorten(changeGroup(r), 60), fmt.Sprint(ch.N), number(ch.A), number(ch.B), mean(r.Difference()), pText(ch.PHolm), ch.Words(), fmt.Sprint(r.Broken), fmt.Sprint(r.Fixed), number(ch.Detectable)}
}
