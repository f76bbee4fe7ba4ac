package measure

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
)

// before and after are the sheet's columns around those for single rubrics.
var (
	before = []string{"conversation_id", "call_index", "tool", "call", "place", LabelColumn}
	after  = []string{"note", "sample", "probability", "rank", "calls_per_conversation"}
)

// maxCall bounds the text of a call in a sheet, in characters.
const maxCall = 500

// WriteSheet writes the sheet as CSV, with a column for each of the rubrics beside the
// one for the whole call. What a spreadsheet would take for a formula gets a quote
// before it, which ReadSheet takes off again; control and direction characters of a
// call are written as escapes.
func WriteSheet(w io.Writer, rows []LabelRow, rubrics []string) error {
	all := [][]string{slices.Concat(before, rubrics, after)}
	for _, r := range rows {
		record := []string{
			r.ConversationID, strconv.Itoa(r.CallIndex), r.Tool, words.Shorten(r.Call, maxCall), r.Place,
			labelWord(r.Passed),
		}
		for _, name := range rubrics {
			var own *bool
			if passed, ok := r.ByRubric[name]; ok {
				own = &passed
			}
			record = append(record, labelWord(own))
		}
		all = append(all, append(record, r.Note, r.Sample, strconv.FormatFloat(r.Probability, 'f', -1, 64),
			strconv.Itoa(r.Rank), strconv.Itoa(r.PerConversation)))
	}
	for _, record := range all {
		for i, cell := range record {
			record[i] = words.CSVCell(cell)
		}
	}
	if err := csv.NewWriter(w).WriteAll(all); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	return nil
}

func labelWord(passed *bool) string {
	switch {
	case passed == nil:
		return ""
	case *passed:
		return "pass"
	}
	return "fail"
}

func unguard(cell string) string { return strings.TrimPrefix(strings.TrimSpace(cell), "'") }

// sheetID returns a conversation's id as a sheet gives it back.
func sheetID(id string) string { return unguard(words.CSVCell(id)) }

// ReadSheet reads a sheet, filled in or not. Labels are pass or fail, 1 or 0, yes
// or no, true or false, in any case; an empty one is not labelled. The column label is
// for the whole call; a column with the name of one of the rubrics is for that rubric
// alone, and one of both kinds must be there. Other columns are left alone, except one
// that is nearly a rubric's name. The first row that cannot be read is the error, with
// file, line and column.
func ReadSheet(in io.Reader, name string, rubrics []string) ([]LabelRow, error) {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: no label sheet: the first line must name the columns %s",
			name, strings.Join(slices.Concat(before, after), ","))
	}
	column, own, err := sheetColumns(head, rubrics)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	var out []LabelRow
	seen := map[itemKey]int{}
	for {
		record, err := r.Read()
		var syntax *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s:%d: no CSV: a quote is open or misplaced", name, syntax.Line)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		row, err := sheetRow(record, column, own)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if first, twice := seen[row.key()]; twice {
			return nil, fmt.Errorf("%s:%d: conversation %s call %d is on line %d already",
				name, line, row.ConversationID, row.CallIndex, first)
		}
		seen[row.key()] = line
		out = append(out, row)
	}
}

// sheetColumns finds the columns by name, and which rubrics have one.
func sheetColumns(head, rubrics []string) (column map[string]int, own []string, err error) {
	column = map[string]int{}
	for i, h := range head {
		h = unguard(strings.TrimPrefix(h, "\ufeff"))
		known := slices.Contains(before, h) || slices.Contains(after, h)
		if slices.Contains(rubrics, h) && !known {
			own = append(own, h)
			known = true
		}
		if _, twice := column[h]; twice && known {
			return nil, nil, fmt.Errorf("column %s occurs twice", h)
		}
		if near := spelling.Nearest(h, rubrics); !known && near != "" {
			return nil, nil, fmt.Errorf("column %s is not a rubric of this run; did you mean %s?", h, near)
		}
		column[h] = i
	}
	for _, want := range before[:2] {
		if _, ok := column[want]; !ok {
			return nil, nil, fmt.Errorf("column %s is missing", want)
		}
	}
	if _, ok := column[LabelColumn]; !ok && own == nil {
		return nil, nil, fmt.Errorf("column %s is missing, and no column has the name of a rubric", LabelColumn)
	}
	return column, own, nil
}

func sheetRow(record []string, column map[string]int, own []string) (r LabelRow, err error) {
	get := func(name string) string {
		if i, ok := column[name]; ok && i < len(record) {
			return unguard(record[i])
		}
		return ""
	}
	r = LabelRow{
		ConversationID: get("conversation_id"), CallIndex: -1, Tool: get("tool"), Call: get("call"),
		Place: get("place"),
		Note:  get("note"), Sample: get("sample"),
	}
	if r.ConversationID == "" {
		return r, errors.New("conversation_id: must not be empty")
	}
	if text := get("call_index"); text != "" {
		if r.CallIndex, err = strconv.Atoi(text); err != nil || r.CallIndex < -1 {
			return r, fmt.Errorf("call_index: %q is not a call number", text)
		}
	}
	if r.Passed, err = labelCell(LabelColumn, get(LabelColumn)); err != nil {
		return r, err
	}
	for _, name := range own {
		passed, err := labelCell(name, get(name))
		if err != nil {
			return r, err
		}
		if passed == nil {
			continue
		}
		if r.ByRubric == nil {
			r.ByRubric = map[string]bool{}
		}
		r.ByRubric[name] = *passed
	}
	if text := get("probability"); text != "" {
		r.Probability, err = strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(r.Probability) || r.Probability < 0 || r.Probability > 1 {
			return r, fmt.Errorf("probability: %q is not a number from 0 to 1", text)
		}
	}
	if text := get("rank"); text != "" {
		if r.Rank, err = strconv.Atoi(text); err != nil || r.Rank < 0 {
			return r, fmt.Errorf("rank: %q is not a place in the random order", text)
		}
	}
	if text := get("calls_per_conversation"); text != "" {
		if r.PerConversation, err = strconv.Atoi(text); err != nil || r.PerConversation < 0 {
			return r, fmt.Errorf("calls_per_conversation: %q is no number of calls, 0 for all", text)
		}
	}
	return r, nil
}

func labelCell(column, text string) (*bool, error) {
	switch strings.ToLower(text) {
	case "":
		return nil, nil
	case "pass", "1", "yes", "true", "1.0":
		return new(true), nil
	case "fail", "0", "no", "false", "0.0":
		return new(false), nil
	}
	return nil, fmt.Errorf("%s: %q: want pass, fail, 1, 0, yes, no, true, false, or empty", column, text)
}
