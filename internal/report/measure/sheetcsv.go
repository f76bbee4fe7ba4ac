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

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
)

// before and after are the sheet's columns before and after those for single rubrics. A sheet with
// results or turns has extra columns for the scope.
var (
	before = []string{"conversation_id", "call_index", "tool", "call", "place", LabelColumn}
	after  = []string{"note", "sample", "probability", "rank", "calls_per_conversation"}
	scoped = []string{"scope", "turn"}
)

// maxCall limits the text of a call on a sheet, in characters.
const maxCall = 500

// WriteSheet writes the sheet as CSV, with a column for each rubric beside the one for the whole
// call. A cell that a spreadsheet would take for a formula gets a leading quote, which ReadSheet
// removes; control and direction characters of a call are escaped.
func WriteSheet(w io.Writer, rows []LabelRow, rubrics []string) error {
	all := [][]string{slices.Concat(before, rubrics, after)}
	withScope := slices.ContainsFunc(rows, func(r LabelRow) bool { return r.Scope != "" })
	if withScope {
		all[0] = append(all[0], scoped...)
	}
	for _, r := range rows {
		record := []string{
			r.ConversationID, strconv.Itoa(r.CallIndex), r.Tool, words.Shorten(r.Call, maxCall), r.Place, r.Whole.Text(),
		}
		for _, name := range rubrics {
			record = append(record, r.ByRubric[name].Text())
		}
		record = append(record, r.Note, r.Sample, strconv.FormatFloat(r.Probability, 'f', -1, 64),
			strconv.Itoa(r.Rank), strconv.Itoa(r.PerConversation))
		if withScope {
			record = append(record, r.Scope, strconv.Itoa(r.Turn))
		}
		all = append(all, record)
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

func unguard(cell string) string { return strings.TrimPrefix(strings.TrimSpace(cell), "'") }

// sheetID returns a conversation's id as it comes back from a sheet.
func sheetID(id string) string { return unguard(words.CSVCell(id)) }

// SheetID returns a conversation's id as LabelRow has it.
func SheetID(id string) string { return sheetID(id) }

// ReadSheet reads a sheet, filled in or not. Labels are pass or fail, 1 or 0, yes or no, true or false, in any
// case; for a rubric with categories their names, or pass or fail; for any rubric also not_applicable. An empty
// cell has no label. The column label is about the whole call; a column with the name of a rubric is about that
// rubric only. There must be at least one of either kind. Other columns are ignored, except a name that is
// nearly a rubric's. The first row that cannot be read is the error, with file, line and column.
func ReadSheet(in io.Reader, name string, rubrics []report.Rubric) ([]LabelRow, error) {
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
func sheetColumns(head []string, rubrics []report.Rubric) (column map[string]int, own []report.Rubric, err error) {
	column = map[string]int{}
	var names []string
	for i := range rubrics {
		names = append(names, rubrics[i].Name)
	}
	for i, h := range head {
		h = unguard(strings.TrimPrefix(h, "\ufeff"))
		known := slices.Contains(slices.Concat(before, after, scoped), h)
		if at := slices.Index(names, h); at >= 0 && !known {
			own = append(own, rubrics[at])
			known = true
		}
		if _, twice := column[h]; twice && known {
			return nil, nil, fmt.Errorf("column %s occurs twice", h)
		}
		if near := spelling.Nearest(h, names); !known && near != "" {
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

func sheetRow(record []string, column map[string]int, own []report.Rubric) (r LabelRow, err error) {
	get := func(name string) string {
		if i, ok := column[name]; ok && i < len(record) {
			return unguard(record[i])
		}
		return ""
	}
	r = LabelRow{
		ConversationID: get("conversation_id"), Tool: get("tool"), Call: get("call"), Place: get("place"),
		Note: get("note"), Sample: get("sample"),
	}
	if err = r.readItem(get); err != nil {
		return r, err
	}
	if r.Whole, err = labelCell(get(LabelColumn), &report.Rubric{Name: LabelColumn}); err != nil {
		return r, err
	}
	for i := range own {
		answer, err := labelCell(get(own[i].Name), &own[i])
		if err != nil {
			return r, err
		}
		if !answer.Given() {
			continue
		}
		if r.ByRubric == nil {
			r.ByRubric = map[string]labels.Answer{}
		}
		r.ByRubric[own[i].Name] = answer
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
			return r, fmt.Errorf("calls_per_conversation: %q is not a number of calls, 0 for all", text)
		}
	}
	return r, nil
}

// readItem reads which item a row is about.
func (r *LabelRow) readItem(get func(column string) string) (err error) {
	if r.ConversationID == "" {
		return errors.New("conversation_id: must not be empty")
	}
	r.CallIndex = -1
	if text := get("call_index"); text != "" {
		if r.CallIndex, err = strconv.Atoi(text); err != nil || r.CallIndex < -1 {
			return fmt.Errorf("call_index: %q is not a call number", text)
		}
	}
	if text := get("turn"); text != "" {
		if r.Turn, err = strconv.Atoi(text); err != nil || r.Turn < 0 {
			return fmt.Errorf("turn: %q is not the number of a turn", text)
		}
	}
	switch scope := get("scope"); scope {
	case labels.Result, labels.Turn:
		r.Scope = scope
	case "", report.CallLevel, report.ConversationLevel:
	default:
		return fmt.Errorf("scope: %q: want call, result, turn or conversation", scope)
	}
	if (r.Turn > 0) != (r.Scope == labels.Turn) || r.Scope == labels.Result && r.CallIndex < 0 {
		return errors.New("scope: a turn needs a number in the column turn, a result one in call_index")
	}
	return nil
}

// labelCell parses a label for a rubric: one of its categories if it has any, else pass or fail.
func labelCell(text string, of *report.Rubric) (a labels.Answer, err error) {
	lower := strings.ToLower(text)
	for _, category := range of.Categories {
		if strings.EqualFold(text, category) {
			return of.Answer(category), nil
		}
	}
	switch {
	case lower == "":
		return a, nil
	case slices.Contains([]string{labels.NotApplicable, "not applicable", "n/a"}, lower) && of.Name != LabelColumn:
		return labels.Answer{Label: labels.NotApplicable}, nil
	case len(of.Categories) > 0 && (!of.Decides() || lower != labels.Pass && lower != labels.Fail):
		return a, fmt.Errorf("%s: %q: want %s, not_applicable, or empty", of.Name, text, strings.Join(of.Categories, ", "))
	case slices.Contains([]string{labels.Pass, "1", "yes", "true", "1.0"}, lower):
		return labels.VerdictAnswer(true), nil
	case slices.Contains([]string{labels.Fail, "0", "no", "false", "0.0"}, lower):
		return labels.VerdictAnswer(false), nil
	}
	return a, fmt.Errorf("%s: %q: want pass, fail, 1, 0, yes, no, true, false, or empty", of.Name, text)
}
