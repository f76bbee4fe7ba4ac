package render

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
)

// labelColumns names the columns of LabelsCSV. None is called label, so that nobody takes the file
// for a sheet to calibrate with: its rows may come from several people and rubrics.
var labelColumns = []string{"run_id", "item", "conversation_id", "call_index", "turn", "scope", "rubric", "who", "answer",
	"passed", "note", "seen", "blind_answer", "sample", "probability", "rank", "calls_per_conversation", "seed"}

// LabelsCSV writes a row for each person, item and rubric, with the current answer. blind_answer is
// the answer that estimates use: the last one that was given blind in the random sample.
// calls_per_conversation is 0 if all were drawn. Cells are guarded as in ItemsCSV.
func LabelsCSV(w io.Writer, run string, set *labels.Set) error {
	rows := [][]string{labelColumns}
	for _, who := range set.People() {
		for _, s := range set.States(who) {
			rows = append(rows, labelCells(run, &s))
		}
	}
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	return nil
}

// labelCells returns the cells of a label in the order of the columns.
func labelCells(run string, s *labels.State) []string {
	call, turn, scope := "", "", s.Scope
	switch {
	case s.Scope == labels.Turn:
		turn = strconv.Itoa(s.Turn)
	case s.Call >= 0:
		call, scope = strconv.Itoa(s.Call), cmp.Or(scope, report.CallLevel)
	default:
		scope = report.ConversationLevel
	}
	design := make([]string, 4) // empty unless the item was drawn
	if s.Frame == labels.Random {
		design = []string{strconv.FormatFloat(s.Probability, 'g', -1, 64), strconv.Itoa(s.Rank),
			strconv.Itoa(s.PerConversation), strconv.FormatUint(s.Seed, 10)}
	}
	cells := []string{plain(run), plain(s.Item.String()), plain(s.Conversation), call, turn, scope, plain(s.Rubric),
		plain(s.Who), plain(s.Text()), optional(s.Verdict(), strconv.FormatBool), plain(s.Note), s.Seen,
		plain(s.Blind.Text()), s.Frame}
	return append(cells, design...)
}
